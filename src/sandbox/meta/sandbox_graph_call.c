/* SPDX-License-Identifier: Apache-2.0
 * The Graph's plumbing under every edge: errors, tokens, paths, fields, paging, nodes
 * (meta.md 1, 2, 6). */
#include "sandbox_graph.h"

#include <sodium.h>

#include "arena.h"
#include "count_of.h"
#include "buf.h"
#include "str.h"
#include "timetext.h"

#include "base64.h"
#include "hex.h"
#include "json_write.h"

struct graph_state *sandbox_graph_state(struct sandbox *sandbox)
{
	return sandbox_state(sandbox, SANDBOX_FACEBOOK);
}

/* ---- errors (6) ---- */

void sandbox_graph_fail_text(struct sandbox_call *call, const struct graph_error *error,
			     struct str message)
{
	struct json_writer w;
	sandbox_answer(call, error->http_status, &w);
	json_begin_object(&w);
	json_key(&w, "error");
	json_begin_object(&w);
	json_member_str(&w, "message", message);
	json_member_str(&w, "type", STR("OAuthException"));
	json_member_int(&w, "code", error->code);
	if (error->subcode != 0)
		json_member_int(&w, "error_subcode", error->subcode);
	if (error->user_title != NULL) {
		json_member_bool(&w, "is_transient", false);
		json_member_str(&w, "error_user_title", str_of(error->user_title));
		json_member_str(&w, "error_user_msg", str_of(error->user_message));
	}
	json_member_str(&w, "fbtrace_id", sandbox_id_text(call->sandbox, "A", 22));
	json_end_object(&w);
	json_end_object(&w);
}

void sandbox_graph_fail(struct sandbox_call *call, const struct graph_error *error)
{
	sandbox_graph_fail_text(call, error, str_of(error->message));
}

void sandbox_graph_fail_token(struct sandbox_call *call, int subcode, const char *message)
{
	sandbox_graph_fail_text(call, &(struct graph_error){400, 190, subcode}, str_of(message));
	sandbox_answer_header(call, "WWW-Authenticate",
			      str_format(call->arena,
					 "OAuth \"Facebook Platform\" \"invalid_token\" \"%s\"",
					 message));
}

const struct graph_error sandbox_graph_no_object = {
	400,
	100,
	33,
	"Unsupported request. The object does not exist, cannot be loaded due to missing "
	"permissions, or does not support "
	"this operation",
	NULL,
	NULL};

void sandbox_graph_fail_expired(struct sandbox_call *call)
{
	sandbox_graph_fail_token(call, 463, "Error validating access token: Session has expired.");
}

/* ---- tokens ---- */

struct sandbox_token *sandbox_graph_token_find(struct sandbox *sandbox, struct str text)
{
	struct sandbox_token *token = sandbox_token_find(sandbox, SANDBOX_FACEBOOK, text);
	return token != NULL ? token : sandbox_token_find(sandbox, SANDBOX_INSTAGRAM, text);
}

static struct str token_text(struct sandbox_call *call)
{
	struct str text = sandbox_authorization(call, "Bearer");
	if (text.len == 0)
		text = sandbox_authorization(call, "OAuth");
	return text.len > 0 ? text : sandbox_param(call, "access_token");
}

struct sandbox_token *sandbox_graph_token_of(struct sandbox_call *call)
{
	struct sandbox_token *token = sandbox_graph_token_find(call->sandbox, token_text(call));
	return token != NULL ? token
			     : sandbox_graph_token_find(call->sandbox,
							sandbox_param(call, "fb_exchange_token"));
}

/* appsecret_proof is hex HMAC-SHA256(key = app secret, message = token) (1). */
static bool proof_is_right(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct str proof = sandbox_param(call, "appsecret_proof");
	const struct str secret =
		sandbox_client_secret(call->sandbox, call->arena, token->client_id);
	if (proof.ptr == NULL)
		return true;
	crypto_auth_hmacsha256_state state;
	crypto_auth_hmacsha256_init(&state, (const unsigned char *)secret.ptr, secret.len);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)token->text.ptr,
				      token->text.len);
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_final(&state, mac);
	return str_equal(proof,
			 hex_encode(call->arena, (struct str){(const char *)mac, sizeof(mac)}));
}

/* It came by Instagram Login: it is of one account, and of that login's host. */
static bool is_login_token(const struct sandbox_token *token)
{
	return str_equal_z(token->label, GRAPH_LOGIN_SHORT) ||
	       str_equal_z(token->label, GRAPH_LOGIN_LONG);
}

/* 2.7: what a person allowed a new app for Instagram ends 90 days after the consent. */
static bool data_access_has_ended(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct graph_grant *grant = sandbox_graph_grant(token);
	return token->platform == SANDBOX_INSTAGRAM && sandbox_client_id_is_new(token->client_id) &&
	       !is_login_token(token) && grant != NULL &&
	       call->now_us - grant->granted_us > GRAPH_DATA_ACCESS_US;
}

struct sandbox_token *sandbox_graph_token(struct sandbox_call *call)
{
	static const struct graph_error missing = {
		400, 104, 0, "An access token is required to request this resource."};
	static const struct graph_error bad_proof = {
		400, 100, 0, "Invalid appsecret_proof provided in the API argument"};
	const struct str text = token_text(call);
	struct sandbox_token *token = sandbox_graph_token_find(call->sandbox, text);
	if (text.len == 0) {
		sandbox_graph_fail(call, &missing);
		return NULL;
	}
	/* Either host knows its own login's tokens only (2.8). */
	if (token == NULL || token->kind != SANDBOX_TOKEN_ACCESS ||
	    is_login_token(token) != sandbox_graph_is_login_host(call)) {
		sandbox_graph_fail_token(call, 0,
					 "Invalid OAuth access token - Cannot parse access token");
		return NULL;
	}
	if (token->is_revoked) {
		sandbox_graph_fail_token(
			call, 467, "Error validating access token: The session was invalidated.");
		return NULL;
	}
	if (!sandbox_token_is_live(call->sandbox, token)) {
		sandbox_graph_fail_expired(call);
		return NULL;
	}
	if (data_access_has_ended(call, token)) {
		sandbox_graph_fail_token(
			call, 493,
			"The access token is invalid since the user hasn't engaged "
			"the app in longer than 90 days.");
		return NULL;
	}
	if (!proof_is_right(call, token)) {
		sandbox_graph_fail(call, &bad_proof);
		return NULL;
	}
	return token;
}

const struct graph_grant *sandbox_graph_grant(const struct sandbox_token *token)
{
	return token->extra;
}

bool sandbox_graph_is_page_token(const struct sandbox_token *token)
{
	return str_equal_z(token->label, "page");
}

bool sandbox_graph_is_login_host(const struct sandbox_call *call)
{
	return str_has_prefix(call->request->path, STR("/" GRAPH_LOGIN_HOST "/"));
}

/* Instagram Login names the same permissions instagram_business_... (2.1). */
static const char *scope_name(struct sandbox_call *call, const struct sandbox_token *token,
			      const char *scope)
{
	struct str rest = str_of(scope);
	if (!is_login_token(token) || !str_skip(&rest, STR("instagram_")))
		return scope;
	return str_z(call->arena, str_concat(call->arena, STR("instagram_business_"), rest));
}

static bool check_scope(struct sandbox_call *call, const struct sandbox_token *token,
			const char *wanted)
{
	const char *scope = scope_name(call, token, wanted);
	if (sandbox_scope_has(token->scope, scope))
		return true;
	sandbox_graph_fail_text(call, &(struct graph_error){403, 200, 0},
				str_format(call->arena,
					   "(#200) Requires the permission %s to manage the object",
					   scope));
	return false;
}

struct sandbox_token *sandbox_graph_page_token(struct sandbox_call *call,
					       const struct graph_page *page, const char *scope)
{
	/* The error that Pages get for a user token in place of a Page token (6.1). */
	static const struct graph_error not_as_page = {
		403, 200, 0,
		"(#200) Unpublished posts must be posted to a page as the page itself."};
	struct sandbox_token *token = sandbox_graph_token(call);
	if (token == NULL)
		return NULL;
	if (!sandbox_graph_is_page_token(token)) {
		sandbox_graph_fail(call, &not_as_page);
		return NULL;
	}
	if (!str_equal(token->subject, page->id)) {
		sandbox_graph_fail(call, &sandbox_graph_no_object);
		return NULL;
	}
	return check_scope(call, token, scope) ? token : NULL;
}

struct sandbox_token *sandbox_graph_page_reader(struct sandbox_call *call,
						const struct graph_page *page, const char *scope)
{
	const struct graph_page *pages = sandbox_graph_state(call->sandbox)->pages;
	struct sandbox_token *token = sandbox_graph_token(call);
	if (token == NULL)
		return NULL;
	const bool is_its_page =
		sandbox_graph_is_page_token(token) && str_equal(token->subject, page->id);
	const bool is_its_account = is_login_token(token) && str_equal(token->subject, page->ig_id);
	const bool is_its_user = !sandbox_graph_is_page_token(token) &&
				 sandbox_graph_grant(token)->has_page[page - pages];
	if (!is_its_page && !is_its_account && !is_its_user) {
		sandbox_graph_fail(call, &sandbox_graph_no_object);
		return NULL;
	}
	return check_scope(call, token, scope) ? token : NULL;
}

/* ---- paths, fields, paging ---- */

static bool is_version(struct str s)
{
	uint64_t major;
	uint64_t minor;
	return str_skip(&s, STR("v")) && str_take_u64(&s, 3, &major) && str_skip(&s, STR(".")) &&
	       str_take_u64(&s, 2, &minor) && s.len == 0;
}

struct str sandbox_graph_path_first(struct str path)
{
	return str_slice(path, 1, str_find_char(path, '/', 1));
}

static struct str below_host(struct sandbox_call *call)
{
	const struct str path = call->request->path;
	const size_t slash = str_find_char(path, '/', 1);
	return slash == SIZE_MAX ? STR("/") : str_slice(path, slash, path.len);
}

/* 1: when each version ends; a call to one that has ended is served by the oldest that has not. */
static const struct {
	const char *name;
	int64_t ends_us;
} versions[] = {
	{"v20.0", INT64_C(1790208000) * US_PER_S}, /* 2026-09-24 */
	{"v21.0", INT64_C(1800489600) * US_PER_S}, /* 2027-01-21 */
	{"v22.0", INT64_C(1810771200) * US_PER_S}, /* 2027-05-20 */
	{"v23.0", INT64_C(1822953600) * US_PER_S}, /* 2027-10-08 */
	{"v24.0", INT64_C(1834444800) * US_PER_S}, /* 2028-02-18 */
	{"v25.0", INT64_C(1848441600) * US_PER_S}, /* 2028-07-29 */
};

/* Numbers of equal length compare as texts. */
static bool is_up_to(struct str asked, const char *version)
{
	const size_t len = strlen(version);
	return asked.len < len || (asked.len == len && memcmp(asked.ptr, version, len) <= 0);
}

struct str sandbox_graph_version(struct sandbox_call *call)
{
	const struct str asked = sandbox_graph_path_first(below_host(call));
	if (!is_version(asked))
		return (struct str){0};
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		if (is_up_to(asked, versions[i].name) && call->now_us < versions[i].ends_us)
			return str_of(versions[i].name);
	}
	return is_up_to(asked, "v25.0") ? STR("v26.0") : asked;
}

struct str sandbox_graph_path(struct sandbox_call *call)
{
	const struct str path = below_host(call);
	const struct str first = sandbox_graph_path_first(path);
	if (!is_version(first))
		return path;
	return str_slice(path, first.len + 1, path.len);
}

/* Takes one element off a field list: "picture.type(large){url}". Commas inside brackets do not
 * end it. */
static struct str take_element(struct str *fields)
{
	size_t depth = 0;
	size_t at = 0;
	for (; at < fields->len; at++) {
		const char c = fields->ptr[at];
		if (c == ',' && depth == 0)
			break;
		if (c == '{' || c == '(')
			depth++;
		else if ((c == '}' || c == ')') && depth > 0)
			depth--;
	}
	const struct str element = str_trim(str_slice(*fields, 0, at));
	*fields = str_slice(*fields, at + 1, fields->len);
	return element;
}

bool sandbox_graph_field(struct str fields, const char *name, struct str *nested_out)
{
	while (fields.len > 0) {
		const struct str element = take_element(&fields);
		size_t end = 0;
		while (end < element.len && strchr(".({", element.ptr[end]) == NULL)
			end++;
		if (!str_equal_z(str_slice(element, 0, end), name))
			continue;
		const size_t brace = str_find_char(element, '{', 0);
		if (nested_out != NULL)
			*nested_out = brace == SIZE_MAX
					      ? (struct str){0}
					      : str_slice(element, brace + 1, element.len - 1);
		return true;
	}
	return false;
}

bool sandbox_graph_wants(struct sandbox_call *call, const char *name, bool is_default)
{
	const struct str fields = sandbox_param(call, "fields");
	return fields.len == 0 ? is_default : sandbox_graph_field(fields, name, NULL);
}

struct graph_paging sandbox_graph_paging_read(struct sandbox_call *call, size_t limit_default,
					      size_t limit_max)
{
	const int64_t limit = sandbox_param_int(call, "limit", (int64_t)limit_default);
	const struct str cursor = sandbox_param(call, "after");
	struct graph_paging paging = {.limit = limit_default};
	if (limit > 0)
		paging.limit = (size_t)limit < limit_max ? (size_t)limit : limit_max;
	struct str plain;
	uint64_t from;
	if (cursor.len > 0 && base64url_decode(call->arena, cursor, &plain) &&
	    str_parse_u64(plain, &from))
		paging.from = (size_t)from;
	return paging;
}

static struct str cursor_of(struct sandbox_call *call, size_t index)
{
	return base64url_encode(call->arena, str_format(call->arena, "%zu", index));
}

/* The URL of the same request with another cursor, token included, as Meta writes it. */
static struct str next_url(struct sandbox_call *call, struct str cursor)
{
	const struct form *query = &call->request->query;
	const struct str text = token_text(call);
	struct buf out;
	buf_init(&out, call->arena, 1 << 16);
	form_add(&out, "access_token", text);
	for (size_t i = 0; i < query->count; i++) {
		if (!str_equal_z(query->pairs[i].name, "access_token") &&
		    !str_equal_z(query->pairs[i].name, "after"))
			form_add_str(&out, query->pairs[i].name, query->pairs[i].value);
	}
	form_add(&out, "after", cursor);
	return str_format(call->arena, STR_FMT STR_FMT "?" STR_FMT, STR_ARG(call->base_url),
			  STR_ARG(call->request->path), STR_ARG(buf_str(&out)));
}

void sandbox_graph_paging_write(struct sandbox_call *call, struct json_writer *w,
				struct graph_paging paging, size_t shown, bool has_more)
{
	if (shown == 0)
		return;
	const struct str after = cursor_of(call, paging.from + shown);
	json_key(w, "paging");
	json_begin_object(w);
	json_key(w, "cursors");
	json_begin_object(w);
	json_member_str(w, "before", cursor_of(call, paging.from));
	json_member_str(w, "after", after);
	json_end_object(w);
	if (has_more)
		json_member_str(w, "next", next_url(call, after));
	json_end_object(w);
}

void sandbox_graph_member_time(struct json_writer *w, struct arena *arena, const char *key,
			       int64_t us)
{
	const struct str instant = timetext_format_instant(arena, us / US_PER_S * US_PER_S);
	json_member_str(w, key,
			str_concat(arena, str_slice(instant, 0, instant.len - 1), STR("+0000")));
}

int64_t sandbox_graph_time_param(struct sandbox_call *call, const char *name, int64_t fallback_us)
{
	const struct str text = sandbox_param(call, name);
	int64_t seconds;
	if (str_parse_i64(text, &seconds) && seconds > 0 && seconds < INT64_C(1) << 40)
		return seconds * US_PER_S;
	int64_t us;
	return timetext_parse_instant(text, &us) ? us : fallback_us;
}

void sandbox_graph_member_page(struct json_writer *w, const char *key,
			       const struct graph_page *page)
{
	json_key(w, key);
	json_begin_object(w);
	json_member_str(w, "name", page->name);
	json_member_str(w, "id", page->id);
	json_end_object(w);
}

void sandbox_graph_answer_id(struct sandbox_call *call, struct str id)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "id", id);
	json_end_object(&w);
}

void sandbox_graph_answer_success(struct sandbox_call *call)
{
	sandbox_answer_json(call, 200, "{\"success\":true}");
}

struct str sandbox_graph_permalink(struct sandbox_call *call, const char *host, struct str path)
{
	return sandbox_url(call, host, str_concat(call->arena, STR("/"), path));
}

/* ---- nodes ---- */

void *sandbox_graph_node_add(struct sandbox *sandbox, struct graph_node *node)
{
	sandbox_object_put(sandbox, SANDBOX_FACEBOOK, "graph_node", node->id, node);
	return node;
}

struct graph_node *sandbox_graph_node_find(struct sandbox *sandbox, struct str id)
{
	return sandbox_object_get(sandbox, SANDBOX_FACEBOOK, "graph_node", id);
}

void sandbox_graph_node_delete(struct sandbox_call *call, enum sandbox_platform platform,
			       struct graph_node *node)
{
	sandbox_ledger_delete_thread(call->sandbox, platform, node->id);
	node->deleted_us = call->now_us;
}

bool sandbox_graph_node_is_gone(struct sandbox_call *call, const struct graph_node *node)
{
	const int64_t late_us =
		sandbox_knob(call->sandbox, SANDBOX_KNOB_deletions_late_ms) * US_PER_MS;
	if (node->deleted_us == 0)
		return false;
	return !str_equal_z(call->request->method, "GET") ||
	       call->now_us >= node->deleted_us + late_us;
}
