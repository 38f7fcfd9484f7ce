/* SPDX-License-Identifier: Apache-2.0
 * The verbs posts, show, explain and accounts. */
#include "person_read.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"
#include "person_wait.h"

#define TO_COLUMNS 30
#define TEXT_COLUMNS 48
#define CELL_MAX_BYTES 16384
#define EXCERPT_COLUMNS 200

/* ---- what to do ---- */

/* %1 = the post's id, %2 = the platform. Codes are model/failure_codes.def's. */
static const struct {
	const char *code;
	const char *before; /* of the platform; NULL = no command with it */
	const char *advice; /* of the post's id */
	const char *after;
} advices[] = {
	{"ACCOUNT_REAUTH_REQUIRED", "posthorn connect ", ", then posthorn retry ", ""},
	{"PERMISSION_MISSING", "posthorn connect ",
	 " and grant what the platform asks, then posthorn retry ", ""},
	{"OUTCOME_UNKNOWN", NULL, "look at the account; if the post is not there: posthorn retry ",
	 " --republish"},
	{"MEDIA_UNREACHABLE", NULL,
	 "see that the address of the file can be fetched, then posthorn retry ", ""},
	{"APP_CREDENTIALS_INVALID", NULL,
	 "whoever runs the service must correct the platform's credential; then posthorn retry ",
	 ""},
	{"RATE_LIMITED", NULL, "try again later: posthorn retry ", ""},
	{"QUOTA_EXHAUSTED", NULL, "try again later: posthorn retry ", ""},
	{"PLATFORM_UNAVAILABLE", NULL, "try again later: posthorn retry ", ""},
	{"INTERNAL_ERROR", NULL, "the log of the service has the reason; then posthorn retry ", ""},
	{"EXPIRED", NULL, "publish it all the same: posthorn retry ", ""},
	{"PLATFORM_REJECTED", NULL, "the platform's words say why; once mended: posthorn retry ",
	 ""},
};

static struct str advice_of(struct arena *arena, const struct json *data, const struct json *target)
{
	const struct str id = json_get_string(data, "id");
	const struct str code = json_get_string(json_get(target, "error"), "code");
	const struct str platform = json_get_string(target, "platform");
	if (str_equal_z(code, "CONTENT_REJECTED") || str_equal_z(code, "MEDIA_REJECTED") ||
	    str_equal_z(code, "DUPLICATE_CONTENT"))
		return STR("change the post and publish it as a new one");
	for (size_t i = 0; i < COUNT_OF(advices); i++) {
		const bool has_platform = advices[i].before != NULL;
		if (str_equal_z(code, advices[i].code))
			return str_format(arena, "%s" STR_FMT "%s" STR_FMT "%s",
					  has_platform ? advices[i].before : "",
					  STR_ARG(has_platform ? platform : STR("")),
					  advices[i].advice, STR_ARG(id), advices[i].after);
	}
	return STR("");
}

/* ---- one post ---- */

static struct str state_of(struct arena *arena, const struct json *target)
{
	const struct str state = json_get_string(target, "state");
	const struct str shown = str_is_empty(state) ? json_get_string(target, "status") : state;
	return str_equal_z(json_get_string(target, "outcome"), "partial")
		       ? str_format(arena, STR_FMT " in part", STR_ARG(shown))
		       : shown;
}

/* Its address, and what became of taking it back. */
static struct str place_of(struct arena *arena, const struct json *target)
{
	const struct json *removal = json_get(target, "removal");
	const struct str url = json_get_string(target, "url");
	const struct str status = json_get_string(removal, "status");
	if (str_equal_z(status, "removed"))
		return STR("removed from the platform");
	if (str_equal_z(status, "pending"))
		return str_concat(arena, url, STR(" (is being removed)"));
	if (json_is(removal, JSON_TYPE_OBJECT))
		return str_format(arena, STR_FMT " (not removed: " STR_FMT ")", STR_ARG(url),
				  STR_ARG(json_get_string(json_get(removal, "error"), "message")));
	return url;
}

/* Its place, else why there is none. */
static struct str where_of(struct arena *arena, const struct json *target)
{
	const struct json *error = json_get(target, "error");
	const struct str place = place_of(arena, target);
	if (!str_is_empty(place))
		return place;
	if (json_is(error, JSON_TYPE_OBJECT))
		return str_format(arena, STR_FMT ": " STR_FMT,
				  STR_ARG(json_get_string(error, "code")),
				  STR_ARG(json_get_string(error, "message")));
	return json_get_string(json_get(target, "waiting"), "message");
}

void person_read_print_targets(struct person *person, const struct json *data)
{
	static const char *const heads[] = {"PLATFORM", "ACCOUNT", "STATE", "WHERE"};
	const struct json *targets = json_get(data, "platform_posts");
	struct arena *arena = person->scratch;
	struct person_table table;
	person_table_begin(&table, arena, heads, 4, targets != NULL ? targets->count : 0);
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		const struct json *target = json_at(targets, i);
		person_table_add(&table,
				 (struct str[]){json_get_string(target, "platform"),
						json_get_string(target, "handle"),
						state_of(arena, target), where_of(arena, target)});
	}
	person_table_print(person->out, &table, "");
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		const struct json *target = json_at(targets, i);
		const struct str advice = advice_of(arena, data, target);
		if (str_is_empty(advice) || json_is_null(json_get(target, "error")))
			continue;
		person_print_text(person->out, json_get_string(target, "platform"));
		fputs(": ", person->out);
		person_print_text(person->out, advice);
		fputc('\n', person->out);
	}
}

enum person_status person_read_outcome(const struct json *data)
{
	return str_equal_z(json_get_string(data, "status"), "published") &&
			       str_equal_z(json_get_string(data, "outcome"), "all")
		       ? PERSON_DONE
		       : PERSON_FAILED;
}

static struct str post_path(struct person *person, const char *tail)
{
	return person_fetch_word_path(person, "/v1/posts/", tail);
}

void person_read_print_head(struct person *person, const struct json *data, struct str etag)
{
	const struct json *containers = json_get(data, "containers");
	person_print_line(person, "Post", json_get_string(data, "id"));
	person_print_line(person, "State", state_of(person->arena, data));
	for (size_t i = 0; json_at(containers, i) != NULL; i++) {
		const struct json *container = json_at(containers, i);
		const struct json *media = json_get(container, "media");
		person_print_line(person, i == 0 ? "Text" : "Comment",
				  json_get_string(container, "content"));
		for (size_t j = 0; json_at(media, j) != NULL; j++) {
			const struct json *file = json_at(media, j);
			const struct str url = json_get_string(file, "url");
			person_print_line(person, "Media",
					  str_is_empty(url) ? json_get_string(file, "media_id")
							    : url);
		}
	}
	if (!json_is_null(json_get(data, "scheduled_at")))
		person_print_line(person, "Scheduled", json_get_string(data, "scheduled_at"));
	person_print_line(person, "Created", json_get_string(data, "created_at"));
	person_print_line(person, "User", json_get_string(data, "external_user_id"));
	person_print_line(person, "Request id", json_get_string(data, "request_id"));
	if (!str_is_empty(etag))
		person_print_line(person, "ETag", etag);
	fputc('\n', person->out);
}

enum person_status person_verb_show(struct person *person)
{
	enum person_status status;
	if (person_flag_is_given(person->flags, PERSON_FLAG_wait))
		return person_wait_post(person, str_of(person->flags->word), true);
	const struct person_answer *answer =
		person_fetch_shown(person, post_path(person, ""), &status);
	if (answer == NULL)
		return status;
	const struct json *data = json_get(answer->json, "data");
	person_read_print_head(person, data, answer->etag);
	person_read_print_targets(person, data);
	person_say_warnings(person, data);
	return PERSON_DONE;
}

/* ---- explain ---- */

static void print_reason(struct person *person, const struct json *data, const struct json *target)
{
	const struct json *error = json_get(target, "error");
	const struct json *waiting = json_get(target, "waiting");
	const struct str words = json_get_string(error, "platform_message");
	const struct str next = json_get_string(target, "next_attempt_at");
	const struct str advice = advice_of(person->arena, data, target);
	const struct str place = place_of(person->arena, target);
	person_print_text(person->out, json_get_string(target, "platform"));
	fputc(' ', person->out);
	person_print_text(person->out, json_get_string(target, "handle"));
	fputs(": ", person->out);
	person_print_text(person->out, state_of(person->arena, target));
	fputc('\n', person->out);
	if (json_is(error, JSON_TYPE_OBJECT))
		person_print_line(person, "  why", json_get_string(error, "message"));
	if (!str_is_empty(words))
		person_print_line(person, "  it said", words);
	if (json_is(waiting, JSON_TYPE_OBJECT))
		person_print_line(person, "  waits", json_get_string(waiting, "message"));
	if (!str_is_empty(next))
		person_print_line(person, "  next try", next);
	if (!str_is_empty(place))
		person_print_line(person, "  where", place);
	if (!str_is_empty(advice))
		person_print_line(person, "  do", advice);
}

/* "x jodoe" for the delivery of a call. */
static struct str target_name(struct person *person, const struct json *data, struct str delivery)
{
	const struct json *targets = json_get(data, "platform_posts");
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		const struct json *target = json_at(targets, i);
		if (str_equal(json_get_string(target, "id"), delivery))
			return str_format(person->arena, STR_FMT " " STR_FMT,
					  STR_ARG(json_get_string(target, "platform")),
					  STR_ARG(json_get_string(target, "handle")));
	}
	return delivery;
}

/* "POST api.x.com/2/tweets, 201 in 120 ms: done, continue" */
static void print_call(struct person *person, const struct json *data, const struct json *row)
{
	const struct json *status = json_get(row, "status");
	const struct str excerpt = json_get_string(row, "excerpt");
	const bool is_call = !str_is_empty(json_get_string(row, "method"));
	const int code = (int)json_int(status, 0);
	struct buf line;
	buf_init(&line, person->arena, CELL_MAX_BYTES);
	buf_addf(&line, STR_FMT "  " STR_FMT "  " STR_FMT ": ", STR_ARG(json_get_string(row, "at")),
		 STR_ARG(target_name(person, data, json_get_string(row, "delivery_id"))),
		 STR_ARG(json_get_string(row, "stage")));
	if (is_call)
		buf_addf(&line, STR_FMT " " STR_FMT ", ", STR_ARG(json_get_string(row, "method")),
			 STR_ARG(json_get_string(row, "host_path")));
	if (is_call && code != 0)
		buf_addf(&line, "%d in %lld ms: ", code,
			 (long long)json_int(json_get(row, "duration_ms"), 0));
	else if (is_call)
		buf_add_z(&line, "no answer: ");
	const struct str decision = json_get_string(row, "decision");
	buf_add(&line, json_get_string(row, "verdict"));
	buf_addf(&line, "%s" STR_FMT, str_is_empty(decision) ? "" : ", ", STR_ARG(decision));
	person_print_text(person->out, buf_str(&line));
	fputc('\n', person->out);
	if (code < 400 || str_is_empty(excerpt))
		return;
	fputs("    ", person->out);
	person_print_text(person->out, person_print_short(person->arena, excerpt, EXCERPT_COLUMNS));
	fputc('\n', person->out);
}

enum person_status person_verb_explain(struct person *person)
{
	struct person_answer post = {0};
	enum person_status status;
	const struct person_answer *timeline =
		person_fetch_shown(person, post_path(person, "/timeline"), &status);
	if (timeline == NULL)
		return status;
	status = person_fetch(person, post_path(person, ""), &post);
	if (status != PERSON_DONE)
		return status;
	const struct json *data = json_get(post.json, "data");
	const struct json *targets = json_get(data, "platform_posts");
	const struct json *rows = json_get(timeline->json, "data");
	person_read_print_head(person, data, STR(""));
	for (size_t i = 0; json_at(targets, i) != NULL; i++)
		print_reason(person, data, json_at(targets, i));
	fputs(json_at(rows, 0) != NULL ? "\nCalls, oldest first:\n" : "\nNo call was made yet.\n",
	      person->out);
	for (size_t i = 0; json_at(rows, i) != NULL; i++)
		print_call(person, data, json_at(rows, i));
	return PERSON_DONE;
}

/* ---- lists ---- */

/* "x:jodoe, linkedin:acme" */
static struct str targets_of(struct arena *arena, const struct json *post)
{
	const struct json *targets = json_get(post, "platform_posts");
	struct buf out;
	buf_init(&out, arena, CELL_MAX_BYTES);
	for (size_t i = 0; json_at(targets, i) != NULL; i++)
		buf_addf(&out, "%s" STR_FMT ":" STR_FMT, i > 0 ? ", " : "",
			 STR_ARG(json_get_string(json_at(targets, i), "platform")),
			 STR_ARG(json_get_string(json_at(targets, i), "handle")));
	return person_print_short(arena, buf_str(&out), TO_COLUMNS);
}

static void add_post(struct person_table *table, const struct json *post)
{
	struct arena *arena = table->arena;
	const struct str at = json_get_string(post, "scheduled_at");
	const struct str text =
		json_get_string(json_at(json_get(post, "containers"), 0), "content");
	person_table_add(
		table,
		(struct str[]){
			json_get_string(post, "id"), state_of(arena, post),
			person_print_instant(
				arena, str_is_empty(at) ? json_get_string(post, "created_at") : at),
			targets_of(arena, post), person_print_short(arena, text, TEXT_COLUMNS)});
}

enum person_status person_verb_posts(struct person *person)
{
	static const struct person_filter filters[] = {
		{PERSON_FLAG_status, "status"},
		{PERSON_FLAG_platform, "platform"},
		{PERSON_FLAG_from, "date_from"},
		{PERSON_FLAG_until, "date_to"},
		{PERSON_FLAG_account, "account_ids[]"},
		{PERSON_FLAG_user, "external_user_ids[]"},
		{PERSON_FLAG_page, "page"},
		{PERSON_FLAG_per_page, "per_page"},
	};
	static const char *const heads[] = {"POST", "STATE", "WHEN", "TO", "TEXT"};
	enum person_status status;
	const struct str path =
		person_fetch_list_path(person, STR("/v1/posts"), filters, COUNT_OF(filters));
	const struct person_answer *answer = person_fetch_shown(person, path, &status);
	if (answer == NULL)
		return status;
	person_print_list(person, json_get(answer->json, "data"), heads, COUNT_OF(heads), add_post);
	person_print_page(person, json_get(answer->json, "meta"), "post");
	return PERSON_DONE;
}

static void add_account(struct person_table *table, const struct json *account)
{
	const bool is_confirmed = json_bool(json_get(account, "confirmed"), true);
	struct str username = json_get_string(account, "username");
	str_skip(&username, STR("@"));
	const struct str to =
		str_format(table->arena, STR_FMT ":" STR_FMT,
			   STR_ARG(json_get_string(account, "platform")), STR_ARG(username));
	person_table_add(table, (struct str[]){to, json_get_string(account, "name"),
					       json_get_string(account, "account_type"),
					       is_confirmed ? json_get_string(account, "status")
							    : STR("unconfirmed"),
					       json_get_string(account, "app_user_id"),
					       json_get_string(account, "id")});
}

enum person_status person_verb_accounts(struct person *person)
{
	static const struct person_filter filters[] = {
		{PERSON_FLAG_status, "status"},     {PERSON_FLAG_platform, "platform"},
		{PERSON_FLAG_user, "user_id"},      {PERSON_FLAG_page, "page"},
		{PERSON_FLAG_per_page, "per_page"},
	};
	static const char *const heads[] = {"--to", "NAME", "TYPE", "STATUS", "USER", "ID"};
	enum person_status status;
	const struct str path =
		person_fetch_list_path(person, STR("/v1/accounts"), filters, COUNT_OF(filters));
	const struct person_answer *answer = person_fetch_shown(person, path, &status);
	if (answer == NULL)
		return status;
	person_print_list(person, json_get(answer->json, "data"), heads, COUNT_OF(heads),
			  add_account);
	person_print_page(person, json_get(answer->json, "meta"), "account");
	return PERSON_DONE;
}
