/* SPDX-License-Identifier: Apache-2.0
 * Comments of the simulated LinkedIn (linkedin.md 2.10): plain text, not little text,
 * under a post or one level deeper, and the scope they may need. */
#include "sandbox_linkedin.h"

#include "utf8.h"

#define COMMENT_MAX 1250 /* section 3 [U] */
#define REPLIES_MAX 100
#define RESOURCE_COMMENTS "socialActions"

static bool may_comment(struct sandbox_call *call, const struct sandbox_token *token,
			struct str actor)
{
	const struct linkedin_app *app =
		sandbox_linkedin_app(sandbox_linkedin_app_find(token->client_id));
	const char *feed_scope = sandbox_linkedin_is_page(actor) ? "w_organization_social_feed"
								 : "w_member_social_feed";
	const bool is_ours =
		sandbox_linkedin_is_page(actor) || str_equal_z(actor, LINKEDIN_MEMBER_URN);
	if (is_ours && sandbox_scope_has(token->scope, feed_scope))
		return true;
	if (is_ours && app->comments_need_feed_scope) {
		sandbox_linkedin_refuse_access(call, RESOURCE_COMMENTS ".CREATE");
		return false;
	}
	return sandbox_linkedin_may_act(call, token, actor, RESOURCE_COMMENTS ".CREATE");
}

/* The entry that the comment replies to: the path's URN, or parentComment in the body. NULL =
 * the call has been answered. */
static const struct linkedin_entry *find_parent(struct sandbox_call *call)
{
	const struct str parent = json_string(json_get(sandbox_json(call), "parentComment"));
	const struct str object = json_string(json_get(sandbox_json(call), "object"));
	const struct linkedin_entry *top =
		sandbox_linkedin_entry_find(call, sandbox_capture(call, "urn"));
	const struct linkedin_entry *entry =
		str_is_empty(parent) ? top : sandbox_linkedin_entry_find(call, parent);
	if (!sandbox_linkedin_is_visible(call->sandbox, top) ||
	    !sandbox_linkedin_is_visible(call->sandbox, entry)) {
		sandbox_linkedin_refuse_not_found(call);
		return NULL;
	}
	if (entry->is_comment && !str_equal(entry->reply_to, entry->post_urn)) {
		sandbox_linkedin_refuse_field(call, "INVALID_VALUE_FOR_FIELD",
					      "Comments can be answered one level deep only");
		return NULL;
	}
	if (!str_is_empty(object) && !str_equal(object, entry->activity) &&
	    !str_equal(object, top->urn) && !str_equal(object, entry->post_urn)) {
		sandbox_linkedin_refuse_field(call, "INVALID_URN_ID",
					      "object is not the post of the path");
		return NULL;
	}
	return entry;
}

static bool check_comment(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct json *body = sandbox_json(call);
	const struct str actor = json_string(json_get(body, "actor"));
	const struct str text = json_string(json_get(json_get(body, "message"), "text"));
	if (!json_is(body, JSON_TYPE_OBJECT))
		return sandbox_linkedin_refuse_field(
			call, "ILLEGAL_ARGUMENT",
			"Request body could not be converted to data map");
	if (str_is_empty(actor))
		return sandbox_linkedin_refuse_required(call, "actor");
	if (str_is_empty(text))
		return sandbox_linkedin_refuse_required(call, "message/text");
	if (utf8_code_points(text) > COMMENT_MAX)
		return sandbox_linkedin_refuse_field(call, "FIELD_LENGTH_TOO_LONG",
						     "message is longer than 1250 characters");
	return may_comment(call, token, actor);
}

static struct linkedin_entry *keep_comment(struct sandbox_call *call,
					   const struct linkedin_entry *parent)
{
	const struct json *body = sandbox_json(call);
	struct linkedin_entry *entry = sandbox_keep(call->sandbox, sizeof(*entry));
	const struct str id = sandbox_id_decimal(call->sandbox, "7", 19);
	*entry = (struct linkedin_entry){
		.urn = sandbox_keep_str(call->sandbox,
					str_format(call->arena,
						   "urn:li:comment:(" STR_FMT "," STR_FMT ")",
						   STR_ARG(parent->activity), STR_ARG(id))),
		.activity = parent->activity,
		.author = sandbox_keep_str(call->sandbox, json_string(json_get(body, "actor"))),
		.shown = sandbox_keep_str(call->sandbox,
					  json_string(json_get(json_get(body, "message"), "text"))),
		.is_comment = true,
		.comment_id = id,
		.reply_to = parent->urn,
		.post_urn = parent->is_comment ? parent->post_urn : parent->urn,
		.created_us = call->now_us,
	};
	sandbox_object_put(call->sandbox, SANDBOX_LINKEDIN, "entry", entry->urn, entry);
	return entry;
}

static void publish_comment(struct sandbox_call *call, const struct linkedin_entry *entry)
{
	const struct sandbox_post post = {
		.platform = SANDBOX_LINKEDIN,
		.account_id = sandbox_linkedin_account_of(entry->author),
		.id = entry->urn,
		.type = STR("comment"),
		.text = entry->shown, /* plain text: no little text in comments (2.9) */
		.reply_to = entry->reply_to,
		.url = str_format(call->arena, "https://www.linkedin.com/feed/update/" STR_FMT "/",
				  STR_ARG(entry->post_urn)),
		.created_us = call->now_us,
		.extra = entry,
	};
	sandbox_ledger_add(call->sandbox, &post);
}

static void put_comment(struct json_writer *w, const struct linkedin_entry *entry)
{
	json_begin_object(w);
	json_member_str(w, "id", entry->comment_id);
	json_member_str(w, "$URN", entry->urn);
	json_member_str(w, "commentUrn", entry->urn);
	json_member_str(w, "actor", entry->author);
	json_member_str(w, "object", entry->activity);
	if (!str_equal(entry->reply_to, entry->post_urn))
		json_member_str(w, "parentComment", entry->reply_to);
	json_key(w, "created");
	json_begin_object(w);
	json_member_str(w, "actor", entry->author);
	json_member_int(w, "time", entry->created_us / US_PER_MS);
	json_end_object(w);
	json_key(w, "message");
	json_begin_object(w);
	json_key(w, "attributes");
	json_begin_array(w);
	json_end_array(w);
	json_member_str(w, "text", entry->shown);
	json_end_object(w);
	json_end_object(w);
}

void sandbox_linkedin_comment_create(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL || !check_comment(call, token))
		return;
	const struct linkedin_entry *parent = find_parent(call);
	if (parent == NULL)
		return;
	const struct linkedin_entry *entry = keep_comment(call, parent);
	publish_comment(call, entry);
	sandbox_answer_header(call, "x-restli-id", entry->comment_id);
	struct json_writer w;
	sandbox_answer(call, 201, &w);
	put_comment(&w, entry);
}

static bool may_list_comments(struct sandbox_call *call, const struct sandbox_token *token,
			      struct str author)
{
	if (sandbox_linkedin_is_page(author) &&
	    sandbox_scope_has(token->scope, "r_organization_social_feed"))
		return true;
	return sandbox_linkedin_may_read(call, token, author, RESOURCE_COMMENTS ".GET_ALL");
}

void sandbox_linkedin_comment_list(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL)
		return;
	const struct linkedin_entry *entry =
		sandbox_linkedin_entry_find(call, sandbox_capture(call, "urn"));
	if (!sandbox_linkedin_is_visible(call->sandbox, entry)) {
		sandbox_linkedin_refuse_not_found(call);
		return;
	}
	if (!may_list_comments(call, token, entry->author))
		return;
	struct sandbox_post *replies[REPLIES_MAX];
	const size_t count = sandbox_ledger_replies(call->sandbox, SANDBOX_LINKEDIN, entry->urn,
						    replies, REPLIES_MAX);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "elements");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		put_comment(&w, replies[i]->extra);
	json_end_array(&w);
	json_key(&w, "paging");
	json_begin_object(&w);
	json_member_int(&w, "start", 0);
	json_member_int(&w, "count", REPLIES_MAX);
	json_member_int(&w, "total", (int64_t)count);
	json_end_object(&w);
	json_end_object(&w);
}
