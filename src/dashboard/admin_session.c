/* SPDX-License-Identifier: Apache-2.0
 * Signing in to the dashboard: the session and its cookie, passwords. Links that let in are
 * admin_links.c; admin_web.c decides what a session may do. */
#include "count_of.h"

#include "admin_private.h"

#include "cookie.h"
#include "url.h"

#include "token.h"

#include "backoff.h"
#include "device_cookie.h"
#include "password_pool.h"

#define SESSION_TOKEN_CHARACTERS 43 /* 256 bits and 2 more */
#define TOUCH_EVERY_US (60 * US_PER_S)
#define USER_AGENT_MAX_BYTES 300
/* rules.md 4.1. Of one browser, or of one address at one account. */
#define ACCOUNT_FREE_FAILURES 5
/* Of one address at all accounts. */
#define ADDRESS_FREE_FAILURES 20
#define GUESS_KEYS_MAX 2

static const char *const cookie_names[] = {"posthorn_session", "__Host-posthorn_session"};

/* ---- the cookie ---- */

/* The browser sends it, so it is right even with a reverse proxy that we know nothing about. Only
 * changing requests have it, and those that begin sessions are changing ones. */
struct str admin_session_page_origin(const struct admin *admin, const struct http_request *request)
{
	const struct str *origin = http_request_header(request, "Origin");
	struct url url;
	if (origin != NULL && url_parse(request->arena, *origin, &url, NULL) == ERR_NONE)
		return url_origin(request->arena, &url);
	return admin_dashboard_url(admin);
}

static bool is_secure_page(const struct admin *admin, const struct http_request *request)
{
	return str_has_prefix(admin_session_page_origin(admin, request), STR("https://"));
}

/* The __Host- cookie of https first: no neighbouring host can set it. */
static bool session_cookie(const struct http_request *request, struct str *token_out,
			   bool *is_secure_out)
{
	const struct str *header = http_request_header(request, "Cookie");
	const struct str sent = header != NULL ? *header : (struct str){0};
	*is_secure_out = cookie_find(sent, str_of(cookie_names[true]), token_out);
	return *is_secure_out || cookie_find(sent, str_of(cookie_names[false]), token_out);
}

static void set_cookie(struct http_response *response, bool is_secure, struct str token)
{
	http_response_header(
		response, "Set-Cookie",
		str_format(response->arena, "%s=" STR_FMT "; Path=/; HttpOnly; SameSite=Lax%s%s",
			   cookie_names[is_secure], STR_ARG(token), is_secure ? "; Secure" : "",
			   str_is_empty(token) ? "; Max-Age=0" : ""));
}

/* ---- the session ---- */

static struct session_limits limits_at(const struct admin *admin, int64_t now_us)
{
	return (struct session_limits){now_us - admin->web.session_lifetime_s * US_PER_S,
				       now_us - admin->web.session_idle_s * US_PER_S};
}

static struct str hash_of(struct arena *arena, struct str token)
{
	const struct digest digest = digest_token(token);
	return digest_hex(arena, &digest);
}

static void touch(struct admin *admin, struct caller *caller, int64_t now_us)
{
	const int64_t idle_us = admin->web.session_idle_s * US_PER_S;
	const int64_t every_us = idle_us / 4 < TOUCH_EVERY_US ? idle_us / 4 : TOUCH_EVERY_US;
	if (now_us - caller->session.last_seen_us < every_us)
		return;
	struct error err = {0};
	if (store_session_touch(admin->config.store, caller->session.token_hash, now_us, &err) ==
	    ERR_NONE)
		caller->session.last_seen_us = now_us;
}

enum err_kind admin_session_find(struct admin *admin, struct http_request *request, bool is_use,
				 struct caller *caller_out, struct error *err)
{
	const int64_t now_us = clock_now_us(admin->config.clock);
	const struct session_limits limits = limits_at(admin, now_us);
	struct caller caller = {0};
	bool is_secure = false;
	if (!session_cookie(request, &caller.token, &is_secure))
		return error_set(err, ERR_NOT_FOUND, "there is no session cookie");
	const enum err_kind kind = store_session_find(admin->config.store, request->arena,
						      hash_of(request->arena, caller.token),
						      &limits, &caller.session, err);
	if (kind != ERR_NONE)
		return kind;
	if (caller.session.is_secure != is_secure)
		return error_set(err, ERR_NOT_FOUND,
				 "the session came in a cookie of another name");
	if (is_use)
		touch(admin, &caller, now_us);
	*caller_out = caller;
	return ERR_NONE;
}

struct str admin_session_csrf_token(struct arena *arena, const struct caller *caller)
{
	const struct digest digest = digest_hmac_sha256(caller->token, STR("csrf"));
	return digest_hex(arena, &digest);
}

static void write_signed_in(struct admin *admin, struct arena *arena, struct json_writer *w,
			    const struct caller *caller)
{
	const struct session_row *session = &caller->session;
	json_key(w, "admin");
	admin_write_admin(w, &session->admin);
	json_member_str(w, "csrf_token", admin_session_csrf_token(arena, caller));
	json_member_instant(w, "expires_at",
			    session->created_at_us + admin->web.session_lifetime_s * US_PER_S);
	json_member_instant(w, "idle_expires_at",
			    session->last_seen_us + admin->web.session_idle_s * US_PER_S);
}

static void write_signed_out(struct json_writer *w)
{
	static const char *const names[] = {"admin", "csrf_token", "expires_at", "idle_expires_at"};
	for (size_t i = 0; i < COUNT_OF(names); i++)
		json_member_null(w, names[i]);
}

/* The sandbox page that shows what was posted. */
static struct str sandbox_page(const struct admin *admin, struct arena *arena)
{
	const struct str url = str_of(admin->web.sandbox_url);
	if (str_is_empty(url) || str_has_suffix(url, STR("/")))
		return url;
	return str_concat(arena, url, STR("/"));
}

/* caller NULL: signed out. */
static void respond_session(struct admin *admin, const struct http_request *request,
			    struct http_response *response, int status, const struct caller *caller,
			    bool needs_setup)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_bool(&w, "signed_in", caller != NULL);
	json_member_bool(&w, "setup_needed", needs_setup);
	if (caller != NULL)
		write_signed_in(admin, response->arena, &w, caller);
	else
		write_signed_out(&w);
	json_member_str_or_null(&w, "proxy_email", admin_proxy_email(admin, request));
	json_member_int(&w, "idle_s", admin->web.session_idle_s);
	json_member_bool(&w, "second_factor_required", admin->web.needs_second_factor);
	json_member_bool(&w, "sandbox", admin->web.sandbox_url != NULL);
	json_member_str(&w, "mode", str_of(admin->config.mode));
	json_member_str_or_null(&w, "sandbox_url", sandbox_page(admin, response->arena));
	/* where the test apps' platforms are seen; null when there are no test apps */
	json_member_str_or_null(&w, "test_url", str_of(admin->web.test_url));
	json_member_str(&w, "public_url", str_of(admin->web.public_url));
	json_member_str(&w, "version", str_of(admin->web.version));
	json_end_object(&w);
}

/* Does not count as use of the session: a page that polls every minute must not keep it alive. */
void admin_session_show(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct caller caller = {0};
	bool has_admin = false;
	struct error err = {0};
	enum err_kind kind = admin_session_find(admin, request, false, &caller, &err);
	const bool is_signed_in = kind == ERR_NONE;
	if (kind == ERR_NOT_FOUND || is_signed_in)
		kind = store_admin_any(admin->config.store, &has_admin, &err);
	if (kind == ERR_NONE)
		respond_session(admin, request, response, 200, is_signed_in ? &caller : NULL,
				!has_admin);
	else
		admin_respond_failure(response, kind, &err, "session");
}

static struct caller new_session(struct admin *admin, struct http_request *request,
				 const struct admin_row *row)
{
	const struct str *agent = http_request_header(request, "User-Agent");
	const int64_t now_us = clock_now_us(admin->config.clock);
	struct caller caller = {.token = token_random(request->arena, admin->config.random, "",
						      SESSION_TOKEN_CHARACTERS)};
	caller.session = (struct session_row){
		.token_hash = hash_of(request->arena, caller.token),
		.is_secure = is_secure_page(admin, request),
		.address = request->remote_address,
		.user_agent = agent != NULL ? str_slice(*agent, 0, USER_AGENT_MAX_BYTES) : STR(""),
		.created_at_us = now_us,
		.last_seen_us = now_us,
		.admin = *row,
	};
	return caller;
}

/* Ends the session that this browser had before: a session is never taken over (fixation). */
void admin_session_begin(struct admin *admin, struct http_request *request,
			 struct http_response *response, int status, const struct admin_row *row)
{
	const struct caller caller = new_session(admin, request, row);
	const struct session_limits limits = limits_at(admin, caller.session.created_at_us);
	struct str old_token = STR("");
	bool is_secure = false;
	struct error err = {0};
	session_cookie(request, &old_token, &is_secure);
	const enum err_kind kind =
		store_session_begin(admin->config.store, &caller.session,
				    hash_of(request->arena, old_token), &limits, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "session");
		return;
	}
	respond_session(admin, request, response, status, &caller, false);
	set_cookie(response, caller.session.is_secure, caller.token);
	device_cookie_set(admin->config.seal, admin->config.random, response, row->email,
			  caller.session.is_secure);
	LOG(admin->config.log, INFO, "signed_in", log_str("admin", row->id),
	    log_str("address", request->remote_address));
}

/* ---- signing in ---- */

/* One attempt at a password, and what it is counted under. Nothing that a stranger does is counted
 * under a key of somebody else's: neither an account alone nor a browser that has signed in. */
struct guess {
	struct admin *admin;
	struct http_response *response;
	struct str address;
	enum password_lane lane;
	struct backoff_key keys[GUESS_KEYS_MAX];
	size_t key_count;
};

/* email: in lower case. */
static struct guess guess_of(struct admin *admin, const struct http_request *request,
			     struct http_response *response, struct str email)
{
	struct guess g = {.admin = admin, .response = response, .address = request->remote_address};
	struct str device;
	if (device_cookie_read(admin->config.seal, request, email, &device)) {
		g.lane = PASSWORD_OF_KNOWN;
		g.keys[g.key_count++] =
			(struct backoff_key){"device", device, ACCOUNT_FREE_FAILURES};
		return g;
	}
	const struct str network = http_request_network(request);
	const struct str both =
		str_format(request->arena, STR_FMT " " STR_FMT, STR_ARG(network), STR_ARG(email));
	g.keys[g.key_count++] =
		(struct backoff_key){"account at address", both, ACCOUNT_FREE_FAILURES};
	g.keys[g.key_count++] = (struct backoff_key){"address", network, ADDRESS_FREE_FAILURES};
	return g;
}

/* The same for one's own password while signed in. */
static struct guess guess_of_caller(struct admin *admin, const struct http_request *request,
				    struct http_response *response, const struct caller *caller)
{
	return (struct guess){
		.admin = admin,
		.response = response,
		.address = request->remote_address,
		.lane = PASSWORD_OF_KNOWN,
		.keys = {{"session", caller->session.token_hash, ACCOUNT_FREE_FAILURES}},
		.key_count = 1};
}

/* Counts the attempt. False: answered, too many failures. */
static bool may_guess(const struct guess *g)
{
	const int64_t wait_us = backoff_try(g->admin->backoff, g->keys, g->key_count);
	if (wait_us == 0)
		return true;
	admin_respond_wait(g->response, 429, "RATE_LIMITED",
			   STR("Too many wrong passwords. Wait a moment before the next try."),
			   wait_us);
	return false;
}

/* row is the admin; without a password when there is no such admin. False: answered. */
static bool password_is_right(const struct guess *g, const struct admin_row *row,
			      struct str password, int wrong_status, const char *wrong_code)
{
	switch (password_pool_check(g->admin->passwords, g->lane, row->password_hash, password)) {
	case PASSWORD_RIGHT:
		backoff_undo(g->admin->backoff, g->keys, g->key_count);
		backoff_forget(g->admin->backoff, &g->keys[0]);
		return true;
	case PASSWORD_BUSY:
		backoff_undo(g->admin->backoff, g->keys, g->key_count);
		admin_respond_wait(g->response, 503, "UNAVAILABLE",
				   STR("Too many sign-ins at once. Try again in a moment."),
				   US_PER_S);
		return false;
	case PASSWORD_WRONG:
		break;
	}
	LOG(g->admin->config.log, WARN, "wrong_password", log_str("address", g->address),
	    log_str("admin", row->id));
	admin_respond_error(g->response, wrong_status, wrong_code,
			    wrong_status == 401 ? STR("The email address or the password is wrong.")
						: STR("The password is wrong."));
	return false;
}

void admin_login(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body =
		admin_request_body(request, response, KNOWN("email", "password", "code"));
	struct str email, password;
	struct admin_row row = {0};
	struct error err = {0};
	if (body == NULL || !admin_request_text(response, body, "email", 1024, &email))
		return;
	email = str_lower(request->arena, str_trim(email));
	password = json_string(json_get(body, "password"));
	const struct guess guess = guess_of(admin, request, response, email);
	if (!may_guess(&guess))
		return;
	const enum err_kind kind =
		store_admin_find(admin->config.store, request->arena, email, &row, &err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
		admin_respond_failure(response, kind, &err, "admin");
	else if (password_is_right(&guess, &row, password, 401, "LOGIN_FAILED") &&
		 admin_second_factor_passes(admin, request, response, &row, body, 401))
		admin_session_begin(admin, request, response, 200, &row);
}

bool admin_session_proves_password(struct admin *admin, struct http_request *request,
				   struct http_response *response, const struct json *body)
{
	const struct caller *caller = admin_request_caller(request);
	const struct guess guess = guess_of_caller(admin, request, response, caller);
	return may_guess(&guess) &&
	       password_is_right(&guess, &caller->session.admin,
				 json_string(json_get(body, "current_password")), 403,
				 "WRONG_PASSWORD");
}

void admin_logout(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct caller *caller = admin_request_caller(request);
	struct error err = {0};
	const enum err_kind kind =
		store_session_end(admin->config.store, caller->session.token_hash, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "session");
		return;
	}
	response->status = 204;
	set_cookie(response, caller->session.is_secure, STR(""));
}

void admin_password_change(void *context, struct http_request *request,
			   struct http_response *response)
{
	struct admin *admin = context;
	const struct caller *caller = admin_request_caller(request);
	const struct admin_row *row = &caller->session.admin;
	const struct json *body =
		admin_request_body(request, response, KNOWN("current_password", "new_password"));
	struct str wanted, hash;
	struct error err = {0};
	if (body == NULL ||
	    !admin_password_read(response, body, "new_password", row->email, &wanted))
		return;
	if (!admin_session_proves_password(admin, request, response, body) ||
	    !admin_password_hash(admin, response, wanted, &hash))
		return;
	const struct caller renewed = new_session(admin, request, row);
	const enum err_kind kind =
		store_session_renew(admin->config.store, &renewed.session, hash, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	respond_session(admin, request, response, 200, &renewed, false);
	set_cookie(response, renewed.session.is_secure, renewed.token);
}

/* ---- one's own sessions ---- */

static void write_session(struct json_writer *w, const struct session_row *row,
			  const struct caller *caller)
{
	json_begin_object(w);
	json_member_str(w, "id", str_slice(row->token_hash, 0, SESSION_ID_CHARACTERS));
	json_member_bool(w, "current", str_equal(row->token_hash, caller->session.token_hash));
	json_member_instant(w, "created_at", row->created_at_us);
	json_member_instant(w, "last_seen_at", row->last_seen_us);
	json_member_str_or_null(w, "address", row->address);
	json_member_str_or_null(w, "user_agent", row->user_agent);
	json_end_object(w);
}

void admin_session_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct caller *caller = admin_request_caller(request);
	const struct session_limits limits = limits_at(admin, clock_now_us(admin->config.clock));
	struct session_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	const enum err_kind kind =
		store_session_list(admin->config.store, request->arena, caller->session.admin.id,
				   &limits, &rows, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "session");
		return;
	}
	struct json_writer w;
	admin_respond_list_begin(response, &w);
	for (size_t i = 0; i < count; i++)
		write_session(&w, &rows[i], caller);
	admin_respond_list_end(&w);
}

void admin_session_remove(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct admin *admin = context;
	const struct caller *caller = admin_request_caller(request);
	const struct str id = http_request_capture(request, "session_id");
	const struct str own = str_slice(caller->session.token_hash, 0, SESSION_ID_CHARACTERS);
	struct error err = {0};
	const enum err_kind kind =
		store_session_end_of(admin->config.store, caller->session.admin.id, id, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "session");
		return;
	}
	response->status = 204;
	if (str_equal(id, own))
		set_cookie(response, caller->session.is_secure, STR(""));
}
