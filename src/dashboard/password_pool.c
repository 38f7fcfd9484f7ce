/* SPDX-License-Identifier: Apache-2.0
 * See password_pool.h. */
#include "password_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "arena.h"

#include "digest.h"

/* The hash of a discarded random password. An unknown admin's password is compared with it, so that
 * the answer takes as long. */
#define NOBODYS_HASH \
	"$argon2id$v=19$m=19456,t=2,p=1$SfCqXWl8tjy2JhESpcRPMA$" \
	"n2srDLT+fHSls5s8pmIy9xgklUgR1kH8Wt3hndgySIo"

struct password_pool {
	pthread_mutex_t mutex;
	pthread_cond_t is_free;
	unsigned running[PASSWORD_LANE_COUNT];
	unsigned waiting[PASSWORD_LANE_COUNT];
	unsigned running_max;
	unsigned waiting_max;
};

struct password_pool *password_pool_new(unsigned running_max, unsigned waiting_max)
{
	struct password_pool *pool = calloc(1, sizeof(*pool));
	if (pool == NULL)
		return NULL;
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_cond_init(&pool->is_free, NULL);
	pool->running_max = running_max;
	pool->waiting_max = waiting_max;
	return pool;
}

void password_pool_free(struct password_pool **pool)
{
	if (*pool == NULL)
		return;
	pthread_cond_destroy(&(*pool)->is_free);
	pthread_mutex_destroy(&(*pool)->mutex);
	free(*pool);
	*pool = NULL;
}

static bool has_room(const struct password_pool *pool, enum password_lane lane)
{
	const unsigned of_strangers = pool->running[PASSWORD_OF_STRANGER];
	const unsigned strangers_max =
		pool->running_max > 1 ? pool->running_max - 1 : pool->running_max;
	return of_strangers + pool->running[PASSWORD_OF_KNOWN] < pool->running_max &&
	       (lane == PASSWORD_OF_KNOWN || of_strangers < strangers_max);
}

static bool enter(struct password_pool *pool, enum password_lane lane)
{
	pthread_mutex_lock(&pool->mutex);
	const bool may_enter = has_room(pool, lane) || pool->waiting[lane] < pool->waiting_max;
	if (may_enter) {
		pool->waiting[lane]++;
		while (!has_room(pool, lane))
			pthread_cond_wait(&pool->is_free, &pool->mutex);
		pool->waiting[lane]--;
		pool->running[lane]++;
	}
	pthread_mutex_unlock(&pool->mutex);
	return may_enter;
}

static void leave(struct password_pool *pool, enum password_lane lane)
{
	pthread_mutex_lock(&pool->mutex);
	pool->running[lane]--;
	/* to all: the one that a signal wakes may be of a lane that has no room */
	pthread_cond_broadcast(&pool->is_free);
	pthread_mutex_unlock(&pool->mutex);
}

enum password_verdict password_pool_check(struct password_pool *pool, enum password_lane lane,
					  struct str hash, struct str password)
{
	const bool is_known = !str_is_empty(hash);
	if (!enter(pool, lane))
		return PASSWORD_BUSY;
	const bool is_right =
		digest_password_verify(is_known ? hash : STR(NOBODYS_HASH), password) && is_known;
	leave(pool, lane);
	return is_right ? PASSWORD_RIGHT : PASSWORD_WRONG;
}

struct str password_pool_hash(struct password_pool *pool, struct arena *arena, struct str password)
{
	if (!enter(pool, PASSWORD_OF_KNOWN))
		return (struct str){0};
	const struct str hash = digest_password(arena, password);
	leave(pool, PASSWORD_OF_KNOWN);
	return hash;
}
