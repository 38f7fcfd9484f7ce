/* SPDX-License-Identifier: Apache-2.0
 * The member and the page of the simulated LinkedIn, as its profile calls show them
 * (linkedin.md 1.6). */
#include "sandbox_linkedin.h"

#include "sandbox_avatar.h"

#define MEMBER_NAME "Jo Doe"
#define MEMBER_EMAIL "jo.doe@example.com"
#define PAGE_NAME "Posthorn Sandbox Inc."
#define PAGE_VANITY "posthorn-sandbox"

static struct str avatar_url(struct sandbox_call *call, const char *path)
{
	return sandbox_url(call, LINKEDIN_AVATAR_HOST, str_of(path));
}

void sandbox_linkedin_userinfo(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_bearer(call);
	if (token == NULL)
		return;
	if (!sandbox_scope_has(token->scope, "openid") ||
	    !sandbox_scope_has(token->scope, "profile")) {
		sandbox_linkedin_refuse_access(call, "userinfo.GET.NO_VERSION");
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "sub", STR(LINKEDIN_MEMBER_ID));
	json_member_str(&w, "name", STR(MEMBER_NAME));
	json_member_str(&w, "given_name", STR("Jo"));
	json_member_str(&w, "family_name", STR("Doe"));
	json_member_str(&w, "picture", avatar_url(call, "/dms/image/member"));
	json_member_str(&w, "locale", STR("en-US"));
	if (sandbox_scope_has(token->scope, "email")) {
		json_member_str(&w, "email", STR(MEMBER_EMAIL));
		json_member_bool(&w, "email_verified", true);
	}
	json_end_object(&w);
}

/* "elements":[{"width":100,"identifiers":[{"identifier":URL}]}], the shape of every "~" in a
 * projection (1.6). */
static void put_picture(struct json_writer *w, struct str url)
{
	json_begin_object(w);
	json_key(w, "elements");
	json_begin_array(w);
	json_begin_object(w);
	json_key(w, "identifiers");
	json_begin_array(w);
	json_begin_object(w);
	json_member_str(w, "identifier", url);
	json_member_str(w, "identifierType", STR("EXTERNAL_URL"));
	json_end_object(w);
	json_end_array(w);
	json_end_object(w);
	json_end_array(w);
	json_end_object(w);
}

static bool asks_for(struct sandbox_call *call, struct str name)
{
	return str_find(sandbox_query(call, "projection"), name, 0) != SIZE_MAX;
}

void sandbox_linkedin_me(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_bearer(call);
	if (token == NULL)
		return;
	if (!sandbox_scope_has(token->scope, "r_basicprofile")) {
		sandbox_linkedin_refuse_access(call, "GET /me");
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "id", STR(LINKEDIN_MEMBER_ID));
	json_member_str(&w, "localizedFirstName", STR("Jo"));
	json_member_str(&w, "localizedLastName", STR("Doe"));
	json_member_str(&w, "vanityName", STR("jo-doe"));
	if (asks_for(call, STR("profilePicture"))) {
		json_key(&w, "profilePicture");
		json_begin_object(&w);
		json_key(&w, "displayImage~");
		put_picture(&w, avatar_url(call, "/dms/image/member"));
		json_end_object(&w);
	}
	json_end_object(&w);
}

static bool may_read_pages(struct sandbox_call *call, const struct sandbox_token *token,
			   const char *resource)
{
	if (sandbox_scope_has(token->scope, "rw_organization_admin") ||
	    sandbox_scope_has(token->scope, "r_organization_admin"))
		return true;
	sandbox_linkedin_refuse_access(call, resource);
	return false;
}

static void put_role(struct json_writer *w)
{
	json_begin_object(w);
	json_member_str(w, "role", STR("ADMINISTRATOR"));
	json_member_str(w, "state", STR("APPROVED"));
	json_member_str(w, "roleAssignee", STR(LINKEDIN_MEMBER_URN));
	json_member_str(w, "organization", STR(LINKEDIN_PAGE_URN));
	json_end_object(w);
}

/* An absent filter lets everything through. */
static bool filter_is(struct sandbox_call *call, const char *name, const char *value)
{
	const struct str filter = sandbox_query(call, name);
	return str_is_empty(filter) || str_equal_z(filter, value);
}

void sandbox_linkedin_organization_acls(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	const int64_t start = sandbox_param_int(call, "start", 0);
	const int64_t count = sandbox_param_int(call, "count", 10);
	if (token == NULL || !may_read_pages(call, token, "organizationAcls.FINDER-roleAssignee"))
		return;
	if (!str_equal_z(sandbox_query(call, "q"), "roleAssignee")) {
		sandbox_linkedin_refuse(call, (struct linkedin_error){400, 0, "ILLEGAL_ARGUMENT"},
					STR("No such finder: q must be roleAssignee"));
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "elements");
	json_begin_array(&w);
	if (start == 0 && count > 0 && filter_is(call, "role", "ADMINISTRATOR") &&
	    filter_is(call, "state", "APPROVED"))
		put_role(&w);
	json_end_array(&w);
	sandbox_linkedin_put_paging(&w, start, count);
	json_end_object(&w);
}

void sandbox_linkedin_organization(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL || !may_read_pages(call, token, "organizations.GET"))
		return;
	if (!str_equal_z(sandbox_capture(call, "id"), LINKEDIN_PAGE_ID)) {
		sandbox_linkedin_refuse(call, (struct linkedin_error){404, 0, "NOT_FOUND"},
					STR("Could not find entity"));
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "id");
	json_put_raw(&w, STR(LINKEDIN_PAGE_ID));
	json_member_str(&w, "localizedName", STR(PAGE_NAME));
	json_member_str(&w, "vanityName", STR(PAGE_VANITY));
	json_key(&w, "logoV2");
	json_begin_object(&w);
	json_member_str(&w, "original", STR("urn:li:digitalmediaAsset:sandboxlogo"));
	if (asks_for(call, STR("original~"))) {
		json_key(&w, "original~");
		put_picture(&w, avatar_url(call, "/dms/image/page"));
	}
	json_end_object(&w);
	json_end_object(&w);
}

void sandbox_linkedin_avatar(struct sandbox_call *call)
{
	if (str_equal_z(sandbox_capture(call, "who"), "page"))
		sandbox_avatar_answer(call, SANDBOX_AVATAR_LOGO, STR("page"));
	else
		sandbox_avatar_answer(call, SANDBOX_AVATAR_PERSON, STR("member"));
}

struct str sandbox_linkedin_account_name(struct str account_id)
{
	if (str_equal_z(account_id, LINKEDIN_PAGE_ID))
		return STR(PAGE_NAME);
	return str_equal_z(account_id, LINKEDIN_MEMBER_ID) ? STR(MEMBER_NAME) : STR("");
}
