/* SPDX-License-Identifier: Apache-2.0
 * See script.h. */
#include "script.h"

#include <stdio.h>
#include <stdlib.h>

#include "buf.h"
#include "count_of.h"
#include "uuid.h"

#include "json.h"
#include "json_write.h"

#include "store_app.h"
#include "store_draft.h"
#include "store_idempotency.h"
#include "store_post.h"

#define HOUR_S 3600

/* ---- accounts ---- */

static const struct {
	enum platform_id platform;
	enum account_type type;
	bool has_refresh;
} kinds[] = {
	{PLATFORM_INSTAGRAM, ACCOUNT_BUSINESS, false},
	{PLATFORM_FACEBOOK, ACCOUNT_PAGE, false},
	{PLATFORM_X, ACCOUNT_PERSONAL, true},
	{PLATFORM_LINKEDIN, ACCOUNT_ORGANIZATION, true},
	{PLATFORM_LINKEDIN, ACCOUNT_PERSONAL, true},
	{PLATFORM_YOUTUBE, ACCOUNT_CHANNEL, true},
	{PLATFORM_TIKTOK, ACCOUNT_CREATOR, true},
};

#define KIND_COUNT COUNT_OF(kinds)

struct str script_account_id(const struct script *script, const struct script_post *post,
			     size_t target)
{
	return script->account_ids[post->homes[target]][post->logins[target]];
}

static void add_login(struct sim *sim, struct world *world, struct house *house,
		      struct script *script, size_t index, size_t number)
{
	struct home *home = &world->homes[index];
	struct dice *dice = number == 0 ? &sim->dice : &script->twin_dice;
	/* LinkedIn gives refresh tokens to partners only. */
	const bool has_refresh = kinds[script->kinds[index]].has_refresh &&
				 (home->platform != PLATFORM_LINKEDIN || dice_permille(dice, 500));
	const int64_t life_us =
		!has_refresh ? 60 * US_PER_DAY : dice_between(dice, 60, 2 * HOUR_S) * US_PER_S;
	if (has_refresh)
		home->refresh_tokens[number] = world_id(world, "refresh-");
	const struct house_login login = {
		.home = home,
		.number = number,
		.access_token = world_new_key(world, index, number, life_us),
		.expires_at_us = has_refresh ? sim->true_us + life_us : 0,
	};
	script->account_ids[index][number] = house_connect(house, &login);
}

static void add_account(struct sim *sim, struct world *world, struct house *house,
			struct script *script, size_t kind)
{
	const size_t index = world_add_home(world, kinds[kind].platform, kinds[kind].type);
	script->kinds[index] = kind;
	add_login(sim, world, house, script, index, 0);
}

/* In some worlds one account, or each of several, is connected by a second user too: to its
 * platform both are the same. */
static void add_twins(struct sim *sim, struct world *world, struct house *house,
		      struct script *script)
{
	script->twin_dice = (struct dice){sim->seed ^ 0x7477696e73ULL};
	if (!dice_permille(&script->twin_dice, 300))
		return;
	for (size_t i = 0; i < world->home_count; i++) {
		if (i == 0 || dice_permille(&script->twin_dice, 400))
			add_login(sim, world, house, script, i, 1);
	}
	sim->totals->twin_seeds++;
	script->has_twins = true;
}

static void add_accounts(struct sim *sim, struct world *world, struct house *house,
			 struct script *script)
{
	const int64_t share = dice_between(&sim->dice, 200, 1000);
	for (size_t kind = 0; kind < KIND_COUNT; kind++) {
		if (dice_permille(&sim->dice, share))
			add_account(sim, world, house, script, kind);
	}
	if (world->home_count == 0 || dice_permille(&sim->dice, 300))
		add_account(sim, world, house, script, (size_t)dice_below(&sim->dice, KIND_COUNT));
}

/* ---- posts ---- */

static const struct script_flow flows[] = {
	{PLATFORM_INSTAGRAM, POST_TYPE_VIDEO, MEDIA_VIDEO, 1, "-film.mp4", NULL},
	{PLATFORM_INSTAGRAM, POST_TYPE_CAROUSEL, MEDIA_IMAGE, 3, ".jpg", NULL},
	{PLATFORM_INSTAGRAM, POST_TYPE_CAROUSEL, MEDIA_VIDEO, 2, "-film.mp4", NULL},
	{PLATFORM_INSTAGRAM, POST_TYPE_STORY, MEDIA_IMAGE, 1, ".jpg", NULL},
	{PLATFORM_FACEBOOK, POST_TYPE_POST, MEDIA_IMAGE, 1, ".jpg", NULL},
	{PLATFORM_FACEBOOK, POST_TYPE_CAROUSEL, MEDIA_IMAGE, 3, ".jpg", NULL},
	{PLATFORM_FACEBOOK, POST_TYPE_POST, MEDIA_VIDEO, 1, "-film.mp4", NULL},
	{PLATFORM_FACEBOOK, POST_TYPE_VIDEO, MEDIA_VIDEO, 1, "-film.mp4", NULL},
	{PLATFORM_FACEBOOK, POST_TYPE_STORY, MEDIA_IMAGE, 1, ".jpg", NULL},
	{PLATFORM_LINKEDIN, POST_TYPE_POST, MEDIA_IMAGE, 1, ".jpg", NULL},
	{PLATFORM_LINKEDIN, POST_TYPE_CAROUSEL, MEDIA_IMAGE, 3, ".jpg", NULL},
	{PLATFORM_LINKEDIN, POST_TYPE_VIDEO, MEDIA_VIDEO, 1, "-film.mp4", NULL},
	{PLATFORM_LINKEDIN, POST_TYPE_CAROUSEL, MEDIA_IMAGE, 0, "",
	 "{\"linkedin\":{\"document\":{\"url\":\"https://media.example/"
	 "slides.pdf\",\"title\":\"S\"}}}"},
	{PLATFORM_LINKEDIN, POST_TYPE_ARTICLE, MEDIA_IMAGE, 1, ".jpg",
	 "{\"linkedin\":{\"article\":{\"source\":\"https://a.example/\"}}}"},
	{PLATFORM_LINKEDIN, POST_TYPE_POST, MEDIA_IMAGE, 0, "",
	 "{\"linkedin\":{\"poll\":{\"question\":\"q\",\"options\":[\"a\",\"b\"]}}}"},
	{PLATFORM_TIKTOK, POST_TYPE_CAROUSEL, MEDIA_IMAGE, 3, ".jpg", NULL},
	{PLATFORM_TIKTOK, POST_TYPE_VIDEO, MEDIA_VIDEO, 1, "-film.mp4",
	 "{\"tiktok\":{\"source\":\"PULL_FROM_URL\"}}"},
	{PLATFORM_YOUTUBE, POST_TYPE_VIDEO, MEDIA_VIDEO, 1, "-film.mp4", NULL},
	{PLATFORM_X, POST_TYPE_POST, MEDIA_IMAGE, 1, ".jpg", NULL},
	{PLATFORM_X, POST_TYPE_POST, MEDIA_IMAGE, 3, ".jpg", NULL},
	{PLATFORM_X, POST_TYPE_VIDEO, MEDIA_VIDEO, 1, "-film.mp4", NULL},
	{PLATFORM_X, POST_TYPE_ARTICLE, MEDIA_IMAGE, 1, ".jpg", NULL},
	{PLATFORM_X, POST_TYPE_POST, MEDIA_IMAGE, 0, "",
	 "{\"x\":{\"poll\":{\"options\":[\"a\",\"b\"],\"duration_minutes\":5}}}"},
};

/* One of the platform's rows in half of the cases, when it has any. */
static const struct script_flow *draw_flow(struct dice *dice, enum platform_id platform)
{
	size_t count = 0;
	for (size_t i = 0; i < COUNT_OF(flows); i++)
		count += flows[i].platform == platform;
	if (count == 0 || !dice_permille(dice, 500))
		return NULL;
	size_t at = (size_t)dice_below(dice, (int64_t)count);
	for (size_t i = 0;; i++) {
		if (flows[i].platform == platform && at-- == 0)
			return &flows[i];
	}
}

/* A text that is like no other, with characters that platforms write their own way. */
static struct str make_text(struct sim *sim, size_t post, size_t part, bool is_title)
{
	static const char *const decorations[] = {"",
						  " & more",
						  " (really) [yes] {so}",
						  " #tag_1 *bold* ~x~",
						  " Grüße ☕ 日本語",
						  " \"quoted\" \\ back|slash",
						  " a@b.example"};
	const char *decoration = is_title ? " & more" : decorations[dice_below(&sim->dice, 7)];
	return str_format(sim->arena, "mark-%llu-%zu-%zu%s", (unsigned long long)sim->seed, post,
			  part, decoration);
}

static bool is_video(enum platform_id platform)
{
	return platform == PLATFORM_YOUTUBE || platform == PLATFORM_TIKTOK;
}

static bool is_image(enum platform_id platform)
{
	return platform == PLATFORM_INSTAGRAM;
}

/* Which platforms one post may go to together: by what they take. */
static bool goes_with(const struct home *home, const struct home *other)
{
	return is_video(home->platform) == is_video(other->platform) &&
	       is_image(home->platform) == is_image(other->platform);
}

static void add_targets(struct sim *sim, const struct world *world, struct script_post *post)
{
	const size_t first = (size_t)dice_below(&sim->dice, (int64_t)world->home_count);
	post->flow = draw_flow(&sim->dice, world->homes[first].platform);
	for (size_t i = 0; i < world->home_count && post->target_count < SCRIPT_TARGETS_MAX; i++) {
		const bool is_flows =
			post->flow == NULL || world->homes[i].platform == post->flow->platform;
		if (i != first &&
		    (!is_flows || !goes_with(&world->homes[i], &world->homes[first]) ||
		     dice_permille(&sim->dice, 300)))
			continue;
		post->homes[post->target_count] = i;
		post->delivery_ids[post->target_count++] =
			uuid_str(sim->arena, uuid_v7(clock_now_us(&sim->clock), &sim->random));
	}
}

static bool is_story(const struct script_post *post)
{
	return post->flow != NULL && post->flow->type == POST_TYPE_STORY;
}

static bool takes_comments(const struct world *world, const struct script_post *post)
{
	for (size_t i = 0; i < post->target_count; i++) {
		if (world->homes[post->homes[i]].platform == PLATFORM_TIKTOK)
			return false;
	}
	return !is_story(post);
}

/* Nobody sees a story's text: the name of its file says whose it is, and where the file itself is
 * sent its alt text (script_content). */
static void add_story(struct sim *sim, struct script_post *post, size_t number)
{
	post->texts[0] =
		str_format(sim->arena, "story-%llu-%zu", (unsigned long long)sim->seed, number);
	post->media_url = str_format(sim->arena, "https://media.example/" STR_FMT "%s",
				     STR_ARG(post->texts[0]), post->flow->file);
}

static void add_media(struct sim *sim, const struct world *world, struct script_post *post,
		      size_t number)
{
	const enum platform_id platform = world->homes[post->homes[0]].platform;
	const char *size = dice_permille(&sim->dice, 20) ? "long" : "short";
	if (post->flow != NULL) {
		post->media_type = post->flow->media_type;
		post->media_url = post->flow->media_count == 0
					  ? STR("")
					  : str_format(sim->arena, "https://media.example/%zu%s",
						       number, post->flow->file);
		return;
	}
	post->media_type = is_video(platform) ? MEDIA_VIDEO : MEDIA_IMAGE;
	if (is_video(platform))
		post->media_url =
			str_format(sim->arena, "https://media.example/%s-%zu.mp4", size, number);
	if (is_image(platform))
		post->media_url = str_format(sim->arena, "https://media.example/%zu.jpg", number);
}

/* Which user's account it is for; both users often hand in at the same instant, or one while the
 * other's post is on its way. */
static void draw_logins(struct script *script, struct script_post *post)
{
	struct dice *dice = &script->twin_dice;
	if (!script->has_twins)
		return;
	for (size_t i = 0; i < post->target_count; i++) {
		const bool is_twin = !str_is_empty(script->account_ids[post->homes[i]][1]);
		post->logins[i] = is_twin ? (size_t)dice_below(dice, WORLD_LOGINS_MAX) : 0;
	}
	if (post == script->posts || !dice_permille(dice, 600))
		return;
	post->accept_at_us = post[-1].accept_at_us + dice_below(dice, 3) * US_PER_S;
	post->scheduled_after_us = post[-1].scheduled_after_us;
}

static void add_post(struct sim *sim, const struct world *world, struct script *script,
		     int64_t window_us)
{
	struct dice *dice = &sim->dice;
	const size_t number = script->post_count++;
	struct script_post *post = &script->posts[number];
	add_targets(sim, world, post);
	add_media(sim, world, post, number);
	const bool is_threaded = takes_comments(world, post) && dice_permille(dice, 350);
	post->part_count = is_threaded ? (size_t)dice_between(dice, 2, 3) : 1;
	for (size_t part = 0; part < post->part_count; part++)
		post->texts[part] =
			make_text(sim, number, part, post->media_type == MEDIA_VIDEO && part == 0);
	if (is_story(post))
		add_story(sim, post, number);
	post->id = uuid_str(sim->arena, uuid_v7(clock_now_us(&sim->clock), &sim->random));
	post->request_id = str_format(sim->arena, "request-%zu", number);
	post->accept_at_us = sim->true_us + dice_below(dice, window_us);
	post->scheduled_after_us =
		dice_permille(dice, 300) ? dice_below(dice, 2 * HOUR_S) * US_PER_S : 0;
	draw_logins(script, post);
}

static void set_app(struct sim *sim, struct house *house)
{
	const struct app_row app = {.id = STR(HOUSE_APP_ID),
				    .name = STR("Simulated"),
				    .retry_unknown_once = sim->weather.retry_unknown_once};
	struct error err = {0};
	if (store_app_set_settings(house_store(house), &app, &err) != ERR_NONE)
		abort();
}

struct script *script_new(struct sim *sim, struct world *world, struct house *house)
{
	struct script *script = ARENA_NEW(sim->arena, struct script);
	const int64_t posts = dice_between(&sim->dice, 3, SCRIPT_POSTS_MAX);
	const int64_t window_us = dice_between(&sim->dice, 1, 3 * HOUR_S) * US_PER_S;
	set_app(sim, house);
	add_accounts(sim, world, house, script);
	add_twins(sim, world, house, script);
	for (int64_t i = 0; i < posts; i++)
		add_post(sim, world, script, window_us);
	return script;
}

/* ---- handing in ---- */

struct str script_content(struct sim *sim, const struct script_post *post)
{
	const struct script_flow *flow = post->flow;
	const size_t media_count =
		flow != NULL ? flow->media_count : !str_is_empty(post->media_url);
	struct media media[POST_MEDIA_MAX];
	struct container containers[POST_CONTAINERS_MAX] = {0};
	struct buf out;
	struct json_writer w;
	for (size_t part = 0; part < post->part_count; part++)
		containers[part].content = post->texts[part];
	for (size_t i = 0; i < media_count; i++)
		media[i] = (struct media){.url = post->media_url,
					  .type = post->media_type,
					  .alt_text = is_story(post) ? post->texts[0] : STR(""),
					  .duration_s = -1};
	containers[0].media = media;
	containers[0].media_count = media_count;
	struct post_content content = {
		.mode = POST_MODE_ADVANCED,
		.type = post->media_type == MEDIA_VIDEO ? POST_TYPE_VIDEO : POST_TYPE_POST,
		.containers = containers,
		.container_count = post->part_count,
	};
	if (flow != NULL)
		content.type = flow->type;
	if (flow != NULL && flow->options != NULL &&
	    json_parse(sim->arena, str_of(flow->options), NULL, &content.options, NULL, NULL) !=
		    ERR_NONE)
		abort();
	buf_init(&out, sim->arena, 65536);
	json_writer_init(&w, &out);
	post_content_write(&w, &content);
	return buf_str(&out);
}

/* How one post is handed in. */
struct handing {
	struct str post_id;
	struct str request_id;
	struct str draft_body; /* empty = it is of no draft */
	const struct idempotency *key;
};

static enum post_accept_outcome hand_in(struct sim *sim, const struct script *script,
					const struct script_post *post, const struct world *world,
					struct house *house, const struct handing *how)
{
	struct post_target targets[SCRIPT_TARGETS_MAX];
	struct post_accept_result result = {0};
	struct error err = {0};
	const bool is_first = str_equal(how->post_id, post->id);
	const int64_t now_us = clock_now_us(house_clock(house));
	for (size_t i = 0; i < post->target_count; i++)
		targets[i] = (struct post_target){
			is_first ? post->delivery_ids[i]
				 : str_concat(sim->arena, post->delivery_ids[i], STR("-again")),
			script_account_id(script, post, i), world->homes[post->homes[i]].platform,
			post->logins[i] == 0 ? STR("user") : STR("another")};
	const struct post_accept accept = {
		.app_id = STR(HOUSE_APP_ID),
		.post_id = how->post_id,
		.request_id = how->request_id,
		.content = script_content(sim, post),
		.mode = POST_MODE_ADVANCED,
		.scheduled_at_us =
			post->scheduled_after_us > 0 ? now_us + post->scheduled_after_us : 0,
		.now_us = now_us,
		.targets = targets,
		.target_count = post->target_count,
		.idempotency = how->key,
		.draft_id = str_is_empty(how->draft_body) ? STR("") : post->id,
		.draft_body = how->draft_body,
	};
	if (store_post_accept(house_store(house), sim->arena, &accept, &result, &err) != ERR_NONE)
		abort();
	if (result.outcome == POST_ANSWERED_BEFORE && !str_equal(result.kept.answer, post->id))
		sim_violation(sim, "a key is answered with another post");
	return result.outcome;
}

static struct idempotency key_of(struct sim *sim, const struct script_post *post)
{
	return (struct idempotency){.key = str_concat(sim->arena, STR("key-"), post->request_id),
				    .body_hash = post->request_id,
				    .answer = post->id};
}

static void keep_draft(struct sim *sim, const struct script_post *post, struct house *house)
{
	const struct draft_row draft = {.id = post->id,
					.app_id = STR(HOUSE_APP_ID),
					.body = script_content(sim, post),
					.created_by = STR("sim"),
					.created_at_us = clock_now_us(house_clock(house))};
	struct draft_result result = {0};
	struct error err = {0};
	if (store_draft_create(house_store(house), &draft, &result, &err) != ERR_NONE ||
	    result.outcome != DRAFT_DONE)
		abort();
	sim_trace(sim, "DRAFT " STR_FMT, STR_ARG(post->id));
}

static void note_accepted(struct sim *sim, struct script_post *post,
			  enum post_accept_outcome outcome, struct house *house)
{
	sim_trace(sim, "ACCEPT " STR_FMT " to %zu: %d", STR_ARG(post->id), post->target_count,
		  (int)outcome);
	post->is_accepted =
		outcome ==
		POST_ACCEPTED; /* else an account has to be connected again: told at once */
	if (!post->is_accepted)
		return;
	sim->totals->accepted++;
	post->accepted_us = sim->true_us;
	house_wake(house);
}

void script_accept(struct sim *sim, const struct script *script, struct script_post *post,
		   const struct world *world, struct house *house)
{
	const struct idempotency key = key_of(sim, post);
	const struct handing how = {.post_id = post->id,
				    .request_id = post->request_id,
				    .key = post->has_key ? &key : NULL};
	if (post->is_draft) {
		keep_draft(sim, post, house);
		return;
	}
	note_accepted(sim, post, hand_in(sim, script, post, world, house, &how), house);
	if (post->is_accepted && dice_permille(&sim->dice, 150))
		script_repeat(sim, script, post, world, house);
}

/* With a key everything else may be new: the call has no request_id of its own. */
void script_repeat(struct sim *sim, const struct script *script, const struct script_post *post,
		   const struct world *world, struct house *house)
{
	const struct idempotency key = key_of(sim, post);
	struct handing how = {.post_id = post->id,
			      .request_id = post->is_draft ? post->id : post->request_id};
	const bool has_key = post->has_key && !post->is_draft;
	if (has_key) {
		how.post_id = str_concat(sim->arena, post->id, STR("-again"));
		how.request_id = how.post_id;
		how.key = &key;
	}
	const enum post_accept_outcome outcome = hand_in(sim, script, post, world, house, &how);
	sim->totals->repeats++;
	if (outcome == POST_ACCEPTED)
		sim_violation(sim, "the same %s was taken twice",
			      has_key ? "Idempotency-Key" : "request_id");
}

enum post_accept_outcome script_publish_draft(struct sim *sim, const struct script *script,
					      struct script_post *post, struct str draft_body,
					      const struct world *world, struct house *house)
{
	const struct handing how = {
		.post_id = post->id, .request_id = post->id, .draft_body = draft_body};
	const enum post_accept_outcome outcome = hand_in(sim, script, post, world, house, &how);
	if (!post->is_accepted)
		note_accepted(sim, post, outcome, house);
	return outcome;
}

void script_reword(struct sim *sim, struct script_post *post, size_t number)
{
	const int edit = post->edit_count + 1;
	for (size_t part = 0; part < post->part_count; part++)
		post->texts[part] = str_format(sim->arena, "edit-%llu-%zu-%zu-%d & more",
					       (unsigned long long)sim->seed, number, part, edit);
	if (!is_story(post))
		return;
	post->texts[0] = str_format(sim->arena, "story-%llu-%zu-%d", (unsigned long long)sim->seed,
				    number, edit);
	post->media_url = str_format(sim->arena, "https://media.example/" STR_FMT "%s",
				     STR_ARG(post->texts[0]), post->flow->file);
}
