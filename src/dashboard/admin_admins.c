/* SPDX-License-Identifier: Apache-2.0
 * Admin API: admins (dashboard-api.md). How they sign in is admin_session.c. */
#include "admin_private.h"

#define HEIR_MAX_BYTES 254

void admin_write_admin(struct json_writer *w, const struct admin_row *row)
{
	json_begin_object(w);
	json_member_str(w, "id", row->id);
	json_member_str(w, "email", row->email);
	json_member_str(w, "role", str_of(store_admin_role_name(row->role)));
	json_member_bool(w, "has_password", !str_is_empty(row->password_hash));
	json_member_bool(w, "second_factor", row->has_second_factor);
	json_member_instant(w, "created_at", row->created_at_us);
	json_end_object(w);
}

bool admin_read_role(struct http_response *response, const struct json *body, enum admin_role *role)
{
	const struct json *value = json_get(body, "role");
	if (value == NULL || store_admin_role_of_name(json_string(value), role))
		return true;
	admin_respond_field_error(response, "role", STR("role must be root or owner."));
	return false;
}

/* For who sits at the machine. An admin who owns apps but has no password gets this one
 * (api-decisions.md 3). */
void admin_admin_create(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body =
		admin_request_body(request, response, KNOWN("email", "password", "role"));
	struct admin_row row = {0};
	struct str password;
	if (body == NULL ||
	    !admin_request_email(response, json_string(json_get(body, "email")), &row.email) ||
	    !admin_read_role(response, body, &row.role) ||
	    !admin_password_read(response, body, "password", row.email, &password) ||
	    !admin_password_hash(admin, response, password, &row.password_hash))
		return;
	row.id = admin_new_id(admin, request->arena);
	row.created_at_us = clock_now_us(admin->config.clock);
	struct error err = {0};
	const enum err_kind kind = store_admin_put(admin->config.store, request->arena, &row,
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
	const enum err_kind kind =
		store_admin_list(admin->config.store, request->arena, &rows, &count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
		return;
	}
	struct json_writer w;
	admin_respond_list_begin(response, &w);
	for (size_t i = 0; i < count; i++)
		admin_write_admin(&w, &rows[i]);
	admin_respond_list_end(&w);
}

static void respond_last_root(struct http_response *response)
{
	admin_respond_error(response, 409, "LAST_ADMIN",
			    STR("This is the only root admin who can sign in. Make another admin "
				"root first."));
}

/* Over HTTP the last root who can sign in stays root, and stays: it could not be undone there. */
void admin_admin_change(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct str email = str_lower(request->arena, http_request_capture(request, "email"));
	const struct json *body = admin_request_body(request, response, KNOWN("role"));
	struct admin_row row = {0};
	struct error err = {0};
	if (body == NULL)
		return;
	if (json_get(body, "role") == NULL) {
		admin_respond_field_error(response, "role", STR("role must be root or owner."));
		return;
	}
	if (!admin_read_role(response, body, &row.role))
		return;
	enum err_kind kind = store_admin_set_role(admin->config.store, email, row.role,
						  admin_request_caller(request) != NULL, &err);
	if (kind == ERR_NONE)
		kind = store_admin_find(admin->config.store, request->arena, email, &row, &err);
	if (kind == ERR_CONFLICT) {
		respond_last_root(response);
	} else if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "admin");
	} else {
		struct json_writer w;
		json_writer_init(&w, http_response_json(response, 200));
		admin_write_admin(&w, &row);
	}
}

/* The apps go to the admin apps_to, or are held. */
void admin_admin_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct str email = str_lower(request->arena, http_request_capture(request, "email"));
	struct str heir;
	struct error err = {0};
	if (!admin_request_query_text(request, response, "apps_to", HEIR_MAX_BYTES, &heir))
		return;
	const enum err_kind kind =
		store_admin_remove(admin->config.store, email, str_lower(request->arena, heir),
				   admin_request_caller(request) != NULL, &err);
	if (kind == ERR_INVALID) {
		admin_respond_field_error(response, "apps_to",
					  STR("There is no other admin with this email address."));
		return;
	}
	if (kind == ERR_CONFLICT) {
		respond_last_root(response);
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
