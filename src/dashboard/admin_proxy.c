/* SPDX-License-Identifier: Apache-2.0
 * Admin API: signing in as the admin whom a proxy names that has signed them in already. Three
 * things must hold: the connection comes from the proxy's own address, whatever headers say of
 * others; a second header has the secret that the proxy alone knows; and each header is there once.
 * It makes no admin, and asks for the second factor of those who have one. */
#include "admin_private.h"

#include "cidr.h"

/* Of a header that is there twice one could be the client's. */
static bool is_once(const struct http_request *request, struct str name, struct str *value_out)
{
	size_t count = 0;
	for (size_t i = 0; i < request->header_count; i++) {
		if (!str_equal_nocase(request->headers[i].name, name))
			continue;
		*value_out = request->headers[i].value;
		count++;
	}
	return count == 1;
}

struct str admin_proxy_email(const struct admin *admin, const struct http_request *request)
{
	const struct admin_proxy_sign_in *proxy = admin->web.proxy_sign_in;
	struct str secret, email;
	if (proxy == NULL || !request->has_peer_address ||
	    !cidr_any_has(proxy->addresses, proxy->address_count, request->peer_address) ||
	    !is_once(request, proxy->secret_header, &secret) ||
	    !is_once(request, proxy->header, &email) || !digest_equal_str(secret, proxy->secret) ||
	    email.len > ADMIN_EMAIL_MAX_BYTES)
		return STR("");
	return str_lower(request->arena, str_trim(email));
}

void admin_login_by_proxy(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body = admin_request_body(request, response, KNOWN("code"));
	const struct str email = admin_proxy_email(admin, request);
	struct admin_row row = {0};
	struct error err = {0};
	if (body == NULL)
		return;
	if (str_is_empty(email)) {
		LOG(admin->config.log, WARN, "proxy_sign_in_refused",
		    log_str("address", request->remote_address));
		admin_respond_error(response, 401, "LOGIN_FAILED",
				    STR("No trusted proxy says who you are."));
		return;
	}
	const enum err_kind kind =
		store_admin_find(admin->config.store, request->arena, email, &row, &err);
	if (kind == ERR_NOT_FOUND)
		admin_respond_error(response, 403, "NO_SUCH_ADMIN",
				    STR("You are signed in elsewhere, but no admin here has your "
					"email address. A root admin has to invite you."));
	else if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "admin");
	else if (admin_second_factor_passes(admin, request, response, &row, body, 401))
		admin_session_begin(admin, request, response, 200, &row);
}
