/* SPDX-License-Identifier: Apache-2.0
 * See due.h. */
#include "due.h"

#include "arena.h"

#include "store_waiting.h"

#include "delivery.h"

static struct gate_closing closing_of(const struct deliverer *deliverer,
				      const struct store_due_accounts *due)
{
	return deliverer != NULL ? deliverer_closing_of(deliverer, due->platform, due->app_id)
				 : (struct gate_closing){0};
}

enum err_kind due_list(struct store *store, const struct deliverer *deliverer, struct arena *arena,
		       int64_t now_us, struct due_backlog *out, struct error *err)
{
	struct store_due_accounts *rows = NULL;
	size_t count = 0;
	*out = (struct due_backlog){0};
	const enum err_kind kind =
		store_due_accounts_list(store, arena, now_us, &rows, &count, err);
	if (kind != ERR_NONE)
		return kind;
	out->at_gates = ARENA_ARRAY(arena, struct due_at_gate, count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct gate_closing closing = closing_of(deliverer, &rows[i]);
		if (closing.reason != GATE_OPEN)
			out->at_gates[out->at_gate_count++] = (struct due_at_gate){
				rows[i].app_id, rows[i].client_id, rows[i].platform,
				closing,        rows[i].oldest_us, rows[i].account_count};
		else if (out->oldest_us == 0)
			out->oldest_us = rows[i].oldest_us;
	}
	return ERR_NONE;
}

int64_t due_late_us(const struct due_backlog *due, const struct deliverer *deliverer,
		    int64_t now_us)
{
	if (deliverer != NULL && deliverer_is_idle(deliverer))
		return 0;
	const int64_t due_us = due->oldest_us != 0 ? now_us - due->oldest_us : 0;
	const int64_t behind_us = deliverer != NULL ? deliverer_behind_us(deliverer) : INT64_MAX;
	const int64_t late_us = due_us < behind_us ? due_us : behind_us;
	return late_us > 0 ? late_us : 0;
}

enum err_kind due_waiting_count(struct store *store, const struct deliverer *deliverer,
				struct arena *arena, int64_t now_us,
				int64_t counts_out[WAITING_REASON_COUNT], struct error *err)
{
	struct store_waiting_group *groups = NULL;
	int64_t scheduled_count = 0;
	size_t count = 0;
	memset(counts_out, 0, sizeof(counts_out[0]) * WAITING_REASON_COUNT);
	enum err_kind kind = store_waiting_groups_list(store, arena, now_us, &groups, &count, err);
	if (kind == ERR_NONE)
		kind = store_scheduled_count(store, &scheduled_count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++) {
		struct waiting_facts facts = {.now_us = now_us};
		facts.is_delivering = deliverer != NULL && !deliverer_is_idle(deliverer);
		if (facts.is_delivering)
			facts.closing = deliverer_closing_of(deliverer, groups[i].delivery.platform,
							     groups[i].app_id);
		const struct waiting waiting = waiting_of(arena, &groups[i].delivery, &facts);
		if (!waiting.is_under_way)
			counts_out[waiting.reason] += groups[i].count;
	}
	counts_out[WAITING_SCHEDULE] += scheduled_count;
	return kind;
}
