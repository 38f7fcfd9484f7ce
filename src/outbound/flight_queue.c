/* SPDX-License-Identifier: Apache-2.0
 * See flight_queue.h. Shares are found by their whole key, never by a hash alone: two of them must
 * not be one. They are made when they are needed and go when nothing of them is left. */
#include "flight_queue.h"

#include <stdlib.h>
#include <string.h>

#include "fnv.h"

#define BUCKETS 256

struct flight_share {
	struct flight_share *next;         /* of the bucket */
	struct flight_share *next_waiting; /* of those with waiting flights, in turn */
	size_t running;
	struct flight_list waiting;
	size_t key_len;
	char key[];
};

struct flight_queue {
	size_t total_max;
	size_t share_max;
	size_t running;
	size_t waiting;
	struct flight_share *buckets[BUCKETS];
	struct flight_share *first_waiting;
};

/* ---- lists ---- */

void flight_list_append(struct flight_list *list, struct flight *flight)
{
	struct flight_link *link = flight_link(flight);
	link->previous = list->last;
	link->next = NULL;
	if (list->last != NULL)
		flight_link(list->last)->next = flight;
	else
		list->first = flight;
	list->last = flight;
	list->count++;
}

void flight_list_remove(struct flight_list *list, struct flight *flight)
{
	const struct flight_link link = *flight_link(flight);
	if (link.previous != NULL)
		flight_link(link.previous)->next = link.next;
	else
		list->first = link.next;
	if (link.next != NULL)
		flight_link(link.next)->previous = link.previous;
	else
		list->last = link.previous;
	list->count--;
}

struct flight *flight_list_take_first(struct flight_list *list)
{
	struct flight *flight = list->first;
	if (flight != NULL)
		flight_list_remove(list, flight);
	return flight;
}

/* ---- shares ---- */

static struct flight_share **bucket_of(struct flight_queue *queue, struct str key)
{
	return &queue->buckets[fnv_hash(key) % BUCKETS];
}

static struct flight_share *share_of(struct flight_queue *queue, struct str key)
{
	struct flight_share **bucket = bucket_of(queue, key);
	for (struct flight_share *share = *bucket; share != NULL; share = share->next) {
		if (str_equal(key, (struct str){share->key, share->key_len}))
			return share;
	}
	struct flight_share *share = calloc(1, sizeof(*share) + key.len + 1);
	if (share == NULL)
		abort(); /* small internal memory, as flights are (docs/adr/0002) */
	if (key.len > 0)
		memcpy(share->key, key.ptr, key.len);
	share->key_len = key.len;
	share->next = *bucket;
	*bucket = share;
	return share;
}

static void share_drop_if_empty(struct flight_queue *queue, struct flight_share *share)
{
	if (share->running > 0 || share->waiting.first != NULL)
		return;
	struct flight_share **link = bucket_of(queue, (struct str){share->key, share->key_len});
	while (*link != share)
		link = &(*link)->next;
	*link = share->next;
	free(share);
}

static void waiting_append(struct flight_queue *queue, struct flight_share *share)
{
	struct flight_share **link = &queue->first_waiting;
	while (*link != NULL)
		link = &(*link)->next_waiting;
	*link = share;
	share->next_waiting = NULL;
}

static void waiting_remove(struct flight_queue *queue, struct flight_share *share)
{
	struct flight_share **link = &queue->first_waiting;
	while (*link != share)
		link = &(*link)->next_waiting;
	*link = share->next_waiting;
}

/* ---- the queue ---- */

struct flight_queue *flight_queue_new(size_t total_max, size_t share_max)
{
	struct flight_queue *queue = calloc(1, sizeof(*queue));
	if (queue == NULL)
		return NULL;
	queue->total_max = total_max;
	queue->share_max = share_max;
	return queue;
}

static void share_free(struct flight_share *share)
{
	struct flight *flight;
	while ((flight = flight_list_take_first(&share->waiting)) != NULL)
		flight_free(&flight);
	free(share);
}

void flight_queue_free(struct flight_queue **queue)
{
	if (*queue == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		while ((*queue)->buckets[i] != NULL) {
			struct flight_share *share = (*queue)->buckets[i];
			(*queue)->buckets[i] = share->next;
			share_free(share);
		}
	}
	free(*queue);
	*queue = NULL;
}

static void begin(struct flight_queue *queue, struct flight_share *share, struct flight *flight,
		  int64_t now_us)
{
	flight_link(flight)->since_us = now_us;
	share->running++;
	queue->running++;
}

bool flight_queue_enter(struct flight_queue *queue, struct flight *flight, struct str key,
			int64_t now_us)
{
	struct flight_share *share = share_of(queue, key);
	flight_link(flight)->share = share;
	if (share->running < queue->share_max && queue->running < queue->total_max &&
	    share->waiting.first == NULL) {
		begin(queue, share, flight, now_us);
		return true;
	}
	flight_link(flight)->since_us = now_us;
	if (share->waiting.first == NULL)
		waiting_append(queue, share);
	flight_list_append(&share->waiting, flight);
	queue->waiting++;
	return false;
}

void flight_queue_leave(struct flight_queue *queue, struct flight *flight)
{
	struct flight_share *share = flight_link(flight)->share;
	flight_link(flight)->share = NULL;
	share->running--;
	queue->running--;
	share_drop_if_empty(queue, share);
}

static void take_out(struct flight_queue *queue, struct flight_share *share, struct flight *flight)
{
	flight_list_remove(&share->waiting, flight);
	queue->waiting--;
	if (share->waiting.first == NULL)
		waiting_remove(queue, share);
}

struct flight *flight_queue_next(struct flight_queue *queue, int64_t now_us)
{
	struct flight_share *fewest = NULL;
	if (queue->running >= queue->total_max)
		return NULL;
	for (struct flight_share *share = queue->first_waiting; share != NULL;
	     share = share->next_waiting) {
		if (share->running < queue->share_max &&
		    (fewest == NULL || share->running < fewest->running))
			fewest = share;
	}
	if (fewest == NULL)
		return NULL;
	struct flight *flight = fewest->waiting.first;
	take_out(queue, fewest, flight);
	if (fewest->waiting.first != NULL) { /* of those that run as many, the others go first */
		waiting_remove(queue, fewest);
		waiting_append(queue, fewest);
	}
	begin(queue, fewest, flight, now_us);
	return flight;
}

struct flight *flight_queue_expire(struct flight_queue *queue,
				   bool (*is_over)(struct flight *flight))
{
	for (struct flight_share *share = queue->first_waiting; share != NULL;
	     share = share->next_waiting) {
		for (struct flight *flight = share->waiting.first; flight != NULL;
		     flight = flight_link(flight)->next) {
			if (!is_over(flight))
				continue;
			take_out(queue, share, flight);
			flight_link(flight)->share = NULL;
			share_drop_if_empty(queue, share);
			return flight;
		}
	}
	return NULL;
}

size_t flight_queue_waiting(const struct flight_queue *queue)
{
	return queue->waiting;
}

int64_t flight_queue_waiting_since_us(const struct flight_queue *queue)
{
	int64_t since_us = 0;
	for (const struct flight_share *share = queue->first_waiting; share != NULL;
	     share = share->next_waiting) {
		const int64_t own_us = flight_link(share->waiting.first)->since_us;
		if (since_us == 0 || own_us < since_us)
			since_us = own_us;
	}
	return since_us;
}
