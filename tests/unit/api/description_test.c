/* SPDX-License-Identifier: Apache-2.0
 * GET /openapi.json and /docs: bytes made at build time, with an entity tag that spares the next
 * visit. */
#include "count_of.h"

#include "api_fixture.h"

#include "description.h"

static struct http_response *get_knowing(struct fixture *fx, const char *path, const char *known)
{
	return answer(fx, &(struct sent){.method = "GET",
					 .target = path,
					 .authorization = NO_TOKEN,
					 .more = {{STR("If-None-Match"), str_of(known)}}});
}

static const char *joined(struct fixture *fx, const char *before, const char *tag,
			  const char *behind)
{
	return str_z(fx->arena, str_format(fx->arena, "%s%s%s", before, tag, behind));
}

static void every_page_is_served_whole(void **state)
{
	struct fixture *fx = *state;
	assert_true(description_pages_count > 20);
	for (size_t i = 0; i < description_pages_count; i++) {
		const struct description_page *page = &description_pages[i];
		const struct http_response *got = get(fx, page->path);
		assert_int_equal(got->status, 200);
		assert_int_equal(got->body.len, page->plain.size_bytes);
		assert_memory_equal(buf_str(&got->body).ptr, page->plain.body,
				    page->plain.size_bytes);
		assert_true(str_equal(header_of(got, "Content-Type"), str_of(page->content_type)));
		assert_true(str_equal(header_of(got, "ETag"), str_of(page->plain.etag)));
		assert_true(str_equal(header_of(got, "Cache-Control"), STR("no-cache")));
		assert_true(header_of(got, "Content-Security-Policy").len > 0);
	}
}

static const struct json *paths_of(struct fixture *fx, const char *path)
{
	const struct json_limits limits = {.nodes_max = 100000};
	const struct http_response *got = get(fx, path);
	const struct json *json = NULL;
	struct error err = {0};
	assert_int_equal(json_parse(got->arena, buf_str(&got->body), &limits, &json, NULL, &err),
			 ERR_NONE);
	return json_get(json, "paths");
}

static void description_is_json_of_every_route(void **state)
{
	struct fixture *fx = *state;
	size_t count = 0;
	const struct api_route *routes = api_routes(&count);
	const struct json *ours = paths_of(fx, "/openapi.json");
	const struct json *others = paths_of(fx, "/openapi-operator.json");
	for (size_t i = 0; i < count; i++)
		assert_true((json_get(ours, routes[i].path) != NULL) !=
			    (json_get(others, routes[i].path) != NULL));
}

static void who_has_it_gets_no_body(void **state)
{
	struct fixture *fx = *state;
	const char *tag = description_pages[0].plain.etag;
	const struct {
		const char *known;
		int status;
	} rows[] = {
		{tag, 304},
		{joined(fx, "W/", tag, ""), 304},
		{joined(fx, "\"other\" , ", tag, ""), 304},
		{joined(fx, "", tag, ",\"other\""), 304},
		{"*", 304},
		{"\"other\"", 200},
		{"", 200},
		{",,", 200},
		{"W/", 200},
		{joined(fx, "", tag, "\""), 200},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct http_response *got =
			get_knowing(fx, description_pages[0].path, rows[i].known);
		if (got->status != rows[i].status)
			fail_msg("%s: %d", rows[i].known, got->status);
		assert_int_equal(got->body.len > 0, got->status == 200);
		assert_true(str_equal(header_of(got, "ETag"), str_of(tag)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(every_page_is_served_whole),
		API_TEST(description_is_json_of_every_route),
		API_TEST(who_has_it_gets_no_body),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
