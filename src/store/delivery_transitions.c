/* SPDX-License-Identifier: Apache-2.0
 * The table. It is small on purpose: the fewer ways, the fewer surprises. */
#include "delivery_transitions.h"

#include <assert.h>

#include "arena.h"
#include "count_of.h"

#include "store_private.h"

/* Published and failed are final: no row leads out of them but what a person says of what
 * failed, or of the part that did. Processing to itself is work going on, or taken up again. */
const struct delivery_transition delivery_transitions[] = {
	{POST_PENDING, DELIVERY_CHANGE_CLAIM, POST_PROCESSING, "The engine takes it: it is due."},
	{POST_SCHEDULED, DELIVERY_CHANGE_CLAIM, POST_PROCESSING,
	 "The engine takes it: its time has come."},
	{POST_RETRYING, DELIVERY_CHANGE_CLAIM, POST_PROCESSING,
	 "The engine takes it: the next try is due."},
	{POST_PROCESSING, DELIVERY_CHANGE_CLAIM, POST_PROCESSING,
	 "The engine takes it up again after a wait, or after a lease that ran out."},
	{POST_PROCESSING, DELIVERY_CHANGE_KEEP, POST_PROCESSING,
	 "A step is durable and work goes on under the same lease."},
	{POST_PROCESSING, DELIVERY_CHANGE_WAIT, POST_PROCESSING,
	 "The lease is given back until an instant; the account stays busy with it."},
	{POST_PROCESSING, DELIVERY_CHANGE_RETRY, POST_RETRYING,
	 "Something that may pass went wrong; the account is free until the next try."},
	{POST_PROCESSING, DELIVERY_CHANGE_PUBLISH, POST_PUBLISHED, "All parts are visible."},
	{POST_PROCESSING, DELIVERY_CHANGE_PUBLISH_PART, POST_PUBLISHED,
	 "The first part is visible; a later one was given up, with a reason."},
	{POST_PROCESSING, DELIVERY_CHANGE_FAIL, POST_FAILED, "Given up, with a reason."},
	{POST_SCHEDULED, DELIVERY_CHANGE_CANCEL, POST_FAILED,
	 "A person cancelled before its time."},
	{POST_PENDING, DELIVERY_CHANGE_CANCEL, POST_FAILED, "A person cancelled before a claim."},
	{POST_PROCESSING, DELIVERY_CHANGE_CANCEL, POST_FAILED,
	 "A person cancelled before the first publish call began."},
	{POST_RETRYING, DELIVERY_CHANGE_CANCEL, POST_FAILED,
	 "A person cancelled between two tries, with nothing published."},
	{POST_SCHEDULED, DELIVERY_CHANGE_RESCHEDULE, POST_SCHEDULED,
	 "A person chose another time."},
	{POST_SCHEDULED, DELIVERY_CHANGE_RELEASE, POST_PENDING, "A person chose now."},
	{POST_PENDING, DELIVERY_CHANGE_RESCHEDULE, POST_SCHEDULED,
	 "A person chose a time before the work began."},
	{POST_PENDING, DELIVERY_CHANGE_RELEASE, POST_PENDING,
	 "A person chose now, before the work began."},
	{POST_SCHEDULED, DELIVERY_CHANGE_EDIT, POST_SCHEDULED, "A person changed the content."},
	{POST_PENDING, DELIVERY_CHANGE_EDIT, POST_PENDING,
	 "A person changed the content before the work began."},
	{POST_FAILED, DELIVERY_CHANGE_TRY_AGAIN, POST_PENDING,
	 "A person asked for another try; parts that are published stay so."},
	{POST_FAILED, DELIVERY_CHANGE_APPEARED, POST_PUBLISHED,
	 "A person saw it at the platform, where nobody could prove it."},
	{POST_PUBLISHED, DELIVERY_CHANGE_TRY_AGAIN, POST_PENDING,
	 "A person asked for another try of the parts that were given up; what is visible stays "
	 "so."},
	{POST_PUBLISHED, DELIVERY_CHANGE_APPEARED, POST_PUBLISHED,
	 "A person saw the later part at the platform, where nobody could prove it."},
};
const size_t delivery_transition_count = COUNT_OF(delivery_transitions);

/* Id, fence, the new state, the state before; the statement's other values follow. */
#define VALUES_OWN 4

const char *delivery_change_name(enum delivery_change change)
{
	static const char *const names[DELIVERY_CHANGE_COUNT] = {
		[DELIVERY_CHANGE_CLAIM] = "claim",
		[DELIVERY_CHANGE_KEEP] = "keep",
		[DELIVERY_CHANGE_WAIT] = "wait",
		[DELIVERY_CHANGE_RETRY] = "retry",
		[DELIVERY_CHANGE_PUBLISH] = "publish",
		[DELIVERY_CHANGE_PUBLISH_PART] = "publish_part",
		[DELIVERY_CHANGE_FAIL] = "fail",
		[DELIVERY_CHANGE_CANCEL] = "cancel",
		[DELIVERY_CHANGE_RESCHEDULE] = "reschedule",
		[DELIVERY_CHANGE_RELEASE] = "release",
		[DELIVERY_CHANGE_EDIT] = "edit",
		[DELIVERY_CHANGE_TRY_AGAIN] = "try_again",
		[DELIVERY_CHANGE_APPEARED] = "appeared",
	};
	assert((unsigned)change < DELIVERY_CHANGE_COUNT);
	return names[change];
}

const struct delivery_transition *delivery_transition_find(enum post_state from,
							   enum delivery_change change)
{
	for (size_t i = 0; i < delivery_transition_count; i++) {
		const struct delivery_transition *row = &delivery_transitions[i];
		if (row->from == from && row->change == change)
			return row;
	}
	return NULL;
}

/* Final states become events in the same transaction (rules.md W1). */
static enum err_kind tell(struct store_tx *tx, const struct delivery_before *before,
			  const struct delivery_transition *row, struct error *err)
{
	if (!post_state_is_final(row->to))
		return ERR_NONE;
	const enum event_kind kind = row->to == POST_PUBLISHED ? EVENT_POST_PUBLISH_SUCCEEDED
							       : EVENT_POST_PUBLISH_FAILED;
	if (!str_is_empty(before->post_id))
		return event_add(tx, before->app_id, kind, before->id, before->post_id, err);
	return event_add_delivery(tx, kind, before->id, err);
}

enum err_kind delivery_state_prepare(struct store_tx *tx, const struct delivery_before *before,
				     enum delivery_change change, enum sql_name statement,
				     struct sql_args values, struct delivery_changing *out,
				     struct error *err)
{
	const struct delivery_transition *row = delivery_transition_find(before->state, change);
	if (row == NULL)
		return error_set(err, ERR_INTERNAL, "a %s delivery does not allow the change %s",
				 post_state_name(before->state), delivery_change_name(change));
	assert(values.count <= SQL_ARGS_MAX - VALUES_OWN);
	const size_t count = VALUES_OWN + values.count;
	struct sql_value *all = ARENA_ARRAY(tx->arena, struct sql_value, count);
	all[0] = sql_text(before->id);
	all[1] = sql_int(before->fence);
	all[2] = sql_word(post_state_name(row->to));
	all[3] = sql_word(post_state_name(before->state));
	if (values.count > 0)
		memcpy(&all[VALUES_OWN], values.values, values.count * sizeof(all[0]));
	*out = (struct delivery_changing){
		.before = *before, .row = row, .call.query = {statement, {all, count}, NULL, 0}};
	return ERR_NONE;
}

enum err_kind delivery_state_judge(struct store_tx *tx, const struct delivery_changing *changing,
				   struct error *err)
{
	if (changing->call.changes == 0)
		return error_set(err, changing->before.is_guess ? ERR_CONFLICT : ERR_TEMPORARY,
				 "no such delivery with this state and fence");
	return tell(tx, &changing->before, changing->row, err);
}

enum err_kind delivery_state_change(struct store_tx *tx, const struct delivery_before *before,
				    enum delivery_change change, enum sql_name statement,
				    struct sql_args values, struct error *err)
{
	struct delivery_changing changing = {0};
	enum err_kind kind =
		delivery_state_prepare(tx, before, change, statement, values, &changing, err);
	if (kind == ERR_NONE)
		kind = sql_run_all(tx->sql, tx->arena, &changing.call, err);
	return kind == ERR_NONE ? delivery_state_judge(tx, &changing, err) : kind;
}
