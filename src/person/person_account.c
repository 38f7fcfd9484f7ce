/* SPDX-License-Identifier: Apache-2.0
 * The verbs accounts show, accounts check and accounts disconnect. */
#include "arena.h"
#include "buf.h"

#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

#define LIST_MAX_BYTES 16384

static struct str account_path(struct person *person, const char *tail)
{
	return person_fetch_word_path(person, "/v1/accounts/", tail);
}

static void print_time(struct person *person, const char *head, struct str instant)
{
	if (!str_is_empty(instant))
		person_print_line(person, head, person_print_instant(person->arena, instant));
}

static struct str scopes_of(struct arena *arena, const struct json *account)
{
	const struct json *scopes = json_get(account, "scopes");
	struct buf out;
	buf_init(&out, arena, LIST_MAX_BYTES);
	for (size_t i = 0; json_at(scopes, i) != NULL; i++)
		buf_addf(&out, "%s" STR_FMT, i > 0 ? ", " : "",
			 STR_ARG(json_string(json_at(scopes, i))));
	return buf_str(&out);
}

/* What helps an account that cannot be published to; empty: nothing is needed. */
static struct str advice_of(struct arena *arena, const struct json *account)
{
	const struct str status = json_get_string(account, "status");
	if (!json_bool(json_get(account, "confirmed"), true))
		return str_format(arena, "confirm its connection: posthorn confirm " STR_FMT,
				  STR_ARG(json_get_string(account, "connection_id")));
	if (str_equal_z(status, "reauth_required") || str_equal_z(status, "disconnected"))
		return str_format(arena, "connect it again: posthorn connect " STR_FMT,
				  STR_ARG(json_get_string(account, "platform")));
	return STR("");
}

static void print_account(struct person *person, const struct json *account)
{
	struct str username = json_get_string(account, "username");
	const struct str platform = json_get_string(account, "platform");
	const struct str error = json_get_string(account, "last_error");
	const bool is_confirmed = json_bool(json_get(account, "confirmed"), true);
	const struct str advice = advice_of(person->arena, account);
	str_skip(&username, STR("@"));
	person_print_line(person, "Account", json_get_string(account, "id"));
	person_print_line(person, "--to",
			  str_format(person->arena, STR_FMT ":" STR_FMT, STR_ARG(platform),
				     STR_ARG(username)));
	person_print_line(person, "Name", json_get_string(account, "name"));
	person_print_line(person, "Type", json_get_string(account, "account_type"));
	person_print_line(person, "Status",
			  is_confirmed ? json_get_string(account, "status") : STR("unconfirmed"));
	person_print_line(person, "User", json_get_string(account, "app_user_id"));
	person_print_line(person, "Connection", json_get_string(account, "connection_id"));
	person_print_line(person, "Scopes", scopes_of(person->arena, account));
	print_time(person, "Connected", json_get_string(account, "created_at"));
	print_time(person, "Renewed", json_get_string(account, "last_refresh_at"));
	print_time(person, "Expires", json_get_string(account, "expires_at"));
	print_time(person, "Ends", json_get_string(account, "ends_at"));
	if (!str_is_empty(error))
		person_print_line(person, "Last error", error);
	if (!str_is_empty(advice))
		person_print_line(person, "Do", advice);
}

enum person_status person_verb_accounts_show(struct person *person)
{
	enum person_status status;
	const struct person_answer *answer =
		person_fetch_shown(person, account_path(person, ""), &status);
	if (answer != NULL)
		print_account(person, json_get(answer->json, "data"));
	return status;
}

/* ---- check ---- */

/* "ok" is null where the platform could not be asked. */
static void print_check(struct person *person, const struct json *data)
{
	const struct json *ok = json_get(data, "ok");
	const struct json *account = json_get(data, "account");
	const struct str message = json_get_string(data, "message");
	const char *said = json_is_null(ok)       ? "it could not be asked"
			   : json_bool(ok, false) ? "the token works"
						  : "the token does not work";
	person_print_text(person->out, json_get_string(account, "platform"));
	fputc(' ', person->out);
	person_print_text(person->out, json_get_string(account, "username"));
	fprintf(person->out, ": %s", said);
	if (!str_is_empty(message)) {
		fputs(" (", person->out);
		person_print_text(person->out, message);
		fputc(')', person->out);
	}
	fputs(".\nThe account is ", person->out);
	person_print_text(person->out, json_get_string(account, "status"));
	fputs(".\n", person->out);
}

enum person_status person_verb_accounts_check(struct person *person)
{
	struct person_answer answer = {0};
	const struct person_request request = {
		.method = "POST", .path = account_path(person, "/check"), .is_repeatable = true};
	const enum person_status status = person_fetch_call(person, &request, 200, &answer);
	if (status != PERSON_DONE)
		return status;
	const struct json *data = json_get(answer.json, "data");
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		print_check(person, data);
	return json_bool(json_get(data, "ok"), false) ? PERSON_DONE : PERSON_FAILED;
}

/* ---- disconnect ---- */

enum person_status person_verb_accounts_disconnect(struct person *person)
{
	struct person_answer answer = {0};
	/* A second time is 204 too. */
	const struct person_request request = {
		.method = "DELETE", .path = account_path(person, ""), .is_repeatable = true};
	const enum person_status status = person_fetch_call(person, &request, 204, &answer);
	if (status != PERSON_DONE)
		return status;
	if (!person_wants_json(person))
		fprintf(person->out,
			"Disconnected: nothing more is published to account %s. Connect it again "
			"to use it.\n",
			person->flags->word);
	return PERSON_DONE;
}
