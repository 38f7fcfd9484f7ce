/* SPDX-License-Identifier: Apache-2.0
 * The engine: one thread that works in turns. A turn gathers events (finished transfers, elapsed
 * sleeps, newly claimed work), lets every task decide what comes next (no I/O), writes all
 * decisions in ONE transaction, and only then carries them out. Work claimed in that transaction
 * may decide its first step in it too (task_source.claim_begun). So no request leaves before the
 * intent to send it is durable, and no answer is acted on before it is durable. Batching comes for
 * free.
 *
 * The engine knows calls and transfers, not posts: a task's purpose is its owner's (delivery/,
 * connect/, webhook/). Transport, store, clock and randomness are ports, so that a simulation can
 * run the real engine turn by turn (engine_turn). Thread rule: everything runs on the engine's
 * thread, except the functions that say "Any thread". */
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
struct histogram;
struct log;

/* ---- the store, as a port ---- */

/* tx is the store's own transaction handle; only the tasks' owners know its type. */
typedef enum err_kind (*engine_command)(void *tx, void *argument, struct error *err);

/* What a transaction runs, and the scopes of the tasks that it saves (struct task), not sorted and
 * with repetitions. */
struct engine_writing {
	engine_command command;
	void *argument;
	const struct str *scopes;
	size_t scope_count;
};

struct engine_store {
	/* Runs the command in one durable transaction, with the contract of store_write()
	 * (store/store.h). Blocks until it is durable. */
	enum err_kind (*write)(void *context, const struct engine_writing *writing,
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

/* What is known of a finished call (rules.md 2.2 rule 3). Read and prepare calls are always
 * CALL_FOR_ADAPTER. */
enum call_verdict {
	CALL_FOR_ADAPTER, /* the adapter reads the reply */
	CALL_NEVER_SENT,  /* publish: provably nothing was sent */
	CALL_UNCERTAIN    /* publish: the outcome is unknown; ask the platform */
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
	TASK_END /* nothing more: the engine frees the task after the commit */
};

struct task_plan {
	enum task_action action;
	struct call call;
	const char *media_path; /* SEND with call.has_media_body: the body's file */
	struct transfer_request fetch;
	int64_t wake_at_us; /* SLEEP: wall clock */
};

struct task;

struct task_ops {
	/* Decides what comes next. No I/O. The plan's strings live in arena, which lasts until the
	 * plan has been carried out. plan is zeroed. */
	void (*plan)(struct task *task, struct arena *arena, const struct task_event *event,
		     struct task_plan *plan);
	/* Writes the decision inside the turn's transaction. May run more than once for one
	 * decision (see store_write). CONFLICT: the lease was lost; the plan is not carried out and
	 * the task ends. NULL: the task stores nothing. */
	enum err_kind (*save)(struct task *task, void *tx, struct error *err);
	/* What of save() needs the answers of its statements: called once save() has returned NONE
	 * for every task of the turn, in the same order, so that a store may run what all of them
	 * wrote together. Its kind counts as save()'s. NULL: save() was all. */
	enum err_kind (*save_end)(struct task *task, void *tx, struct error *err);
	/* The transaction is durable (NONE), or this task's own part is not (CONFLICT, INTERNAL).
	 * Called once for each decision, before the plan is carried out; the place to notify
	 * waiters. May be NULL. */
	void (*saved)(struct task *task, enum err_kind kind);
	/* Frees the task; the engine does not touch it afterwards. */
	void (*free)(struct task *task);
};

/* First member of the owner's own struct. */
struct task {
	const struct task_ops *ops;
	struct engine *engine; /* set by engine_task_start() */
	struct task *next;     /* the engine's lists */
	struct task_plan plan; /* decided, not yet carried out */
	/* Set by the owner before its first call: whose platforms its calls reach, and with
	 * TRANSFER_TEST for which app; the text lives as long as the task. */
	enum transfer_reach reach;
	struct str test_app_id;
	/* Likewise: which platform its calls reach, for their histogram; NONE = none of them. */
	enum platform_id platform;
	enum call_kind call_kind; /* of the call under way */
	uint64_t transfer_id;     /* 0 = none under way */
	bool is_fetch;
	/* Whose rows its saves change, in the store's words (apps' ids): a store that several
	 * engines write to locks these first. The owner's, for as long as the task lives. A task
	 * that is saved only in the transaction of its claim, or stores nothing, needs none. */
	const struct str *scopes;
	size_t scope_count;
	bool is_sleeping;
	int64_t wake_at_us; /* by clock_boot_us */
	enum err_kind save_result;
};

/* ---- sources of work ---- */

struct task_source {
	/* Inside the turn's transaction: takes up to max pieces of due work. The source keeps them
	 * until claimed(), or drops them at the next claim(). May run more than once in a turn. */
	enum err_kind (*claim)(void *context, void *tx, size_t max, struct error *err);
	/* After the commit: makes tasks of the claimed work (engine_task_start). Returns how
	 * many. */
	size_t (*claimed)(void *context);
	/* Returns when claim() is worth calling again, in microseconds UTC; 0 = only after a
	 * wake-up. Asked after a durable claim that gave less than max, once the engine has nothing
	 * better to do, and every second otherwise. */
	int64_t (*next_due_us)(void *context);
	void *context;
	/* As claim(), for sources whose tasks begin in the transaction of their claim: claimed()
	 * follows at once, every task decides its first step, and the transaction holds that too,
	 * so that save() can write claim and first step as one. When the transaction fails, all
	 * these tasks are freed, and the next turn uses claim(), so that one bad row cannot hold up
	 * the others. NULL: tasks begin in the next turn. */
	enum err_kind (*claim_begun)(void *context, void *tx, size_t max, struct error *err);
};

#define ENGINE_SOURCES_MAX 8

struct engine_config {
	struct transport transport;
	struct engine_store store;
	const struct clock *clock;
	const struct log *log;
	size_t tasks_max; /* 0 = 1,024 tasks at work at once */
	size_t claim_max; /* 0 = 128 a turn */
	/* 0 = 5,000: the longest wait; due work is claimed at least this often */
	int64_t idle_poll_ms;
	/* Called at named points: "before_commit", "after_commit", "before_send", "after_send" (the
	 * transfer has begun), "after_reply" (answers have arrived and are not durable yet). For
	 * tests that crash there. NULL = none. */
	void (*probe)(void *context, const char *point);
	void *probe_context;
};

/* Makes an engine; the caller frees it with engine_free(). The configuration's parts must outlive
 * it. INTERNAL: no memory. */
enum err_kind engine_new(const struct engine_config *config, struct engine **engine_out,
			 struct error *err);
/* Frees every task without carrying out its plan (leases run out, or are voided at the next start),
 * then the engine, and sets *engine to NULL. NULL inside is allowed. */
void engine_free(struct engine **engine);
/* Call before the first turn, at most ENGINE_SOURCES_MAX times. Sources claim in the order
 * added. */
void engine_add_source(struct engine *engine, const struct task_source *source);
/* Hands a task to the engine, which owns it from then on. Its START event comes in the next turn,
 * or in this one after claim_begun(). Call it from claimed(). */
void engine_task_start(struct engine *engine, struct task *task);
/* Says that there may be new work: the next turn claims. Any thread. */
void engine_wake(struct engine *engine);
/* As engine_wake(), of work that is due at that instant (0 = now): does nothing when that is so far
 * away that the engine will have asked its sources by itself. */
void engine_wake_for(struct engine *engine, int64_t due_us);

/* Runs one turn; waits at most wait_ms for an event. Returns false when stopped. */
bool engine_turn(struct engine *engine, int64_t wait_ms);
/* Runs turns until engine_stop(). Then waits at most drain_ms for transfers under way, acts on
 * their answers, and returns. */
void engine_run(struct engine *engine, int64_t drain_ms);
/* Ends engine_run() soon. Any thread. */
void engine_stop(struct engine *engine);
/* Returns when the last turn ended, by clock_boot_us: for /readyz. Any thread. */
int64_t engine_last_turn_boot_us(const struct engine *engine);
/* For monitoring. Any thread. */
struct engine_figures {
	int64_t turns; /* since the engine was made */
	int64_t tasks; /* at work, when the last turn ended */
	int64_t last_turn_boot_us;
};
struct engine_figures engine_figures(const struct engine *engine);
/* How long calls of that kind to that platform took, answered or not (HISTOGRAM_CALLS). As long as
 * the engine. */
#define ENGINE_CALL_KINDS (CALL_PUBLISH + 1)
const struct histogram *engine_calls(const struct engine *engine, enum platform_id platform,
				     enum call_kind kind);
/* True when the engine was stopped and waits for transfers under way: tasks should begin nothing
 * new. */
bool engine_is_draining(const struct engine *engine);
/* Returns how many tasks are at work. */
size_t engine_task_count(const struct engine *engine);
