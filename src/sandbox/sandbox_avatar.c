/* SPDX-License-Identifier: Apache-2.0
 * Draws the profile pictures of the sandbox's accounts. */
#include "sandbox_avatar.h"

#include "buf.h"

#include "http.h"

#include "sandbox_core.h"

void sandbox_avatar_initials(struct sandbox_call *call, const char *initials, const char *colour)
{
	struct buf *body = http_response_text(call->response, 200, "image/svg+xml");
	buf_addf(body,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"100\" "
		 "viewBox=\"0 0 100 100\">"
		 "<rect width=\"100\" height=\"100\" fill=\"%s\"/>"
		 "<text x=\"50\" y=\"64\" font-family=\"sans-serif\" font-size=\"40\" "
		 "text-anchor=\"middle\" "
		 "fill=\"#fff\">%s</text></svg>",
		 colour, initials);
}

void sandbox_avatar_letter(struct sandbox_call *call, struct str label)
{
	static const char *const colours[SANDBOX_PLATFORM_COUNT] = {
		"#c13584", "#1464d2", "#22272e", "#0a66c2", "#c4161c", "#13756f"};
	struct buf *out = http_response_text(call->response, 200, "image/svg+xml");
	sandbox_html_headers(call->response);
	buf_addf(out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"200\"><rect "
		 "width=\"200\" height=\"200\" "
		 "fill=\"%s\"/><text x=\"100\" y=\"135\" font-family=\"sans-serif\" "
		 "font-size=\"100\" text-anchor=\"middle\" "
		 "fill=\"#fff\">",
		 colours[call->platform]);
	sandbox_html_add_text(out, label.len > 0 && (unsigned char)label.ptr[0] < 0x80
					   ? str_slice(label, 0, 1)
					   : STR("@"));
	buf_add_z(out, "</text></svg>");
}
