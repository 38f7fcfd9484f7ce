/* SPDX-License-Identifier: Apache-2.0
 * What Facebook Pages have of their own behind the Graph: photos, videos, reels, stories
 * (meta.md 3, 7). Comments and what Instagram shares are world_graph.c's. */
#include "world.h"

#include "buf.h"

#include "json.h"

#define LIST_MAX_BYTES (512 * 1024)
#define PHOTOS_MAX 10
#define PHOTO_LIFE_US US_PER_DAY
#define CHUNK_BYTES 40000

static struct str given(const struct ask *ask, const char *name)
{
	const struct str *value = form_find(&ask->form, name);
	return value != NULL ? *value : STR("");
}

static int64_t given_number(const struct ask *ask, const char *name)
{
	int64_t number = -1;
	return str_parse_i64(given(ask, name), &number) ? number : -1;
}

static void refuse(struct world *world, struct answer *answer, int code, int subcode)
{
	world_answer(answer, 400,
		     str_format(world->sim->arena,
				"{\"error\":{\"message\":\"no\",\"code\":%d,\"error_subcode\":%d}}",
				code, subcode));
}

static bool is_edge(const struct ask *ask, const char *method, const char *edge)
{
	return ask->path_count == 3 && str_equal_z(ask->path[2], edge) &&
	       str_equal_z(ask->method, method);
}

static struct piece *piece_of(struct world *world, enum piece_kind kind, size_t home, struct str id)
{
	struct piece *piece = world_piece(world, kind, id);
	return piece != NULL && piece->home == home ? piece : NULL;
}

/* ---- photos, and posts with them ---- */

static void photo(struct world *world, const struct ask *ask, size_t home, struct answer *answer)
{
	const struct piece *piece =
		world_begin(world, PIECE_PHOTO, home, given(ask, "alt_text_custom"));
	const struct str id = world_id_json(world, piece->id);
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"id\":" STR_FMT "}", STR_ARG(id)));
}

/* A photo is used once, and is gone after a day. NULL: the answer is given. */
static struct piece *photo_take(struct world *world, size_t home, struct str id,
				struct answer *answer)
{
	struct piece *piece = piece_of(world, PIECE_PHOTO, home, id);
	if (piece == NULL || world->sim->true_us > piece->begun_at_us + PHOTO_LIFE_US) {
		refuse(world, answer, 100, 0);
		return NULL;
	}
	if (piece->entry != NULL) {
		refuse(world, answer, 100, 1366051);
		return NULL;
	}
	return piece;
}

static struct str photo_named(struct world *world, const struct ask *ask, size_t index)
{
	const struct json *json = NULL;
	const struct str name = str_format(world->sim->arena, "attached_media[%zu]", index);
	json_parse(world->sim->arena, given(ask, str_z(world->sim->arena, name)), NULL, &json, NULL,
		   NULL);
	return json_text(world->sim->arena, json_get(json, "media_fbid"));
}

static void feed(struct world *world, const struct ask *ask, struct home *home,
		 struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	const struct str message = given(ask, "message");
	struct piece *photos[PHOTOS_MAX];
	size_t count = 0;
	for (struct str id;
	     count < PHOTOS_MAX && !str_is_empty(id = photo_named(world, ask, count)); count++) {
		photos[count] = photo_take(world, index, id, answer);
		if (photos[count] == NULL)
			return;
	}
	if (count == 0 && world->sim->weather.facebook_knows_duplicates &&
	    world_twin(world, index, message, STR(""), 0) != NULL) {
		refuse(world, answer, 506, 0);
		return;
	}
	const struct str id = str_format(world->sim->arena, STR_FMT "_" STR_FMT, STR_ARG(home->id),
					 STR_ARG(world_id(world, "")));
	const struct entry *entry = world_publish(world, index, id, message, STR(""));
	for (size_t i = 0; i < count; i++)
		photos[i]->entry = entry;
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"id\":\"" STR_FMT "\"}", STR_ARG(entry->id)));
}

static void attachments_write(struct world *world, const struct entry *entry, struct buf *out)
{
	size_t count = 0;
	buf_add_z(out, ",\"attachments\":{\"data\":[{\"subattachments\":{\"data\":[");
	for (size_t i = 0; i < world->piece_count; i++) {
		const struct piece *piece = &world->pieces[i];
		if (piece->kind == PIECE_PHOTO && piece->entry == entry)
			buf_addf(out, "%s{\"target\":{\"id\":" STR_FMT "}}", count++ > 0 ? "," : "",
				 STR_ARG(world_id_json(world, piece->id)));
	}
	buf_add_z(out, "]}}]}");
}

static void published_posts(struct world *world, size_t home, struct answer *answer)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	buf_add_z(&out, "{\"data\":[");
	const size_t empty = out.len;
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (entry->home != home || !str_is_empty(entry->parent) || entry->is_story ||
		    !world_is_listed(world, entry))
			continue;
		const struct str text = world_quoted(world, entry->text);
		const struct str at = world_instant(world, entry->at_us);
		buf_addf(&out,
			 "%s{\"id\":\"" STR_FMT "\",\"message\":" STR_FMT
			 ",\"created_time\":\"" STR_FMT "+0000\"",
			 out.len > empty ? "," : "", STR_ARG(entry->id), STR_ARG(text),
			 STR_ARG(str_slice(at, 0, at.len - 1)));
		attachments_write(world, entry, &out);
		buf_add_z(&out, "}");
	}
	buf_add_z(&out, "]}");
	world_answer(answer, 200, buf_str(&out));
}

/* ---- stories ---- */

static void photo_story(struct world *world, const struct ask *ask, size_t home,
			struct answer *answer)
{
	struct piece *piece = photo_take(world, home, given(ask, "photo_id"), answer);
	if (piece == NULL)
		return;
	struct entry *entry = world_publish(world, home, world_id(world, ""), piece->text, STR(""));
	entry->is_story = true;
	piece->entry = entry;
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"success\":true,\"post_id\":" STR_FMT "}",
				STR_ARG(world_id_json(world, entry->id))));
}

static void stories(struct world *world, size_t home, struct answer *answer)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	buf_add_z(&out, "{\"data\":[");
	const size_t empty = out.len;
	for (size_t i = world->piece_count; i-- > 0;) {
		const struct piece *piece = &world->pieces[i];
		if (piece->home != home || piece->kind != PIECE_PHOTO || piece->entry == NULL ||
		    !piece->entry->is_story || !world_is_listed(world, piece->entry))
			continue;
		buf_addf(&out, "%s{\"post_id\":" STR_FMT ",\"media_id\":" STR_FMT "}",
			 out.len > empty ? "," : "",
			 STR_ARG(world_id_json(world, piece->entry->id)),
			 STR_ARG(world_id_json(world, piece->id)));
	}
	buf_add_z(&out, "]}");
	world_answer(answer, 200, buf_str(&out));
}

/* ---- videos ---- */

static int64_t chunk_end(const struct piece *piece)
{
	const int64_t end = piece->received_bytes + CHUNK_BYTES;
	return end < piece->size_bytes ? end : piece->size_bytes;
}

static void offsets(struct world *world, const struct piece *piece, struct answer *answer)
{
	world_answer(answer, 200,
		     str_format(world->sim->arena,
				"{\"video_id\":\"" STR_FMT "\",\"upload_session_id\":\"" STR_FMT
				"\",\"start_offset\":\"%lld\",\"end_offset\":\"%lld\"}",
				STR_ARG(piece->id), STR_ARG(piece->id),
				(long long)piece->received_bytes, (long long)chunk_end(piece)));
}

static void chunk_take(struct world *world, const struct ask *ask, size_t home,
		       struct answer *answer)
{
	struct piece *piece = piece_of(world, PIECE_VIDEO, home, given(ask, "upload_session_id"));
	if (piece == NULL) {
		refuse(world, answer, 100, 33);
		return;
	}
	if (given_number(ask, "start_offset") != piece->received_bytes) {
		world_answer(answer, 400,
			     str_format(world->sim->arena,
					"{\"error\":{\"message\":\"no\",\"code\":6001,\"error_"
					"subcode\":1363037,\"error_data\":{\"start_offset\":%lld,"
					"\"end_offset\":%lld}}}",
					(long long)piece->received_bytes,
					(long long)chunk_end(piece)));
		return;
	}
	piece->received_bytes += ask->file_bytes;
	offsets(world, piece, answer);
}

/* A video is one video: finished twice it is still seen once. One that processing will refuse is
 * never seen. */
static void video_finish(struct world *world, const struct ask *ask, struct piece *piece,
			 struct answer *answer)
{
	if (piece == NULL || piece->size_bytes == 0 || piece->received_bytes != piece->size_bytes) {
		refuse(world, answer, 6000, 0);
		return;
	}
	if (piece->entry == NULL && !piece->ends_in_error)
		piece->entry = world_publish(world, piece->home, piece->id,
					     given(ask, "description"), STR(""));
	if (piece->changed_at_us == 0)
		piece->changed_at_us = world->sim->true_us;
	world_answer(answer, 200, STR("{\"success\":true}"));
}

static void videos(struct world *world, const struct ask *ask, size_t home, struct answer *answer)
{
	const struct str phase = given(ask, "upload_phase");
	if (str_equal_z(phase, "transfer")) {
		chunk_take(world, ask, home, answer);
		return;
	}
	if (str_equal_z(phase, "finish")) {
		video_finish(world, ask,
			     piece_of(world, PIECE_VIDEO, home, given(ask, "upload_session_id")),
			     answer);
		return;
	}
	struct piece *piece = world_begin(world, PIECE_VIDEO, home, STR(""));
	piece->size_bytes = given_number(ask, "file_size");
	offsets(world, piece, answer);
}

static void reels(struct world *world, const struct ask *ask, size_t home, struct answer *answer)
{
	if (str_equal_z(given(ask, "upload_phase"), "finish")) {
		video_finish(world, ask, piece_of(world, PIECE_REEL, home, given(ask, "video_id")),
			     answer);
		return;
	}
	const struct piece *piece = world_begin(world, PIECE_REEL, home, STR(""));
	world_answer(
		answer, 200,
		str_format(
			world->sim->arena,
			"{\"video_id\":" STR_FMT
			",\"upload_url\":\"https://rupload.facebook.com/video-upload/v25.0/" STR_FMT
			"\"}",
			STR_ARG(world_id_json(world, piece->id)), STR_ARG(piece->id)));
}

/* All bytes from the offset on, which must be where the last ones ended. */
static void reel_fill(struct world *world, const struct ask *ask, size_t home,
		      struct answer *answer)
{
	struct piece *piece = piece_of(world, PIECE_REEL, home, ask->path[2]);
	if (piece == NULL || piece->size_bytes > 0 || ask->offset_bytes != piece->received_bytes) {
		world_answer(answer, 400,
			     STR("{\"debug_info\":{\"retriable\":false,\"type\":"
				 "\"OffsetInvalidError\",\"message\":\"no\"}}"));
		return;
	}
	piece->received_bytes += ask->file_bytes;
	piece->size_bytes = piece->received_bytes;
	world_answer(answer, 200, STR("{\"success\":true}"));
}

static void video_tell(struct world *world, const struct piece *piece, struct answer *answer)
{
	const int64_t now_us = world->sim->true_us;
	const bool is_whole = piece->size_bytes > 0 && piece->received_bytes == piece->size_bytes;
	const bool is_finished =
		piece->changed_at_us > 0 && now_us >= piece->changed_at_us + piece->stale_us;
	const bool is_over = is_finished && now_us >= piece->ready_at_us;
	const bool is_seen = is_finished && piece->entry != NULL;
	const struct str at = world_instant(world, piece->begun_at_us);
	world_answer(
		answer, 200,
		str_format(world->sim->arena,
			   "{\"id\":\"" STR_FMT "\",\"from\":{\"id\":\"" STR_FMT
			   "\"},\"created_time\":\"" STR_FMT "+0000\","
			   "\"published\":%s,\"permalink_url\":\"/v/\","
			   "\"status\":{\"video_status\":\"%s\",\"uploading_phase\":{\"status\":"
			   "\"%s\",\"bytes_transfered\":%lld},\"processing_phase\":{\"status\":"
			   "\"%s\"%s},\"publishing_phase\":{\"status\":\"%s\"}}}",
			   STR_ARG(piece->id), STR_ARG(world->homes[piece->home].id),
			   STR_ARG(str_slice(at, 0, at.len - 1)), is_seen ? "true" : "false",
			   !is_whole                          ? "uploading"
			   : is_over && !piece->ends_in_error ? "ready"
							      : "processing",
			   is_whole ? "complete" : "in_progress", (long long)piece->received_bytes,
			   is_over       ? piece->ends_in_error ? "error" : "complete"
			   : is_finished ? "in_progress"
					 : "not_started",
			   is_over && piece->ends_in_error ? ",\"error\":{\"message\":\"bad\"}"
							   : "",
			   is_seen ? "complete" : "not_started"));
}

/* ---- who is asked ---- */

static const struct piece *video_asked(struct world *world, const struct ask *ask, size_t home)
{
	if (ask->path_count != 2 || !str_equal_z(ask->method, "GET"))
		return NULL;
	const struct piece *video = piece_of(world, PIECE_VIDEO, home, ask->path[1]);
	const struct piece *piece =
		video != NULL ? video : piece_of(world, PIECE_REEL, home, ask->path[1]);
	const bool is_gone = piece != NULL && piece->entry != NULL &&
			     world_entry(world, piece->entry->id) == NULL;
	return is_gone ? NULL : piece;
}

static void page_asked(struct world *world, const struct ask *ask, struct home *home,
		       struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	if (is_edge(ask, "POST", "photos"))
		photo(world, ask, index, answer);
	else if (is_edge(ask, "POST", "feed"))
		feed(world, ask, home, answer);
	else if (is_edge(ask, "POST", "videos"))
		videos(world, ask, index, answer);
	else if (is_edge(ask, "POST", "video_reels"))
		reels(world, ask, index, answer);
	else if (is_edge(ask, "POST", "photo_stories"))
		photo_story(world, ask, index, answer);
	else if (is_edge(ask, "GET", "stories"))
		stories(world, index, answer);
	else if (is_edge(ask, "GET", "published_posts"))
		published_posts(world, index, answer);
}

void pages_do(struct world *world, const struct ask *ask, struct home *home, struct answer *answer)
{
	const size_t index = world_home_index(world, home);
	const struct piece *video = video_asked(world, ask, index);
	if (str_equal_z(ask->path[0], "video-upload"))
		reel_fill(world, ask, index, answer);
	else if (video != NULL)
		video_tell(world, video, answer);
	else if (str_equal(ask->path[1], home->id))
		page_asked(world, ask, home, answer);
}
