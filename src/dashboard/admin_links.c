/* SPDX-License-Identifier: Apache-2.0
 * Admin API: links that let somebody in once (store_admin_link.h). The token stands after '#', so
 * that it reaches no log and no server that fetches the page ahead: the page uses it up by a POST.
 * A set-up link makes the first admin, an invitation or a password link lets an admin choose a
 * password, and a sign-in link begins a session, in sandbox mode only. */
#include "count_of.h"

#include "admin_private.h"

#include "form.h"

#include "token.h"

#include "store_admin_link.h"

#define LINK_TOKEN_CHARACTERS 43 /* 256 bits and 2 more */
#define LINK_LIFETIME_US (10 * 60 * US_PER_S)
#define INVITATION_LIFETIME_US (3 * 24 * 3600 * US_PER_S)

/* ---- making them ---- */

static struct str hash_of(struct arena *arena, struct str token)
{
	const struct digest digest = digest_token(token);
	return digest_hex(arena, &digest);
}

static struct admin_link new_link(const struct admin *admin, struct arena *arena,
				  enum admin_link_kind kind, int64_t lifetime_us, struct str *token)
{
	*token = token_random(arena, admin->config.random, "", LINK_TOKEN_CHARACTERS);
	return (struct admin_link){.token_hash = hash_of(arena, *token),
				   .kind = kind,
				   .expires_at_us =
					   clock_now_us(admin->config.clock) + lifetime_us};
}

/* email: whose it is, for the page to show; empty = none. */
static struct str url_of(const struct admin *admin, struct arena *arena, enum admin_link_kind kind,
			 struct str token, struct str email)
{
	static const char *const pages[] = {[ADMIN_LINK_SETUP] = "setup",
					    [ADMIN_LINK_PASSWORD] = "invitation",
					    [ADMIN_LINK_SIGN_IN] = "sign-in"};
	struct buf shown;
	buf_init(&shown, arena, 4 * ADMIN_EMAIL_MAX_BYTES);
	if (!str_is_empty(email))
		buf_add(&shown, STR("/"));
	percent_encode(&shown, email);
	return str_format(arena, STR_FMT "/dashboard/%s#" STR_FMT STR_FMT,
			  STR_ARG(admin_dashboard_url(admin)), pages[kind], STR_ARG(token),
			  STR_ARG(buf_str(&shown)));
}

bool admin_needs_setup(struct admin *admin)
{
	bool has_admin = true;
	struct error err = {0};
	return store_admin_any(admin->config.store, &has_admin, &err) == ERR_NONE && !has_admin;
}

struct str admin_setup_link(struct admin *admin, struct arena *arena)
{
	struct str token;
	struct error err = {0};
	const struct admin_link link =
		new_link(admin, arena, ADMIN_LINK_SETUP, LINK_LIFETIME_US, &token);
	return store_admin_link_add_setup(admin->config.store, &link,
					  clock_now_us(admin->config.clock), &err) == ERR_NONE
		       ? url_of(admin, arena, ADMIN_LINK_SETUP, token, STR(""))
		       : STR("");
}

static void respond_link(struct http_response *response, struct str url,
			 const struct admin_link *link, const struct admin_row *row)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 201));
	json_begin_object(&w);
	json_member_str_or_null(&w, "email", row->email);
	if (!str_is_empty(row->email))
		json_member_str(&w, "role", str_of(store_admin_role_name(row->role)));
	else
		json_member_null(&w, "role");
	json_member_str(&w, "link", url);
	json_member_instant(&w, "expires_at", link->expires_at_us);
	json_end_object(&w);
}

void admin_invite(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct arena *arena = request->arena;
	const struct json *body = admin_request_body(request, response, KNOWN("email", "role"));
	struct admin_row row = {0};
	struct str token;
	struct error err = {0};
	if (body == NULL ||
	    !admin_request_email(response, json_string(json_get(body, "email")), &row.email) ||
	    !admin_read_role(response, body, &row.role))
		return;
	row.id = admin_new_id(admin, arena);
	row.created_at_us = clock_now_us(admin->config.clock);
	const struct admin_link link =
		new_link(admin, arena, ADMIN_LINK_PASSWORD, INVITATION_LIFETIME_US, &token);
	const enum err_kind kind = store_admin_link_invite(admin->config.store, arena, &link, &row,
							   row.created_at_us, &row, &err);
	if (kind == ERR_CONFLICT)
		admin_respond_error(response, 409, "CONFLICT",
				    STR("This admin has a password already. If it is lost, the "
					"operator makes a link with posthorn admin setup-link "
					"--email EMAIL."));
	else if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "admin");
	else
		respond_link(response, url_of(admin, arena, ADMIN_LINK_PASSWORD, token, row.email),
			     &link, &row);
}

static bool read_kind(struct http_response *response, const struct json *body,
		      enum admin_link_kind *out)
{
	static const char *const names[] = {[ADMIN_LINK_SETUP] = "setup",
					    [ADMIN_LINK_PASSWORD] = "password",
					    [ADMIN_LINK_SIGN_IN] = "sign_in"};
	const struct str name = json_string(json_get(body, "kind"));
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		*out = (enum admin_link_kind)i;
		if (str_equal_z(name, names[i]))
			return true;
	}
	admin_respond_field_error(response, "kind",
				  STR("kind must be setup, password or sign_in."));
	return false;
}

static void respond_refused(struct http_response *response, enum err_kind kind,
			    const struct error *err)
{
	if (kind == ERR_CONFLICT)
		admin_respond_error(response, 409, "SETUP_DONE",
				    STR("An admin can sign in already. For a new password of one, "
					"give --email EMAIL."));
	else
		admin_respond_failure(response, kind, err, "admin");
}

/* For who sits at the machine. Without an email: of SETUP. */
void admin_link_create(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body = admin_request_body(request, response, KNOWN("kind", "email"));
	const int64_t now_us = clock_now_us(admin->config.clock);
	enum admin_link_kind wanted = ADMIN_LINK_SETUP;
	struct admin_row row = {0};
	struct str email = STR("");
	struct str token;
	struct error err = {0};
	if (body == NULL || !read_kind(response, body, &wanted) ||
	    (wanted != ADMIN_LINK_SETUP &&
	     !admin_request_email(response, json_string(json_get(body, "email")), &email)))
		return;
	if (wanted == ADMIN_LINK_SIGN_IN && strcmp(admin->config.mode, "sandbox") != 0) {
		admin_respond_error(response, 409, "CONFLICT",
				    STR("Sign-in links are made in sandbox mode only."));
		return;
	}
	const struct admin_link link =
		new_link(admin, request->arena, wanted, LINK_LIFETIME_US, &token);
	const enum err_kind kind =
		wanted == ADMIN_LINK_SETUP
			? store_admin_link_add_setup(admin->config.store, &link, now_us, &err)
			: store_admin_link_add(admin->config.store, request->arena, &link, email,
					       now_us, &row, &err);
	if (kind == ERR_NONE)
		respond_link(response, url_of(admin, request->arena, wanted, token, row.email),
			     &link, &row);
	else
		respond_refused(response, kind, &err);
}

/* ---- using them ---- */

static void respond_unusable(struct http_response *response, enum err_kind kind,
			     const struct error *err, bool is_setup)
{
	if (kind == ERR_FORBIDDEN)
		admin_respond_error(
			response, 403, is_setup ? "SETUP_TOKEN_INVALID" : "LINK_INVALID",
			is_setup ? STR("This set-up link is not valid: it is used or "
				       "over. posthorn admin setup-link makes another.")
				 : STR("This link is not valid: it is used or over. Ask "
				       "for another."));
	else if (kind == ERR_CONFLICT)
		admin_respond_error(response, 409, "SETUP_DONE",
				    STR("An admin already exists; sign in."));
	else
		admin_respond_failure(response, kind, err, "admin");
}

/* The link of this kind that the body's token names, and whose it is. False: answered. */
static bool find_link(struct admin *admin, struct http_request *request,
		      struct http_response *response, const struct json *body,
		      struct admin_link *link, struct admin_row *row)
{
	struct error err = {0};
	link->token_hash = hash_of(request->arena, json_string(json_get(body, "token")));
	const enum err_kind kind =
		store_admin_link_find(admin->config.store, request->arena, link,
				      clock_now_us(admin->config.clock), row, &err);
	if (kind != ERR_NONE)
		respond_unusable(response, kind, &err, link->kind == ADMIN_LINK_SETUP);
	return kind == ERR_NONE;
}

void admin_setup(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body =
		admin_request_body(request, response, KNOWN("token", "email", "password"));
	struct admin_link link = {.kind = ADMIN_LINK_SETUP};
	struct admin_row row = {0};
	struct str password;
	struct error err = {0};
	if (body == NULL)
		return;
	bool has_admin = false;
	enum err_kind kind = store_admin_any(admin->config.store, &has_admin, &err);
	if (kind != ERR_NONE || has_admin) {
		respond_unusable(response, kind != ERR_NONE ? kind : ERR_CONFLICT, &err, true);
		return;
	}
	if (!find_link(admin, request, response, body, &link, &row) ||
	    !admin_request_email(response, json_string(json_get(body, "email")), &row.email) ||
	    !admin_password_read(response, body, "password", row.email, &password) ||
	    !admin_password_hash(admin, response, password, &row.password_hash))
		return;
	row.id = admin_new_id(admin, request->arena);
	row.created_at_us = clock_now_us(admin->config.clock);
	kind = store_admin_link_set_up(admin->config.store, request->arena, &link,
				       row.created_at_us, &row, &row, &err);
	if (kind == ERR_NONE)
		admin_session_begin(admin, request, response, 201, &row);
	else
		respond_unusable(response, kind, &err, true);
}

void admin_invitation_accept(void *context, struct http_request *request,
			     struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body =
		admin_request_body(request, response, KNOWN("token", "password", "code"));
	struct admin_link link = {.kind = ADMIN_LINK_PASSWORD};
	struct admin_row row = {0};
	struct str password, hash;
	struct error err = {0};
	if (body == NULL || !find_link(admin, request, response, body, &link, &row) ||
	    !admin_password_read(response, body, "password", row.email, &password) ||
	    !admin_second_factor_passes(admin, request, response, &row, body, 401) ||
	    !admin_password_hash(admin, response, password, &hash))
		return;
	const enum err_kind kind =
		store_admin_link_set_password(admin->config.store, request->arena, &link,
					      clock_now_us(admin->config.clock), hash, &row, &err);
	if (kind == ERR_NONE)
		admin_session_begin(admin, request, response, 201, &row);
	else
		respond_unusable(response, kind, &err, false);
}

void admin_login_by_link(void *context, struct http_request *request,
			 struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body = admin_request_body(request, response, KNOWN("token", "code"));
	struct admin_link link = {.kind = ADMIN_LINK_SIGN_IN};
	struct admin_row row = {0};
	struct error err = {0};
	if (body == NULL || !find_link(admin, request, response, body, &link, &row) ||
	    !admin_second_factor_passes(admin, request, response, &row, body, 401))
		return;
	const enum err_kind kind =
		store_admin_link_sign_in(admin->config.store, request->arena, &link,
					 clock_now_us(admin->config.clock), &row, &err);
	if (kind == ERR_NONE)
		admin_session_begin(admin, request, response, 200, &row);
	else
		respond_unusable(response, kind, &err, false);
}
