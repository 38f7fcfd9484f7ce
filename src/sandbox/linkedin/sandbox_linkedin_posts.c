/* SPDX-License-Identifier: Apache-2.0
 * Posts of the simulated LinkedIn (linkedin.md 2.2 to 2.11, 4, 5): field checks, length
 * limits, the duplicate guard, and reading, which only pages allow. */
#include "count_of.h"

#include "sandbox_linkedin.h"

#include "utf8.h"

#define COMMENTARY_MAX 3000                      /* section 3 */
#define ALT_TEXT_MAX 4086                        /* section 3 */
#define ARTICLE_TEXT_MAX 4085                    /* section 3: "< 4086" */
#define MULTI_IMAGE_MIN 2                        /* 2.4 */
#define MULTI_IMAGE_MAX 20                       /* 2.4 */
#define POLL_QUESTION_MAX 140                    /* 2.8 */
#define POLL_OPTION_MAX 30                       /* 2.8 */
#define POLL_OPTIONS_MIN 2                       /* 2.8 */
#define POLL_OPTIONS_MAX 4                       /* 2.8 */
#define DUPLICATE_WINDOW_US (10 * US_PER_MINUTE) /* section 5 */
#define FINDER_COUNT_MAX 100

#define RESOURCE_POSTS "partnerApiPostsExternal"

/* A post on its way through the checks. */
struct draft {
	struct str author;
	struct linkedin_text text;
	struct str visibility;
	struct str feed;
	bool is_reshare_disabled;
	const struct json *content;
	const char *type; /* the ledger's word */
	struct str title;
	struct sandbox_media media[SANDBOX_POST_MEDIA_MAX];
	size_t media_count;
};

/* ---- refusals ---- */

static void refuse_duplicate(struct sandbox_call *call, struct str urn)
{
	struct json_writer w;
	sandbox_answer(call, 422, &w);
	json_begin_object(&w);
	json_member_str(&w, "errorDetailType", STR("com.linkedin.common.error.BadRequest"));
	json_member_str(&w, "message",
			str_format(call->arena,
				   "Invalid request. Content is a duplicate of " STR_FMT,
				   STR_ARG(urn)));
	json_key(&w, "errorDetails");
	json_begin_object(&w);
	json_key(&w, "inputErrors");
	json_begin_array(&w);
	json_begin_object(&w);
	json_member_str(&w, "description", STR("Duplicate post is detected"));
	json_key(&w, "input");
	json_begin_object(&w);
	json_end_object(&w);
	json_member_str(&w, "code", STR("DUPLICATE_POST"));
	json_end_object(&w);
	json_end_array(&w);
	json_end_object(&w);
	json_member_int(&w, "status", 422);
	json_end_object(&w);
}

/* ---- checking a post: the fields ---- */

bool sandbox_linkedin_is_page(struct str urn)
{
	return str_equal_z(urn, LINKEDIN_PAGE_URN);
}

static bool check_known_fields(struct sandbox_call *call, const struct json *body)
{
	static const char *const known[] = {"author",
					    "commentary",
					    "visibility",
					    "distribution",
					    "lifecycleState",
					    "isReshareDisabledByAuthor",
					    "content",
					    "reshareContext",
					    "adContext",
					    "contentLandingPage",
					    "container",
					    "contentCallToActionLabel",
					    NULL};
	for (size_t i = 0; i < body->count; i++) {
		if (!sandbox_is_one_of(body->keys[i], known))
			return sandbox_linkedin_refuse_schema(
				call, str_z(call->arena, body->keys[i]),
				"unrecognized field found but not allowed");
	}
	return true;
}

static bool check_required(struct sandbox_call *call, const struct json *body)
{
	static const char *const strings[] = {"author", "commentary", "visibility",
					      "lifecycleState"};
	for (size_t i = 0; i < COUNT_OF(strings); i++) {
		const struct json *value = json_get(body, strings[i]);
		if (json_is_null(value))
			return sandbox_linkedin_refuse_required(call, strings[i]);
		if (!json_is(value, JSON_TYPE_STRING))
			return sandbox_linkedin_refuse_schema(call, strings[i],
							      "cannot be coerced to String");
	}
	if (json_is_null(json_get(body, "distribution")))
		return sandbox_linkedin_refuse_required(call, "distribution");
	if (!json_is(json_get(json_get(body, "distribution"), "feedDistribution"),
		     JSON_TYPE_STRING))
		return sandbox_linkedin_refuse_required(call, "distribution/feedDistribution");
	return true;
}

static bool check_enums(struct sandbox_call *call, const struct json *body,
			const struct draft *draft)
{
	static const char *const visibilities[] = {"PUBLIC", "CONNECTIONS", "LOGGED_IN",
						   "CONTAINER", NULL};
	static const char *const feeds[] = {"MAIN_FEED", "NONE", NULL};
	const struct json *reshare = json_get(body, "isReshareDisabledByAuthor");
	if (!sandbox_is_one_of(draft->visibility, visibilities))
		return sandbox_linkedin_refuse_schema(call, "visibility", "is not an enum symbol");
	if (!sandbox_is_one_of(draft->feed, feeds))
		return sandbox_linkedin_refuse_schema(call, "distribution/feedDistribution",
						      "is not an enum symbol");
	if (!json_is_null(reshare) && !json_is(reshare, JSON_TYPE_BOOL))
		return sandbox_linkedin_refuse_schema(call, "isReshareDisabledByAuthor",
						      "cannot be coerced to Boolean");
	return true;
}

/* The rules of 2.2 that the schema does not express. */
static bool check_rules(struct sandbox_call *call, const struct json *body,
			const struct draft *draft)
{
	const struct json *targets = json_get(json_get(body, "distribution"), "targetEntities");
	if (!str_equal_z(json_string(json_get(body, "lifecycleState")), "PUBLISHED"))
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
						     "lifecycleState must be PUBLISHED on create");
	if (str_equal_z(draft->visibility, "CONTAINER"))
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
						     "visibility CONTAINER needs a group");
	if (!sandbox_linkedin_is_page(draft->author) &&
	    (str_equal_z(draft->feed, "NONE") || (targets != NULL && targets->count > 0)))
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
						     "distribution is restricted to organizations");
	if (sandbox_linkedin_is_page(draft->author) &&
	    str_equal_z(draft->visibility, "CONNECTIONS"))
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
						     "visibility CONNECTIONS is for members");
	if (draft->text.length > COMMENTARY_MAX)
		return sandbox_linkedin_refuse_field(call, "FIELD_LENGTH_TOO_LONG",
						     "commentary is longer than 3000 characters");
	return true;
}

/* ---- checking a post: the content ---- */

static bool check_asset_state(struct sandbox_call *call, const struct linkedin_asset *asset)
{
	switch (sandbox_linkedin_asset_status(asset, call->now_us)) {
	case LINKEDIN_ASSET_WAITING_UPLOAD:
		return sandbox_linkedin_refuse_field(call, "MEDIA_ASSET_WAITING_UPLOAD",
						     "MEDIA_ASSET_WAITING_UPLOAD: no bytes yet");
	case LINKEDIN_ASSET_PROCESSING_FAILED:
		return sandbox_linkedin_refuse_field(
			call, "MEDIA_ASSET_PROCESSING_FAILED",
			"MEDIA_ASSET_PROCESSING_FAILED: the media could not be processed");
	case LINKEDIN_ASSET_PROCESSING:
		if (asset->video == NULL)
			return true;
		return sandbox_linkedin_refuse_field(
			call, "MEDIA_ASSET_WAITING_UPLOAD",
			"MEDIA_ASSET_WAITING_UPLOAD: the video is still processed");
	case LINKEDIN_ASSET_AVAILABLE:
		return true;
	}
	return false;
}

/* Adds an asset to the draft. It must be of that kind, belong to the author, and have its bytes. */
static bool take_asset(struct sandbox_call *call, struct draft *draft, struct str urn,
		       struct str prefix, struct str alt_text)
{
	if (!str_has_prefix(urn, prefix))
		return sandbox_linkedin_refuse_field(call, "INVALID_URN_TYPE",
						     "The media URN is of the wrong type");
	const struct linkedin_asset *asset = sandbox_linkedin_asset_find(call->sandbox, urn);
	if (asset == NULL)
		return sandbox_linkedin_refuse_field(call, "INVALID_URN_ID",
						     "The media URN does not exist");
	if (!str_equal(asset->owner, draft->author)) {
		sandbox_linkedin_refuse(call, (struct linkedin_error){403, 100, "ACCESS_DENIED"},
					STR("Accessing this media resource is forbidden: its owner "
					    "is not the author"));
		return false;
	}
	if (!check_asset_state(call, asset))
		return false;
	if (utf8_code_points(alt_text) > ALT_TEXT_MAX)
		return sandbox_linkedin_refuse_field(call, "FIELD_LENGTH_TOO_LONG",
						     "altText is too long");
	draft->media[draft->media_count] = asset->media;
	draft->media[draft->media_count].alt_text = sandbox_keep_str(call->sandbox, alt_text);
	draft->media_count++;
	return true;
}

/* The kinds of URN that content.media accepts (2.3, 2.5, 2.6). */
static const struct {
	const char *prefix;
	const char *type;
} media_kinds[] = {
	{"urn:li:document:", "document"},
	{"urn:li:video:", "video"},
	{"urn:li:image:", "image"}, /* any other URN: take_asset() refuses it */
};

static bool check_media(struct sandbox_call *call, struct draft *draft, const struct json *media)
{
	const struct str urn = json_string(json_get(media, "id"));
	const struct str title = json_string(json_get(media, "title"));
	if (str_is_empty(urn))
		return sandbox_linkedin_refuse_required(call, "content/media/id");
	size_t kind = 0;
	while (kind < 2 && !str_has_prefix(urn, str_of(media_kinds[kind].prefix)))
		kind++;
	if (kind == 0 && str_is_empty(title))
		return sandbox_linkedin_refuse_field(call, "MISSING_FIELD",
						     "A document needs a title");
	draft->type = media_kinds[kind].type;
	draft->title = title;
	return take_asset(call, draft, urn, str_of(media_kinds[kind].prefix),
			  json_string(json_get(media, "altText")));
}

static bool check_multi_image(struct sandbox_call *call, struct draft *draft,
			      const struct json *multi)
{
	const struct json *images = json_get(multi, "images");
	if (!json_is(images, JSON_TYPE_ARRAY))
		return sandbox_linkedin_refuse_required(call, "content/multiImage/images");
	if (images->count < MULTI_IMAGE_MIN || images->count > MULTI_IMAGE_MAX)
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
						     "multiImage takes 2 to 20 images");
	draft->type = "multiImage";
	for (size_t i = 0; i < images->count; i++) {
		const struct json *image = json_at(images, i);
		if (!take_asset(call, draft, json_string(json_get(image, "id")),
				STR("urn:li:image:"), json_string(json_get(image, "altText"))))
			return false;
	}
	return true;
}

static bool check_article(struct sandbox_call *call, struct draft *draft,
			  const struct json *article)
{
	const struct str source = json_string(json_get(article, "source"));
	const struct str thumbnail = json_string(json_get(article, "thumbnail"));
	if (str_is_empty(source))
		return sandbox_linkedin_refuse_required(call, "content/article/source");
	if (!str_has_prefix(source, STR("https://")) && !str_has_prefix(source, STR("http://")))
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
						     "article source is not a URL");
	if (utf8_code_points(json_string(json_get(article, "title"))) > ARTICLE_TEXT_MAX ||
	    utf8_code_points(json_string(json_get(article, "description"))) > ARTICLE_TEXT_MAX)
		return sandbox_linkedin_refuse_field(call, "FIELD_LENGTH_TOO_LONG",
						     "article title or description is too long");
	draft->type = "article";
	draft->title = json_string(json_get(article, "title"));
	return str_is_empty(thumbnail) ||
	       take_asset(call, draft, thumbnail, STR("urn:li:image:"),
			  json_string(json_get(article, "thumbnailAltText")));
}

static bool check_poll_options(struct sandbox_call *call, const struct json *options)
{
	if (!json_is(options, JSON_TYPE_ARRAY) || options->count < POLL_OPTIONS_MIN ||
	    options->count > POLL_OPTIONS_MAX)
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
						     "A poll has 2 to 4 options");
	for (size_t i = 0; i < options->count; i++) {
		const size_t length =
			utf8_code_points(json_string(json_get(json_at(options, i), "text")));
		if (length == 0 || length > POLL_OPTION_MAX)
			return sandbox_linkedin_refuse_field(
				call, "FIELD_LENGTH_TOO_LONG",
				"A poll option has 1 to 30 characters");
	}
	return true;
}

static bool check_poll(struct sandbox_call *call, struct draft *draft, const struct json *poll)
{
	static const char *const durations[] = {"ONE_DAY", "THREE_DAYS", "SEVEN_DAYS",
						"FOURTEEN_DAYS", NULL};
	const size_t length = utf8_code_points(json_string(json_get(poll, "question")));
	if (length == 0 || length > POLL_QUESTION_MAX)
		return sandbox_linkedin_refuse_field(call, "FIELD_LENGTH_TOO_LONG",
						     "A poll question has 1 to 140 characters");
	if (!sandbox_is_one_of(json_string(json_get(json_get(poll, "settings"), "duration")),
			       durations))
		return sandbox_linkedin_refuse_schema(call, "content/poll/settings/duration",
						      "is not an enum symbol");
	draft->type = "poll";
	draft->title = json_string(json_get(poll, "question"));
	return check_poll_options(call, json_get(poll, "options"));
}

static bool check_content(struct sandbox_call *call, struct draft *draft)
{
	static const struct {
		const char *key;
		bool (*check)(struct sandbox_call *call, struct draft *draft,
			      const struct json *content);
	} kinds[] = {
		{"media", check_media},
		{"multiImage", check_multi_image},
		{"article", check_article},
		{"poll", check_poll},
	};
	const struct json *content = draft->content;
	if (json_is_null(content))
		return true;
	if (!json_is(content, JSON_TYPE_OBJECT) || content->count != 1)
		return sandbox_linkedin_refuse_schema(call, "content",
						      "union type requires exactly one member");
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (str_equal_z(content->keys[0], kinds[i].key))
			return kinds[i].check(call, draft, &content->items[0]);
	}
	return sandbox_linkedin_refuse_schema(call, "content", "is not a member type of the union");
}

/* A post without content needs words; a reshare excludes content (2.2). */
static bool check_substance(struct sandbox_call *call, const struct json *body, struct draft *draft)
{
	const struct json *reshare = json_get(body, "reshareContext");
	const bool has_content = !json_is_null(draft->content);
	if (!json_is_null(reshare)) {
		if (!str_has_prefix(json_string(json_get(reshare, "parent")), STR("urn:li:")))
			return sandbox_linkedin_refuse_required(call, "reshareContext/parent");
		if (has_content)
			return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
							     "A reshare has no content");
		draft->type = "reshare";
		return true;
	}
	if (!has_content && str_is_empty(str_trim(draft->text.shown)) && !draft->text.is_cut)
		return sandbox_linkedin_refuse_field(call, "INVALID_VALUE_BLANK_FIELD",
						     "commentary is blank");
	return true;
}

static bool check_post(struct sandbox_call *call, const struct sandbox_token *token,
		       struct draft *draft)
{
	const struct json *body = sandbox_json(call);
	if (!json_is(body, JSON_TYPE_OBJECT))
		return sandbox_linkedin_refuse_field(
			call, "ILLEGAL_ARGUMENT",
			"Request body could not be converted to data map");
	if (!check_known_fields(call, body) || !check_required(call, body))
		return false;
	*draft = (struct draft){
		.author = json_string(json_get(body, "author")),
		.visibility = json_string(json_get(body, "visibility")),
		.feed = json_string(json_get(json_get(body, "distribution"), "feedDistribution")),
		.is_reshare_disabled =
			json_bool(json_get(body, "isReshareDisabledByAuthor"), false),
		.content = json_get(body, "content"),
		.type = "post",
	};
	sandbox_linkedin_text_read(call->arena, json_string(json_get(body, "commentary")),
				   &draft->text);
	return check_enums(call, body, draft) &&
	       sandbox_linkedin_may_act(call, token, draft->author, RESOURCE_POSTS ".CREATE") &&
	       check_rules(call, body, draft) && check_substance(call, body, draft) &&
	       check_content(call, draft);
}

/* ---- publishing ---- */

/* The bare id in the URN, which the service knows as platform_account_id (1.6). */
struct str sandbox_linkedin_account_of(struct str urn)
{
	return sandbox_linkedin_is_page(urn) ? STR(LINKEDIN_PAGE_ID) : STR(LINKEDIN_MEMBER_ID);
}

static struct str json_text_of(struct arena *arena, const struct json *value)
{
	if (json_is_null(value))
		return (struct str){0};
	struct buf text;
	buf_init(&text, arena, 1024 * 1024);
	struct json_writer w;
	json_writer_init(&w, &text);
	json_put_value(&w, value);
	return buf_str(&text);
}

/* Finds a post by the same author with the same text and content in the last ten minutes.
 * Deleted posts count, which causes the ghost duplicates of section 5. */
static const struct linkedin_entry *find_duplicate(struct sandbox_call *call,
						   const struct draft *draft, struct str content)
{
	const struct sandbox_post *post = sandbox_ledger_newest(
		call->sandbox, SANDBOX_LINKEDIN, sandbox_linkedin_account_of(draft->author));
	for (; post != NULL && post->created_us > call->now_us - DUPLICATE_WINDOW_US;
	     post = post->older) {
		const struct linkedin_entry *entry = post->extra;
		if (!entry->is_comment && str_equal(entry->canonical, draft->text.canonical) &&
		    str_equal(entry->content, content))
			return entry;
	}
	return NULL;
}

static struct str urn_of(struct sandbox_call *call, const char *kind, struct str id)
{
	return sandbox_keep_str(call->sandbox,
				str_format(call->arena, "urn:li:%s:" STR_FMT, kind, STR_ARG(id)));
}

static struct linkedin_entry *keep_entry(struct sandbox_call *call, const struct draft *draft,
					 struct str content)
{
	struct linkedin_entry *entry = sandbox_keep(call->sandbox, sizeof(*entry));
	*entry = (struct linkedin_entry){
		.urn = urn_of(call, "share", sandbox_id_decimal(call->sandbox, "7", 19)),
		.activity = urn_of(call, "activity", sandbox_id_decimal(call->sandbox, "7", 19)),
		.author = sandbox_keep_str(call->sandbox, draft->author),
		.canonical = sandbox_keep_str(call->sandbox, draft->text.canonical),
		.shown = sandbox_keep_str(call->sandbox, draft->text.shown),
		.content = sandbox_keep_str(call->sandbox, content),
		.visibility = sandbox_keep_str(call->sandbox, draft->visibility),
		.feed = sandbox_keep_str(call->sandbox, draft->feed),
		.is_reshare_disabled = draft->is_reshare_disabled,
		.created_us = call->now_us,
	};
	sandbox_object_put(call->sandbox, SANDBOX_LINKEDIN, "entry", entry->urn, entry);
	sandbox_object_put(call->sandbox, SANDBOX_LINKEDIN, "entry", entry->activity, entry);
	return entry;
}

static struct str page_url(struct sandbox_call *call, const struct linkedin_entry *entry)
{
	return str_format(call->arena, "https://www.linkedin.com/feed/update/" STR_FMT "/",
			  STR_ARG(entry->urn));
}

static void publish(struct sandbox_call *call, const struct draft *draft,
		    const struct linkedin_entry *entry)
{
	const struct sandbox_post post = {
		.platform = SANDBOX_LINKEDIN,
		.account_id = sandbox_linkedin_account_of(draft->author),
		.id = entry->urn,
		.type = str_of(draft->type),
		.text = entry->shown,
		.media = draft->media,
		.media_count = draft->media_count,
		.url = page_url(call, entry),
		.title = draft->title,
		.created_us = call->now_us,
		.extra = entry,
	};
	sandbox_ledger_add(call->sandbox, &post);
}

void sandbox_linkedin_post_create(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	struct draft *draft = ARENA_NEW(call->arena, struct draft);
	if (token == NULL || !check_post(call, token, draft))
		return;
	const struct str content = json_text_of(call->arena, draft->content);
	const struct linkedin_entry *duplicate = find_duplicate(call, draft, content);
	if (duplicate != NULL) {
		refuse_duplicate(call, duplicate->urn);
		return;
	}
	const struct linkedin_entry *entry = keep_entry(call, draft, content);
	publish(call, draft, entry);
	sandbox_answer_header(call, "x-restli-id", entry->urn);
	sandbox_answer_header(call, "x-linkedin-id", entry->urn);
	sandbox_answer_empty(call, 201);
}

/* ---- reading and deleting ---- */

static void put_entry(struct json_writer *w, const struct linkedin_entry *entry)
{
	json_begin_object(w);
	json_member_str(w, "id", entry->urn);
	json_member_str(w, "author", entry->author);
	json_member_str(w, "commentary", entry->canonical);
	json_member_str(w, "visibility", entry->visibility);
	json_key(w, "distribution");
	json_begin_object(w);
	json_member_str(w, "feedDistribution", entry->feed);
	json_key(w, "thirdPartyDistributionChannels");
	json_begin_array(w);
	json_end_array(w);
	json_end_object(w);
	if (!str_is_empty(entry->content)) {
		json_key(w, "content");
		json_put_raw(w, entry->content);
	}
	json_member_str(w, "lifecycleState", STR("PUBLISHED"));
	json_member_bool(w, "isReshareDisabledByAuthor", entry->is_reshare_disabled);
	json_member_int(w, "createdAt", entry->created_us / US_PER_MS);
	json_member_int(w, "publishedAt", entry->created_us / US_PER_MS);
	json_member_int(w, "lastModifiedAt", entry->created_us / US_PER_MS);
	json_end_object(w);
}

/* Members' posts cannot be read at all; a page's need r_organization_social (1.2, 2.11). */
bool sandbox_linkedin_may_read(struct sandbox_call *call, const struct sandbox_token *token,
			       struct str author, const char *resource)
{
	if (sandbox_linkedin_is_page(author) &&
	    sandbox_scope_has(token->scope, "r_organization_social"))
		return true;
	sandbox_linkedin_refuse_access(call, resource);
	return false;
}

bool sandbox_linkedin_is_visible(struct sandbox *sandbox, const struct linkedin_entry *entry)
{
	return entry != NULL && sandbox_ledger_find(sandbox, SANDBOX_LINKEDIN, entry->urn) != NULL;
}

struct linkedin_entry *sandbox_linkedin_entry_find(struct sandbox_call *call, struct str urn)
{
	return sandbox_object_get(call->sandbox, SANDBOX_LINKEDIN, "entry", urn);
}

void sandbox_linkedin_post_get(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL)
		return;
	const struct linkedin_entry *entry =
		sandbox_linkedin_entry_find(call, sandbox_capture(call, "urn"));
	if (entry == NULL || entry->is_comment ||
	    sandbox_ledger_seen(call->sandbox, SANDBOX_LINKEDIN, entry->urn) == NULL) {
		sandbox_linkedin_refuse_not_found(call);
		return;
	}
	if (!sandbox_linkedin_may_read(call, token, entry->author, RESOURCE_POSTS ".GET"))
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	put_entry(&w, entry);
}

static bool is_finder(struct sandbox_call *call)
{
	if (str_equal_nocase(sandbox_header(call, "X-RestLi-Method"), STR("FINDER")) &&
	    str_equal_z(sandbox_query(call, "q"), "author"))
		return true;
	return sandbox_linkedin_refuse_field(
		call, "ILLEGAL_ARGUMENT",
		"Posts are found by q=author with X-RestLi-Method: FINDER");
}

static void put_page_of_posts(struct sandbox_call *call, struct json_writer *w, int64_t start,
			      int64_t count)
{
	const struct sandbox_post *post =
		sandbox_ledger_newest(call->sandbox, SANDBOX_LINKEDIN, STR(LINKEDIN_PAGE_ID));
	for (; post != NULL && count > 0; post = post->older) {
		const struct linkedin_entry *entry = post->extra;
		if (!sandbox_ledger_is_listed(call->sandbox, post) || entry->is_comment ||
		    start-- > 0)
			continue;
		put_entry(w, entry);
		count--;
	}
}

void sandbox_linkedin_post_find(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	const int64_t start = sandbox_param_int(call, "start", 0);
	const int64_t count = sandbox_param_int(call, "count", 10);
	if (token == NULL || !is_finder(call) ||
	    !sandbox_linkedin_may_read(call, token, sandbox_query(call, "author"),
				       RESOURCE_POSTS ".FINDER-author"))
		return;
	if (count < 1 || count > FINDER_COUNT_MAX || start < 0) {
		sandbox_linkedin_refuse_field(call, "ILLEGAL_ARGUMENT",
					      "start or count is out of range");
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	sandbox_linkedin_put_paging(&w, start, count);
	json_key(&w, "elements");
	json_begin_array(&w);
	put_page_of_posts(call, &w, start, count);
	json_end_array(&w);
	json_end_object(&w);
}

void sandbox_linkedin_post_delete(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL)
		return;
	const struct linkedin_entry *entry =
		sandbox_linkedin_entry_find(call, sandbox_capture(call, "urn"));
	if (entry == NULL || entry->is_comment) {
		sandbox_linkedin_refuse_not_found(call);
		return;
	}
	if (!sandbox_linkedin_may_act(call, token, entry->author, RESOURCE_POSTS ".DELETE"))
		return;
	sandbox_ledger_delete_thread(call->sandbox, SANDBOX_LINKEDIN, entry->urn);
	sandbox_answer_empty(call, 204); /* repeatable (2.11) */
}
