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
			 STR_ARG(key != NULL ? json_get_string(item, key) : json_string(item)));
	}
	return buf_str(&out);
}

/* ---- all ---- */

/* "280 weighted", "2200 code points" */
static struct str text_limit(struct arena *arena, const struct json *limits)
{
	struct buf out;
	const struct str unit = json_get_string(limits, "text_unit");
	buf_init(&out, arena, LIST_MAX_BYTES);
	buf_addf(&out, "%lld ", number_of(limits, "text_max"));
	for (size_t i = 0; i < unit.len; i++)
		buf_addf(&out, "%c", unit.ptr[i] == '_' ? ' ' : unit.ptr[i]);
	return buf_str(&out);
}

static void add_platform(struct person_table *table, const struct json *platform)
{
	struct arena *arena = table->arena;
	const struct json *limits = json_get(platform, "limits");
	person_table_add(
		table,
		(struct str[]){json_get_string(platform, "slug"), json_get_string(platform, "name"),
			       join(arena, json_get(platform, "post_types"), "type"),
			       text_limit(arena, limits),
			       str_format(arena, "%lld", number_of(limits, "comments_max"))});
}

static void print_all(struct person *person, const struct json *data)
{
	static const char *const heads[] = {"PLATFORM", "NAME", "TYPES", "TEXT", "COMMENTS"};
	person_print_list(person, data, heads, COUNT_OF(heads), add_platform);
	fputs("More about one of them: posthorn platforms PLATFORM\n", person->out);
}

/* ---- one ---- */

static struct str range_of(struct arena *arena, const struct json *range)
{
	return str_format(arena, "%lld to %lld", number_of(range, "min"), number_of(range, "max"));
}

static void add_type(struct person_table *table, const struct json *type)
{
	struct arena *arena = table->arena;
	person_table_add(
		table, (struct str[]){json_get_string(type, "type"),
				      range_of(arena, json_get(type, "images")),
				      range_of(arena, json_get(type, "videos")),
				      str_format(arena, "up to %lld", number_of(type, "text_max")),
				      json_get_string(type, "summary")});
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
		const struct str what = json_get_string(option, "summary");
		person_table_add(
			&table,
			(struct str[]){str_format(arena, STR_FMT "." STR_FMT, STR_ARG(slug),
						  STR_ARG(json_get_string(option, "name"))),
				       json_get_string(option, "type"),
				       str_is_empty(values)
					       ? what
					       : str_format(arena, STR_FMT " One of: " STR_FMT,
							    STR_ARG(what), STR_ARG(values))});
	}
	person_table_print(person->out, &table, "");
}

static void print_one(struct person *person, const struct json *platform)
{
	static const char *const heads[] = {"--type", "IMAGES", "VIDEOS", "TEXT", "WHAT"};
	struct arena *arena = person->arena;
	const struct json *limits = json_get(platform, "limits");
	const struct str slug = json_get_string(platform, "slug");
	person_print_line(person, "Platform", slug);
	person_print_line(person, "Name", json_get_string(platform, "name"));
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
	person_print_list(person, json_get(platform, "post_types"), heads, COUNT_OF(heads),
			  add_type);
	if (json_at(json_get(platform, "options"), 0) != NULL)
		fputc('\n', person->out);
	print_options(person, slug, json_get(platform, "options"));
}

enum person_status person_verb_platforms(struct person *person)
{
	const char *word = person->flags->word;
	const enum platform_id wanted =
		word != NULL ? platform_id_of_slug(str_of(word)) : PLATFORM_NONE;
	enum person_status status;
	if (word != NULL && wanted == PLATFORM_NONE)
		return person_platform_wrong(person);
	const struct person_answer *answer =
		person_fetch_shown(person, STR("/v1/platforms"), &status);
	if (answer == NULL)
		return status;
	const struct json *data = json_get(answer->json, "data");
	if (word == NULL)
		print_all(person, data);
	for (size_t i = 0; word != NULL && json_at(data, i) != NULL; i++) {
		if (number_of(json_at(data, i), "id") == (long long)wanted)
			print_one(person, json_at(data, i));
	}
	if (json_bool(json_get(answer->json, "sandbox"), false))
		fputs("This service is in sandbox mode: nothing reaches a real platform.\n",
		      person->err);
	return PERSON_DONE;
}
