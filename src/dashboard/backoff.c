/* SPDX-License-Identifier: Apache-2.0
 * See backoff.h. */
#include "backoff.h"

#include <pthread.h>
#include <stdlib.h>

#include "clock.h"

#include "digest.h"

#define ENTRIES 1024 /* when all are taken, the one that failed longest ago goes */
#define DOUBLINGS_MAX 6

struct entry {
	struct digest key; /* as it comes from outside, of any length */
	int failures;      /* 0 = free */
	int64_t last_us;   /* of the boot clock, which never goes back */
};

struct backoff {
	const struct clock *clock;
	pthread_mutex_t mutex;
	struct entry entries[ENTRIES];
};

struct backoff *backoff_new(const struct clock *clock)
{
	struct backoff *backoff = calloc(1, sizeof(*backoff));
	if (backoff == NULL)
		return NULL;
	backoff->clock = clock;
	pthread_mutex_init(&backoff->mutex, NULL);
	return backoff;
}

void backoff_free(struct backoff **backoff)
{
	if (*backoff == NULL)
		return;
	pthread_mutex_destroy(&(*backoff)->mutex);
	free(*backoff);
	*backoff = NULL;
}

static struct digest digest_of(const struct backoff_key *key)
{
	return digest_hmac_sha256(str_of(key->kind), key->text);
}

static struct entry *find(struct backoff *backoff, const struct digest *key, int64_t now_us)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		struct entry *entry = &backoff->entries[i];
		if (entry->failures == 0 || !digest_equal(&entry->key, key))
			continue;
		if (now_us - entry->last_us >= BACKOFF_FORGET_US)
			entry->failures = 0;
		return entry;
	}
	return NULL;
}

static struct entry *take_place(struct backoff *backoff)
{
	struct entry *oldest = &backoff->entries[0];
	for (size_t i = 0; i < ENTRIES; i++) {
		struct entry *entry = &backoff->entries[i];
		if (entry->failures == 0)
			return entry;
		if (entry->last_us < oldest->last_us)
			oldest = entry;
	}
	return oldest;
}

static int64_t wait_of(const struct entry *entry, int free_failures, int64_t now_us)
{
	if (entry == NULL || entry->failures < free_failures)
		return 0;
	const int over = entry->failures - free_failures;
	int64_t pause_us = US_PER_S << (over < DOUBLINGS_MAX ? over : DOUBLINGS_MAX);
	if (pause_us > BACKOFF_WAIT_MAX_US)
		pause_us = BACKOFF_WAIT_MAX_US;
	const int64_t left_us = entry->last_us + pause_us - now_us;
	return left_us > 0 ? left_us : 0;
}

static void count_failure(struct backoff *backoff, const struct digest *key, int64_t now_us)
{
	struct entry *entry = find(backoff, key, now_us);
	if (entry == NULL) {
		entry = take_place(backoff);
		*entry = (struct entry){.key = *key};
	}
	entry->failures++;
	entry->last_us = now_us;
}

static int64_t longest_wait(struct backoff *backoff, const struct backoff_key *keys, size_t count,
			    int64_t now_us)
{
	int64_t longest_us = 0;
	for (size_t i = 0; i < count; i++) {
		const struct digest key = digest_of(&keys[i]);
		const int64_t wait_us =
			wait_of(find(backoff, &key, now_us), keys[i].free_failures, now_us);
		longest_us = wait_us > longest_us ? wait_us : longest_us;
	}
	return longest_us;
}

int64_t backoff_try(struct backoff *backoff, const struct backoff_key *keys, size_t count)
{
	const int64_t now_us = clock_boot_us(backoff->clock);
	pthread_mutex_lock(&backoff->mutex);
	const int64_t wait_us = longest_wait(backoff, keys, count, now_us);
	for (size_t i = 0; i < count && wait_us == 0; i++) {
		const struct digest key = digest_of(&keys[i]);
		count_failure(backoff, &key, now_us);
	}
	pthread_mutex_unlock(&backoff->mutex);
	return wait_us;
}

void backoff_undo(struct backoff *backoff, const struct backoff_key *keys, size_t count)
{
	const int64_t now_us = clock_boot_us(backoff->clock);
	pthread_mutex_lock(&backoff->mutex);
	for (size_t i = 0; i < count; i++) {
		const struct digest key = digest_of(&keys[i]);
		struct entry *entry = find(backoff, &key, now_us);
		if (entry != NULL && entry->failures > 0)
			entry->failures--;
	}
	pthread_mutex_unlock(&backoff->mutex);
}

void backoff_forget(struct backoff *backoff, const struct backoff_key *key)
{
	const struct digest digest = digest_of(key);
	pthread_mutex_lock(&backoff->mutex);
	struct entry *entry = find(backoff, &digest, clock_boot_us(backoff->clock));
	if (entry != NULL)
		entry->failures = 0;
	pthread_mutex_unlock(&backoff->mutex);
}
