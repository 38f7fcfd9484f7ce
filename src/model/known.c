/* SPDX-License-Identifier: Apache-2.0
 * See known.h. Names are compared folded: lower-case letters and digits alone, so that scheduledAt
 * is scheduled_at. */
#include "known.h"

#include "arena.h"
#include "count_of.h"

#include "form.h"
#include "json.h"

#define NAME_MAX_BYTES 64 /* a longer name gets no suggestion */
#define DISTANCE_MAX 3
#define PREFIX_MIN_BYTES 3

/* ---- names that other services use ---- */

static const char no_drafts[] =
	"A post is published unless it is refused. POST /v1/posts/validate checks it without "
	"publishing.";
static const char no_dry_run[] = "POST /v1/posts/validate checks a post without publishing it.";
static const char same_accounts[] =
	"The accounts of a post cannot be changed. Delete the post and publish it again.";
static const char now_by_default[] = "A post without scheduled_at is published now.";

/* A row counts where its known name is known; the first that counts is taken. */
static const struct other_name {
	const char *name;  /* folded */
	const char *known; /* what it is called here */
	const char *says;  /* instead of "Did you mean", where no field does the same; or NULL */
} other_names[] = {
	{"isdraft", "account_ids", no_drafts},
	{"draft", "account_ids", no_drafts},
	{"status", "account_ids", no_drafts},
	{"state", "account_ids", no_drafts},
	{"dryrun", "account_ids", no_dry_run},
	{"validateonly", "account_ids", no_dry_run},
	{"preview", "account_ids", no_dry_run},
	{"test", "account_ids", no_dry_run},
	{"publishnow", "account_ids", now_by_default},
	{"postnow", "account_ids", now_by_default},
	{"now", "account_ids", now_by_default},
	{"accountids", "scheduled_at", same_accounts},
	{"scheduledfor", "scheduled_at", NULL},
	{"publishat", "scheduled_at", NULL},
	{"publishon", "scheduled_at", NULL},
	{"publishdate", "scheduled_at", NULL},
	{"publishtime", "scheduled_at", NULL},
	{"postat", "scheduled_at", NULL},
	{"sendat", "scheduled_at", NULL},
	{"dueat", "scheduled_at", NULL},
	{"scheduledate", "scheduled_at", NULL},
	{"scheduleddate", "scheduled_at", NULL},
	{"scheduletime", "scheduled_at", NULL},
	{"scheduledtime", "scheduled_at", NULL},
	{"scheduledpublishtime", "scheduled_at", NULL},
	{"date", "scheduled_at", NULL},
	{"datetime", "scheduled_at", NULL},
	{"time", "scheduled_at", NULL},
	{"alt", "alt_text", NULL},
	{"alternativetext", "alt_text", NULL},
	{"description", "alt_text", NULL},
	{"caption", "alt_text", NULL},
	{"title", "alt_text", NULL},
	{"text", "content", NULL},
	{"message", "content", NULL},
	{"caption", "content", NULL},
	{"body", "content", NULL},
	{"post", "content", NULL},
	{"description", "content", NULL},
	{"commentary", "content", NULL},
	{"image", "media", NULL},
	{"images", "media", NULL},
	{"imageurl", "media", NULL},
	{"imageurls", "media", NULL},
	{"photo", "media", NULL},
	{"photos", "media", NULL},
	{"video", "media", NULL},
	{"videos", "media", NULL},
	{"videourl", "media", NULL},
	{"mediaurl", "media", NULL},
	{"mediaurls", "media", NULL},
	{"mediaitems", "media", NULL},
	{"attachments", "media", NULL},
	{"assets", "media", NULL},
	{"files", "media", NULL},
	{"accounts", "account_ids", NULL},
	{"account", "account_ids", NULL},
	{"socialaccounts", "account_ids", NULL},
	{"socialaccountids", "account_ids", NULL},
	{"channels", "account_ids", NULL},
	{"channelids", "account_ids", NULL},
	{"profiles", "account_ids", NULL},
	{"profileids", "account_ids", NULL},
	{"integrations", "account_ids", NULL},
	{"targets", "account_ids", NULL},
	{"thread", "containers", NULL},
	{"comments", "containers", NULL},
	{"firstcomment", "containers", NULL},
	{"posts", "containers", NULL},
	{"options", "platforms", NULL},
	{"settings", "platforms", NULL},
	{"platformoptions", "platforms", NULL},
	{"platformsettings", "platforms", NULL},
	{"platformspecificdata", "platforms", NULL},
	{"idempotencykey", "request_id", NULL},
	{"externalid", "request_id", NULL},
	{"reference", "request_id", NULL},
	{"posttype", "type", NULL},
	{"kind", "type", NULL},
	{"format", "type", NULL},
	{"link", "url", NULL},
	{"href", "url", NULL},
	{"uri", "url", NULL},
	{"src", "url", NULL},
	{"endpoint", "url", NULL},
	{"callbackurl", "url", NULL},
	{"targeturl", "url", NULL},
	{"contenttype", "mime_type", NULL},
	{"mediaid", "media_id", NULL},
	{"fileid", "media_id", NULL},
	{"uploadid", "media_id", NULL},
	{"cover", "thumbnail_url", NULL},
	{"coverurl", "thumbnail_url", NULL},
	{"poster", "thumbnail_url", NULL},
	{"preview", "thumbnail_url", NULL},
	{"length", "duration", NULL},
	{"seconds", "duration", NULL},
	{"user", "user_id", NULL},
	{"externaluserid", "user_id", NULL},
	{"customerid", "user_id", NULL},
	{"userid", "external_user_ids[]", NULL},
	{"userids", "external_user_ids[]", NULL},
	{"redirecturi", "redirect_url", NULL},
	{"returnurl", "redirect_url", NULL},
	{"callbackurl", "redirect_url", NULL},
	{"provider", "platform", NULL},
	{"network", "platform", NULL},
	{"active", "enabled", NULL},
	{"isactive", "enabled", NULL},
	{"status", "enabled", NULL},
	{"topics", "events", NULL},
	{"types", "events", NULL},
	{"eventtypes", "events", NULL},
	{"state", "status", NULL},
	{"limit", "per_page", NULL},
	{"pagesize", "per_page", NULL},
	{"perpage", "limit", NULL},
	{"cursor", "after", NULL},
	{"since", "after", NULL},
	{"cursor", "before", NULL},
	{"from", "date_from", NULL},
	{"since", "date_from", NULL},
	{"startdate", "date_from", NULL},
	{"to", "date_to", NULL},
	{"until", "date_to", NULL},
	{"enddate", "date_to", NULL},
};

/* ---- distance ---- */

struct folded {
	char text[NAME_MAX_BYTES];
	size_t len;
};

static struct folded fold(struct str name)
{
	struct folded folded = {.len = 0};
	for (size_t i = 0; i < name.len && name.len <= NAME_MAX_BYTES; i++) {
		const char c = name.ptr[i];
		if (c >= 'A' && c <= 'Z')
			folded.text[folded.len++] = (char)(c - 'A' + 'a');
		else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			folded.text[folded.len++] = c;
	}
	return folded;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters must be added, left out, changed or swapped with their neighbour to make one of
 * the other (optimal string alignment). */
static size_t distance(const struct folded *a, const struct folded *b)
{
	size_t rows[3][NAME_MAX_BYTES + 1] = {{0}};
	for (size_t j = 0; j <= b->len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a->len; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3];
		const size_t *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b->len; j++) {
			const size_t cost = a->text[i - 1] != b->text[j - 1];
			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + cost);
			if (i > 1 && j > 1 && a->text[i - 1] == b->text[j - 2] &&
			    a->text[i - 2] == b->text[j - 1])
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[a->len % 3][b->len];
}

/* ---- the suggestion ---- */

static bool is_prefix(const struct folded *name, const struct folded *known)
{
	return name->len >= PREFIX_MIN_BYTES && name->len < known->len &&
	       memcmp(name->text, known->text, name->len) == 0;
}

/* The nearest of known, or NULL: one difference in three letters, and never more than three. */
static const char *nearest(const struct folded *name, const char *const *known)
{
	const char *found = NULL;
	size_t best = least(name->len / 3, DISTANCE_MAX) + 1;
	for (; *known != NULL; known++) {
		const struct folded other = fold(str_of(*known));
		const size_t differences = distance(name, &other);
		if (differences < best) {
			best = differences;
			found = *known;
		} else if (found == NULL && is_prefix(name, &other)) {
			found = *known;
		}
	}
	return found;
}

static bool has_name(const char *const *known, const char *name)
{
	while (*known != NULL && strcmp(*known, name) != 0)
		known++;
	return *known != NULL;
}

/* The known name that differs in nothing but case and punctuation, or NULL. */
static const char *same_name(const struct folded *name, const char *const *known)
{
	for (; *known != NULL; known++) {
		const struct folded other = fold(str_of(*known));
		if (name->len > 0 && distance(name, &other) == 0)
			return *known;
	}
	return NULL;
}

static const struct other_name *other_name_find(const struct folded *name, const char *const *known)
{
	for (size_t i = 0; i < COUNT_OF(other_names); i++) {
		if (str_equal_z((struct str){name->text, name->len}, other_names[i].name) &&
		    has_name(known, other_names[i].known))
			return &other_names[i];
	}
	return NULL;
}

const char *known_nearest(struct str name, const char *const *known)
{
	const struct folded folded = fold(name);
	const char *same = same_name(&folded, known);
	return same != NULL ? same : nearest(&folded, known);
}

/* what: "field" or "parameter". */
static struct str sentence(struct arena *arena, const char *what, struct str name,
			   const char *const *known)
{
	const struct folded folded = fold(name);
	const char *same = same_name(&folded, known);
	const struct other_name *other = same == NULL ? other_name_find(&folded, known) : NULL;
	const char *meant = same != NULL    ? same
			    : other != NULL ? other->known
					    : nearest(&folded, known);
	if (other != NULL && other->says != NULL)
		return str_format(arena, "Unknown %s. %s", what, other->says);
	if (meant == NULL)
		return str_format(arena, "Unknown %s.", what);
	return str_format(arena, "Unknown %s. Did you mean %s?", what, meant);
}

static void refuse(struct problems *problems, const char *what, struct str name, struct str parent,
		   const char *const *known)
{
	struct arena *arena = problems->arena;
	/* Of a body with thousands of unknown names few are kept: no search for the others. */
	const bool is_kept = problems->count < PROBLEMS_MAX;
	const struct str field = str_is_empty(parent) ? name
						      : str_format(arena, STR_FMT "." STR_FMT,
								   STR_ARG(parent), STR_ARG(name));
	problem_add(problems, PROBLEM_SHAPE, field, "unknown",
		    sentence(arena, what, name, is_kept ? known : KNOWN_NONE));
}

/* ---- both kinds ---- */

void known_check(struct problems *problems, const struct json *object, struct str parent,
		 const char *const *known)
{
	const size_t count = json_is(object, JSON_TYPE_OBJECT) ? object->count : 0;
	for (size_t i = 0; i < count; i++) {
		const char *const *name = known;
		while (*name != NULL && !str_equal_z(object->keys[i], *name))
			name++;
		if (*name == NULL)
			refuse(problems, "field", object->keys[i], parent, known);
	}
}

/* "ids" of "ids[]". */
static struct str without_brackets(struct str name)
{
	return str_slice(name, 0, str_find_char(name, '[', 0));
}

static bool parameter_is_known(struct str name, const char *const *known)
{
	for (; *known != NULL; known++) {
		const struct str bare = without_brackets(str_of(*known));
		if (str_equal_z(name, *known) ||
		    (bare.len < strlen(*known) && str_equal(without_brackets(name), bare)))
			return true;
	}
	return false;
}

static bool is_repeated(const struct form *query, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (str_equal(query->pairs[i].name, query->pairs[index].name))
			return true;
	}
	return false;
}

void known_check_query(struct problems *problems, const struct form *query,
		       const char *const *known)
{
	for (size_t i = 0; i < query->count; i++) {
		const struct str name = query->pairs[i].name;
		if (!parameter_is_known(name, known) && !is_repeated(query, i))
			refuse(problems, "parameter", name, STR(""), known);
	}
}
