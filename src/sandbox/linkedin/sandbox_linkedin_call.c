/* SPDX-License-Identifier: Apache-2.0
 * Refusals of the simulated LinkedIn, and the check in front of /rest: version, token, quota, and
 * who may act for whom (linkedin.md 2.1, 4, 8, 9). */
#include "sandbox_linkedin.h"

/* The active versions, as the table of section 8 stood on 2026-11-21; 202611 has not been seen.
 * The sandbox's clock does not retire them, or tests would fail one day without any change. */
static const char *const active_versions[] = {
	"202601", "202602", "202603", "202604", "202605", "202606",
	"202607", "202608", "202609", "202610", NULL,
};

/* ---- answers ---- */

void sandbox_linkedin_refuse(struct sandbox_call *call, struct linkedin_error error,
			     struct str message)
{
	struct json_writer w;
	sandbox_answer(call, error.status, &w);
	json_begin_object(&w);
	json_member_int(&w, "status", error.status);
	if (error.service_code != 0)
		json_member_int(&w, "serviceErrorCode", error.service_code);
	if (error.code != NULL)
		json_member_str(&w, "code", str_of(error.code));
	json_member_str(&w, "message", message);
	json_end_object(&w);
}

void sandbox_linkedin_refuse_access(struct sandbox_call *call, const char *resource)
{
	sandbox_linkedin_refuse(
		call, (struct linkedin_error){403, 100, "ACCESS_DENIED"},
		str_format(call->arena, "Not enough permissions to access: %s", resource));
}

/* Refused by the schema: 422, "ERROR :: /field :: what" (section 4). */
bool sandbox_linkedin_refuse_schema(struct sandbox_call *call, const char *field, const char *what)
{
	struct json_writer w;
	sandbox_answer(call, 422, &w);
	json_begin_object(&w);
	json_member_str(&w, "message",
			str_format(call->arena, "ERROR :: /%s :: %s\n", field, what));
	json_member_int(&w, "status", 422);
	json_end_object(&w);
	return false;
}

bool sandbox_linkedin_refuse_required(struct sandbox_call *call, const char *field)
{
	return sandbox_linkedin_refuse_schema(
		call, field, "field is required but not found and has no default value");
}

/* Refused by the rules: 400 and a code. */
bool sandbox_linkedin_refuse_field(struct sandbox_call *call, const char *code, const char *message)
{
	sandbox_linkedin_refuse(call, (struct linkedin_error){400, 0, code}, str_of(message));
	return false;
}

void sandbox_linkedin_refuse_not_found(struct sandbox_call *call)
{
	sandbox_linkedin_refuse(call, (struct linkedin_error){404, 0, "NOT_FOUND"},
				STR("Could not find entity"));
}

void sandbox_linkedin_put_paging(struct json_writer *w, int64_t start, int64_t count)
{
	json_key(w, "paging");
	json_begin_object(w);
	json_member_int(w, "start", start);
	json_member_int(w, "count", count);
	json_key(w, "links");
	json_begin_array(w);
	json_end_array(w);
	json_end_object(w);
}

/* ---- the check ---- */

void sandbox_linkedin_refuse_expired(struct sandbox_call *call)
{
	sandbox_linkedin_refuse(call, (struct linkedin_error){401, 65602, "EXPIRED_ACCESS_TOKEN"},
				STR("The token used in the request has expired"));
}

struct sandbox_token *sandbox_linkedin_bearer(struct sandbox_call *call)
{
	struct sandbox_token *token = sandbox_token_bearer(call);
	if (str_is_empty(sandbox_authorization(call, "Bearer"))) {
		sandbox_linkedin_refuse(call,
					(struct linkedin_error){401, 65604, "EMPTY_ACCESS_TOKEN"},
					STR("Empty oauth2 access token"));
		return NULL;
	}
	if (token == NULL || token->kind != SANDBOX_TOKEN_ACCESS) {
		sandbox_linkedin_refuse(call,
					(struct linkedin_error){401, 65600, "INVALID_ACCESS_TOKEN"},
					STR("Invalid access token"));
		return NULL;
	}
	if (token->is_revoked) {
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){401, 65601, "REVOKED_ACCESS_TOKEN"},
			STR("The token used in the request has been revoked by the user"));
		return NULL;
	}
	if (!sandbox_token_is_live(call->sandbox, token)) {
		sandbox_linkedin_refuse_expired(call);
		return NULL;
	}
	return token;
}

/* Counts the call against the daily quotas of the app and its member (section 3). Both restart
 * at 00:00 UTC; no header says what is left. */
static bool take_quota(struct sandbox_call *call, const struct sandbox_token *token)
{
	struct linkedin_state *state = call->state;
	const size_t index = sandbox_linkedin_app_find(token->client_id);
	const struct linkedin_app *app = sandbox_linkedin_app(index);
	struct linkedin_consent *consent = &state->consents[index];
	const int64_t day = call->now_us / US_PER_DAY;
	if (consent->day != day) {
		consent->day = day;
		consent->calls = 0;
	}
	/* There is one member, so the app's calls are the member's. */
	if (consent->calls < app->member_day_max && consent->calls < app->app_day_max) {
		consent->calls++;
		return true;
	}
	sandbox_linkedin_refuse(
		call, (struct linkedin_error){429, 101, "TOO_MANY_REQUESTS"},
		str_format(call->arena,
			   "Resource level throttle %s DAY limit for calls to this resource is "
			   "reached.",
			   consent->calls < app->app_day_max ? "MEMBER" : "APPLICATION"));
	return false;
}

struct sandbox_token *sandbox_linkedin_enter(struct sandbox_call *call)
{
	const struct str version = str_trim(sandbox_header(call, "LinkedIn-Version"));
	sandbox_answer_header(call, "x-li-fabric", STR("sandbox"));
	if (str_is_empty(version)) {
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){400, 0, "VERSION_MISSING"},
			STR("A version must be present: add the LinkedIn-Version header"));
		return NULL;
	}
	if (!sandbox_is_one_of(version, active_versions)) {
		/* The real text prints the version with a two-digit revision (section 8). */
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){426, 0, "NONEXISTENT_VERSION"},
			str_format(call->arena, "Requested version " STR_FMT "01 is not active",
				   STR_ARG(version)));
		return NULL;
	}
	struct sandbox_token *token = sandbox_linkedin_bearer(call);
	return token != NULL && take_quota(call, token) ? token : NULL;
}

bool sandbox_linkedin_may_act(struct sandbox_call *call, const struct sandbox_token *token,
			      struct str urn, const char *resource)
{
	if (str_equal_z(urn, LINKEDIN_MEMBER_URN)) {
		if (sandbox_scope_has(token->scope, "w_member_social"))
			return true;
		sandbox_linkedin_refuse_access(call, resource);
		return false;
	}
	if (str_equal_z(urn, LINKEDIN_PAGE_URN)) {
		if (sandbox_scope_has(token->scope, "w_organization_social"))
			return true;
		sandbox_linkedin_refuse(call, (struct linkedin_error){400, 0, NULL},
					STR("Organization permissions must be used when using "
					    "organization as author"));
		return false;
	}
	if (str_has_prefix(urn, STR("urn:li:person:")) ||
	    str_has_prefix(urn, STR("urn:li:organization:")))
		sandbox_linkedin_refuse_access(call, resource);
	else
		sandbox_linkedin_refuse(
			call, (struct linkedin_error){400, 0, "INVALID_URN_TYPE"},
			str_format(call->arena,
				   "Not the URN of a person or an organization: " STR_FMT,
				   STR_ARG(urn)));
	return false;
}
