/* SPDX-License-Identifier: Apache-2.0
 * See person_retry_many.h. */
#include "person_retry_many.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "timetext.h"

#include "json.h"
#include "json_write.h"

#include "person_call.h"
#include "person_print.h"
#include "person_time.h"

#define BODY_MAX_BYTES ((size_t)1 << 20)

static const enum person_flag filters[] = {PERSON_FLAG_error_code, PERSON_FLAG_account,
					   PERSON_FLAG_since};

bool person_retry_many_is_meant(const struct person_flags *flags)
{
	static const enum person_flag own[] = {PERSON_FLAG_error_code, PERSON_FLAG_since,
					       PERSON_FLAG_expect, PERSON_FLAG_dry_run};
	for (size_t i = 0; i < COUNT_OF(own); i++) {
		if (person_flag_is_given(flags, own[i]))
			return true;
	}
	return false;
}

/* ---- the flags ---- */

/* An instant, or so long ago: "2h" is what --at would call +2h, but back. */
static bool read_since(struct person *person, const char *text, struct str *instant_out)
{
	const int64_t now_us = clock_now_us(person->clock);
	int64_t us = 0;
	if (person_time_parse(str_concat(person->arena, STR("+"), str_of(text)), 0, &us))
		us = now_us - us;
	else if (text[0] == '+' || !person_time_parse(str_of(text), now_us, &us))
		return false;
	*instant_out = timetext_format_instant(person->arena, us);
	return true;
}

static bool read_count(const char *text, int64_t *count_out)
{
	int64_t count = 0;
	for (const char *at = text; *at != '\0'; at++) {
		if (*at < '0' || *at > '9' || at - text > 5)
			return false;
		count = 10 * count + (*at - '0');
	}
	*count_out = count;
	return *text != '\0';
}

/* Each value may be several, parted by commas. */
static void write_list(struct person *person, struct json_writer *w, enum person_flag flag,
		       const char *member)
{
	const char *value;
	if (!person_flag_is_given(person->flags, flag))
		return;
	json_key(w, member);
	json_begin_array(w);
	for (size_t i = 0; (value = person_flag_at(person->flags, flag, i)) != NULL; i++) {
		struct str rest = str_of(value);
		while (!str_is_empty(rest)) {
			const size_t comma = str_find_char(rest, ',', 0);
			const struct str one = str_slice(rest, 0, comma);
			json_put_str(w, one);
			rest = one.len < rest.len ? str_slice(rest, one.len + 1, SIZE_MAX)
						  : STR("");
		}
	}
	json_end_array(w);
}

static struct str write_body(struct person *person, struct str since, const int64_t *expect)
{
	const struct person_flags *flags = person->flags;
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	write_list(person, &w, PERSON_FLAG_account, "account_ids");
	write_list(person, &w, PERSON_FLAG_error_code, "error_codes");
	if (!str_is_empty(since))
		json_member_str(&w, "since", since);
	if (person_flag_is_given(flags, PERSON_FLAG_republish))
		json_member_bool(&w, "republish", true);
	if (expect != NULL)
		json_member_int(&w, "expect", *expect);
	if (person_flag_is_given(flags, PERSON_FLAG_dry_run))
		json_member_bool(&w, "dry_run", true);
	json_end_object(&w);
	return buf_str(&out);
}

/* WRONG_USE: said. */
static enum person_status make_body(struct person *person, struct str *body_out)
{
	const struct person_flags *flags = person->flags;
	const char *since_text = person_flag_text(flags, PERSON_FLAG_since);
	const char *expect_text = person_flag_text(flags, PERSON_FLAG_expect);
	struct str since = STR("");
	int64_t expect = 0;
	bool has_filter = false;
	for (size_t i = 0; i < COUNT_OF(filters); i++)
		has_filter = has_filter || person_flag_is_given(flags, filters[i]);
	if (!has_filter)
		return person_say_wrong(person, "say which: a post's id, or --error-code CODE, "
						"--account ID or --since TIME for many");
	if (person_flag_is_given(flags, PERSON_FLAG_wait) ||
	    person_flag_is_given(flags, PERSON_FLAG_no_wait))
		return person_say_wrong(person, "--wait and --no-wait are for one post");
	if (since_text != NULL && !read_since(person, since_text, &since))
		return person_say_wrong(person,
					"--since %.60s is no time: write 2027-01-01T09:00Z, or so "
					"long ago: 2h",
					since_text);
	if (expect_text != NULL && !read_count(expect_text, &expect))
		return person_say_wrong(person, "--expect %.20s is no number", expect_text);
	*body_out = write_body(person, since, expect_text != NULL ? &expect : NULL);
	return PERSON_DONE;
}

/* ---- the answer ---- */

static void print_counted(struct person *person, const struct json *data)
{
	const bool is_dry = person_flag_is_given(person->flags, PERSON_FLAG_dry_run);
	const struct json *ids = json_get(data, "post_ids");
	const long long count = (long long)json_int(json_get(data, "count"), 0);
	const size_t posts = ids != NULL ? ids->count : 0;
	fprintf(person->out, "%s: %lld platform post%s of %zu post%s.\n",
		is_dry ? "Would be retried" : "Accepted, tried again", count, count == 1 ? "" : "s",
		posts, posts == 1 ? "" : "s");
	for (size_t i = 0; json_at(ids, i) != NULL; i++) {
		fputs("  ", person->out);
		person_print_text(person->out, json_string(json_at(ids, i)));
		fputc('\n', person->out);
	}
	if (json_bool(json_get(data, "more"), false))
		fputs(is_dry ? "There are more: one call retries these, the next goes on.\n"
			     : "There are more: run it again.\n",
		      person->out);
	person_say_warnings(person, data);
}

/* Not repeated after a lost answer: see person_verb_retry(). */
enum person_status person_retry_many(struct person *person)
{
	const bool is_dry = person_flag_is_given(person->flags, PERSON_FLAG_dry_run);
	struct person_answer answer = {0};
	struct error err = {0};
	struct person_request request = {
		.method = "POST", .path = STR("/v1/posts/retry"), .is_repeatable = is_dry};
	const enum person_status status = make_body(person, &request.body);
	if (status != PERSON_DONE)
		return status;
	const enum err_kind kind = person_call(person, person->arena, &request, &answer, &err);
	if (kind == ERR_UNCERTAIN && !is_dry)
		return person_say_failed(person,
					 "%s The retry may have begun: look with --dry-run what is "
					 "left before you repeat it",
					 err.text);
	if (kind != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	if (answer.status != (is_dry ? 200 : 202))
		return person_say_refusal(person, &answer);
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		print_counted(person, json_get(answer.json, "data"));
	return PERSON_DONE;
}
