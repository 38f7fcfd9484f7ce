/* SPDX-License-Identifier: Apache-2.0
 * Ids of uploaded files, and all places of a post where they may stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "arena.h"

#include "json.h"

#include "media_id.h"
#include "post.h"

#define ID(n) "med_01990000-0000-7000-8000-00000000000" n

static void ids_are_told_from_addresses(void **state)
{
	(void)state;
	assert_true(media_id_is(STR(ID("1"))));
	assert_false(media_id_is(STR("med_01990000-0000-7000-8000-00000000000")));
	assert_false(media_id_is(STR("med_01990000-0000-7000-8000-00000000000G")));
	assert_false(media_id_is(STR("med_01990000-0000-7000-8000-00000000000A")));
	assert_false(media_id_is(STR("med_0199000000000-7000-8000-000000000001")));
	assert_false(media_id_is(STR("01990000-0000-7000-8000-000000000001")));
	assert_false(media_id_is(STR("")));
	assert_true(media_address_is(STR("https://a.example/")));
	assert_true(media_address_is(STR(ID("1"))));
	assert_false(media_address_is(STR("ftp://a.example/")));
}

static void every_place_is_found(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", (size_t)1 << 20);
	/* single quotes stand for double ones */
	static const char pattern[] =
		"{'mode':'basic','containers':[{'content':'a','media':["
		"{'media_id':'%s1','type':'video','thumbnail_url':'%s2'},"
		"{'url':'https://a.example/b.jpg','type':'image'}]}],"
		"'options':{'x':{'article':{'cover_url':'%s3','title':'%s4'}},"
		"'youtube':{'captions':[{'url':'%s5'}]}},"
		"'overrides':{'x':{'media':[{'media_id':'%s6','type':'image'}],"
		"'options':{'thumbnail_url':'%s7'}}}}";
	static const char id[] = "med_01990000-0000-7000-8000-00000000000";
	char text[1024];
	snprintf(text, sizeof(text), pattern, id, id, id, id, id, id, id);
	for (char *at = text; *at != '\0'; at++)
		*at = *at == '\'' ? '"' : *at;
	static const char *const expected[][2] = {
		{ID("1"), "media.0.media_id"},
		{ID("2"), "media.0.thumbnail_url"},
		{ID("3"), "platforms.x.article.cover_url"},
		{ID("5"), "platforms.youtube.captions.0.url"},
		{ID("6"), "overrides.x.media.0.media_id"},
		{ID("7"), "overrides.x.options.thumbnail_url"},
	};
	struct post_content content;
	struct media_use *uses = NULL;
	struct error err = {0};
	size_t count = 0;
	assert_int_equal(post_content_read(arena, str_of(text), &content, &err), ERR_NONE);
	media_id_uses(arena, &content, &uses, &count);
	assert_int_equal(count, 6);
	for (size_t i = 0; i < count; i++) {
		assert_true(str_equal_z(uses[i].media_id, expected[i][0]));
		assert_true(str_equal_z(uses[i].field, expected[i][1]));
	}
	assert_ptr_equal(uses[0].media, &content.containers[0].media[0]);
	assert_null(uses[1].media);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_told_from_addresses),
		cmocka_unit_test(every_place_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
