/* SPDX-License-Identifier: Apache-2.0
 * Who of a pool's flights runs and who waits. Every flight belongs to a share: an app's for the
 * addresses that customers give, a host's for the platforms. A share runs a limited number at a
 * time, and so does the pool. When a place is free, it goes to the share that runs the fewest, so
 * that the many of one never keep out the few of another. Only decides: no I/O and no clock.
 * Private to outbound/. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "flight.h"
#include "str.h"

struct flight_list {
	struct flight *first;
	struct flight *last;
	size_t count;
};

void flight_list_append(struct flight_list *list, struct flight *flight);
void flight_list_remove(struct flight_list *list, struct flight *flight);
/* NULL when the list is empty. */
struct flight *flight_list_take_first(struct flight_list *list);

struct flight_queue;

/* At most total_max run at once, and of one share at most share_max; both > 0. NULL without memory.
 * The caller frees it with flight_queue_free(), after the flights that it knows of. */
struct flight_queue *flight_queue_new(size_t total_max, size_t share_max);
/* Frees the flights that wait, too, and sets *queue to NULL; takes NULL. */
void flight_queue_free(struct flight_queue **queue);

/* True: the flight counts as running from now on, and flight_queue_leave() must follow. False: it
 * waits, in a list of the queue's. key names its share. */
bool flight_queue_enter(struct flight_queue *queue, struct flight *flight, struct str key,
			int64_t now_us);
/* A running flight has ended. */
void flight_queue_leave(struct flight_queue *queue, struct flight *flight);
/* The waiting flight whose turn it is, which counts as running from now on; NULL = nobody may
 * begin. */
struct flight *flight_queue_next(struct flight_queue *queue, int64_t now_us);
/* Takes out a waiting flight that is_over says is over; NULL when there is no such (more). */
struct flight *flight_queue_expire(struct flight_queue *queue,
				   bool (*is_over)(struct flight *flight));

size_t flight_queue_waiting(const struct flight_queue *queue);
/* Since when the one that waits longest has waited; 0 = nobody waits. */
int64_t flight_queue_waiting_since_us(const struct flight_queue *queue);
