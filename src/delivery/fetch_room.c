/* SPDX-License-Identifier: Apache-2.0
 * See fetch_room.h. */
#include "fetch_room.h"

#include "arena.h"

#include "quota.h"

#include "store_media.h"
#include "store_quota.h"

#include "spool.h"
#include "transfer.h"

static struct str full_text(struct arena *arena, const struct fetch_room *room,
			    enum spool_full full, int64_t limit)
{
	struct quota_over over = {.quota = full == SPOOL_FULL_OF_FILES ? QUOTA_MEDIA_FILES
								       : QUOTA_MEDIA_BYTES,
				  .limit = limit};
	int64_t bytes = 0;
	int64_t files = 0;
	spool_share_use(room->spool, room->app_id, &bytes, &files);
	over.used = full == SPOOL_FULL_OF_FILES ? files : bytes;
	store_quota_note_refusal(room->store, over.quota);
	if (limit == 0 || over.used < limit)
		return STR("the app's files take as much of the disk as one app's may.");
	return quota_message(arena, &over);
}

/* What uploaded files leave of a limit; 0 stays no limit. */
static int64_t left_of(int64_t limit, int64_t used)
{
	if (limit == 0)
		return 0;
	return limit > used ? limit - used : 1;
}

struct str fetch_room_refusal(struct arena *arena, const struct fetch_room *room)
{
	struct quota_limits limits = {{0}};
	struct error err = {0};
	int64_t bytes = 0, files = 0;
	(void)store_quota_limits(room->store, arena, room->app_id, &limits, &err);
	(void)store_media_used(room->store, arena, room->app_id, &bytes, &files, &err);
	const struct spool_share share = {.app_id = room->app_id,
					  .bytes_max = left_of(limits.of[QUOTA_MEDIA_BYTES], bytes),
					  .files_max =
						  left_of(limits.of[QUOTA_MEDIA_FILES], files)};
	spool_share_set(room->spool, room->key, &share);
	const enum spool_full full = spool_share_full(room->spool, room->key, 1);
	if (full == SPOOL_HAS_ROOM)
		return STR("");
	return full_text(arena, room, full,
			 full == SPOOL_FULL_OF_FILES ? share.files_max : share.bytes_max);
}

struct str fetch_failure_text(struct arena *arena, const struct transfer_result *result,
			      const struct error *err)
{
	if (result->outcome != TRANSFER_ANSWERED)
		return result->error_text;
	if (result->status >= 200 && result->status <= 299)
		return str_copy(arena, str_of(err->text));
	return str_format(arena, "the server answered with status %d.", result->status);
}
