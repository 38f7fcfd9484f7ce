/* SPDX-License-Identifier: Apache-2.0
 * See person_body.h. */
#include "person_body.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "timetext.h"

#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "media_id.h"
#include "platform_id.h"

#include "person_print.h"
#include "person_targets.h"
#include "person_time.h"
#include "person_upload.h"

#define BODY_MAX_BYTES ((size_t)16 << 20)
#define INPUT_MAX_BYTES ((size_t)1 << 20)

/* ---- the text ---- */

static enum person_status read_input(struct person *person, struct str *out)
{
	char *bytes = arena_alloc(person->arena, INPUT_MAX_BYTES);
	const size_t count = fread(bytes, 1, INPUT_MAX_BYTES, person->in);
	if (ferror(person->in) != 0)
		return person_say_wrong(person, "standard input cannot be read");
	if (count == INPUT_MAX_BYTES)
		return person_say_wrong(person, "standard input is longer than 1 MiB");
	*out = (struct str){bytes, count};
	/* An editor's or echo's last line end is not meant. */
	while (!str_is_empty(*out) && out->ptr[out->len - 1] == '\n')
		out->len--;
	return PERSON_DONE;
}

static enum person_status read_text(struct person *person, struct person_body *body)
{
	const char *word = person->flags->word;
	enum person_status status = PERSON_DONE;
	body->has_content = word != NULL;
	body->content = str_of(word);
	if (word != NULL && str_equal_z(body->content, "-"))
		status = read_input(person, &body->content);
	if (status == PERSON_DONE && !body->has_content &&
	    !person_flag_is_given(person->flags, PERSON_FLAG_media))
		return person_say_wrong(person, "a post needs a text or --media");
	return status;
}

/* ---- media ---- */

static const struct {
	const char *ending;
	const char *type;
} endings[] = {
	{".jpg", "image"},  {".jpeg", "image"}, {".png", "image"},  {".gif", "image"},
	{".webp", "image"}, {".heic", "image"}, {".avif", "image"}, {".tif", "image"},
	{".tiff", "image"}, {".mp4", "video"},  {".mov", "video"},  {".m4v", "video"},
	{".webm", "video"}, {".avi", "video"},  {".mkv", "video"},
};

static bool has_ending(struct str text, struct str ending)
{
	return text.len >= ending.len &&
	       str_equal_nocase(str_slice(text, text.len - ending.len, text.len), ending);
}

static bool is_url(struct str text)
{
	return str_equal_nocase(str_slice(text, 0, 7), STR("http://")) ||
	       str_equal_nocase(str_slice(text, 0, 8), STR("https://"));
}

/* "image" or "video"; NULL = not known. *url is without the kind that may stand before it. */
static const char *media_type(struct str *url)
{
	if (str_skip(url, STR("image:")))
		return "image";
	if (str_skip(url, STR("video:")))
		return "video";
	const struct str before = str_slice(*url, 0, str_find_char(*url, '#', 0));
	const struct str path = str_slice(before, 0, str_find_char(before, '?', 0));
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		if (has_ending(path, str_of(endings[i].ending)))
			return endings[i].type;
	}
	return NULL;
}

static enum person_status check_media(struct person *person, const char *value)
{
	struct str url = str_of(value);
	const char *type = media_type(&url);
	if (media_id_is(url))
		return PERSON_DONE;
	if (!is_url(url))
		return person_upload_check(person, str_z(person->arena, url));
	if (type == NULL)
		return person_say_wrong(person,
					"--media %.200s: the ending does not say what it is; write "
					"image:URL or video:URL",
					value);
	return PERSON_DONE;
}

enum person_status person_body_upload(struct person *person)
{
	const struct person_flags *flags = person->flags;
	enum person_status status = PERSON_DONE;
	person->media_ids = ARENA_ARRAY(person->arena, struct str, flags->count);
	for (size_t i = 0; i < flags->count && status == PERSON_DONE; i++) {
		struct str url = str_of(flags->given[i].value);
		if (flags->given[i].flag != PERSON_FLAG_media)
			continue;
		(void)media_type(&url);
		if (!media_id_is(url) && !is_url(url))
			status = person_upload_file(person, str_z(person->arena, url),
						    &person->media_ids[i]);
	}
	return status;
}

/* Each --alt stands after the --media that it describes. */
static enum person_status check_all_media(struct person *person)
{
	const struct person_flags *flags = person->flags;
	bool may_describe = false;
	enum person_status status = PERSON_DONE;
	for (size_t i = 0; status == PERSON_DONE && i < flags->count; i++) {
		if (flags->given[i].flag == PERSON_FLAG_media) {
			status = check_media(person, flags->given[i].value);
			may_describe = true;
		} else if (flags->given[i].flag == PERSON_FLAG_alt) {
			if (!may_describe)
				return person_say_wrong(person,
							"--alt must stand after the --media that "
							"it describes");
			may_describe = false;
		}
	}
	return status;
}

/* ---- options ---- */

struct option {
	enum platform_id platform;
	struct str name;
	struct str value;
};

static bool read_option(const char *text, struct option *out)
{
	const struct str all = str_of(text);
	const size_t dot = str_find_char(all, '.', 0);
	const size_t equals = str_find_char(all, '=', 0);
	if (dot == SIZE_MAX || equals == SIZE_MAX || equals <= dot + 1)
		return false;
	*out = (struct option){
		.platform = platform_id_of_slug(str_slice(all, 0, dot)),
		.name = str_slice(all, dot + 1, equals),
		.value = str_slice(all, equals + 1, all.len),
	};
	return out->platform != PLATFORM_NONE;
}

static enum person_status check_options(struct person *person)
{
	const struct person_flags *flags = person->flags;
	struct option option;
	struct option before;
	const char *text;
	for (size_t i = 0; (text = person_flag_at(flags, PERSON_FLAG_option, i)) != NULL; i++) {
		if (!read_option(text, &option))
			return person_say_wrong(person,
						"--option %.100s: write PLATFORM.NAME=VALUE, for "
						"example x.reply_settings=following",
						text);
		for (size_t j = 0; j < i; j++) {
			if (read_option(person_flag_at(flags, PERSON_FLAG_option, j), &before) &&
			    before.platform == option.platform &&
			    str_equal(before.name, option.name))
				return person_say_wrong(
					person, "--option %s." STR_FMT " is given twice",
					platform_id_slug(option.platform), STR_ARG(option.name));
		}
	}
	return PERSON_DONE;
}

/* JSON where it is JSON, else a text. */
static void write_value(struct person *person, struct json_writer *w, struct str value)
{
	const struct json *json = NULL;
	if (json_parse(person->arena, value, NULL, &json, NULL, NULL) == ERR_NONE)
		json_put_value(w, json);
	else
		json_put_str(w, value);
}

static void write_options_of(struct person *person, struct json_writer *w,
			     enum platform_id platform)
{
	struct option option;
	const char *text;
	bool has_begun = false;
	for (size_t i = 0; (text = person_flag_at(person->flags, PERSON_FLAG_option, i)) != NULL;
	     i++) {
		if (!read_option(text, &option) || option.platform != platform)
			continue;
		if (!has_begun) {
			json_key(w, platform_id_slug(platform));
			json_begin_object(w);
		}
		has_begun = true;
		json_key_str(w, option.name);
		write_value(person, w, option.value);
	}
	if (has_begun)
		json_end_object(w);
}

void person_body_write_options(struct person *person, struct json_writer *w)
{
	if (!person_flag_is_given(person->flags, PERSON_FLAG_option))
		return;
	json_key(w, "platforms");
	json_begin_object(w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++)
		write_options_of(person, w, (enum platform_id)id);
	json_end_object(w);
}

/* ---- all of it ---- */

enum person_status person_body_read_time(struct person *person, struct str *instant_out)
{
	const char *at = person_flag_text(person->flags, PERSON_FLAG_at);
	int64_t us = 0;
	if (at == NULL)
		return PERSON_DONE;
	if (!person_time_parse(str_of(at), clock_now_us(person->clock), &us))
		return person_say_wrong(person,
					"--at %.60s is no time: write 2027-01-01T09:00Z, "
					"2027-01-01T09:00+01:00, or +2h",
					at);
	*instant_out = timetext_format_instant(person->arena, us);
	return PERSON_DONE;
}

enum person_status person_body_check_flags(struct person *person, struct str *scheduled_at_out)
{
	const struct person_flags *flags = person->flags;
	enum person_status status = check_all_media(person);
	if (status == PERSON_DONE)
		status = check_options(person);
	if (status == PERSON_DONE)
		status = person_body_read_time(person, scheduled_at_out);
	for (size_t i = 0; i < flags->count && status == PERSON_DONE; i++) {
		if (!utf8_is_valid(str_of(flags->given[i].value)))
			return person_say_wrong(person, "a flag's value is not UTF-8");
	}
	return status;
}

enum person_status person_body_check(struct person *person, struct person_body *body_out)
{
	*body_out = (struct person_body){0};
	enum person_status status = person_body_check_flags(person, &body_out->scheduled_at);
	if (status == PERSON_DONE)
		status = read_text(person, body_out);
	if (status == PERSON_DONE && !utf8_is_valid(body_out->content))
		return person_say_wrong(person, "the text is not UTF-8");
	return status;
}

void person_body_write_media(struct person *person, struct json_writer *w)
{
	const struct person_flags *flags = person->flags;
	if (!person_flag_is_given(flags, PERSON_FLAG_media))
		return;
	json_key(w, "media");
	json_begin_array(w);
	for (size_t i = 0; i < flags->count; i++) {
		if (flags->given[i].flag != PERSON_FLAG_media)
			continue;
		struct str url = str_of(flags->given[i].value);
		const char *type = media_type(&url);
		const bool is_uploaded =
			person->media_ids != NULL && !str_is_empty(person->media_ids[i]);
		json_begin_object(w);
		if (is_uploaded || media_id_is(url)) {
			json_member_str(w, "media_id", is_uploaded ? person->media_ids[i] : url);
		} else {
			json_member_str(w, "url", url);
			json_member_str(w, "type", str_of(type != NULL ? type : "image"));
		}
		/* its --alt stands before the next --media */
		for (size_t j = i + 1;
		     j < flags->count && flags->given[j].flag != PERSON_FLAG_media; j++) {
			if (flags->given[j].flag == PERSON_FLAG_alt)
				json_member_str(w, "alt_text", str_of(flags->given[j].value));
		}
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_post(struct person *person, struct json_writer *w, const struct person_body *body,
		       bool is_container)
{
	const char *type = person_flag_text(person->flags, PERSON_FLAG_type);
	if (type != NULL)
		json_member_str(w, "type", str_of(type));
	if (body->has_content || is_container)
		json_member_str(w, "content", body->content);
	person_body_write_media(person, w);
}

/* The first is the post, the others are its comments. */
static void write_containers(struct person *person, struct json_writer *w,
			     const struct person_body *body)
{
	const char *comment;
	json_key(w, "containers");
	json_begin_array(w);
	json_begin_object(w);
	write_post(person, w, body, true);
	json_end_object(w);
	for (size_t i = 0;
	     (comment = person_flag_at(person->flags, PERSON_FLAG_comment, i)) != NULL; i++) {
		json_begin_object(w);
		json_member_str(w, "content", str_of(comment));
		json_end_object(w);
	}
	json_end_array(w);
}

struct str person_body_write(struct person *person, const struct person_body *body,
			     const struct person_targets *targets, struct str request_id)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	if (!str_is_empty(request_id))
		json_member_str(&w, "request_id", request_id);
	json_key(&w, "account_ids");
	json_begin_array(&w);
	for (size_t i = 0; i < targets->count; i++)
		json_put_str(&w, targets->ids[i]);
	json_end_array(&w);
	if (person_flag_is_given(person->flags, PERSON_FLAG_comment))
		write_containers(person, &w, body);
	else
		write_post(person, &w, body, false);
	person_body_write_options(person, &w);
	if (!str_is_empty(body->scheduled_at))
		json_member_str(&w, "scheduled_at", body->scheduled_at);
	json_end_object(&w);
	return buf_str(&out);
}
