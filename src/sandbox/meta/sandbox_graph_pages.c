/* SPDX-License-Identifier: Apache-2.0
 * The person, the business and the Pages of the simulated Meta, and the edges that list them:
 * permissions, Pages with their tokens, Instagram accounts (meta.md 2.6, 2.7). */
#include "sandbox_graph.h"

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "json_write.h"

#define ACCOUNTS_PAGE_MAX 2 /* small pages: a caller that reads only the first one is noticed */

#define TEXT(literal) \
	{ \
		literal, sizeof(literal) - 1 \
	}

/* Constants, so that a Page stays valid after the lock was released. */
static const struct graph_page pages[GRAPH_PAGES] = {
	{.id = TEXT("105312345678901234"),
	 .name = TEXT("Harbour Bakery"),
	 .username = TEXT("harbourbakery"),
	 .ig_id = TEXT("17841405822304914"),
	 .ig_username = TEXT("harbour.bakery"),
	 .ig_name = TEXT("Harbour Bakery"),
	 .is_ticked = true},
	{.id = TEXT("107398765432109876"),
	 .name = TEXT("Lighthouse Books"),
	 .ig_id = TEXT("17841409876543210"),
	 .ig_username = TEXT("lighthouse.books"),
	 .is_ticked = true},
	{.id = TEXT("109311223344556677"),
	 .name = TEXT("Old Mill Cinema"),
	 .username = TEXT("oldmillcinema")},
};

void sandbox_graph_start(struct sandbox *sandbox, void *state)
{
	struct graph_state *graph = state;
	graph->user_id = STR("10229384756102938");
	graph->user_name = STR("Jo Doe");
	graph->business_id = STR("90071992547409931");
	graph->pages = pages;
	struct graph_node *nodes = sandbox_keep(sandbox, (2 + 2 * GRAPH_PAGES) * sizeof(*nodes));
	nodes[0] = (struct graph_node){GRAPH_USER, graph->user_id, NULL};
	nodes[1] = (struct graph_node){GRAPH_BUSINESS, graph->business_id, NULL};
	sandbox_graph_node_add(sandbox, &nodes[0]);
	sandbox_graph_node_add(sandbox, &nodes[1]);
	for (size_t i = 0; i < GRAPH_PAGES; i++) {
		const struct graph_page *page = &graph->pages[i];
		nodes[2 + i] = (struct graph_node){GRAPH_PAGE, page->id, page};
		sandbox_graph_node_add(sandbox, &nodes[2 + i]);
		nodes[2 + GRAPH_PAGES + i] = (struct graph_node){GRAPH_IG, page->ig_id, page};
		if (page->ig_id.len > 0)
			sandbox_graph_node_add(sandbox, &nodes[2 + GRAPH_PAGES + i]);
	}
}

static void write_picture(struct sandbox_call *call, struct json_writer *w, struct str name)
{
	json_key(w, "picture");
	json_begin_object(w);
	json_key(w, "data");
	json_begin_object(w);
	json_member_int(w, "height", 200);
	json_member_bool(w, "is_silhouette", false);
	json_member_str(
		w, "url",
		sandbox_url(call, "scontent.xx.fbcdn.net",
			    str_concat(call->arena, STR("/avatar/"), str_slice(name, 0, 1))));
	json_member_int(w, "width", 200);
	json_end_object(w);
	json_end_object(w);
}

static void get_user(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_state *graph = sandbox_graph_state(call->sandbox);
	if (sandbox_graph_token(call) == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	if (sandbox_graph_wants(call, "name", true))
		json_member_str(&w, "name", graph->user_name);
	if (sandbox_graph_wants(call, "picture", false))
		write_picture(call, &w, graph->user_name);
	json_member_str(&w, "id", node->id);
	json_end_object(&w);
}

static void get_permissions(struct sandbox_call *call, struct graph_node *node)
{
	const struct sandbox_token *token = sandbox_graph_token(call);
	(void)node;
	if (token == NULL)
		return;
	struct str words[33];
	words[0] = STR("public_profile");
	const size_t count =
		1 + sandbox_graph_scopes_split(sandbox_graph_grant(token)->asked, words + 1, 32);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++) {
		const bool is_granted =
			sandbox_scope_has(token->scope, str_z(call->arena, words[i]));
		if (i > 0 && str_equal(words[i], words[0]))
			continue;
		json_begin_object(&w);
		json_member_str(&w, "permission", words[i]);
		json_member_str(&w, "status", is_granted ? STR("granted") : STR("declined"));
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
}

/* A Page's token, one per consent. Derived from a long-lived user token it never expires, else
 * with the user's (2.7). */
static struct str page_token(struct sandbox_call *call, const struct sandbox_token *user,
			     size_t index)
{
	/* The grant is our kept memory; the token through which it is reached calls it const. */
	struct graph_grant *grant = (struct graph_grant *)(uintptr_t)sandbox_graph_grant(user);
	const bool is_long = str_equal_z(user->label, "long");
	struct sandbox_token **slot = &grant->page_tokens[index][is_long ? 1 : 0];
	if (*slot == NULL || !sandbox_token_is_live(call->sandbox, *slot))
		*slot = sandbox_token_issue(
			call->sandbox,
			&(struct sandbox_token){
				.platform = user->platform,
				.kind = SANDBOX_TOKEN_ACCESS,
				.prefix = STR("EAA"),
				.random_length = 190,
				.client_id = user->client_id,
				.subject = sandbox_graph_state(call->sandbox)->pages[index].id,
				.scope = user->scope,
				.label = STR("page"),
				.lifetime_s = is_long ? 0 : GRAPH_SHORT_TOKEN_S,
				.extra = grant,
			});
	return (*slot)->text;
}

static void write_ig_account(struct sandbox_call *call, struct json_writer *w,
			     const struct graph_page *page, struct str fields)
{
	if (fields.len > 0 && sandbox_graph_field(fields, "username", NULL))
		json_member_str(w, "username", page->ig_username);
	if (page->ig_name.len > 0 && fields.len > 0 && sandbox_graph_field(fields, "name", NULL))
		json_member_str(w, "name", page->ig_name);
	if (fields.len > 0 && sandbox_graph_field(fields, "profile_picture_url", NULL))
		json_member_str(w, "profile_picture_url",
				sandbox_url(call, "scontent.xx.fbcdn.net",
					    str_concat(call->arena, STR("/avatar/"),
						       str_slice(page->ig_username, 0, 1))));
	json_member_str(w, "id", page->ig_id);
}

static void write_tasks(struct json_writer *w)
{
	static const char *const tasks[] = {"ADVERTISE", "ANALYZE",  "CREATE_CONTENT",
					    "MESSAGING", "MODERATE", "MANAGE"};
	json_key(w, "tasks");
	json_begin_array(w);
	for (size_t i = 0; i < COUNT_OF(tasks); i++)
		json_put_str(w, str_of(tasks[i]));
	json_end_array(w);
}

static void write_page(struct sandbox_call *call, struct json_writer *w,
		       const struct sandbox_token *user, size_t index, bool is_list)
{
	const struct graph_page *page = &sandbox_graph_state(call->sandbox)->pages[index];
	const bool is_ticked = sandbox_graph_grant(user)->has_page[index];
	json_begin_object(w);
	/* A Page that was not ticked is listed without a token (2.6). */
	if (is_ticked && sandbox_graph_wants(call, "access_token", is_list))
		json_member_str(w, "access_token",
				sandbox_graph_is_page_token(user) ? user->text
								  : page_token(call, user, index));
	if (sandbox_graph_wants(call, "category", is_list))
		json_member_str(w, "category", STR("Local business"));
	if (sandbox_graph_wants(call, "name", true))
		json_member_str(w, "name", page->name);
	if (page->username.len > 0 && sandbox_graph_wants(call, "username", false))
		json_member_str(w, "username", page->username);
	if (is_ticked && sandbox_graph_wants(call, "tasks", is_list))
		write_tasks(w);
	if (sandbox_graph_wants(call, "picture", false))
		write_picture(call, w, page->name);
	struct str nested = {0};
	if (page->ig_id.len > 0 && sandbox_scope_has(user->scope, "instagram_basic") &&
	    sandbox_graph_field(sandbox_param(call, "fields"), "instagram_business_account",
				&nested)) {
		json_key(w, "instagram_business_account");
		json_begin_object(w);
		write_ig_account(call, w, page, nested);
		json_end_object(w);
	}
	json_member_str(w, "id", page->id);
	json_end_object(w);
}

static void answer_pages(struct sandbox_call *call, const char *scope)
{
	const struct graph_paging paging =
		sandbox_graph_paging_read(call, ACCOUNTS_PAGE_MAX, ACCOUNTS_PAGE_MAX);
	const struct sandbox_token *token = sandbox_graph_token(call);
	if (token == NULL)
		return;
	if (!sandbox_scope_has(token->scope, scope)) {
		sandbox_graph_fail_text(
			call, &(struct graph_error){403, 200, 0},
			str_format(call->arena,
				   "(#200) Requires %s permission to manage the object", scope));
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	size_t shown = 0;
	const bool is_empty = sandbox_knob(call->sandbox, SANDBOX_KNOB_meta_accounts_empty) != 0;
	const size_t count = is_empty ? 0 : GRAPH_PAGES;
	for (size_t i = paging.from; i < count && shown < paging.limit; i++, shown++)
		write_page(call, &w, token, i, true);
	json_end_array(&w);
	sandbox_graph_paging_write(call, &w, paging, shown, paging.from + shown < count);
	json_end_object(&w);
}

static void get_accounts(struct sandbox_call *call, struct graph_node *node)
{
	(void)node;
	answer_pages(call, "pages_show_list");
}

static void get_owned_pages(struct sandbox_call *call, struct graph_node *node)
{
	(void)node;
	answer_pages(call, "business_management");
}

static void get_client_pages(struct sandbox_call *call, struct graph_node *node)
{
	(void)node;
	if (sandbox_graph_token(call) != NULL)
		sandbox_answer_json(call, 200, "{\"data\":[]}");
}

static void get_businesses(struct sandbox_call *call, struct graph_node *node)
{
	const struct sandbox_token *token = sandbox_graph_token(call);
	(void)node;
	if (token == NULL)
		return;
	if (!sandbox_scope_has(token->scope, "business_management")) {
		sandbox_graph_fail_text(call, &(struct graph_error){400, 100, 0},
					STR("(#100) Missing Permission"));
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	json_begin_object(&w);
	json_member_str(&w, "id", sandbox_graph_state(call->sandbox)->business_id);
	json_member_str(&w, "name", STR("Harbour Street Shops"));
	json_end_object(&w);
	json_end_array(&w);
	json_end_object(&w);
}

static void get_page(struct sandbox_call *call, struct graph_node *node)
{
	const struct sandbox_token *token = sandbox_graph_token(call);
	if (token == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	write_page(call, &w, token,
		   (size_t)(node->page - sandbox_graph_state(call->sandbox)->pages), false);
}

static void get_ig(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_graph_page_reader(call, node->page, "instagram_basic") == NULL)
		return;
	if (sandbox_graph_is_login_host(call)) {
		sandbox_instagram_profile_write(call, node->page);
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	write_ig_account(call, &w, node->page, sandbox_param(call, "fields"));
	json_end_object(&w);
}

const struct graph_edge sandbox_graph_pages_edges[] = {
	{"GET", GRAPH_USER, "", get_user},
	{"GET", GRAPH_USER, "permissions", get_permissions},
	{"GET", GRAPH_USER, "accounts", get_accounts},
	{"GET", GRAPH_USER, "businesses", get_businesses},
	{"GET", GRAPH_BUSINESS, "owned_pages", get_owned_pages},
	{"GET", GRAPH_BUSINESS, "client_pages", get_client_pages},
	{"GET", GRAPH_PAGE, "", get_page},
	{"GET", GRAPH_IG, "", get_ig},
};
const size_t sandbox_graph_pages_edge_count = COUNT_OF(sandbox_graph_pages_edges);

struct str sandbox_graph_account_name(struct str account_id)
{
	for (size_t i = 0; i < GRAPH_PAGES; i++) {
		const struct graph_page *page = &pages[i];
		if (str_equal(account_id, page->id))
			return page->name;
		if (page->ig_id.len > 0 && str_equal(account_id, page->ig_id))
			return page->ig_name.len > 0 ? page->ig_name : page->ig_username;
	}
	return STR("");
}
