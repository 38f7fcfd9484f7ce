/* SPDX-License-Identifier: Apache-2.0
 * The verbs post and validate. A post carries a request_id of its own: after a lost answer the same
 * call is made again, and finds the first one where that was taken. */
#include "arena.h"
#include "buf.h"
#include "uuid.h"

#include "json.h"
#include "json_write.h"

#include "person_body.h"
#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"
#include "person_read.h"
#include "person_targets.h"
#include "person_wait.h"

#define NEWEST_PATH "/v1/posts?per_page=100"
#define ANSWER_MAX_BYTES ((size_t)1 << 20)

/* What a run of post knows. */
struct posting {
	struct person_body body;
	struct person_targets targets;
	struct str request_id; /* --request-id, or one of our own */
};

/* ---- an answer that was lost ---- */

/* The data of the post as GET gives it; NULL = it cannot be read now. */
static const struct json *fetch_post(struct person *person, struct str id)
{
	struct person_answer answer;
	const struct str path = str_format(person->arena, "/v1/posts/" STR_FMT, STR_ARG(id));
	if (person_get(person, person->arena, path, &answer, NULL) != ERR_NONE ||
	    answer.status != 200)
		return NULL;
	return json_get(answer.json, "data");
}

/* The newest posts are searched for ours. NULL = it is not there, as far as can be seen. */
static const struct json *find_post(struct person *person, struct str request_id)
{
	struct person_answer answer;
	if (person_get(person, person->arena, STR(NEWEST_PATH), &answer, NULL) != ERR_NONE ||
	    answer.status != 200)
		return NULL;
	const struct json *data = json_get(answer.json, "data");
	for (size_t i = 0; json_at(data, i) != NULL; i++) {
		const struct json *post = json_at(data, i);
		if (str_equal(json_string(json_get(post, "request_id")), request_id))
			return fetch_post(person, json_string(json_get(post, "id")));
	}
	return NULL;
}

/* The first call was taken: the post, NULL otherwise. */
static const struct json *taken_before(struct person *person, const struct posting *posting,
				       const struct person_answer *answer)
{
	const struct str code = json_string(json_get(answer->json, "error"));
	const struct json *details = json_get(answer->json, "details");
	if (answer->status == 409 && str_equal_z(code, "DUPLICATE_REQUEST"))
		return fetch_post(person, json_string(json_get(details, "post_id")));
	/* An account or the time may have changed since the first call, and is checked first. */
	return find_post(person, posting->request_id);
}

/* "scheduled" or "pending", as the answer of publish has it. */
static struct str accepted_status(const struct json *post)
{
	return json_is_null(json_get(post, "scheduled_at")) ? STR("pending") : STR("scheduled");
}

/* What the lost answer said, as far as the post shows it now. */
static struct str lost_answer(struct person *person, const struct json *post)
{
	const struct json *targets = json_get(post, "platform_posts");
	const struct str status = accepted_status(post);
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, ANSWER_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "message", STR("Post accepted for publishing."));
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "post_id", json_string(json_get(post, "id")));
	json_member_str(&w, "request_id", json_string(json_get(post, "request_id")));
	json_member_str(&w, "status", status);
	json_member_int(&w, "total_accounts", targets != NULL ? (int64_t)targets->count : 0);
	json_member_str_or_null(&w, "scheduled_at", json_string(json_get(post, "scheduled_at")));
	json_member_str(&w, "mode", json_string(json_get(post, "mode")));
	json_key(&w, "platform_posts");
	json_begin_array(&w);
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		const struct json *target = json_at(targets, i);
		json_begin_object(&w);
		json_member_str(&w, "id", json_string(json_get(target, "id")));
		json_member_str(&w, "account_id", json_string(json_get(target, "account_id")));
		json_member_int(&w, "platform_id", json_int(json_get(target, "platform_id"), 0));
		json_member_str(&w, "status", status);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
	return buf_str(&out);
}

/* ---- publish ---- */

static enum person_status lost(struct person *person, const struct posting *posting,
			       const char *why)
{
	person_say_failed(person, "%s", why);
	person_say_failed(person,
			  "it is not known whether the post was accepted. Run the same command "
			  "again with --request-id " STR_FMT ": it can never be posted twice so",
			  STR_ARG(posting->request_id));
	return PERSON_FAILED;
}

/* Fills the answer with 202 and what it says, or says why not. */
static enum person_status publish(struct person *person, const struct posting *posting,
				  struct person_answer *answer)
{
	struct error err = {0};
	const struct person_request request = {
		.method = "POST",
		.path = STR("/v1/posts/publish"),
		.body = person_body_write(person, &posting->body, &posting->targets,
					  posting->request_id),
		.is_repeatable = true,
	};
	const enum err_kind kind = person_call(person, person->arena, &request, answer, &err);
	if (kind == ERR_UNCERTAIN)
		return lost(person, posting, err.text);
	if (kind != ERR_NONE)
		return person_say_failed(person, "%s; nothing was posted", err.text);
	if (answer->status == 202)
		return PERSON_DONE;
	const struct json *post = answer->was_lost ? taken_before(person, posting, answer) : NULL;
	if (post != NULL) {
		answer->status = 202;
		answer->body = lost_answer(person, post);
		return json_parse(person->arena, answer->body, NULL, &answer->json, NULL, NULL) ==
				       ERR_NONE
			       ? PERSON_DONE
			       : PERSON_FAILED;
	}
	const struct str id = json_string(json_get(json_get(answer->json, "details"), "post_id"));
	if (answer->was_lost && !str_is_empty(id))
		return person_say_failed(person,
					 "the post was accepted, and cannot be read now: see "
					 "`posthorn show " STR_FMT "`",
					 STR_ARG(id));
	if (answer->status == 500 || (answer->was_lost && answer->status > 500))
		return lost(person, posting, "the service does not answer properly");
	return person_say_refusal(person, answer);
}

static void say_accepted(struct person *person, const struct json *data)
{
	const struct str id = json_string(json_get(data, "post_id"));
	const struct str at = json_string(json_get(data, "scheduled_at"));
	const int accounts = (int)json_int(json_get(data, "total_accounts"), 0);
	if (str_is_empty(at))
		fprintf(person->out, "Accepted: post " STR_FMT " for %d account%s\n", STR_ARG(id),
			accounts, accounts == 1 ? "" : "s");
	else
		fprintf(person->out,
			"Scheduled for " STR_FMT ": post " STR_FMT " for %d account%s\n",
			STR_ARG(at), STR_ARG(id), accounts, accounts == 1 ? "" : "s");
	fflush(person->out);
}

/* By default a person waits and a program does not, and nobody waits for another day. */
static bool wants_wait(const struct person *person, bool is_scheduled)
{
	if (person_flag_is_given(person->flags, PERSON_FLAG_wait))
		return true;
	return !person_flag_is_given(person->flags, PERSON_FLAG_no_wait) &&
	       !person_wants_json(person) && !is_scheduled;
}

static enum person_status check(struct person *person, struct posting *posting)
{
	const char *id = person_flag_text(person->flags, PERSON_FLAG_request_id);
	if (person_flag_is_given(person->flags, PERSON_FLAG_wait) &&
	    person_flag_is_given(person->flags, PERSON_FLAG_no_wait))
		return person_say_wrong(person, "--wait and --no-wait do not go together");
	const enum person_status status = person_targets_check(person);
	if (status != PERSON_DONE)
		return status;
	const struct uuid made = uuid_v7(clock_now_us(person->clock), person->random);
	posting->request_id = id != NULL ? str_of(id) : uuid_str(person->arena, made);
	return person_body_check(person, &posting->body);
}

enum person_status person_verb_post(struct person *person)
{
	struct posting *posting = ARENA_NEW(person->arena, struct posting);
	struct person_answer answer = {0};
	enum person_status status = check(person, posting);
	if (status == PERSON_DONE)
		status = person_targets_find(person, &posting->targets);
	if (status == PERSON_DONE)
		status = person_body_upload(person);
	if (status == PERSON_DONE)
		status = publish(person, posting, &answer);
	if (status != PERSON_DONE)
		return status;
	const struct json *data = json_get(answer.json, "data");
	const bool is_scheduled = !json_is_null(json_get(data, "scheduled_at"));
	const bool waits = wants_wait(person, is_scheduled);
	if (!person_wants_json(person))
		person_say_warnings(person, data);
	if (person_wants_json(person) && !waits)
		person_print_json(person, &answer);
	else if (!person_wants_json(person))
		say_accepted(person, data);
	return waits ? person_wait_post(person, json_string(json_get(data, "post_id")),
					person_flag_is_given(person->flags, PERSON_FLAG_wait))
		     : PERSON_DONE;
}

/* ---- validate ---- */

static void print_rows(struct person *person, const struct json *account)
{
	const struct json *violations = json_get(account, "violations");
	const struct json *plan = json_get(account, "plan");
	for (size_t i = 0; json_at(violations, i) != NULL; i++) {
		const struct json *row = json_at(violations, i);
		fputs("  no: ", person->out);
		person_print_text(person->out, json_string(json_get(row, "message")));
		fputs(" (", person->out);
		person_print_text(person->out, json_string(json_get(row, "field")));
		fputs(")\n", person->out);
	}
	for (size_t i = 0; json_at(plan, i) != NULL; i++) {
		const struct json *row = json_at(plan, i);
		fprintf(person->out, "  %zu. ", i + 1);
		person_print_text(person->out, json_string(json_get(row, "summary")));
		fputs(json_bool(json_get(row, "publishes"), false) ? " (publishes): " : ": ",
		      person->out);
		person_print_text(person->out, json_string(json_get(row, "method")));
		fputc(' ', person->out);
		person_print_text(person->out, json_string(json_get(row, "host_path")));
		fputc('\n', person->out);
	}
}

static void print_validation(struct person *person, const struct json *data)
{
	const struct json *accounts = json_get(data, "accounts");
	for (size_t i = 0; json_at(accounts, i) != NULL; i++) {
		const struct json *account = json_at(accounts, i);
		person_print_text(person->out, json_string(json_get(account, "platform")));
		fputc(' ', person->out);
		person_print_text(person->out, json_string(json_get(account, "account_id")));
		fputs(json_bool(json_get(account, "ok"), false) ? ": ok, as " : ": refused, as ",
		      person->out);
		const struct str type = json_string(json_get(account, "type"));
		person_print_text(person->out, str_is_empty(type) ? STR("nothing") : type);
		fputc('\n', person->out);
		print_rows(person, account);
	}
}

static struct str validation_body(struct person *person, struct posting *posting)
{
	struct str body = person_body_write(person, &posting->body, &posting->targets, STR(""));
	if (person_flag_is_given(person->flags, PERSON_FLAG_fetch) && str_skip(&body, STR("{")))
		return str_concat(person->arena, STR("{\"fetch\":true,"), body);
	return body;
}

enum person_status person_verb_validate(struct person *person)
{
	struct posting *posting = ARENA_NEW(person->arena, struct posting);
	struct person_answer answer = {0};
	enum person_status status = check(person, posting);
	if (status == PERSON_DONE)
		status = person_targets_find(person, &posting->targets);
	if (status == PERSON_DONE)
		status = person_body_upload(person);
	if (status != PERSON_DONE)
		return status;
	const struct person_request request = {
		.method = "POST",
		.path = STR("/v1/posts/validate"),
		.body = validation_body(person, posting),
		.is_repeatable = true,
	};
	status = person_fetch_call(person, &request, 200, &answer);
	if (status != PERSON_DONE)
		return status;
	const struct json *data = json_get(answer.json, "data");
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
	} else {
		print_validation(person, data);
		person_say_warnings(person, data);
	}
	return json_bool(json_get(data, "ok"), false) ? PERSON_DONE : PERSON_FAILED;
}
