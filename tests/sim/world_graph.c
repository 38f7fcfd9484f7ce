/* SPDX-License-Identifier: Apache-2.0
 * Instagram and Facebook Pages behind the Graph (meta.md 3, 4, 6). */
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
		if (entry->home != home || !str_equal(entry->parent, parent) || entry->is_story ||
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

/* Stories show no text. */
static void list_stories(struct world *world, size_t home, struct answer *answer)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (entry->home != home || !entry->is_story || !world_is_listed(world, entry))
			continue;
		const struct str id = world_id_json(world, entry->id);
		const struct str at = world_instant(world, entry->at_us);
		buf_addf(&out,
			 "%s{\"id\":" STR_FMT ",\"media_type\":\"IMAGE\",\"timestamp\":\"" STR_FMT
			 "+0000\"}",
			 out.len > 0 ? "," : "", STR_ARG(id),
			 STR_ARG(str_slice(at, 0, at.len - 1)));
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
	if (now_us < piece->ready_at_us || piece->received_bytes < piece->size_bytes)
		return "IN_PROGRESS";
	return piece->ends_in_error ? "ERROR" : "FINISHED";
}

/* All there, of that account, and ready. */
static bool children_are_ready(struct world *world, size_t home, struct str ids)
{
	struct str id;
	size_t count = 0;
	for (; str_take_field(&ids, ',', &id); count++) {
		const struct piece *child = world_piece(world, PIECE_CONTAINER, id);
		if (child == NULL || child->home != home || !child->is_child ||
		    strcmp(container_state(world, child), "FINISHED") != 0)
			return false;
	}
	return count >= 2;
}

/* The file's name without its ending (script.c, add_story). */
static struct str story_text(struct str url)
{
	size_t at = 0;
	for (size_t slash = 0; slash != SIZE_MAX; slash = str_find_char(url, '/', at))
		at = slash + 1;
	return str_slice(url, at, url.len - strlen(".jpg"));
}

static bool takes_bytes(const struct ask *ask)
{
	return str_equal_z(field(ask, "upload_type"), "resumable");
}

static bool container_is_right(struct world *world, const struct ask *ask, size_t home)
{
	if (str_equal_z(field(ask, "media_type"), "CAROUSEL"))
		return children_are_ready(world, home, field(ask, "children"));
	return takes_bytes(ask) || !str_is_empty(field(ask, "image_url"));
}

static void container_answer(struct world *world, const struct piece *piece, struct answer *answer)
{
	const struct str id = world_id_json(world, piece->id);
	world_answer(
		answer, 200,
		str_format(world->sim->arena,
			   "{\"id\":" STR_FMT
			   ",\"uri\":\"https://rupload.facebook.com/ig-api-upload/v25.0/" STR_FMT
			   "\"}",
			   STR_ARG(id), STR_ARG(piece->id)));
}

static void container_make(struct world *world, const struct ask *ask, struct home *home,
			   struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	if (!container_is_right(world, ask, index)) {
		refuse(world, answer, 100, 2207004);
		return;
	}
	const bool is_story = str_equal_z(field(ask, "media_type"), "STORIES");
	struct piece *piece =
		world_begin(world, PIECE_CONTAINER, index,
			    is_story ? story_text(field(ask, "image_url")) : field(ask, "caption"));
	piece->is_story = is_story;
	piece->is_child = str_equal_z(field(ask, "is_carousel_item"), "true");
	piece->size_bytes = takes_bytes(ask);
	container_answer(world, piece, answer);
}

/* Bytes come once: what is there already is refused. */
static void container_fill(struct world *world, const struct ask *ask, struct answer *answer)
{
	struct piece *piece = world_piece(world, PIECE_CONTAINER, ask->path[2]);
	if (piece == NULL || piece->received_bytes > 0) {
		world_answer(answer, 400,
			     STR("{\"debug_info\":{\"retriable\":false,\"type\":"
				 "\"ProcessingFailedError\",\"message\":\"no\"}}"));
		return;
	}
	piece->received_bytes = ask->file_bytes;
	world_answer(answer, 200, STR("{\"success\":true}"));
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
	if (piece == NULL || piece->home != index || piece->is_child) {
		refuse(world, answer, 24, 2207008);
		return;
	}
	const bool is_ready = world->sim->true_us >= piece->ready_at_us && !piece->ends_in_error &&
			      piece->received_bytes >= piece->size_bytes &&
			      world->sim->true_us <= piece->begun_at_us + CONTAINER_LIFE_US;
	if (piece->entry != NULL && dice_permille(&world->sim->dice, 500)) {
		refuse(world, answer, 100, 0); /* how it is said is not documented (meta.md 7) */
		return;
	}
	if (piece->entry != NULL || !is_ready) {
		refuse(world, answer, 9007, 2207027);
		return;
	}
	struct entry *entry =
		world_publish(world, index, world_id(world, ""), piece->text, STR(""));
	entry->is_story = piece->is_story;
	piece->entry = entry;
	piece->changed_at_us = world->sim->true_us;
	made(world, answer, entry->id);
}

/* ---- what is asked of an account ---- */

static void quota(struct world *world, struct answer *answer)
{
	const bool is_used_up = sim_chance(world->sim, world->sim->weather.fault_permille / 10);
	world_answer(
		answer, 200,
		is_used_up
			? STR("{\"data\":[{\"quota_usage\":50,\"config\":{\"quota_total\":50}}]}")
			: STR("{\"data\":[{\"quota_usage\":1,\"config\":{\"quota_total\":100}}]}"));
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

static void account_tell(struct world *world, const struct home *home, struct answer *answer)
{
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"id\":\"" STR_FMT "\"}", STR_ARG(home->id)));
}

static void account_get(struct world *world, const struct ask *ask, struct home *home,
			struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	if (ask->path_count == 2)
		account_tell(world, home, answer);
	if (is_edge(ask, "content_publishing_limit"))
		quota(world, answer);
	if (is_edge(ask, "stories") && home->platform == PLATFORM_INSTAGRAM)
		list_stories(world, index, answer);
	if (is_edge(ask, "media"))
		list(world, index, STR(""), "caption", "timestamp", answer);
}

static void account_post(struct world *world, const struct ask *ask, struct home *home,
			 struct answer *answer)
{
	if (is_edge(ask, "media"))
		container_make(world, ask, home, answer);
	if (is_edge(ask, "media_publish"))
		container_publish(world, ask, home, answer);
}

/* Whose it is and since when, by the names of both. */
static void entry_tell(struct world *world, const struct entry *entry, struct answer *answer)
{
	const struct home *home = &world->homes[entry->home];
	const struct str at = world_instant(world, entry->at_us);
	const struct str instant = str_slice(at, 0, at.len - 1);
	world_answer(answer, 200,
		     str_format(world->sim->arena,
				"{\"id\":\"" STR_FMT "\",\"permalink\":\"https://i.g/" STR_FMT
				"\",\"from\":{\"id\":\"" STR_FMT "\"},\"owner\":{\"id\":\"" STR_FMT
				"\"},\"username\":\"" STR_FMT "\",\"timestamp\":\"" STR_FMT
				"+0000\",\"created_time\":\"" STR_FMT "+0000\"}",
				STR_ARG(entry->id), STR_ARG(entry->id), STR_ARG(home->id),
				STR_ARG(home->id), STR_ARG(home->username), STR_ARG(instant),
				STR_ARG(instant)));
}

static void entry_delete(struct world *world, const struct home *home, struct entry *entry,
			 struct answer *answer)
{
	if (entry->home != world_home_index(world, home)) {
		world_refuse(world, VOICE_GRAPH, REFUSE_FORBIDDEN, answer);
		return;
	}
	world_remove(world, entry);
	world_answer(answer, 200, STR("{\"success\":true}"));
}

static void entry_asked(struct world *world, const struct ask *ask, struct home *home,
			struct entry *entry, struct answer *answer)
{
	const bool is_post = str_equal_z(ask->method, "POST");
	const char *text_name = home->platform == PLATFORM_INSTAGRAM ? "text" : "message";
	const char *time_name = home->platform == PLATFORM_INSTAGRAM ? "timestamp" : "created_time";
	if (is_edge(ask, "comments") && is_post)
		comment(world, ask, home, entry, answer);
	else if (is_edge(ask, "comments"))
		list(world, world_home_index(world, home), entry->id, text_name, time_name, answer);
	else if (str_equal_z(ask->method, "DELETE"))
		entry_delete(world, home, entry, answer);
	else
		entry_tell(world, entry, answer);
}

void graph_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	if (str_equal_z(ask->path[0], "ig-api-upload")) {
		container_fill(world, ask, answer);
		return;
	}
	if (home->platform == PLATFORM_FACEBOOK)
		pages_do(world, ask, home, answer);
	if (answer->status != 0)
		return;
	const struct piece *piece = world_piece(world, PIECE_CONTAINER, ask->path[1]);
	struct entry *entry = world_entry(world, ask->path[1]);
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
