/* SPDX-License-Identifier: Apache-2.0
 * A browser and API client for the demo: a request, its answer, and pressing a button of the first
 * form of a page. For the tour only: it follows no redirects and keeps no cookies. */
#pragma once

#include "err.h"
#include "str.h"

struct arena;

struct browser_answer {
	int status;
	struct str body;
	struct str location; /* absolute, of a redirect; else empty */
};

struct browser_request {
	struct str url;
	const char *method;        /* NULL: POST with a body, else GET */
	const char *authorization; /* a whole header value; NULL = none */
	const char *content_type;  /* of the body; NULL = none */
	struct str body;
};

/* Blocks for at most a minute; the answer lives in arena. TEMPORARY: no answer; INTERNAL: no
 * memory. */
enum err_kind browser_call(struct arena *arena, const struct browser_request *request,
			   struct browser_answer *answer_out, struct error *err);
/* "Basic ..." as a whole header value, in arena. */
const char *browser_basic(struct arena *arena, struct str user, struct str password);
/* The URL that the first form of page leads to when its button with this name and value is pressed,
 * with the hidden and the checked inputs; in arena. page_url is where the page came from. False:
 * there is no such form or button. */
bool browser_press(struct arena *arena, struct str page_url, struct str page, const char *name,
		   const char *value, struct str *url_out);
