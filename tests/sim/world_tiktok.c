/* SPDX-License-Identifier: Apache-2.0
 * TikTok (tiktok.md 1.4, 2): a task posts by itself some time after its last byte, a
 * pulled one some time after its init. */
#include "world.h"

#include "json.h"

#define UPLOAD_LIFE_US US_PER_HOUR /* tiktok.md 2.2 */
#define OK "\"error\":{\"code\":\"ok\",\"message\":\"\",\"log_id\":\"1\"}"

static void creator(struct world *world, struct home *home, struct answer *answer)
{
	world_answer(
		answer, 200,
		str_format(world->sim->arena,
			   "{\"data\":{\"creator_username\":\"" STR_FMT
			   "\",\"privacy_level_options\":[\"PUBLIC_TO_EVERYONE\",\"SELF_ONLY\"],"
			   "\"max_video_post_duration_sec\":600}," OK "}",
			   STR_ARG(home->username)));
}

/* TikTok fetches the files by itself: nothing more has to come for it to post. */
static void pull(struct world *world, struct home *home, struct str text, struct answer *answer)
{
	struct piece *piece = world_begin(world, PIECE_TASK, world_home_index(world, home), text);
	piece->size_bytes = piece->received_bytes = 1;
	piece->changed_at_us = world->sim->true_us;
	world_answer(answer, 200,
		     str_format(world->sim->arena,
				"{\"data\":{\"publish_id\":\"" STR_FMT "\"}," OK "}",
				STR_ARG(piece->id)));
}

static void photos(struct world *world, const struct ask *ask, struct home *home,
		   struct answer *answer)
{
	const struct json *source = json_get(ask->json, "source_info");
	const struct str text =
		json_string(json_get(json_get(ask->json, "post_info"), "description"));
	if (json_at(json_get(source, "photo_images"), 0) == NULL)
		world_refuse(world, VOICE_TIKTOK, REFUSE_BAD, answer);
	else
		pull(world, home, text, answer);
}

static void init(struct world *world, const struct ask *ask, struct home *home,
		 struct answer *answer)
{
	const struct str title = json_string(json_get(json_get(ask->json, "post_info"), "title"));
	const struct json *source = json_get(ask->json, "source_info");
	if (str_equal_z(json_string(json_get(source, "source")), "PULL_FROM_URL")) {
		pull(world, home, title, answer);
		return;
	}
	struct piece *piece = world_begin(world, PIECE_TASK, world_home_index(world, home), title);
	piece->size_bytes = json_int(json_get(json_get(ask->json, "source_info"), "video_size"), 0);
	world_answer(answer, 200,
		     str_format(world->sim->arena,
				"{\"data\":{\"publish_id\":\"" STR_FMT
				"\",\"upload_url\":\"https://upload.tiktokapis.com/video/"
				"?upload_id=" STR_FMT "\"}," OK "}",
				STR_ARG(piece->id), STR_ARG(piece->id)));
}

/* Chunks come in order; one that was had before changes nothing. */
static void upload(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct str *id = form_find(&ask->query, "upload_id");
	struct piece *piece = id != NULL ? world_piece(world, PIECE_TASK, *id) : NULL;
	int64_t from, to, size = 0;
	const int64_t now_us = world->sim->true_us;
	if (piece == NULL || now_us > piece->begun_at_us + UPLOAD_LIFE_US) {
		world_refuse(world, VOICE_UPLOAD,
			     piece == NULL ? REFUSE_NOT_FOUND : REFUSE_FORBIDDEN, answer);
		return;
	}
	if (!world_range(ask->range, &from, &to, &size) || size != piece->size_bytes ||
	    to - from + 1 != ask->file_bytes) {
		world_refuse(world, VOICE_UPLOAD, REFUSE_BAD, answer);
		return;
	}
	if (from == piece->received_bytes) {
		piece->received_bytes = to + 1;
		piece->changed_at_us = now_us;
		if (piece->ready_at_us < now_us)
			piece->ready_at_us =
				now_us + dice_between(&world->sim->dice, 0, 90) * US_PER_S;
	}
	world_answer(answer, piece->received_bytes == size ? 201 : 206, STR(""));
}

static void status_tell(struct world *world, const struct piece *piece, struct answer *answer)
{
	const bool is_stale = world->sim->true_us < piece->changed_at_us + piece->stale_us &&
			      piece->changed_at_us > 0;
	const bool is_whole = piece->received_bytes == piece->size_bytes && !is_stale;
	const bool is_over = is_whole && world->sim->true_us >= piece->ready_at_us;
	struct str state = STR("\"status\":\"PROCESSING_UPLOAD\"");
	if (is_over && piece->ends_in_error)
		state = STR("\"status\":\"FAILED\",\"fail_reason\":\"internal\"");
	else if (is_over && piece->entry != NULL &&
		 world->sim->true_us < piece->entry->at_us + piece->named_late_us)
		state = STR("\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[]");
	else if (is_over && piece->entry != NULL)
		state = str_format(
			world->sim->arena,
			"\"status\":\"PUBLISH_COMPLETE\",\"publicaly_available_post_id\":[" STR_FMT
			"]",
			STR_ARG(piece->entry->id));
	world_answer(answer, 200,
		     str_format(world->sim->arena,
				"{\"data\":{" STR_FMT ",\"uploaded_bytes\":%lld}," OK "}",
				STR_ARG(state), (long long)(is_stale ? 0 : piece->received_bytes)));
}

static void status(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct piece *piece =
		world_piece(world, PIECE_TASK, json_string(json_get(ask->json, "publish_id")));
	if (piece == NULL)
		world_refuse(world, VOICE_TIKTOK, REFUSE_NOT_FOUND, answer);
	else
		status_tell(world, piece, answer);
}

void tiktok_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	if (str_equal_z(ask->url.host, "upload.tiktokapis.com")) {
		upload(world, ask, answer);
		return;
	}
	if (str_equal_z(ask->url.path, "/v2/oauth/token/")) {
		world_refresh(world, ask, PLATFORM_TIKTOK, true, answer);
		return;
	}
	struct home *home = world_home_of(world, ask, answer);
	if (home == NULL)
		return;
	if (str_equal_z(ask->url.path, "/v2/post/publish/creator_info/query/"))
		creator(world, home, answer);
	else if (str_equal_z(ask->url.path, "/v2/post/publish/video/init/"))
		init(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/v2/post/publish/content/init/"))
		photos(world, ask, home, answer);
	else if (str_equal_z(ask->url.path, "/v2/post/publish/status/fetch/"))
		status(world, ask, answer);
}
