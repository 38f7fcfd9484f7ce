/* SPDX-License-Identifier: Apache-2.0
 * What is said of a video (youtube.md 2.1, 6): title, snippet, status and the further
 * parts that options fill. What is allowed is youtube_rules.c. */
#include "count_of.h"

#include "youtube_adapter.h"

#include "json_write.h"
#include "utf8.h"

#define TITLE_MAX_CHARACTERS 100

static struct str first_line(struct str content)
{
	struct str line;
	while (str_take_field(&content, '\n', &line)) {
		line = str_trim(line);
		if (!str_is_empty(line))
			return line;
	}
	return (struct str){0};
}

struct str youtube_title(struct str given, struct str content)
{
	given = str_trim(given);
	if (!str_is_empty(given))
		return given;
	return str_trim(utf8_cut(first_line(content), TITLE_MAX_CHARACTERS));
}

/* Text of the option of that name, or the empty str. */
static struct str option_text(const struct env *env, const char *name)
{
	return json_string(json_get(env->options, name));
}

static struct str option_or(const struct env *env, const char *name, const char *fallback)
{
	const struct str value = option_text(env, name);
	return str_is_empty(value) ? str_of(fallback) : value;
}

struct str youtube_video_title(const struct env *env)
{
	return youtube_title(option_text(env, "title"), env->post->containers[0].content);
}

struct str youtube_privacy(const struct json *options)
{
	const struct str given = json_string(json_get(options, "privacyStatus"));
	if (!str_is_empty(json_string(json_get(options, "publishAt"))))
		return STR("private");
	return str_is_empty(given) ? STR("public") : given;
}

void youtube_call_json(struct call *call, const struct buf *body)
{
	call_header(call, "Content-Type", STR("application/json; charset=UTF-8"));
	call->body = buf_str(body);
}

/* Members of the body that are options of the same name. */
static void options_write(const struct env *env, struct json_writer *w, const char *const *names)
{
	for (; *names != NULL; names++) {
		const struct json *value = json_get(env->options, *names);
		if (json_is_null(value))
			continue;
		json_key(w, *names);
		json_put_value(w, value);
	}
}

static void snippet_write(const struct env *env, struct json_writer *w)
{
	static const char *const names[] = {"tags", "defaultLanguage", "defaultAudioLanguage",
					    NULL};
	const struct str content = env->post->containers[0].content;
	const struct str description = option_text(env, "description");
	json_begin_object(w);
	json_member_str(w, "title", youtube_video_title(env));
	json_member_str(w, "description", str_is_empty(description) ? content : description);
	json_member_str(w, "categoryId", option_or(env, "categoryId", "22"));
	options_write(env, w, names);
	json_end_object(w);
}

static void status_write(const struct env *env, struct json_writer *w)
{
	static const char *const names[] = {"publishAt",  "containsSyntheticMedia", "license",
					    "embeddable", "publicStatsViewable",    NULL};
	json_begin_object(w);
	json_member_str(w, "privacyStatus", youtube_privacy(env->options));
	json_member_bool(w, "selfDeclaredMadeForKids",
			 json_bool(json_get(env->options, "selfDeclaredMadeForKids"), false));
	options_write(env, w, names);
	json_end_object(w);
}

/* Parts that are an option of the same name, and the one member of theirs that may be set; NULL =
 * all that is given. */
static const struct {
	const char *part;
	const char *member;
} further_parts[] = {
	{"localizations", NULL},
	{"recordingDetails", "recordingDate"},
	{"paidProductPlacementDetails", "hasPaidProductPlacement"},
};

#define FURTHER_COUNT COUNT_OF(further_parts)

static const struct json *further_value(const struct env *env, size_t row)
{
	const struct json *value = json_get(env->options, further_parts[row].part);
	if (json_is_null(value) || further_parts[row].member == NULL)
		return json_is_null(value) ? NULL : value;
	return json_get(value, further_parts[row].member);
}

static void further_write(const struct env *env, struct json_writer *w)
{
	for (size_t i = 0; i < FURTHER_COUNT; i++) {
		const struct json *value = further_value(env, i);
		if (json_is_null(value))
			continue;
		json_key(w, further_parts[i].part);
		if (further_parts[i].member != NULL) {
			json_begin_object(w);
			json_key(w, further_parts[i].member);
		}
		json_put_value(w, value);
		if (further_parts[i].member != NULL)
			json_end_object(w);
	}
}

struct str youtube_parts(const struct env *env)
{
	struct buf parts;
	buf_init(&parts, env->arena, YOUTUBE_URL_MAX_BYTES);
	buf_add_z(&parts, "snippet,status");
	for (size_t i = 0; i < FURTHER_COUNT; i++) {
		if (!json_is_null(further_value(env, i)))
			buf_addf(&parts, ",%s", further_parts[i].part);
	}
	return buf_str(&parts);
}

struct str youtube_metadata(const struct env *env)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, YOUTUBE_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "snippet");
	snippet_write(env, &w);
	json_key(&w, "status");
	status_write(env, &w);
	further_write(env, &w);
	json_end_object(&w);
	return buf_str(&body);
}
