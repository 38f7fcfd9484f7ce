/* SPDX-License-Identifier: Apache-2.0
 * Admin API: admins (API.md section 3), and what is asked of an e-mail address and a password. How
 * admins sign in is admin_session.c. */
#include "admin_private.h"

#include "uuid.h"

#include "password_pool.h"

#define EMAIL_MAX_BYTES 254 /* RFC 5321 4.5.3.1 */
#define PASSWORD_MIN_BYTES 8
#define PASSWORD_MAX_BYTES 1024

struct str admin_new_id(struct admin *admin, struct arena *arena)
{
	return uuid_str(arena, uuid_v7(clock_now_us(admin->config.clock), admin->config.random));
}

/* Something before and behind one @; the rest is the mail system's business. */
bool admin_read_email(struct http_response *response, struct str text, struct str *out)
{
	size_t at = str_find_char(text, '@', 0);
	if (text.len <= EMAIL_MAX_BYTES && at != SIZE_MAX && at > 0 && at + 1 < text.len &&
	    str_find_char(text, '@', at + 1) == SIZE_MAX &&
	    str_find_char(text, ' ', 0) == SIZE_MAX && !str_has_control(text)) {
		*out = str_lower(response->arena, text);
		return true;
	}
	admin_respond_field_error(response, "email", STR("That is no e-mail address."));
	return false;
}

bool admin_read_password(struct http_response *response, const struct json *body, const char *name,
			 struct str *out)
{
	*out = json_string(json_get(body, name));
	if (out->len >= PASSWORD_MIN_BYTES && out->len <= PASSWORD_MAX_BYTES)
		return true;
	admin_respond_field_error(response, name,
				  STR("The password must be 8 to 1,024 bytes long."));
	return false;
}

bool admin_hash_password(struct admin *admin, struct http_response *response, struct str password,
			 struct str *hash_out)
{
	*hash_out = password_pool_hash(admin->passwords, response->arena, password);
	if (hash_out->len > 0)
		return true;
	admin_respond_wait(response, 503, "UNAVAILABLE",
			   STR("Too many passwords are being worked on. Try again."), US_PER_S);
	return false;
}

void admin_write_admin(struct json_writer *w, const struct admin_row *row)
{
	json_begin_object(w);
	json_member_str(w, "id", row->id);
	json_member_str(w, "email", row->email);
	json_member_bool(w, "has_password", row->password_hash.len > 0);
	json_member_instant(w, "created_at", row->created_at_us);
	json_end_object(w);
}

/* Who owns apps already but has no password is given one (API.md section 3). */
void admin_admin_create(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body = admin_body(request, response);
	struct admin_row row = {0};
	struct str password;
	if (body == NULL ||
	    !admin_read_email(response, json_string(json_get(body, "email")), &row.email) ||
	    !admin_read_password(response, body, "password", &password) ||
	    !admin_hash_password(admin, response, password, &row.password_hash))
		return;
	row.id = admin_new_id(admin, request->arena);
	row.created_at_us = clock_now_us(admin->config.clock);
	struct error err = {0};
	enum err_kind kind = store_admin_put(admin->config.store, request->arena, &row,
					     ADMIN_IF_NEW, &row, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 201));
	admin_write_admin(&w, &row);
}

void admin_admin_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct admin_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	enum err_kind kind =
		store_admin_list(admin->config.store, request->arena, &rows, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		admin_write_admin(&w, &rows[i]);
	json_end_array(&w);
	json_end_object(&w);
}

/* Over HTTP the last who can sign in stays: nobody could undo it there. */
void admin_admin_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct str email = str_lower(request->arena, http_request_capture(request, "email"));
	struct error err = {0};
	enum err_kind kind = store_admin_remove(admin->config.store, email,
						request_caller(request) != NULL, &err);
	if (kind == ERR_CONFLICT) {
		admin_respond_error(response, 409, "LAST_ADMIN",
				    STR("This is the only admin who can sign in."));
		return;
	}
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "deleted", email);
	json_end_object(&w);
}
