/* SPDX-License-Identifier: Apache-2.0
 * What a plan has that no run of the sandbox shows: descriptions, several films, parts of a thread
 * with files, the ceiling. That plans are what happens is tests/api/test_validate.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "count_of.h"

#include "platform.h"
#include "plan.h"

static struct media image = {.type = MEDIA_IMAGE};
static struct media described = {.type = MEDIA_IMAGE, .alt_text = {"a harbour", 9}};
static struct media film = {.type = MEDIA_VIDEO};
static struct media covered = {.type = MEDIA_VIDEO,
			       .thumbnail_url = {"https://m.example/t.jpg", 23}};

struct plan_case {
	const char *name;
	enum platform_id platform;
	enum post_type type;
	enum account_type account_type;
	const struct media *first[4];  /* of the post; NULL-ended */
	const struct media *second[4]; /* of the comment */
	bool has_comment;
	const char *stages; /* in order */
};

static const struct plan_case cases[] = {
	{"x, one described image",
	 PLATFORM_X,
	 POST_TYPE_POST,
	 ACCOUNT_PERSONAL,
	 {&described},
	 {NULL},
	 false,
	 "upload alt_text create"},
	{"x, described one by one",
	 PLATFORM_X,
	 POST_TYPE_POST,
	 ACCOUNT_PERSONAL,
	 {&described, &image, &described},
	 {NULL},
	 false,
	 "upload alt_text upload upload alt_text create"},
	{"x, a reply with an image",
	 PLATFORM_X,
	 POST_TYPE_POST,
	 ACCOUNT_PERSONAL,
	 {NULL},
	 {&image},
	 true,
	 "create upload create"},
	{"instagram, two films",
	 PLATFORM_INSTAGRAM,
	 POST_TYPE_CAROUSEL,
	 ACCOUNT_BUSINESS,
	 {&film, &film},
	 {NULL},
	 false,
	 "quota container upload container upload poll container poll publish permalink"},
	{"youtube, a picture and a comment",
	 PLATFORM_YOUTUBE,
	 POST_TYPE_VIDEO,
	 ACCOUNT_CHANNEL,
	 {&covered},
	 {NULL},
	 true,
	 "session upload thumbnail processing comment"},
	{"linkedin, a member's images",
	 PLATFORM_LINKEDIN,
	 POST_TYPE_CAROUSEL,
	 ACCOUNT_PERSONAL,
	 {&image, &image},
	 {NULL},
	 false,
	 "init upload init upload post"},
	{"linkedin, a page's image",
	 PLATFORM_LINKEDIN,
	 POST_TYPE_POST,
	 ACCOUNT_ORGANIZATION,
	 {&image},
	 {NULL},
	 false,
	 "init upload settle post"},
	{"facebook, a text",
	 PLATFORM_FACEBOOK,
	 POST_TYPE_POST,
	 ACCOUNT_PAGE,
	 {NULL},
	 {NULL},
	 false,
	 "feed"},
	{"tiktok, photos",
	 PLATFORM_TIKTOK,
	 POST_TYPE_CAROUSEL,
	 ACCOUNT_CREATOR,
	 {&image, &image},
	 {NULL},
	 false,
	 "creator init status"},
};

static struct container container_of(struct media *files, const struct media *const *given)
{
	struct container container = {.media = files};
	while (given[container.media_count] != NULL && container.media_count < 4) {
		files[container.media_count] = *given[container.media_count];
		container.media_count++;
	}
	return container;
}

static void stages_stand_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct plan_case *c = &cases[i];
		struct media files[2][4];
		struct container containers[2] = {container_of(files[0], c->first),
						  container_of(files[1], c->second)};
		const struct post_content post = {.containers = containers,
						  .container_count = c->has_comment ? 2 : 1};
		struct plan_call calls[32];
		char got[512] = "";
		const struct plan_account account = {.type = c->account_type};
		const size_t count =
			plan_make(platform_of(c->platform), &post, c->type, &account, calls, 32);
		for (size_t n = 0; n < count; n++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s",
				 n > 0 ? " " : "", calls[n].stage);
		if (strcmp(got, c->stages) != 0)
			fail_msg("%s: %s", c->name, got);
		for (size_t n = 0; n < count; n++)
			assert_true(calls[n].part <= 1 && strlen(calls[n].summary) > 3);
	}
}

static void a_plan_says_how_long_it_would_be(void **state)
{
	(void)state;
	struct media files[35];
	struct plan_call calls[3] = {0};
	for (size_t i = 0; i < 35; i++)
		files[i] = described;
	struct container container = {.media = files, .media_count = 35};
	const struct post_content post = {.containers = &container, .container_count = 1};
	const struct plan_account account = {.type = ACCOUNT_PERSONAL};
	assert_int_equal(
		plan_make(platform_of(PLATFORM_X), &post, POST_TYPE_POST, &account, calls, 2), 71);
	assert_non_null(calls[1].stage);
	assert_null(calls[2].stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_stand_in_order),
		cmocka_unit_test(a_plan_says_how_long_it_would_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
