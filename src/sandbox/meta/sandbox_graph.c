/* SPDX-License-Identifier: Apache-2.0
 * The modules of Facebook and Instagram: routing a path to a node and an edge, the daily usage, and
 * the sites that people open (meta.md 1, 6). Both apps share one host, so the platform of
 * a call follows from its token or client id. */
#include "sandbox_graph.h"

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "sandbox_avatar.h"

static const struct graph_page *page_by_ig(struct sandbox *sandbox, struct str ig_id)
{
	struct graph_node *node = sandbox_graph_node_find(sandbox, ig_id);
	return node != NULL && node->kind == GRAPH_IG ? node->page : NULL;
}

/* "me" is the subject of the token: the user, or the Page of a Page token. */
static struct graph_node *resolve_node(struct sandbox_call *call, struct str id)
{
	if (!str_equal_z(id, "me"))
		return sandbox_graph_node_find(call->sandbox, id);
	struct sandbox_token *token = sandbox_graph_token(call);
	return token != NULL ? sandbox_graph_node_find(call->sandbox, token->subject) : NULL;
}

static const struct graph_edge *find_edge(const struct graph_edge *edges, size_t count,
					  struct str method, enum graph_kind kind, struct str edge)
{
	for (size_t i = 0; i < count; i++) {
		if (edges[i].kind == kind && str_equal_z(method, edges[i].method) &&
		    str_equal_z(edge, edges[i].edge))
			return &edges[i];
	}
	return NULL;
}

static const struct graph_edge *find_any_edge(struct str method, enum graph_kind kind,
					      struct str name)
{
	const struct graph_edge *edge = find_edge(
		sandbox_graph_pages_edges, sandbox_graph_pages_edge_count, method, kind, name);
	if (edge == NULL)
		edge = find_edge(sandbox_facebook_edges, sandbox_facebook_edge_count, method, kind,
				 name);
	if (edge == NULL)
		edge = find_edge(sandbox_facebook_comment_edges,
				 sandbox_facebook_comment_edge_count, method, kind, name);
	if (edge == NULL)
		edge = find_edge(sandbox_facebook_video_edges, sandbox_facebook_video_edge_count,
				 method, kind, name);
	if (edge == NULL)
		edge = find_edge(sandbox_facebook_reel_edges, sandbox_facebook_reel_edge_count,
				 method, kind, name);
	if (edge == NULL)
		edge = find_edge(sandbox_instagram_edges, sandbox_instagram_edge_count, method,
				 kind, name);
	return edge;
}

/* ---- usage (6.2) ---- */

#define BUDGET_CALLS (INT64_C(4800) * 20) /* of a day, with 20 people engaged */
#define USAGE_SHOWN_AFTER 10              /* "headers appear only after some traffic" */

/* Counts the call for the Page or its Instagram account, and reports the used share of the daily
 * budget. */
static void count_usage(struct sandbox_call *call, const struct graph_page *page, bool is_ig)
{
	struct graph_state *graph = sandbox_graph_state(call->sandbox);
	struct graph_usage *usage = &graph->usage[page - graph->pages][is_ig ? 1 : 0];
	if (call->now_us - usage->since_us > US_PER_DAY)
		*usage = (struct graph_usage){.since_us = call->now_us};
	if (++usage->calls <= USAGE_SHOWN_AFTER)
		return;
	sandbox_answer_header(call, "X-Business-Use-Case-Usage",
			      str_format(call->arena,
					 "{\"" STR_FMT "\":[{\"type\":\"%s\",\"call_count\":%lld,"
					 "\"total_cputime\":1,\"total_time\":1,"
					 "\"estimated_time_to_regain_access\":0}]}",
					 STR_ARG(is_ig ? page->ig_id : page->id),
					 is_ig ? "instagram" : "pages",
					 (long long)(usage->calls * 100 / BUDGET_CALLS)));
}

#define RATE_LIMIT_WAIT_S 60 /* when the fault gives none: the smallest wait that Meta can report */

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	static const struct graph_error page_limit = {
		400, 80001, 0,
		"There have been too many calls to this Page account. Wait a bit and try again."};
	static const struct graph_error ig_limit = {400, 80002, 0,
						    "There have been too many calls to this "
						    "Instagram account. Wait a bit and try again."};
	const bool is_ig = call->platform == SANDBOX_INSTAGRAM;
	const int64_t wait_s = retry_after_s > 0 ? retry_after_s : RATE_LIMIT_WAIT_S;
	sandbox_graph_fail(call, is_ig ? &ig_limit : &page_limit);
	sandbox_answer_header(
		call, "X-Business-Use-Case-Usage",
		str_format(call->arena,
			   "{\"" STR_FMT "\":[{\"type\":\"%s\",\"call_count\":100,"
			   "\"total_cputime\":25,\"total_time\":25,"
			   "\"estimated_time_to_regain_access\":%lld}]}",
			   STR_ARG(is_ig ? sandbox_graph_state(call->sandbox)->pages[0].ig_id
					 : sandbox_graph_state(call->sandbox)->pages[0].id),
			   is_ig ? "instagram" : "pages", (long long)(wait_s + 59) / 60));
}

static bool is_instagram_kind(enum graph_kind kind)
{
	return kind == GRAPH_IG || kind == GRAPH_CONTAINER || kind == GRAPH_IG_MEDIA ||
	       kind == GRAPH_IG_COMMENT;
}

static void handle_graph(struct sandbox_call *call)
{
	const struct str path = sandbox_graph_path(call);
	const struct str id = sandbox_graph_path_first(path);
	const struct str edge_name = str_slice(path, id.len + 2, path.len);
	if (!sandbox_graph_is_login_host(call) && str_equal_z(path, "/oauth/access_token")) {
		sandbox_graph_access_token(call);
		return;
	}
	if (!sandbox_graph_is_login_host(call) && str_equal_z(path, "/debug_token")) {
		sandbox_graph_debug_token(call);
		return;
	}
	struct graph_node *node = resolve_node(call, id);
	if (call->response->status != 0)
		return;
	if (node != NULL && sandbox_graph_node_is_gone(call, node))
		node = NULL;
	if (node == NULL && sandbox_graph_token(call) == NULL)
		return;
	/* Instagram Login's host knows Instagram only. */
	const bool is_elsewhere =
		node != NULL && sandbox_graph_is_login_host(call) && !is_instagram_kind(node->kind);
	const struct graph_edge *edge =
		node != NULL && !is_elsewhere
			? find_any_edge(call->request->method, node->kind, edge_name)
			: NULL;
	if (edge == NULL) {
		sandbox_graph_fail_text(
			call, &sandbox_graph_no_object,
			str_format(call->arena,
				   "Unsupported " STR_FMT " request. Object with ID '" STR_FMT
				   "' does not exist, "
				   "cannot be loaded due to missing permissions, or does "
				   "not support this operation",
				   STR_ARG(str_lower(call->arena, call->request->method)),
				   STR_ARG(id)));
		return;
	}
	if (!str_is_empty(sandbox_graph_version(call)))
		sandbox_answer_header(call, "facebook-api-version", sandbox_graph_version(call));
	/* The handler may LET GO OF THE LOCK: do not touch the node after it. */
	const struct graph_page *page = node->page;
	const bool is_ig = is_instagram_kind(node->kind);
	edge->handler(call, node);
	if (page != NULL)
		count_usage(call, page, is_ig);
}

static enum sandbox_platform platform_of(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_graph_token_of(call);
	const struct str client_id = sandbox_param(call, "client_id");
	if (token != NULL)
		return token->platform;
	if (client_id.len > 0)
		return sandbox_client_id_is(SANDBOX_INSTAGRAM, client_id) ? SANDBOX_INSTAGRAM
									  : SANDBOX_FACEBOOK;
	if (page_by_ig(call->sandbox, sandbox_graph_path_first(sandbox_graph_path(call))) != NULL)
		return SANDBOX_INSTAGRAM;
	return SANDBOX_FACEBOOK;
}

/* ---- pages of the sites themselves ---- */

/* A permalink leads to the post on the page of GET /. */
static void show_post(struct sandbox_call *call, enum sandbox_platform platform, struct str id)
{
	sandbox_redirect(call,
			 str_format(call->arena, STR_FMT "/#%s-" STR_FMT, STR_ARG(call->base_url),
				    sandbox_platform_slug(platform), STR_ARG(id)),
			 NULL, 0);
}

static void handle_facebook_site(struct sandbox_call *call)
{
	struct str rest = sandbox_capture(call, "rest");
	if (str_has_suffix(rest, STR("dialog/oauth"))) {
		sandbox_graph_dialog(call);
		return;
	}
	if (!str_skip(&rest, STR("reel/")))
		str_skip(&rest, STR("watch/"));
	if (sandbox_ledger_find(call->sandbox, SANDBOX_FACEBOOK, rest) != NULL)
		show_post(call, SANDBOX_FACEBOOK, rest);
	else
		sandbox_error_page(
			call, 404, "This page is not available",
			STR("The link may be broken, or the page may have been removed."));
}

static void handle_instagram_site(struct sandbox_call *call)
{
	const struct str code = sandbox_capture(call, "code");
	struct graph_node *media =
		sandbox_object_get(call->sandbox, SANDBOX_INSTAGRAM, "shortcode", code);
	if (media != NULL)
		show_post(call, SANDBOX_INSTAGRAM, media->id);
	else
		sandbox_error_page(
			call, 404, "This page is not available",
			STR("The link may be broken, or the page may have been removed."));
}

static void handle_avatar(struct sandbox_call *call)
{
	sandbox_avatar_answer(call, SANDBOX_AVATAR_LOGO, sandbox_capture(call, "id"));
}

/* ---- the modules ---- */

/* A photo of 10 MB as multipart (5). */
#define GRAPH_BODY_MAX_BYTES ((size_t)12 << 20)

/* Whole videos come as one body. */
#define RUPLOAD_BODY_MAX_BYTES ((size_t)1 << 30)

static const struct sandbox_route facebook_routes[] = {
	{"POST", "/graph-video.facebook.com/{*rest}", handle_graph, HTTP_BODY_MEMORY,
	 GRAPH_BODY_MAX_BYTES},
	{"POST", "/rupload.facebook.com/video-upload/{version}/{id}", sandbox_graph_rupload,
	 HTTP_BODY_FILE, RUPLOAD_BODY_MAX_BYTES},
	{"POST", "/rupload.facebook.com/ig-api-upload/{version}/{id}", sandbox_graph_rupload,
	 HTTP_BODY_FILE, RUPLOAD_BODY_MAX_BYTES},
	{"GET", "/www.facebook.com/{*rest}", handle_facebook_site, HTTP_BODY_NONE, 0},
	{"GET", "/" GRAPH_HOST "/{*rest}", handle_graph, HTTP_BODY_NONE, 0},
	{"POST", "/" GRAPH_HOST "/{*rest}", handle_graph, HTTP_BODY_MEMORY, GRAPH_BODY_MAX_BYTES},
	{"DELETE", "/" GRAPH_HOST "/{*rest}", handle_graph, HTTP_BODY_MEMORY, 0},
	{"GET", "/scontent.xx.fbcdn.net/avatar/{id}", handle_avatar, HTTP_BODY_NONE, 0},
};

const struct sandbox_module sandbox_facebook = {
	.platform = SANDBOX_FACEBOOK,
	.routes = facebook_routes,
	.route_count = COUNT_OF(facebook_routes),
	.state_size_bytes = sizeof(struct graph_state),
	.start = sandbox_graph_start,
	.platform_of = platform_of,
	.token_of = sandbox_graph_token_of,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = sandbox_graph_fail_expired,
	.render_error = sandbox_graph_render_error,
	.account_name = sandbox_graph_account_name,
};

static const struct sandbox_route instagram_routes[] = {
	{"GET", "/www.instagram.com/oauth/authorize", sandbox_instagram_authorize, HTTP_BODY_NONE,
	 0},
	{"POST", "/api.instagram.com/oauth/access_token", sandbox_instagram_exchange,
	 HTTP_BODY_MEMORY, 0},
	{"GET", "/" GRAPH_LOGIN_HOST "/access_token", sandbox_instagram_lengthen, HTTP_BODY_NONE,
	 0},
	{"GET", "/" GRAPH_LOGIN_HOST "/refresh_access_token", sandbox_instagram_renew,
	 HTTP_BODY_NONE, 0},
	{"GET", "/" GRAPH_LOGIN_HOST "/{*rest}", handle_graph, HTTP_BODY_NONE, 0},
	{"POST", "/" GRAPH_LOGIN_HOST "/{*rest}", handle_graph, HTTP_BODY_MEMORY,
	 GRAPH_BODY_MAX_BYTES},
	{"DELETE", "/" GRAPH_LOGIN_HOST "/{*rest}", handle_graph, HTTP_BODY_MEMORY, 0},
	{"GET", "/www.instagram.com/p/{code}/", handle_instagram_site, HTTP_BODY_NONE, 0},
	{"GET", "/www.instagram.com/reel/{code}/", handle_instagram_site, HTTP_BODY_NONE, 0},
	{"GET", "/www.instagram.com/stories/{user}/{code}", handle_instagram_site, HTTP_BODY_NONE,
	 0},
};

const struct sandbox_module sandbox_instagram = {
	.platform = SANDBOX_INSTAGRAM,
	.routes = instagram_routes,
	.route_count = COUNT_OF(instagram_routes),
	.token_of = sandbox_graph_token_of,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = sandbox_graph_fail_expired,
	.render_error = sandbox_graph_render_error,
	.account_name = sandbox_graph_account_name,
};
