/* SPDX-License-Identifier: Apache-2.0
 * See person.h: the verbs, and which service and token a run uses. The real ports are
 * person_main.c's. */
#include "person.h"

#include <string.h>

#include "utf8.h"
#include "url.h"

#include "person_print.h"
#include "person_private.h"

#define URL_DEFAULT "http://127.0.0.1:8080"
#define URL_MAX_BYTES 400
#define TOKEN_MAX_BYTES 4096

/* ---- verbs ---- */

bool person_has_verb(int argc, char *const *argv)
{
	return person_verb_find(argc, argv) != PERSON_VERB_COUNT;
}

const char *const *person_words(void)
{
	static const char *const words[] = {
#define PERSON_VERB(name, word, most, least, usage, summary) word,
#include "person_verbs.def"
#undef PERSON_VERB
		NULL,
	};
	return words;
}

void person_print_verbs(FILE *out)
{
	for (int i = 0; i < PERSON_VERB_COUNT; i++)
		person_verb_print(out, (enum person_verb)i);
}

bool person_print_help(FILE *out, const char *first, const char *second)
{
	const enum person_verb verb = person_verb_of(first, second);
	if (verb == PERSON_VERB_COUNT)
		return false;
	person_flags_print_help(out, verb);
	return true;
}

static enum person_status call_verb(struct person *person)
{
	switch (person->flags->verb) {
#define PERSON_VERB(name, word, most, least, usage, summary) \
	case PERSON_VERB_##name: \
		return person_verb_##name(person);
#include "person_verbs.def"
#undef PERSON_VERB
	case PERSON_VERB_COUNT:
		break;
	}
	return PERSON_WRONG_USE;
}

/* ---- where, and as whom ---- */

static struct str variable(char *const *environment, const char *name)
{
	const size_t length = strlen(name);
	for (; *environment != NULL; environment++) {
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return str_of(*environment + length + 1);
	}
	return STR("");
}

static enum person_status read_url(struct person *person, char *const *environment)
{
	const char *flag = person_flag_text(person->flags, PERSON_FLAG_url);
	const struct str given =
		flag != NULL ? str_of(flag) : variable(environment, "POSTHORN_URL");
	const char *name = flag != NULL ? "--url" : "POSTHORN_URL";
	struct url url;
	person->url = str_is_empty(given) ? STR(URL_DEFAULT) : given;
	while (str_has_suffix(person->url, STR("/")))
		person->url.len--;
	if (person->url.len > URL_MAX_BYTES ||
	    url_parse(person->arena, person->url, &url, NULL) != ERR_NONE ||
	    !str_is_empty(url.userinfo) || !str_is_empty(url.query) || url.has_fragment ||
	    !utf8_is_valid(url.path) || str_has_control(person->url))
		return person_say_wrong(
			person,
			"%s must be the http or https address of a service, without "
			"user, query and fragment, for example "
			"https://social.example.com",
			name);
	return PERSON_DONE;
}

/* It goes into a header: nothing but visible ASCII. */
static bool is_token(struct str token)
{
	for (size_t i = 0; i < token.len; i++) {
		if (token.ptr[i] <= ' ' || token.ptr[i] > '~')
			return false;
	}
	return token.len <= TOKEN_MAX_BYTES;
}

static enum person_status read_token(struct person *person, char *const *environment)
{
	person->token = str_trim(variable(environment, "POSTHORN_TOKEN"));
	person->secret = str_trim(variable(environment, "POSTHORN_WEBHOOK_SECRET"));
	if (str_is_empty(person->token))
		return person_say_wrong(person,
					"POSTHORN_TOKEN is not set: put an access token or a key "
					"of your app into it");
	if (!is_token(person->token))
		return person_say_wrong(person, "POSTHORN_TOKEN holds what no token has: a blank, "
						"or a character that is not ASCII");
	return PERSON_DONE;
}

static enum person_status read_client(struct person *person, char *const *environment)
{
	person->client_id = str_trim(variable(environment, "POSTHORN_CLIENT_ID"));
	person->client_secret = str_trim(variable(environment, "POSTHORN_CLIENT_SECRET"));
	if (str_is_empty(person->client_id))
		return person_say_wrong(person, "POSTHORN_CLIENT_ID is not set: put the app's "
						"client id into it");
	if (str_is_empty(person->client_secret))
		return person_say_wrong(person, "POSTHORN_CLIENT_SECRET is not set: put the app's "
						"client secret into it");
	if (person->client_id.len > TOKEN_MAX_BYTES ||
	    str_find_char(person->client_id, ':', 0) != SIZE_MAX)
		return person_say_wrong(person, "POSTHORN_CLIENT_ID is no client id");
	if (person->client_secret.len > TOKEN_MAX_BYTES)
		return person_say_wrong(person, "POSTHORN_CLIENT_SECRET is no client secret");
	return PERSON_DONE;
}

enum person_status person_run(struct person *person, char *const *environment)
{
	enum person_status status = read_url(person, environment);
	const enum person_verb verb = person->flags->verb;
	if (status == PERSON_DONE && (verb == PERSON_VERB_token || verb == PERSON_VERB_revoke))
		status = read_client(person, environment);
	if (status == PERSON_DONE && verb != PERSON_VERB_token)
		status = read_token(person, environment);
	return status == PERSON_DONE ? call_verb(person) : status;
}
