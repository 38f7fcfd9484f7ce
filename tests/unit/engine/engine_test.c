/* SPDX-License-Identifier: Apache-2.0
 * The turn loop with tasks that follow a script, a store that fails on demand, and a transport that
 * sends nothing. What happened is kept as words in a trace, since the order is what the engine
 * promises. */
#include "engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "count_of.h"

#include "fake_clock.h"
#include "fake_transport.h"

struct bench {
	struct fake_clock clock;
	struct fake_transport transport;
	struct engine *engine;
	char trace[16384];
	/* the store */
	enum err_kind fail_kind;
	int fail_count;        /* this many writes fail, after the command has run */
	bool stops_on_failure; /* engine_stop() comes while the store fails */
	int writes;
	/* the source */
	const char *scripts[64]; /* of the tasks that wait to be claimed */
	size_t script_count;
	size_t claimable; /* tasks with script "S" beside those, without end */
	size_t asked_max; /* by the last claim */
	size_t taken;     /* by the last claim */
	int claims;
	int64_t next_due_us;
	enum err_kind claim_kind;
	bool begins_at_once; /* the source has claim_begun(); reopen() */
	size_t alive;
	size_t alive_most;
	int next_number;
	int polls;
	char scopes[256]; /* of each transaction, in brackets */
};

/* Script: one letter for each event. S send a read, P send a publish, F fetch, Z sleep 1 s, E end;
 * C a save that conflicts and I one that fails for good, both wanting to send. */
struct script_task {
	struct task task;
	struct bench *bench;
	const char *script;
	char letter;
	int number;
	char url[64];
	enum call_verdict verdict;
	char scope_text[16];
	struct str scope;
};

static void note(struct bench *bench, const char *what, int number)
{
	const size_t length = strlen(bench->trace);
	if (number >= 0)
		snprintf(bench->trace + length, sizeof(bench->trace) - length, "%s%d ", what,
			 number);
	else
		snprintf(bench->trace + length, sizeof(bench->trace) - length, "%s ", what);
}

static void script_plan(struct task *task, struct arena *arena, const struct task_event *event,
			struct task_plan *plan)
{
	static const char *const names[] = {"start", "woken", "reply", "fetched"};
	struct script_task *t = (struct script_task *)task;
	note(t->bench, names[event->kind], t->number);
	if (event->kind == TASK_EVENT_REPLY)
		t->verdict = event->verdict;
	t->letter = *t->script != '\0' ? *t->script++ : 'E';
	plan->action = TASK_SEND;
	plan->call =
		(struct call){.kind = t->letter == 'P' ? CALL_PUBLISH : CALL_READ, .method = "GET"};
	plan->call.url = str_format(arena, "https://platform.example/%d", t->number);
	if (t->letter == 'F') {
		plan->action = TASK_FETCH;
		plan->fetch = (struct transfer_request){
			.method = "GET", .url = plan->call.url, .timeout_ms = 1000};
	}
	if (t->letter == 'Z') {
		plan->action = TASK_SLEEP;
		plan->wake_at_us = clock_now_us(&t->bench->clock.clock) + US_PER_S;
	}
	if (t->letter == 'E')
		plan->action = TASK_END;
}

static enum err_kind script_save(struct task *task, void *tx, struct error *err)
{
	struct script_task *t = (struct script_task *)task;
	assert_ptr_equal(tx, t->bench);
	note(t->bench, "save", t->number);
	if (t->letter == 'C')
		return error_set(err, ERR_CONFLICT, "lost");
	if (t->letter == 'I')
		return error_set(err, ERR_INTERNAL, "bad row");
	return ERR_NONE;
}

static void script_saved(struct task *task, enum err_kind kind)
{
	struct script_task *t = (struct script_task *)task;
	note(t->bench,
	     kind == ERR_NONE       ? "saved"
	     : kind == ERR_CONFLICT ? "lost"
				    : "unsaved",
	     t->number);
}

static void script_free(struct task *task)
{
	struct script_task *t = (struct script_task *)task;
	note(t->bench, "free", t->number);
	t->bench->alive--;
	free(t);
}

static const struct task_ops script_ops = {
	.plan = script_plan, .save = script_save, .saved = script_saved, .free = script_free};

static void start_task(struct bench *bench, const char *script)
{
	struct script_task *t = calloc(1, sizeof(*t));
	assert_non_null(t);
	t->task.ops = &script_ops;
	t->bench = bench;
	t->script = script;
	t->number = bench->next_number++;
	snprintf(t->scope_text, sizeof(t->scope_text), "app%d", t->number);
	t->scope = str_of(t->scope_text);
	t->task.scopes = &t->scope;
	t->task.scope_count = 1;
	bench->alive++;
	if (bench->alive > bench->alive_most)
		bench->alive_most = bench->alive;
	engine_task_start(bench->engine, &t->task);
}

static void note_scopes(struct bench *bench, const struct engine_writing *writing)
{
	size_t length = strlen(bench->scopes);
	const size_t size = sizeof(bench->scopes);
	for (size_t i = 0; i < writing->scope_count && length < size; i++)
		length += (size_t)snprintf(bench->scopes + length, size - length, STR_FMT " ",
					   STR_ARG(writing->scopes[i]));
	if (length < size)
		snprintf(bench->scopes + length, size - length, "| ");
}

static enum err_kind fake_write(void *context, const struct engine_writing *writing,
				struct error *err)
{
	struct bench *bench = context;
	bench->writes++;
	note_scopes(bench, writing);
	note(bench, "[", -1);
	enum err_kind kind = writing->command(bench, writing->argument, err);
	if (kind == ERR_NONE && bench->fail_count > 0) {
		bench->fail_count--;
		kind = error_set(err, bench->fail_kind, "as the test wants");
		if (bench->stops_on_failure)
			engine_stop(bench->engine);
	}
	note(bench, kind == ERR_NONE ? "]" : "]failed", -1);
	return kind;
}

static enum err_kind bench_claim(void *context, void *tx, size_t max, struct error *err)
{
	struct bench *bench = context;
	assert_ptr_equal(tx, bench);
	bench->claims++;
	bench->asked_max = max;
	bench->taken = bench->script_count + bench->claimable;
	if (bench->taken > max)
		bench->taken = max;
	note(bench, "claim", -1);
	return bench->claim_kind == ERR_NONE ? ERR_NONE
					     : error_set(err, bench->claim_kind, "no claim");
}

static enum err_kind bench_claim_begun(void *context, void *tx, size_t max, struct error *err)
{
	note(context, "and_begin", -1);
	return bench_claim(context, tx, max, err);
}

static size_t bench_claimed(void *context)
{
	struct bench *bench = context;
	const size_t count = bench->taken;
	for (size_t i = 0; i < count; i++)
		start_task(bench,
			   bench->script_count > 0 ? bench->scripts[--bench->script_count] : "S");
	bench->taken = 0;
	return count;
}

static int64_t bench_next_due(void *context)
{
	return ((struct bench *)context)->next_due_us;
}

static void bench_probe(void *context, const char *point)
{
	char text[64];
	snprintf(text, sizeof(text), "<%s>", point);
	note(context, text, -1);
}

static void bench_sent(void *context, const struct fake_sent *sent)
{
	note(context, "send", atoi(strrchr(sent->url, '/') + 1));
}

static void open_with(struct bench *bench, size_t tasks_max, size_t claim_max, bool has_probe)
{
	const struct engine_config config = {
		.transport = bench->transport.transport,
		.store = {fake_write, bench},
		.clock = &bench->clock.clock,
		.tasks_max = tasks_max,
		.claim_max = claim_max,
		.probe = has_probe ? bench_probe : NULL,
		.probe_context = bench,
	};
	struct error err = {0};
	assert_int_equal(engine_new(&config, &bench->engine, &err), ERR_NONE);
	engine_add_source(bench->engine,
			  &(struct task_source){bench_claim, bench_claimed, bench_next_due, bench,
						bench->begins_at_once ? bench_claim_begun : NULL});
}

static int bench_setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	assert_non_null(bench);
	fake_clock_init(&bench->clock);
	fake_transport_init(&bench->transport);
	bench->transport.on_start = bench_sent;
	bench->transport.on_start_context = bench;
	open_with(bench, 0, 0, false);
	*state = bench;
	return 0;
}

static int bench_teardown(void **state)
{
	struct bench *bench = *state;
	engine_free(&bench->engine);
	assert_int_equal(bench->alive, 0);
	fake_transport_free(&bench->transport);
	free(bench);
	return 0;
}

static void reopen(struct bench *bench, size_t tasks_max, size_t claim_max, bool has_probe)
{
	engine_free(&bench->engine);
	open_with(bench, tasks_max, claim_max, has_probe);
}

/* The trace without what claims add, which is in every writing turn. */
static void assert_trace(struct bench *bench, const char *expected)
{
	char seen[sizeof(bench->trace)] = "";
	char copy[sizeof(bench->trace)];
	char *rest = copy;
	const char *word;
	snprintf(copy, sizeof(copy), "%s", bench->trace);
	while ((word = strsep(&rest, " ")) != NULL) {
		if (*word == '\0' || strcmp(word, "claim") == 0)
			continue;
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%s",
			 *seen != '\0' ? " " : "", word);
	}
	assert_string_equal(seen, expected);
	bench->trace[0] = '\0';
}

/* Claims what there is, so that the next turn begins with nothing to claim. */
static void settle(struct bench *bench)
{
	engine_turn(bench->engine, 0);
	bench->trace[0] = '\0';
}

static void nothing_is_sent_before_its_commit(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "P");
	start_task(bench, "S");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start0 start1 [ save0 save1 ] saved0 send0 saved1 send1");
	FAKE_ANSWER(&bench->transport, .match = "/0");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "reply0 [ save0 ] saved0 free0");
	assert_int_equal(engine_task_count(bench->engine), 1);
}

static void a_transaction_names_the_scopes_of_what_it_saves(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	bench->scopes[0] = '\0';
	start_task(bench, "S");
	start_task(bench, "I");
	start_task(bench, "S");
	engine_turn(bench->engine, 0); /* the bad row: each is saved alone */
	assert_string_equal(bench->scopes, "app0 app1 app2 | app0 | app1 | app2 | ");
}

static void the_points_of_a_turn_come_in_order(void **state)
{
	struct bench *bench = *state;
	reopen(bench, 0, 0, true);
	settle(bench);
	start_task(bench, "P");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start0 <before_commit> [ save0 ] <after_commit> saved0 <before_send> "
			    "send0 <after_send>");
}

static void a_failing_commit_is_retried_and_nothing_sent_meanwhile(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	bench->fail_kind = ERR_TEMPORARY;
	bench->fail_count = 3;
	bench->scripts[bench->script_count++] = "S"; /* waits: claims stop while the store fails */
	start_task(bench, "P");
	engine_turn(bench->engine, 0);
	assert_trace(
		bench,
		"start0 [ save0 ]failed [ save0 ]failed [ save0 ]failed [ save0 ] saved0 send0");
	assert_int_equal(bench->claims, 2); /* settle()'s and the first try's */
	assert_int_equal(bench->script_count, 1);
	fake_clock_advance(&bench->clock, US_PER_S);
	engine_turn(bench->engine, 0);
	assert_int_equal(bench->script_count, 0);
}

static void a_claim_that_fails_costs_no_decision(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	bench->claim_kind = ERR_INTERNAL;
	bench->claimable = 1;
	start_task(bench, "S");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start0 [ save0 ]failed [ save0 ] saved0 send0");
	bench->claim_kind = ERR_NONE;
	bench->claimable = 0;
}

static void one_bad_row_does_not_take_the_others_down(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "S");
	start_task(bench, "I");
	start_task(bench, "P");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start0 start1 start2 [ save0 save1 ]failed [ save0 ] [ save1 ]failed "
			    "[ save2 ] saved0 send0 "
			    "unsaved1 free1 saved2 send2");
	assert_int_equal(engine_task_count(bench->engine), 2);
}

static void open_begun(struct bench *bench)
{
	bench->begins_at_once = true;
	reopen(bench, 0, 0, false);
	settle(bench);
}

static void offer(struct bench *bench, const char *script)
{
	bench->scripts[bench->script_count++] = script;
	engine_wake(bench->engine);
}

static void a_claim_and_its_first_intent_are_one_transaction(void **state)
{
	struct bench *bench = *state;
	open_begun(bench);
	offer(bench, "P");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "[ and_begin start0 save0 ] saved0 send0");
	FAKE_ANSWER(&bench->transport, .match = "/0");
	offer(bench, "S");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "reply0 [ save0 and_begin start1 save1 ] saved0 free0 saved1 send1");
	assert_int_equal(engine_task_count(bench->engine), 1);
}

static void what_began_in_a_lost_transaction_is_let_go(void **state)
{
	struct bench *bench = *state;
	open_begun(bench);
	bench->fail_kind = ERR_TEMPORARY;
	bench->fail_count = 1;
	offer(bench, "P");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "[ and_begin start0 save0 ]failed free0");
	assert_int_equal(engine_task_count(bench->engine), 0);
	/* Then claims are durable by themselves, until one has succeeded. */
	offer(bench, "P");
	fake_clock_advance(&bench->clock, US_PER_S);
	engine_turn(bench->engine, 0);
	assert_trace(bench, "[ ]");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start1 [ save1 and_begin ] saved1 send1");
}

/* Among what is begun one row that cannot be written: it does not keep the others from being
 * claimed again and again. */
static void a_bad_row_that_begins_does_not_hold_up_the_others(void **state)
{
	struct bench *bench = *state;
	open_begun(bench);
	offer(bench, "S");
	offer(bench, "I");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "[ and_begin start0 start1 save0 ]failed free0 free1");
	offer(bench, "S");
	offer(bench, "I");
	fake_clock_advance(&bench->clock, US_PER_S);
	engine_turn(bench->engine, 0);
	assert_trace(bench, "[ ]");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start2 start3 [ save2 ]failed [ save2 ]failed [ save3 ] unsaved2 "
			    "free2 saved3 send3");
}

static void a_lost_lease_ends_only_that_task(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "S");
	start_task(bench, "C");
	start_task(bench, "S");
	engine_turn(bench->engine, 0);
	assert_trace(
		bench,
		"start0 start1 start2 [ save0 save1 save2 ] saved0 send0 lost1 free1 saved2 send2");
}

/* Beside a bad row too: what the conflicting save wrote (evidence) must be kept, so its own
 * transaction is a success. */
static void a_lost_lease_is_kept_when_each_is_saved_alone(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "C");
	start_task(bench, "I");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start0 start1 [ save0 save1 ]failed [ save0 ] [ save1 ]failed lost0 "
			    "free0 unsaved1 free1");
}

static void a_store_that_fails_while_stopping_is_not_waited_for(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	bench->fail_kind = ERR_TEMPORARY;
	bench->fail_count = 1000;
	bench->stops_on_failure = true;
	for (int i = 0; i < 20; i++)
		start_task(bench, "P");
	const int writes_before = bench->writes;
	assert_false(engine_turn(bench->engine, 0));
	assert_int_equal(fake_count(&bench->transport, ""), 0);
	assert_int_equal(engine_task_count(bench->engine), 0);
	/* A busy store may take seconds to say so: it is not asked once for each of a thousand
	 * tasks. */
	assert_true(bench->writes - writes_before <= 3);
}

static void sleepers_wake_when_it_is_time(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "ZZE");
	engine_turn(bench->engine, 0);
	assert_trace(bench, "start0 [ save0 ] saved0");
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms, 1000);
	assert_trace(bench, "");
	fake_clock_advance(&bench->clock, US_PER_S - 1);
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms, 1); /* rounded up: 0 would spin */
	assert_trace(bench, "");
	fake_clock_advance(&bench->clock, 1);
	engine_turn(bench->engine, 60000);
	assert_trace(bench, "woken0 [ save0 ] saved0");
	fake_clock_advance(&bench->clock, US_PER_S);
	engine_turn(bench->engine, 60000);
	assert_trace(bench, "woken0 [ save0 ] saved0 free0");
}

/* rules.md 2.4 S3: the wall clock may be set back; nothing may hang until it has caught
 * up. */
static void a_clock_set_back_does_not_put_the_engine_to_sleep(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "Z");
	engine_turn(bench->engine, 0);
	bench->trace[0] = '\0';
	bench->clock.now_us -= US_PER_HOUR;
	bench->clock.boot_us += 6 * US_PER_S;
	bench->scripts[bench->script_count++] = "S";
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->script_count, 0);
	assert_non_null(strstr(bench->trace, "woken0"));
}

/* rules.md 2.4 S2: what a clock that jumped ahead makes due is not claimed before the clock
 * has stood the test. */
static void a_clock_that_jumps_ahead_is_not_believed_at_once(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	bench->clock.now_us += US_PER_HOUR;
	bench->scripts[bench->script_count++] = "S";
	engine_wake(bench->engine);
	engine_turn(bench->engine, 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(bench->script_count, 1);
		fake_clock_advance(&bench->clock, 4 * US_PER_S);
		engine_turn(bench->engine, 5000);
	}
	assert_int_equal(bench->script_count, 0);
}

static void claims_are_bounded(void **state)
{
	struct bench *bench = *state;
	reopen(bench, 10, 4, false);
	bench->claimable = 1000;
	for (int i = 0; i < 20; i++)
		engine_turn(bench->engine, 0);
	assert_int_equal(engine_task_count(bench->engine), 10);
	assert_int_equal(bench->alive_most, 10);
	assert_int_equal(bench->asked_max, 2); /* 4, 4 and what is left */
	const int claims = bench->claims;
	engine_turn(bench->engine, 50);
	assert_int_equal(bench->claims, claims);
	assert_int_equal(bench->transport.last_timeout_ms,
			 50); /* full: it waits for room and does not spin */
	FAKE_ANSWER(&bench->transport, .match = "/3");
	engine_turn(bench->engine, 50);
	engine_turn(bench->engine, 50);
	engine_turn(bench->engine, 50);
	assert_int_equal(engine_task_count(bench->engine), 10);
	bench->claimable = 0;
}

/* Twice as many as the table that finds them has slots: ids share slots then. */
static void more_tasks_than_the_table_has_slots_are_all_found_again(void **state)
{
	struct bench *bench = *state;
	reopen(bench, FAKE_SENT_MAX, FAKE_SENT_MAX, false);
	bench->transport.on_start = NULL;
	bench->claimable = FAKE_SENT_MAX;
	engine_turn(bench->engine, 0);
	bench->claimable = 0;
	engine_turn(bench->engine, 0);
	assert_int_equal(bench->transport.sent_count, FAKE_SENT_MAX);
	FAKE_ANSWER(&bench->transport, .match = "GET", .times = FAKE_SENT_MAX);
	for (int i = 0; i < FAKE_SENT_MAX / 64; i++)
		engine_turn(bench->engine, 0);
	assert_int_equal(engine_task_count(bench->engine), 0);
}

static void due_work_is_looked_for_by_itself(void **state)
{
	struct bench *bench = *state;
	bench->next_due_us = FAKE_NOW_US + 2 * US_PER_S;
	engine_turn(bench->engine, 0); /* once at the start, unasked */
	assert_int_equal(bench->claims, 1);
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms, 2000);
	assert_int_equal(bench->claims, 1);
	fake_clock_advance(&bench->clock, 2 * US_PER_S);
	bench->next_due_us = 0;
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->claims, 2);
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms,
			 5000); /* the idle poll, even without timers */
	fake_clock_advance(&bench->clock, 5 * US_PER_S);
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->claims, 3);
}

static void a_wake_up_claims_at_once(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	bench->scripts[bench->script_count++] = "S";
	engine_wake(bench->engine);
	assert_int_equal(bench->transport.wakes, 1);
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms, 0);
	assert_int_equal(bench->script_count, 0);
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms, 0); /* a new task is ready */
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms, 5000);
}

static void wakes_before_a_turn_are_one(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	for (int i = 0; i < 3; i++)
		engine_wake(bench->engine);
	assert_int_equal(bench->transport.wakes, 1);
	engine_turn(bench->engine, 60000);
	engine_wake(bench->engine);
	assert_int_equal(bench->transport.wakes, 2);
}

/* Without timers the engine asks every five seconds what is due. */
static void work_that_is_far_away_wakes_nobody(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	const int64_t now_us = clock_now_us(&bench->clock.clock);
	engine_wake_for(bench->engine, now_us + 10 * US_PER_S + 1);
	assert_int_equal(bench->transport.wakes, 0);
	engine_turn(bench->engine, 60000);
	assert_int_equal(bench->transport.last_timeout_ms, 5000);
	engine_wake_for(bench->engine, now_us + 10 * US_PER_S);
	assert_int_equal(bench->transport.wakes, 1);
	engine_turn(bench->engine, 60000);
	engine_wake_for(bench->engine, 0);
	assert_int_equal(bench->transport.wakes, 2);
}

/* Answers the one transfer under way once the drain has begun. */
static void answer_late(void *context, const struct fake_sent *sent)
{
	struct bench *bench = context;
	(void)sent;
	bench->scripts[bench->script_count++] = "S"; /* new work comes while it drains */
	engine_wake(bench->engine);
	FAKE_ANSWER(&bench->transport, .match = "/0");
}

static void draining_acts_on_what_comes_back_and_starts_nothing(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	bench->transport.on_start = answer_late;
	start_task(bench, "P");
	engine_stop(bench->engine);
	engine_run(bench->engine, 20000);
	assert_non_null(strstr(bench->trace, "reply0 [ save0 ] saved0 free0"));
	assert_true(engine_is_draining(bench->engine));
	assert_int_equal(fake_count(&bench->transport, ""), 1);
	assert_int_equal(engine_task_count(bench->engine), 0);
}

static size_t poll_and_pass_time(void *context, struct arena *arena, int64_t timeout_ms,
				 struct transfer_result *results, size_t max)
{
	struct bench *bench = context;
	(void)arena, (void)results, (void)max;
	bench->polls++;
	bench->transport.last_timeout_ms = timeout_ms;
	fake_clock_advance(&bench->clock, (timeout_ms > 0 ? timeout_ms : 1) * US_PER_MS);
	return 0;
}

static size_t one_is_running(void *context)
{
	(void)context;
	return 1;
}

static void bench_wake(void *context)
{
	(void)context;
}

static void draining_waits_and_does_not_spin(void **state)
{
	struct bench *bench = *state;
	static const struct transport_ops ops = {NULL, poll_and_pass_time, bench_wake,
						 one_is_running};
	const struct transport real = bench->transport.transport;
	bench->transport.transport = (struct transport){&ops, bench};
	reopen(bench, 0, 0, false);
	engine_stop(bench->engine);
	engine_turn(bench->engine, 0);
	engine_wake(bench->engine);
	bench->next_due_us = 1; /* all is overdue, and nobody will claim any more */
	bench->polls = 0;
	engine_run(bench->engine, 1000);
	assert_true(bench->polls <= 1000 / 50 + 2);
	assert_int_equal(bench->transport.last_timeout_ms, 50);
	engine_free(&bench->engine);
	bench->transport.transport = real;
	open_with(bench, 0, 0, false);
}

static void what_is_under_way_is_let_go_at_the_end(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "S");
	start_task(bench, "Z");
	start_task(bench, "F");
	engine_turn(bench->engine, 0);
	start_task(bench, "S");
	engine_free(&bench->engine);
	assert_null(bench->engine);
	assert_int_equal(bench->alive, 0);
	engine_free(&bench->engine); /* and once more */
	open_with(bench, 0, 0, false);
}

static void a_publish_call_gets_a_deadline_and_a_connection_of_its_own(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "P");
	start_task(bench, "S");
	engine_turn(bench->engine, 0);
	const struct fake_sent *publish = fake_nth(&bench->transport, "/0", 0);
	const struct fake_sent *read = fake_nth(&bench->transport, "/1", 0);
	assert_true(publish->fresh_connection);
	assert_int_equal(publish->send_deadline_boot_us, bench->clock.boot_us + 30 * US_PER_S);
	assert_int_equal(publish->pool, TRANSFER_PLATFORM);
	assert_false(read->fresh_connection);
	assert_int_equal(read->send_deadline_boot_us, 0);
	assert_int_equal(read->timeout_ms, 30000);
}

static void an_answer_nobody_waits_for_is_dropped(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "S");
	engine_turn(bench->engine, 0);
	bench->transport.sent[0].id = 999;
	FAKE_ANSWER(&bench->transport, .match = "/0");
	bench->trace[0] = '\0';
	engine_turn(bench->engine, 0);
	assert_trace(bench, "");
	assert_int_equal(engine_task_count(bench->engine), 1);
}

static void a_fetch_comes_back_as_a_fetch(void **state)
{
	struct bench *bench = *state;
	settle(bench);
	start_task(bench, "F");
	engine_turn(bench->engine, 0);
	FAKE_ANSWER(&bench->transport, .match = "/0", .status = 503);
	bench->trace[0] = '\0';
	engine_turn(bench->engine, 0);
	assert_trace(bench, "fetched0 [ save0 ] saved0 free0");
}

static void the_last_turn_is_shown(void **state)
{
	struct bench *bench = *state;
	fake_clock_advance(&bench->clock, 7 * US_PER_S);
	engine_turn(bench->engine, 0);
	assert_int_equal(engine_last_turn_boot_us(bench->engine), bench->clock.boot_us);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_sent_before_its_commit),
		TEST(a_transaction_names_the_scopes_of_what_it_saves),
		TEST(the_points_of_a_turn_come_in_order),
		TEST(a_failing_commit_is_retried_and_nothing_sent_meanwhile),
		TEST(a_claim_that_fails_costs_no_decision),
		TEST(one_bad_row_does_not_take_the_others_down),
		TEST(a_lost_lease_ends_only_that_task),
		TEST(a_claim_and_its_first_intent_are_one_transaction),
		TEST(what_began_in_a_lost_transaction_is_let_go),
		TEST(a_bad_row_that_begins_does_not_hold_up_the_others),
		TEST(a_lost_lease_is_kept_when_each_is_saved_alone),
		TEST(a_store_that_fails_while_stopping_is_not_waited_for),
		TEST(sleepers_wake_when_it_is_time),
		TEST(a_clock_set_back_does_not_put_the_engine_to_sleep),
		TEST(a_clock_that_jumps_ahead_is_not_believed_at_once),
		TEST(claims_are_bounded),
		TEST(more_tasks_than_the_table_has_slots_are_all_found_again),
		TEST(due_work_is_looked_for_by_itself),
		TEST(a_wake_up_claims_at_once),
		TEST(wakes_before_a_turn_are_one),
		TEST(work_that_is_far_away_wakes_nobody),
		TEST(draining_acts_on_what_comes_back_and_starts_nothing),
		TEST(draining_waits_and_does_not_spin),
		TEST(what_is_under_way_is_let_go_at_the_end),
		TEST(a_publish_call_gets_a_deadline_and_a_connection_of_its_own),
		TEST(an_answer_nobody_waits_for_is_dropped),
		TEST(a_fetch_comes_back_as_a_fetch),
		TEST(the_last_turn_is_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
