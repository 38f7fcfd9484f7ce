/* SPDX-License-Identifier: Apache-2.0
 * A standalone sandbox that is kept: its directory, which it has alone, and the tapes of its calls.
 * The journal (sandbox_journal.c) does the rest, as for a world. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "str.h"

#include "sandbox.h"
#include "sandbox_core.h"

struct sandbox_past *sandbox_past_new(const struct clock *clock, const struct random_source *random)
{
	struct sandbox_past *past = calloc(1, sizeof(*past));
	if (past == NULL)
		abort(); /* as arena_alloc */
	*past = (struct sandbox_past){
		.real_clock = clock, .real_random = random, .records_max = SANDBOX_RECORDS_MAX};
	return past;
}

static enum err_kind lock_directory(struct sandbox *sandbox, struct error *err)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/journal.lock", sandbox->directory);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot write in %.150s",
					sandbox->directory);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		sandbox->past->lock_fd = fd;
		return ERR_NONE;
	}
	close(fd);
	return error_set(err, ERR_CONFLICT, "another sandbox keeps its state in %.150s",
			 sandbox->directory);
}

static enum err_kind make_directory(const char *path, struct error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return ERR_NONE;
	return error_set_native(err, ERR_TEMPORARY, errno, "cannot make the directory %.150s",
				path);
}

enum err_kind sandbox_past_open(struct sandbox *sandbox, const struct sandbox_config *config,
				struct error *err)
{
	sandbox->past = sandbox_past_new(sandbox->clock, sandbox->random);
	if (config->kept_calls_max > 0)
		sandbox->past->records_max = config->kept_calls_max;
	sandbox->directory = strdup(config->directory);
	if (sandbox->directory == NULL ||
	    asprintf(&sandbox->body_directory, "%s/incoming", config->directory) < 0)
		abort();
	enum err_kind kind = make_directory(sandbox->directory, err);
	if (kind == ERR_NONE)
		kind = lock_directory(sandbox, err);
	if (kind == ERR_NONE)
		kind = make_directory(sandbox->body_directory, err);
	if (kind != ERR_NONE)
		return kind;
	sandbox_remove_files(sandbox->body_directory, "");
	return sandbox_journal_open(sandbox, err);
}

void sandbox_past_close(struct sandbox *sandbox)
{
	struct sandbox_past *past = sandbox->past;
	if (past == NULL)
		return;
	sandbox_journal_close(sandbox);
	if (past->lock_fd > 0) {
		sandbox_remove_directory(sandbox->body_directory);
		close(past->lock_fd);
	}
	sandbox->past = NULL;
	free(past);
}

/* ---- calls ---- */

struct sandbox_tape *sandbox_tape_of(struct sandbox *sandbox, struct http_request *request)
{
	if (sandbox->past == NULL || request->user != NULL)
		return request->user;
	struct sandbox_tape *tape = ARENA_NEW(request->arena, struct sandbox_tape);
	struct sandbox_home *home = ARENA_NEW(request->arena, struct sandbox_home);
	sandbox_tape_begin(sandbox, tape, request->arena);
	home->seen_url = sandbox_seen_url(sandbox, request);
	tape->home = home;
	tape->seen_path = "";
	return tape;
}

void sandbox_past_call_ends(struct sandbox *sandbox, const struct http_request *request,
			    struct sandbox_tape *tape)
{
	sandbox->past->tape = NULL;
	if (tape == NULL || tape->is_played)
		return;
	tape->is_lost = !sandbox_journal_add(sandbox, request, tape);
	if (sandbox->world == NULL)
		sandbox_journal_trim(sandbox);
}
