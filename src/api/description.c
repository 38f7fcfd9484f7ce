/* SPDX-License-Identifier: Apache-2.0
 * GET /openapi.json, /openapi-operator.json, /llms.txt and the pages of /docs: fixed bytes,
 * generated when the program was built. They contain nothing about this installation, so anyone may
 * read and cache them; the entity tag makes the next visit cheap. */
#include "api_private.h"

#include "description.h"

/* Only these pages' own style and script may run, so text that contained markup could do
 * nothing. */
#define PAGE_POLICY \
	"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " \
	"img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/* NULL: there is none of that name below /docs/. */
static const struct description_page *page_of(const struct http_request *request)
{
	struct str path = str_of(request->route->pattern);
	const struct str name = http_request_capture(request, "page");
	if (!str_is_empty(name))
		path = str_concat(request->arena, STR("/docs/"), name);
	for (size_t i = 0; i < description_pages_count; i++) {
		if (str_equal_z(path, description_pages[i].path))
			return &description_pages[i];
	}
	return NULL;
}

/* RFC 9110 12.5.3: named, and not with a weight of zero. "*" is not taken for it. */
static bool takes_gzip(const struct http_request *request)
{
	const struct str *header = http_request_header(request, "Accept-Encoding");
	struct str rest = header != NULL ? *header : (struct str){0};
	struct str coding;
	while (rest.ptr != NULL && str_take_field(&rest, ',', &coding)) {
		struct str name = {0};
		if (!str_take_field(&coding, ';', &name) ||
		    !str_equal_nocase(str_trim(name), STR("gzip")))
			continue;
		const struct str weight = str_trim(coding);
		return !str_equal(weight, STR("q=0")) && !str_has_prefix(weight, STR("q=0.0"));
	}
	return false;
}

/* RFC 9110 13.1.2: a list of tags, or "*"; weak ones count as the same. */
static bool is_known(const struct http_request *request, const char *etag)
{
	const struct str *header = http_request_header(request, "If-None-Match");
	if (header == NULL)
		return false;
	struct str rest = *header;
	struct str tag;
	while (rest.ptr != NULL && str_take_field(&rest, ',', &tag)) {
		tag = str_trim(tag);
		if (str_has_prefix(tag, STR("W/")))
			tag = str_slice(tag, 2, tag.len);
		if (str_equal(tag, str_of(etag)) || str_equal(tag, STR("*")))
			return true;
	}
	return false;
}

void description_serve(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	const struct description_page *page = page_of(request);
	if (page == NULL) {
		respond_not_found(request, response);
		return;
	}
	const bool is_gzip = takes_gzip(request);
	const struct description_form *form = is_gzip ? &page->gzip : &page->plain;
	const bool is_news = !is_known(request, form->etag);
	struct buf *body = http_response_text(response, is_news ? 200 : 304, page->content_type);
	if (is_news)
		buf_add(body, (struct str){form->body, form->size_bytes});
	if (is_news && is_gzip)
		http_response_header(response, "Content-Encoding", STR("gzip"));
	http_response_header(response, "Vary", STR("Accept-Encoding"));
	http_response_header(response, "ETag", str_of(form->etag));
	http_response_header(response, "Cache-Control",
			     STR("no-cache")); /* kept, but asked about each time */
	http_response_header(response, "Content-Security-Policy", STR(PAGE_POLICY));
}
