/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the guide to each platform's credentials, and connections that the owner of an app
 * begins from the dashboard: to test a credential, and to reconnect an account. */
#include "admin_private.h"

#include "url.h"

#include "token.h"

#include "platform.h"

#include "store_connection.h"

#include "connect.h"

#include "platform_guide.h"

#define TEST_USER "dashboard-test"
#define SCOPES_MAX_BYTES 2048

/* ---- the guide ---- */

static struct str scopes_text(struct arena *arena, const char *const *scopes)
{
	struct buf out;
	buf_init(&out, arena, SCOPES_MAX_BYTES);
	for (; *scopes != NULL; scopes++) {
		if (out.len > 0)
			buf_add_char(&out, ' ');
		buf_add_z(&out, *scopes);
	}
	return buf_str(&out);
}

/* The scopes that are requested when the credential names none. */
static struct str default_scopes(struct arena *arena, enum platform_id id,
				 const struct credential_row *credential)
{
	const struct oauth_profile *oauth = platform_of(id)->oauth;
	const struct oauth_variant *variant = oauth_variant_find(
		oauth, credential != NULL ? credential->variant : (struct str){0});
	return scopes_text(arena, variant != NULL ? variant->scopes : oauth->scopes);
}

static void write_variants(struct json_writer *w, struct arena *arena, enum platform_id id)
{
	const struct oauth_variant *variant = platform_of(id)->oauth->variants;
	json_key(w, "variants");
	json_begin_array(w);
	for (; variant != NULL && variant->name != NULL; variant++) {
		json_begin_object(w);
		json_member_str(w, "name", str_of(variant->name));
		json_member_str(w, "summary", str_of(variant->summary));
		json_member_str(w, "scopes", scopes_text(arena, variant->scopes));
		json_end_object(w);
	}
	json_end_array(w);
}

static bool is_local(struct arena *arena, struct str text)
{
	struct url url;
	if (url_parse(arena, text, &url, NULL) != ERR_NONE)
		return false;
	return str_equal(url.host, STR("localhost")) || str_has_prefix(url.host, STR("127.")) ||
	       str_equal(url.host, STR("::1"));
}

static void write_steps(struct json_writer *w, const struct platform_guide *guide)
{
	json_key(w, "steps");
	json_begin_array(w);
	for (const char *const *step = guide->steps; *step != NULL; step++)
		json_put_str(w, str_of(*step));
	json_end_array(w);
}

static void write_warning(struct json_writer *w, struct arena *arena,
			  const struct platform_guide *guide, struct str redirect_uri)
{
	const bool is_refused = guide->wants_https &&
				str_has_prefix(redirect_uri, STR("http://")) &&
				!is_local(arena, redirect_uri);
	json_member_str_or_null(w, "warning",
				is_refused
					? STR("This platform only accepts https redirect URIs. Set "
					      "public-url to the https address of this service.")
					: STR(""));
}

/* What Meta asks for before an app goes live (api-decisions.md 17); null for other platforms. */
static void write_meta_callbacks(struct json_writer *w, struct arena *arena, enum platform_id id,
				 struct str redirect_uri)
{
	const bool is_meta = id == PLATFORM_FACEBOOK || id == PLATFORM_INSTAGRAM;
	const struct str base = str_slice(redirect_uri, 0, redirect_uri.len - strlen("callback"));
	json_member_str_or_null(w, "deauthorize_url",
				is_meta ? str_format(arena, STR_FMT "deauthorize", STR_ARG(base))
					: STR(""));
	json_member_str_or_null(w, "data_deletion_url",
				is_meta ? str_format(arena, STR_FMT "data-deletion", STR_ARG(base))
					: STR(""));
}

/* credential NULL: none is set. */
static void write_guide(struct admin *admin, struct arena *arena, struct json_writer *w,
			enum platform_id id, const struct credential_row *credential)
{
	const struct platform_guide *guide = platform_guide_of(id);
	const struct str redirect_uri = connector_callback_url(admin->config.connector, arena, id);
	const struct str fallback = default_scopes(arena, id, credential);
	const bool has_own = credential != NULL && !str_is_empty(credential->scopes);
	json_begin_object(w);
	json_member_str(w, "platform", str_of(platform_id_slug(id)));
	json_member_str(w, "name", str_of(platform_id_name(id)));
	json_member_str(w, "client_id_label", str_of(guide->client_id_label));
	json_member_str(w, "client_secret_label", str_of(guide->client_secret_label));
	json_member_str(w, "where", str_of(guide->where));
	json_member_str(w, "console_url", str_of(guide->console_url));
	write_steps(w, guide);
	json_member_str(w, "redirect_uri", redirect_uri);
	write_meta_callbacks(w, arena, id, redirect_uri);
	write_warning(w, arena, guide, redirect_uri);
	json_member_str(w, "scopes", has_own ? credential->scopes : fallback);
	json_member_str(w, "default_scopes", fallback);
	write_variants(w, arena, id);
	json_member_bool(w, "takes_config_id", platform_of(id)->oauth->takes_config_id);
	json_member_str(w, "review", str_of(guide->review));
	json_key(w, "credential");
	if (credential != NULL)
		admin_write_credential(admin, arena, w, credential);
	else
		json_put_null(w);
	json_end_object(w);
}

static const struct credential_row *credential_for(const struct credential_row *rows, size_t count,
						   enum platform_id id)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].platform == id)
			return &rows[i];
	}
	return NULL;
}

void admin_platform_list(void *context, struct http_request *request,
			 struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	struct credential_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	const enum err_kind kind = store_credential_list(admin->config.store, request->arena,
							 app.id, &rows, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "credential");
		return;
	}
	struct json_writer w;
	admin_respond_list_begin(response, &w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++)
		write_guide(admin, request->arena, &w, (enum platform_id)id,
			    credential_for(rows, count, (enum platform_id)id));
	admin_respond_list_end(&w);
}

/* ---- beginning a connection ---- */

static void respond_begun(struct http_response *response, const struct connect_begun *begun)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "redirect_url", begun->authorize_url);
	json_member_str(&w, "connection_id", begun->connection_id);
	json_end_object(&w);
}

/* The browser returns to the origin it came from, which has its session. The app's list of redirect
 * URLs does not apply. */
static void begin(struct admin *admin, struct http_request *request, struct http_response *response,
		  const struct app_row *app, enum platform_id platform, struct str user_id)
{
	const struct str origin = admin_session_page_origin(admin, request);
	const struct connect_request connect = {
		.app = app,
		.platform = platform,
		.user_id = user_id,
		.redirect_url =
			str_format(request->arena, STR_FMT "/dashboard/apps/" STR_FMT "/connected",
				   STR_ARG(origin), STR_ARG(app->client_id)),
		.allows_pending = true,
		.tries_candidate = str_equal_z(user_id, TEST_USER),
	};
	struct connect_begun begun = {0};
	struct error err = {0};
	const enum err_kind kind =
		connector_begin(admin->config.connector, request->arena, &connect, &begun, &err);
	if (kind == ERR_NONE)
		respond_begun(response, &begun);
	else if (kind == ERR_NOT_FOUND || kind == ERR_FORBIDDEN)
		admin_respond_error(response, 400, "CREDENTIALS_NOT_FOUND", str_of(err.text));
	else if (kind == ERR_TOO_LARGE)
		admin_respond_error(response, 429, "QUOTA_EXCEEDED", str_of(err.text));
	else
		admin_respond_failure(response, kind, &err, "connection");
}

void admin_credential_connect(void *context, struct http_request *request,
			      struct http_response *response)
{
	struct app_row app = {0};
	enum platform_id platform;
	if (admin_request_app(context, request, response, &app) &&
	    admin_request_platform(request, response, &platform))
		begin(context, request, response, &app, platform, STR(TEST_USER));
}

void admin_account_reconnect(void *context, struct http_request *request,
			     struct http_response *response)
{
	struct admin *admin = context;
	const struct str id = http_request_capture(request, "account_id");
	struct app_row app = {0};
	struct account_row account = {0};
	bool is_found = false;
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	enum err_kind kind = store_account_get_many(admin->config.store, request->arena, app.id,
						    &id, 1, &account, &is_found, &err);
	if (kind == ERR_NONE && !is_found)
		kind = ERR_NOT_FOUND;
	if (kind == ERR_NONE)
		begin(admin, request, response, &app, account.platform, account.user_id);
	else
		admin_respond_failure(response, kind, &err, "account");
}

/* ---- what came of it ---- */

struct outcome {
	struct connection_row connection;
	struct account_row *accounts;
	size_t account_count;
	enum credential_state credential_state;
};

/* Nothing to do when the candidate is gone or another: it has taken the current one's place, or was
 * entered again. */
static enum err_kind promote_by_connection(struct admin *admin, struct arena *arena,
					   const struct app_row *app, struct outcome *outcome,
					   struct error *err)
{
	struct credential_row candidate = {0};
	enum err_kind kind = store_candidate_find(admin->config.store, arena, app->id,
						  outcome->connection.platform, &candidate, err);
	if (kind == ERR_NONE && candidate.updated_at_us <= outcome->connection.created_at_us)
		kind = store_candidate_promote(admin->config.store, &candidate,
					       clock_now_us(admin->config.clock), err);
	if (kind == ERR_NONE)
		outcome->credential_state = CREDENTIAL_VERIFIED;
	return kind == ERR_NOT_FOUND || kind == ERR_CONFLICT ? ERR_NONE : kind;
}

/* Some platforms only verify a credential with a user (api-decisions.md 3). The owner's own
 * connection does that, but only for the credential that it began with. */
static enum err_kind verify_by_connection(struct admin *admin, struct arena *arena,
					  const struct app_row *app,
					  const struct credential_row *credential,
					  struct outcome *outcome, struct error *err)
{
	struct store *store = admin->config.store;
	if (outcome->connection.uses_candidate)
		return promote_by_connection(admin, arena, app, outcome, err);
	if (credential->state != CREDENTIAL_PENDING ||
	    credential->updated_at_us > outcome->connection.created_at_us)
		return ERR_NONE;
	enum err_kind kind = store_credential_set_state(
		store, app->id, credential->platform, credential->client_id, CREDENTIAL_VERIFIED,
		STR(""), clock_now_us(admin->config.clock), err);
	if (kind == ERR_NONE && app->state == APP_DRAFT)
		kind = store_app_set_state(store, app->id, APP_ACTIVE, err);
	if (kind == ERR_NONE)
		outcome->credential_state = CREDENTIAL_VERIFIED;
	return kind;
}

/* The browser that began the connection here also came back here, which is what an app with
 * connect_confirmation has its own server confirm. */
static enum err_kind confirm(struct admin *admin, const struct app_row *app,
			     const struct connection_row *connection, struct error *err)
{
	return app->connect_confirmation
		       ? store_connection_trust(admin->config.store, connection->id, err)
		       : ERR_NONE;
}

static enum err_kind find_outcome(struct admin *admin, struct http_request *request,
				  const struct app_row *app, struct outcome *outcome,
				  struct error *err)
{
	struct store *store = admin->config.store;
	struct arena *arena = request->arena;
	struct credential_row credential = {0};
	const struct str id = http_request_capture(request, "connection_id");
	enum err_kind kind =
		store_connection_find(store, arena, app->id, id, clock_now_us(admin->config.clock),
				      &outcome->connection, err);
	if (kind == ERR_NONE && outcome->connection.state == CONNECTION_SUCCESS)
		kind = store_account_list_of_connection(store, arena, id, &outcome->accounts,
							&outcome->account_count, err);
	if (kind == ERR_NONE)
		kind = store_credential_find(store, arena, app->id, outcome->connection.platform,
					     &credential, err);
	if (kind != ERR_NONE)
		return kind;
	outcome->credential_state = credential.state;
	if (outcome->connection.state != CONNECTION_SUCCESS ||
	    !str_equal_z(outcome->connection.user_id, TEST_USER))
		return ERR_NONE;
	kind = verify_by_connection(admin, arena, app, &credential, outcome, err);
	return kind == ERR_NONE ? confirm(admin, app, &outcome->connection, err) : kind;
}

static void write_account(struct json_writer *w, const struct account_row *account)
{
	json_begin_object(w);
	json_member_str(w, "id", account->id);
	json_member_str(w, "platform", str_of(platform_id_slug(account->platform)));
	json_member_str(w, "username", account->username);
	json_member_str(w, "name", account->name);
	json_end_object(w);
}

static void respond_outcome(struct http_response *response, const struct outcome *outcome)
{
	const struct connection_row *connection = &outcome->connection;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "connection_id", connection->id);
	json_member_str(&w, "platform", str_of(platform_id_slug(connection->platform)));
	json_member_str(&w, "status", str_of(connection_state_name(connection->state)));
	json_member_str(&w, "user_id", connection->user_id);
	json_member_str_or_null(&w, "error", connection->error);
	json_member_str_or_null(&w, "error_description", connection->error_description);
	json_key(&w, "accounts");
	json_begin_array(&w);
	for (size_t i = 0; i < outcome->account_count; i++)
		write_account(&w, &outcome->accounts[i]);
	json_end_array(&w);
	json_member_str(&w, "credential_state",
			str_of(credential_state_name(outcome->credential_state)));
	json_end_object(&w);
}

void admin_connection_outcome(void *context, struct http_request *request,
			      struct http_response *response)
{
	struct app_row app = {0};
	struct outcome outcome = {0};
	struct error err = {0};
	if (!admin_request_app(context, request, response, &app))
		return;
	const enum err_kind kind = find_outcome(context, request, &app, &outcome, &err);
	if (kind == ERR_NONE)
		respond_outcome(response, &outcome);
	else
		admin_respond_failure(response, kind, &err, "connection");
}
