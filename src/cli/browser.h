/* SPDX-License-Identifier: Apache-2.0
 * What the demo needs of a browser and of an API client: a request, its answer, and pressing a
 * button of the first form of a page. For the tour only: it follows no redirect by itself and keeps
 * no cookies. */
#pragma once

#include "err.h"
#include "str.h"

struct arena;

struct browser_answer {
	int status;
	struct str body;
	struct str location; /* absolute, of a redirect; else empty */
};

/* authorization: a whole header value, or NULL. content_type and body: empty = a GET. */
enum err_kind browser_call(struct arena *arena, struct str url, const char *authorization,
			   const char *content_type, struct str body,
			   struct browser_answer *answer_out, struct error *err);
/* "user:password" as a Basic Authorization value. */
const char *browser_basic(struct arena *arena, struct str user, struct str password);
/* The URL that the first form of page leads to when the button named name with this value is
 * pressed: hidden and ticked inputs go along. page_url is where the page came from. False: there is
 * no such form or button. */
bool browser_press(struct arena *arena, struct str page_url, struct str page, const char *name,
		   const char *value, struct str *url_out);
