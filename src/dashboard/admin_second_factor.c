/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the second factor of an admin. An authenticator app's code (totp.h), or a recovery
 * code for who has lost the app; each is good once (store_second_factor.h). The secret that the app
 * is given is offered sealed and comes back with the first code, so that nothing is kept of offers
 * that led nowhere. */
#include "count_of.h"

#include "admin_private.h"

#include "base64.h"
#include "form.h"

#include "seal.h"
#include "token.h"
#include "totp.h"

#include "store_second_factor.h"

#include "backoff.h"
#include "device_cookie.h"

#define FREE_FAILURES 5
#define OFFER_MAX_BYTES 256
#define RECOVERY_CODE_CHARACTERS 16 /* 80 bits */
#define RECOVERY_GROUP 4

/* ---- codes ---- */

static struct seal_place place_of(struct str admin_id)
{
	return (struct seal_place){STR("second_factors"), STR("secret"), admin_id};
}

static struct str hash_of(struct arena *arena, struct str code)
{
	const struct digest digest = digest_token(code);
	return digest_hex(arena, &digest);
}

/* People type blanks, hyphens and capitals as they like. */
static struct str plain_code(struct arena *arena, struct str typed)
{
	struct buf out;
	const struct str lower = str_lower(arena, typed);
	buf_init(&out, arena, ADMIN_PASSWORD_MAX_BYTES);
	for (size_t i = 0; i < lower.len && i < ADMIN_PASSWORD_MAX_BYTES; i++) {
		if (lower.ptr[i] != ' ' && lower.ptr[i] != '-')
			buf_add(&out, str_slice(lower, i, i + 1));
	}
	return buf_str(&out);
}

/* NONE: the code was good, and is used up. FORBIDDEN: it was not. */
static enum err_kind use_code(struct admin *admin, struct arena *arena, struct str admin_id,
			      struct str code, struct error *err)
{
	struct store *store = admin->config.store;
	const struct seal_place place = place_of(admin_id);
	struct second_factor factor = {0};
	struct str secret;
	int64_t step = 0;
	enum err_kind kind = store_second_factor_find(store, arena, admin_id, &factor, err);
	if (kind == ERR_NONE && code.len != TOTP_DIGITS)
		return store_second_factor_use_code(store, admin_id, hash_of(arena, code), err);
	if (kind == ERR_NONE)
		kind = seal_open_secret(admin->config.seal, arena, &place, factor.secret_sealed,
					&secret, err);
	if (kind != ERR_NONE)
		return error_set(err, ERR_INTERNAL, "the second factor cannot be read");
	if (!totp_check(secret, code, clock_now_us(admin->config.clock), factor.last_step, &step))
		return error_set(err, ERR_FORBIDDEN, "not a code of now");
	return store_second_factor_use_step(store, admin_id, step, err);
}

/* Counted for a browser that has signed in before, else for the admin as a whole: who gets here
 * knows the password, and could guess from as many addresses as they like. */
static struct backoff_key key_of(struct admin *admin, const struct http_request *request,
				 const struct admin_row *row)
{
	struct str device;
	if (device_cookie_read(admin->config.seal, request, row->email, &device))
		return (struct backoff_key){"code of device", device, FREE_FAILURES};
	return (struct backoff_key){"code of admin", row->id, FREE_FAILURES};
}

static bool refuse(struct http_response *response, int status, const char *code, struct str message)
{
	admin_respond_error(response, status, code, message);
	return false;
}

bool admin_second_factor_passes(struct admin *admin, struct http_request *request,
				struct http_response *response, const struct admin_row *row,
				const struct json *body, int refused_status)
{
	const struct str code = plain_code(request->arena, json_string(json_get(body, "code")));
	const struct backoff_key key = key_of(admin, request, row);
	struct error err = {0};
	if (!row->has_second_factor)
		return true;
	if (str_is_empty(code))
		return refuse(response, refused_status, "SECOND_FACTOR_NEEDED",
			      STR("Enter the code that your authenticator app shows, or a "
				  "recovery code."));
	const int64_t wait_us = backoff_try(admin->backoff, &key, 1);
	if (wait_us > 0) {
		admin_respond_wait(response, 429, "RATE_LIMITED",
				   STR("Too many wrong codes. Wait a moment before the next try."),
				   wait_us);
		return false;
	}
	const enum err_kind kind = use_code(admin, request->arena, row->id, code, &err);
	if (kind != ERR_FORBIDDEN)
		backoff_undo(admin->backoff, &key, 1);
	if (kind == ERR_NONE) {
		backoff_forget(admin->backoff, &key);
		return true;
	}
	if (kind != ERR_FORBIDDEN) {
		admin_respond_failure(response, kind, &err, "second factor");
		return false;
	}
	LOG(admin->config.log, WARN, "wrong_second_factor",
	    log_str("address", request->remote_address), log_str("admin", row->id));
	return refuse(response, refused_status, "SECOND_FACTOR_WRONG",
		      STR("The code is wrong, or was used already. Wait for the next one."));
}

/* ---- one's own ---- */

static void respond_state(struct admin *admin, struct http_request *request,
			  struct http_response *response, const struct admin_row *row)
{
	struct second_factor factor = {0};
	struct error err = {0};
	const enum err_kind kind = store_second_factor_find(admin->config.store, request->arena,
							    row->id, &factor, &err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND) {
		admin_respond_failure(response, kind, &err, "second factor");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_bool(&w, "on", kind == ERR_NONE);
	json_member_int(&w, "recovery_codes_left", factor.codes_left);
	json_end_object(&w);
}

void admin_second_factor_show(void *context, struct http_request *request,
			      struct http_response *response)
{
	respond_state(context, request, response, &admin_request_caller(request)->session.admin);
}

/* What an app reads, typed or from a link (the key URI format of authenticator apps). */
static struct str app_uri(struct arena *arena, struct str email, struct str secret_text)
{
	struct buf label;
	buf_init(&label, arena, 4 * ADMIN_EMAIL_MAX_BYTES);
	percent_encode(&label, email);
	return str_format(arena,
			  "otpauth://totp/Posthorn:" STR_FMT "?secret=" STR_FMT "&issuer=Posthorn",
			  STR_ARG(buf_str(&label)), STR_ARG(secret_text));
}

void admin_second_factor_offer(void *context, struct http_request *request,
			       struct http_response *response)
{
	struct admin *admin = context;
	struct arena *arena = request->arena;
	const struct admin_row *row = &admin_request_caller(request)->session.admin;
	const struct seal_place place = place_of(row->id);
	char *bytes = arena_alloc(arena, TOTP_SECRET_BYTES);
	random_fill(admin->config.random, bytes, TOTP_SECRET_BYTES);
	const struct str secret = {bytes, TOTP_SECRET_BYTES};
	const struct str text = totp_secret_text(arena, secret);
	const struct str offer =
		seal_secret(admin->config.seal, arena, &place, secret, admin->config.random);
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "offer", base64url_encode(arena, offer));
	json_member_str(&w, "secret", text);
	json_member_str(&w, "uri", app_uri(arena, row->email, text));
	json_end_object(&w);
}

/* "abcd-efgh-ijkl-mnop", ten of them. */
static void make_codes(const struct admin *admin, struct arena *arena,
		       struct str codes[RECOVERY_CODES], struct str hashes[RECOVERY_CODES])
{
	for (size_t i = 0; i < RECOVERY_CODES; i++) {
		char bytes[RECOVERY_CODE_CHARACTERS * 5 / 8];
		random_fill(admin->config.random, bytes, sizeof(bytes));
		const struct str text = str_lower(
			arena, totp_secret_text(arena, (struct str){bytes, sizeof(bytes)}));
		hashes[i] = hash_of(arena, text);
		codes[i] = str_slice(text, 0, RECOVERY_GROUP);
		for (size_t at = RECOVERY_GROUP; at < text.len; at += RECOVERY_GROUP)
			codes[i] = str_format(arena, STR_FMT "-" STR_FMT, STR_ARG(codes[i]),
					      STR_ARG(str_slice(text, at, at + RECOVERY_GROUP)));
	}
}

static void respond_codes(struct http_response *response, const struct str codes[RECOVERY_CODES])
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "recovery_codes");
	json_begin_array(&w);
	for (size_t i = 0; i < RECOVERY_CODES; i++)
		json_put_str(&w, codes[i]);
	json_end_array(&w);
	json_end_object(&w);
}

/* The secret of an offer that this admin was made. False: answered. */
static bool read_offer(const struct admin *admin, struct http_response *response,
		       const struct json *body, const struct admin_row *row, struct str *sealed,
		       struct str *secret)
{
	const struct seal_place place = place_of(row->id);
	const struct str text = json_string(json_get(body, "offer"));
	if (!str_is_empty(text) && text.len <= OFFER_MAX_BYTES &&
	    base64url_decode(response->arena, text, sealed) &&
	    seal_open_secret(admin->config.seal, response->arena, &place, *sealed, secret, NULL) ==
		    ERR_NONE)
		return true;
	admin_respond_field_error(response, "offer",
				  STR("This is not an offer that was made to you. Begin again."));
	return false;
}

void admin_second_factor_turn_on(void *context, struct http_request *request,
				 struct http_response *response)
{
	struct admin *admin = context;
	const struct caller *caller = admin_request_caller(request);
	const struct admin_row *row = &caller->session.admin;
	const struct json *body =
		admin_request_body(request, response, KNOWN("offer", "code", "current_password"));
	struct second_factor_start start = {.admin_id = row->id,
					    .session_hash = caller->session.token_hash};
	struct str codes[RECOVERY_CODES];
	struct str secret;
	struct error err = {0};
	if (body == NULL || !read_offer(admin, response, body, row, &start.secret_sealed, &secret))
		return;
	if (!totp_check(secret, plain_code(request->arena, json_string(json_get(body, "code"))),
			clock_now_us(admin->config.clock), 0, &start.last_step)) {
		admin_respond_field_error(response, "code",
					  STR("This is not the code that the app shows now. Is "
					      "the clock of the device right?"));
		return;
	}
	if (!admin_session_proves_password(admin, request, response, body))
		return;
	make_codes(admin, request->arena, codes, start.code_hashes);
	const enum err_kind kind = store_second_factor_turn_on(admin->config.store, &start, &err);
	if (kind == ERR_NONE)
		respond_codes(response, codes);
	else if (kind == ERR_CONFLICT)
		admin_respond_error(response, 409, "CONFLICT",
				    STR("The second factor is on already."));
	else
		admin_respond_failure(response, kind, &err, "second factor");
}

/* Password and code. False: answered. */
static bool is_proven(struct admin *admin, struct http_request *request,
		      struct http_response *response)
{
	const struct admin_row *row = &admin_request_caller(request)->session.admin;
	const struct json *body =
		admin_request_body(request, response, KNOWN("code", "current_password"));
	if (body == NULL)
		return false;
	if (!row->has_second_factor) {
		admin_respond_error(response, 409, "CONFLICT", STR("The second factor is off."));
		return false;
	}
	return admin_session_proves_password(admin, request, response, body) &&
	       admin_second_factor_passes(admin, request, response, row, body, 403);
}

void admin_second_factor_renew(void *context, struct http_request *request,
			       struct http_response *response)
{
	struct admin *admin = context;
	struct str codes[RECOVERY_CODES], hashes[RECOVERY_CODES];
	struct error err = {0};
	if (!is_proven(admin, request, response))
		return;
	make_codes(admin, request->arena, codes, hashes);
	const enum err_kind kind = store_second_factor_set_codes(
		admin->config.store, admin_request_caller(request)->session.admin.id, hashes, &err);
	if (kind == ERR_NONE)
		respond_codes(response, codes);
	else
		admin_respond_failure(response, kind, &err, "second factor");
}

void admin_second_factor_turn_off(void *context, struct http_request *request,
				  struct http_response *response)
{
	struct admin *admin = context;
	struct error err = {0};
	if (admin->web.needs_second_factor) {
		admin_respond_error(response, 409, "CONFLICT",
				    STR("This installation asks every admin for a second factor. "
					"Who has lost theirs asks a root admin to reset it."));
		return;
	}
	if (!is_proven(admin, request, response))
		return;
	const enum err_kind kind = store_second_factor_turn_off(
		admin->config.store, admin_request_caller(request)->session.admin.id, &err);
	if (kind == ERR_NONE)
		response->status = 204;
	else
		admin_respond_failure(response, kind, &err, "second factor");
}

/* ---- somebody else's ---- */

/* One's own is turned off with a code: a session alone must not be enough. */
void admin_second_factor_reset(void *context, struct http_request *request,
			       struct http_response *response)
{
	struct admin *admin = context;
	const struct caller *caller = admin_request_caller(request);
	const struct str email = str_lower(request->arena, http_request_capture(request, "email"));
	struct admin_row row = {0};
	struct error err = {0};
	if (caller != NULL && str_equal(caller->session.admin.email, email)) {
		admin_respond_error(response, 409, "CONFLICT",
				    STR("This is you: turn it off under Your account."));
		return;
	}
	enum err_kind kind =
		store_admin_find(admin->config.store, request->arena, email, &row, &err);
	if (kind == ERR_NONE)
		kind = store_second_factor_turn_off(admin->config.store, row.id, &err);
	if (kind == ERR_NONE)
		kind = store_admin_find(admin->config.store, request->arena, email, &row, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "second factor of this admin");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	admin_write_admin(&w, &row);
}
