/* SPDX-License-Identifier: Apache-2.0
 * Words and flags of the verbs. */
#include "person_fixture.h"

static enum person_verb verb_of(const char *const *words)
{
	static char program[] = "posthorn";
	char *argv[DESK_WORDS_MAX] = {program};
	int argc = 1;
	for (; *words != NULL; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	return person_verb_find(argc, argv);
}

#define VERB(...) verb_of((const char *const[]){__VA_ARGS__, NULL})

static void the_verb(void **state)
{
	(void)state;
	assert_int_equal(VERB("post"), PERSON_VERB_post);
	assert_int_equal(VERB("--json", "posts"), PERSON_VERB_posts);
	assert_int_equal(VERB("--url", "post", "show", "id"), PERSON_VERB_show);
	assert_int_equal(VERB("--url=x", "-h", "listen"), PERSON_VERB_listen);
	assert_int_equal(VERB("accounts"), PERSON_VERB_accounts);
	assert_int_equal(VERB("accounts", "--json"), PERSON_VERB_accounts);
	assert_int_equal(VERB("accounts", "show", "id"), PERSON_VERB_accounts_show);
	assert_int_equal(VERB("--json", "accounts", "check"), PERSON_VERB_accounts_check);
	assert_int_equal(VERB("accounts", "sho"), PERSON_VERB_accounts);
	assert_int_equal(VERB("account"), PERSON_VERB_COUNT);
	assert_int_equal(VERB("accounts show"), PERSON_VERB_COUNT);
	assert_int_equal(VERB(""), PERSON_VERB_COUNT);
	assert_int_equal(VERB("serve"), PERSON_VERB_COUNT);
	assert_int_equal(VERB("--data", "post"), PERSON_VERB_COUNT);
	assert_int_equal(VERB("--json"), PERSON_VERB_COUNT);
	assert_int_equal(verb_of((const char *const[]){NULL}), PERSON_VERB_COUNT);
}

static void two_words(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "--json", "accounts", "show", "show");
	assert_int_equal(desk->flags.verb, PERSON_VERB_accounts_show);
	assert_string_equal(desk->flags.word, "show");
	DESK_PARSE(desk, "accounts", "disconnect", "--url=u", "--", "accounts");
	assert_string_equal(desk->flags.word, "accounts");
	assert_int_equal(person_verb_of("accounts", NULL), PERSON_VERB_accounts);
	assert_int_equal(person_verb_of("accounts", "check"), PERSON_VERB_accounts_check);
}

static void values_in_their_order(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "--json", "post", "--to=x", "text", "--to", "linkedin", "--media", "a",
		   "--alt", "b", "--url=u");
	const struct person_flags *flags = &desk->flags;
	assert_string_equal(flags->word, "text");
	assert_string_equal(person_flag_at(flags, PERSON_FLAG_to, 0), "x");
	assert_string_equal(person_flag_at(flags, PERSON_FLAG_to, 1), "linkedin");
	assert_null(person_flag_at(flags, PERSON_FLAG_to, 2));
	assert_string_equal(person_flag_text(flags, PERSON_FLAG_url), "u");
	assert_true(person_flag_is_given(flags, PERSON_FLAG_json));
	assert_false(person_flag_is_given(flags, PERSON_FLAG_wait));
	assert_int_equal(flags->count, 6);
	DESK_PARSE(desk, "post", "--to", "x", "--", "--json");
	assert_string_equal(desk->flags.word, "--json");
	DESK_PARSE(desk, "show", "--help", "--nonsense");
	assert_true(person_flag_is_given(&desk->flags, PERSON_FLAG_help));
}

static void wrong(struct desk *desk, const char *const *words, const char *part)
{
	struct error err = {0};
	assert_false(desk_parse(desk, words, &err));
	desk_said(err.text, part);
	assert_null(strstr(err.text, "secret"));
}

#define WRONG(desk, part, ...) wrong((desk), (const char *const[]){__VA_ARGS__, NULL}, (part))

static void what_is_wrong(void **state)
{
	struct desk *desk = *state;
	WRONG(desk, "post has no flag --too; did you mean --to?", "post", "--too=secret");
	WRONG(desk, "posts has no flag --forward-to", "posts", "--forward-to", "secret");
	WRONG(desk, "--to needs a value: --to WHO", "post", "--to");
	WRONG(desk, "--to needs a value", "post", "--to", "--json");
	WRONG(desk, "--json takes no value", "post", "--json=secret");
	WRONG(desk, "--at is given twice", "post", "--at", "a", "--at", "b");
	WRONG(desk, "put a text in quotes", "post", "one", "two");
	WRONG(desk, "takes flags only", "posts", "all");
	WRONG(desk, "POST_ID is missing", "show");
	WRONG(desk, "ACCOUNT_ID is missing: posthorn accounts show ACCOUNT_ID", "accounts", "show");
	WRONG(desk, "accounts show has no flag --page", "accounts", "show", "--page", "1");
	WRONG(desk, "there is no accounts chekk; did you mean accounts check?", "accounts", "chekk",
	      "id");
	WRONG(desk, "there is no accounts 17; after accounts comes one of: show, check, disconnect",
	      "accounts", "17");
	WRONG(desk, "did you mean accounts show? It stands right after accounts", "accounts",
	      "--json", "show");
}

static void more_than_there_is_room_for(void **state)
{
	static char program[] = "posthorn";
	static char verb[] = "post";
	static char flag[] = "--to=x";
	struct desk *desk = *state;
	char *argv[PERSON_FLAGS_MAX + 3] = {program, verb};
	struct error err = {0};
	for (int i = 0; i <= PERSON_FLAGS_MAX; i++)
		argv[2 + i] = flag;
	assert_int_equal(person_flags_parse(PERSON_FLAGS_MAX + 3, argv, &desk->flags, &err),
			 ERR_INVALID);
	desk_said(err.text, "more than 256 flags");
}

static void help_has_the_flags_of_its_verb(void **state)
{
	struct desk *desk = *state;
	person_flags_print_help(desk->person.out, PERSON_VERB_listen);
	fflush(desk->person.out);
	desk_said(desk->out, "  posthorn listen --forward-to URL\n      send new events");
	desk_said(desk->out, "--after SEQ");
	desk_said(desk->out, "POSTHORN_WEBHOOK_SECRET");
	assert_null(strstr(desk->out, "--media"));
	assert_string_equal(person_verb_word(PERSON_VERB_listen), "listen");
	assert_null(strstr(desk->out, "each with its own --help"));
	person_flags_print_help(desk->person.out, PERSON_VERB_accounts);
	fflush(desk->person.out);
	desk_said(desk->out,
		  "\nmore, each with its own --help:\n  posthorn accounts show ACCOUNT_ID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(the_verb),
		DESK_TEST(two_words),
		DESK_TEST(values_in_their_order),
		DESK_TEST(what_is_wrong),
		DESK_TEST(more_than_there_is_room_for),
		DESK_TEST(help_has_the_flags_of_its_verb),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
