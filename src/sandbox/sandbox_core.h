/* SPDX-License-Identifier: Apache-2.0
 * The inside of the sandbox, for the core's files only; a platform uses sandbox_private.h. One lock
 * guards all of struct sandbox. Functions here expect it to be held unless they say otherwise. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "random.h"

#include "sandbox_table.h"

#include "sandbox_private.h"
#include "sandbox_tape.h"
#include "sandbox_world.h"

struct httpd;
struct http_router;

#define SANDBOX_STATE_MAX_BYTES ((size_t)1 << 30)
#define SANDBOX_MEDIA_KEPT_EACH_MAX_BYTES (INT64_C(8) << 20)
#define SANDBOX_MEDIA_KEPT_ALL_MAX_BYTES (INT64_C(512) << 20)
#define SANDBOX_UPLOADS_MAX_BYTES (INT64_C(16) << 30)

/* ---- the request log ---- */

#define REQLOG_ENTRIES_MAX 20000
#define REQLOG_BYTES_MAX ((size_t)64 << 20)
#define REQLOG_BODY_MAX_BYTES 65536 /* design.md, "Sandbox contract": bodies whole up to 64 KiB */

/* A ring of JSON texts without their last member, "status", which is known only after the
 * answer. */
struct reqlog_entry {
	char *json;
	size_t len;
	int64_t at_us;
	int status; /* 0 = none was sent (yet) */
};

struct reqlog {
	struct reqlog_entry *ring; /* REQLOG_ENTRIES_MAX, allocated on first use */
	uint64_t first;            /* number of the oldest kept entry; entry n stands at n % max */
	uint64_t next;
	size_t bytes;
	size_t bytes_max; /* 0 = REQLOG_BYTES_MAX */
};

/* The JSON entry of a request in arena, with secrets replaced and without the closing brace.
 * Needs no lock. */
struct str sandbox_reqlog_format(struct arena *arena, const struct http_request *request,
				 struct str body, int64_t at_us);
/* Adds a copy; returns its number. */
uint64_t sandbox_reqlog_add(struct reqlog *log, struct str json, int64_t at_us);
void sandbox_reqlog_set_status(struct reqlog *log, uint64_t number, int status);
void sandbox_reqlog_write(const struct reqlog *log, struct buf *out);
void sandbox_reqlog_clear(struct reqlog *log);

/* ---- faults ---- */

enum fault_effect {
	FAULT_STATUS,
	FAULT_STATUS_AFTER,
	FAULT_RESET_BEFORE,
	FAULT_RESET_AFTER,
	FAULT_TIMEOUT_AFTER,
	FAULT_SLOW,
	FAULT_TRUNCATE,
	FAULT_GARBAGE,
	FAULT_RATE_LIMIT,
	FAULT_EXPIRE_TOKEN,
	FAULT_CUT,
	FAULT_EFFECT_COUNT
};

#define FAULT_HEADERS_MAX 8
#define FAULTS_MAX 1000

struct fault {
	bool has_platform;
	enum sandbox_platform platform;
	struct str method; /* empty = any */
	struct str path;   /* empty = any */
	enum fault_effect effect;
	int status;
	struct http_header headers[FAULT_HEADERS_MAX];
	size_t header_count;
	struct str error; /* answer with the platform's error of that name; empty = none */
	struct str body;
	bool has_body;
	bool is_json_body;
	int64_t retry_after_s; /* -1 = not given */
	int64_t kept_bytes;    /* of the body, with FAULT_CUT */
	int64_t times;         /* left */
	struct fault *next;
};

/* Reads the JSON of POST /_sandbox/faults; strings stay in the JSON's arena. Needs no lock. INVALID
 * with err->text. */
enum err_kind sandbox_fault_parse(const struct sandbox *sandbox, struct arena *arena,
				  const struct json *json, struct fault *fault_out,
				  struct error *err);
/* Appends a copy. False when there are FAULTS_MAX already. */
bool sandbox_fault_add(struct sandbox *sandbox, const struct fault *fault);
/* Finds the first fault that matches and has times left, counts it down and copies it to *out. */
bool sandbox_fault_take(struct sandbox *sandbox, enum sandbox_platform platform, struct str method,
			struct str path, struct fault *out);
void sandbox_fault_write_list(struct sandbox *sandbox, struct json_writer *w);
void sandbox_fault_clear(struct sandbox *sandbox);
/* '*' matches any run of characters without '/'. */
bool sandbox_fault_path_matches(struct str pattern, struct str path);

/* ---- the ledger ---- */

struct ledger_entry {
	struct sandbox_post post;
	struct ledger_entry *next;
	struct ledger_entry *replies_first;
	struct ledger_entry *replies_last;
	struct ledger_entry *reply_next;
};

/* Calls every module's settle. Call it before the ledger is shown in any form. */
void sandbox_ledger_settle(struct sandbox *sandbox);
void sandbox_ledger_write(struct sandbox *sandbox, struct buf *out);

/* ---- worlds ---- */

/* Room in memory of a world; a standalone sandbox has SANDBOX_STATE_MAX_BYTES. */
#define SANDBOX_WORLD_STATE_MAX_BYTES ((size_t)128 << 20)
#define SANDBOX_WORLD_REQLOG_BYTES_MAX ((size_t)8 << 20)
#define SANDBOX_BODY_INLINE_MAX_BYTES ((size_t)64 << 10) /* larger ones stay files */
/* The same where a port keeps journals: files stay on this disk. */
#define SANDBOX_BODY_KEPT_MAX_BYTES ((size_t)2 << 20)

struct sandbox_journal;

/* What a world has and a standalone sandbox has not. */
struct sandbox_of_app {
	char *app_id;
	char *mark;
	struct {
		char *client_id; /* NULL = no app at this platform */
		char *client_secret;
	} names[SANDBOX_PLATFORM_COUNT];
	const struct sandbox_world_port *port;
	int64_t bytes_max;
	int64_t hold; /* sandbox_worlds_set_hold() */
};

/* ---- what outlives the process ---- */

/* More makes opening slow: calls, not bytes. */
#define SANDBOX_RECORDS_MAX 20000
/* On the disk, of a standalone sandbox that is kept. What is too much is forgotten there, but not
 * in memory. */
#define SANDBOX_KEPT_BYTES_MAX (INT64_C(2) << 30)

/* What a sandbox has whose calls draw time and randomness from a tape: every world, and a
 * standalone one with a directory for its state. */
struct sandbox_past {
	struct sandbox_journal *journal; /* NULL = nothing is written down */
	struct sandbox_tape *tape;       /* of the call that holds the lock; NULL = none */
	struct clock clock;              /* the call's time while there is a tape */
	struct random_source random;
	const struct clock *real_clock;
	const struct random_source *real_random;
	uint64_t records_max;
	int lock_fd; /* of a standalone one, that no other has its directory; 0 = none */
};

/* ---- the whole ---- */

struct bound_route {
	struct sandbox *sandbox;
	const struct sandbox_module *module;
	sandbox_handler handler;
};

struct sandbox {
	pthread_mutex_t lock;
	pthread_cond_t closing; /* wakes calls that hang on purpose */
	bool is_closing;

	const struct sandbox_module *const *modules;
	size_t module_count;
	const struct log *log;
	const struct clock *clock;
	const struct random_source *random;
	unsigned hang_ms;
	struct sandbox_of_app *world; /* NULL = standalone */
	struct sandbox_past *past;    /* NULL = all of it is gone at the end */
	size_t state_max_bytes;

	struct http_router *router;
	struct httpd *httpd;
	struct bound_route *bound;
	size_t bound_count;
	char *directory;      /* TMPDIR/posthorn-sandbox-XXXXXX, or where it is kept */
	char *body_directory; /* directory/bodies; of one that is kept directory/incoming */

	/* A reset loses everything from here on. */
	int64_t knobs[SANDBOX_KNOB_COUNT];
	uint64_t generation; /* counts resets */
	struct arena *kept;
	struct table objects; /* every named thing, see sandbox_state.c */
	void *states[SANDBOX_PLATFORM_COUNT];
	int64_t advance_us;
	struct fault *faults;
	size_t fault_count;
	struct reqlog reqlog;
	struct ledger_entry *ledger_first;
	struct ledger_entry *ledger_last;
	uint64_t file_number; /* names of upload files */
	int64_t media_kept_bytes;
	int64_t uploads_bytes;
	struct upload_file *uploads; /* open files, for closing */
};

/* sandbox_open() with these platforms. The caller owns modules, which outlives the sandbox. */
enum err_kind sandbox_open_with(const struct sandbox_config *config,
				const struct sandbox_module *const *modules, size_t module_count,
				struct sandbox **sandbox_out, struct error *err);

/* Beginnings of a sandbox that both kinds share. modules as above. */
enum err_kind sandbox_new(const struct sandbox_config *config,
			  const struct sandbox_module *const *modules, size_t module_count,
			  struct sandbox **sandbox_out, struct error *err);
enum err_kind sandbox_make_router(struct sandbox *sandbox, struct error *err);
const struct sandbox_module *const *sandbox_modules(size_t *count_out);

/* Wakes calls that hang on purpose, for good. */
void sandbox_wake_all(struct sandbox *sandbox);

/* sandbox_past.c */
/* Never NULL; free() it after the journal is closed. */
struct sandbox_past *sandbox_past_new(const struct clock *clock,
				      const struct random_source *random);
/* Opens a standalone sandbox's past in config's directory, which is made when it is missing, and
 * plays its journal. CONFLICT: another sandbox has it; TEMPORARY: it cannot be written. */
enum err_kind sandbox_past_open(struct sandbox *sandbox, const struct sandbox_config *config,
				struct error *err);
/* Takes a sandbox without one. */
void sandbox_past_close(struct sandbox *sandbox);
/* The call's tape: one that came with the request (a world's, or of a call that is played again),
 * else one that begins now. NULL: the sandbox has no past. Needs no lock. */
struct sandbox_tape *sandbox_tape_of(struct sandbox *sandbox, struct http_request *request);
/* A call of a sandbox that has a past is over: writes it down. The lock is held. */
void sandbox_past_call_ends(struct sandbox *sandbox, const struct http_request *request,
			    struct sandbox_tape *tape);

/* sandbox_world.c */
/* Frees what a world alone has, but for sandbox->world and its past. Does nothing to a standalone
 * sandbox. */
void sandbox_world_end(struct sandbox *sandbox);
/* The app's name of a client id or secret as modules know it ("sandbox-SLUG"): those of the
 * world's app, and no others. A standalone sandbox knows them as they are. */
struct str sandbox_world_word(const struct sandbox_call *call, const char *parameter,
			      struct str value);
/* "/sandbox" before the paths of pages, and "?sandbox_app=MARK" after them; "" standalone. */
const char *sandbox_page_prefix(const struct sandbox *sandbox);
struct str sandbox_page_mark(const struct sandbox *sandbox, struct arena *arena);
/* May a fault of a world have this header? */
bool sandbox_world_allows_header(struct str name);

/* sandbox_journal.c: all need the lock, but for the opening. */
/* Opens the journal in sandbox->directory, or begins one. */
enum err_kind sandbox_journal_open(struct sandbox *sandbox, struct error *err);
void sandbox_journal_close(struct sandbox *sandbox);
/* A tape for a call that begins now: what will be drawn. Its home is the caller's to set. */
void sandbox_tape_begin(struct sandbox *sandbox, struct sandbox_tape *tape, struct arena *arena);
/* Writes the call down. False: it could not be kept where it must be. */
bool sandbox_journal_add(struct sandbox *sandbox, const struct http_request *request,
			 const struct sandbox_tape *tape);
/* Begins anew after a reset. False: it could not be kept where it must be. */
bool sandbox_journal_restart(struct sandbox *sandbox);
/* Forgets old calls when there is too much. False: there still is. */
bool sandbox_journal_make_room(struct sandbox *sandbox);
/* The same, on the disk alone: memory keeps all. Of a standalone sandbox. */
void sandbox_journal_trim(struct sandbox *sandbox);

/* sandbox_disk.c */
/* False: errno says why; a part may be written. */
bool sandbox_write_all(int fd, const char *bytes, size_t len);
/* The files of a directory whose names begin with prefix ("" = all). A directory that is not there,
 * or NULL, has none. */
void sandbox_remove_files(const char *directory, const char *prefix);
void sandbox_remove_directory(const char *directory);
/* The same files together; directory is not NULL. */
int64_t sandbox_files_bytes(const char *directory, const char *prefix);

/* sandbox_lock.c */
/* Lets go of the lock in a call, and takes it again with the call's tape. */
struct sandbox_tape *sandbox_let_go(struct sandbox *sandbox);
void sandbox_take_again(struct sandbox *sandbox, struct sandbox_tape *tape);
void sandbox_lock(struct sandbox *sandbox);
void sandbox_unlock(struct sandbox *sandbox);
/* Waits for duration_ms or until the sandbox closes, and releases the lock meanwhile. False when
 * it closes. */
bool sandbox_wait(struct sandbox *sandbox, int64_t duration_ms);

/* sandbox_reset.c: empties kept memory and calls every module's start; also used at the opening. */
void sandbox_reset(struct sandbox *sandbox);
void sandbox_fini(struct sandbox *sandbox);

/* sandbox_knob.c */
void sandbox_knobs_reset(struct sandbox *sandbox);
/* Sets all of them or none; INVALID with err->text. */
enum err_kind sandbox_knobs_set(struct sandbox *sandbox, const struct json *json,
				struct error *err);
void sandbox_knobs_write(const struct sandbox *sandbox, struct json_writer *w);

/* sandbox_media.c, sandbox_upload.c */
void sandbox_media_clear(struct sandbox *sandbox);
/* Hashes and examines the first size_bytes of a file. LETS GO OF THE LOCK. False when it is
 * shorter. */
bool sandbox_media_look_fd(struct sandbox_call *call, int fd, int64_t size_bytes,
			   struct sandbox_media *media_out);
/* Answers with the kept bytes of that digest, or 404. */
void sandbox_media_answer(struct sandbox *sandbox, struct http_request *request,
			  struct http_response *response);
/* Counts what an earlier process kept. */
void sandbox_media_count(struct sandbox *sandbox);
bool sandbox_media_is_kept(const struct sandbox *sandbox, const char *sha256);
void sandbox_uploads_clear(struct sandbox *sandbox);

/* sandbox_call.c */
/* The address that the caller used, so that our absolute URLs work for any listening address. */
struct str sandbox_seen_url(const struct sandbox *sandbox, const struct http_request *request);
/* Fills a call for a request. tape: as sandbox_tape_of() said. Needs no lock. */
void sandbox_call_init(struct sandbox_call *call, const struct bound_route *bound,
		       struct http_request *request, struct http_response *response,
		       const struct sandbox_tape *tape);

/* sandbox_page.c */
void sandbox_page_feed(struct sandbox *sandbox, struct http_response *response);
struct str sandbox_page_style(void);

/* ---- sandbox_panel.c; all with the lock ---- */

/* Answers with the page; said: a sentence about what was just tried, or empty. */
void sandbox_panel_show(struct sandbox *sandbox, struct http_response *response, int status,
			struct str said);
/* What a form of the page asks for; body: as the browser sent it. INVALID, LIMITED: err->text says
 * what is wrong, and nothing was done. */
enum err_kind sandbox_panel_do(struct sandbox *sandbox, struct arena *arena, struct str body,
			       struct error *err);

/* sandbox_html.c */
/* The security headers of every page. */
void sandbox_html_headers(struct http_response *response);
void sandbox_html_add_text(struct buf *out, struct str text);
void sandbox_html_begin(const struct sandbox *sandbox, struct buf *out, const char *title,
			const char *body_class);
void sandbox_html_end(struct buf *out);

/* sandbox_control.c: the routes of /_sandbox and the page. */
extern const struct http_route sandbox_control_routes[];
extern const size_t sandbox_control_route_count;
