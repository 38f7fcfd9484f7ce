/* SPDX-License-Identifier: Apache-2.0
 * See device_cookie.h. */
#include "device_cookie.h"

#include "arena.h"

#include "base64.h"
#include "cookie.h"

#include "seal.h"
#include "token.h"

#include "http.h"

#define DEVICE_CHARACTERS 22 /* 128 bits and 4 more */
#define VALUE_MAX_BYTES 256
#define LIFETIME_S 34560000 /* 400 days: browsers keep no cookie longer */

static const char *const names[] = {"posthorn_device", "__Host-posthorn_device"};

static struct seal_place place_of(struct str email)
{
	return (struct seal_place){STR("admins"), STR("device"), email};
}

static bool is_ours(const struct seal *seal, const struct http_request *request, struct str value,
		    struct str email, struct str *device_out)
{
	const struct seal_place place = place_of(email);
	struct str sealed;
	return value.len <= VALUE_MAX_BYTES && base64url_decode(request->arena, value, &sealed) &&
	       seal_open_secret(seal, request->arena, &place, sealed, device_out, NULL) == ERR_NONE;
}

/* The __Host- cookie of https first: no neighbouring host can set it. */
bool device_cookie_read(const struct seal *seal, const struct http_request *request,
			struct str email, struct str *device_out)
{
	const struct str *header = http_request_header(request, "Cookie");
	struct str value;
	for (int is_secure = 1; header != NULL && is_secure >= 0; is_secure--) {
		if (cookie_find(*header, str_of(names[is_secure]), &value) &&
		    is_ours(seal, request, value, email, device_out))
			return true;
	}
	return false;
}

void device_cookie_set(const struct seal *seal, const struct random_source *random,
		       struct http_response *response, struct str email, bool is_secure)
{
	const struct seal_place place = place_of(email);
	struct arena *arena = response->arena;
	const struct str device = token_random(arena, random, "", DEVICE_CHARACTERS);
	const struct str sealed = seal_secret(seal, arena, &place, device, random);
	http_response_header(
		response, "Set-Cookie",
		str_format(arena, "%s=" STR_FMT "; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
			   names[is_secure], STR_ARG(base64url_encode(arena, sealed)), LIFETIME_S,
			   is_secure ? "; Secure" : ""));
}
