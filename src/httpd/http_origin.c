/* SPDX-License-Identifier: Apache-2.0
 * See http_origin.h. */
#include "http_origin.h"

#include "count_of.h"

#include "url.h"

#include "http.h"

bool http_origin_is_ours(const struct http_request *request, struct str origin, struct str our_url)
{
	static const char *const schemes[] = {"http://", "https://"};
	const struct str *host = http_request_header(request, "Host");
	struct arena *arena = request->arena;
	struct url page;
	struct url ours;
	if (url_parse(arena, origin, &page, NULL) != ERR_NONE)
		return false;
	origin = url_origin(arena, &page);
	if (url_parse(arena, our_url, &ours, NULL) == ERR_NONE &&
	    str_equal(url_origin(arena, &ours), origin))
		return true;
	for (size_t i = 0; host != NULL && i < COUNT_OF(schemes); i++) {
		const struct str url = str_concat(arena, str_of(schemes[i]), *host);
		if (url_parse(arena, url, &ours, NULL) == ERR_NONE &&
		    str_equal(url_origin(arena, &ours), origin))
			return true;
	}
	return false;
}
