/* SPDX-License-Identifier: Apache-2.0
 * Draws the profile pictures of the sandbox's accounts. */
#include "sandbox_avatar.h"

#include "buf.h"

#include "http.h"

#include "sandbox_private.h"

void sandbox_avatar_answer(struct sandbox_call *call, const char *initials, const char *colour)
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
