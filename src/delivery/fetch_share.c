/* SPDX-License-Identifier: Apache-2.0
 * See fetch_share.h. A list of the apps that have any: rarely more than a few, and never more than
 * there are deliveries at work. */
#include "fetch_share.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct app_fetches {
	struct app_fetches *next;
	uint32_t count;
	size_t app_id_len;
	char app_id[];
};

struct fetch_share {
	pthread_mutex_t lock;
	struct app_fetches *first;
};

struct fetch_share *fetch_share_new(void)
{
	struct fetch_share *share = calloc(1, sizeof(*share));
	if (share == NULL)
		abort(); /* the same rule as arena_alloc */
	pthread_mutex_init(&share->lock, NULL);
	return share;
}

void fetch_share_free(struct fetch_share **share)
{
	if (*share == NULL)
		return;
	while ((*share)->first != NULL) {
		struct app_fetches *app = (*share)->first;
		(*share)->first = app->next;
		free(app);
	}
	pthread_mutex_destroy(&(*share)->lock);
	free(*share);
	*share = NULL;
}

/* Lock held. The link that points to the app's row, or to nothing. */
static struct app_fetches **find(struct fetch_share *share, struct str app_id)
{
	struct app_fetches **link = &share->first;
	while (*link != NULL &&
	       !str_equal(app_id, (struct str){(*link)->app_id, (*link)->app_id_len}))
		link = &(*link)->next;
	return link;
}

void fetch_share_enter(struct fetch_share *share, struct str app_id)
{
	pthread_mutex_lock(&share->lock);
	struct app_fetches **link = find(share, app_id);
	if (*link == NULL) {
		*link = calloc(1, sizeof(**link) + app_id.len + 1);
		if (*link == NULL)
			abort(); /* the same rule as arena_alloc */
		memcpy((*link)->app_id, app_id.ptr, app_id.len);
		(*link)->app_id_len = app_id.len;
	}
	(*link)->count++;
	pthread_mutex_unlock(&share->lock);
}

void fetch_share_leave(struct fetch_share *share, struct str app_id)
{
	pthread_mutex_lock(&share->lock);
	struct app_fetches **link = find(share, app_id);
	struct app_fetches *app = *link;
	assert(app != NULL);
	if (--app->count == 0) {
		*link = app->next;
		free(app);
	}
	pthread_mutex_unlock(&share->lock);
}

uint32_t fetch_share_room(struct fetch_share *share, struct str app_id)
{
	pthread_mutex_lock(&share->lock);
	const struct app_fetches *app = *find(share, app_id);
	const uint32_t count = app != NULL ? app->count : 0;
	pthread_mutex_unlock(&share->lock);
	return count < FETCH_SHARE_APP_MAX ? FETCH_SHARE_APP_MAX - count : 0;
}
