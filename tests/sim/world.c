/* SPDX-License-Identifier: Apache-2.0
 * What the platforms share: accounts, tokens, the ledger, refusals. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "count_of.h"
#include "timetext.h"

#include "json.h"
#include "json_write.h"

#define TEXT_MAX_BYTES (64 * 1024)
#define KEY_LIFE_S 7200

struct world *world_new(struct sim *sim)
{
	struct world *world = ARENA_NEW(sim->arena, struct world);
	world->sim = sim;
	return world;
}

/* Ids beyond 2^53, as the platforms have them (x.md 2.1, tiktok.md 2.6). */
struct str world_id(struct world *world, const char *prefix)
{
	const uint64_t number = UINT64_C(7100000000000000000) + ++world->last_id * 7919;
	return str_format(world->sim->arena, "%s%llu", prefix, (unsigned long long)number);
}

size_t world_add_home(struct world *world, enum platform_id platform, enum account_type type)
{
	struct home *home = &world->homes[world->home_count];
	home->platform = platform;
	home->type = type;
	home->id = world_id(world, platform == PLATFORM_YOUTUBE ? "UC" : "");
	home->username = str_format(world->sim->arena, "user%zu", world->home_count);
	return world->home_count++;
}

struct str world_new_key(struct world *world, size_t home, size_t login, int64_t life_us)
{
	if (world->key_count == WORLD_KEYS_MAX)
		abort();
	struct key *key = &world->keys[world->key_count++];
	key->text = str_format(world->sim->arena, "access-%zu-%zu", home, world->key_count);
	key->home = home;
	key->login = login;
	key->until_us = world->sim->true_us + life_us;
	return key->text;
}

const struct key *world_key(const struct world *world, struct str token)
{
	for (size_t i = 0; i < world->key_count; i++) {
		if (str_equal(world->keys[i].text, token))
			return &world->keys[i];
	}
	return NULL;
}

void world_expire(struct world *world, struct str token)
{
	const struct key *bearer = world_key(world, token);
	const size_t home = bearer != NULL ? bearer->home : SIZE_MAX;
	for (size_t i = 0; i < world->key_count; i++) {
		if (world->keys[i].home == home)
			world->keys[i].until_us = 0;
	}
}

size_t world_home_index(const struct world *world, const struct home *home)
{
	return (size_t)(home - world->homes);
}

struct home *world_home_of(struct world *world, const struct ask *ask, struct answer *answer)
{
	for (size_t i = 0; i < world->key_count; i++) {
		const struct key *key = &world->keys[i];
		if (str_equal(key->text, ask->token) && key->until_us > world->sim->true_us)
			return &world->homes[key->home];
	}
	world_refuse(world, world_voice(ask), REFUSE_TOKEN, answer);
	return NULL;
}

/* ---- the ledger ---- */

struct entry *world_publish(struct world *world, size_t home, struct str id, struct str text,
			    struct str parent)
{
	struct sim *sim = world->sim;
	if (world->entry_count == WORLD_ENTRIES_MAX)
		abort();
	struct entry *entry = &world->entries[world->entry_count++];
	const bool is_late = sim_chance(sim, sim->weather.late_permille);
	*entry = (struct entry){
		.home = home,
		.id = str_copy(sim->arena, id),
		.text = str_copy(sim->arena, text),
		.parent = str_copy(sim->arena, parent),
		.sent_at_us = world->sent_at_us > 0 ? world->sent_at_us : sim->true_us,
		.at_us = sim->true_us,
		.listed_at_us =
			sim->true_us + (is_late ? dice_between(&sim->dice, 5, 900) * US_PER_S : 0),
	};
	sim_trace(sim, "  VISIBLE %s/%zu " STR_FMT " \"" STR_FMT "\"%s",
		  platform_id_slug(world->homes[home].platform), home, STR_ARG(id),
		  STR_ARG(str_slice(text, 0, 40)), is_late ? " (listed late)" : "");
	return entry;
}

static bool is_shown(const struct world *world, const struct entry *entry)
{
	return entry->removed_at_us == 0 || world->sim->true_us < entry->shown_until_us;
}

struct entry *world_entry(struct world *world, struct str id)
{
	for (size_t i = 0; i < world->entry_count; i++) {
		if (str_equal(world->entries[i].id, id) && is_shown(world, &world->entries[i]))
			return &world->entries[i];
	}
	return NULL;
}

struct entry *world_twin(struct world *world, size_t home, struct str text, struct str parent,
			 int64_t since_us)
{
	for (size_t i = 0; i < world->entry_count; i++) {
		struct entry *entry = &world->entries[i];
		if (entry->home == home && entry->at_us >= since_us && entry->removed_at_us == 0 &&
		    str_equal(entry->text, text) && str_equal(entry->parent, parent))
			return entry;
	}
	return NULL;
}

bool world_is_listed(const struct world *world, const struct entry *entry)
{
	return entry->listed_at_us <= world->sim->true_us && is_shown(world, entry);
}

/* ---- taking back ---- */

static void vanish(struct world *world, struct entry *entry)
{
	struct sim *sim = world->sim;
	const bool is_late = sim_chance(sim, sim->weather.late_permille * 2);
	if (entry->removed_at_us != 0)
		return;
	entry->removed_at_us = sim->true_us;
	entry->shown_until_us =
		sim->true_us + (is_late ? dice_between(&sim->dice, 1, 900) * US_PER_S : 0);
	sim_trace(sim, "  REMOVED " STR_FMT "%s", STR_ARG(entry->id),
		  is_late ? " (shown for a while)" : "");
}

/* X's replies are posts of their own; elsewhere comments go with what they hang on. */
void world_remove(struct world *world, struct entry *entry)
{
	const bool has_own_replies = world->homes[entry->home].platform == PLATFORM_X;
	vanish(world, entry);
	for (size_t i = 0; i < world->entry_count && !has_own_replies; i++) {
		if (str_equal(world->entries[i].parent, entry->id))
			vanish(world, &world->entries[i]);
	}
}

/* X and LinkedIn name it third in the path, Graph second, YouTube in the query. */
struct str world_deletion_id(const struct ask *ask)
{
	const struct str *id = form_find(&ask->query, "id");
	const size_t at = world_voice(ask) == VOICE_GRAPH ? 1 : 2;
	if (!str_equal_z(ask->method, "DELETE"))
		return STR("");
	if (world_voice(ask) == VOICE_GOOGLE)
		return id != NULL ? *id : STR("");
	return ask->path_count > at ? ask->path[at] : STR("");
}

void world_note_deletion(struct world *world, const struct ask *ask)
{
	const struct str id = world_deletion_id(ask);
	for (size_t i = 0; i < world->entry_count; i++) {
		struct entry *entry = &world->entries[i];
		if (str_equal(entry->id, id) && entry->deletion_asked_us == 0)
			entry->deletion_asked_us = world->sim->true_us;
	}
}

/* ---- pieces ---- */

struct piece *world_begin(struct world *world, enum piece_kind kind, size_t home, struct str text)
{
	struct sim *sim = world->sim;
	if (world->piece_count == WORLD_PIECES_MAX)
		abort();
	struct piece *piece = &world->pieces[world->piece_count++];
	*piece = (struct piece){
		.kind = kind,
		.home = home,
		.id = world_id(world, kind == PIECE_SESSION ? "session-"
				      : kind == PIECE_TASK  ? "v_pub_file~"
							    : ""),
		.text = str_copy(sim->arena, text),
		.begun_at_us = sim->true_us,
		.ready_at_us = sim->true_us + dice_between(&sim->dice, 0, 8) * US_PER_S,
		.ends_in_error = sim_chance(sim, sim->weather.fault_permille / 6),
		.stale_us = sim_chance(sim, 200) ? dice_between(&sim->dice, 1, 80) * US_PER_S : 0,
	};
	if (kind == PIECE_TASK &&
	    sim_chance(sim, 300)) /* moderated for long: some for over a day */
		piece->named_late_us = dice_between(&sim->dice, 1, 30 * 60) * US_PER_MINUTE;
	if (sim_chance(sim, sim->weather.fault_permille / 4)) /* in progress for long */
		piece->ready_at_us += dice_between(&sim->dice, 1, 60) * US_PER_MINUTE;
	return piece;
}

struct piece *world_piece(struct world *world, enum piece_kind kind, struct str id)
{
	for (size_t i = 0; i < world->piece_count; i++) {
		if (world->pieces[i].kind == kind && str_equal(world->pieces[i].id, id))
			return &world->pieces[i];
	}
	return NULL;
}

/* Only TikTok's tasks do something by themselves. */
void world_settle(struct world *world)
{
	for (size_t i = 0; i < world->piece_count; i++) {
		struct piece *piece = &world->pieces[i];
		const bool posts = piece->kind == PIECE_TASK && piece->entry == NULL &&
				   !piece->ends_in_error &&
				   piece->received_bytes == piece->size_bytes &&
				   piece->ready_at_us <= world->sim->true_us;
		if (posts)
			piece->entry = world_publish(world, piece->home, world_id(world, ""),
						     piece->text, STR(""));
	}
}

/* ---- answers ---- */

void world_answer(struct answer *answer, int status, struct str body)
{
	answer->status = status;
	answer->body = body;
}

void world_header(struct answer *answer, const char *name, struct str value)
{
	answer->headers[answer->header_count++] = (struct transfer_header){str_of(name), value};
}

struct str world_quoted(const struct world *world, struct str text)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, world->sim->arena, TEXT_MAX_BYTES);
	json_writer_init(&w, &out);
	json_put_str(&w, text);
	return buf_str(&out);
}

struct str world_id_json(const struct world *world, struct str id)
{
	int64_t number = 0;
	if (world->sim->weather.ids_are_numbers && str_parse_i64(id, &number))
		return id;
	return world_quoted(world, id);
}

struct str world_instant(const struct world *world, int64_t us)
{
	return timetext_format_instant(world->sim->arena, us - us % US_PER_S);
}

static bool take_number(struct str *in, int64_t *out)
{
	uint64_t number = 0;
	const bool is_number = str_take_u64(in, 18, &number);
	*out = (int64_t)number;
	return is_number;
}

bool world_range(struct str range, int64_t *from, int64_t *to, int64_t *size)
{
	*from = *to = -1;
	if (!str_skip(&range, STR("bytes ")))
		return false;
	if (str_skip(&range, STR("*/")))
		return take_number(&range, size);
	return take_number(&range, from) && str_skip(&range, STR("-")) && take_number(&range, to) &&
	       str_skip(&range, STR("/")) && take_number(&range, size);
}

/* ---- refusals ---- */

struct refusal_text {
	int status;
	const char *body;
};

/* What each platform says (x.md 4, linkedin.md 4, youtube.md 4, tiktok.md 4, meta.md
 * 6). */
static const struct refusal_text refusals[][6] = {
	[VOICE_GRAPH] =
		{
			[REFUSE_TOKEN] = {400, "{\"error\":{\"message\":\"Session has "
					       "expired\",\"type\":\"OAuthException\","
					       "\"code\":190,\"error_subcode\":463}}"},
			[REFUSE_FORBIDDEN] = {403, "{\"error\":{\"message\":\"(#10) Permission "
						   "denied\",\"code\":10}}"},
			[REFUSE_NOT_FOUND] =
				{400,
				 "{\"error\":{\"message\":\"Unsupported get request\",\"code\":100,"
				 "\"error_subcode\":33}}"},
			[REFUSE_BAD] =
				{400,
				 "{\"error\":{\"message\":\"Something new\",\"code\":777777}}"},
			[REFUSE_RATE] = {400, "{\"error\":{\"message\":\"Application request limit "
					      "reached\",\"code\":4}}"},
			[REFUSE_DUPLICATE] = {400, "{\"error\":{\"message\":\"Duplicate status "
						   "message\",\"code\":506}}"},
		},
	[VOICE_X] =
		{
			[REFUSE_TOKEN] = {401, "{\"title\":\"Unauthorized\",\"type\":\"about:"
					       "blank\",\"status\":401,"
					       "\"detail\":\"Unauthorized\"}"},
			[REFUSE_FORBIDDEN] =
				{403,
				 "{\"title\":\"Forbidden\",\"type\":\"about:blank\",\"status\":403,"
				 "\"detail\":\"You are not permitted to access this feature.\"}"},
			[REFUSE_NOT_FOUND] =
				{404,
				 "{\"title\":\"Not Found Error\",\"detail\":\"Could not find it.\","
				 "\"type\":\"https://api.x.com/2/problems/resource-not-found\"}"},
			[REFUSE_BAD] =
				{400, "{\"title\":\"Invalid Request\",\"detail\":\"One or more "
				      "parameters are odd.\","
				      "\"type\":\"https://api.x.com/2/problems/invalid-request\"}"},
			[REFUSE_RATE] = {429, "{\"title\":\"Too Many Requests\",\"detail\":\"Too "
					      "Many Requests\","
					      "\"type\":\"about:blank\",\"status\":429}"},
			[REFUSE_DUPLICATE] = {403, "{\"title\":\"Forbidden\",\"type\":\"about:"
						   "blank\",\"status\":403,\"detail\":"
						   "\"You are not allowed to create a Tweet with "
						   "duplicate content.\"}"},
		},
	[VOICE_LINKEDIN] =
		{
			[REFUSE_TOKEN] =
				{401,
				 "{\"status\":401,\"serviceErrorCode\":65601,\"code\":\"REVOKED_"
				 "ACCESS_TOKEN\","
				 "\"message\":\"The token used in the request has been revoked\"}"},
			[REFUSE_FORBIDDEN] = {403, "{\"status\":403,\"code\":\"ACCESS_DENIED\","
						   "\"message\":\"Not enough "
						   "permissions\"}"},
			[REFUSE_NOT_FOUND] = {404, "{\"status\":404,\"code\":\"NOT_FOUND\","
						   "\"message\":\"No such thing\"}"},
			[REFUSE_BAD] =
				{400,
				 "{\"status\":400,\"code\":\"ODD\",\"message\":\"Something new\"}"},
			[REFUSE_RATE] = {429, "{\"status\":429,\"message\":\"Resource level "
					      "throttle limit reached\"}"},
			[REFUSE_DUPLICATE] =
				{422, "{\"status\":422,\"message\":\"Content is a duplicate of "
				      "urn:li:share:7000000000000000001\",\"errorDetails\":{"
				      "\"inputErrors\":[{"
				      "\"code\":\"DUPLICATE_POST\"}]}}"},
		},
	[VOICE_GOOGLE] =
		{
			[REFUSE_TOKEN] =
				{401,
				 "{\"error\":{\"code\":401,\"message\":\"Invalid "
				 "Credentials\",\"errors\":[{"
				 "\"reason\":\"authError\"}],\"status\":\"UNAUTHENTICATED\"}}"},
			[REFUSE_FORBIDDEN] =
				{403,
				 "{\"error\":{\"code\":403,\"message\":\"Forbidden\",\"errors\":[{"
				 "\"reason\":\"forbidden\"}]}}"},
			[REFUSE_NOT_FOUND] =
				{404,
				 "{\"error\":{\"code\":404,\"message\":\"Not found\",\"errors\":[{"
				 "\"reason\":\"videoNotFound\"}]}}"},
			[REFUSE_BAD] = {400, "{\"error\":{\"code\":400,\"message\":\"Odd\","
					     "\"errors\":[{\"reason\":\"odd\"}]}}"},
			[REFUSE_RATE] = {403, "{\"error\":{\"code\":403,\"message\":\"Rate Limit "
					      "Exceeded\",\"errors\":[{"
					      "\"reason\":\"rateLimitExceeded\"}]}}"},
			[REFUSE_DUPLICATE] =
				{400,
				 "{\"error\":{\"code\":400,\"message\":\"Odd\",\"errors\":[{"
				 "\"reason\":\"processingFailure\"}]}}"},
		},
	[VOICE_TIKTOK] =
		{
			[REFUSE_TOKEN] = {401, "{\"error\":{\"code\":\"access_token_invalid\","
					       "\"message\":\"no\",\"log_id\":\"1\"}}"},
			[REFUSE_FORBIDDEN] = {403, "{\"error\":{\"code\":\"spam_risk_user_banned_"
						   "from_posting\",\"message\":\"\","
						   "\"log_id\":\"1\"}}"},
			[REFUSE_NOT_FOUND] =
				{400,
				 "{\"error\":{\"code\":\"invalid_publish_id\",\"message\":\"\"}}"},
			[REFUSE_BAD] =
				{400, "{\"error\":{\"code\":\"something_new\",\"message\":\"\"}}"},
			[REFUSE_RATE] = {429, "{\"error\":{\"code\":\"rate_limit_exceeded\","
					      "\"message\":\"\"}}"},
			[REFUSE_DUPLICATE] =
				{403, "{\"error\":{\"code\":\"spam_risk\",\"message\":\"\"}}"},
		},
	[VOICE_TOKEN] =
		{
			[REFUSE_TOKEN] = {400, "{\"error\":\"invalid_grant\",\"error_description\":"
					       "\"The token is no good.\"}"},
			[REFUSE_FORBIDDEN] =
				{401,
				 "{\"error\":\"invalid_client\",\"error_description\":\"Who?\"}"},
			[REFUSE_NOT_FOUND] = {400, "{\"error\":\"invalid_grant\",\"error_"
						   "description\":\"Unknown token.\"}"},
			[REFUSE_BAD] = {400, "{\"error\":\"something_new\"}"},
			[REFUSE_RATE] = {429, "{\"error\":\"slow_down\"}"},
			[REFUSE_DUPLICATE] = {400, "{\"error\":\"invalid_grant\"}"},
		},
	[VOICE_UPLOAD] =
		{
			[REFUSE_TOKEN] = {403, ""},
			[REFUSE_FORBIDDEN] = {403, ""},
			[REFUSE_NOT_FOUND] = {404, ""},
			[REFUSE_BAD] = {400, ""},
			[REFUSE_RATE] = {429, ""},
			[REFUSE_DUPLICATE] = {416, ""},
		},
	[VOICE_OTHER] =
		{
			[REFUSE_TOKEN] = {401, ""},
			[REFUSE_FORBIDDEN] = {403, ""},
			[REFUSE_NOT_FOUND] = {404, ""},
			[REFUSE_BAD] = {400, ""},
			[REFUSE_RATE] = {429, ""},
			[REFUSE_DUPLICATE] = {400, ""},
		},
};

void world_refuse(struct world *world, enum voice voice, enum refusal_kind kind,
		  struct answer *answer)
{
	const struct refusal_text *text = &refusals[voice][kind];
	(void)world;
	world_answer(answer, text->status, str_of(text->body));
}

/* ---- tokens ---- */

static struct home *refreshed_home(struct world *world, enum platform_id platform,
				   struct str refresh_token, size_t *login_out)
{
	for (size_t i = 0; i < world->home_count; i++) {
		struct home *home = &world->homes[i];
		for (size_t login = 0; login < WORLD_LOGINS_MAX; login++) {
			*login_out = login;
			if (home->platform == platform &&
			    str_equal(home->refresh_tokens[login], refresh_token))
				return home;
		}
	}
	return NULL;
}

void world_refresh(struct world *world, const struct ask *ask, enum platform_id platform,
		   bool rotates, struct answer *answer)
{
	const struct str *given = form_find(&ask->form, "refresh_token");
	size_t login = 0;
	struct home *home = given != NULL && !str_is_empty(*given)
				    ? refreshed_home(world, platform, *given, &login)
				    : NULL;
	if (home == NULL) {
		world_refuse(world, VOICE_TOKEN, REFUSE_TOKEN, answer);
		return;
	}
	const size_t index = world_home_index(world, home);
	const struct str access = world_new_key(world, index, login, KEY_LIFE_S * US_PER_S);
	if (rotates)
		home->refresh_tokens[login] = world_id(world, "refresh-");
	world->sim->totals->refreshes++;
	world_answer(
		answer, 200,
		str_format(
			world->sim->arena,
			"{\"access_token\":\"" STR_FMT
			"\",\"expires_in\":%d,\"token_type\":\"bearer\",\"scope\":\"all\"%s" STR_FMT
			"%s}",
			STR_ARG(access), KEY_LIFE_S, rotates ? ",\"refresh_token\":\"" : "",
			STR_ARG(rotates ? home->refresh_tokens[login] : STR("")),
			rotates ? "\"" : ""));
}

/* ---- who is asked ---- */

struct house_number {
	const char *host;
	enum voice voice;
	void (*answer)(struct world *world, const struct ask *ask, struct answer *answer);
};

static const struct house_number hosts[] = {
	{"graph.facebook.com", VOICE_GRAPH, graph_do},
	{"rupload.facebook.com", VOICE_GRAPH, graph_do},
	{"api.x.com", VOICE_X, x_do},
	{"api.linkedin.com", VOICE_LINKEDIN, linkedin_do},
	{"www.linkedin.com", VOICE_TOKEN, linkedin_do},
	{"dms.licdn.com", VOICE_UPLOAD, linkedin_do},
	{"www.googleapis.com", VOICE_GOOGLE, google_do},
	{"oauth2.googleapis.com", VOICE_TOKEN, google_do},
	{"open.tiktokapis.com", VOICE_TIKTOK, tiktok_do},
	{"upload.tiktokapis.com", VOICE_UPLOAD, tiktok_do},
};

static const struct house_number *host_find(const struct ask *ask)
{
	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		if (str_equal_z(ask->url.host, hosts[i].host))
			return &hosts[i];
	}
	return NULL;
}

enum voice world_voice(const struct ask *ask)
{
	const struct house_number *host = host_find(ask);
	if (host == NULL)
		return VOICE_OTHER;
	return str_find(ask->url.path, STR("/oauth"), 0) != SIZE_MAX ? VOICE_TOKEN : host->voice;
}

void world_do(struct world *world, const struct ask *ask, struct answer *answer)
{
	const struct house_number *host = host_find(ask);
	*answer = (struct answer){0};
	world_settle(world);
	if (host != NULL)
		host->answer(world, ask, answer);
	if (answer->status == 0) {
		sim_violation(world->sim, "nobody answers " STR_FMT " " STR_FMT STR_FMT,
			      STR_ARG(ask->method), STR_ARG(ask->url.host), STR_ARG(ask->url.path));
		world_refuse(world, world_voice(ask), REFUSE_NOT_FOUND, answer);
	}
	world_settle(world);
}
