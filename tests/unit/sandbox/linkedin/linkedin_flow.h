/* SPDX-License-Identifier: Apache-2.0
 * The simulated LinkedIn as its tests talk to it: consent, tokens, calls with the version header,
 * posts, uploads. Included by one test file each, hence all static. */
#pragma once

#include "probe.h"

#define WWW "/www.linkedin.com"
#define API "/api.linkedin.com"
#define REDIRECT "http://127.0.0.1:9/callback"
#define SCOPES \
	"openid profile email w_member_social w_organization_social r_organization_social " \
	"rw_organization_admin"
#define MEMBER "urn:li:person:sbJo_Doe42"
#define PAGE "urn:li:organization:1000001"
#define VERSION "LinkedIn-Version: 202609"

static const struct str none;

static inline struct probe_answer authorize(struct probe *probe, const char *client,
					    const char *redirect, const char *scope,
					    const char *decision)
{
	const struct str query =
		probe_form(probe, "response_type", "code", "client_id", client, "redirect_uri",
			   redirect, "state", "st-1", "scope", scope,
			   decision != NULL ? "sandbox_decision" : NULL, decision, NULL);
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(probe, str_format(probe->arena,
							  WWW "/oauth/v2/authorization?" STR_FMT,
							  STR_ARG(query))),
		});
}

static inline const char *code_for(struct probe *probe, const char *scope)
{
	const struct probe_answer answer =
		authorize(probe, "sandbox-linkedin", REDIRECT, scope, "allow");
	assert_status(answer, 302);
	return probe_z(probe, probe_location_param(probe, &answer, "code"));
}

static inline struct probe_answer post_form(struct probe *probe, const char *path, struct str form)
{
	return probe_ask(probe,
			 (struct probe_request){.method = "POST", .path = path, .body = form});
}

static inline struct probe_answer exchange(struct probe *probe, const char *code,
					   const char *redirect, const char *secret)
{
	return post_form(probe, WWW "/oauth/v2/accessToken",
			 probe_form(probe, "grant_type", "authorization_code", "code", code,
				    "redirect_uri", redirect, "client_id", "sandbox-linkedin",
				    "client_secret", secret, NULL));
}

static inline struct str token_for(struct probe *probe, const char *scope)
{
	const struct probe_answer answer =
		exchange(probe, code_for(probe, scope), REDIRECT, "sandbox-secret-linkedin");
	assert_status(answer, 200);
	return probe_json_string(&answer, "access_token");
}

static inline struct probe_answer call(struct probe *probe, const char *method, const char *path,
				       struct str token, struct str body)
{
	return probe_ask(probe, (struct probe_request){
					.method = method,
					.path = path,
					.bearer = token,
					.headers = {VERSION, "X-Restli-Protocol-Version: 2.0.0"},
					.body = body,
				});
}

static inline struct str post_body(struct probe *probe, const char *author, const char *commentary,
				   const char *content)
{
	return str_format(probe->arena,
			  "{\"author\":\"%s\",\"commentary\":\"%s\",\"visibility\":\"PUBLIC\","
			  "\"distribution\":"
			  "{\"feedDistribution\":\"MAIN_FEED\",\"targetEntities\":[],"
			  "\"thirdPartyDistributionChannels\":[]},\"lifecycleState\":\"PUBLISHED\","
			  "\"isReshareDisabledByAuthor\":false%s%s}",
			  author, commentary, content != NULL ? ",\"content\":" : "",
			  content != NULL ? content : "");
}

static inline struct probe_answer publish(struct probe *probe, struct str token, const char *author,
					  const char *commentary, const char *content)
{
	return call(probe, "POST", API "/rest/posts", token,
		    post_body(probe, author, commentary, content));
}

static inline const char *urn_path(struct probe *probe, const char *prefix, struct str urn,
				   const char *suffix)
{
	struct buf path;
	buf_init(&path, probe->arena, 4096);
	buf_add_z(&path, prefix);
	percent_encode(&path, urn);
	buf_add_z(&path, suffix);
	return probe_z(probe, buf_str(&path));
}

static inline struct probe_answer put_bytes(struct probe *probe, struct str url, struct str token,
					    struct str bytes)
{
	return probe_ask(probe, (struct probe_request){
					.method = "PUT",
					.path = probe_z(probe, url),
					.bearer = token,
					.content_type = "application/octet-stream",
					.body = bytes,
				});
}
