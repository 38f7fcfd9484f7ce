/* SPDX-License-Identifier: Apache-2.0
 * X (platforms/x.md 1.4, 2.1, 5). */
#include "world.h"

#include "buf.h"
#include "timetext.h"

#include "json.h"

#define LIST_MAX_BYTES (512 * 1024)

static void create(struct world *world, const struct ask *ask, struct home *home,
		   struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	const struct str text = json_string(json_get(ask->json, "text"));
	const struct str parent =
		json_string(json_get(json_get(ask->json, "reply"), "in_reply_to_tweet_id"));
	if (!str_is_empty(parent) && world_entry(world, parent) == NULL) {
		world_refuse(world, VOICE_X, REFUSE_NOT_FOUND, answer);
		return;
	}
	if (world->sim->weather.x_knows_duplicates &&
	    world_twin(world, index, text, parent, 0) != NULL) {
		world_refuse(world, VOICE_X, REFUSE_DUPLICATE, answer);
		return;
	}
	const struct entry *entry = world_publish(world, index, world_id(world, ""), text, parent);
	world_answer(answer, 201,
		     str_format(world->sim->arena, "{\"data\":{\"id\":\"" STR_FMT "\"}}",
				STR_ARG(entry->id)));
}

/* X escapes three characters (x.md 5). */
static struct str escaped(struct world *world, struct str text)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '&')
			buf_add_z(&out, "&amp;");
		else if (text.ptr[i] == '<')
			buf_add_z(&out, "&lt;");
		else
			buf_add_char(&out, text.ptr[i]);
	}
	return world_quoted(world, buf_str(&out));
}

static void add_item(struct world *world, struct buf *out, const struct entry *entry)
{
	const struct str text = escaped(world, entry->text);
	const struct str at = world_instant(world, entry->at_us);
	buf_addf(out,
		 "%s{\"id\":\"" STR_FMT "\",\"text\":" STR_FMT ",\"created_at\":\"" STR_FMT "\"",
		 out->len > 0 ? "," : "", STR_ARG(entry->id), STR_ARG(text), STR_ARG(at));
	if (!str_is_empty(entry->parent))
		buf_addf(out,
			 ",\"referenced_tweets\":[{\"type\":\"replied_to\",\"id\":\"" STR_FMT
			 "\"}]",
			 STR_ARG(entry->parent));
	buf_add_char(out, '}');
}

static void timeline(struct world *world, const struct ask *ask, struct home *home,
		     struct answer *answer)
{
	const struct str *start = form_find(&ask->query, "start_time");
	int64_t since_us = 0;
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	if (start != NULL)
		timetext_parse_instant(*start, &since_us);
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (entry->home == world_home_index(world, home) && world_is_listed(world, entry) &&
		    entry->at_us >= since_us)
			add_item(world, &out, entry);
	}
	const struct str items = buf_str(&out);
	world_answer(answer, 200,
		     str_is_empty(items) ? STR("{\"meta\":{\"result_count\":0}}")
					 : str_format(world->sim->arena, "{\"data\":[" STR_FMT "]}",
						      STR_ARG(items)));
}

void x_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	if (str_equal_z(ask->url.path, "/2/oauth2/token")) {
		world_refresh(world, ask, PLATFORM_X, true, answer);
		return;
	}
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	if (str_equal_z(ask->url.path, "/2/tweets") && str_equal_z(ask->method, "POST"))
		create(world, ask, home, answer);
	else if (ask->path_count == 4 && str_equal(ask->path[2], home->id) &&
		 str_equal_z(ask->path[3], "tweets"))
		timeline(world, ask, home, answer);
}
