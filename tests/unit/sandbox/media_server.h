/* SPDX-License-Identifier: Apache-2.0
 * A server of pictures on the loopback, for the tests of platforms that fetch media themselves. */
#pragma once

#include "probe.h"

#include "http.h"
#include "httpd.h"

#include "random.h"

struct media_server {
	struct httpd *httpd;
	struct http_router *router;
	char text[256];                  /* user agent of the last fetch */
	const char *robots;              /* its robots.txt; NULL = there is none */
	void (*on_fetch)(void *context); /* called while a fetcher waits; may be NULL */
	void *context;
};

/* A JPEG as far as sniffing goes: JFIF and one frame header, then padding. */
static inline struct str jpeg_bytes(struct arena *arena, unsigned width, unsigned height,
				    size_t size_bytes)
{
	static const unsigned char head[] = {
		0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10, 'J',  'F',  'I',  'F',  0x00, 0x01, 0x01, 0x00,
		0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0xFF, 0xC0, 0x00, 0x11, 0x08, 0,    0,    0,
		0,    0x03, 0x01, 0x22, 0x00, 0x02, 0x11, 0x01, 0x03, 0x11, 0x01, 0xFF, 0xDA};
	const size_t len = size_bytes > sizeof(head) ? size_bytes : sizeof(head);
	char *bytes = arena_alloc(arena, len);
	memcpy(bytes, head, sizeof(head));
	bytes[25] = (char)(height >> 8);
	bytes[26] = (char)(height & 0xFF);
	bytes[27] = (char)(width >> 8);
	bytes[28] = (char)(width & 0xFF);
	return (struct str){bytes, len};
}

static inline void serve_file(void *context, struct http_request *request,
			      struct http_response *response)
{
	struct media_server *server = context;
	const struct str name = http_request_capture(request, "name");
	const struct str *agent = http_request_header(request, "user-agent");
	snprintf(server->text, sizeof(server->text), STR_FMT,
		 STR_ARG(agent != NULL ? *agent : STR("")));
	if (server->on_fetch != NULL)
		server->on_fetch(server->context);
	struct str bytes = {0};
	if (str_equal_z(name, "robots.txt") && server->robots != NULL)
		bytes = str_of(server->robots);
	else if (str_equal_z(name, "square.jpg"))
		bytes = jpeg_bytes(request->arena, 800, 800, 2000);
	else if (str_equal_z(name, "wide.jpg"))
		bytes = jpeg_bytes(request->arena, 2000, 1000, 2000);
	else if (str_equal_z(name, "tall.jpg"))
		bytes = jpeg_bytes(request->arena, 700, 1000, 2000);
	else if (str_equal_z(name, "edge.jpg"))
		bytes = jpeg_bytes(request->arena, 1910, 1000, 2000);
	else if (str_equal_z(name, "huge.jpg"))
		bytes = jpeg_bytes(request->arena, 800, 800, ((size_t)8 << 20) + 1);
	else if (str_equal_z(name, "picture.png"))
		bytes = (struct str){
			"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x64\0\0\0\x64\x08\x06\0\0\0", 29};
	else if (str_equal_z(name, "clip.mp4"))
		bytes = (struct str){"\0\0\0\x18"
				     "ftypmp42\0\0\0\0mp42isom\0\0\0\x08"
				     "free",
				     32};
	else if (str_equal_z(name, "page.html"))
		bytes = STR("<html><title>a page</title></html>");
	if (bytes.len == 0)
		http_response_text(response, 404, "text/plain");
	else
		buf_add(http_response_text(response, 200, "application/octet-stream"), bytes);
}

static inline void media_server_open(struct media_server *server)
{
	static const struct http_route route = {
		.method = "GET", .pattern = "/{name}", .handler = serve_file};
	const struct http_router_config config = {.context = server,
						  .response_max_bytes = (size_t)64 << 20};
	struct error err = {0};
	assert_int_equal(http_router_new(&config, &server->router, &err), ERR_NONE);
	assert_int_equal(http_router_add(server->router, &route, 1, &err), ERR_NONE);
	const struct httpd_config listen = {.listen = "127.0.0.1:0",
					    .router = server->router,
					    .random = random_system(),
					    .threads = 2,
					    .arena_max_bytes = (size_t)64 << 20};
	assert_int_equal(httpd_open(&listen, &server->httpd, &err), ERR_NONE);
}

static inline void media_server_close(struct media_server *server)
{
	httpd_close(&server->httpd, 1000);
	http_router_free(&server->router);
}

static inline const char *media_url(struct probe *probe, struct media_server *server,
				    const char *name)
{
	return probe_z(probe, str_format(probe->arena, STR_FMT "/%s",
					 STR_ARG(httpd_base_url(server->httpd)), name));
}
