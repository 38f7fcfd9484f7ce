/* SPDX-License-Identifier: Apache-2.0
 * Admin API: new passwords, checked and hashed. Signing in with them is admin_session.c. */
#include "admin_private.h"

#include "password_pool.h"
#include "password_rules.h"

bool admin_password_read(struct http_response *response, const struct json *body, const char *name,
			 struct str email, struct str *out)
{
	*out = json_string(json_get(body, name));
	const enum password_fault fault = password_judge(response->arena, *out, email);
	if (fault != PASSWORD_GOOD)
		admin_respond_field_error(response, name, password_fault_text(fault));
	return fault == PASSWORD_GOOD;
}

bool admin_password_hash(struct admin *admin, struct http_response *response, struct str password,
			 struct str *hash_out)
{
	*hash_out = password_pool_hash(admin->passwords, response->arena, password);
	if (!str_is_empty(*hash_out))
		return true;
	admin_respond_wait(response, 503, "UNAVAILABLE",
			   STR("Too many sign-ins at once. Try again in a moment."), US_PER_S);
	return false;
}
