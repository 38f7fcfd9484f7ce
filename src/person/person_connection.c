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

static struct str text_of(const struct json *object, const char *key)
{
	return json_string(json_get(object, key));
}

static struct str connection_path(struct person *person, const char *tail)
{
	return person_fetch_word_path(person, "/v1/connections/", tail);
}

void person_connection_print(struct person *person, const struct json *accounts)
{
	static const char *const heads[] = {"--to", "NAME", "TYPE", "ID"};
	struct person_table table;
	person_table_begin(&table, person->arena, heads, COUNT_OF(heads),
			   accounts != NULL ? accounts->count : 0);
	for (size_t i = 0; json_at(accounts, i) != NULL; i++) {
		const struct json *account = json_at(accounts, i);
		struct str username = text_of(account, "username");
		str_skip(&username, STR("@"));
		person_table_add(&table,
				 (struct str[]){str_format(person->arena, STR_FMT ":" STR_FMT,
							   STR_ARG(text_of(account, "platform")),
							   STR_ARG(username)),
						text_of(account, "name"),
						text_of(account, "account_type"),
						text_of(account, "id")});
	}
	person_table_print(person->out, &table, "");
}

/* ---- connection ---- */

static void print_connection(struct person *person, const struct json *connection)
{
	const struct str state = text_of(connection, "status");
	const struct str error = text_of(connection, "error");
	person_print_line(person, "Connection", text_of(connection, "connection_id"));
	person_print_line(person, "State", state);
	if (!str_is_empty(error))
		person_print_line(person, "Reason",
				  str_format(person->arena, STR_FMT " (" STR_FMT ")",
					     STR_ARG(text_of(connection, "error_description")),
					     STR_ARG(error)));
	if (!str_equal_z(state, "success"))
		return;
	fputc('\n', person->out);
	person_connection_print(person, json_get(connection, "accounts"));
}

enum person_status person_verb_connection(struct person *person)
{
	struct person_answer answer = {0};
	const enum person_status status =
		person_fetch(person, connection_path(person, "/accounts"), &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		print_connection(person, answer.json);
	return PERSON_DONE;
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
	struct error err = {0};
	struct str token;
	const enum person_status status = read_confirmation(person, &token);
	if (status != PERSON_DONE)
		return status;
	const struct person_request request = {.method = "POST",
					       .path = connection_path(person, "/confirm"),
					       .body = confirm_body(person, token),
					       .is_repeatable = true};
	if (str_is_empty(request.body))
		return person_say_wrong(person, "--user is too long");
	if (person_call(person, person->arena, &request, &answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	if (answer.status != 200)
		return person_say_refusal(person, &answer);
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	fputs("Confirmed:\n", person->out);
	person_connection_print(person, json_get(answer.json, "accounts"));
	return PERSON_DONE;
}
