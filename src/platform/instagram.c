/* SPDX-License-Identifier: Apache-2.0
 * Instagram professional accounts behind Facebook Login (platforms/meta.md 2, 4, 7). An image goes
 * up in three steps: a container that Meta fills from the image's URL, waiting until it is ready,
 * and media_publish, which is the one call that people can see. The container is what makes a
 * publish call in doubt provable: its status tells whether it was published. */
#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "adapters.h"
#include "graph.h"
#include "look.h"
#include "platform.h"
#include "rules.h"
#include "stages.h"

#define CODE(name) FAILURE_CODE_##name

#define CONTAINERS_MAX 3  /* meta.md 6.3: new container, at most 3 times */
#define FETCH_AGAIN_MAX 3 /* meta.md 6.3, 9004: 2 to 3 retries, 5 s apart */
#define FETCH_AGAIN_MS 5000
#define POLL_IMAGE_MAX_MS (5 * 60 * 1000) /* meta.md 4.2: at most 5 minutes for images */
#define QUOTA_WAIT_MS (60 * 60 * 1000)    /* the 24 h window moves on; ask again in an hour */
#define LANDING_US                                                                                 \
	(120 * US_PER_S) /* meta.md section 7: FINISHED is believed after 2 to 5 minutes */
#define LOOK_BACK_US (60 * US_PER_S) /* meta.md section 7: timestamp >= send - 60 s */
#define LOOKS_FOR_MEDIA 2            /* then PUBLISHED counts without a media id */

/* ---- what Instagram allows (meta.md sections 5 and 8) ---- */

static const struct oauth_profile instagram_oauth = {
	.authorize_url = "https://www.facebook.com/{graph_version}/dialog/oauth",
	.client_id_name = "client_id",
	.scopes = {"instagram_basic", "instagram_content_publish", "instagram_manage_comments",
		   "pages_show_list", "pages_read_engagement", "business_management"},
	.scope_separator = ",",
	.pkce = PKCE_NONE,
	.denied_errors = {"access_denied"},
};

static const char *const instagram_needed[] = {
	"instagram_basic", "instagram_content_publish", "instagram_manage_comments",
	"pages_show_list", "pages_read_engagement",     NULL};

static const struct type_rule instagram_types[] = {
	{.type = POST_TYPE_POST,
	 .images_min = 1,
	 .images_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "One image, fetched by Meta from its URL."},
	{.type = POST_TYPE_NONE},
};

/* All go to the container under their own names. */
static const struct option_rule instagram_options[] = {
	{"location_id", OPTION_STRING, 0, NULL, "The id of a Page that has a location."},
	{"collaborators", OPTION_STRING_LIST, 3, NULL, "Up to 3 usernames."},
	{"is_ai_generated", OPTION_BOOL, 0, NULL, "Say that it is machine-made."},
	{"is_paid_partnership", OPTION_BOOL, 0, NULL, "Say that it is paid for."},
	{"branded_content_sponsor_ids", OPTION_STRING_LIST, 2, NULL, "Up to 2 sponsors."},
	{.name = NULL},
};

/* Signs followed by a letter, digit, underscore or anything that is not ASCII. */
static int64_t tag_count(struct str text, char sign)
{
	int64_t count = 0;
	for (size_t i = 0; i + 1 < text.len; i++) {
		const char next = text.ptr[i + 1];
		const bool is_word = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
				     (next >= '0' && next <= '9') || next == '_' ||
				     (next & 0x80) != 0;
		count += text.ptr[i] == sign && is_word;
	}
	return count;
}

static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if ((text.ptr[i] & 0x80) != 0)
			return false;
	}
	return true;
}

static void check_tags(const struct post_content *post, struct str account_id,
		       struct problems *problems)
{
	const struct str caption = post->containers[0].content;
	const struct str field = rules_field(problems->arena, post, 0, "content");
	const int64_t hashtags = tag_count(caption, '#');
	const int64_t mentions = tag_count(caption, '@');
	if (hashtags > 30)
		problem_add_rule(problems, field, "too_many_hashtags", account_id, 30, hashtags,
				 STR("Instagram takes at most 30 hashtags."));
	else if (hashtags > 5)
		warning_add(problems, field, "many_hashtags",
			    STR("Instagram's app allows only 5 hashtags; more may be refused."));
	if (mentions > 20)
		problem_add_rule(problems, field, "too_many_mentions", account_id, 20, mentions,
				 STR("Instagram takes at most 20 mentions."));
}

static void instagram_check(const struct post_content *post, enum post_type type,
			    struct str account_id, struct problems *problems)
{
	(void)type;
	check_tags(post, account_id, problems);
	for (size_t i = 0; i < post->containers[0].media_count; i++) {
		const struct str member = str_format(problems->arena, "media.%zu.url", i);
		if (!is_ascii(post->containers[0].media[i].url))
			problem_add_rule(problems,
					 rules_field(problems->arena, post, 0,
						     str_z(problems->arena, member)),
					 "url_not_ascii", account_id, -1, -1,
					 STR("Instagram fetches only URLs in ASCII."));
	}
}

static const struct post_rules instagram_rules = {
	.types = instagram_types,
	.text_unit = TEXT_CODE_POINTS,
	.text_max = 2200,
	.comment_text_max = 2200,
	.comments_max = POST_CONTAINERS_MAX - 1,
	.alt_text_max = 1000,
	.options = instagram_options,
	.check = instagram_check,
};

/* ---- connect ---- */

static const char *instagram_permissions_answer(const struct env *env, struct flow *flow,
						const struct reply *reply, struct step *step)
{
	return graph_permissions_answer(env, flow, reply, step, instagram_needed);
}

static struct str instagram_extra(const struct env *env, struct str page_id, struct str user_id)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, 4096);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "page_id", page_id);
	json_member_str(&w, "user_id", user_id);
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

static struct str first_of(struct str a, struct str b)
{
	return str_is_empty(a) ? b : a;
}

static bool instagram_account(const struct env *env, const struct flow *flow,
			      const struct graph_page *page, struct account_found *account)
{
	if (str_is_empty(page->instagram_id))
		return false;
	const struct str username = first_of(page->instagram_username, page->instagram_id);
	*account = (struct account_found){
		.platform_account_id = page->instagram_id,
		.username = username,
		.name = first_of(page->instagram_name, username),
		.avatar_url = page->instagram_avatar_url,
		.type = ACCOUNT_BUSINESS,
		.access_token = page->access_token,
		.scopes = flow_get(flow, "scopes"),
		.extra = instagram_extra(env, page->id, flow_get(flow, "user_id")),
		.extra_secret = flow_get(flow, "user_token"),
	};
	return true;
}

static const char *instagram_finish_ask(const struct env *env, struct flow *flow, struct step *step)
{
	graph_finish(env, flow, step, instagram_account);
	return NULL;
}

static const struct stage instagram_connect_stages[] = {
	{"code", graph_code_ask, graph_code_answer},
	{"long", graph_long_ask, graph_long_answer},
	{"permissions", graph_permissions_ask, instagram_permissions_answer},
	{"me", graph_me_ask, graph_me_answer},
	{"pages", graph_pages_ask, graph_pages_answer},
	{"businesses", graph_businesses_ask, graph_businesses_answer},
	{"portfolio", graph_portfolio_ask, graph_portfolio_answer},
	{"finish", instagram_finish_ask, graph_no_answer},
	{.name = NULL},
};

/* ---- publish ---- */

static const char *instagram_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	if (flow_part(flow) == flow->part_count) {
		step_done(step);
		return NULL;
	}
	return flow_part(flow) == 0 ? "quota" : "comment";
}

static struct str edge_of(const struct env *env, struct str object, const char *edge)
{
	return str_format(env->arena, STR_FMT "/%s", STR_ARG(object), edge);
}

static const char *read_fields(const struct env *env, struct step *step, struct str path,
			       const char *fields)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", str_of(fields));
	graph_call(env, step, CALL_READ, "GET", path, env->access_token, &form);
	return NULL;
}

/* 4.4: how many posts a day there are differs from account to account, so it is asked, before
 * anything is made. */
static const char *quota_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	return read_fields(env, step,
			   edge_of(env, env->platform_account_id, "content_publishing_limit"),
			   "quota_usage,config");
}

static bool is_token_dead(const struct reply *reply)
{
	struct graph_error error;
	return graph_error_read(reply, &error) && error.class == FAILURE_REAUTH;
}

static const char *quota_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)flow;
	const struct json *quota = json_at(json_get(reply->json, "data"), 0);
	const int64_t usage = json_int(json_get(quota, "quota_usage"), 0);
	const int64_t total =
		json_int(json_get(json_get(quota, "config"), "quota_total"), INT64_MAX);
	if (is_token_dead(reply) || step_fail_transport(step, env, reply)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	/* A quota that cannot be read is no reason to give up: media_publish enforces it itself. */
	if (!graph_is_ok(reply) || usage < total)
		return "container";
	step_fail(step, FAILURE_RATE_LIMITED, CODE(QUOTA_EXHAUSTED),
		  STR("The account's posts of the last 24 hours are used up."))
		->retry_after_ms = QUOTA_WAIT_MS;
	return NULL;
}

/* 4.1 */
static const char *container_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct container *post = &env->post->containers[0];
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "image_url", post->media[0].url);
	if (!str_is_empty(post->content))
		form_add(&form, "caption", post->content);
	if (!str_is_empty(post->media[0].alt_text))
		form_add(&form, "alt_text", post->media[0].alt_text);
	graph_options_add(env, &form, instagram_options);
	graph_call(env, step, CALL_PREPARE, "POST", edge_of(env, env->platform_account_id, "media"),
		   env->access_token, &form);
	return NULL;
}

/* Puts the flow before that stage and waits there. */
static const char *wait_at(struct flow *flow, struct step *step, const char *stage, int64_t wait_ms)
{
	flow_set_stage(flow, stage);
	step_wait(step, wait_ms);
	return NULL;
}

/* 4.2: 2, 3, 5, 10, 15, 30 s, then 60 s. */
static int64_t poll_wait_ms(int64_t polls)
{
	static const int64_t waits_ms[] = {2000, 3000, 5000, 10000, 15000, 30000};
	const int64_t count = (int64_t)(sizeof(waits_ms) / sizeof(waits_ms[0]));
	return polls < count ? waits_ms[polls] : 60000;
}

static const char *poll_again(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t polls = flow_get_int(flow, "polls", 0);
	const int64_t waited_ms = flow_get_int(flow, "waited_ms", 0);
	(void)env;
	if (waited_ms >= POLL_IMAGE_MAX_MS) {
		step_fail(step, FAILURE_TRANSIENT, CODE(PLATFORM_UNAVAILABLE),
			  STR("Instagram is still working on the image after 5 minutes."));
		return NULL;
	}
	flow_set_int(flow, "polls", polls + 1);
	flow_set_int(flow, "waited_ms", waited_ms + poll_wait_ms(polls));
	return wait_at(flow, step, "poll", poll_wait_ms(polls));
}

static const char *container_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	const struct str id = json_text(env->arena, json_get(reply->json, "id"));
	struct graph_error error;
	if (graph_is_ok(reply) && !str_is_empty(id)) {
		flow_set(flow, "container", id);
		flow_unset(flow, "polls");
		flow_unset(flow, "waited_ms");
		return poll_again(env, flow, step);
	}
	const bool may_repeat = graph_error_read(reply, &error) &&
				(error.remedy == GRAPH_REPEAT || error.remedy == GRAPH_CONTAINER) &&
				flow_count(flow, "fetches") < FETCH_AGAIN_MAX;
	if (may_repeat)
		return wait_at(flow, step, "container", FETCH_AGAIN_MS);
	graph_step_fail(env, reply, step);
	return NULL;
}

static const char *poll_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (str_is_empty(flow_get(flow, "container")))
		return "container";
	return read_fields(env, step, flow_get(flow, "container"), "status_code,status");
}

/* "Error: Media upload has failed with error code 2207026": the seven digits that begin with 2207;
 * 0 when there are none. */
static int64_t subcode_in(struct str status)
{
	for (size_t hit = str_find(status, STR("2207"), 0); hit != SIZE_MAX;
	     hit = str_find(status, STR("2207"), hit + 1)) {
		int64_t subcode = 0;
		if (hit + 7 <= status.len &&
		    str_parse_i64(str_slice(status, hit, hit + 7), &subcode))
			return subcode;
	}
	return 0;
}

/* A new container, or when there were enough of them the failure as it stands. */
static const char *container_again(struct flow *flow, struct step *step,
				   const struct failure *failure)
{
	if (flow_count(flow, "containers") < CONTAINERS_MAX) {
		flow_unset(flow, "container");
		return "container";
	}
	step_fail(step, failure->class, failure->code, failure->message)->platform_code =
		failure->platform_code;
	step->failure.platform_message = failure->platform_message;
	return NULL;
}

static const char *container_dead(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str status = json_string(json_get(reply->json, "status"));
	const int64_t subcode = subcode_in(status);
	const struct graph_error error = graph_error_of_subcode(subcode);
	const bool is_known = subcode != 0 && error.failure_code != CODE(PLATFORM_REJECTED);
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = is_known ? error.failure_code : CODE(MEDIA_REJECTED),
		.message = STR("Instagram could not use the image."),
		.platform_code = subcode != 0 ? str_format(env->arena, "%lld", (long long)subcode)
					      : (struct str){0},
		.platform_message = utf8_cut_bytes(status, 500),
	};
	if (error.remedy == GRAPH_CONTAINER)
		return container_again(flow, step, &failure);
	*step = (struct step){.kind = STEP_FAIL, .failure = failure};
	return NULL;
}

static const char *container_expired(struct flow *flow, struct step *step)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = CODE(PLATFORM_REJECTED),
		.message = STR("The image's container ran out before it was published."),
	};
	return container_again(flow, step, &failure);
}

static const char *poll_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	const struct str status = json_string(json_get(reply->json, "status_code"));
	if (is_token_dead(reply)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (str_equal_z(status, "FINISHED"))
		return "publish";
	if (str_equal_z(status, "ERROR"))
		return container_dead(env, flow, reply, step);
	if (str_equal_z(status, "EXPIRED"))
		return container_expired(flow, step);
	if (str_equal_z(status, "PUBLISHED")) {
		flow_part_done(flow, (struct str){0}, (struct str){0});
		return "start";
	}
	/* IN_PROGRESS; or a read that failed, which happens right after creation and means nothing
	 * (meta.md 4.2, 6.2). */
	return poll_again(env, flow, step);
}

/* 4.3 */
static const char *publish_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (str_is_empty(flow_get(flow, "container")))
		return "container";
	graph_form_init(env, &form);
	form_add(&form, "creation_id", flow_get(flow, "container"));
	graph_call(env, step, CALL_PUBLISH, "POST",
		   edge_of(env, env->platform_account_id, "media_publish"), env->access_token,
		   &form);
	return NULL;
}

/* The answers to media_publish that are no success (meta.md 6.3). */
static const char *publish_refused(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct graph_error error = {0};
	const bool is_readable = graph_error_read(reply, &error);
	if (is_readable && error.remedy == GRAPH_POLL)
		return poll_again(env, flow, step);
	/* 2207051 may be live all the same: looked at once, believed the second time. */
	const bool is_second_block =
		is_readable && error.subcode == 2207051 && flow_count(flow, "blocks") > 1;
	if (graph_is_uncertain(reply) && !is_second_block) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	graph_step_fail(env, reply, step);
	if (error.remedy == GRAPH_CONTAINER) {
		const struct failure failure = step->failure;
		return container_again(flow, step, &failure);
	}
	return NULL;
}

static const char *publish_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str id = json_text(env->arena, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id))
		return publish_refused(env, flow, reply, step);
	flow_part_done(flow, id, (struct str){0});
	return "permalink";
}

/* Cosmetic: whatever comes back, the post is out. */
static const char *permalink_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (str_is_empty(flow->parts[0].remote_id))
		return "start";
	return read_fields(env, step, flow->parts[0].remote_id,
			   "permalink,media_product_type,timestamp");
}

static const char *permalink_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	(void)env;
	(void)step;
	const struct str permalink =
		utf8_cut_bytes(json_string(json_get(reply->json, "permalink")), 2048);
	if (graph_is_ok(reply) && !str_is_empty(permalink))
		flow->parts[0].url = str_copy(flow->arena, permalink);
	return "start";
}

/* 4.5 */
static const char *comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (str_is_empty(flow->parts[0].remote_id)) {
		step_fail(step, FAILURE_PERMANENT, CODE(PLATFORM_REJECTED),
			  STR("The post is published, but its id is not known, so it cannot be "
			      "commented on."));
		return NULL;
	}
	graph_form_init(env, &form);
	form_add(&form, "message", env->post->containers[flow_part(flow)].content);
	graph_call(env, step, CALL_PUBLISH, "POST",
		   edge_of(env, flow->parts[0].remote_id, "comments"), env->access_token, &form);
	return NULL;
}

static const char *comment_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str id = json_text(env->arena, json_get(reply->json, "id"));
	if (graph_is_ok(reply) && !str_is_empty(id)) {
		flow_part_done(flow, id, (struct str){0});
		return "start";
	}
	if (graph_is_uncertain(reply))
		*step = (struct step){.kind = STEP_UNCERTAIN};
	else
		graph_step_fail(env, reply, step);
	return NULL;
}

static const struct stage instagram_publish_stages[] = {
	{"start", instagram_start_ask, graph_no_answer},
	{"quota", quota_ask, quota_answer},
	{"container", container_ask, container_answer},
	{"poll", poll_ask, poll_answer},
	{"publish", publish_ask, publish_answer},
	{"permalink", permalink_ask, permalink_answer},
	{"comment", comment_ask, comment_answer},
	{.name = NULL},
};

/* ---- resolve: the container knows (meta.md section 7) ---- */

static const char *look_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)step;
	return flow_part(flow) == 0 ? "status" : "comments";
}

static const char *look_status_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (str_is_empty(flow_get(flow, "container")))
		return "media"; /* never begun, as far as we know: only comparing is left */
	return read_fields(env, step, flow_get(flow, "container"), "status_code");
}

static const char *look_status_answer(const struct env *env, struct flow *flow,
				      const struct reply *reply, struct step *step)
{
	const struct str status = json_string(json_get(reply->json, "status_code"));
	if (!graph_is_ok(reply)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (str_equal_z(status, "PUBLISHED"))
		return "media";
	if (str_equal_z(status, "FINISHED") && env->now_us >= env->started_at_us + LANDING_US) {
		flow_set_stage(flow, "publish"); /* the same container again */
		return look_end(flow, step, STEP_SEND_AGAIN);
	}
	if (str_equal_z(status, "ERROR") || str_equal_z(status, "EXPIRED")) {
		flow_restart_part(flow); /* not live, and never will be: a new container */
		return look_end(flow, step, STEP_SEND_AGAIN);
	}
	return look_end(flow, step, STEP_UNKNOWN);
}

/* It is out. Which of the account's media it is, only comparing can tell; never simply the newest.
 */
static const char *look_media_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id,caption,timestamp,permalink,media_product_type"));
	form_add(&form, "since",
		 str_format(env->arena, "%lld",
			    (long long)((env->started_at_us - LOOK_BACK_US) / US_PER_S)));
	graph_call(env, step, CALL_READ, "GET", edge_of(env, env->platform_account_id, "media"),
		   env->access_token, &form);
	return NULL;
}

static bool is_since(const struct env *env, const struct json *item)
{
	return graph_instant_us(env, json_string(json_get(item, "timestamp"))) >=
	       env->started_at_us - LOOK_BACK_US;
}

static bool is_our_media(const struct env *env, const struct flow *flow, const struct json *media)
{
	const bool is_known_to_be_out = !str_is_empty(flow_get(flow, "container"));
	return is_since(env, media) &&
	       (is_known_to_be_out ||
		!str_is_empty(str_trim(env->post->containers[0].content))) &&
	       graph_text_is(env, json_get(media, "caption"), env->post->containers[0].content);
}

/* Success stands; only the media's id may stay unknown, and with it the way to comment. */
static const char *look_media_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	if (graph_is_ok(reply))
		graph_look(env, flow, reply, step, "permalink", is_our_media);
	else
		look_end(flow, step, STEP_UNKNOWN);
	if (str_is_empty(flow_get(flow, "container")))
		return NULL;
	const bool may_tell = step->match_count == 1 && env->look <= LOOKS_FOR_MEDIA;
	if (env->look < LOOKS_FOR_MEDIA || may_tell)
		return NULL;
	flow_part_done(flow, (struct str){0}, (struct str){0});
	return look_end(flow, step, STEP_LANDED);
}

static const char *look_comments_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return read_fields(env, step, edge_of(env, flow->parts[0].remote_id, "comments"),
			   "id,text,timestamp,username");
}

static bool is_our_comment(const struct env *env, const struct flow *flow,
			   const struct json *comment)
{
	const struct str sent = env->post->containers[flow_part(flow)].content;
	const struct str author = json_string(json_get(comment, "username"));
	return is_since(env, comment) && graph_text_is(env, json_get(comment, "text"), sent) &&
	       (str_is_empty(author) || str_equal(author, env->username));
}

static const char *look_comments_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	return graph_look(env, flow, reply, step, "permalink", is_our_comment);
}

static const struct stage instagram_resolve_stages[] = {
	{"look", look_start_ask, graph_no_answer},
	{"status", look_status_ask, look_status_answer},
	{"media", look_media_ask, look_media_answer},
	{"comments", look_comments_ask, look_comments_answer},
	{.name = NULL},
};

/* ---- the platform ---- */

static void instagram_connect(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	stages_run(instagram_connect_stages, env, flow, reply, step);
}

static void instagram_publish(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	stages_run(instagram_publish_stages, env, flow, reply, step);
}

static void instagram_resolve(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	stages_run_probe(instagram_resolve_stages, env, flow, reply, step);
}

const struct platform platform_instagram = {
	.slug = "instagram",
	.id = PLATFORM_INSTAGRAM,
	.oauth = &instagram_oauth,
	.rules = &instagram_rules,
	.verify = graph_verify,
	.connect = instagram_connect,
	.publish = instagram_publish,
	.resolve = instagram_resolve,
};
