/* SPDX-License-Identifier: Apache-2.0
 * The simulated LinkedIn over HTTP: consent, tokens, the gate, posts, the duplicate guard, reading,
 * comments, pictures. */
#include "count_of.h"

#include "linkedin_flow.h"

/* ---- OAuth ---- */

static void consent_page_asks_allows_and_denies(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer page =
		authorize(probe, "sandbox-linkedin", REDIRECT, SCOPES, NULL);
	const struct probe_answer allowed =
		authorize(probe, "sandbox-linkedin", REDIRECT, SCOPES, "allow");
	const struct probe_answer denied =
		authorize(probe, "sandbox-linkedin", REDIRECT, SCOPES, "deny");
	assert_status(page, 200);
	assert_true(str_find(page.body, STR("<form"), 0) != SIZE_MAX);
	assert_status(allowed, 302);
	assert_true(str_has_prefix(probe_header(&allowed, "Location"), STR(REDIRECT "?")));
	assert_str(probe_location_param(probe, &allowed, "state"), "st-1");
	assert_false(str_is_empty(probe_location_param(probe, &allowed, "code")));
	assert_status(denied, 302);
	assert_str(probe_location_param(probe, &denied, "error"), "user_cancelled_authorize");
	assert_str(probe_location_param(probe, &denied, "state"), "st-1");
	assert_true(str_is_empty(probe_location_param(probe, &denied, "code")));
}

static void consent_is_refused(void **state)
{
	static const struct {
		const char *name;
		const char *client;
		const char *redirect;
		const char *scope;
		long status;
		const char *error; /* in the redirect; NULL = a page */
	} rows[] = {
		{"unknown client", "nobody", REDIRECT, SCOPES, 401, NULL},
		{"other platform's client", "sandbox-x", REDIRECT, SCOPES, 401, NULL},
		{"redirect elsewhere", "sandbox-linkedin", "https://example.com/cb", SCOPES, 401,
		 NULL},
		{"no scope", "sandbox-linkedin", REDIRECT, "", 401, NULL},
		{"scope of no product", "sandbox-linkedin", REDIRECT, "openid r_member_social", 302,
		 "unauthorized_scope_error"},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			authorize(probe, rows[i].client, rows[i].redirect, rows[i].scope, "allow");
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		if (rows[i].error != NULL)
			assert_str(probe_location_param(probe, &answer, "error"), rows[i].error);
		else
			assert_true(str_is_empty(probe_header(&answer, "Location")));
	}
}

static void exchange_gives_tokens(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer =
		exchange(probe, code_for(probe, SCOPES), REDIRECT, "sandbox-secret-linkedin");
	assert_status(answer, 200);
	assert_int_equal(json_int(json_get(answer.json, "expires_in"), 0), 5184000);
	assert_int_equal(json_int(json_get(answer.json, "refresh_token_expires_in"), 0), 31536000);
	assert_str(
		probe_json_string(&answer, "scope"),
		"email,openid,profile,r_organization_social,rw_organization_admin,w_member_social,"
		"w_organization_social");
	assert_int_equal(probe_json_string(&answer, "access_token").len, 500);
	assert_str(probe_json_string(&answer, "token_type"), "Bearer");
}

static void exchange_is_refused(void **state)
{
	struct probe *probe = *state;
	const char *code = code_for(probe, SCOPES);
	const struct probe_answer secret = exchange(probe, code, REDIRECT, "wrong");
	const struct probe_answer redirect =
		exchange(probe, code, REDIRECT "2", "sandbox-secret-linkedin");
	const struct probe_answer junk =
		exchange(probe, "AQTjunk", REDIRECT, "sandbox-secret-linkedin");
	const struct probe_answer good = exchange(probe, code, REDIRECT, "sandbox-secret-linkedin");
	const struct probe_answer replay =
		exchange(probe, code, REDIRECT, "sandbox-secret-linkedin");
	const struct probe_answer missing = post_form(
		probe, WWW "/oauth/v2/accessToken",
		probe_form(probe, "grant_type", "authorization_code", "code", code, "redirect_uri",
			   REDIRECT, "client_id", "sandbox-linkedin", NULL));
	assert_status(secret, 401);
	assert_str(probe_json_string(&secret, "error"), "invalid_client");
	assert_status(redirect, 400);
	assert_str(probe_json_string(&redirect, "error"), "invalid_redirect_uri");
	assert_status(junk, 401);
	assert_str(probe_json_string(&junk, "error"), "invalid_request");
	assert_status(good, 200);
	assert_status(replay, 401);
	assert_str(probe_json_string(&replay, "error"), "invalid_request");
	assert_status(missing, 400);
	assert_str(probe_json_string(&missing, "error_description"),
		   "A required parameter \"client_secret\" is missing");
}

static void code_dies_after_thirty_minutes(void **state)
{
	struct probe *probe = *state;
	const char *code = code_for(probe, SCOPES);
	probe_advance(probe, 30 * US_PER_MINUTE);
	const struct probe_answer answer =
		exchange(probe, code, REDIRECT, "sandbox-secret-linkedin");
	assert_status(answer, 400);
	assert_str(probe_json_string(&answer, "error"), "invalid_redirect_uri");
}

static void refresh_counts_down_and_ends(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first =
		exchange(probe, code_for(probe, SCOPES), REDIRECT, "sandbox-secret-linkedin");
	const struct str form =
		probe_form(probe, "grant_type", "refresh_token", "refresh_token",
			   probe_z(probe, probe_json_string(&first, "refresh_token")), "client_id",
			   "sandbox-linkedin", "client_secret", "sandbox-secret-linkedin", NULL);
	probe_advance(probe, 61 * US_PER_DAY);
	assert_status(call(probe, "GET", API "/v2/userinfo",
			   probe_json_string(&first, "access_token"), none),
		      401);
	const struct probe_answer second = post_form(probe, WWW "/oauth/v2/accessToken", form);
	assert_status(second, 200);
	assert_int_equal(json_int(json_get(second.json, "refresh_token_expires_in"), 0),
			 31536000 - 61 * 86400);
	assert_status(call(probe, "GET", API "/v2/userinfo",
			   probe_json_string(&second, "access_token"), none),
		      200);
	probe_advance(probe, 305 * US_PER_DAY);
	const struct probe_answer late = post_form(probe, WWW "/oauth/v2/accessToken", form);
	assert_status(late, 400);
	assert_str(probe_json_string(&late, "error"), "invalid_request");
}

static void credentials_are_probed(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer good = post_form(
		probe, WWW "/oauth/v2/accessToken",
		probe_form(probe, "grant_type", "client_credentials", "client_id",
			   "sandbox-linkedin", "client_secret", "sandbox-secret-linkedin", NULL));
	const struct probe_answer bad =
		post_form(probe, WWW "/oauth/v2/accessToken",
			  probe_form(probe, "grant_type", "client_credentials", "client_id",
				     "sandbox-linkedin", "client_secret", "no", NULL));
	const struct probe_answer unknown =
		post_form(probe, WWW "/oauth/v2/accessToken",
			  probe_form(probe, "grant_type", "client_credentials", "client_id",
				     "someone", "client_secret", "no", NULL));
	assert_status(good, 401);
	assert_str(probe_json_string(&good, "error"), "access_denied");
	assert_status(bad, 401);
	assert_str(probe_json_string(&bad, "error"), "invalid_client");
	assert_status(unknown, 401);
	assert_str(probe_json_string(&unknown, "error"), "invalid_client");
}

static void introspection_tells(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer known = post_form(
		probe, WWW "/oauth/v2/introspectToken",
		probe_form(probe, "client_id", "sandbox-linkedin", "client_secret",
			   "sandbox-secret-linkedin", "token", probe_z(probe, token), NULL));
	const struct probe_answer junk =
		post_form(probe, WWW "/oauth/v2/introspectToken",
			  probe_form(probe, "client_id", "sandbox-linkedin", "client_secret",
				     "sandbox-secret-linkedin", "token", "junk", NULL));
	const struct probe_answer bad =
		post_form(probe, WWW "/oauth/v2/introspectToken",
			  probe_form(probe, "client_id", "sandbox-linkedin", "client_secret", "no",
				     "token", "junk", NULL));
	assert_status(known, 200);
	assert_true(json_bool(json_get(known.json, "active"), false));
	assert_str(probe_json_string(&known, "auth_type"), "3L");
	assert_status(junk, 200);
	assert_false(json_bool(json_get(junk.json, "active"), true));
	assert_status(bad, 401);
}

static void another_scope_set_kills_earlier_tokens(void **state)
{
	struct probe *probe = *state;
	const struct str first = token_for(probe, SCOPES);
	const struct str again = token_for(probe, SCOPES);
	const struct probe_answer alive = call(probe, "GET", API "/v2/userinfo", first, none);
	const struct str other = token_for(probe, "openid profile");
	const struct probe_answer dead = call(probe, "GET", API "/v2/userinfo", first, none);
	assert_status(alive, 200);
	assert_status(dead, 401);
	assert_int_equal(json_int(json_get(dead.json, "serviceErrorCode"), 0), 65601);
	assert_status(call(probe, "GET", API "/v2/userinfo", again, none), 401);
	assert_status(call(probe, "GET", API "/v2/userinfo", other, none), 200);
}

/* ---- accounts and the gate ---- */

static void userinfo_and_pages(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer user = call(probe, "GET", API "/v2/userinfo", token, none);
	const struct probe_answer pages =
		call(probe, "GET",
		     API "/rest/"
			 "organizationAcls?q=roleAssignee&role=ADMINISTRATOR&"
			 "state=APPROVED&start=0&count=100",
		     token, none);
	const struct probe_answer other =
		call(probe, "GET",
		     API "/rest/organizationAcls?q=roleAssignee&role=CONTENT_ADMINISTRATOR", token,
		     none);
	const struct probe_answer page = call(
		probe, "GET",
		API "/rest/organizations/1000001?projection=(id,logoV2(original~:playableStreams))",
		token, none);
	assert_status(user, 200);
	assert_str(probe_json_string(&user, "sub"), "sbJo_Doe42");
	assert_str(probe_json_string(&user, "email"), "jo.doe@example.com");
	assert_status(pages, 200);
	assert_int_equal(json_get(pages.json, "elements")->count, 1);
	assert_str(
		json_string(json_get(json_at(json_get(pages.json, "elements"), 0), "organization")),
		PAGE);
	assert_int_equal(json_get(other.json, "elements")->count, 0);
	assert_status(page, 200);
	assert_int_equal(json_int(json_get(page.json, "id"), 0), 1000001);
	assert_non_null(json_get(json_get(page.json, "logoV2"), "original~"));
	assert_status(call(probe, "GET", API "/rest/organizations/7", token, none), 404);
}

static void scopes_are_checked_on_reading(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, "w_member_social");
	assert_status(call(probe, "GET", API "/v2/userinfo", token, none), 403);
	assert_status(call(probe, "GET", API "/v2/me", token, none), 403);
	assert_status(call(probe, "GET", API "/rest/organizationAcls?q=roleAssignee", token, none),
		      403);
	assert_status(call(probe, "GET", API "/rest/organizations/1000001", token, none), 403);
}

static void gate_asks_version_before_token(void **state)
{
	static const struct {
		const char *name;
		const char *version; /* header line, NULL = none */
		bool has_token;
		long status;
		const char *code;
	} rows[] = {
		{"no version", NULL, true, 400, "VERSION_MISSING"},
		{"no version, no token", NULL, false, 400, "VERSION_MISSING"},
		{"sunset", "LinkedIn-Version: 202511", true, 426, "NONEXISTENT_VERSION"},
		{"month that never was", "LinkedIn-Version: 202512", false, 426,
		 "NONEXISTENT_VERSION"},
		{"future", "LinkedIn-Version: 202701", true, 426, "NONEXISTENT_VERSION"},
		{"garbage", "LinkedIn-Version: 2026", true, 426, "NONEXISTENT_VERSION"},
		{"no token", VERSION, false, 401, "EMPTY_ACCESS_TOKEN"},
		{"good", VERSION, true, 200, NULL},
		{"good and old", "LinkedIn-Version: 202601", true, 200, NULL},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			probe_ask(probe, (struct probe_request){
						 .method = "GET",
						 .path = API "/rest/organizations/1000001",
						 .bearer = rows[i].has_token ? token : none,
						 .headers = {rows[i].version},
					 });
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		if (rows[i].code != NULL)
			assert_str(probe_json_string(&answer, "code"), rows[i].code);
	}
}

static void junk_and_expired_tokens(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer junk =
		call(probe, "GET", API "/v2/userinfo", STR("AQXjunk"), none);
	probe_advance(probe, 60 * US_PER_DAY);
	const struct probe_answer expired = call(probe, "GET", API "/v2/userinfo", token, none);
	assert_status(junk, 401);
	assert_int_equal(json_int(json_get(junk.json, "serviceErrorCode"), 0), 65600);
	assert_status(expired, 401);
	assert_int_equal(json_int(json_get(expired.json, "serviceErrorCode"), 0), 65602);
}

/* ---- posts ---- */

static void post_is_published_unescaped(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer answer =
		publish(probe, token, MEMBER, "Hi \\\\(all\\\\) #now", NULL);
	assert_status(answer, 201);
	assert_int_equal(answer.body.len, 0);
	assert_true(str_has_prefix(probe_header(&answer, "x-restli-id"), STR("urn:li:share:")));
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 1);
	assert_str(json_string(json_get(posts[0], "platform")), "linkedin");
	assert_str(json_string(json_get(posts[0], "account_id")), "sbJo_Doe42");
	assert_true(str_equal(json_string(json_get(posts[0], "id")),
			      probe_header(&answer, "x-restli-id")));
	assert_str(json_string(json_get(posts[0], "text")), "Hi (all) #now");
}

static void unescaped_text_is_cut_with_201(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	assert_status(publish(probe, token, PAGE, "Sale (today)", NULL), 201);
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 1);
	assert_str(json_string(json_get(posts[0], "text")), "Sale ");
	assert_str(json_string(json_get(posts[0], "account_id")), "1000001");
}

static struct str repeat(struct probe *probe, const char *unit, size_t count)
{
	struct buf out;
	buf_init(&out, probe->arena, 1024 * 1024);
	for (size_t i = 0; i < count; i++)
		buf_add_z(&out, unit);
	return buf_str(&out);
}

static void length_is_counted_without_escapes(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer fits =
		publish(probe, token, MEMBER, probe_z(probe, repeat(probe, "\\\\(", 3000)), NULL);
	const struct probe_answer over =
		publish(probe, token, MEMBER, probe_z(probe, repeat(probe, "a", 3001)), NULL);
	assert_status(fits, 201);
	assert_status(over, 400);
	assert_str(probe_json_string(&over, "code"), "FIELD_LENGTH_TOO_LONG");
}

static void post_fields_are_checked(void **state)
{
#define HEAD "{\"author\":\"" MEMBER "\",\"commentary\":\"x\","
#define TAIL \
	"\"visibility\":\"PUBLIC\",\"distribution\":{\"feedDistribution\":\"MAIN_FEED\"}," \
	"\"lifecycleState\":" \
	"\"PUBLISHED\"}"
	static const struct {
		const char *name;
		const char *body;
		long status;
		const char *word; /* in the answer */
	} rows[] = {
		{"not JSON", "{", 400, "ILLEGAL_ARGUMENT"},
		{"no author", "{\"commentary\":\"x\"," TAIL, 422, "/author :: field is required"},
		{"no commentary", "{\"author\":\"" MEMBER "\"," TAIL, 422,
		 "/commentary :: field is required"},
		{"author of another type", "{\"author\":7,\"commentary\":\"x\"," TAIL, 422,
		 "/author"},
		{"unknown field", HEAD "\"scheduledAt\":1," TAIL, 422,
		 "/scheduledAt :: unrecognized"},
		{"no distribution",
		 HEAD "\"visibility\":\"PUBLIC\",\"lifecycleState\":\"PUBLISHED\"}", 422,
		 "/distribution"},
		{"wrong visibility",
		 HEAD
		 "\"visibility\":\"FRIENDS\",\"distribution\":{\"feedDistribution\":\"MAIN_FEED\"},"
		 "\"lifecycleState\":\"PUBLISHED\"}",
		 422, "/visibility"},
		{"draft",
		 HEAD
		 "\"visibility\":\"PUBLIC\",\"distribution\":{\"feedDistribution\":\"MAIN_FEED\"},"
		 "\"lifecycleState\":\"DRAFT\"}",
		 400, "INVALID_VALUE_FOR_FIELD"},
		{"dark post of a member",
		 HEAD "\"visibility\":\"PUBLIC\",\"distribution\":{\"feedDistribution\":\"NONE\"},"
		      "\"lifecycleState\":\"PUBLISHED\"}",
		 400, "INVALID_VALUE_FOR_FIELD"},
		{"empty content", HEAD "\"content\":{}," TAIL, 422, "/content"},
		{"two contents", HEAD "\"content\":{\"media\":{},\"poll\":{}}," TAIL, 422,
		 "/content"},
		{"unknown content", HEAD "\"content\":{\"carousel\":{}}," TAIL, 422, "/content"},
		{"unknown image",
		 HEAD "\"content\":{\"media\":{\"id\":\"urn:li:image:nope\"}}," TAIL, 400,
		 "INVALID_URN_ID"},
		{"one image in multiImage",
		 HEAD
		 "\"content\":{\"multiImage\":{\"images\":[{\"id\":\"urn:li:image:1\"}]}}," TAIL,
		 400, "INVALID_VALUE_FOR_FIELD"},
		{"poll with one option",
		 HEAD "\"content\":{\"poll\":{\"question\":\"?\",\"options\":[{\"text\":\"a\"}],"
		      "\"settings\":"
		      "{\"duration\":\"ONE_DAY\"}}}," TAIL,
		 400, "INVALID_VALUE_FOR_FIELD"},
		{"blank", "{\"author\":\"" MEMBER "\",\"commentary\":\" \"," TAIL, 400,
		 "INVALID_VALUE_BLANK_FIELD"},
		{"someone else", "{\"author\":\"urn:li:person:other\",\"commentary\":\"x\"," TAIL,
		 403, "ACCESS_DENIED"},
		{"another page", "{\"author\":\"urn:li:organization:2\",\"commentary\":\"x\"," TAIL,
		 403, "ACCESS_DENIED"},
		{"no person", "{\"author\":\"urn:li:share:2\",\"commentary\":\"x\"," TAIL, 400,
		 "INVALID_URN_TYPE"},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			call(probe, "POST", API "/rest/posts", token, str_of(rows[i].body));
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		assert_true(str_find(answer.body, str_of(rows[i].word), 0) != SIZE_MAX);
	}
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 0);
}

static void scopes_are_checked_on_writing(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer member =
		publish(probe, token_for(probe, "openid profile"), MEMBER, "x", NULL);
	const struct probe_answer page =
		publish(probe, token_for(probe, "w_member_social"), PAGE, "x", NULL);
	assert_status(member, 403);
	assert_str(probe_json_string(&member, "message"),
		   "Not enough permissions to access: partnerApiPostsExternal.CREATE");
	assert_status(page, 400);
	assert_str(probe_json_string(&page, "message"),
		   "Organization permissions must be used when using organization as author");
}

static void duplicate_names_the_first(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer first = publish(probe, token, MEMBER, "same", NULL);
	const struct str urn = probe_header(&first, "x-restli-id");
	const struct probe_answer again = publish(probe, token, MEMBER, "same", NULL);
	assert_status(again, 422);
	assert_true(str_find(again.body, urn, 0) != SIZE_MAX);
	assert_str(
		json_string(json_get(
			json_at(json_get(json_get(again.json, "errorDetails"), "inputErrors"), 0),
			"code")),
		"DUPLICATE_POST");
	assert_status(publish(probe, token, PAGE, "same", NULL), 201);
	assert_status(publish(probe, token, MEMBER, "different", NULL), 201);
	probe_advance(probe, 10 * US_PER_MINUTE);
	assert_status(publish(probe, token, MEMBER, "same", NULL), 201);
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 4);
}

/* A deleted post still answers as a duplicate, by an URN that is gone (section 5, ghost
 * duplicates). */
static void deleted_post_is_a_ghost(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer first = publish(probe, token, PAGE, "ghost", NULL);
	const char *path =
		urn_path(probe, API "/rest/posts/", probe_header(&first, "x-restli-id"), "");
	assert_status(call(probe, "DELETE", path, token, none), 204);
	assert_status(call(probe, "DELETE", path, token, none), 204);
	assert_status(call(probe, "GET", path, token, none), 404);
	assert_status(publish(probe, token, PAGE, "ghost", NULL), 422);
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 0);
}

static void pages_can_be_read_members_not(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer member = publish(probe, token, MEMBER, "mine", NULL);
	const struct probe_answer page = publish(probe, token, PAGE, "old", NULL);
	struct probe_request find = {
		.method = "GET",
		.path = API "/rest/"
			    "posts?q=author&author=urn%3Ali%3Aorganization%3A1000001&count=10&"
			    "sortBy=LAST_MODIFIED",
		.bearer = token,
		.headers = {VERSION, "X-RestLi-Method: FINDER"},
	};
	publish(probe, token, PAGE, "new \\\\(1\\\\) #tag", NULL);
	const struct probe_answer found = probe_ask(probe, find);
	assert_status(found, 200);
	assert_int_equal(json_get(found.json, "elements")->count, 2);
	assert_str(
		json_string(json_get(json_at(json_get(found.json, "elements"), 0), "commentary")),
		"new \\(1\\) {hashtag|\\#|tag}");
	find.headers[1] = NULL;
	assert_status(probe_ask(probe, find), 400);
	find.headers[1] = "X-RestLi-Method: FINDER";
	find.path = API "/rest/posts?q=author&author=urn%3Ali%3Aperson%3AsbJo_Doe42&count=10";
	assert_status(probe_ask(probe, find), 403);
	const struct probe_answer got =
		call(probe, "GET",
		     urn_path(probe, API "/rest/posts/", probe_header(&page, "x-restli-id"), ""),
		     token, none);
	assert_status(got, 200);
	assert_str(probe_json_string(&got, "commentary"), "old");
	assert_status(
		call(probe, "GET",
		     urn_path(probe, API "/rest/posts/", probe_header(&member, "x-restli-id"), ""),
		     token, none),
		403);
	assert_status(call(probe, "GET", API "/rest/posts/urn%3Ali%3Ashare%3A1", token, none), 404);
}

static void lost_answer_leaves_a_post(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	probe_fault(probe, "{\"platform\":\"linkedin\",\"match\":{\"method\":\"POST\",\"path\":\"/"
			   "rest/posts\"},"
			   "\"effect\":\"status_after\",\"status\":503}");
	assert_status(publish(probe, token, MEMBER, "lost", NULL), 503);
	assert_status(publish(probe, token, MEMBER, "lost", NULL), 422);
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 1);
}

static void faults_speak_linkedin(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	probe_fault(probe, "{\"platform\":\"linkedin\",\"match\":{\"path\":\"/rest/"
			   "posts\"},\"effect\":\"rate_limit\","
			   "\"retry_after\":7}");
	const struct probe_answer limited = publish(probe, token, MEMBER, "x", NULL);
	assert_status(limited, 429);
	assert_int_equal(json_int(json_get(limited.json, "serviceErrorCode"), 0), 101);
	assert_str(probe_header(&limited, "Retry-After"), "7");
	probe_fault(probe, "{\"platform\":\"linkedin\",\"match\":{\"path\":\"/rest/"
			   "posts\"},\"effect\":\"expire_token\"}");
	const struct probe_answer expired = publish(probe, token, MEMBER, "x", NULL);
	assert_status(expired, 401);
	assert_int_equal(json_int(json_get(expired.json, "serviceErrorCode"), 0), 65602);
	assert_status(publish(probe, token, MEMBER, "x", NULL), 401);
}

/* ---- comments ---- */

static struct probe_answer comment(struct probe *probe, struct str token, struct str urn,
				   const char *text)
{
	return call(probe, "POST", urn_path(probe, API "/rest/socialActions/", urn, "/comments"),
		    token,
		    str_format(probe->arena,
			       "{\"actor\":\"" PAGE "\",\"object\":\"" STR_FMT
			       "\",\"message\":{\"text\":\"%s\"}}",
			       STR_ARG(urn), text));
}

static void comments_hang_under_the_post(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer post = publish(probe, token, PAGE, "post", NULL);
	const struct str urn = probe_header(&post, "x-restli-id");
	const struct probe_answer first =
		comment(probe, token, urn, "plain (text) stays\\\\ as it is");
	const struct probe_answer reply =
		comment(probe, token, probe_json_string(&first, "commentUrn"), "reply");
	const struct probe_answer too_deep =
		comment(probe, token, probe_json_string(&reply, "commentUrn"), "deeper");
	const struct probe_answer list =
		call(probe, "GET", urn_path(probe, API "/rest/socialActions/", urn, "/comments"),
		     token, none);
	assert_status(first, 201);
	assert_status(reply, 201);
	assert_status(too_deep, 400);
	assert_false(str_is_empty(probe_json_string(&first, "id")));
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 3);
	assert_str(json_string(json_get(posts[1], "text")), "plain (text) stays\\ as it is");
	assert_true(str_equal(json_string(json_get(posts[1], "reply_to")), urn));
	assert_true(str_equal(json_string(json_get(posts[1], "id")),
			      probe_json_string(&first, "commentUrn")));
	assert_true(str_equal(json_string(json_get(posts[2], "reply_to")),
			      probe_json_string(&first, "commentUrn")));
	assert_status(list, 200);
	assert_int_equal(json_get(list.json, "elements")->count, 1);
	assert_status(comment(probe, token, STR("urn:li:share:1"), "x"), 404);
	/* A deleted post takes its comments and their replies with it. */
	assert_status(
		call(probe, "DELETE", urn_path(probe, API "/rest/posts/", urn, ""), token, none),
		204);
	assert_int_equal(probe_ledger(probe, posts, 8), 0);
}

/* ---- pictures ---- */

/* The head of a PNG of 8 by 6 pixels: the sandbox looks at no more. */
static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x06\x08\x02\0\0\0";

static struct probe_answer begin_image(struct probe *probe, struct str token, const char *owner)
{
	return call(probe, "POST", API "/rest/images?action=initializeUpload", token,
		    str_format(probe->arena, "{\"initializeUploadRequest\":{\"owner\":\"%s\"}}",
			       owner));
}

static void image_is_uploaded_and_posted(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer begun = begin_image(probe, token, PAGE);
	const struct json *value = json_get(begun.json, "value");
	const struct str url = json_string(json_get(value, "uploadUrl"));
	const struct str urn = json_string(json_get(value, "image"));
	const char *content = probe_z(probe, str_format(probe->arena,
							"{\"media\":{\"id\":\"" STR_FMT
							"\",\"altText\":\"a dog\"}}",
							STR_ARG(urn)));
	const struct str bytes = {png, sizeof(png) - 1};
	const char *status_path = urn_path(probe, API "/rest/images/", urn, "");
	assert_status(begun, 200);
	assert_true(str_has_prefix(url, sandbox_base_url(probe->sandbox)));
	assert_status(publish(probe, token, PAGE, "early", content), 400);
	assert_status(put_bytes(probe, url, none, bytes), 401);
	assert_status(put_bytes(probe, url, token, bytes), 201);
	struct probe_answer status = call(probe, "GET", status_path, token, none);
	assert_str(probe_json_string(&status, "status"), "PROCESSING");
	probe_advance(probe, 2 * US_PER_S);
	status = call(probe, "GET", status_path, token, none);
	assert_str(probe_json_string(&status, "status"), "AVAILABLE");
	assert_status(publish(probe, token, MEMBER, "not mine", content), 403);
	assert_status(publish(probe, token, PAGE, "with picture", content), 201);
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 1);
	const struct json *media = json_at(json_get(posts[0], "media"), 0);
	assert_str(json_string(json_get(media, "mime_type")), "image/png");
	assert_str(json_string(json_get(media, "alt_text")), "a dog");
	assert_int_equal(json_int(json_get(media, "bytes"), 0), (int64_t)bytes.len);
	assert_true(
		str_equal(json_string(json_get(media, "sha256")), probe_sha256_hex(probe, bytes)));
}

static struct str uploaded(struct probe *probe, struct str token, const char *path, const char *key,
			   struct str bytes)
{
	const struct probe_answer begun =
		call(probe, "POST", path, token,
		     STR("{\"initializeUploadRequest\":{\"owner\":\"" PAGE "\"}}"));
	const struct json *value = json_get(begun.json, "value");
	assert_status(begun, 200);
	assert_status(put_bytes(probe, json_string(json_get(value, "uploadUrl")), token, bytes),
		      201);
	return json_string(json_get(value, key));
}

static void every_kind_of_content_is_posted(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str bytes = {png, sizeof(png) - 1};
	const char *images = API "/rest/images?action=initializeUpload";
	const struct str one = uploaded(probe, token, images, "image", bytes);
	const struct str two = uploaded(probe, token, images, "image", bytes);
	const char *documents = API "/rest/documents?action=initializeUpload";
	const struct str pdf =
		uploaded(probe, token, documents, "document", STR("%PDF-1.7 and so on"));
	const struct {
		const char *type;
		struct str content;
		size_t media_count;
	} rows[] = {
		{"multiImage",
		 str_format(probe->arena,
			    "{\"multiImage\":{\"images\":[{\"id\":\"" STR_FMT
			    "\"},{\"id\":\"" STR_FMT "\",\"altText\":\"b\"}]}}",
			    STR_ARG(one), STR_ARG(two)),
		 2},
		{"document",
		 str_format(probe->arena,
			    "{\"media\":{\"id\":\"" STR_FMT "\",\"title\":\"Slides\"}}",
			    STR_ARG(pdf)),
		 1},
		{"article",
		 STR("{\"article\":{\"source\":\"https://example.com/a\",\"title\":\"T\"}}"), 0},
		{"poll",
		 STR("{\"poll\":{\"question\":\"?\",\"options\":[{\"text\":\"a\"},{\"text\":\"b\"}]"
		     ","
		     "\"settings\":{\"duration\":\"ONE_DAY\"}}}"),
		 0},
	};
	const struct json *posts[8];
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		print_message("row: %s\n", rows[i].type);
		assert_status(publish(probe, token, PAGE, "", probe_z(probe, rows[i].content)),
			      201);
		assert_int_equal(probe_ledger(probe, posts, 8), i + 1);
		assert_str(json_string(json_get(posts[i], "type")), rows[i].type);
		assert_int_equal(json_get(posts[i], "media")->count, rows[i].media_count);
	}
	assert_status(publish(probe, token, PAGE, "untitled",
			      probe_z(probe, str_format(probe->arena,
							"{\"media\":{\"id\":\"" STR_FMT "\"}}",
							STR_ARG(pdf)))),
		      400);
}

static void bad_image_fails_and_old_address_dies(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer begun = begin_image(probe, token, MEMBER);
	const struct json *value = json_get(begun.json, "value");
	const struct str url = json_string(json_get(value, "uploadUrl"));
	const struct str urn = json_string(json_get(value, "image"));
	const struct str bytes = {png, sizeof(png) - 1};
	assert_status(put_bytes(probe, url, token, STR("this is no picture")), 201);
	probe_advance(probe, 2 * US_PER_S);
	assert_status(
		call(probe, "GET", urn_path(probe, API "/rest/images/", urn, ""), token, none),
		403);
	const struct probe_answer refused = publish(
		probe, token, MEMBER, "x",
		probe_z(probe, str_format(probe->arena, "{\"media\":{\"id\":\"" STR_FMT "\"}}",
					  STR_ARG(urn))));
	assert_status(refused, 400);
	assert_str(probe_json_string(&refused, "code"), "MEDIA_ASSET_PROCESSING_FAILED");
	probe_advance(probe, US_PER_DAY);
	assert_status(put_bytes(probe, url, token, bytes), 403);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(consent_page_asks_allows_and_denies, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(consent_is_refused, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(exchange_gives_tokens, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(exchange_is_refused, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(code_dies_after_thirty_minutes, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(refresh_counts_down_and_ends, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(credentials_are_probed, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(introspection_tells, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(another_scope_set_kills_earlier_tokens, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(userinfo_and_pages, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(scopes_are_checked_on_reading, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(gate_asks_version_before_token, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(junk_and_expired_tokens, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(post_is_published_unescaped, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(unescaped_text_is_cut_with_201, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(length_is_counted_without_escapes, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(post_fields_are_checked, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(scopes_are_checked_on_writing, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(duplicate_names_the_first, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(deleted_post_is_a_ghost, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(pages_can_be_read_members_not, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(lost_answer_leaves_a_post, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(faults_speak_linkedin, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(comments_hang_under_the_post, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(image_is_uploaded_and_posted, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(every_kind_of_content_is_posted, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(bad_image_fails_and_old_address_dies, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
