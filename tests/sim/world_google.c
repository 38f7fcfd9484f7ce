/* SPDX-License-Identifier: Apache-2.0
 * YouTube (youtube.md 1.4, 2, 5): a video exists when the last byte of its session has
 * come. */
#include "world.h"

#include "buf.h"

#include "json.h"

#define LIST_MAX_BYTES (512 * 1024)
#define SESSION_URL \
	"https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id="

static void session_make(struct world *world, const struct ask *ask, struct home *home,
			 struct answer *answer)
{
	const struct str text =
		json_string(json_get(json_get(ask->json, "snippet"), "description"));
	struct piece *piece =
		world_begin(world, PIECE_SESSION, world_home_index(world, home), text);
	world_answer(answer, 200, STR(""));
	world_header(answer, "Location",
		     str_format(world->sim->arena, SESSION_URL STR_FMT, STR_ARG(piece->id)));
}

static void video_tell(struct world *world, const struct entry *entry, int status,
		       struct answer *answer)
{
	world_answer(answer, status,
		     str_format(world->sim->arena,
				"{\"kind\":\"youtube#video\",\"id\":\"" STR_FMT "\"}",
				STR_ARG(entry->id)));
}

static void progress_tell(struct world *world, const struct piece *piece, struct answer *answer)
{
	world_answer(answer, 308, STR(""));
	if (piece->received_bytes > 0)
		world_header(answer, "Range",
			     str_format(world->sim->arena, "bytes=0-%lld",
					(long long)piece->received_bytes - 1));
}

/* Bytes that follow what is there are taken; others change nothing. */
static bool bytes_take(struct piece *piece, const struct ask *ask, bool *is_question)
{
	int64_t from = 0;
	int64_t to = ask->file_bytes - 1;
	int64_t size = ask->file_bytes;
	*is_question = false;
	if (!str_is_empty(ask->range) && !world_range(ask->range, &from, &to, &size))
		return false;
	*is_question = from < 0;
	piece->size_bytes = size;
	if (!*is_question && from == piece->received_bytes)
		piece->received_bytes = to + 1;
	return true;
}

static void session_put(struct world *world, const struct ask *ask, struct piece *piece,
			struct answer *answer)
{
	bool is_question = false;
	if (piece->entry != NULL) {
		video_tell(world, piece->entry, 200, answer);
		return;
	}
	if (!bytes_take(piece, ask, &is_question)) {
		world_refuse(world, VOICE_GOOGLE, REFUSE_BAD, answer);
		return;
	}
	if (is_question || piece->received_bytes < piece->size_bytes) {
		progress_tell(world, piece, answer);
		return;
	}
	piece->entry =
		world_publish(world, piece->home, world_id(world, "vid"), piece->text, STR(""));
	video_tell(world, piece->entry, 201, answer);
}

static void uploads(struct world *world, size_t home, struct answer *answer)
{
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (entry->home != home || !str_is_empty(entry->parent) ||
		    !world_is_listed(world, entry))
			continue;
		const struct str title = world_quoted(world, entry->text);
		const struct str at = world_instant(world, entry->at_us);
		buf_addf(&out,
			 "%s{\"snippet\":{\"title\":" STR_FMT ",\"publishedAt\":\"" STR_FMT
			 "\"},\"contentDetails\":{\"videoId\":\"" STR_FMT "\"}}",
			 out.len > 0 ? "," : "", STR_ARG(title), STR_ARG(at), STR_ARG(entry->id));
	}
	const struct str items = buf_str(&out);
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"items\":[" STR_FMT "]}", STR_ARG(items)));
}

static struct str thread(struct world *world, const struct entry *entry)
{
	const struct str text = world_quoted(world, entry->text);
	const struct str at = world_instant(world, entry->at_us);
	return str_format(world->sim->arena,
			  "{\"id\":\"" STR_FMT
			  "\",\"snippet\":{\"topLevelComment\":{\"id\":\"" STR_FMT
			  "\",\"snippet\":{\"textOriginal\":" STR_FMT ",\"publishedAt\":\"" STR_FMT
			  "\",\"authorChannelId\":{\"value\":\"" STR_FMT "\"}}}}}",
			  STR_ARG(entry->id), STR_ARG(entry->id), STR_ARG(text), STR_ARG(at),
			  STR_ARG(world->homes[entry->home].id));
}

static void comment(struct world *world, const struct ask *ask, struct home *home,
		    struct answer *answer)
{
	const struct json *snippet = json_get(ask->json, "snippet");
	const struct str video = json_string(json_get(snippet, "videoId"));
	const struct json *top = json_get(json_get(snippet, "topLevelComment"), "snippet");
	const struct str text = json_string(json_get(top, "textOriginal"));
	if (world_entry(world, video) == NULL) {
		world_refuse(world, VOICE_GOOGLE, REFUSE_NOT_FOUND, answer);
		return;
	}
	const struct entry *entry = world_publish(world, world_home_index(world, home),
						  world_id(world, "Ug"), text, video);
	world_answer(answer, 200, thread(world, entry));
}

static void threads(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct str *video = form_find(&ask->query, "videoId");
	struct buf out;
	buf_init(&out, world->sim->arena, LIST_MAX_BYTES);
	for (size_t i = world->entry_count; i-- > 0;) {
		const struct entry *entry = &world->entries[i];
		if (video == NULL || !str_equal(entry->parent, *video) ||
		    !world_is_listed(world, entry))
			continue;
		buf_add_z(&out, out.len > 0 ? "," : "");
		buf_add(&out, thread(world, entry));
	}
	const struct str items = buf_str(&out);
	world_answer(answer, 200,
		     str_format(world->sim->arena, "{\"items\":[" STR_FMT "]}", STR_ARG(items)));
}

/* How far it is with a video that was uploaded; one that nobody knows is left out of the list
 * (2.4). */
static void video_status(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct str *id = form_find(&ask->query, "id");
	const struct entry *entry = id != NULL ? world_entry(world, *id) : NULL;
	const struct piece *piece = NULL;
	for (size_t i = 0; i < world->piece_count && entry != NULL; i++) {
		if (world->pieces[i].entry == entry)
			piece = &world->pieces[i];
	}
	if (piece == NULL) {
		world_answer(answer, 200, STR("{\"items\":[]}"));
		return;
	}
	const bool is_processed = world->sim->true_us >= piece->ready_at_us;
	const struct str at = world_instant(world, entry->at_us);
	world_answer(
		answer, 200,
		str_format(
			world->sim->arena,
			"{\"items\":[{\"id\":\"" STR_FMT "\",\"snippet\":{\"channelId\":\"" STR_FMT
			"\",\"publishedAt\":\"" STR_FMT
			"\"},\"status\":{\"uploadStatus\":\"%s\",\"privacyStatus\":\"public\"}}]}",
			STR_ARG(*id), STR_ARG(world->homes[entry->home].id), STR_ARG(at),
			is_processed ? "processed" : "uploaded"));
}

/* A repeat overwrites: nothing of it is remembered. */
static void thumbnail(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct str *id = form_find(&ask->query, "videoId");
	if (id == NULL || world_entry(world, *id) == NULL || ask->file_bytes == 0)
		world_refuse(world, VOICE_GOOGLE, REFUSE_BAD, answer);
	else
		world_answer(answer, 200, STR("{\"kind\":\"youtube#thumbnailSetResponse\"}"));
}

/* Comments go with it (2.7). */
static void video_delete(struct world *world, const struct ask *ask, struct home *home,
			 struct answer *answer)
{
	struct entry *entry = world_entry(world, world_deletion_id(ask));
	if (entry == NULL) {
		world_refuse(world, VOICE_GOOGLE, REFUSE_NOT_FOUND, answer);
		return;
	}
	if (entry->home != world_home_index(world, home)) {
		world_refuse(world, VOICE_GOOGLE, REFUSE_FORBIDDEN, answer);
		return;
	}
	world_remove(world, entry);
	world_answer(answer, 204, STR(""));
}

static void upload_asked(struct world *world, const struct ask *ask, struct home *home,
			 struct answer *answer)
{
	const struct str *id = form_find(&ask->query, "upload_id");
	struct piece *piece = id != NULL ? world_piece(world, PIECE_SESSION, *id) : NULL;
	if (id == NULL)
		session_make(world, ask, home, answer);
	else if (piece == NULL)
		world_refuse(world, VOICE_GOOGLE, REFUSE_NOT_FOUND, answer);
	else
		session_put(world, ask, piece, answer);
}

void google_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	if (str_equal_z(ask->url.host, "oauth2.googleapis.com")) {
		world_refresh(world, ask, PLATFORM_YOUTUBE, false, answer);
		return;
	}
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	if (str_equal_z(ask->url.path, "/upload/youtube/v3/videos"))
		upload_asked(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/upload/youtube/v3/thumbnails/set"))
		thumbnail(world, ask, answer);
	else if (!str_is_empty(world_deletion_id(ask)))
		video_delete(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/youtube/v3/videos"))
		video_status(world, ask, answer);
	else if (str_equal_z(ask->url.path, "/youtube/v3/playlistItems"))
		uploads(world, world_home_index(world, home), answer);
	else if (str_equal_z(ask->url.path, "/youtube/v3/commentThreads") &&
		 str_equal_z(ask->method, "POST"))
		comment(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/youtube/v3/commentThreads"))
		threads(world, ask, answer);
}
