/* SPDX-License-Identifier: Apache-2.0
 * See look.h. */
#include "look.h"

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "platform_id.h"
#include "problem.h"

#include "media_rules.h"
#include "platform.h"
#include "rules.h"

#define WARNINGS_MAX_BYTES ((size_t)1 << 18)

static struct look_file *file_at(const struct look *look, struct str url)
{
	for (size_t i = 0; i < look->file_count; i++) {
		if (str_equal(look->files[i].url, url))
			return &look->files[i];
	}
	return NULL;
}

void look_begin(struct look *look, struct arena *arena, const struct post_content *content)
{
	*look = (struct look){0};
	media_id_files(arena, content, &look->uses, &look->use_count);
	const size_t most = look->use_count < LOOK_FILES_MAX ? look->use_count : LOOK_FILES_MAX;
	look->files = ARENA_ARRAY(arena, struct look_file, most);
	for (size_t i = 0; i < look->use_count && look->file_count < most; i++) {
		if (file_at(look, look->uses[i].media_id) == NULL)
			look->files[look->file_count++] =
				(struct look_file){.url = look->uses[i].media_id};
	}
}

struct look_file *look_file_of(const struct look *look, const struct media_use *use)
{
	return file_at(look, use->media_id);
}

void look_show(const struct look *look)
{
	for (size_t i = 0; i < look->use_count; i++) {
		const struct look_file *file = look_file_of(look, &look->uses[i]);
		if (look->uses[i].media != NULL && file != NULL && file->state == LOOK_DONE)
			look->uses[i].media->seen = &file->seen;
	}
}

/* ---- files beside the media ---- */

/* A field as platforms.SLUG.cover_url or overrides.KEY.options.cover_url is of some accounts. */
static bool is_for(struct str field, const struct rules_subject *subject)
{
	const struct str slug = str_of(platform_id_slug(subject->platform));
	struct str rest = field;
	struct str key = {0};
	const bool is_option = str_skip(&rest, STR("platforms."));
	if (!is_option && !str_skip(&rest, STR("overrides.")))
		return true;
	if (!str_take_field(&rest, '.', &key))
		return false;
	return str_equal(key, slug) || str_equal(key, subject->account_id) ||
	       platform_id_of_slug(key) == subject->platform;
}

static struct str missing_text(struct arena *arena, const struct look_file *file)
{
	return str_format(arena, "This file could not be fetched: " STR_FMT,
			  STR_ARG(file->seen.why));
}

static bool is_missing_beside(const struct look *look, const struct media_use *use)
{
	const struct look_file *file = look_file_of(look, use);
	return use->media == NULL && file != NULL && file->state == LOOK_DONE &&
	       !str_is_empty(file->seen.why);
}

void look_missing(const struct look *look, const struct rules_subject *subject,
		  struct problems *problems)
{
	for (size_t i = 0; i < look->use_count; i++) {
		const struct media_use *use = &look->uses[i];
		if (!is_missing_beside(look, use) || !is_for(use->field, subject))
			continue;
		const struct problem problem = {
			.kind = PROBLEM_RULE,
			.field = use->field,
			.reason = STR(MEDIA_UNREACHABLE_REASON),
			.message = missing_text(problems->arena, look_file_of(look, use)),
			.account_id = subject->account_id,
			.limit = -1,
			.actual = -1,
			.is_of_file = true};
		problem_add_whole(problems, &problem);
	}
}

void look_judge(const struct look *look, struct arena *arena, const struct post_content *content,
		const struct rules_subject *subject, struct problems *problems)
{
	struct problems found;
	problems_init(&found, arena);
	rules_check_subject(arena, content, subject, &found);
	for (size_t i = 0; i < found.count; i++) {
		if (found.items[i].is_of_file)
			problem_add_whole(problems, &found.items[i]);
	}
	look_missing(look, subject, problems);
}

void look_warn(const struct look *look, struct problems *problems)
{
	for (size_t i = 0; i < look->use_count; i++) {
		const struct media_use *use = &look->uses[i];
		const struct look_file *file = look_file_of(look, use);
		if (file == NULL || file->state != LOOK_DONE)
			warning_add(problems, use->field, "media_not_inspected",
				    STR("This file was not looked at: it did not arrive in time. "
					"It will be fetched when the post is published."));
	}
}

/* ---- what is kept ---- */

struct str look_warnings_text(const struct problems *problems)
{
	struct buf out;
	struct json_writer w;
	if (problems->count == 0)
		return STR("");
	buf_init(&out, problems->arena, WARNINGS_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *problem = &problems->items[i];
		json_begin_object(&w);
		json_member_str(&w, "field", problem->field);
		json_member_str(&w, "code", problem->reason);
		json_member_str(&w, "message", problem->message);
		json_member_bool(&w, "repeatable", false);
		json_end_object(&w);
	}
	json_end_array(&w);
	return out.is_over ? STR("") : buf_str(&out);
}

bool look_warnings_have(struct arena *arena, struct str warnings, struct str field, struct str code)
{
	const struct json *list = NULL;
	if (str_is_empty(warnings) ||
	    json_parse(arena, warnings, NULL, &list, NULL, NULL) != ERR_NONE)
		return false;
	for (size_t i = 0; i < list->count; i++) {
		const struct json *row = json_at(list, i);
		if (str_equal(json_string(json_get(row, "field")), field) &&
		    str_equal(json_string(json_get(row, "code")), code))
			return true;
	}
	return false;
}
