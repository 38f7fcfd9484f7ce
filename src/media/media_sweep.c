/* SPDX-License-Identifier: Apache-2.0
 * See media_sweep.h. */
#include "media_sweep.h"

#include "arena.h"

#include "media_upload.h"

#define BATCH 200
#define SWEEP_ARENA_BYTES ((size_t)1 << 20)
/* A name that is younger may be of a file whose row is about to be written. */
#define STRAY_S 600
/* A copy of a file in a bucket that nobody asked for. */
#define COPY_S (24 * 3600)

static void step(const struct media_uploads_config *config, const char *name)
{
	if (config->step != NULL)
		config->step(config->step_context, name);
}

bool media_sweep_gone(struct media_uploads *uploads)
{
	const struct media_uploads_config *config = media_uploads_settings(uploads);
	struct arena *arena = arena_new("media sweep", SWEEP_ARENA_BYTES);
	struct str *names = NULL;
	size_t count = 0;
	struct error err = {0};
	bool is_well = store_media_gone_list(config->store, arena, BATCH, &names, &count, &err) ==
		       ERR_NONE;
	for (size_t i = 0; i < count && is_well; i++) {
		is_well = media_name_remove(config->files, arena, names[i]);
		step(config, "media_removed");
		is_well =
			is_well && store_media_gone_end(config->store, names[i], &err) == ERR_NONE;
	}
	arena_free(&arena);
	return !is_well || count < BATCH;
}

bool media_sweep(struct media_uploads *uploads)
{
	const struct media_uploads_config *config = media_uploads_settings(uploads);
	const int64_t now_us = clock_now_us(config->clock);
	struct error err = {0};
	int64_t files = 0, ended = 0;
	(void)store_media_expire(config->store, now_us - config->keep_us, now_us, BATCH, &files,
				 &err);
	(void)store_upload_expire(config->store, now_us, now_us, BATCH, &ended, &err);
	step(config, "media_expired");
	const bool is_clean = media_sweep_gone(uploads);
	return is_clean && files < BATCH && ended < BATCH;
}

struct straying {
	const struct media_uploads_config *config;
	struct arena *arena;
};

static void judge(void *context, struct str name)
{
	const struct straying *s = context;
	struct error err = {0};
	bool is_known = true;
	arena_clear(s->arena);
	if (store_media_name_is_known(s->config->store, name, &is_known, &err) == ERR_NONE &&
	    !is_known)
		(void)media_name_remove(s->config->files, s->arena, name);
}

void media_sweep_strays(struct media_uploads *uploads)
{
	struct straying s = {media_uploads_settings(uploads),
			     arena_new("media strays", SWEEP_ARENA_BYTES)};
	media_files_walk(s.config->files, STRAY_S, judge, &s);
	media_files_forget_copies(s.config->files, COPY_S);
	arena_free(&s.arena);
}
