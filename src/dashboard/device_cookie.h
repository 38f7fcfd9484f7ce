/* SPDX-License-Identifier: Apache-2.0
 * The device cookie: a browser that an admin has signed in with before shows it at the next
 * sign-in, so that its wrong passwords are counted for itself, and what strangers guess pauses
 * nobody else (OWASP, "Slow down online guessing attacks with device cookies"). It opens nothing by
 * itself and is good for one e-mail address. Sealed with the master key, not stored: every node
 * knows it, and it stays after a restart. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct http_request;
struct http_response;
struct random_source;
struct seal;

/* Has this browser signed in as email before? Then *device_out is what names it, in the request's
 * arena. email: in lower case. */
bool device_cookie_read(const struct seal *seal, const struct http_request *request,
			struct str email, struct str *device_out);
/* Gives the browser a new one. is_secure: its page is https. */
void device_cookie_set(const struct seal *seal, const struct random_source *random,
		       struct http_response *response, struct str email, bool is_secure);
