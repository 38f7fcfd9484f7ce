/* SPDX-License-Identifier: Apache-2.0
 * GET /v1/platforms: the limits of each platform, from the same rules tables that publish requests
 * are checked against. */
#include "api_private.h"

#include "platform.h"
#include "rules.h"

static void write_range(struct json_writer *w, const char *key, int min, int max)
{
	json_key(w, key);
	json_begin_object(w);
	json_member_int(w, "min", min);
	json_member_int(w, "max", max);
	json_end_object(w);
}

static void write_types(struct json_writer *w, const struct post_rules *rules)
{
	json_key(w, "post_types");
	json_begin_array(w);
	for (const struct type_rule *type = rules->types; type->type != POST_TYPE_NONE; type++) {
		json_begin_object(w);
		json_member_str(w, "type", str_of(post_type_name(type->type)));
		json_member_bool(w, "default", type == rules->types);
		json_member_str(w, "summary", str_of(type->summary));
		write_range(w, "images", type->images_min, type->images_max);
		write_range(w, "videos", type->videos_min, type->videos_max);
		write_range(w, "media", type->media_min, type->media_max);
		json_member_bool(w, "text_required", type->text_required);
		json_member_int(w, "text_max",
				type->text_max > 0 ? type->text_max : rules->text_max);
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_limits(struct json_writer *w, const struct post_rules *rules)
{
	json_key(w, "limits");
	json_begin_object(w);
	json_member_int(w, "text_max", rules->text_max);
	json_member_str(w, "text_unit", str_of(rules->text_unit->name));
	json_member_int(w, "comments_max", rules->comments_max);
	json_member_int(w, "comment_text_max", rules->comment_text_max);
	json_member_int(w, "comment_images_max", rules->comment_images_max);
	json_member_int(w, "comment_videos_max", rules->comment_videos_max);
	json_member_int(w, "alt_text_max", rules->alt_text_max);
	json_end_object(w);
}

static void write_values(struct json_writer *w, const char *values)
{
	if (values == NULL)
		return;
	struct str rest = str_of(values);
	struct str value;
	json_key(w, "values");
	json_begin_array(w);
	while (rest.ptr != NULL && str_take_field(&rest, '|', &value))
		json_put_str(w, value);
	json_end_array(w);
}

static void write_options(struct json_writer *w, const struct post_rules *rules)
{
	static const char *const types[] = {
		[OPTION_STRING] = "string", [OPTION_BOOL] = "boolean",
		[OPTION_INT] = "integer",   [OPTION_STRING_LIST] = "array",
		[OPTION_OBJECT] = "object", [OPTION_OBJECT_LIST] = "array",
		[OPTION_ENUM] = "string",
	};
	json_key(w, "options");
	json_begin_array(w);
	for (const struct option_rule *option = rules->options; option->name != NULL; option++) {
		json_begin_object(w);
		json_member_str(w, "name", str_of(option->name));
		json_member_str(w, "type", str_of(types[option->type]));
		if (option->max > 0)
			json_member_int(w, "max", option->max);
		write_values(w, option->values);
		json_member_str(w, "summary", str_of(option->summary));
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_platform(struct json_writer *w, const struct platform *platform)
{
	json_begin_object(w);
	json_member_int(w, "id", platform->id);
	json_member_str(w, "slug", str_of(platform->slug));
	json_member_str(w, "name", str_of(platform_id_name(platform->id)));
	json_member_bool(w, "can_unpublish", platform->stages[OPERATION_REMOVE] != NULL);
	write_types(w, platform->rules);
	write_limits(w, platform->rules);
	write_options(w, platform->rules);
	json_end_object(w);
}

void api_platform_list(void *context, struct http_request *request, struct http_response *response)
{
	const struct api *api = context;
	const bool is_test = request_app(request)->world.is_test;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++)
		write_platform(&w, platform_of((enum platform_id)id));
	json_end_array(&w);
	json_member_bool(&w, "sandbox", api->config.is_sandbox);
	json_key(&w, "meta");
	json_begin_object(&w);
	json_member_str(&w, "mode",
			is_test                  ? STR("test")
			: api->config.is_sandbox ? STR("sandbox")
						 : STR("live"));
	json_end_object(&w);
	json_end_object(&w);
}
