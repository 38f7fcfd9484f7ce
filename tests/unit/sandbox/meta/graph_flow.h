/* SPDX-License-Identifier: Apache-2.0
 * Logging in at the simulated Facebook, for the tests that need Page tokens. */
#pragma once

#include "probe.h"

#define GRAPH "/graph.facebook.com/v25.0"
#define GRAPH_CALLBACK "http://127.0.0.1:9/callback"
#define FACEBOOK_SCOPE \
	"pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement," \
	"business_management"
#define INSTAGRAM_SCOPE \
	"instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list," \
	"pages_read_engagement,business_management"
#define BAKERY "105312345678901234"
#define BOOKS "107398765432109876"
#define CINEMA "109311223344556677"
#define BAKERY_IG "17841405822304914"
#define BOOKS_IG "17841409876543210"

static inline struct probe_answer graph_get(struct probe *probe, struct str token, const char *path)
{
	return probe_ask(probe,
			 (struct probe_request){.method = "GET", .path = path, .bearer = token});
}

static inline struct probe_answer graph_post(struct probe *probe, struct str token,
					     const char *path, struct str form)
{
	return probe_ask(probe,
			 (struct probe_request){
				 .method = "POST", .path = path, .bearer = token, .body = form});
}

static inline struct probe_answer graph_dialog_ask(struct probe *probe, const char *slug,
						   const char *scope, const char *more)
{
	const struct str query = probe_form(
		probe, "client_id", probe_z(probe, str_format(probe->arena, "sandbox-%s", slug)),
		"redirect_uri", GRAPH_CALLBACK, "state", "state-1", "response_type", "code",
		"scope", scope, NULL);
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(probe,
					str_format(probe->arena,
						   "/www.facebook.com/v25.0/dialog/oauth?" STR_FMT
						   "%s",
						   STR_ARG(query), more)),
		});
}

static inline struct probe_answer graph_exchange(struct probe *probe, const char *slug,
						 struct str code)
{
	const struct str query = probe_form(
		probe, "client_id", probe_z(probe, str_format(probe->arena, "sandbox-%s", slug)),
		"client_secret",
		probe_z(probe, str_format(probe->arena, "sandbox-secret-%s", slug)), "redirect_uri",
		GRAPH_CALLBACK, "code", probe_z(probe, code), NULL);
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(probe, str_format(probe->arena,
							  GRAPH "/oauth/access_token?" STR_FMT,
							  STR_ARG(query)))});
}

static inline struct probe_answer graph_lengthen(struct probe *probe, const char *slug,
						 struct str token)
{
	const struct str query = probe_form(
		probe, "grant_type", "fb_exchange_token", "client_id",
		probe_z(probe, str_format(probe->arena, "sandbox-%s", slug)), "client_secret",
		probe_z(probe, str_format(probe->arena, "sandbox-secret-%s", slug)),
		"fb_exchange_token", probe_z(probe, token), NULL);
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(probe, str_format(probe->arena,
							  GRAPH "/oauth/access_token?" STR_FMT,
							  STR_ARG(query)))});
}

/* The long-lived user token after a consent with everything ticked that is so at first. */
static inline struct str graph_login(struct probe *probe, const char *slug, const char *scope)
{
	struct probe_answer answer =
		graph_dialog_ask(probe, slug, scope, "&sandbox_decision=allow");
	assert_status(answer, 302);
	answer = graph_exchange(probe, slug, probe_location_param(probe, &answer, "code"));
	assert_status(answer, 200);
	answer = graph_lengthen(probe, slug, probe_json_string(&answer, "access_token"));
	assert_status(answer, 200);
	return probe_json_string(&answer, "access_token");
}

static inline struct str graph_page_token_of(struct probe *probe, struct str user, const char *page)
{
	const struct probe_answer answer = graph_get(
		probe, user,
		probe_z(probe, str_format(probe->arena, GRAPH "/%s?fields=access_token", page)));
	assert_status(answer, 200);
	return probe_json_string(&answer, "access_token");
}

static inline int64_t graph_code(const struct probe_answer *answer)
{
	return json_int(json_get(json_get(answer->json, "error"), "code"), 0);
}

static inline int64_t graph_subcode(const struct probe_answer *answer)
{
	return json_int(json_get(json_get(answer->json, "error"), "error_subcode"), 0);
}
