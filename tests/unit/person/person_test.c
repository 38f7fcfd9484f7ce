/* SPDX-License-Identifier: Apache-2.0
 * The verbs as a whole: their words, their help, and which service and token a run uses. */
#include "person_fixture.h"

#include "person.h"

static void words(void **state)
{
	static char program[] = "posthorn";
	static char verb[] = "posts";
	static char other[] = "serve";
	char *const good[] = {program, verb, NULL};
	char *const bad[] = {program, other, NULL};
	(void)state;
	assert_true(person_has_verb(2, good));
	assert_false(person_has_verb(2, bad));
	assert_false(person_has_verb(1, good));
	size_t count = 0;
	for (const char *const *word = person_words(); *word != NULL; word++)
		count++;
	assert_int_equal(count, PERSON_VERB_COUNT);
}

/* Of "webhooks create": as of two words of a command line. */
static bool print_help(struct desk *desk, const char *words)
{
	struct str second = str_of(words);
	struct str first;
	struct arena *arena = desk->person.arena;
	str_take_field(&second, ' ', &first);
	return person_print_help(desk->person.out, str_z(arena, first),
				 second.ptr != NULL ? str_z(arena, second) : NULL);
}

static void help(void **state)
{
	struct desk *desk = *state;
	assert_false(person_print_help(desk->person.out, "serve", NULL));
	person_print_verbs(desk->person.out);
	fflush(desk->person.out);
	for (const char *const *word = person_words(); *word != NULL; word++)
		desk_said(desk->out, *word);
	for (const char *const *word = person_words(); *word != NULL; word++)
		assert_true(print_help(desk, *word));
}

static enum person_status run(struct desk *desk, const char *token, const char *url)
{
	char variables[2][600];
	char *environment[3] = {NULL};
	size_t count = 0;
	if (token != NULL) {
		snprintf(variables[count], sizeof(variables[0]), "POSTHORN_TOKEN=%s", token);
		environment[count] = variables[count];
		count++;
	}
	if (url != NULL) {
		snprintf(variables[count], sizeof(variables[0]), "POSTHORN_URL=%s", url);
		environment[count] = variables[count];
	}
	const enum person_status status = person_run(&desk->person, environment);
	fflush(desk->person.err);
	return status;
}

static void which_service(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET", .body = "{\"data\":[]}", .times = 9);
	DESK_PARSE(desk, "posts");
	assert_int_equal(run(desk, " phk_a\n", NULL), PERSON_DONE);
	assert_int_equal(run(desk, "pht_b", "https://a.example:8443/social//"), PERSON_DONE);
	DESK_PARSE(desk, "posts", "--url", "http://[::1]:81");
	assert_int_equal(run(desk, "pht_b", "https://a.example"), PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "", 0)->url, "http://127.0.0.1:8080/v1/posts");
	assert_string_equal(fake_nth(&desk->fake, "", 0)->authorization, "Bearer phk_a");
	assert_string_equal(fake_nth(&desk->fake, "", 1)->url,
			    "https://a.example:8443/social/v1/posts");
	assert_string_equal(fake_nth(&desk->fake, "", 2)->url, "http://[::1]:81/v1/posts");
}

static void wrong(struct desk *desk, const char *token, const char *url, const char *part)
{
	assert_int_equal(run(desk, token, url), PERSON_WRONG_USE);
	desk_said(desk->err, part);
}

static void what_is_wrong(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "posts");
	wrong(desk, NULL, NULL, "POSTHORN_TOKEN is not set");
	wrong(desk, " ", NULL, "POSTHORN_TOKEN is not set");
	wrong(desk, "a b", NULL, "a blank, or a character that is not ASCII");
	wrong(desk, "a\r\nb", NULL, "a blank");
	wrong(desk, "t", "ftp://a.example", "POSTHORN_URL must be");
	wrong(desk, "t", "http://a@b.example", "POSTHORN_URL must be");
	wrong(desk, "t", "http://a.example?b", "POSTHORN_URL must be");
	wrong(desk, "t", "a.example", "POSTHORN_URL must be");
	DESK_PARSE(desk, "posts", "--url", "x");
	wrong(desk, "t", NULL, "--url must be");
	assert_int_equal(fake_count(&desk->fake, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(words),
		DESK_TEST(help),
		DESK_TEST(which_service),
		DESK_TEST(what_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
