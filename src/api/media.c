/* SPDX-License-Identifier: Apache-2.0
 * GET /media/{token}: our copy of a customer's file for a platform that fetches it
 * (delivery/hosted.h). The token in the path is the only key. An invalid token gets the same answer
 * as an unknown path. */
#include "api_private.h"

#include "hosted.h"

void media_serve(void *context, struct http_request *request, struct http_response *response)
{
	const struct api *api = context;
	struct hosted_file file;
	if (api->config.hosted == NULL ||
	    !hosted_open(api->config.hosted, request->arena, http_request_capture(request, "token"),
			 &file)) {
		respond_not_found(request, response);
		return;
	}
	http_response_file(response, request, file.mime_type, file.etag, file.fd, file.size_bytes);
	/* A customer's file on our origin: it must not run as one of our pages. */
	http_response_header(response, "Content-Security-Policy",
			     STR("default-src 'none'; sandbox"));
	http_response_header(response, "X-Robots-Tag", STR("noindex"));
}
