/* SPDX-License-Identifier: Apache-2.0
 * The frame of every page of the sandbox, and escaped text. */
#include "buf.h"
#include "str.h"

#include "sandbox_core.h"

/* No form-action: a browser checks it against every redirect that follows the form, and consent
 * ends at the app's own site. */
void sandbox_html_headers(struct http_response *response)
{
	http_response_header(
		response, "Content-Security-Policy",
		STR("default-src 'none'; img-src 'self'; media-src 'self'; style-src 'self'; "
		    "base-uri 'none'; frame-ancestors 'none'"));
	http_response_header(response, "X-Content-Type-Options", STR("nosniff"));
	http_response_header(response, "Referrer-Policy", STR("no-referrer"));
	http_response_header(response, "Cache-Control", STR("no-store"));
}

void sandbox_html_add_text(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		switch (text.ptr[i]) {
		case '&':
			buf_add_z(out, "&amp;");
			break;
		case '<':
			buf_add_z(out, "&lt;");
			break;
		case '>':
			buf_add_z(out, "&gt;");
			break;
		case '"':
			buf_add_z(out, "&quot;");
			break;
		case '\'':
			buf_add_z(out, "&#39;");
			break;
		default:
			buf_add_char(out, text.ptr[i]);
		}
	}
}

void sandbox_html_begin(const struct sandbox *sandbox, struct buf *out, const char *title,
			const char *body_class)
{
	buf_addf(out,
		 "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
		 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
		 "<link rel=\"stylesheet\" href=\"%s/_sandbox/style.css\"><title>",
		 sandbox_page_prefix(sandbox));
	sandbox_html_add_text(out, str_of(title));
	buf_addf(out, "</title></head><body class=\"%s\">", body_class);
}

void sandbox_html_end(struct buf *out)
{
	buf_add_z(out, "</body></html>\n");
}
