/* SPDX-License-Identifier: Apache-2.0
 * Logging in at the simulated X, for the tests that need a user's token. */
#pragma once

#include "probe.h"

#define X_CALLBACK "http://127.0.0.1:9/callback"
#define X_VERIFIER "verifier-verifier-verifier-verifier-verifier-43"
#define X_SCOPE "tweet.read tweet.write users.read media.write offline.access"

static inline struct str x_authorize_path(struct probe *probe, const char *scope,
					  const char *decision)
{
	const struct str challenge = probe_sha256_base64url(probe, STR(X_VERIFIER));
	struct str query =
		probe_form(probe, "response_type", "code", "client_id", "sandbox-x", "redirect_uri",
			   X_CALLBACK, "scope", scope, "state", "s t&=1", "code_challenge",
			   probe_z(probe, challenge), "code_challenge_method", "S256", NULL);
	if (decision != NULL)
		query = str_format(probe->arena, STR_FMT "&sandbox_decision=%s", STR_ARG(query),
				   decision);
	return str_concat(probe->arena, STR("/x.com/i/oauth2/authorize?"), query);
}

static inline struct str x_code(struct probe *probe, const char *scope)
{
	const struct probe_answer answer = probe_ask(
		probe, (struct probe_request){
			       .method = "GET",
			       .path = probe_z(probe, x_authorize_path(probe, scope, "allow"))});
	assert_status(answer, 302);
	return probe_location_param(probe, &answer, "code");
}

static inline struct probe_answer x_token_call(struct probe *probe, const char *basic_plain,
					       struct str form)
{
	const struct str basic = base64_encode(probe->arena, str_of(basic_plain));
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "POST",
			.path = "/api.x.com/2/oauth2/token",
			.headers = {probe_z(probe, str_format(probe->arena,
							      "Authorization: Basic " STR_FMT,
							      STR_ARG(basic)))},
			.body = form,
		});
}

static inline struct probe_answer x_exchange(struct probe *probe, struct str code,
					     const char *redirect_uri, const char *verifier)
{
	return x_token_call(probe, "sandbox-x:sandbox-secret-x",
			    probe_form(probe, "grant_type", "authorization_code", "code",
				       probe_z(probe, code), "redirect_uri", redirect_uri,
				       "code_verifier", verifier, NULL));
}

static inline struct str x_login(struct probe *probe)
{
	const struct probe_answer answer =
		x_exchange(probe, x_code(probe, X_SCOPE), X_CALLBACK, X_VERIFIER);
	assert_status(answer, 200);
	return probe_json_string(&answer, "access_token");
}

static inline struct probe_answer x_post(struct probe *probe, struct str token, const char *body)
{
	return probe_ask(probe, (struct probe_request){.method = "POST",
						       .path = "/api.x.com/2/tweets",
						       .bearer = token,
						       .body = str_of(body)});
}

static inline struct probe_answer x_get(struct probe *probe, struct str token, const char *path)
{
	return probe_ask(probe,
			 (struct probe_request){.method = "GET", .path = path, .bearer = token});
}
