/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: the body of a post (linkedin.md 2.2 to 2.9), from the post, its options and
 * the URNs under which its files went up. Every key is written here; options fill values only. */
#include "linkedin_adapter.h"

#include "arena.h"
#include "buf.h"

#include "json_write.h"

#include "little_text.h"

#define TEXT_GROWTH 3 /* a mention's URN may be longer than what stands for it */

struct str linkedin_part_text(const struct env *env, const struct flow *flow)
{
	return env->post->containers[flow_part(flow)].content;
}

/* ---- text ---- */

/* The mention whose "@Name" begins the text, the longest name first: "@Jo Doe" is not "@Jo". */
static const struct json *mention_at(struct str text, const struct json *mentions)
{
	const struct json *found = NULL;
	size_t longest = 0;
	if (!str_skip(&text, STR("@")))
		return NULL;
	for (size_t i = 0; json_at(mentions, i) != NULL; i++) {
		const struct str name = json_string(json_get(json_at(mentions, i), "name"));
		if (name.len <= longest || !str_has_prefix(text, name))
			continue;
		longest = name.len;
		found = json_at(mentions, i);
	}
	return found;
}

/* "@Name" becomes "@[Name](urn)" for every mention of the options. */
static struct str text_with_mentions(struct arena *arena, struct str text,
				     const struct json *mentions)
{
	struct buf out;
	if (!json_is(mentions, JSON_TYPE_ARRAY) || mentions->count == 0)
		return text;
	buf_init(&out, arena, TEXT_GROWTH * LINKEDIN_BODY_MAX_BYTES);
	while (text.len > 0) {
		const struct json *mention = mention_at(text, mentions);
		const struct str name = json_string(json_get(mention, "name"));
		const struct str urn = json_string(json_get(mention, "urn"));
		if (mention == NULL)
			buf_add_char(&out, text.ptr[0]);
		else
			buf_addf(&out, "@[" STR_FMT "](" STR_FMT ")", STR_ARG(name), STR_ARG(urn));
		text = str_slice(text, 1 + name.len, text.len);
	}
	return buf_str(&out);
}

struct str linkedin_commentary(const struct env *env)
{
	return little_text_escape(env->arena,
				  text_with_mentions(env->arena, env->post->containers[0].content,
						     json_get(env->options, "mentions")));
}

static bool ends_link(char c)
{
	return (unsigned char)c <= ' ' || c == '"' || c == '<' || c == '>';
}

static struct str first_link(struct str text)
{
	size_t start = SIZE_MAX;
	static const char *const schemes[] = {"https://", "http://"};
	for (size_t i = 0; i < 2; i++) {
		const size_t at = str_find(text, str_of(schemes[i]), 0);
		start = at < start ? at : start;
	}
	if (start == SIZE_MAX)
		return (struct str){0};
	size_t end = start;
	while (end < text.len && !ends_link(text.ptr[end]))
		end++;
	/* What ends the sentence does not belong to the address. */
	while (end > start && strchr(".,;:!?)]}'", text.ptr[end - 1]) != NULL)
		end--;
	return str_slice(text, start, end);
}

struct str linkedin_article_source(const struct json *options, struct str text)
{
	const struct str source = json_string(json_get(json_get(options, "article"), "source"));
	return str_is_empty(source) ? first_link(text) : source;
}

bool linkedin_is_article(enum post_type type, const struct json *options)
{
	return type == POST_TYPE_ARTICLE || json_is(json_get(options, "article"), JSON_TYPE_OBJECT);
}

/* ---- content ---- */

static struct str option(const struct env *env, const char *name)
{
	return json_string(json_get(env->options, name));
}

static void member_if(struct json_writer *w, const char *key, struct str value)
{
	if (!str_is_empty(value))
		json_member_str(w, key, value);
}

static void put_asset(const struct env *env, const struct flow *flow, size_t index,
		      struct str title, struct json_writer *w)
{
	const struct linkedin_asset asset = linkedin_asset_at(env, index);
	json_begin_object(w);
	json_member_str(w, "id", linkedin_asset_urn(env, flow, index));
	member_if(w, "title", title);
	if (asset.kind == LINKEDIN_IMAGE)
		member_if(w, "altText", asset.alt_text);
	json_end_object(w);
}

/* A document's title stands with it; a video's is an option of its own. */
static struct str media_title(const struct env *env)
{
	const struct str of_document =
		json_string(json_get(json_get(env->options, "document"), "title"));
	return str_is_empty(of_document) ? option(env, "media_title") : of_document;
}

static void put_media(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	const bool is_image = linkedin_asset_at(env, 0).kind == LINKEDIN_IMAGE;
	json_key(w, "media");
	put_asset(env, flow, 0, is_image ? (struct str){0} : media_title(env), w);
}

static void put_images(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	json_key(w, "multiImage");
	json_begin_object(w);
	json_key(w, "images");
	json_begin_array(w);
	for (size_t i = 0; i < linkedin_asset_count(env); i++)
		put_asset(env, flow, i, (struct str){0}, w);
	json_end_array(w);
	json_end_object(w);
}

static void put_article(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	const struct json *article = json_get(env->options, "article");
	json_key(w, "article");
	json_begin_object(w);
	json_member_str(w, "source",
			linkedin_article_source(env->options, env->post->containers[0].content));
	member_if(w, "title", json_string(json_get(article, "title")));
	member_if(w, "description", json_string(json_get(article, "description")));
	if (linkedin_asset_count(env) > 0) {
		json_member_str(w, "thumbnail", linkedin_asset_urn(env, flow, 0));
		member_if(w, "thumbnailAltText", linkedin_asset_at(env, 0).alt_text);
	}
	json_end_object(w);
}

static void put_poll(const struct env *env, struct json_writer *w)
{
	const struct json *poll = json_get(env->options, "poll");
	const struct json *options = json_get(poll, "options");
	const struct str duration = json_string(json_get(poll, "duration"));
	json_key(w, "poll");
	json_begin_object(w);
	json_member_str(w, "question", json_string(json_get(poll, "question")));
	json_key(w, "options");
	json_begin_array(w);
	for (size_t i = 0; json_at(options, i) != NULL; i++) {
		json_begin_object(w);
		json_member_str(w, "text", json_string(json_at(options, i)));
		json_end_object(w);
	}
	json_end_array(w);
	json_key(w, "settings");
	json_begin_object(w);
	json_member_str(w, "duration", str_is_empty(duration) ? STR("SEVEN_DAYS") : duration);
	json_member_str(w, "voteSelectionType", STR("SINGLE_VOTE"));
	json_member_bool(w, "isVoterVisibleToAuthor", true);
	json_end_object(w);
	json_end_object(w);
}

/* Exactly one kind, or no key at all (2.2); that they do not meet is a rule (linkedin_rules.c). */
static void put_content(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	const bool is_article = linkedin_is_article(env->post_type, env->options);
	const bool is_poll = json_is(json_get(env->options, "poll"), JSON_TYPE_OBJECT);
	const size_t count = linkedin_asset_count(env);
	if (!is_article && !is_poll && count == 0)
		return;
	json_key(w, "content");
	json_begin_object(w);
	if (is_article)
		put_article(env, flow, w);
	else if (is_poll)
		put_poll(env, w);
	else if (count == 1)
		put_media(env, flow, w);
	else
		put_images(env, flow, w);
	json_end_object(w);
}

/* ---- the rest ---- */

static void put_distribution(const struct env *env, struct json_writer *w)
{
	const struct json *targets = json_get(env->options, "targetEntities");
	const struct str feed = option(env, "feedDistribution");
	json_key(w, "distribution");
	json_begin_object(w);
	json_member_str(w, "feedDistribution", str_is_empty(feed) ? STR("MAIN_FEED") : feed);
	json_key(w, "targetEntities");
	json_begin_array(w);
	for (size_t i = 0; json_at(targets, i) != NULL; i++)
		json_put_value(w, json_at(targets, i));
	json_end_array(w);
	json_key(w, "thirdPartyDistributionChannels");
	json_begin_array(w);
	json_end_array(w);
	json_end_object(w);
}

/* A bare number is a share's (section 6). */
static void put_reshare(const struct env *env, struct json_writer *w)
{
	struct str parent = option(env, "reshare_urn");
	if (str_is_empty(parent))
		return;
	if (!str_has_prefix(parent, STR("urn:li:")))
		parent = str_concat(env->arena, STR("urn:li:share:"), parent);
	json_key(w, "reshareContext");
	json_begin_object(w);
	json_member_str(w, "parent", parent);
	json_end_object(w);
}

struct str linkedin_post_body(const struct env *env, const struct flow *flow)
{
	struct buf body;
	struct json_writer w;
	const struct str visibility = option(env, "visibility");
	buf_init(&body, env->arena, LINKEDIN_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "author", linkedin_author_urn(env));
	json_member_str(&w, "commentary", linkedin_commentary(env));
	json_member_str(&w, "visibility", str_is_empty(visibility) ? STR("PUBLIC") : visibility);
	put_distribution(env, &w);
	put_content(env, flow, &w);
	put_reshare(env, &w);
	member_if(&w, "contentLandingPage", option(env, "contentLandingPage"));
	member_if(&w, "contentCallToActionLabel", option(env, "contentCallToActionLabel"));
	json_member_str(&w, "lifecycleState", STR("PUBLISHED"));
	json_member_bool(&w, "isReshareDisabledByAuthor",
			 json_bool(json_get(env->options, "isReshareDisabledByAuthor"), false));
	json_end_object(&w);
	return buf_str(&body);
}
