/* SPDX-License-Identifier: Apache-2.0
 * The id of a post that is out, which its platform tells later (store_late_id.h): one read at a
 * time, with waits that grow, for a day. Whatever comes of a look, the post stays published: no
 * failure of it is told, and nothing is sent but reads. */
#include "delivery_private.h"

#include "clock.h"

#include "policy.h"

static bool is_missing(const struct delivery_task *t)
{
	return t->platform->stages[OPERATION_LATE_ID] != NULL && flow_is_without_id(&t->flow);
}

void late_id_ask(struct delivery_task *t)
{
	t->save.late_id.until_us = 0;
	if (t->save.next != DELIVERY_PUBLISHED || !is_missing(t))
		return;
	t->save.late_id.due_us = verdict_due_us(t, policy_late_id_wait_ms(0));
	t->save.late_id.until_us = verdict_due_us(t, POLICY_LATE_ID_US / US_PER_MS);
}

enum next late_id_begin(struct delivery_task *t)
{
	const enum account_state state = t->work.account.state;
	t->flow.stage = STR(""); /* publishing left it where it ended */
	if (t->work.is_app_deleted || state == ACCOUNT_DISCONNECTED || !is_missing(t))
		return late_id_give_up(t);
	return account_state_is_usable(state) ? NEXT_ASK : late_id_missed(t);
}

enum next late_id_found(struct delivery_task *t)
{
	record_decision(t, STR("the post has its id"));
	return verdict_end_published(t);
}

enum next late_id_give_up(struct delivery_task *t)
{
	record_decision(t, STR("the post stays without an id"));
	if (!t->is_unreadable && is_missing(t))
		flow_lacks_id(&t->flow,
			      str_format(t->turn.arena, "platforms.%s", t->platform->slug),
			      STR("The platform gave no id for the post, which is out. Its address "
				  "shows the account."));
	return verdict_end_published(t);
}

enum next late_id_missed(struct delivery_task *t)
{
	t->save.looks++;
	const int64_t wait_ms = policy_late_id_wait_ms(t->save.looks);
	if (t->env.now_us >= t->late_id_until_us)
		return late_id_give_up(t);
	record_decision(t, STR("look for the post's id later"));
	const int64_t due_us = verdict_due_us(t, wait_ms);
	return verdict_wait_until(t, due_us < t->late_id_until_us ? due_us : t->late_id_until_us);
}

/* What else a turn may decide is for posts that are not out. */
static bool is_of_a_look(enum delivery_next next)
{
	return next == DELIVERY_KEEP || next == DELIVERY_WAIT || next == DELIVERY_PUBLISHED;
}

void late_id_turn_ends(struct delivery_task *t)
{
	if (!is_of_a_look(t->save.next))
		late_id_missed(t);
	if (t->save.next != DELIVERY_PUBLISHED)
		return;
	t->flow.stage = STR("");
	t->save.parts = STR("");
	t->save.remote_id = STR("");
	if (!t->is_unreadable)
		task_keep_parts(t);
}
