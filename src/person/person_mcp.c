/* SPDX-License-Identifier: Apache-2.0
 * The verb mcp: the service's Model Context Protocol (POST /mcp) over standard input and output,
 * for agent hosts that start a program. A message is a line. Each is sent on as it is, with the
 * run's token; its answer is a line on standard output, which holds nothing else. The service alone
 * judges messages. */
#include "arena.h"
#include "buf.h"

#include "base64.h"
#include "json.h"
#include "json_write.h"

#include "request_limits.h"

#include "person_call.h"
#include "person_print.h"
#include "person_private.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define INTERNAL_ERROR (-32603)
#define INVALID_REQUEST (-32600)
#define PROBLEM_MAX_BYTES ((size_t)64 << 10)
#define HEADERS_MAX 3

struct relay {
	struct person *person;
	struct arena *arena;        /* of this message */
	const struct json *message; /* NULL = it cannot be read here */
	struct transfer_header headers[HEADERS_MAX];
	size_t header_count;
};

/* ---- lines ---- */

/* The next line without its end; of one that is too long, its first bytes and *is_over. False: the
 * input has ended. */
static bool read_line(struct person *person, struct buf *line, bool *is_over)
{
	int c = getc(person->in);
	*is_over = false;
	if (c == EOF)
		return false;
	for (; c != EOF && c != '\n'; c = getc(person->in)) {
		if (line->len < REQUEST_JSON_MAX_BYTES)
			buf_add_char(line, (char)c);
		else
			*is_over = true;
	}
	return true;
}

static void print_line(struct person *person, struct str line)
{
	fwrite(line.ptr, 1, line.len, person->out);
	fputc('\n', person->out);
	fflush(person->out);
}

/* Nothing is said to a notification. */
static void print_error(const struct relay *relay, int code, struct str problem)
{
	const struct json *id = json_get(relay->message, "id");
	struct buf line;
	struct json_writer w;
	if (relay->message != NULL && id == NULL)
		return;
	buf_init(&line, relay->arena, PROBLEM_MAX_BYTES);
	json_writer_init(&w, &line);
	json_begin_object(&w);
	json_member_str(&w, "jsonrpc", STR("2.0"));
	if (json_is(id, JSON_TYPE_STRING) || json_is(id, JSON_TYPE_INT)) {
		json_key(&w, "id");
		json_put_value(&w, id);
	}
	json_key(&w, "error");
	json_begin_object(&w);
	json_member_int(&w, "code", code);
	json_member_str(&w, "message", problem);
	json_end_object(&w);
	json_end_object(&w);
	if (!line.is_over)
		print_line(relay->person, buf_str(&line));
}

/* ---- headers ---- */

static bool is_plain(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < ' ' || text.ptr[i] > '~')
			return false;
	}
	return !str_has_prefix(text, STR(" ")) && !str_has_suffix(text, STR(" ")) &&
	       !str_has_prefix(text, STR("=?base64?"));
}

static void add_header(struct relay *relay, const char *name, struct str value)
{
	if (!str_is_empty(value) && is_plain(value))
		relay->headers[relay->header_count++] =
			(struct transfer_header){str_of(name), value};
}

/* A name, and only a name, may be written in another way. */
static void add_name(struct relay *relay, struct str name)
{
	const struct str encoded = str_format(
		relay->arena, "=?base64?" STR_FMT "?=", STR_ARG(base64_encode(relay->arena, name)));
	if (!str_is_empty(name) && !is_plain(name))
		relay->headers[relay->header_count++] =
			(struct transfer_header){STR("Mcp-Name"), encoded};
	else
		add_header(relay, "Mcp-Name", name);
}

/* What the protocol repeats of a message for those between us and the service (2026-07-28,
 * "Request Metadata"). */
static void add_headers(struct relay *relay)
{
	const struct json *params = json_get(relay->message, "params");
	const struct str method = json_get_string(relay->message, "method");
	const struct str version = json_get_string(json_get(params, "_meta"), META_VERSION);
	if (str_is_empty(version))
		return;
	add_header(relay, "MCP-Protocol-Version", version);
	add_header(relay, "Mcp-Method", method);
	if (str_equal_z(method, "tools/call"))
		add_name(relay, json_get_string(params, "name"));
}

/* ---- one message ---- */

/* An answer of the protocol goes on as it is; one of the API, as to a token that is not valid,
 * becomes an error of the protocol. */
static void print_answer(const struct relay *relay, const struct person_answer *answer)
{
	if (json_get(answer->json, "jsonrpc") != NULL) {
		print_line(relay->person, answer->body);
		return;
	}
	if (answer->status == 202)
		return;
	print_error(relay, INTERNAL_ERROR,
		    str_format(relay->arena, STR_FMT ": " STR_FMT,
			       STR_ARG(json_get_string(answer->json, "error")),
			       STR_ARG(json_get_string(answer->json, "message"))));
}

static void send_on(struct relay *relay, struct str line)
{
	struct person_answer answer = {0};
	struct error err = {0};
	add_headers(relay);
	const struct person_request request = {
		.method = "POST",
		.path = STR("/mcp"),
		.body = line,
		.headers = relay->headers,
		.header_count = relay->header_count,
	};
	const enum err_kind kind =
		person_call(relay->person, relay->arena, &request, &answer, &err);
	if (kind == ERR_NONE)
		print_answer(relay, &answer);
	else
		print_error(relay, INTERNAL_ERROR,
			    str_format(relay->arena, "%s%s", err.text,
				       kind == ERR_UNCERTAIN
					       ? ". The call may have been made: a post may be "
						 "sent again with the same request_id only"
					       : ""));
}

static void take(struct person *person, struct str line, bool is_over)
{
	struct relay relay = {.person = person, .arena = person->scratch};
	if (is_over) {
		print_error(&relay, INVALID_REQUEST,
			    STR("The message is too long: it may have 1 MiB."));
		return;
	}
	if (str_is_empty(str_trim(line)))
		return;
	json_parse(relay.arena, line, NULL, &relay.message, NULL, NULL);
	send_on(&relay, line);
}

enum person_status person_verb_mcp(struct person *person)
{
	bool is_over = false;
	struct buf line;
	buf_init(&line, person->scratch, REQUEST_JSON_MAX_BYTES);
	while (read_line(person, &line, &is_over)) {
		take(person, buf_str(&line), is_over);
		arena_clear(person->scratch);
		buf_init(&line, person->scratch, REQUEST_JSON_MAX_BYTES);
	}
	return PERSON_DONE;
}
