/* SPDX-License-Identifier: Apache-2.0
 * Facebook Pages (platforms/meta.md 2, 3, 7). Photos are put up unpublished first, so that the one
 * call that people can see is POST /{page}/feed, for a text, a link and photos alike; every further
 * container is a comment under the post. Graph has no idempotency key: a feed call in doubt is
 * looked up among the Page's published posts. */
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

#define FETCH_AGAIN_MAX 3 /* meta.md 6.1: 389 and 6001, one or two retries */
#define FETCH_AGAIN_MS 5000
#define LOOK_BACK_US (120 * US_PER_S) /* RELIABILITY.md 2.3: created since started_at - 2 min */
#define PRESET_TEXT_MAX 130           /* meta.md section 5 */

/* ---- what a Page allows (meta.md sections 5 and 8) ---- */

static const struct oauth_profile facebook_oauth = {
	.authorize_url = "https://www.facebook.com/{graph_version}/dialog/oauth",
	.client_id_name = "client_id",
	.scopes = {"pages_show_list", "pages_manage_posts", "pages_read_engagement",
		   "pages_manage_engagement", "business_management"},
	.scope_separator = ",",
	.pkce = PKCE_NONE,
	.denied_errors = {"access_denied"},
};

/* business_management is asked for but not demanded: without it only the portfolios' Pages are
 * missing. */
static const char *const facebook_needed[] = {"pages_show_list", "pages_manage_posts",
					      "pages_read_engagement", "pages_manage_engagement",
					      NULL};

static const struct type_rule facebook_types[] = {
	{.type = POST_TYPE_POST,
	 .images_max = 10,
	 .media_max = 10,
	 .summary = "Text, a link, or up to 10 photos."},
	{.type = POST_TYPE_CAROUSEL,
	 .images_min = 2,
	 .images_max = 10,
	 .media_min = 2,
	 .media_max = 10,
	 .summary = "2 to 10 photos."},
	{.type = POST_TYPE_NONE},
};

/* All go to POST /{page}/feed under their own names. */
static const struct option_rule facebook_options[] = {
	{"link", OPTION_STRING, 0, NULL, "An address to share; not with photos."},
	{"place", OPTION_STRING, 0, NULL, "The id of a Page that stands for a place."},
	{"targeting", OPTION_OBJECT, 0, NULL, "Who may see the post."},
	{"feed_targeting", OPTION_OBJECT, 0, NULL, "In whose feed it is shown."},
	{"call_to_action", OPTION_OBJECT, 0, NULL, "{type, value: {link}}; with link."},
	{"text_format_preset_id", OPTION_STRING, 0, NULL,
	 "A coloured background; short text only."},
	{"backdated_time", OPTION_STRING, 0, NULL, "An earlier time to show."},
	{"backdated_time_granularity", OPTION_ENUM, 0, "year|month|day|hour|min",
	 "How exact that time is."},
	{.name = NULL},
};

static void facebook_check(const struct post_content *post, enum post_type type,
			   struct str account_id, struct problems *problems)
{
	(void)type;
	const struct json *options = rules_options(post, PLATFORM_FACEBOOK);
	const struct container *first = &post->containers[0];
	const int64_t length = (int64_t)utf8_code_points(first->content);
	if (!json_is_null(json_get(options, "link")) && first->media_count > 0)
		problem_add_rule(problems, STR("platforms.facebook.link"), "link_with_media",
				 account_id, -1, -1,
				 STR("A post on a Page has a link or photos, not both."));
	if (!json_is_null(json_get(options, "call_to_action")) &&
	    json_is_null(json_get(options, "link")))
		problem_add_rule(problems, STR("platforms.facebook.call_to_action"),
				 "link_required", account_id, -1, -1,
				 STR("A call_to_action needs the option link."));
	if (!json_is_null(json_get(options, "text_format_preset_id")) &&
	    (length > PRESET_TEXT_MAX || first->media_count > 0))
		problem_add_rule(problems, STR("platforms.facebook.text_format_preset_id"),
				 "text_too_long", account_id, PRESET_TEXT_MAX, length,
				 STR("A coloured background takes a text of at most 130 "
				     "characters, without media."));
	if (str_is_empty(str_trim(first->content)) && first->media_count == 0 &&
	    json_is_null(json_get(options, "link")))
		problem_add_rule(problems, rules_field(problems->arena, post, 0, "content"),
				 "text_required", account_id, 1, 0,
				 STR("A post on a Page needs text, a photo or the option link."));
}

static const struct post_rules facebook_rules = {
	.types = facebook_types,
	.text_unit = TEXT_CODE_POINTS,
	.text_max = 63206,
	.comment_text_max = 8000, /* not documented; what the site itself takes */
	.comments_max = POST_CONTAINERS_MAX - 1,
	.comment_images_max = 1, /* attachment_url */
	.alt_text_max = 1000,
	.options = facebook_options,
	.check = facebook_check,
};

/* ---- connect ---- */

static const char *facebook_permissions_answer(const struct env *env, struct flow *flow,
					       const struct reply *reply, struct step *step)
{
	return graph_permissions_answer(env, flow, reply, step, facebook_needed);
}

static struct str facebook_extra(const struct env *env, struct str user_id)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, 4096);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "user_id", user_id);
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

static bool facebook_account(const struct env *env, const struct flow *flow,
			     const struct graph_page *page, struct account_found *account)
{
	*account = (struct account_found){
		.platform_account_id = page->id,
		.username = str_is_empty(page->username) ? page->id : page->username,
		.name = page->name,
		.avatar_url = page->avatar_url,
		.type = ACCOUNT_PAGE,
		.access_token = page->access_token, /* without an expiry date (meta.md 2.7) */
		.scopes = flow_get(flow, "scopes"),
		.extra = facebook_extra(env, flow_get(flow, "user_id")),
	};
	return true;
}

static const char *facebook_finish_ask(const struct env *env, struct flow *flow, struct step *step)
{
	graph_finish(env, flow, step, facebook_account);
	return NULL;
}

static const struct stage facebook_connect_stages[] = {
	{"code", graph_code_ask, graph_code_answer},
	{"long", graph_long_ask, graph_long_answer},
	{"permissions", graph_permissions_ask, facebook_permissions_answer},
	{"me", graph_me_ask, graph_me_answer},
	{"pages", graph_pages_ask, graph_pages_answer},
	{"businesses", graph_businesses_ask, graph_businesses_answer},
	{"portfolio", graph_portfolio_ask, graph_portfolio_answer},
	{"finish", facebook_finish_ask, graph_no_answer},
	{.name = NULL},
};

/* ---- publish ---- */

static const struct container *current(const struct env *env, const struct flow *flow)
{
	return &env->post->containers[flow_part(flow)];
}

static const char *facebook_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	if (flow_part(flow) == flow->part_count) {
		step_done(step);
		return NULL;
	}
	return flow_part(flow) == 0 ? "photo" : "comment";
}

static const char *photo_name(const struct env *env, size_t index)
{
	return str_z(env->arena, str_format(env->arena, "photo%zu", index));
}

/* The first photo that has no id yet. */
static size_t photo_next(const struct env *env, const struct flow *flow)
{
	const struct container *container = current(env, flow);
	size_t index = 0;
	while (index < container->media_count &&
	       !str_is_empty(flow_get(flow, photo_name(env, index))))
		index++;
	return index;
}

/* An unpublished photo, which is gone in a day if nothing uses it (meta.md section 3). Meta fetches
 * the URL itself. */
static const char *facebook_photo_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct container *container = current(env, flow);
	const size_t index = photo_next(env, flow);
	struct buf form;
	if (index == container->media_count)
		return "feed";
	graph_form_init(env, &form);
	form_add(&form, "url", container->media[index].url);
	form_add(&form, "published", STR("false"));
	if (!str_is_empty(container->media[index].alt_text))
		form_add(&form, "alt_text_custom", container->media[index].alt_text);
	graph_call(env, step, CALL_PREPARE, "POST",
		   str_format(env->arena, STR_FMT "/photos", STR_ARG(env->platform_account_id)),
		   env->access_token, &form);
	return NULL;
}

static bool photo_may_repeat(struct flow *flow, const struct reply *reply)
{
	struct graph_error error;
	return graph_error_read(reply, &error) && error.remedy == GRAPH_REPEAT &&
	       flow_count(flow, "fetches") < FETCH_AGAIN_MAX;
}

static const char *facebook_photo_answer(const struct env *env, struct flow *flow,
					 const struct reply *reply, struct step *step)
{
	const struct str id = json_text(env->arena, json_get(reply->json, "id"));
	if (graph_is_ok(reply) && !str_is_empty(id)) {
		flow_set(flow, photo_name(env, photo_next(env, flow)), id);
		return "photo";
	}
	if (photo_may_repeat(flow, reply))
		step_wait(step, FETCH_AGAIN_MS);
	else
		graph_step_fail(env, reply, step);
	return NULL;
}

static void photos_add(const struct env *env, const struct flow *flow, struct buf *form)
{
	for (size_t i = 0; i < current(env, flow)->media_count; i++) {
		const struct str id = flow_get(flow, photo_name(env, i));
		const struct str name = str_format(env->arena, "attached_media[%zu]", i);
		form_add_str(
			form, name,
			str_format(env->arena, "{\"media_fbid\":\"" STR_FMT "\"}", STR_ARG(id)));
	}
}

static void form_send(const struct env *env, struct step *step, struct str object, const char *edge,
		      struct buf *form)
{
	graph_call(env, step, CALL_PUBLISH, "POST",
		   str_format(env->arena, STR_FMT "/%s", STR_ARG(object), edge), env->access_token,
		   form);
	if (form->is_over)
		step_fail(step, FAILURE_PERMANENT, CODE(CONTENT_REJECTED),
			  STR("The post with its options is too large."));
}

static const char *facebook_feed_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str message = current(env, flow)->content;
	struct buf form;
	graph_form_init(env, &form);
	if (!str_is_empty(message))
		form_add(&form, "message", message);
	photos_add(env, flow, &form);
	graph_options_add(env, &form, facebook_options);
	form_add(&form, "fields", STR("id,permalink_url"));
	form_send(env, step, env->platform_account_id, "feed", &form);
	return NULL;
}

static void publish_fail(const struct env *env, const struct flow *flow, const struct reply *reply,
			 struct step *step)
{
	if (graph_is_uncertain(reply)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return;
	}
	graph_step_fail(env, reply, step);
	/* 506 after an unknown outcome is evidence that the first try landed (meta.md 6.1): look,
	 * do not give up. */
	if (step->failure.code == CODE(DUPLICATE_CONTENT) && look_doubt_us(flow) != 0)
		*step = (struct step){.kind = STEP_UNCERTAIN};
}

static struct str post_url(const struct env *env, struct str permalink, struct str id)
{
	return str_is_empty(permalink)
		       ? str_concat(env->arena, STR("https://www.facebook.com/"), id)
		       : permalink;
}

static const char *facebook_feed_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	const struct str id = json_text(env->arena, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id)) {
		publish_fail(env, flow, reply, step);
		return NULL;
	}
	flow_part_done(flow, id,
		       post_url(env, json_string(json_get(reply->json, "permalink_url")), id));
	return "start";
}

static const char *facebook_comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct container *comment = current(env, flow);
	struct buf form;
	if (str_is_empty(flow->parts[0].remote_id)) {
		step_fail(step, FAILURE_PERMANENT, CODE(PLATFORM_REJECTED),
			  STR("The post is published, but its id is not known, so it cannot be "
			      "commented on."));
		return NULL;
	}
	graph_form_init(env, &form);
	if (!str_is_empty(comment->content))
		form_add(&form, "message", comment->content);
	if (comment->media_count > 0)
		form_add(&form, "attachment_url", comment->media[0].url);
	form_send(env, step, flow->parts[0].remote_id, "comments", &form);
	return NULL;
}

static const char *facebook_comment_answer(const struct env *env, struct flow *flow,
					   const struct reply *reply, struct step *step)
{
	const struct str id = json_text(env->arena, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id)) {
		publish_fail(env, flow, reply, step);
		return NULL;
	}
	flow_part_done(flow, id, (struct str){0});
	return "start";
}

static const struct stage facebook_publish_stages[] = {
	{"start", facebook_start_ask, graph_no_answer},
	{"photo", facebook_photo_ask, facebook_photo_answer},
	{"feed", facebook_feed_ask, facebook_feed_answer},
	{"comment", facebook_comment_ask, facebook_comment_answer},
	{.name = NULL},
};

static const char *look_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)step;
	look_since_us(env, flow); /* remembers when this part came into doubt */
	return flow_part(flow) == 0 ? "posts" : "comments";
}

static const char *look_posts_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "fields",
		 STR("id,message,created_time,permalink_url,attachments{target,subattachments}"));
	form_add(&form, "limit", STR("25"));
	graph_call(env, step, CALL_READ, "GET",
		   str_format(env->arena, STR_FMT "/published_posts",
			      STR_ARG(env->platform_account_id)),
		   env->access_token, &form);
	return NULL;
}

/* Created since the part came into doubt, less 2 minutes (RELIABILITY.md 2.3). */
static bool is_since(const struct env *env, const struct flow *flow, const struct json *item)
{
	return graph_instant_us(env, json_string(json_get(item, "created_time"))) >=
	       look_doubt_us(flow) - LOOK_BACK_US;
}

static bool says(const struct env *env, const struct json *item, struct str text)
{
	return !str_is_empty(str_trim(text)) && graph_text_is(env, json_get(item, "message"), text);
}

static bool is_photo_of_ours(const struct env *env, const struct flow *flow,
			     const struct json *attachment)
{
	const struct str id = json_text(env->arena, json_get(json_get(attachment, "target"), "id"));
	for (size_t i = 0; i < current(env, flow)->media_count; i++) {
		if (!str_is_empty(id) && str_equal(id, flow_get(flow, photo_name(env, i))))
			return true;
	}
	return false;
}

static bool any_photo_is_ours(const struct env *env, const struct flow *flow,
			      const struct json *attachments)
{
	const struct json *list = json_get(attachments, "data");
	for (size_t i = 0; json_is(list, JSON_TYPE_ARRAY) && i < list->count; i++) {
		const struct json *inner =
			json_get(json_get(&list->items[i], "subattachments"), "data");
		if (is_photo_of_ours(env, flow, &list->items[i]))
			return true;
		for (size_t j = 0; json_is(inner, JSON_TYPE_ARRAY) && j < inner->count; j++) {
			if (is_photo_of_ours(env, flow, &inner->items[j]))
				return true;
		}
	}
	return false;
}

/* Our photos, or our words since then. A post without words is known by its photos or not at all.
 */
static bool is_our_post(const struct env *env, const struct flow *flow, const struct json *post)
{
	const struct str message = current(env, flow)->content;
	if (!is_since(env, flow, post))
		return false;
	return any_photo_is_ours(env, flow, json_get(post, "attachments")) ||
	       says(env, post, message);
}

static const char *look_posts_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	return graph_look(env, flow, reply, step, "permalink_url", is_our_post);
}

static const char *look_comments_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id,message,from,created_time"));
	form_add(&form, "limit", STR("100"));
	graph_call(env, step, CALL_READ, "GET",
		   str_format(env->arena, STR_FMT "/comments", STR_ARG(flow->parts[0].remote_id)),
		   env->access_token, &form);
	return NULL;
}

/* Our words, by the Page itself, since then. Who wrote it may be left out of the answer. */
static bool is_our_comment(const struct env *env, const struct flow *flow,
			   const struct json *comment)
{
	const struct str author = json_text(env->arena, json_get(json_get(comment, "from"), "id"));
	const struct str message = current(env, flow)->content;
	return is_since(env, flow, comment) && says(env, comment, message) &&
	       (str_is_empty(author) || str_equal(author, env->platform_account_id));
}

static const char *look_comments_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	return graph_look(env, flow, reply, step, "permalink_url", is_our_comment);
}

static const struct stage facebook_resolve_stages[] = {
	{"look", look_start_ask, graph_no_answer},
	{"posts", look_posts_ask, look_posts_answer},
	{"comments", look_comments_ask, look_comments_answer},
	{.name = NULL},
};

/* ---- the platform ---- */

static void facebook_connect(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	stages_run(facebook_connect_stages, env, flow, reply, step);
}

static void facebook_publish(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	stages_run(facebook_publish_stages, env, flow, reply, step);
}

static void facebook_resolve(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	stages_run_probe(facebook_resolve_stages, env, flow, reply, step);
}

const struct platform platform_facebook = {
	.slug = "facebook",
	.id = PLATFORM_FACEBOOK,
	.oauth = &facebook_oauth,
	.rules = &facebook_rules,
	.verify = graph_verify,
	.connect = facebook_connect,
	.publish = facebook_publish,
	.resolve = facebook_resolve,
};
