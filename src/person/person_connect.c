/* SPDX-License-Identifier: Apache-2.0
 * The verb connect: begins a connection, sends the user's browser to the platform, and waits until
 * it is back. Where the app wants connections confirmed, the token that the browser brought back
 * here confirms it: this command began the connection, on the same machine. */
#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "platform_id.h"

#include "person_back.h"
#include "person_call.h"
#include "person_connection.h"
#include "person_platform.h"
#include "person_print.h"

#define BODY_MAX_BYTES 16384
#define PAUSE_MS 500
#define ASK_EVERY_US (2 * US_PER_S)
#define RETURN_WAIT_US (5 * US_PER_S) /* for the browser, once the platform is done */
#define SILENCE_MAX_US US_PER_MINUTE

struct connecting {
	struct person *person;
	struct person_back *back;
	struct str user;
	struct str id;       /* of the connection */
	struct str redirect; /* the platform's page */
	bool is_back;
	struct person_returned returned;
	int64_t heard_us;   /* when the service last answered */
	int64_t success_us; /* when the connection was first seen to have succeeded */
};

/* ---- begin ---- */

static void member_flag(struct json_writer *w, const struct person *person, const char *key,
			enum person_flag flag)
{
	const char *value = person_flag_text(person->flags, flag);
	if (value != NULL)
		json_member_str(w, key, str_of(value));
}

static struct str begin_body(const struct connecting *c)
{
	const struct person *person = c->person;
	const enum platform_id platform = platform_id_of_slug(str_of(person->flags->word));
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "platform", str_of(platform_id_slug(platform)));
	json_member_str(&w, "user_id", c->user);
	json_member_str(&w, "redirect_url", person_back_url(c->back));
	member_flag(&w, person, "name", PERSON_FLAG_name);
	member_flag(&w, person, "email", PERSON_FLAG_email);
	json_end_object(&w);
	return out.is_over ? STR("") : buf_str(&out);
}

/* The app's list of redirect URLs is the one thing that this command may need to be prepared. */
static enum person_status not_begun(struct connecting *c, const struct person_answer *answer)
{
	const enum person_status status = person_say_refusal(c->person, answer);
	const struct json *errors = json_get(answer->json, "errors");
	if (json_get(errors, "redirect_url") != NULL && !person_wants_json(c->person))
		fputs("  The browser comes back to this machine: http://127.0.0.1/ must be on the "
		      "app's list of redirect URLs (posthorn app set CLIENT_ID --redirect-urls, or "
		      "the dashboard).\n",
		      c->person->err);
	return status;
}

static enum person_status begin(struct connecting *c)
{
	struct person *person = c->person;
	struct person_answer answer = {0};
	struct error err = {0};
	/* A second one would lead nowhere and end by itself. */
	const struct person_request request = {.method = "POST",
					       .path = STR("/v1/accounts/connect"),
					       .body = begin_body(c),
					       .is_repeatable = true};
	if (str_is_empty(request.body))
		return person_say_wrong(person, "--user, --name and --email are too long");
	if (person_call(person, person->arena, &request, &answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	if (answer.status != 200)
		return not_begun(c, &answer);
	c->id = json_string(json_get(answer.json, "connection_id"));
	c->redirect = json_string(json_get(answer.json, "redirect_url"));
	if (str_is_empty(c->id) || str_is_empty(c->redirect))
		return person_say_failed(person, "the service's answer has no connection in it");
	person_back_expect(c->back, c->id);
	return PERSON_DONE;
}

static void send_browser(struct connecting *c)
{
	struct person *person = c->person;
	FILE *out = person_wants_json(person) ? person->err : person->out;
	const bool is_open = !person_flag_is_given(person->flags, PERSON_FLAG_no_browser) &&
			     person->open_browser != NULL &&
			     person->open_browser(person->context, c->redirect);
	fputs(is_open ? "The browser opens this address; open it yourself if it does not:\n  "
		      : "Open this address in a browser on this machine:\n  ",
	      out);
	person_print_text(out, c->redirect);
	fputs("\nWaiting until it is back ...\n", out);
	fflush(out);
}

/* ---- end ---- */

static enum person_status succeed(struct connecting *c, const struct person_answer *answer)
{
	if (person_wants_json(c->person))
		person_print_json(c->person, answer);
	else {
		fprintf(c->person->out, "Connected for user " STR_FMT ":\n", STR_ARG(c->user));
		person_connection_print(c->person, json_get(answer->json, "accounts"));
	}
	return PERSON_DONE;
}

static enum person_status fail(struct connecting *c, const struct person_answer *answer)
{
	const struct str code = json_string(json_get(answer->json, "error"));
	const struct str text = json_string(json_get(answer->json, "error_description"));
	if (person_wants_json(c->person))
		person_print_json(c->person, answer);
	return person_say_failed(c->person, "not connected: " STR_FMT " (" STR_FMT ")",
				 STR_ARG(str_is_empty(text) ? STR("the platform said no") : text),
				 STR_ARG(code));
}

/* True: not one account waits for a confirmation, as far as the first can tell. */
static bool needs_no_confirmation(struct connecting *c, const struct json *accounts)
{
	struct person_answer answer = {0};
	const struct str id = json_string(json_get(json_at(accounts, 0), "id"));
	const struct str path = str_format(c->person->arena, "/v1/accounts/" STR_FMT, STR_ARG(id));
	return person_get(c->person, c->person->arena, path, &answer, NULL) == ERR_NONE &&
	       answer.status == 200 &&
	       json_bool(json_get(json_get(answer.json, "data"), "confirmed"), true);
}

static enum person_status confirm(struct connecting *c)
{
	struct person *person = c->person;
	struct person_answer answer = {0};
	struct error err = {0};
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "confirmation_token", c->returned.confirmation_token);
	json_member_str(&w, "user_id", c->user);
	json_end_object(&w);
	const struct person_request request = {
		.method = "POST",
		.path = str_format(person->arena, "/v1/connections/" STR_FMT "/confirm",
				   STR_ARG(c->id)),
		.body = buf_str(&out),
		.is_repeatable = true};
	if (person_call(person, person->arena, &request, &answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return answer.status == 200 ? succeed(c, &answer) : person_say_refusal(person, &answer);
}

/* ---- between ---- */

/* The connection has succeeded. *status_out counts when it returns true: the end. */
static bool judge_success(struct connecting *c, const struct person_answer *answer,
			  enum person_status *status_out)
{
	const int64_t now_us = clock_boot_us(c->person->clock);
	c->success_us = c->success_us != 0 ? c->success_us : now_us;
	if (c->is_back && !str_is_empty(c->returned.confirmation_token)) {
		*status_out = confirm(c);
		return true;
	}
	/* Somebody may have opened the address on another machine: it is connected all the same. */
	if (!c->is_back && now_us - c->success_us < RETURN_WAIT_US)
		return false;
	if (!needs_no_confirmation(c, json_get(answer->json, "accounts")))
		*status_out = person_say_failed(
			c->person, "the accounts must be confirmed by the browser that comes back "
				   "here, and none came: open the address on this machine");
	else
		*status_out = succeed(c, answer);
	return true;
}

/* Asks once. True: it is over, with *status_out. */
static bool ask(struct connecting *c, enum person_status *status_out)
{
	struct person *person = c->person;
	struct person_answer answer = {0};
	struct error err = {0};
	arena_clear(person->scratch);
	const struct str path =
		str_format(person->scratch, "/v1/connections/" STR_FMT "/accounts", STR_ARG(c->id));
	const enum err_kind kind = person_get(person, person->scratch, path, &answer, &err);
	const int64_t now_us = clock_boot_us(person->clock);
	if (kind != ERR_NONE || answer.status >= 500) {
		*status_out = PERSON_FAILED;
		if (now_us - c->heard_us <= SILENCE_MAX_US)
			return false;
		*status_out = person_say_failed(
			person, "%s", kind != ERR_NONE ? err.text : "the service does not answer");
		return true;
	}
	c->heard_us = now_us;
	const struct str state = json_string(json_get(answer.json, "status"));
	if (answer.status != 200)
		*status_out = person_say_refusal(person, &answer);
	else if (str_equal_z(state, "failed"))
		*status_out = fail(c, &answer);
	else if (str_equal_z(state, "success"))
		return judge_success(c, &answer, status_out);
	else
		return false;
	return true;
}

/* Ends at the latest when the service lets the connection expire. */
static enum person_status wait_for_it(struct connecting *c)
{
	struct person *person = c->person;
	enum person_status status = PERSON_FAILED;
	int64_t asked_us = 0;
	c->heard_us = clock_boot_us(person->clock);
	while (true) {
		const bool was_back = c->is_back;
		const int64_t now_us = clock_boot_us(person->clock);
		c->is_back = person_back_take(c->back, person->arena, &c->returned);
		if (c->is_back != was_back || now_us - asked_us >= ASK_EVERY_US) {
			asked_us = now_us;
			if (ask(c, &status))
				return status;
		}
		if (!person->nap(person->context, PAUSE_MS))
			return PERSON_FAILED;
	}
}

enum person_status person_verb_connect(struct person *person)
{
	struct connecting c = {.person = person};
	struct error err = {0};
	const char *user = person_flag_text(person->flags, PERSON_FLAG_user);
	c.user = user != NULL ? str_of(user) : STR("me");
	if (platform_id_of_slug(str_of(person->flags->word)) == PLATFORM_NONE)
		return person_platform_wrong(person);
	if (person_back_open(person->random, &c.back, &err) != ERR_NONE)
		return person_say_failed(person, "the browser could not come back: %s", err.text);
	enum person_status status = begin(&c);
	if (status == PERSON_DONE) {
		send_browser(&c);
		status = wait_for_it(&c);
	}
	person_back_close(&c.back);
	return status;
}
