/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes model/publish_request.h, model/post.h and platform/rules.h: any JSON as a publish request
 * is refused with a reason or accepted; what is accepted is stored and read back as the same post,
 * keeps its limits, and every platform's rules can be asked about it. */
#include "publish_request.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "json.h"
#include "json_write.h"

#include "platform.h"
#include "rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_US (INT64_C(1795348800) * US_PER_S) /* 2026-11-22 */

static const char *check_url(void *context, struct arena *arena, struct str url)
{
	(void)context;
	(void)arena;
	return str_has_prefix(url, STR("http")) ? NULL : "not_http";
}

static struct str stored(struct arena *arena, const struct post_content *content)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, (size_t)16 << 20);
	json_writer_init(&w, &out);
	post_content_write(&w, content);
	assert(!out.is_over);
	return buf_str(&out);
}

static void check_stored(struct arena *arena, const struct post_content *content)
{
	struct post_content again;
	struct error err = {0};
	const struct str text = stored(arena, content);
	assert(post_content_read(arena, text, &again, &err) == ERR_NONE);
	assert(str_equal(text, stored(arena, &again)));
	assert(post_media_total(content) == post_media_total(&again));
}

static void check_limits(const struct publish_request *request)
{
	const struct post_content *content = &request->content;
	assert(request->account_count >= 1 && request->account_count <= POST_ACCOUNTS_MAX);
	assert(content->container_count >= 1 && content->container_count <= POST_CONTAINERS_MAX);
	for (size_t i = 0; i < content->container_count; i++) {
		assert(content->containers[i].media_count <= POST_MEDIA_MAX);
		assert(content->containers[i].content.len <= POST_CONTENT_MAX_BYTES);
	}
	assert(request->scheduled_at_us == 0 ||
	       (request->scheduled_at_us > NOW_US - SCHEDULE_PAST_TOLERANCE_US &&
		request->scheduled_at_us <= NOW_US + SCHEDULE_AHEAD_MAX_US));
}

static void check_rules(struct arena *arena, const struct post_content *content)
{
	const struct rules_account account = {.id = STR("account"), .type = ACCOUNT_PERSONAL};
	for (int id = 1; id <= 6; id++) {
		struct problems problems;
		problems_init(&problems, arena);
		rules_check(arena, platform_of((enum platform_id)id), content, &account, &problems);
		for (size_t i = 0; i < problems.count; i++)
			assert(problems.items[i].message.len > 0 &&
			       problems.items[i].field.len > 0);
		if (problems.seen_count == 0)
			assert(rules_post_type(platform_of((enum platform_id)id), content) !=
			       POST_TYPE_NONE);
	}
}

static void check_request(struct arena *arena, const struct json *body)
{
	const struct media_url_check media_url_check = {check_url, NULL};
	struct publish_request request;
	struct problems problems;
	problems_init(&problems, arena);
	publish_request_read(arena, body, (struct str){0}, NOW_US, &media_url_check, &request,
			     &problems);
	for (size_t i = 0; i < problems.count; i++)
		assert(problems.items[i].message.len > 0);
	if (problems.seen_count > 0)
		return;
	check_limits(&request);
	check_stored(arena, &request.content);
	check_rules(arena, &request.content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)128 << 20);
	const struct json *body = NULL;
	const struct str text = {(const char *)data, size};
	struct post_content content;
	struct error err = {0};
	if (json_parse(arena, text, NULL, &body, NULL, &err) == ERR_NONE)
		check_request(arena, body);
	if (post_content_read(arena, text, &content, &err) ==
	    ERR_NONE) /* what a changed database row may hold */
		check_stored(arena, &content);
	arena_free(&arena);
	return 0;
}
