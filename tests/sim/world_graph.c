/* SPDX-License-Identifier: Apache-2.0
 * Instagram and Facebook Pages behind the Graph (platforms/meta.md 3, 4, 6). */
#include "world.h"

#include "buf.h"

#include "json.h"

#define LIST_MAX_BYTES (512 * 1024)

static struct str field(const struct ask *ask, const char *name)
{
	const struct str *value = form_find(&ask->form, name);
	return value != NULL ? *value : STR("");
}

static void refuse(struct world *world, struct answer *answer, int code, int subcode)
{
	world_answer(answer, 400,
		     str_format(world->sim->arena,
				"{\"error\":{\"message\":\"no\",\"code\":%d,\"error_subcode\":%d}}",
				code, subcode));
}

static void made(struct world *world, struct answer *answer, struct str id)
{
	const struct str text = world_id_json(world, id);
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"id\":" STR_FMT "}", STR_ARG(text)));
}

/* ---- lists ---- */

/* Entries with that parent ("" = posts of the account), as Graph lists them. */
static void list(struct world *world, size_t home, struct str parent, const char *text_name,
		 const char *time_name, struct answer *answer)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (entry->home != home || !str_equal(entry->parent, parent) ||
		    !world_is_listed(world, entry))
			continue;
		const struct str text = world_quoted(world, entry->text);
		const struct str id = world_id_json(world, entry->id);
		const struct str at = world_instant(world, entry->at_us);
		buf_addf(&out,
			 "%s{\"id\":" STR_FMT ",\"%s\":" STR_FMT ",\"%s\":\"" STR_FMT
			 "+0000\",\"permalink\":\"https://i.g/" STR_FMT
			 "\",\"permalink_url\":\"https://f.b/" STR_FMT "\"}",
			 out.len > 0 ? "," : "", STR_ARG(id), text_name, STR_ARG(text), time_name,
			 STR_ARG(str_slice(at, 0, at.len - 1)), STR_ARG(entry->id),
			 STR_ARG(entry->id));
	}
	const struct str items = buf_str(&out);
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"data\":[" STR_FMT "]}", STR_ARG(items)));
}

/* ---- Instagram: container, wait, media_publish ---- */

#define CONTAINER_LIFE_US US_PER_DAY /* meta.md 4.2 */

static const char *container_state(const struct world *world, const struct piece *piece)
{
	const int64_t now_us = world->sim->true_us;
	if (piece->entry != NULL && now_us >= piece->changed_at_us + piece->stale_us)
		return "PUBLISHED";
	if (piece->entry == NULL && now_us > piece->begun_at_us + CONTAINER_LIFE_US)
		return "EXPIRED";
	if (now_us < piece->ready_at_us)
		return "IN_PROGRESS";
	return piece->ends_in_error ? "ERROR" : "FINISHED";
}

static void container_make(struct world *world, const struct ask *ask, struct home *home,
			   struct answer *answer)
{
	if (str_is_empty(field(ask, "image_url"))) {
		refuse(world, answer, 100, 2207004);
		return;
	}
	made(world, answer,
	     world_begin(world, PIECE_CONTAINER, world_home_index(world, home),
			 field(ask, "caption"))
		     ->id);
}

static void container_tell(struct world *world, const struct piece *piece, struct answer *answer)
{
	const char *state = container_state(world, piece);
	world_answer(answer, 200,
		     str_format(world->sim->arena,
				"{\"status_code\":\"%s\",\"status\":\"%s%s\",\"id\":\"" STR_FMT
				"\"}",
				state, state, piece->ends_in_error ? ": error code 2207053" : "",
				STR_ARG(piece->id)));
}

/* A container is published once: that is the whole proof. */
static void container_publish(struct world *world, const struct ask *ask, struct home *home,
			      struct answer *answer)
{
	struct piece *piece = world_piece(world, PIECE_CONTAINER, field(ask, "creation_id"));
	const size_t index = world_home_index(world, home);
	if (piece == NULL || piece->home != index) {
		refuse(world, answer, 100, 2207008);
		return;
	}
	const bool is_ready = world->sim->true_us >= piece->ready_at_us && !piece->ends_in_error &&
			      world->sim->true_us <= piece->begun_at_us + CONTAINER_LIFE_US;
	if (piece->entry != NULL || !is_ready) {
		refuse(world, answer, 9007, 2207027);
		return;
	}
	piece->entry = world_publish(world, index, world_id(world, ""), piece->text, STR(""));
	piece->changed_at_us = world->sim->true_us;
	made(world, answer, piece->entry->id);
}

/* ---- what is asked of an account ---- */

static void quota(struct world *world, struct answer *answer)
{
	(void)world;
	world_answer(answer, 200,
		     STR("{\"data\":[{\"quota_usage\":1,\"config\":{\"quota_total\":100}}]}"));
}

static void feed(struct world *world, const struct ask *ask, struct home *home,
		 struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	const struct str message = field(ask, "message");
	if (world->sim->weather.facebook_knows_duplicates &&
	    world_twin(world, index, message, STR(""), 0) != NULL) {
		refuse(world, answer, 506, 0);
		return;
	}
	const struct str id = world_id(world, "");
	const struct str whole =
		str_format(world->sim->arena, STR_FMT "_" STR_FMT, STR_ARG(home->id), STR_ARG(id));
	made(world, answer, world_publish(world, index, whole, message, STR(""))->id);
}

static void comment(struct world *world, const struct ask *ask, struct home *home,
		    const struct entry *parent, struct answer *answer)
{
	made(world, answer,
	     world_publish(world, world_home_index(world, home), world_id(world, ""),
			   field(ask, "message"), parent->id)
		     ->id);
}

static bool is_edge(const struct ask *ask, const char *edge)
{
	return ask->path_count == 3 && str_equal_z(ask->path[2], edge);
}

static void account_get(struct world *world, const struct ask *ask, struct home *home,
			struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	if (is_edge(ask, "content_publishing_limit"))
		quota(world, answer);
	if (is_edge(ask, "media"))
		list(world, index, STR(""), "caption", "timestamp", answer);
	if (is_edge(ask, "published_posts"))
		list(world, index, STR(""), "message", "created_time", answer);
}

static void account_post(struct world *world, const struct ask *ask, struct home *home,
			 struct answer *answer)
{
	if (is_edge(ask, "media"))
		container_make(world, ask, home, answer);
	if (is_edge(ask, "media_publish"))
		container_publish(world, ask, home, answer);
	if (is_edge(ask, "feed"))
		feed(world, ask, home, answer);
}

static void entry_asked(struct world *world, const struct ask *ask, struct home *home,
			const struct entry *entry, struct answer *answer)
{
	const bool is_post = str_equal_z(ask->method, "POST");
	const char *text_name = home->platform == PLATFORM_INSTAGRAM ? "text" : "message";
	const char *time_name = home->platform == PLATFORM_INSTAGRAM ? "timestamp" : "created_time";
	if (is_edge(ask, "comments") && is_post)
		comment(world, ask, home, entry, answer);
	else if (is_edge(ask, "comments"))
		list(world, world_home_index(world, home), entry->id, text_name, time_name, answer);
	else
		world_answer(answer, 200,
			     str_format(world->sim->arena,
					"{\"permalink\":\"https://i.g/" STR_FMT "\"}",
					STR_ARG(entry->id)));
}

void graph_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	const struct piece *piece = world_piece(world, PIECE_CONTAINER, ask->path[1]);
	const struct entry *entry = world_entry(world, ask->path[1]);
	if (str_equal(ask->path[1], home->id) && str_equal_z(ask->method, "GET"))
		account_get(world, ask, home, answer);
	else if (str_equal(ask->path[1], home->id))
		account_post(world, ask, home, answer);
	else if (piece != NULL)
		container_tell(world, piece, answer);
	else if (entry != NULL)
		entry_asked(world, ask, home, entry, answer);
	else
		world_refuse(world, VOICE_GRAPH, REFUSE_NOT_FOUND, answer);
}
