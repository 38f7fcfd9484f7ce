/* SPDX-License-Identifier: Apache-2.0
 * See person_connection.h; and the verbs connection and confirm, for connections that a program
 * began or that connect did not see the end of. */
#include "person_connection.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

#define BODY_MAX_BYTES 16384
#define TOKEN_MAX_BYTES 4096

static struct str connection_path(struct person *person, const char *tail)
{
	return person_fetch_word_path(person, "/v1/connections/", tail);
}

static void add_account(struct person_table *table, const struct json *account)
{
	struct str username = json_get_string(account, "username");
	str_skip(&username, STR("@"));
	const struct str to =
		str_format(table->arena, STR_FMT ":" STR_FMT,
			   STR_ARG(json_get_string(account, "platform")), STR_ARG(username));
	person_table_add(table, (struct str[]){to, json_get_string(account, "name"),
					       json_get_string(account, "account_type"),
					       json_get_string(account, "id")});
}

void person_connection_print(struct person *person, const struct json *accounts)
{
	static const char *const heads[] = {"--to", "NAME", "TYPE", "ID"};
	person_print_list(person, accounts, heads, COUNT_OF(heads), add_account);
}

/* ---- connection ---- */

static void print_connection(struct person *person, const struct json *connection)
{
	const struct str state = json_get_string(connection, "status");
	const struct str error = json_get_string(connection, "error");
	person_print_line(person, "Connection", json_get_string(connection, "connection_id"));
	person_print_line(person, "State", state);
	if (!str_is_empty(error))
		person_print_line(
			person, "Reason",
			str_format(person->arena, STR_FMT " (" STR_FMT ")",
				   STR_ARG(json_get_string(connection, "error_description")),
				   STR_ARG(error)));
	if (!str_equal_z(state, "success"))
		return;
	fputc('\n', person->out);
	person_connection_print(person, json_get(connection, "accounts"));
}

enum person_status person_verb_connection(struct person *person)
{
	enum person_status status;
	const struct person_answer *answer =
		person_fetch_shown(person, connection_path(person, "/accounts"), &status);
	if (answer != NULL)
		print_connection(person, answer->json);
	return status;
}

/* ---- confirm ---- */

/* Not an argument: those are seen by everybody on the machine. */
static enum person_status read_confirmation(struct person *person, struct str *token_out)
{
	char *bytes = arena_alloc(person->arena, TOKEN_MAX_BYTES);
	const size_t count = fread(bytes, 1, TOKEN_MAX_BYTES, person->in);
	*token_out = str_trim((struct str){bytes, count});
	if (ferror(person->in) != 0)
		return person_say_wrong(person, "standard input cannot be read");
	if (str_is_empty(*token_out))
		return person_say_wrong(person, "put the confirmation_token, which the browser "
						"brought back, on standard input");
	if (count == TOKEN_MAX_BYTES || str_has_control(*token_out))
		return person_say_wrong(person, "standard input holds no confirmation token");
	return PERSON_DONE;
}

static struct str confirm_body(struct person *person, struct str token)
{
	const char *user = person_flag_text(person->flags, PERSON_FLAG_user);
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "confirmation_token", token);
	json_member_str(&w, "user_id", user != NULL ? str_of(user) : STR("me"));
	json_end_object(&w);
	return out.is_over ? STR("") : buf_str(&out);
}

enum person_status person_verb_confirm(struct person *person)
{
	struct person_answer answer = {0};
	struct str token;
	enum person_status status = read_confirmation(person, &token);
	if (status != PERSON_DONE)
		return status;
	const struct person_request request = {.method = "POST",
					       .path = connection_path(person, "/confirm"),
					       .body = confirm_body(person, token),
					       .is_repeatable = true};
	if (str_is_empty(request.body))
		return person_say_wrong(person, "--user is too long");
	status = person_fetch_call(person, &request, 200, &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	fputs("Confirmed:\n", person->out);
	person_connection_print(person, json_get(answer.json, "accounts"));
	return PERSON_DONE;
}
