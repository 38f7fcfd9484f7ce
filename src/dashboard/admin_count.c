/* SPDX-License-Identifier: Apache-2.0
 * Admin API: texts counted as each platform counts them, and where each would end, for who is
 * writing: from the rules that publish requests are checked against. */
#include "admin_private.h"

#include "utf8.h"

#include "platform.h"
#include "rules.h"

#define TEXTS_MAX 10
#define TEXT_MAX_BYTES ((size_t)50000)

/* How many code points of text a platform takes; all of them when it fits. */
static size_t fitting(const struct post_rules *rules, struct str text, int64_t max)
{
	size_t low = 0;
	size_t high = utf8_code_points(text);
	if (rules->text_unit->length(text) <= max)
		return high;
	while (low < high) {
		const size_t middle = (low + high + 1) / 2;
		if (rules->text_unit->length(utf8_cut(text, middle)) <= max)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void write_platform(struct json_writer *w, const struct post_rules *rules,
			   const struct json *texts)
{
	json_begin_array(w);
	for (size_t i = 0; i < texts->count; i++) {
		const struct str text = texts->items[i].string;
		const int64_t max = i == 0 ? rules->text_max : rules->comment_text_max;
		json_begin_object(w);
		json_member_int(w, "length", rules->text_unit->length(text));
		json_member_int(w, "max", max);
		json_member_int(w, "fits", (int64_t)fitting(rules, text, max));
		json_end_object(w);
	}
	json_end_array(w);
}

/* False: answered. */
static bool are_texts(struct http_response *response, const struct json *texts)
{
	bool is_good =
		json_is(texts, JSON_TYPE_ARRAY) && texts->count >= 1 && texts->count <= TEXTS_MAX;
	for (size_t i = 0; is_good && i < texts->count; i++)
		is_good = json_is(&texts->items[i], JSON_TYPE_STRING) &&
			  texts->items[i].string.len <= TEXT_MAX_BYTES;
	if (!is_good)
		admin_respond_field_error(
			response, "texts",
			STR("texts must be 1 to 10 texts of at most 50,000 bytes each."));
	return is_good;
}

void admin_count(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	const struct json *body = admin_request_body(request, response, KNOWN("texts"));
	if (body == NULL || !are_texts(response, json_get(body, "texts")))
		return;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	for (enum platform_id id = PLATFORM_NONE + 1; id <= PLATFORM_ID_MAX; id++) {
		const struct platform *platform = platform_of(id);
		if (platform == NULL)
			continue;
		json_key(&w, platform_id_slug(id));
		write_platform(&w, platform->rules, json_get(body, "texts"));
	}
	json_end_object(&w);
}
