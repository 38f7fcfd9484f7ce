/* SPDX-License-Identifier: Apache-2.0
 * See refusals.h. */
#include "refusals.h"

#include <pthread.h>
#include <stdlib.h>

#include "clock.h"

#include "digest.h"

#include "store_audit.h"

struct place {
	struct digest key;
	int64_t seq; /* of its row; 0 = none yet */
	int64_t begun_us;
	int64_t last_at_us;
	int64_t times;
	int64_t written;
};

struct refusals {
	pthread_mutex_t mutex;
	struct store *store;
	const struct clock *clock;
	struct place places[REFUSALS_KEYS_MAX + 1]; /* the last is everybody else's */
};

struct refusals *refusals_new(struct store *store, const struct clock *clock)
{
	struct refusals *refusals = calloc(1, sizeof(*refusals));
	if (refusals == NULL)
		return NULL;
	pthread_mutex_init(&refusals->mutex, NULL);
	refusals->store = store;
	refusals->clock = clock;
	return refusals;
}

static enum err_kind place_write(struct refusals *refusals, struct place *place, struct error *err)
{
	if (place->seq == 0 || place->written == place->times)
		return ERR_NONE;
	place->written = place->times;
	return store_audit_count(refusals->store, place->seq, place->times, place->last_at_us, err);
}

void refusals_free(struct refusals **refusals)
{
	struct error err = {0};
	if (*refusals == NULL)
		return;
	for (size_t i = 0; i <= REFUSALS_KEYS_MAX; i++)
		(void)place_write(*refusals, &(*refusals)->places[i], &err);
	pthread_mutex_destroy(&(*refusals)->mutex);
	free(*refusals);
	*refusals = NULL;
}

static bool is_current(const struct place *place, int64_t now_us)
{
	return place->seq != 0 && now_us - place->begun_us < REFUSALS_WINDOW_US;
}

/* The key's place, else a free one, else everybody else's. */
static struct place *place_of(struct refusals *refusals, const struct digest *key, int64_t now_us)
{
	struct place *rest = &refusals->places[REFUSALS_KEYS_MAX];
	struct place *chosen = rest;
	for (size_t i = 0; i < REFUSALS_KEYS_MAX; i++) {
		struct place *place = &refusals->places[i];
		if (!is_current(place, now_us))
			chosen = chosen == rest ? place : chosen;
		else if (digest_equal(&place->key, key))
			return place;
	}
	return chosen;
}

static enum err_kind begin(struct refusals *refusals, struct place *place, const struct digest *key,
			   const struct audit_row *row, struct error *err)
{
	const bool is_rest = place == &refusals->places[REFUSALS_KEYS_MAX];
	struct audit_row written = *row;
	struct error ignored = {0};
	if (is_rest) {
		written.source = STR("");
		written.object = STR("many at once");
	}
	(void)place_write(refusals, place, &ignored);
	*place = (struct place){
		.key = *key, .begun_us = clock_boot_us(refusals->clock), .last_at_us = row->at_us};
	const enum err_kind kind = store_audit_add(refusals->store, &written, &place->seq, err);
	place->times = place->written = kind == ERR_NONE ? 1 : 0;
	return kind;
}

static bool is_time_to_write(const struct place *place, const struct refusal *refusal)
{
	return !refusal->is_unread || (place->times & (place->times - 1)) == 0;
}

enum err_kind refusals_note(struct refusals *refusals, const struct refusal *refusal,
			    int64_t *times_out, struct error *err)
{
	const struct digest digest = digest_sha256(refusal->key);
	enum err_kind kind = ERR_NONE;
	pthread_mutex_lock(&refusals->mutex);
	const int64_t now_us = clock_boot_us(refusals->clock);
	struct place *place = place_of(refusals, &digest, now_us);
	*times_out = 0;
	if (!is_current(place, now_us)) {
		kind = begin(refusals, place, &digest, refusal->row, err);
		*times_out = place->times;
	} else {
		place->times++;
		place->last_at_us = refusal->row->at_us;
		if (is_time_to_write(place, refusal)) {
			kind = place_write(refusals, place, err);
			*times_out = place->times;
		}
	}
	pthread_mutex_unlock(&refusals->mutex);
	return kind;
}
