/* SPDX-License-Identifier: Apache-2.0
 * See person_wait.h. */
#include "person_wait.h"

#include "arena.h"
#include "buf.h"

#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"
#include "person_progress.h"
#include "person_read.h"

#define FIRST_PAUSE_MS 200
#define PAUSE_MAX_MS 2000
#define PATIENCE_US (5 * US_PER_MINUTE)
#define SILENCE_MAX_US US_PER_MINUTE
#define LINE_MAX_BYTES 4096

/* ---- progress ---- */

static bool is_final(struct str state)
{
	return str_equal_z(state, "published") || str_equal_z(state, "failed");
}

/* "x jodoe: retrying: The platform asked us to wait." */
static void add_target(struct buf *out, const struct json *target, struct str state)
{
	const struct str message = json_string(json_get(json_get(target, "waiting"), "message"));
	buf_add_z(out, "; ");
	buf_add(out, json_string(json_get(target, "platform")));
	buf_add_char(out, ' ');
	buf_add(out, json_string(json_get(target, "handle")));
	buf_add_z(out, ": ");
	buf_add(out, state);
	if (!str_is_empty(message)) {
		buf_add_z(out, ": ");
		buf_add(out, message);
	}
}

/* What the post is about now; empty when it is final. */
static struct str line_of(struct arena *arena, const struct json *data)
{
	const struct json *targets = json_get(data, "platform_posts");
	struct buf open;
	size_t count = 0;
	size_t done = 0;
	buf_init(&open, arena, LINE_MAX_BYTES);
	for (; json_at(targets, count) != NULL; count++) {
		const struct json *target = json_at(targets, count);
		const struct str state = json_string(json_get(target, "state"));
		if (is_final(state))
			done++;
		else
			add_target(&open, target, state);
	}
	if (is_final(json_string(json_get(data, "status"))))
		return STR("");
	return str_format(arena, "%zu of %zu done" STR_FMT, done, count, STR_ARG(buf_str(&open)));
}

/* ---- the wait ---- */

static enum person_status finish(struct person *person, const struct person_answer *answer)
{
	const struct json *data = json_get(answer->json, "data");
	if (person_wants_json(person))
		person_print_json(person, answer);
	else
		person_read_print_targets(person, data);
	return person_read_outcome(data);
}

static enum person_status give_up(struct person *person, struct str post_id, const char *why)
{
	return person_say_failed(person,
				 "%s; the post " STR_FMT " is accepted and goes on without us: do "
				 "not post it again, see `posthorn show " STR_FMT "`",
				 why, STR_ARG(post_id), STR_ARG(post_id));
}

/* The wait is over, and the post is not. */
static enum person_status leave(struct person *person, struct str post_id,
				const struct person_answer *answer)
{
	if (person_wants_json(person))
		person_print_json(person, answer);
	fprintf(person->err,
		"The post is accepted and goes on; see `posthorn show " STR_FMT " --wait`\n",
		STR_ARG(post_id));
	return PERSON_DONE;
}

enum person_status person_wait_post(struct person *person, struct str post_id, bool has_patience)
{
	const int64_t until_us = clock_boot_us(person->clock) + PATIENCE_US;
	const struct str path = person_fetch_path(person->arena, "/v1/posts/", post_id, "");
	int64_t heard_us = clock_boot_us(person->clock);
	int64_t pause_ms = FIRST_PAUSE_MS;
	struct person_progress progress = {0};
	while (true) {
		struct person_answer answer = {0};
		struct error err = {0};
		arena_clear(person->scratch);
		const enum err_kind kind = person_get(person, person->scratch, path, &answer, &err);
		const int64_t now_us = clock_boot_us(person->clock);
		if (kind == ERR_NONE && answer.status < 500) {
			heard_us = now_us;
			const struct json *data = json_get(answer.json, "data");
			const struct str line = line_of(person->scratch, data);
			if (answer.status != 200 || str_is_empty(line)) {
				person_progress_end(person, &progress);
				return answer.status == 200 ? finish(person, &answer)
							    : person_say_refusal(person, &answer);
			}
			person_progress_show(person, &progress, line);
			if (!has_patience && now_us > until_us) {
				person_progress_end(person, &progress);
				return leave(person, post_id, &answer);
			}
		} else {
			person_progress_show(person, &progress,
					     STR("the service does not answer; waiting for it"));
		}
		if (now_us - heard_us > SILENCE_MAX_US || !person->nap(person->context, pause_ms)) {
			person_progress_end(person, &progress);
			return give_up(person, post_id,
				       kind != ERR_NONE ? err.text : "the wait was broken off");
		}
		pause_ms = 2 * pause_ms < PAUSE_MAX_MS ? 2 * pause_ms : PAUSE_MAX_MS;
	}
}
