/* SPDX-License-Identifier: Apache-2.0
 * The verbs token and revoke, which act as the app by its client id and secret. */
#include "buf.h"

#include "form.h"
#include "json.h"

#include "person_call.h"
#include "person_print.h"

#define FORM_MAX_BYTES 16384
#define DAY_S (24 * 60 * 60)

static struct str form_of(struct person *person, const char *name, struct str value)
{
	struct buf form;
	buf_init(&form, person->arena, FORM_MAX_BYTES);
	form_add(&form, name, value);
	return buf_str(&form);
}

/* 200, or the reason is said. Again is as good as once: a second token ends the first. */
static enum person_status call_as_app(struct person *person, struct str path, struct str form,
				      struct person_answer *answer)
{
	struct error err = {0};
	const struct person_request request = {.method = "POST",
					       .path = path,
					       .body = form,
					       .is_repeatable = true,
					       .as_app = true};
	if (person_call(person, person->arena, &request, answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return answer->status == 200 ? PERSON_DONE : person_say_refusal(person, answer);
}

/* The token alone on standard output, so that a shell can put it into a variable. */
enum person_status person_verb_token(struct person *person)
{
	struct person_answer answer = {0};
	const enum person_status status =
		call_as_app(person, STR("/v1/oauth/token"),
			    form_of(person, "grant_type", STR("client_credentials")), &answer);
	if (status != PERSON_DONE)
		return status;
	const struct str token = json_string(json_get(answer.json, "access_token"));
	const long long valid_s = (long long)json_int(json_get(answer.json, "expires_in"), 0);
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	if (str_is_empty(token))
		return person_say_failed(person, "the service's answer has no token in it");
	person_print_text(person->out, token);
	fputc('\n', person->out);
	const bool is_long = valid_s >= 2 * DAY_S;
	fprintf(person->err,
		"Valid for %lld %s. The app's access token before it has ended; keys have not.\n",
		is_long ? valid_s / DAY_S : valid_s, is_long ? "days" : "seconds");
	return PERSON_DONE;
}

/* A token that is no longer valid, or never was, is revoked too (RFC 7009). */
enum person_status person_verb_revoke(struct person *person)
{
	struct person_answer answer = {0};
	const enum person_status status = call_as_app(
		person, STR("/v1/oauth/revoke"), form_of(person, "token", person->token), &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		fputs("Revoked: the token or key in POSTHORN_TOKEN is not valid for this app.\n",
		      person->out);
	return PERSON_DONE;
}
