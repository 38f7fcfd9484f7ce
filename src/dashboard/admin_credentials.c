/* SPDX-License-Identifier: Apache-2.0
 * Admin API: platform credentials of an app. The secret is write-only: it is sealed here and never
 * returned. */
#include "admin_private.h"

#include "seal.h"

#include "platform.h"

#include "connect.h"

#define VERIFY_WAIT_MS 30000
#define CONFIG_ID_MAX_BYTES 64 /* Meta's ids are decimal (meta.md 1) */

/* Empty where all apps are of one kind. */
static struct str variant_name(const struct credential_row *credential)
{
	const struct oauth_variant *variant =
		oauth_variant_find(platform_of(credential->platform)->oauth, credential->variant);
	return variant != NULL ? str_of(variant->name) : (struct str){0};
}

static void write_fields(struct admin *admin, struct arena *arena, struct json_writer *w,
			 const struct credential_row *credential)
{
	json_member_str(w, "platform", str_of(platform_id_slug(credential->platform)));
	json_member_str(w, "client_id", credential->client_id);
	json_member_str(w, "state", str_of(credential_state_name(credential->state)));
	json_member_str_or_null(w, "variant", variant_name(credential));
	json_member_str_or_null(w, "config_id", credential->config_id);
	json_member_str_or_null(w, "scopes", credential->scopes);
	json_member_str_or_null(w, "message", credential->message);
	json_member_instant(w, "verified_at", credential->verified_at_us);
	json_member_str(
		w, "redirect_uri",
		connector_callback_url(admin->config.connector, arena, credential->platform));
}

/* What it is beside the other: {client_id, state, message}. */
static void write_beside(struct json_writer *w, const char *name, enum err_kind kind,
			 const struct credential_row *credential)
{
	json_key(w, name);
	if (kind != ERR_NONE) {
		json_put_null(w);
		return;
	}
	json_begin_object(w);
	json_member_str(w, "client_id", credential->client_id);
	json_member_str(w, "state", str_of(credential_state_name(credential->state)));
	json_member_str_or_null(w, "message", credential->message);
	json_end_object(w);
}

void admin_write_credential(struct admin *admin, struct arena *arena, struct json_writer *w,
			    const struct credential_row *credential)
{
	struct credential_row candidate = {0};
	struct error err = {0};
	const enum err_kind kind =
		store_candidate_find(admin->config.store, arena, credential->app_id,
				     credential->platform, &candidate, &err);
	json_begin_object(w);
	write_fields(admin, arena, w, credential);
	write_beside(w, "candidate", kind, &candidate);
	json_end_object(w);
}

enum err_kind admin_write_credentials(struct admin *admin, struct arena *arena,
				      struct json_writer *w, struct str app_id, struct error *err)
{
	struct credential_row *credentials = NULL;
	size_t count = 0;
	const enum err_kind kind = store_credential_list(admin->config.store, arena, app_id,
							 &credentials, &count, err);
	json_begin_array(w);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		admin_write_credential(admin, arena, w, &credentials[i]);
	json_end_array(w);
	return kind;
}

void admin_credential_list(void *context, struct http_request *request,
			   struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	struct buf body;
	struct json_writer w;
	struct error err = {0};
	buf_init(&body, request->arena, 1 << 20);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "data");
	const enum err_kind kind = admin_write_credentials(admin, request->arena, &w, app.id, &err);
	json_end_object(&w);
	if (kind == ERR_NONE)
		buf_add(http_response_json(response, 200), buf_str(&body));
	else
		admin_respond_failure(response, kind, &err, "credential");
}

/* The one that was meant: a candidate, with what it waits beside, or the current one. message: why
 * it is still pending; empty = nothing to add. */
static void respond_credential(struct admin *admin, struct http_request *request,
			       struct http_response *response, struct str app_id,
			       enum platform_id platform, struct str message)
{
	struct store *store = admin->config.store;
	struct credential_row current = {0};
	struct credential_row candidate = {0};
	struct error err = {0};
	struct json_writer w;
	const enum err_kind kind =
		store_credential_find(store, request->arena, app_id, platform, &current, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "credential");
		return;
	}
	const bool is_candidate = store_candidate_find(store, request->arena, app_id, platform,
						       &candidate, &err) == ERR_NONE;
	struct credential_row *meant = is_candidate ? &candidate : &current;
	if (!str_is_empty(message))
		meant->message = message;
	json_writer_init(&w, http_response_json(response, 200));
	if (!is_candidate) {
		admin_write_credential(admin, request->arena, &w, &current);
		return;
	}
	json_begin_object(&w);
	write_fields(admin, request->arena, &w, &candidate);
	write_beside(&w, "current", ERR_NONE, &current);
	json_end_object(&w);
}

/* False: answered, with why. */
static bool verify(struct admin *admin, struct http_request *request,
		   struct http_response *response, struct str app_id, enum platform_id platform,
		   struct verify_outcome *outcome)
{
	struct error err = {0};
	const enum err_kind kind = connector_verify(admin->config.connector, request->arena, app_id,
						    platform, VERIFY_WAIT_MS, outcome, &err);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "credential");
	return kind == ERR_NONE;
}

static const struct json *read_body(struct http_request *request, struct http_response *response)
{
	return admin_request_body(request, response,
				  KNOWN("client_id", "client_secret", "verify", "scopes", "variant",
					"config_id", "force"));
}

/* White space at both ends is removed: a secret pasted with a trailing newline would break Basic
 * authentication later (x.md 1.3). */
static bool read_credential(struct http_request *request, struct http_response *response,
			    struct str *client_id, struct str *secret)
{
	const struct json *body = read_body(request, response);
	if (body == NULL)
		return false;
	*client_id = str_trim(json_string(json_get(body, "client_id")));
	*secret = str_trim(json_string(json_get(body, "client_secret")));
	if (client_id->len >= 1 && client_id->len <= CREDENTIAL_MAX_BYTES && secret->len >= 1 &&
	    secret->len <= CREDENTIAL_MAX_BYTES && !str_has_control(*client_id) &&
	    !str_has_control(*secret))
		return true;
	admin_respond_error(response, 422, "VALIDATION_ERROR",
			    STR("client_id and client_secret must be strings of 1 to 1,024 bytes "
				"without control characters."));
	return false;
}

static bool is_scope_character(char c)
{
	return c > ' ' && c < 0x7f && c != '"' && c != '\\'; /* RFC 6749, 3.3 */
}

/* Separated by spaces or commas; stored with single spaces. False: answered. */
static bool read_scopes(const struct json *value, struct http_request *request,
			struct http_response *response, struct str *scopes_out)
{
	const struct str text = json_string(value);
	struct buf scopes;
	buf_init(&scopes, request->arena, CREDENTIAL_MAX_BYTES);
	bool is_good = json_is(value, JSON_TYPE_STRING) && text.len <= CREDENTIAL_MAX_BYTES;
	bool is_between = false;
	for (size_t i = 0; is_good && i < text.len; i++) {
		const bool is_separator = text.ptr[i] == ' ' || text.ptr[i] == ',';
		is_good = is_separator || is_scope_character(text.ptr[i]);
		if (!is_separator && is_between && scopes.len > 0)
			buf_add_char(&scopes, ' ');
		if (!is_separator)
			buf_add_char(&scopes, text.ptr[i]);
		is_between = is_separator;
	}
	*scopes_out = buf_str(&scopes);
	if (!is_good)
		admin_respond_error(response, 422, "VALIDATION_ERROR",
				    STR("scopes must be a string of scopes separated by spaces or "
					"commas, at most 1,024 bytes."));
	return is_good;
}

/* False: answered. */
static bool read_variant(const struct json *value, struct http_request *request,
			 struct http_response *response, enum platform_id platform,
			 struct str *variant_out)
{
	const struct oauth_profile *oauth = platform_of(platform)->oauth;
	struct buf known;
	*variant_out = json_string(value);
	if (json_is(value, JSON_TYPE_STRING) && oauth->variants != NULL &&
	    oauth_variant_find(oauth, *variant_out) != NULL)
		return true;
	buf_init(&known, request->arena, CREDENTIAL_MAX_BYTES);
	for (const struct oauth_variant *one = oauth->variants; one != NULL && one->name != NULL;
	     one++)
		buf_addf(&known, "%s%s", known.len > 0 ? ", " : "", one->name);
	admin_respond_field_error(response, "variant",
				  oauth->variants == NULL
					  ? str_format(request->arena, "%s has no variants.",
						       platform_id_name(platform))
					  : str_format(request->arena,
						       "variant must be one of " STR_FMT ".",
						       STR_ARG(buf_str(&known))));
	return false;
}

/* Only Facebook Login has configurations. False: answered. */
static bool read_config_id(const struct json *value, struct http_request *request,
			   struct http_response *response, struct credential_row *row)
{
	const struct oauth_profile *oauth = platform_of(row->platform)->oauth;
	const struct oauth_variant *variant = oauth_variant_find(oauth, row->variant);
	const struct str id = str_trim(json_string(value));
	const bool has_none =
		!oauth->takes_config_id || (variant != NULL && variant->authorize_url != NULL);
	if (!json_is(value, JSON_TYPE_STRING) || id.len > CONFIG_ID_MAX_BYTES) {
		admin_respond_field_error(response, "config_id",
					  STR("config_id must be a string of at most 64 bytes."));
		return false;
	}
	if (has_none && !str_is_empty(id)) {
		admin_respond_field_error(
			response, "config_id",
			str_format(request->arena,
				   "%s has no config_id%s: it belongs to Facebook Login for "
				   "Business.",
				   platform_id_name(row->platform),
				   oauth->takes_config_id ? " with this variant" : ""));
		return false;
	}
	row->config_id = id;
	return true;
}

/* Fills the row's scopes, variant and config_id. What the request leaves out stays as it was, since
 * another set of scopes than last time ends the users' tokens (linkedin.md 1.1); but a variant that
 * is given comes with its own scopes, and scopes or a variant without a config_id. */
static bool find_scopes(struct admin *admin, struct http_request *request,
			struct http_response *response, struct credential_row *row)
{
	const struct json *body = read_body(request, response);
	const struct json *scopes = json_get(body, "scopes");
	const struct json *variant = json_get(body, "variant");
	const struct json *config_id = json_get(body, "config_id");
	struct credential_row before = {0};
	struct error err = {0};
	const bool is_changed =
		store_credential_find(admin->config.store, request->arena, row->app_id,
				      row->platform, &before, &err) == ERR_NONE;
	if (is_changed && variant == NULL)
		row->variant = before.variant;
	if (is_changed && variant == NULL && scopes == NULL) {
		row->scopes = before.scopes;
		row->config_id = before.config_id;
	}
	return (json_is_null(variant) ||
		read_variant(variant, request, response, row->platform, &row->variant)) &&
	       (json_is_null(scopes) || read_scopes(scopes, request, response, &row->scopes)) &&
	       (json_is_null(config_id) || read_config_id(config_id, request, response, row));
}

/* A slip must not stop a platform that works: beside a verified credential another one waits until
 * it is proven, unless the caller insists (design.md 5). */
static enum err_kind put(struct admin *admin, struct arena *arena, bool is_forced,
			 const struct credential_row *credential, struct error *err)
{
	struct store *store = admin->config.store;
	struct credential_row current = {0};
	const enum err_kind kind = store_credential_find(store, arena, credential->app_id,
							 credential->platform, &current, err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
		return kind;
	const bool works = kind == ERR_NONE && current.state == CREDENTIAL_VERIFIED;
	return works && !is_forced ? store_candidate_put(store, credential, err)
				   : store_credential_put(store, credential, err);
}

void admin_credential_set(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	enum platform_id platform;
	struct str client_id, secret;
	struct credential_row credential = {.state = CREDENTIAL_PENDING};
	if (!admin_request_app(admin, request, response, &app) ||
	    admin_test_app_is_fixed(response, &app) ||
	    !admin_request_platform(request, response, &platform) ||
	    !read_credential(request, response, &client_id, &secret))
		return;
	credential.app_id = app.id;
	credential.platform = platform;
	if (!find_scopes(admin, request, response, &credential))
		return;
	const struct str row_id = str_format(request->arena, STR_FMT "/%s", STR_ARG(app.id),
					     platform_id_slug(platform));
	const struct seal_place place = {STR("platform_credentials"), STR("client_secret"), row_id};
	credential.client_id = client_id;
	credential.client_secret_sealed = seal_secret(admin->config.seal, request->arena, &place,
						      secret, admin->config.random);
	credential.updated_at_us = clock_now_us(admin->config.clock);
	const struct json *body = read_body(request, response);
	struct verify_outcome outcome = {0};
	struct error err = {0};
	const enum err_kind kind =
		put(admin, request->arena, json_bool(json_get(body, "force"), false), &credential,
		    &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "credential");
		return;
	}
	if (json_bool(json_get(body, "verify"), false) &&
	    !verify(admin, request, response, app.id, platform, &outcome))
		return;
	const bool is_undecided = outcome.state == CREDENTIAL_PENDING;
	respond_credential(admin, request, response, app.id, platform,
			   is_undecided ? outcome.message : STR(""));
}

static void respond_undecided(struct http_request *request, struct http_response *response,
			      enum platform_id platform, struct str why)
{
	admin_respond_error(
		response, 503, "UNAVAILABLE",
		str_format(request->arena,
			   "The credential was not verified, and nothing was changed: " STR_FMT
			   " Try again, or connect an account at %s from the "
			   "dashboard.",
			   STR_ARG(why), platform_id_name(platform)));
}

void admin_credential_verify(void *context, struct http_request *request,
			     struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	enum platform_id platform;
	struct verify_outcome outcome = {0};
	if (!admin_request_app(admin, request, response, &app) ||
	    !admin_request_platform(request, response, &platform) ||
	    !verify(admin, request, response, app.id, platform, &outcome))
		return;
	if (outcome.state == CREDENTIAL_PENDING)
		respond_undecided(request, response, platform, outcome.message);
	else
		respond_credential(admin, request, response, app.id, platform, STR(""));
}
