/* SPDX-License-Identifier: Apache-2.0
 * What each app has of the spool. A file's key begins with its post's id: the table knows the app
 * of every post that has files or a fetch under way, and the apps' sums. It lives in memory alone:
 * at a start the sweep, which asks for every key whether it is needed, says whose it is too
 * (spool_share_adopt). An app's files count one by one, also where several are one file on the
 * disk. */
#include "spool_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fnv.h"

#define POST_ID_BYTES 36
#define BUCKETS 1024
/* Of the whole budget one app gets no more than this: others always find room. */
#define APP_PART_OF_BUDGET(budget_bytes) ((budget_bytes) / 4 * 3)

struct share_post {
	struct share_post *next; /* of the bucket */
	struct share_app *app;
	int64_t bytes;
	int64_t files;
	size_t id_len;
	char id[POST_ID_BYTES];
};

struct share_app {
	struct share_app *next;
	struct save_room room; /* of its fetches under way, and what it has */
	_Atomic int64_t bytes;
	int64_t files;
	int64_t files_max; /* 0 = no limit */
	size_t id_len;
	char id[];
};

struct spool_shares {
	pthread_mutex_t lock; /* of the lists and sums; coming bytes are the engine's thread's */
	struct share_app *apps;
	struct share_post *posts[BUCKETS];
};

struct spool_shares *spool_shares_new(void)
{
	struct spool_shares *shares = calloc(1, sizeof(*shares));
	if (shares != NULL)
		pthread_mutex_init(&shares->lock, NULL);
	return shares;
}

void spool_shares_free(struct spool_shares **shares)
{
	if (*shares == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		while ((*shares)->posts[i] != NULL) {
			struct share_post *post = (*shares)->posts[i];
			(*shares)->posts[i] = post->next;
			free(post);
		}
	}
	while ((*shares)->apps != NULL) {
		struct share_app *app = (*shares)->apps;
		(*shares)->apps = app->next;
		free(app);
	}
	pthread_mutex_destroy(&(*shares)->lock);
	free(*shares);
	*shares = NULL;
}

/* ---- the tables; lock held ---- */

static struct str post_id_of(struct str key)
{
	return str_slice(key, 0, key.len < POST_ID_BYTES ? key.len : POST_ID_BYTES);
}

static struct share_post **find_post(struct spool_shares *shares, struct str key)
{
	const struct str id = post_id_of(key);
	struct share_post **link = &shares->posts[fnv_hash(id) % BUCKETS];
	while (*link != NULL && !str_equal(id, (struct str){(*link)->id, (*link)->id_len}))
		link = &(*link)->next;
	return link;
}

static struct share_app *find_app(struct spool_shares *shares, struct str app_id)
{
	struct share_app *app = shares->apps;
	while (app != NULL && !str_equal(app_id, (struct str){app->id, app->id_len}))
		app = app->next;
	return app;
}

static struct share_app *make_app(struct spool *spool, struct str app_id)
{
	struct share_app *app = find_app(spool->shares, app_id);
	if (app != NULL)
		return app;
	app = calloc(1, sizeof(*app) + app_id.len + 1);
	if (app == NULL)
		abort(); /* the same rule as arena_alloc */
	memcpy(app->id, app_id.ptr, app_id.len);
	app->id_len = app_id.len;
	app->room = (struct save_room){
		.kept_bytes = &app->bytes, .max_bytes = INT64_MAX, .whole = &spool->room};
	app->next = spool->shares->apps;
	spool->shares->apps = app;
	return app;
}

static struct share_post *make_post(struct spool *spool, struct str key, struct str app_id)
{
	struct share_post **link = find_post(spool->shares, key);
	const struct str id = post_id_of(key);
	if (*link != NULL)
		return *link;
	struct share_post *post = calloc(1, sizeof(*post));
	if (post == NULL)
		abort(); /* the same rule as arena_alloc */
	memcpy(post->id, id.ptr, id.len);
	post->id_len = id.len;
	post->app = make_app(spool, app_id);
	*link = post;
	return post;
}

/* ---- for the files of the spool ---- */

void spool_share_change(struct spool *spool, struct str key, int64_t bytes, int64_t files)
{
	pthread_mutex_lock(&spool->shares->lock);
	struct share_post *post = *find_post(spool->shares, key);
	if (post != NULL) {
		post->bytes += bytes;
		post->files += files;
		post->app->bytes += bytes;
		post->app->files += files;
	}
	pthread_mutex_unlock(&spool->shares->lock);
}

void spool_share_forget(struct spool *spool, struct str key)
{
	pthread_mutex_lock(&spool->shares->lock);
	struct share_post **link = find_post(spool->shares, key);
	struct share_post *post = *link;
	if (post != NULL && post->bytes == 0 && post->files == 0) {
		*link = post->next;
		free(post);
	}
	pthread_mutex_unlock(&spool->shares->lock);
}

struct save_room *spool_share_room(struct spool *spool, struct str key)
{
	pthread_mutex_lock(&spool->shares->lock);
	const struct share_post *post = *find_post(spool->shares, key);
	struct save_room *room = post != NULL ? &post->app->room : &spool->room;
	pthread_mutex_unlock(&spool->shares->lock);
	return room;
}

enum spool_full spool_share_full(struct spool *spool, struct str key, int64_t more_bytes)
{
	enum spool_full full = SPOOL_HAS_ROOM;
	pthread_mutex_lock(&spool->shares->lock);
	const struct share_post *post = *find_post(spool->shares, key);
	const struct share_app *app = post != NULL ? post->app : NULL;
	if (app != NULL && app->bytes + more_bytes > app->room.max_bytes)
		full = SPOOL_FULL_OF_BYTES;
	else if (app != NULL && app->files_max != 0 && app->files >= app->files_max)
		full = SPOOL_FULL_OF_FILES;
	pthread_mutex_unlock(&spool->shares->lock);
	return full;
}

/* ---- for others ---- */

void spool_share_set(struct spool *spool, struct str key, const struct spool_share *share)
{
	const int64_t part_bytes = APP_PART_OF_BUDGET(spool->budget_bytes);
	pthread_mutex_lock(&spool->shares->lock);
	struct share_app *app = make_post(spool, key, share->app_id)->app;
	app->room.max_bytes = share->bytes_max > 0 && share->bytes_max < part_bytes
				      ? share->bytes_max
				      : part_bytes;
	app->files_max = share->files_max;
	pthread_mutex_unlock(&spool->shares->lock);
}

bool spool_share_is_known(struct spool *spool, struct str key)
{
	pthread_mutex_lock(&spool->shares->lock);
	const bool is_known = *find_post(spool->shares, key) != NULL;
	pthread_mutex_unlock(&spool->shares->lock);
	return is_known;
}

void spool_share_adopt(struct spool *spool, struct str key, struct str app_id)
{
	pthread_mutex_lock(&spool->shares->lock);
	make_post(spool, key, app_id);
	pthread_mutex_unlock(&spool->shares->lock);
}

void spool_share_use(struct spool *spool, struct str app_id, int64_t *bytes_out, int64_t *files_out)
{
	pthread_mutex_lock(&spool->shares->lock);
	const struct share_app *app = find_app(spool->shares, app_id);
	*bytes_out = app != NULL ? app->bytes : 0;
	*files_out = app != NULL ? app->files : 0;
	pthread_mutex_unlock(&spool->shares->lock);
}
