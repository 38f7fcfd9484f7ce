/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of store/: the store itself, the common shapes of verbs, and the few
 * functions by which its files call each other. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "clock.h"
#include "histogram.h"

#include "event.h"
#include "failure.h"

#include "access_cache.h"
#include "sql.h"
#include "store.h"
#include "store_admin.h"
#include "store_admin.h"
#include "store_connection.h"
#include "store_node.h"
#include "store_outcome.h"
#include "store_post.h"
#include "writer.h"

/* next_due_us of what is never due by itself. */
#define NEVER_US INT64_MAX
#define APP_ID_BYTES_MAX 64
/* Connections that accept posts side by side, where the database is shared. */
#define ACCEPTERS 2

/* Into how many parts the apps are cut for claims, and which part is this node's own. */
struct node_share {
	uint32_t count; /* at least 1 */
	uint32_t index;
};

struct post_retry;
struct retry_listed;

/* What a node keeps about itself (store_node.c). */
struct node_file {
	uint64_t place;     /* of the directory it was written in; 0 = it does not say */
	int64_t started_us; /* of its last start */
};

struct readers;

/* Rung when something is left to the index of words (store_words.c). */
struct words_bell {
	atomic_bool is_rung;
	bool is_closed; /* under lock */
	pthread_mutex_t lock;
	pthread_cond_t rang;
};

struct store {
	const struct clock *clock;
	const struct log *log;
	char *path;  /* or URL: may hold a password */
	int lock_fd; /* -1 = not the owner */
	int schema_version;
	struct sql_connection *sql; /* the writer's */
	struct writer *writer;
	struct readers *readers;
	/* Of a shared database; elsewhere all is the writer's. */
	struct sql_connection *accepter_sql[ACCEPTERS];
	struct writer *accepters[ACCEPTERS];
	struct sql_connection *turner_sql;
	struct writer *turner; /* the engine's turns */
	struct sql_connection *changer_sql;
	struct writer *changer;       /* what keeps to one app, or is one statement */
	atomic_bool wants_turn_alone; /* store_tx_want_alone() */
	atomic_bool is_claiming;      /* by its role, as far as it was told */
	_Atomic uint64_t share;       /* struct node_share: count, index */
	char node_id[NODE_ID_BYTES_MAX];
	int64_t node_started_us;
	bool is_node_begun;
	struct node_file node_file;    /* as it was found */
	const struct clock *own_clock; /* this machine's; clock may be the database's */
	struct clock shared_clock;
	struct access_cache *access;
	_Atomic uint64_t access_generation;  /* access_cache.h */
	atomic_bool is_damaged;              /* store_is_damaged() */
	atomic_bool has_wrong_counters;      /* store_counters_mend() */
	_Atomic int64_t quotas[QUOTA_COUNT]; /* of apps without their own; 0 = no limit */
	_Atomic int64_t quota_refusals[QUOTA_COUNT];
	_Atomic int64_t outcomes[PLATFORM_ID_MAX][OUTCOME_COUNT][FAILURE_CODE_COUNT];
	struct words_bell words_bell;
	struct histogram commits;
	/* By how much the wall clock was ahead of the boot clock at an acceptance, the most. */
	_Atomic int64_t accepted_ahead_us;
	_Atomic int64_t clock_offset_us; /* the database's time less our boot clock */
	char *epoch_path;                /* NULL = no restore guard */
	pthread_mutex_t epoch_lock;      /* one at a time raises the epoch */
	bool is_guarded;                 /* store_guard_start() has judged this database */
	/* The app served last by a claim; touched in transactions only. */
	char claim_app_id[APP_ID_BYTES_MAX];
	size_t claim_app_id_length;
	/* What the last claim found due of each app, up to what it asked for. */
	size_t claim_lanes_of_app;
	/* What a claim met a damaged page by; touched in transactions only. */
	struct claim_culprit {
		char id[APP_ID_BYTES_MAX]; /* of an account, or of an app */
		size_t id_length;          /* 0 = none */
		bool is_app;
		struct error why;
	} claim_culprit;
};

/* What a command leaves to its end: many of its rows change the same few others. Counters of posts
 * (counters.c), and with a scale of LATE_TALLIES and up tallies of deliveries (store_tally.c). */
struct late_counter {
	struct str app_id;
	int64_t scale;
	const char *status; /* of a tally: its code */
	int64_t bucket;     /* of a tally: its hour */
	int64_t part;       /* of a tally, as most_us */
	int64_t most_us;
	int64_t change;
	struct sql_call *call;        /* when it is written; NULL = nothing changed */
	struct late_counter *next;    /* in the order of their first change */
	struct late_counter *similar; /* of the same place in the index */
};

#define LATE_PLACES 256 /* power of two */
#define LATE_TALLIES 16 /* the scale of the first kind of tally */

struct late_counters {
	struct late_counter *first;
	struct late_counter *last;
	struct late_counter *places[LATE_PLACES];
};

/* An app's row of app_work, as far as it changes by this command. */
struct late_app {
	struct str app_id;
	bool has_new_lanes;
	int64_t pending_posts; /* more, or less */
	int64_t webhook_backlog;
	struct late_app *next;
};

/* Saves that have begun and not ended, oldest first (store_delivery.c). */
struct delivery_saving;
struct delivery_savings {
	struct delivery_saving *first;
	struct delivery_saving *last;
	bool are_written;       /* their rows */
	struct sql_call *posts; /* what was asked behind them; NULL = nothing */
};

/* An app that a transaction beside others has for itself. */
struct locked_app {
	struct str app_id;
	const struct locked_app *next;
};

/* A delivery that a command ended by itself, for the counters (store_outcome.h). */
struct noted_outcome {
	enum platform_id platform;
	enum failure_code code;
	const struct noted_outcome *next;
};

struct store_tx {
	struct sql_connection *sql;
	struct store *store;
	bool is_alone;                       /* store_tx_is_alone() */
	const struct locked_app *locked;     /* the newest first */
	struct arena *arena;                 /* until the command returns */
	struct late_counters *late_counters; /* NULL = none */
	struct late_app *late_apps;          /* the newest first */
	struct delivery_savings savings;
	const struct noted_outcome *outcomes; /* the newest first */
};

/* store_tx.c. writer_config.run; its context is the store. */
enum err_kind store_tx_run(const struct writer_config *config, struct arena *arena,
			   store_command command, void *argument, struct error *err);
/* writer_config.ended: what was read of tokens, keys and accounts before is out of date if the
 * transaction wrote any, also if it may have; and who keeps the index of words is woken if it left
 * any. */
void store_tx_ended(const struct writer_config *config);
/* The app's lanes have changed: its row of app_work is written when the command ends, or before the
 * next claim. */
void store_tx_work_later(struct store_tx *tx, struct str app_id);
/* So have the numbers that its quotas are judged by. */
void store_tx_use_later(struct store_tx *tx, struct str app_id, int64_t pending_posts,
			int64_t webhook_backlog);
/* Writes them at once. */
enum err_kind store_tx_work_now(struct store_tx *tx, struct error *err);
/* Waits for the other nodes' commands of this app. Does nothing where one process owns the
 * database. */
enum err_kind store_tx_lock_app(struct store_tx *tx, struct str app_id, struct error *err);
/* The app's row is locked by a statement of the caller's. */
void store_tx_note_locked(struct store_tx *tx, struct str app_id);
/* Whose work a claim changes is locked first, unless another node has it: then *is_taken_out is
 * false, and that app's work waits. */
enum err_kind store_tx_take_app(struct store_tx *tx, struct str app_id, bool *is_taken_out,
				struct error *err);
/* May tx change what belongs to this app? For assertions: whoever changes what others of the app
 * read must have locked it (docs/adr/0017). */
bool store_tx_has_app(const struct store_tx *tx, struct str app_id);

/* A turn's first statement: the apps that it names, and those of this node with something due, are
 * its own from here on. */
enum err_kind store_tx_lock_turn(struct store_tx *tx, const struct store_turn *turn,
				 struct error *err);

/* store_outcome.c. A delivery has failed by this command: counted when the command has
 * succeeded. */
struct tally_end;
void store_tx_note_outcome(struct store_tx *tx, const struct tally_end *end);
void store_tx_count_outcomes(const struct store_tx *tx);

/* store_verb.c. A verb that is one statement. Where the database is shared it runs beside
 * everything else. */
enum err_kind store_run(struct store *store, enum sql_name name, struct sql_args args,
			enum err_kind when_none, const char *what, struct error *err);
/* The same, while nobody else writes. */
enum err_kind store_run_alone(struct store *store, enum sql_name name, struct sql_args args,
			      enum err_kind when_none, const char *what, struct error *err);
/* As store_write(), for a command that reads and changes what belongs to one app and nothing else:
 * it begins with store_tx_lock_app(), and other apps go on beside it. */
enum err_kind store_write_of_app(struct store *store, struct str app_id, store_command command,
				 void *argument, struct error *err);
/* As store_write(), for a command without an app's lock: what it reads it does not write. */
enum err_kind store_write_beside(struct store *store, store_command command, void *argument,
				 struct error *err);
/* A verb that is one question: sql_find(), sql_list() and sql_number() on a reading connection. */
enum err_kind store_find(struct store *store, struct arena *arena, const struct sql_query *query,
			 void *out, const char *what, struct error *err);
enum err_kind store_list(struct store *store, struct arena *arena, const struct sql_query *query,
			 void **out, size_t *count_out, struct error *err);
enum err_kind store_number(struct store *store, enum sql_name name, struct sql_args args,
			   int64_t *number_out, struct error *err);
/* Several statements that must see one state of the database: fn runs in a read transaction, and
 * once more on a new connection when the first was lost: it writes its answer when it has all of
 * it. */
typedef enum err_kind (*store_reading)(struct sql_connection *sql, void *argument,
				       struct error *err);
enum err_kind store_read(struct store *store, store_reading fn, void *argument, struct error *err);
/* A JSON array for {list ?}. TOO_LARGE when it does not fit in arena. */
enum err_kind store_list_text(struct arena *arena, const struct str *items, size_t count,
			      struct str *text_out, struct error *err);
/* A pattern for LIKE ... ESCAPE STORE_LIKE_ESCAPE: text anywhere, its marks as they stand. Empty
 * text = empty. */
struct str store_like_pattern(struct arena *arena, struct str text);
#define STORE_LIKE_ESCAPE "!"
/* sql_row_reader for a struct str. */
void store_text_read(struct sql_cursor *cursor, void *out);
/* For access_cache.h: loads the generation, so call it before the row is read. */
struct access_question store_access_question(struct store *store, const struct access_shape *shape,
					     struct str key);

/* As store_write(), for one of a batch (writer.h) that only ever touches its own app: beside others
 * of its kind, where the database is shared. The batch begins with store_tx_lock_app() of each. */
enum err_kind store_write_batched(struct store *store, struct str app_id, writer_batch batch,
				  void *argument, struct error *err);

/* store_guard.c, a command: the first write transaction on a server and a database with this
 * history (struct sql_history *) begins. Another one than the database was last written under means
 * that the end of its history may be missing. */
enum err_kind guard_judge_server(struct store_tx *tx, void *history, struct error *err);

/* store_node.c, for a shared database. path may be NULL: an id for this run alone. */
enum err_kind node_id_open(struct store *store, const char *path, struct error *err);
/* Draws another id when the file's may be in use elsewhere: the file was copied, or another process
 * has started with its id since. With the node's lock, on a connection without marks. */
enum err_kind store_node_id_judge(struct store *store, struct error *err);
/* Writes the file. */
enum err_kind store_node_id_keep(struct store *store, const char *path, struct error *err);
/* store->clock is the database's from here on. */
enum err_kind node_clock_open(struct store *store, struct error *err);
/* Any thread. */
struct node_share store_node_share_of(const struct store *store);
/* Commands: the owner comes and goes. */
enum err_kind node_begin(struct store_tx *tx, void *argument, struct error *err);
enum err_kind node_end(struct store_tx *tx, void *argument, struct error *err);

/* store_admin.c: takes ADMIN_COLUMNS into a struct admin_row. */
void store_admin_read(struct sql_cursor *cursor, void *out);
struct admin_putting {
	struct arena *arena;
	const struct admin_row *admin;
	enum admin_condition condition;
	struct admin_row stored; /* out */
};
/* A command: store_admin_put(), of a struct admin_putting. */
enum err_kind store_admin_put_row(struct store_tx *tx, void *putting, struct error *err);

/* store_app.c: takes the columns of APP_SELECT into a struct app_row. */
void store_app_read(struct sql_cursor *cursor, void *out);

/* store_account.c: takes ACCOUNT_COLUMNS into a struct account_row. */
void account_read(struct sql_cursor *cursor, void *out);
/* Makes the account, or writes over the one that is known; its id must be the stored one then. */
enum err_kind account_put(struct store_tx *tx, struct str connection_id,
			  const struct account_row *account, int64_t now_us, struct error *err);

/* store_after.c. What a save means for the lane that the claim took. */
struct delivery_save;
enum err_kind store_after_lane_save(struct store_tx *tx, const struct delivery_save *save,
				    struct error *err);

/* store_lane.c. The account is free for its next delivery, which may be due at once, if it was busy
 * with this one (empty: if it was free). So is who stood behind it. */
enum err_kind store_lane_free(struct store_tx *tx, struct str account_id, struct str delivery_id,
			      struct error *err);
/* Is another lane of the same platform account busy, with another delivery than this (empty: with
 * any)? Then this one stands behind it from here on. */
enum err_kind store_lane_stand_behind(struct store_tx *tx, struct str account_id,
				      struct str delivery_id, bool *is_behind_out,
				      struct error *err);
/* This account was connected: if others of the app have connected the same platform account, their
 * lanes are shared. */
enum err_kind store_lane_share(struct store_tx *tx, const struct account_row *account,
			       struct error *err);

/* store_post_change.c: what the post has scheduled for the account fails with
 * ACCOUNT_REAUTH_REQUIRED. */
enum err_kind store_post_change_disconnected(struct store_tx *tx, struct str app_id,
					     struct str post_id, struct str account_id,
					     struct error *err);

/* A post whose app or user is going. */
struct post_end {
	struct str app_id;
	struct str post_id;
	struct str account_id; /* on this account alone; empty = on all */
	int64_t now_us;
};
/* What nothing was begun for fails with CANCELLED, and what is held since a restore is condemned;
 * what a publish call was begun for stays. *changed grows by how many. */
enum err_kind store_post_change_ended(struct store_tx *tx, const struct post_end *end,
				      int64_t *changed, struct error *err);

/* store_words.c. The bell of a store that opens, and of one that has nobody waiting. */
enum err_kind store_words_bell_open(struct words_bell *bell, struct error *err);
void store_words_bell_close(struct words_bell *bell);
/* This transaction leaves something to the index; when it has ended, who waits is woken. */
void store_words_leave(struct store_tx *tx);
void store_words_ring(struct store *store);
/* The word that stands for an app among those of its posts. */
struct str store_words_app(struct arena *arena, struct str app_id);
/* Posts created in that millisecond, or later, have this doc or a higher one. */
int64_t store_words_first_doc(int64_t created_at_us);
/* Before the stored content of a post is written over: the index follows, if the post is in it. */
enum err_kind store_words_change(struct store_tx *tx, struct str app_id, struct str post_id,
				 struct str content, struct error *err);
/* The same, before it is erased: of one post, and of those above an ordinal up to another. */
enum err_kind store_words_forget(struct store_tx *tx, struct str app_id, struct str post_id,
				 struct error *err);
enum err_kind store_words_forget_posts(struct store_tx *tx, struct str app_id, int64_t after,
				       int64_t to, struct error *err);

/* Has the deliverer written into warnings (delivery_row) that a retry can repeat something? */
bool store_post_has_repeatable(struct str warnings);
/* What was listed to be retried, of one post. */
struct post_retry_listed {
	const struct post_retry *retry; /* app and post, republish, now; no accounts */
	const struct retry_listed *listed;
	size_t count;
};
/* Retries those that are as they were listed and leaves all others alone, also when the post is
 * gone. *retried_out: how many. */
enum err_kind store_post_change_retry(struct store_tx *tx, const struct post_retry_listed *listed,
				      size_t *retried_out, struct error *err);

/* store_event.c. Adds an event in the transaction of what it reports. */
enum err_kind event_add(struct store_tx *tx, struct str app_id, enum event_kind kind,
			struct str subject_id, struct str post_id, struct error *err);
/* Subject is the delivery, which knows its app and post. */
enum err_kind event_add_delivery(struct store_tx *tx, enum event_kind kind, struct str delivery_id,
				 struct error *err);
/* Subject is the connection, which has just ended. */
enum err_kind event_add_connection(struct store_tx *tx, struct str connection_id,
				   struct error *err);
/* Before the account's new state is written; nothing when it says so already. */
enum err_kind event_add_reauth(struct store_tx *tx, struct str account_id, struct error *err);
/* Takes EVENT_COLUMNS into a struct event_row. */
void event_read(struct sql_cursor *cursor, void *out);

/* store_connection.c: takes the columns of CONNECTION_SELECT into a struct connection_row. */
void store_connection_read(struct sql_cursor *cursor, void *out);

/* store_quota.c. */
struct quota_wish {
	enum quota quota;
	int64_t own; /* as stored */
	int64_t used;
	int64_t more;
};
/* Would more go beyond the limit? Then *over_out says how. */
bool store_quota_is_over(struct store *store, const struct quota_wish *wish,
			 struct quota_over *over_out);
/* The app stores so many bytes of posts and drafts more, or less. Counted already when it is over:
 * then the caller's command fails as a whole. */
enum err_kind store_quota_count_bytes(struct store_tx *tx, struct str app_id, int64_t more,
				      bool *is_over_out, struct quota_over *over_out,
				      struct error *err);
/* store_draft.c. NOT_FOUND when the draft is gone. */
enum err_kind store_draft_body(struct store_tx *tx, struct str app_id, struct str draft_id,
			       struct str *body_out, struct error *err);
/* May the app have so many accounts more? Others of its connections wait until this transaction
 * ends. */
enum err_kind store_quota_check_accounts(struct store_tx *tx, struct str app_id, size_t more,
					 bool *is_over_out, struct error *err);
/* How many webhook deliveries more the app may have; over_out describes its quota. As above. */
enum err_kind store_quota_backlog_room(struct store_tx *tx, struct str app_id, int64_t *room_out,
				       struct quota_over *over_out, struct error *err);

/* counters.c. The keys a post counts under. */
struct counted_post {
	struct str app_id;
	int64_t date_us;
	int64_t ordinal;
};
/* A post is new under a status, no longer under it, or under another one. Callers hold the
 * transaction that changes posts.status. */
enum err_kind counters_add(struct store_tx *tx, const struct counted_post *post, const char *status,
			   struct error *err);
enum err_kind counters_add_several(struct store_tx *tx, const struct counted_post *post,
				   const char *status, int64_t count, struct error *err);
/* Would posts with these keys count in the same rows? */
bool counters_are_the_same(const struct counted_post *a, const struct counted_post *b);
void counters_remove(struct store_tx *tx, const struct counted_post *post, const char *status);
void counters_move(struct store_tx *tx, const struct counted_post *post, const char *status_from,
		   const char *status_to);
/* Removals and moves are gathered, since a turn's posts share a few buckets. So are tallies. */
void counters_change_later(struct store_tx *tx, const struct late_counter *wanted);
/* Here they are written. */
enum err_kind counters_write(struct store_tx *tx, struct error *err);
/* Posts of an app by status (empty = all) with dates on whole days, [from, to); 0 = open end. */
enum err_kind counters_total(struct sql_connection *sql, struct str app_id, struct str status,
			     int64_t from_us, int64_t to_us, int64_t *total_out, struct error *err);
/* Where the post with offset others before it (newest first) is: below which ordinal to begin, and
 * how many are still to be skipped there. */
struct counted_place {
	int64_t ordinal_below;
	int64_t skip;
};
enum err_kind counters_seek(struct sql_connection *sql, struct str app_id, struct str status,
			    int64_t offset, struct counted_place *place_out, struct error *err);

/* store_tally.c. How a delivery ended, to be counted when the command has succeeded. */
struct tally_end {
	struct str app_id;
	enum platform_id platform;
	int64_t at_us;
	bool is_first;          /* of a published one: it was not published before */
	int64_t lateness_us;    /* then */
	enum failure_code code; /* of a failed one */
};
void store_tally_published(struct store_tx *tx, const struct tally_end *end);
void store_tally_failed(struct store_tx *tx, const struct tally_end *end);
/* One that had failed at at_us (0 = looked up) is not final any more: it has failed in its hour,
 * but its reason is not counted from here on. */
enum err_kind store_tally_tried_again(struct store_tx *tx, const struct tally_end *end,
				      struct str delivery_id, struct error *err);
/* Counts what there is, with nobody else writing. */
enum err_kind store_tally_rebuild(struct store_tx *tx, struct error *err);

/* store_delivery.c: the save's timeline entries alone. */
struct delivery_save;
enum err_kind store_delivery_timeline_add(struct store_tx *tx, const struct delivery_save *save,
					  struct error *err);

/* store_claim.c: what writes the claim into the delivery's row, which work describes as it is
 * then. */
struct delivery_work;
struct delivery_changing;
enum err_kind store_claim_prepare(struct store_tx *tx, const struct delivery_work *work,
				  struct delivery_changing *out, struct error *err);

/* post_state.c: derives the post's state from its deliveries, and moves the counters. */
enum err_kind post_state_refresh(struct store_tx *tx, struct str post_id, struct error *err);
/* A post as it was read beside one of its deliveries. */
struct post_now {
	struct counted_post counted;
	enum post_state state;
	int64_t delivery_count;
};
/* Takes POST_NOW_COLUMNS into a struct post_now. */
void post_now_read(struct sql_cursor *cursor, void *out);
/* As post_state_refresh() for many posts. The question is asked together with others, once their
 * deliveries are written: call is to be run, then written. */
enum err_kind post_states_ask(struct store_tx *tx, const struct str *post_ids, size_t count,
			      struct sql_call *call, struct error *err);
enum err_kind post_states_write(struct store_tx *tx, const struct sql_call *call,
				struct error *err);
/* As post_state_refresh(), when one delivery's state is now this: cheaper when it is the only
 * one. */
enum err_kind post_state_follow(struct store_tx *tx, struct str post_id,
				const struct post_now *post, enum post_state delivery_state,
				struct error *err);
