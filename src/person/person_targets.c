/* SPDX-License-Identifier: Apache-2.0
 * See person_targets.h. */
#include "person_targets.h"

#include "arena.h"
#include "buf.h"

#include "form.h"
#include "json.h"

#include "known.h"
#include "platform_id.h"

#include "person_call.h"
#include "person_print.h"

#define PER_PAGE 100
#define PAGES_MAX 100
#define LISTED_MAX 20
#define PATH_MAX_BYTES 2048

/* One word of --to. */
struct wanted {
	struct str word;
	enum platform_id platform; /* NONE = an account's id */
	struct str username;       /* empty = the only active account */
};

/* Accounts that fit a word. Texts live in the run's arena. */
struct found {
	struct str id;
	struct str username;
	struct str name;
	struct str user;
	struct str state; /* "active", "unconfirmed" */
};

struct matches {
	struct found usable[LISTED_MAX];
	size_t usable_count; /* may be more than are kept */
	struct found other;  /* the first that cannot be published to */
	size_t other_count;
};

static const char *const slugs[] = {
	"instagram", "facebook", "x", "linkedin", "youtube", "tiktok", NULL,
};

/* ---- words ---- */

/* The API judges whether there is such an account; a platform's name has no such length. */
static bool may_be_id(struct str word)
{
	return word.len == 36 && str_find_char(word, '-', 0) == 8;
}

static bool read_word(struct str word, struct wanted *out)
{
	const size_t colon = str_find_char(word, ':', 0);
	const struct str slug = str_slice(word, 0, colon);
	*out = (struct wanted){.word = word};
	if (colon == SIZE_MAX && may_be_id(word))
		return true;
	out->platform = platform_id_of_slug(slug);
	if (colon != SIZE_MAX) {
		out->username = str_slice(word, colon + 1, word.len);
		str_skip(&out->username, STR("@"));
	}
	return out->platform != PLATFORM_NONE &&
	       (colon == SIZE_MAX || !str_is_empty(out->username));
}

static enum person_status wrong_word(struct person *person, const struct wanted *wanted)
{
	const struct str slug = str_slice(wanted->word, 0, str_find_char(wanted->word, ':', 0));
	const char *meant = known_nearest(slug, slugs);
	if (str_is_empty(wanted->word))
		return person_say_wrong(person, "--to has an empty name");
	if (wanted->platform != PLATFORM_NONE)
		return person_say_wrong(person,
					"--to " STR_FMT ": a username is missing after the "
					"colon",
					STR_ARG(wanted->word));
	if (meant != NULL)
		return person_say_wrong(person,
					"--to " STR_FMT ": no such platform; did you mean "
					"%s?",
					STR_ARG(wanted->word), meant);
	return person_say_wrong(person,
				"--to " STR_FMT " is neither a platform (instagram, facebook, x, "
				"linkedin, youtube, tiktok) nor PLATFORM:USERNAME nor an account's "
				"id",
				STR_ARG(wanted->word));
}

/* Calls take() for each word until one is not DONE. */
static enum person_status each_word(struct person *person, struct person_targets *targets,
				    enum person_status (*take)(struct person *person,
							       const struct wanted *wanted,
							       struct person_targets *targets))
{
	enum person_status status = PERSON_DONE;
	const char *value;
	for (size_t i = 0; status == PERSON_DONE &&
			   (value = person_flag_at(person->flags, PERSON_FLAG_to, i)) != NULL;
	     i++) {
		struct str rest = str_of(value);
		struct str word;
		struct wanted wanted;
		while (status == PERSON_DONE && rest.ptr != NULL &&
		       str_take_field(&rest, ',', &word))
			status = read_word(str_trim(word), &wanted) ? take(person, &wanted, targets)
								    : wrong_word(person, &wanted);
	}
	return status;
}

static enum person_status look_only(struct person *person, const struct wanted *wanted,
				    struct person_targets *targets)
{
	(void)person, (void)wanted, (void)targets;
	return PERSON_DONE;
}

enum person_status person_targets_check(struct person *person)
{
	if (!person_flag_is_given(person->flags, PERSON_FLAG_to))
		return person_say_wrong(person, "--to is missing: name a platform, "
						"PLATFORM:USERNAME or an account's id");
	return each_word(person, NULL, look_only);
}

/* ---- accounts ---- */

static void keep(struct person *person, const struct json *row, bool is_usable,
		 struct matches *matches)
{
	struct arena *arena = person->arena;
	const bool is_confirmed = json_bool(json_get(row, "confirmed"), true);
	const struct found found = {
		.id = str_copy(arena, json_string(json_get(row, "id"))),
		.username = str_copy(arena, json_string(json_get(row, "username"))),
		.name = str_copy(arena, json_string(json_get(row, "name"))),
		.user = str_copy(arena, json_string(json_get(row, "app_user_id"))),
		.state = is_confirmed ? str_copy(arena, json_string(json_get(row, "status")))
				      : STR("unconfirmed"),
	};
	if (!is_usable) {
		if (matches->other_count++ == 0)
			matches->other = found;
		return;
	}
	if (matches->usable_count < LISTED_MAX)
		matches->usable[matches->usable_count] = found;
	matches->usable_count++;
}

static void take_row(struct person *person, const struct wanted *wanted, const struct json *row,
		     struct matches *matches)
{
	const struct str status = json_string(json_get(row, "status"));
	const bool is_usable = (str_equal_z(status, "active") || str_equal_z(status, "expiring")) &&
			       json_bool(json_get(row, "confirmed"), true);
	struct str username = json_string(json_get(row, "username"));
	str_skip(&username, STR("@"));
	if (!str_is_empty(wanted->username) && !str_equal_nocase(username, wanted->username))
		return;
	/* What was disconnected on purpose is of no interest to anybody. */
	if (is_usable || !str_equal_z(status, "disconnected"))
		keep(person, row, is_usable, matches);
}

static enum person_status look_for(struct person *person, const struct wanted *wanted,
				   struct matches *matches)
{
	int64_t last_page = 1;
	for (int64_t page = 1; page <= last_page && page <= PAGES_MAX; page++) {
		struct person_answer answer;
		struct error err = {0};
		arena_clear(person->scratch);
		const struct str path = str_format(
			person->scratch, "/v1/accounts?platform=%s&per_page=%d&page=%lld",
			platform_id_slug(wanted->platform), PER_PAGE, (long long)page);
		if (person_get(person, person->scratch, path, &answer, &err) != ERR_NONE)
			return person_say_failed(person, "%s", err.text);
		if (answer.status != 200)
			return person_say_refusal(person, &answer);
		const struct json *data = json_get(answer.json, "data");
		for (size_t i = 0; json_at(data, i) != NULL; i++)
			take_row(person, wanted, json_at(data, i), matches);
		last_page = json_int(json_get(json_get(answer.json, "meta"), "last_page"), 1);
	}
	return PERSON_DONE;
}

/* ---- none, one, several ---- */

static enum person_status none(struct person *person, const struct wanted *wanted,
			       const struct matches *matches)
{
	const char *slug = platform_id_slug(wanted->platform);
	if (matches->other_count == 0)
		return person_say_failed(person,
					 "--to " STR_FMT ": no such account is connected; see "
					 "`posthorn accounts`, or connect it: posthorn connect %s",
					 STR_ARG(wanted->word), slug);
	return person_say_failed(person,
				 "--to " STR_FMT ": the account " STR_FMT " is " STR_FMT
				 "; connect it again: posthorn connect %s --user " STR_FMT,
				 STR_ARG(wanted->word), STR_ARG(matches->other.username),
				 STR_ARG(matches->other.state), slug, STR_ARG(matches->other.user));
}

static enum person_status several(struct person *person, const struct wanted *wanted,
				  const struct matches *matches)
{
	static const char *const heads[] = {"--to", "NAME", "USER", "OR BY ITS ID"};
	const size_t kept = matches->usable_count < LISTED_MAX ? matches->usable_count : LISTED_MAX;
	struct person_table table;
	person_table_begin(&table, person->arena, heads, 4, kept);
	for (size_t i = 0; i < kept; i++) {
		const struct found *found = &matches->usable[i];
		const struct str word =
			str_format(person->arena, "%s:" STR_FMT, platform_id_slug(wanted->platform),
				   STR_ARG(found->username));
		person_table_add(&table, (struct str[]){word, found->name, found->user, found->id});
	}
	person_say_failed(person, "--to " STR_FMT ": %zu accounts fit; name one of them:",
			  STR_ARG(wanted->word), matches->usable_count);
	person_table_print(person->err, &table, "  ");
	if (matches->usable_count > kept)
		fprintf(person->err, "  ... and %zu more: posthorn accounts --platform %s\n",
			matches->usable_count - kept, platform_id_slug(wanted->platform));
	return PERSON_FAILED;
}

static enum person_status add(struct person *person, struct person_targets *targets, struct str id)
{
	for (size_t i = 0; i < targets->count; i++) {
		if (str_equal(targets->ids[i], id))
			return PERSON_DONE;
	}
	if (targets->count == PERSON_TARGETS_MAX)
		return person_say_wrong(person, "a post goes to at most %d accounts",
					PERSON_TARGETS_MAX);
	targets->ids[targets->count++] = str_copy(person->arena, id);
	return PERSON_DONE;
}

static enum person_status find_one(struct person *person, const struct wanted *wanted,
				   struct person_targets *targets)
{
	if (wanted->platform == PLATFORM_NONE)
		return add(person, targets, wanted->word);
	struct matches *matches = ARENA_NEW(person->arena, struct matches);
	const enum person_status status = look_for(person, wanted, matches);
	if (status != PERSON_DONE)
		return status;
	if (matches->usable_count == 0)
		return none(person, wanted, matches);
	if (matches->usable_count > 1)
		return several(person, wanted, matches);
	return add(person, targets, matches->usable[0].id);
}

enum person_status person_targets_find(struct person *person, struct person_targets *targets_out)
{
	*targets_out = (struct person_targets){.count = 0};
	return each_word(person, targets_out, find_one);
}
