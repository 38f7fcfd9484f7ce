/* SPDX-License-Identifier: Apache-2.0
 * GET /: what this is, for whoever opens the address in a browser. It says nothing about the
 * installation but its mode. */
#include "api_private.h"

#include "count_of.h"

struct place {
	const char *href;
	const char *name;
	const char *what;
};

/* The dashboard may have an address of its own; then its link leads nowhere from here. */
static const struct place places[] = {
	{"/docs", "API reference", "every call, with examples, and how to begin"},
	{"/openapi.json", "OpenAPI description", "for code generators"},
	{"/llms.txt", "llms.txt", "the same for agents"},
	{"/healthz", "Health", "whether the service answers"},
};

void landing_show(void *context, struct http_request *request, struct http_response *response)
{
	const struct api *api = context;
	(void)request;
	struct buf *out =
		respond_page_begin(response, 200, "Publish to six platforms with one API");
	buf_add_z(out,
		  "<p class=\"lead\">This is Posthorn, a self-hosted service that publishes posts "
		  "to Instagram, Facebook, X, LinkedIn, YouTube and TikTok, for the products "
		  "of whoever runs it.</p>");
	if (api->config.is_sandbox)
		buf_add_z(out, "<p><strong>Sandbox mode:</strong> nothing here reaches a real "
			       "platform.</p>");
	buf_add_z(out, "<ul>");
	if (!api->config.has_other_dashboard)
		buf_add_z(out,
			  "<li><a href=\"/dashboard\">Dashboard</a>: apps, accounts, posts and "
			  "why they failed</li>");
	for (size_t i = 0; i < COUNT_OF(places); i++)
		buf_addf(out, "<li><a href=\"%s\">%s</a>: %s</li>", places[i].href, places[i].name,
			 places[i].what);
	buf_add_z(out, "</ul><p>If a site sent you here to connect an account, go back to it and "
		       "start there.</p>");
	respond_page_end(out);
}
