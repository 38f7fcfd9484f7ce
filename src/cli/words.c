/* SPDX-License-Identifier: Apache-2.0
 * Keeps the index of words behind the posts (store_words.h), with a share of the writer and no
 * more: what is left over when a beat's time is up waits for the next beat. When nothing is left
 * the thread rests until something is accepted. */
#include "service_private.h"

#include "store_node.h"
#include "store_words.h"

#define EVERY_MS 250
/* A beat writes for so long, which makes a tenth of the writer's time at most. */
#define BEAT_US (25 * US_PER_MS)
/* Other nodes may end before they have indexed what they accepted, or hold an app's words while
 * this one looks; and what failed is tried again. */
#define REST_MS 5000

static enum err_kind index_some(struct service *service, bool *is_more_out, struct error *err)
{
	int64_t posts = 0;
	enum err_kind kind = ERR_NONE;
	*is_more_out = false;
	if (!service->are_words_open)
		kind = store_words_open(service->store, err);
	service->are_words_open = kind == ERR_NONE;
	if (kind == ERR_NONE)
		kind = store_words_index(service->store, &posts, err);
	*is_more_out = posts > 0;
	return kind == ERR_NONE && posts == 0 ? store_words_purge(service->store, is_more_out, err)
					      : kind;
}

static void beat(void *context)
{
	struct service *service = context;
	const int64_t end_us = clock_boot_us(clock_system()) + BEAT_US;
	enum err_kind kind = ERR_NONE;
	struct error err = {0};
	bool is_more = true;
	while (kind == ERR_NONE && is_more && clock_boot_us(clock_system()) < end_us)
		kind = index_some(service, &is_more, &err);
	/* Said once, and again when it went well meanwhile. */
	if (kind != ERR_NONE && !service->have_words_failed)
		LOG(&service->log, WARN, "words_not_indexed", log_str("error", str_of(err.text)));
	service->have_words_failed = kind != ERR_NONE;
	const bool looks_again = kind != ERR_NONE || store_is_shared(service->store);
	if (!is_more)
		store_words_wait(service->store, looks_again ? REST_MS : 0);
}

enum err_kind words_start(struct service *service, struct error *err)
{
	return heartbeat_start(EVERY_MS, beat, service, &service->words_heartbeat, err);
}

void words_stop(struct service *service)
{
	if (service->words_heartbeat != NULL)
		store_words_wait_end(service->store);
	heartbeat_stop(&service->words_heartbeat);
}
