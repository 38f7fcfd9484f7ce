/* SPDX-License-Identifier: Apache-2.0
 * The engine: one thread that works in turns. A turn gathers what happened (finished transfers,
 * elapsed sleeps, newly claimed work), lets every task decide what comes next (no I/O), writes all
 * decisions in ONE transaction, and only then carries them out. What is claimed in that transaction
 * may decide its first step in it too (task_source.claim_begun). So no request leaves before the
 * intent to send it is durable, and no answer is acted on before it is durable. Batching falls out
 * of it.
 *
 * The engine knows flows and transfers, not posts: what a task is for is its owner's business
 * (delivery/, connect/). Transport, store, clock and randomness are ports, so that a simulation can
 * run the real engine turn by turn (engine_turn). Thread rule: everything runs on the engine's
 * thread, except engine_wake() and engine_stop(), which any thread may call. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "platform.h"

#include "transfer.h"

struct arena;
struct clock;
struct engine;
struct log;

/* ---- the store, as a port ---- */

/* tx is the store's own transaction handle; only owners know what it is. */
typedef enum err_kind (*engine_command)(void *tx, void *argument, struct error *err);

struct engine_store {
	/* Runs command in one durable transaction: as store_write() in store/store.h. */
	enum err_kind (*write)(void *context, engine_command command, void *argument,
			       struct error *err);
	void *context;
};

/* ---- tasks ---- */

enum task_event_kind {
	TASK_EVENT_START,  /* first event of a new task */
	TASK_EVENT_WOKEN,  /* the sleep it asked for is over */
	TASK_EVENT_REPLY,  /* its call came back; verdict and reply are set */
	TASK_EVENT_FETCHED /* its fetch came back; fetched is set */
};

/* What a finished call amounts to (RELIABILITY.md 2.2 rule 3). Read and prepare calls are always
 * CALL_FOR_ADAPTER. */
enum call_verdict {
	CALL_FOR_ADAPTER, /* the adapter reads the reply */
	CALL_NEVER_SENT,  /* publish: provably nothing left */
	CALL_IN_DOUBT     /* publish: nobody knows; ask the platform */
};

struct task_event {
	enum task_event_kind kind;
	enum call_verdict verdict;
	const struct reply *reply;             /* REPLY: lives for this turn */
	const struct transfer_result *fetched; /* FETCHED: lives for this turn */
	int64_t duration_us;                   /* REPLY, FETCHED */
};

enum task_action {
	TASK_SEND,  /* make plan.call */
	TASK_FETCH, /* make plan.fetch (id is set by the engine) */
	/* in memory, until plan.wake_at_us; for short waits that need not survive a crash */
	TASK_SLEEP,
	TASK_END /* nothing more: after the commit the engine lets go of the task */
};

struct task_plan {
	enum task_action action;
	struct call call;
	const char *media_path; /* SEND with call.has_media_body: the file */
	struct transfer_request fetch;
	int64_t wake_at_us;
};

struct task;

struct task_ops {
	/* Decides what comes next. No I/O. Strings in the plan live in arena, which lives until the
	 * plan has been carried out. plan is zeroed. */
	void (*plan)(struct task *task, struct arena *arena, const struct task_event *event,
		     struct task_plan *plan);
	/* Writes the decision inside the turn's transaction. May run more than once for one
	 * decision (see store_write). CONFLICT: the lease was lost; the plan is not carried out and
	 * the task ends. NULL: the task has nothing durable. */
	enum err_kind (*save)(struct task *task, void *tx, struct error *err);
	/* The transaction is durable (NONE), or this task's own part was not (CONFLICT, INTERNAL).
	 * Called once for each decision, before a plan is carried out; the place to tell waiters.
	 * May be NULL. */
	void (*saved)(struct task *task, enum err_kind kind);
	/* Lets go of everything; the engine does not touch task afterwards. */
	void (*free)(struct task *task);
};

/* First member of the owner's own struct. */
struct task {
	const struct task_ops *ops;
	struct engine *engine; /* set by engine_task_start() */
	struct task *next;     /* the engine's lists */
	struct task_plan plan; /* decided, not yet carried out */
	uint64_t transfer_id;  /* 0 = none under way */
	bool is_publish;       /* the call under way is a publish call */
	bool is_fetch;
	bool is_sleeping;
	int64_t wake_at_us; /* by clock_boot_us */
	enum err_kind save_result;
};

/* ---- sources of work ---- */

struct task_source {
	/* Inside the turn's transaction: take up to max pieces of due work. Rows are kept in the
	 * source until claimed() or dropped by the next claim(). May run more than once for one
	 * turn. */
	enum err_kind (*claim)(void *context, void *tx, size_t max, struct error *err);
	/* After the commit: make tasks of what was claimed (engine_task_start). Returns how
	 * many. */
	size_t (*claimed)(void *context);
	/* When claim() is worth calling again, microseconds UTC: 0 = not by itself (a wake-up will
	 * tell). Asked after a claim that gave less than max. */
	int64_t (*next_due_us)(void *context);
	void *context;
	/* As claim(), for sources whose tasks begin in the transaction of their claim: claimed()
	 * follows at once, every task decides its first step, and the transaction holds that too,
	 * so that what need not be written apart can be left to save(). When it fails, all these
	 * tasks are let go of, and the next turn claims by claim(), so that one bad row cannot hold
	 * up the others. NULL: tasks begin in the turn after. */
	enum err_kind (*claim_begun)(void *context, void *tx, size_t max, struct error *err);
};

#define ENGINE_SOURCES_MAX 4

struct engine_config {
	struct transport transport;
	struct engine_store store;
	const struct clock *clock;
	const struct log *log;
	size_t tasks_max; /* 0 = 1,024 tasks at work at once */
	size_t claim_max; /* 0 = 128 a turn */
	/* 0 = 5,000: the longest sleep; due work is looked for at least this often, whatever timers
	 * say */
	int64_t idle_poll_ms;
	/* Called at named points: "before_commit", "after_commit", "before_send", "after_send" (the
	 * transfer has begun), "after_reply" (answers are here, nothing of them is durable). For
	 * tests that crash there. NULL = none. */
	void (*probe)(void *context, const char *point);
	void *probe_context;
};

enum err_kind engine_new(const struct engine_config *config, struct engine **engine_out,
			 struct error *err);
/* Ends every task without carrying out its plan (leases run out or are voided at the next start),
 * frees, nulls. */
void engine_free(struct engine **engine);
/* Before the first turn. Sources are asked in the order added. */
void engine_add_source(struct engine *engine, const struct task_source *source);
/* Hands a task to the engine; its START event comes in the next turn. Engine's thread (from
 * claimed()). */
void engine_task_start(struct engine *engine, struct task *task);
/* There may be new work: the next turn claims. Any thread. */
void engine_wake(struct engine *engine);

/* One turn; waits at most wait_ms for something to happen. Returns false when stopped. */
bool engine_turn(struct engine *engine, int64_t wait_ms);
/* Turns until engine_stop(); then lets transfers under way come back for at most drain_ms, acts on
 * them, and returns. */
void engine_run(struct engine *engine, int64_t drain_ms);
void engine_stop(struct engine *engine);
/* When the last turn ended, by clock_boot_us: for /readyz. Any thread. */
int64_t engine_last_turn_boot_us(const struct engine *engine);
/* For monitoring. Any thread. */
struct engine_figures {
	int64_t turns; /* since the engine was made */
	int64_t tasks; /* at work, when the last turn ended */
	int64_t last_turn_boot_us;
};
struct engine_figures engine_figures(const struct engine *engine);
/* The engine was stopped and waits for what is under way: a task should begin nothing new. */
bool engine_is_draining(const struct engine *engine);
size_t engine_task_count(const struct engine *engine);

/* Pure: what a publish call's result amounts to. */
enum call_verdict engine_judge(enum call_kind kind, const struct transfer_result *result);
