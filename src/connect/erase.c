/* SPDX-License-Identifier: Apache-2.0
 * The work of an erasure, step by step (store_user.h says what is durable between them). After a
 * crash the next run begins where the rows say. */
#include "connect_private.h"

#include "store_user.h"
#include "store_words.h"

#define ERASURES_MAX 16 /* side by side: they share what is costly, the wiping */
#define ACCOUNTS_MAX 50
#define REVOKE_WAIT_MS 3000
#define PURGE_STEPS 16 /* of about a megabyte, in a round */
#define ERASE_ARENA_BYTES ((size_t)8 << 20)

struct erase_round {
	struct connector *connector;
	struct arena *arena;
	struct erasure *erasures;
	bool is_erased[ERASURES_MAX];
	size_t count;
};

/* Revoked first, since the tokens are gone afterwards. */
static enum err_kind disconnect_all(const struct erase_round *round, const struct erasure *erasure,
				    struct error *err)
{
	struct account_row *accounts = NULL;
	size_t count = 0;
	enum err_kind kind;
	do {
		kind = store_erasure_connected(round->connector->config.store, round->arena,
					       erasure->id, ACCOUNTS_MAX, &accounts, &count, err);
		for (size_t i = 0; i < count && kind == ERR_NONE; i++)
			kind = connector_disconnect(round->connector, round->arena, &accounts[i],
						    REVOKE_WAIT_MS, err);
	} while (kind == ERR_NONE && count == ACCOUNTS_MAX);
	return kind;
}

static enum err_kind erase_one(const struct erase_round *round, struct erasure *erasure,
			       bool *is_erased_out, struct error *err)
{
	struct store *store = round->connector->config.store;
	enum erasure_step step = ERASURE_STEP_MORE;
	enum err_kind kind = disconnect_all(round, erasure, err);
	while (kind == ERR_NONE && step == ERASURE_STEP_MORE)
		kind = store_erasure_go_on(
			store, erasure, clock_now_us(round->connector->config.clock), &step, err);
	*is_erased_out = kind == ERR_NONE && step == ERASURE_STEP_DONE;
	return kind;
}

/* False: more of the index of words has to be written anew; the next round goes on. */
static enum err_kind wipe_words(struct store *store, bool *are_gone_out, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	bool is_more = true;
	for (int i = 0; i < PURGE_STEPS && kind == ERR_NONE && is_more; i++)
		kind = store_words_purge(store, &is_more, err);
	*are_gone_out = !is_more;
	return kind;
}

/* Only what is gone from the files too is told as erased. */
static enum err_kind finish(const struct erase_round *round, struct error *err)
{
	struct store *store = round->connector->config.store;
	bool is_any = false;
	for (size_t i = 0; i < round->count; i++)
		is_any = is_any || round->is_erased[i];
	bool are_gone = false;
	enum err_kind kind = is_any ? wipe_words(store, &are_gone, err) : ERR_NONE;
	if (kind != ERR_NONE || !are_gone)
		return kind;
	kind = store_wipe(store, err);
	for (size_t i = 0; i < round->count && kind == ERR_NONE; i++) {
		if (!round->is_erased[i])
			continue;
		kind = store_erasure_finish(store, &round->erasures[i],
					    clock_now_us(round->connector->config.clock), err);
		if (kind == ERR_CONFLICT)
			kind = ERR_NONE;
	}
	return kind;
}

static enum err_kind run(struct erase_round *round, struct error *err)
{
	enum err_kind kind = store_erasure_list(round->connector->config.store, round->arena,
						ERASURES_MAX, &round->erasures, &round->count, err);
	for (size_t i = 0; i < round->count && kind == ERR_NONE; i++)
		kind = erase_one(round, &round->erasures[i], &round->is_erased[i], err);
	return kind == ERR_NONE ? finish(round, err) : kind;
}

bool connector_erase_users(struct connector *connector)
{
	struct erase_round round = {.connector = connector,
				    .arena = arena_new("erasing", ERASE_ARENA_BYTES)};
	struct error err = {0};
	if (run(&round, &err) != ERR_NONE)
		LOG(connector->config.log, WARN, "erasing_put_off",
		    log_str("why", str_of(err.text)));
	arena_free(&round.arena);
	return round.count > 0;
}
