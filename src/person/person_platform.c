/* SPDX-License-Identifier: Apache-2.0
 * See person_platform.h; and the verb platforms. */
#include "person_platform.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"

#include "known.h"
#include "platform_id.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

#define LIST_MAX_BYTES 16384

enum person_status person_platform_wrong(struct person *person)
{
	static const char *const slugs[] = {
		"instagram", "facebook", "x", "linkedin", "youtube", "tiktok", NULL,
	};
	const char *meant = known_nearest(str_of(person->flags->word), slugs);
	if (meant != NULL)
		return person_say_wrong(person, "%.60s is no platform; did you mean %s?",
					person->flags->word, meant);
	return person_say_wrong(
		person,
		"%.60s is no platform: instagram, facebook, x, linkedin, youtube or "
		"tiktok",
		person->flags->word);
}

static struct str text_of(const struct json *object, const char *key)
{
	return json_string(json_get(object, key));
}

static long long number_of(const struct json *object, const char *key)
{
	return (long long)json_int(json_get(object, key), 0);
}

/* The texts of an array, or of one member of each of its objects: "post, video". */
static struct str join(struct arena *arena, const struct json *array, const char *key)
{
	struct buf out;
	buf_init(&out, arena, LIST_MAX_BYTES);
	for (size_t i = 0; json_at(array, i) != NULL; i++) {
		const struct json *item = json_at(array, i);
		buf_addf(&out, "%s" STR_FMT, i > 0 ? ", " : "",
			 STR_ARG(key != NULL ? text_of(item, key) : json_string(item)));
	}
	return buf_str(&out);
}

/* ---- all ---- */

/* "280 weighted", "2200 code points" */
static struct str text_limit(struct arena *arena, const struct json *limits)
{
	struct buf out;
	const struct str unit = text_of(limits, "text_unit");
	buf_init(&out, arena, LIST_MAX_BYTES);
	buf_addf(&out, "%lld ", number_of(limits, "text_max"));
	for (size_t i = 0; i < unit.len; i++)
		buf_addf(&out, "%c", unit.ptr[i] == '_' ? ' ' : unit.ptr[i]);
	return buf_str(&out);
}

static void print_all(struct person *person, const struct json *data)
{
	static const char *const heads[] = {"PLATFORM", "NAME", "TYPES", "TEXT", "COMMENTS"};
	struct arena *arena = person->arena;
	struct person_table table;
	person_table_begin(&table, arena, heads, COUNT_OF(heads), data != NULL ? data->count : 0);
	for (size_t i = 0; json_at(data, i) != NULL; i++) {
		const struct json *platform = json_at(data, i);
		const struct json *limits = json_get(platform, "limits");
		person_table_add(
			&table,
			(struct str[]){
				text_of(platform, "slug"), text_of(platform, "name"),
				join(arena, json_get(platform, "post_types"), "type"),
				text_limit(arena, limits),
				str_format(arena, "%lld", number_of(limits, "comments_max"))});
	}
	person_table_print(person->out, &table, "");
	fputs("More about one of them: posthorn platforms PLATFORM\n", person->out);
}

/* ---- one ---- */

static void print_types(struct person *person, const struct json *types)
{
	static const char *const heads[] = {"--type", "IMAGES", "VIDEOS", "TEXT", "WHAT"};
	struct arena *arena = person->arena;
	struct person_table table;
	person_table_begin(&table, arena, heads, COUNT_OF(heads), types != NULL ? types->count : 0);
	for (size_t i = 0; json_at(types, i) != NULL; i++) {
		const struct json *type = json_at(types, i);
		const struct json *images = json_get(type, "images");
		const struct json *videos = json_get(type, "videos");
		person_table_add(
			&table,
			(struct str[]){text_of(type, "type"),
				       str_format(arena, "%lld to %lld", number_of(images, "min"),
						  number_of(images, "max")),
				       str_format(arena, "%lld to %lld", number_of(videos, "min"),
						  number_of(videos, "max")),
				       str_format(arena, "up to %lld", number_of(type, "text_max")),
				       text_of(type, "summary")});
	}
	person_table_print(person->out, &table, "");
}

static void print_options(struct person *person, struct str slug, const struct json *options)
{
	static const char *const heads[] = {"--option", "VALUE", "WHAT"};
	struct arena *arena = person->arena;
	struct person_table table;
	person_table_begin(&table, arena, heads, COUNT_OF(heads),
			   options != NULL ? options->count : 0);
	for (size_t i = 0; json_at(options, i) != NULL; i++) {
		const struct json *option = json_at(options, i);
		const struct str values = join(arena, json_get(option, "values"), NULL);
		const struct str what = text_of(option, "summary");
		person_table_add(
			&table,
			(struct str[]){str_format(arena, STR_FMT "." STR_FMT, STR_ARG(slug),
						  STR_ARG(text_of(option, "name"))),
				       text_of(option, "type"),
				       str_is_empty(values)
					       ? what
					       : str_format(arena, STR_FMT " One of: " STR_FMT,
							    STR_ARG(what), STR_ARG(values))});
	}
	person_table_print(person->out, &table, "");
}

static void print_one(struct person *person, const struct json *platform)
{
	struct arena *arena = person->arena;
	const struct json *limits = json_get(platform, "limits");
	const struct str slug = text_of(platform, "slug");
	person_print_line(person, "Platform", slug);
	person_print_line(person, "Name", text_of(platform, "name"));
	person_print_line(person, "Text", text_limit(arena, limits));
	person_print_line(
		person, "Comments",
		str_format(arena, "up to %lld of %lld, each with %lld images, %lld videos",
			   number_of(limits, "comments_max"), number_of(limits, "comment_text_max"),
			   number_of(limits, "comment_images_max"),
			   number_of(limits, "comment_videos_max")));
	person_print_line(person, "--alt",
			  str_format(arena, "up to %lld", number_of(limits, "alt_text_max")));
	fputc('\n', person->out);
	print_types(person, json_get(platform, "post_types"));
	if (json_at(json_get(platform, "options"), 0) != NULL)
		fputc('\n', person->out);
	print_options(person, slug, json_get(platform, "options"));
}

enum person_status person_verb_platforms(struct person *person)
{
	const char *word = person->flags->word;
	const enum platform_id wanted =
		word != NULL ? platform_id_of_slug(str_of(word)) : PLATFORM_NONE;
	struct person_answer answer = {0};
	if (word != NULL && wanted == PLATFORM_NONE)
		return person_platform_wrong(person);
	const enum person_status status = person_fetch(person, STR("/v1/platforms"), &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	const struct json *data = json_get(answer.json, "data");
	if (word == NULL)
		print_all(person, data);
	for (size_t i = 0; word != NULL && json_at(data, i) != NULL; i++) {
		if (number_of(json_at(data, i), "id") == (long long)wanted)
			print_one(person, json_at(data, i));
	}
	if (json_bool(json_get(answer.json, "sandbox"), false))
		fputs("This service is in sandbox mode: nothing reaches a real platform.\n",
		      person->err);
	return PERSON_DONE;
}
