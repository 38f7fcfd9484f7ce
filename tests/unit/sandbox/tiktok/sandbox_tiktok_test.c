/* SPDX-License-Identifier: Apache-2.0
 * The simulated TikTok over HTTP: consent, strict rotation, the creator, chunk arithmetic, uploads
 * out of order and cut off, the status of a task as time goes on, and the three shapes of
 * errors. */
#include "count_of.h"

#include "media_server.h"
#include "probe.h"

#include "sandbox_tiktok.h"

#define AUTHORIZE "/www.tiktok.com/v2/auth/authorize/?"
#define API "/open.tiktokapis.com/v2"
#define REDIRECT "http://127.0.0.1:9/callback/"
#define SCOPES "user.info.basic,user.info.profile,video.publish,video.upload"
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define MB ((size_t)1000 * 1000)

struct consent {
	const char *client;
	const char *redirect;
	const char *scope;
	const char *challenge; /* NULL = the right one of VERIFIER, "" = none */
	const char *decision;
	const char *extra;
};

static const struct str none;

static struct probe_answer authorize(struct probe *probe, struct consent consent)
{
	const char *challenge = consent.challenge != NULL
					? consent.challenge
					: probe_z(probe, probe_sha256_hex(probe, STR(VERIFIER)));
	const struct str query =
		probe_form(probe, "response_type", "code", "client_key",
			   consent.client != NULL ? consent.client : "sandbox-tiktok",
			   "redirect_uri", consent.redirect != NULL ? consent.redirect : REDIRECT,
			   "state", "st-1", "scope", consent.scope != NULL ? consent.scope : SCOPES,
			   challenge[0] != '\0' ? "code_challenge" : NULL, challenge,
			   "code_challenge_method", "S256", NULL);
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(
				probe,
				str_format(probe->arena, AUTHORIZE STR_FMT "%s%s%s", STR_ARG(query),
					   consent.decision != NULL ? "&sandbox_decision=" : "",
					   consent.decision != NULL ? consent.decision : "",
					   consent.extra != NULL ? consent.extra : "")),
		});
}

static const char *code_for(struct probe *probe, struct consent consent)
{
	consent.decision = "allow";
	const struct probe_answer answer = authorize(probe, consent);
	assert_status(answer, 302);
	return probe_z(probe, probe_location_param(probe, &answer, "code"));
}

static struct probe_answer ask_token(struct probe *probe, struct str form)
{
	return probe_ask(probe, (struct probe_request){.method = "POST",
						       .path = API "/oauth/token/",
						       .body = form});
}

static struct probe_answer exchange_with(struct probe *probe, const char *code,
					 const char *redirect, const char *client,
					 const char *secret, const char *verifier)
{
	return ask_token(probe,
			 probe_form(probe, "grant_type", "authorization_code", "code", code,
				    "redirect_uri", redirect, "client_key", client, "client_secret",
				    secret, verifier != NULL ? "code_verifier" : NULL, verifier,
				    NULL));
}

static struct probe_answer exchange(struct probe *probe, const char *code)
{
	return exchange_with(probe, code, REDIRECT, "sandbox-tiktok", "sandbox-secret-tiktok",
			     VERIFIER);
}

static struct probe_answer refresh(struct probe *probe, struct str token)
{
	return ask_token(probe, probe_form(probe, "grant_type", "refresh_token", "refresh_token",
					   probe_z(probe, token), "client_key", "sandbox-tiktok",
					   "client_secret", "sandbox-secret-tiktok", NULL));
}

static struct str token_for(struct probe *probe, const char *scope)
{
	const struct probe_answer answer =
		exchange(probe, code_for(probe, (struct consent){.scope = scope}));
	assert_status(answer, 200);
	return probe_json_string(&answer, "access_token");
}

static struct probe_answer post(struct probe *probe, const char *path, struct str token,
				struct str body)
{
	return probe_ask(probe, (struct probe_request){
					.method = "POST",
					.path = path,
					.bearer = token,
					.content_type = "application/json; charset=UTF-8",
					.body = body.ptr != NULL ? body : STR(""),
				});
}

static struct probe_answer user_info(struct probe *probe, struct str token, const char *fields)
{
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(probe, str_format(probe->arena, API "/user/info/?fields=%s",
							  fields)),
			.bearer = token,
		});
}

static struct str error_of(const struct probe_answer *answer)
{
	return json_string(json_get(json_get(answer->json, "error"), "code"));
}

/* ---- OAuth ---- */

static void consent_page_asks_allows_and_denies(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer page = authorize(probe, (struct consent){0});
	const struct probe_answer allowed = authorize(probe, (struct consent){.decision = "allow"});
	const struct probe_answer denied = authorize(probe, (struct consent){.decision = "deny"});
	assert_status(page, 200);
	assert_true(str_find(page.body, STR("<form"), 0) != SIZE_MAX);
	assert_status(allowed, 302);
	assert_str(probe_location_param(probe, &allowed, "state"), "st-1");
	assert_str(probe_location_param(probe, &allowed, "scopes"), SCOPES);
	/* The code has characters that must be decoded before it is used (1.3). */
	assert_true(str_has_prefix(probe_location_param(probe, &allowed, "code"), STR("sb*!")));
	assert_true(str_find(probe_header(&allowed, "Location"), STR("%21"), 0) != SIZE_MAX);
	assert_status(denied, 302);
	assert_str(probe_location_param(probe, &denied, "error"), "access_denied");
	assert_str(probe_location_param(probe, &denied, "state"), "st-1");
}

static void consent_is_refused_on_the_page(void **state)
{
	static const struct {
		const char *name;
		struct consent consent;
		const char *wrong;
	} rows[] = {
		{"unknown client", {.client = "nobody"}, "client_key"},
		{"redirect elsewhere", {.redirect = "https://example.com/cb/"}, "redirect_uri"},
		{"redirect with a query", {.redirect = REDIRECT "?a=b"}, "redirect_uri"},
		{"unknown scope", {.scope = "user.info.basic,video.delete"}, "scope"},
		{"blanks between scopes", {.scope = "user.info.basic video.publish"}, "scope"},
		{"no scope", {.scope = ""}, "scope"},
		{"desktop without PKCE", {.challenge = ""}, "code_challenge"},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct consent consent = rows[i].consent;
		consent.decision = "allow";
		const struct probe_answer answer = authorize(probe, consent);
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, 400);
		assert_true(str_find(answer.body, str_of(rows[i].wrong), 0) != SIZE_MAX);
		assert_true(str_is_empty(probe_header(&answer, "Location")));
	}
}

static void web_redirect_needs_no_pkce(void **state)
{
	struct probe *probe = *state;
	const char *redirect = "https://127.0.0.1:9/callback/";
	const char *code = code_for(probe, (struct consent){.challenge = "", .redirect = redirect});
	assert_status(exchange_with(probe, code, redirect, "sandbox-tiktok",
				    "sandbox-secret-tiktok", NULL),
		      200);
}

static void scopes_can_be_unticked(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer =
		authorize(probe, (struct consent){.decision = "allow",
						  .extra = "&sandbox_choice=user.info.profile"});
	const struct probe_answer token =
		exchange(probe, probe_z(probe, probe_location_param(probe, &answer, "code")));
	assert_status(token, 200);
	assert_str(probe_json_string(&token, "scope"), "user.info.basic,user.info.profile");
}

static void exchange_gives_tokens(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer = exchange(probe, code_for(probe, (struct consent){0}));
	assert_status(answer, 200);
	assert_str(probe_json_string(&answer, "open_id"), TIKTOK_OPEN_ID);
	assert_str(probe_json_string(&answer, "scope"), SCOPES);
	assert_int_equal(json_int(json_get(answer.json, "expires_in"), 0), 7200);
	assert_int_equal(json_int(json_get(answer.json, "refresh_expires_in"), 0), 15552000);
	assert_true(str_has_prefix(probe_json_string(&answer, "access_token"), STR("act.")));
	assert_true(str_has_prefix(probe_json_string(&answer, "refresh_token"), STR("rft.")));
	assert_null(json_get(answer.json, "data"));
}

static void exchange_is_refused(void **state)
{
	struct probe *probe = *state;
	const char *base64url = probe_z(probe, probe_sha256_base64url(probe, STR(VERIFIER)));
	const char *code = code_for(probe, (struct consent){0});
	const char *standard = code_for(probe, (struct consent){.challenge = base64url});
	const char *secret = "sandbox-secret-tiktok";
	const struct {
		const char *name;
		const char *code;
		const char *redirect;
		const char *secret;
		const char *verifier;
		long status;
		const char *error;
	} rows[] = {
		{"wrong secret", code, REDIRECT, "no", VERIFIER, 401, "invalid_client"},
		{"junk code", "junk", REDIRECT, secret, VERIFIER, 400, "invalid_grant"},
		{"other redirect", code, "http://127.0.0.1:9/other/", secret, VERIFIER, 400,
		 "invalid_request"},
		{"other verifier", code, REDIRECT, secret, VERIFIER "x", 400, "invalid_request"},
		{"no verifier", code, REDIRECT, secret, NULL, 400, "invalid_request"},
		{"short verifier", code, REDIRECT, secret, "short", 400, "invalid_request"},
		{"base64url challenge", standard, REDIRECT, secret, VERIFIER, 400,
		 "invalid_request"},
		{"good", code, REDIRECT, secret, VERIFIER, 200, ""},
		{"replay", code, REDIRECT, secret, VERIFIER, 400, "invalid_grant"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			exchange_with(probe, rows[i].code, rows[i].redirect, "sandbox-tiktok",
				      rows[i].secret, rows[i].verifier);
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		assert_str(probe_json_string(&answer, "error"), rows[i].error);
		if (rows[i].status != 200)
			assert_false(str_is_empty(probe_json_string(&answer, "log_id")));
	}
}

static void code_is_short_lived(void **state)
{
	struct probe *probe = *state;
	const char *code = code_for(probe, (struct consent){0});
	probe_advance(probe, 5 * US_PER_MINUTE);
	assert_status(exchange(probe, code), 400);
}

static void rotation_burns_the_old_token(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first = exchange(probe, code_for(probe, (struct consent){0}));
	const struct probe_answer second =
		refresh(probe, probe_json_string(&first, "refresh_token"));
	const struct probe_answer burnt =
		refresh(probe, probe_json_string(&first, "refresh_token"));
	const struct probe_answer third =
		refresh(probe, probe_json_string(&second, "refresh_token"));
	assert_status(second, 200);
	assert_false(str_equal(probe_json_string(&first, "refresh_token"),
			       probe_json_string(&second, "refresh_token")));
	assert_status(burnt, 400);
	assert_str(probe_json_string(&burnt, "error"), "invalid_grant");
	assert_status(third, 200);
	assert_status(refresh(probe, probe_json_string(&third, "access_token")), 400);
}

/* The answer to a refresh is lost: the old token is burnt all the same. */
static void lost_rotation_is_still_a_rotation(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first = exchange(probe, code_for(probe, (struct consent){0}));
	probe_fault(probe, "{\"platform\":\"tiktok\",\"match\":{\"path\":\"/v2/oauth/token/\"},"
			   "\"effect\":\"status_after\",\"status\":500}");
	assert_status(refresh(probe, probe_json_string(&first, "refresh_token")), 500);
	assert_status(refresh(probe, probe_json_string(&first, "refresh_token")), 400);
}

static void credentials_are_probed(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer good =
		ask_token(probe, probe_form(probe, "grant_type", "client_credentials", "client_key",
					    "sandbox-tiktok", "client_secret",
					    "sandbox-secret-tiktok", NULL));
	const struct probe_answer bad =
		ask_token(probe, probe_form(probe, "grant_type", "client_credentials", "client_key",
					    "sandbox-tiktok", "client_secret", "no", NULL));
	assert_status(good, 200);
	assert_true(str_has_prefix(probe_json_string(&good, "access_token"), STR("clt.")));
	assert_status(bad, 401);
	assert_str(probe_json_string(&bad, "error"), "invalid_client");
	assert_str(probe_json_string(&bad, "error_description"),
		   "Client key or secret is incorrect.");
	const struct probe_answer user =
		user_info(probe, probe_json_string(&good, "access_token"), "open_id");
	assert_status(user, 401);
}

static void revoked_token_is_dead(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer tokens = exchange(probe, code_for(probe, (struct consent){0}));
	const struct str token = probe_json_string(&tokens, "access_token");
	const struct probe_answer revoked = probe_ask(
		probe, (struct probe_request){
			       .method = "POST",
			       .path = API "/oauth/revoke/",
			       .body = probe_form(probe, "client_key", "sandbox-tiktok",
						  "client_secret", "sandbox-secret-tiktok", "token",
						  probe_z(probe, token), NULL),
		       });
	assert_status(revoked, 200);
	assert_str(revoked.body, "{}");
	assert_status(user_info(probe, token, "open_id"), 401);
	assert_status(refresh(probe, probe_json_string(&tokens, "refresh_token")), 400);
}

/* ---- the creator ---- */

static void user_fields_need_their_scope(void **state)
{
	static const struct {
		const char *name;
		const char *scope;
		const char *fields;
		long status;
		const char *error;
	} rows[] = {
		{"basic", "user.info.basic", "open_id,union_id,avatar_url,display_name", 200, "ok"},
		{"username without profile", "user.info.basic", "open_id,username", 401,
		 "scope_not_authorized"},
		{"username", "user.info.basic,user.info.profile", "open_id,username", 200, "ok"},
		{"unknown field", "user.info.basic", "open_id,age", 400, "invalid_params"},
		{"no fields", "user.info.basic", "", 400, "invalid_params"},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			user_info(probe, token_for(probe, rows[i].scope), rows[i].fields);
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		assert_str(error_of(&answer), rows[i].error);
	}
}

static void user_info_gives_what_was_asked(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer =
		user_info(probe, token_for(probe, SCOPES), "open_id,username");
	const struct json *user = json_get(json_get(answer.json, "data"), "user");
	assert_str(json_string(json_get(user, "open_id")), TIKTOK_OPEN_ID);
	assert_str(json_string(json_get(user, "username")), TIKTOK_USERNAME);
	assert_int_equal(user->count, 2);
}

static void creator_info_offers_privacy(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer = post(probe, API "/post/publish/creator_info/query/",
						token_for(probe, SCOPES), none);
	const struct json *options =
		json_get(json_get(answer.json, "data"), "privacy_level_options");
	const struct probe_answer scope = post(probe, API "/post/publish/creator_info/query/",
					       token_for(probe, "user.info.basic"), none);
	assert_status(answer, 200);
	assert_str(error_of(&answer), "ok");
	assert_int_equal(options->count, 3);
	assert_str(json_string(json_at(options, 0)), "PUBLIC_TO_EVERYONE");
	assert_status(scope, 401);
	assert_str(error_of(&scope), "scope_not_authorized");
}

/* ---- chunks ---- */

/* The vectors of 2.3 and the edges of section 8. */
static void chunk_arithmetic(void **state)
{
	static const struct {
		const char *name;
		int64_t video_bytes;
		int64_t chunk_bytes;
		int64_t count;
		bool is_good;
	} rows[] = {
		{"3 MiB in one", 3145728, 3145728, 1, true},
		{"64 MB in one", 64000000, 64000000, 1, true},
		{"64 MB and a byte in tens", 64000001, 10000000, 6, true},
		{"the official example", 50000123, 10000000, 5, true},
		{"4 GB in tens", 4290000000, 10000000, 429, true},
		{"10 MiB chunks", 73400320, 10485760, 7, true},
		{"one byte", 1, 1, 1, true},
		{"rounded up instead of down", 50000123, 10000000, 6, false},
		{"64 MB and a byte in one", 64000001, 64000001, 1, false},
		{"chunk below 5 MiB", 20000000, 5000000, 4, false},
		{"chunk of 5 MiB", 20971520, 5242880, 4, true},
		{"small file in two", 4000000, 2000000, 2, false},
		{"chunk larger than the file", 3000000, 6000000, 1, false},
		{"no chunks", 3000000, 3000000, 0, false},
		{"empty", 0, 0, 1, false},
		{"negative", -5, -5, 1, false},
		{"above 4 GB", 4294967297, 64000000, 67, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (sandbox_tiktok_chunks_fit(rows[i].video_bytes, rows[i].chunk_bytes,
					      rows[i].count) != rows[i].is_good)
			fail_msg("%s", rows[i].name);
	}
}

/* ---- publishing ---- */

static struct str init_body(struct probe *probe, const char *post_info, size_t size, size_t chunk,
			    size_t count)
{
	return str_format(
		probe->arena,
		"{\"post_info\":%s,\"source_info\":{\"source\":\"FILE_UPLOAD\",\"video_size\":%zu,"
		"\"chunk_size\":%zu,\"total_chunk_count\":%zu}}",
		post_info, size, chunk, count);
}

#define PUBLIC \
	"{\"title\":\"My " \
	"#clip\",\"privacy_level\":\"PUBLIC_TO_EVERYONE\",\"disable_comment\":false}"
#define PRIVATE "{\"title\":\"Mine\",\"privacy_level\":\"SELF_ONLY\"}"

static struct probe_answer init(struct probe *probe, struct str token, struct str body)
{
	return post(probe, API "/post/publish/video/init/", token, body);
}

struct task {
	const char *publish_id;
	const char *upload_url;
};

static struct task begin(struct probe *probe, struct str token, const char *post_info, size_t size,
			 size_t chunk, size_t count)
{
	const struct probe_answer answer =
		init(probe, token, init_body(probe, post_info, size, chunk, count));
	const struct json *data = json_get(answer.json, "data");
	assert_status(answer, 200);
	assert_str(error_of(&answer), "ok");
	assert_true(json_string(json_get(data, "publish_id")).len <= 64);
	assert_true(json_string(json_get(data, "upload_url")).len <= 256);
	assert_true(str_has_prefix(json_string(json_get(data, "upload_url")),
				   sandbox_base_url(probe->sandbox)));
	return (struct task){
		.publish_id = probe_z(probe, json_string(json_get(data, "publish_id"))),
		.upload_url = probe_z(probe, json_string(json_get(data, "upload_url"))),
	};
}

static struct probe_answer put_typed(struct probe *probe, struct task task, const char *type,
				     struct str file, size_t from, size_t to)
{
	const char *range =
		probe_z(probe, str_format(probe->arena, "Content-Range: bytes %zu-%zu/%zu", from,
					  to - 1, file.len));
	return probe_ask(probe, (struct probe_request){
					.method = "PUT",
					.path = task.upload_url,
					.headers = {range},
					.content_type = type,
					.body = str_slice(file, from, to),
				});
}

static struct probe_answer put(struct probe *probe, struct task task, struct str file, size_t from,
			       size_t to)
{
	return put_typed(probe, task, "video/mp4", file, from, to);
}

static struct probe_answer fetch(struct probe *probe, struct str token, const char *publish_id)
{
	return post(probe, API "/post/publish/status/fetch/", token,
		    str_format(probe->arena, "{\"publish_id\":\"%s\"}", publish_id));
}

static struct str status_of(const struct probe_answer *answer)
{
	return json_string(json_get(json_get(answer->json, "data"), "status"));
}

static int64_t uploaded_of(const struct probe_answer *answer)
{
	return json_int(json_get(json_get(answer->json, "data"), "uploaded_bytes"), -1);
}

static void public_video_goes_through_its_states(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 3145728);
	const struct task task = begin(probe, token, PUBLIC, file.len, file.len, 1);
	struct probe_answer status = fetch(probe, token, task.publish_id);
	assert_str(status_of(&status), "PROCESSING_UPLOAD");
	assert_int_equal(uploaded_of(&status), 0);
	const struct probe_answer done = put(probe, task, file, 0, file.len);
	assert_status(done, 201);
	assert_int_equal(done.body.len, 0);
	status = fetch(probe, token, task.publish_id);
	assert_str(status_of(&status), "PROCESSING_UPLOAD");
	assert_int_equal(uploaded_of(&status), 3145728);
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 0);

	probe_advance(probe, 1500 * US_PER_MS);
	status = fetch(probe, token, task.publish_id);
	assert_str(status_of(&status), "PUBLISH_COMPLETE");
	const struct json *ids =
		json_get(json_get(status.json, "data"), "publicaly_available_post_id");
	assert_int_equal(ids->count, 0);
	assert_int_equal(probe_ledger(probe, posts, 4), 1);

	probe_advance(probe, US_PER_S);
	status = fetch(probe, token, task.publish_id);
	ids = json_get(json_get(status.json, "data"), "publicaly_available_post_id");
	assert_int_equal(ids->count, 1);
	assert_true(json_is(json_at(ids, 0), JSON_TYPE_INT));
	assert_true(json_at(ids, 0)->integer > (INT64_C(1) << 53));
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	assert_str(json_string(json_get(posts[0], "platform")), "tiktok");
	assert_str(json_string(json_get(posts[0], "account_id")), TIKTOK_OPEN_ID);
	assert_str(json_string(json_get(posts[0], "text")), "My #clip");
	assert_true(str_equal(json_string(json_get(posts[0], "id")),
			      json_text(probe->arena, json_at(ids, 0))));
	const struct json *media = json_at(json_get(posts[0], "media"), 0);
	assert_int_equal(json_int(json_get(media, "bytes"), 0), 3145728);
	assert_true(
		str_equal(json_string(json_get(media, "sha256")), probe_sha256_hex(probe, file)));
}

static void private_video_keeps_its_publish_id(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 1000);
	const struct task task = begin(probe, token, PRIVATE, file.len, file.len, 1);
	assert_status(put(probe, task, file, 0, file.len), 201);
	probe_advance(probe, 10 * US_PER_S);
	const struct probe_answer status = fetch(probe, token, task.publish_id);
	assert_str(status_of(&status), "PUBLISH_COMPLETE");
	assert_int_equal(
		json_get(json_get(status.json, "data"), "publicaly_available_post_id")->count, 0);
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	assert_str(json_string(json_get(posts[0], "id")), task.publish_id);
}

static void chunks_come_in_order(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 16 * MB + 123);
	const struct task task = begin(probe, token, PUBLIC, file.len, 5242880, 3);
	struct probe_answer answer = put(probe, task, file, 5242880, 2 * 5242880);
	assert_status(answer, 416);
	assert_str(probe_header(&answer, "Content-Range"), "bytes 0-0/16000123");
	answer = put(probe, task, file, 0, 5242880);
	assert_status(answer, 206);
	assert_str(probe_header(&answer, "Content-Range"), "bytes 0-5242880/16000123");
	assert_status(put(probe, task, file, 0, 5242880), 416);
	assert_status(put(probe, task, file, 5242880, 6000000), 400);

	/* The platform breaks down before the chunk, then after it: the status says how far it
	 * got. */
	probe_fault(probe,
		    "{\"platform\":\"tiktok\",\"match\":{\"method\":\"PUT\",\"path\":\"/video/\"},"
		    "\"effect\":\"status\",\"status\":500}");
	assert_status(put(probe, task, file, 5242880, 2 * 5242880), 500);
	answer = fetch(probe, token, task.publish_id);
	assert_int_equal(uploaded_of(&answer), 5242880);
	assert_status(put(probe, task, file, 5242880, 2 * 5242880), 206);
	probe_fault(probe,
		    "{\"platform\":\"tiktok\",\"match\":{\"method\":\"PUT\",\"path\":\"/video/\"},"
		    "\"effect\":\"status_after\",\"status\":502}");
	assert_status(put(probe, task, file, 2 * 5242880, file.len), 502);
	answer = fetch(probe, token, task.publish_id);
	assert_int_equal(uploaded_of(&answer), (int64_t)file.len);
	assert_status(put(probe, task, file, 2 * 5242880, file.len), 416);
	probe_advance(probe, 2 * US_PER_S);
	answer = fetch(probe, token, task.publish_id);
	assert_str(status_of(&answer), "PUBLISH_COMPLETE");
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	assert_true(
		str_equal(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "sha256")),
			  probe_sha256_hex(probe, file)));
}

static void upload_host_answers_bare(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 1000);
	const struct task task = begin(probe, token, PUBLIC, file.len, file.len, 1);
	const size_t but_one = strlen(task.upload_url) - 1;
	const char *other = task.upload_url[but_one] == 'x' ? "y" : "x";
	const struct task guessed = {
		.upload_url = probe_z(probe, str_format(probe->arena, "%.*s%s", (int)but_one,
							task.upload_url, other))};
	const struct task unknown = {
		.upload_url = "/open-upload.tiktokapis.com/video/?upload_id=1&upload_token=x"};
	struct probe_answer answer = put(probe, unknown, file, 0, file.len);
	assert_status(answer, 404);
	assert_int_equal(answer.body.len, 0);
	assert_status(put(probe, guessed, file, 0, file.len), 403);
	assert_status(put_typed(probe, task, "application/octet-stream", file, 0, file.len), 400);
	assert_status(put(probe, task, str_slice(file, 0, 999), 0, 999), 400);
	assert_status(probe_ask(probe, (struct probe_request){.method = "PUT",
							      .path = task.upload_url,
							      .content_type = "video/mp4",
							      .body = file}),
		      400);
	probe_advance(probe, US_PER_HOUR);
	assert_status(put(probe, task, file, 0, file.len), 403);
	answer = fetch(probe, token, task.publish_id);
	assert_str(status_of(&answer), "FAILED");
	assert_str(json_string(json_get(json_get(answer.json, "data"), "fail_reason")), "internal");
}

static void reset_forgets_everything(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 1000);
	const struct task task = begin(probe, token, PUBLIC, file.len, file.len, 1);
	assert_status(probe_ask(probe, (struct probe_request){.method = "POST",
							      .path = "/_sandbox/reset"}),
		      200);
	assert_status(put(probe, task, file, 0, file.len), 404);
	assert_status(fetch(probe, token, task.publish_id), 401);
	assert_status(fetch(probe, token_for(probe, SCOPES), task.publish_id), 400);
}

static void what_is_no_video_fails(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = STR("\x89PNG\r\n\x1a\n and more");
	const struct task task = begin(probe, token, PUBLIC, file.len, file.len, 1);
	assert_status(put(probe, task, file, 0, file.len), 201);
	struct probe_answer answer = fetch(probe, token, task.publish_id);
	assert_str(status_of(&answer), "PROCESSING_UPLOAD");
	probe_advance(probe, 2 * US_PER_S);
	answer = fetch(probe, token, task.publish_id);
	assert_str(status_of(&answer), "FAILED");
	assert_str(json_string(json_get(json_get(answer.json, "data"), "fail_reason")),
		   "file_format_check_failed");
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 0);
}

static void init_is_checked(void **state)
{
#define SOURCE \
	",\"source_info\":{\"source\":\"FILE_UPLOAD\",\"video_size\":1000,\"chunk_size\":1000," \
	"\"total_chunk_count\":1}}"
	static const struct {
		const char *name;
		const char *body;
		long status;
		const char *error;
	} rows[] = {
		{"good", "{\"post_info\":" PUBLIC SOURCE, 200, "ok"},
		{"no JSON", "{\"post_info\"", 400, "invalid_params"},
		{"no post_info", "{\"a\":1" SOURCE, 400, "invalid_params"},
		{"no privacy", "{\"post_info\":{\"title\":\"x\"}" SOURCE, 400, "invalid_params"},
		{"unknown privacy", "{\"post_info\":{\"privacy_level\":\"ALL\"}" SOURCE, 400,
		 "invalid_params"},
		{"privacy not offered",
		 "{\"post_info\":{\"privacy_level\":\"FOLLOWER_OF_CREATOR\"}" SOURCE, 403,
		 "privacy_level_option_mismatch"},
		{"flag of another type",
		 "{\"post_info\":{\"privacy_level\":\"SELF_ONLY\",\"is_aigc\":\"yes\"}" SOURCE, 400,
		 "invalid_params"},
		{"no source", "{\"post_info\":" PUBLIC "}", 400, "invalid_params"},
		{"chunks do not fit",
		 "{\"post_info\":" PUBLIC
		 ",\"source_info\":{\"source\":\"FILE_UPLOAD\",\"video_size\":70000000,"
		 "\"chunk_size\":10000000,\"total_chunk_count\":8}}",
		 400, "invalid_params"},
		{"pull from a host that is not ours",
		 "{\"post_info\":" PUBLIC
		 ",\"source_info\":{\"source\":\"PULL_FROM_URL\",\"video_url\":"
		 "\"https://example.com/a.mp4\"}}",
		 403, "url_ownership_unverified"},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = init(probe, token, str_of(rows[i].body));
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		assert_str(error_of(&answer), rows[i].error);
		assert_non_null(json_get(answer.json, "data"));
	}
}

/* 2200 UTF-16 units: an emoji counts two. */
static void title_counts_utf16(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t emojis = 1100; emojis <= 1101; emojis++) {
		struct buf info;
		buf_init(&info, probe->arena, 64 * 1024);
		buf_add_z(&info, "{\"privacy_level\":\"SELF_ONLY\",\"title\":\"");
		for (size_t i = 0; i < emojis; i++)
			buf_add_z(&info, "\xF0\x9F\x8E\x89");
		buf_add_z(&info, "\"}");
		assert_status(init(probe, token,
				   init_body(probe, probe_z(probe, buf_str(&info)), 1000, 1000, 1)),
			      emojis == 1100 ? 200 : 400);
	}
}

/* Pulled from the sandbox itself, which has a picture but no video at hand: the task fails, the
 * init does not. */
static void pulled_file_is_looked_at(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str body = str_format(
		probe->arena,
		"{\"post_info\":" PUBLIC ",\"source_info\":{\"source\":\"PULL_FROM_URL\","
		"\"video_url\":\"" STR_FMT "/p16-sign.tiktokcdn.com/%s\"}}",
		STR_ARG(sandbox_base_url(probe->sandbox)), "avatar");
	struct probe_answer answer = init(probe, token, body);
	assert_status(answer, 200);
	assert_null(json_get(json_get(answer.json, "data"), "upload_url"));
	const char *publish_id =
		probe_z(probe, json_string(json_get(json_get(answer.json, "data"), "publish_id")));
	answer = fetch(probe, token, publish_id);
	assert_str(status_of(&answer), "PROCESSING_DOWNLOAD");
	probe_advance(probe, 2 * US_PER_S);
	answer = fetch(probe, token, publish_id);
	assert_str(status_of(&answer), "FAILED");
	assert_str(json_string(json_get(json_get(answer.json, "data"), "fail_reason")),
		   "file_format_check_failed");
}

static void draft_goes_to_the_inbox_only(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 1000);
	struct probe_answer answer =
		post(probe, API "/post/publish/inbox/video/init/", token,
		     STR("{\"source_info\":{\"source\":\"FILE_UPLOAD\",\"video_size\":1000,"
			 "\"chunk_size\":1000,\"total_chunk_count\":1}}"));
	const struct json *data = json_get(answer.json, "data");
	const struct task task = {probe_z(probe, json_string(json_get(data, "publish_id"))),
				  probe_z(probe, json_string(json_get(data, "upload_url")))};
	assert_status(answer, 200);
	assert_status(put(probe, task, file, 0, file.len), 201);
	probe_advance(probe, 2 * US_PER_S);
	answer = fetch(probe, token, task.publish_id);
	assert_str(status_of(&answer), "SEND_TO_USER_INBOX");
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 0);
}

static void status_errors_are_envelopes(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer unknown = fetch(probe, token, "v_pub_file~v2-1.1");
	const struct probe_answer stranger = fetch(probe, STR("act.junk"), "v_pub_file~v2-1.1");
	assert_status(unknown, 400);
	assert_str(error_of(&unknown), "invalid_publish_id");
	assert_false(
		str_is_empty(json_string(json_get(json_get(unknown.json, "error"), "log_id"))));
	assert_status(stranger, 401);
	assert_str(error_of(&stranger), "access_token_invalid");
}

static void faults_speak_tiktok(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	probe_fault(probe, "{\"platform\":\"tiktok\",\"match\":{\"path\":\"/v2/user/info/"
			   "\"},\"effect\":\"rate_limit\"}");
	const struct probe_answer limited = user_info(probe, token, "open_id");
	assert_status(limited, 429);
	assert_str(error_of(&limited), "rate_limit_exceeded");
	probe_fault(probe, "{\"platform\":\"tiktok\",\"match\":{\"path\":\"/v2/user/info/"
			   "\"},\"effect\":\"expire_token\"}");
	const struct probe_answer expired = user_info(probe, token, "open_id");
	assert_status(expired, 401);
	assert_str(error_of(&expired), "access_token_invalid");
	assert_status(user_info(probe, token, "open_id"), 401);
}

static void turn(struct probe *probe, const char *knobs)
{
	assert_status(probe_ask(probe, (struct probe_request){.method = "POST",
							      .path = "/_sandbox/knobs",
							      .body = str_of(knobs)}),
		      200);
}

static struct probe_answer photos_init(struct probe *probe, struct str token, const char *post_info,
				       const char *images, int cover)
{
	return post(
		probe, API "/post/publish/content/init/", token,
		str_format(
			probe->arena,
			"{\"media_type\":\"PHOTO\",\"post_mode\":\"DIRECT_POST\",\"post_info\":%s,"
			"\"source_info\":{\"source\":\"PULL_FROM_URL\",\"photo_cover_index\":%d,"
			"\"photo_images\":[%s]}}",
			post_info, cover, images));
}

#define PHOTO_INFO "{\"description\":\"Us\",\"privacy_level\":\"PUBLIC_TO_EVERYONE\"}"

static void photos_are_fetched_and_posted(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	struct media_server server;
	media_server_open(&server);
	const char *images = probe_z(probe, str_format(probe->arena, "\"%s\",\"%s\"",
						       media_url(probe, &server, "square.jpg"),
						       media_url(probe, &server, "square.jpg")));
	struct probe_answer answer = photos_init(probe, token, PHOTO_INFO, images, 1);
	assert_status(answer, 200);
	const char *publish_id =
		probe_z(probe, json_string(json_get(json_get(answer.json, "data"), "publish_id")));
	assert_true(str_has_prefix(str_of(publish_id), STR("p_pub_url~v2.")));
	answer = fetch(probe, token, publish_id);
	assert_str(status_of(&answer), "PROCESSING_DOWNLOAD");
	probe_advance(probe, 10 * US_PER_S);
	answer = fetch(probe, token, publish_id);
	assert_str(status_of(&answer), "PUBLISH_COMPLETE");
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	assert_str(json_string(json_get(posts[0], "type")), "photo");
	assert_str(json_string(json_get(posts[0], "text")), "Us");
	assert_int_equal(json_get(posts[0], "media")->count, 2);
	assert_true(str_find(json_string(json_get(posts[0], "url")), STR("/photo/75"), 0) !=
		    SIZE_MAX);
	images = probe_z(probe, str_format(probe->arena, "\"%s\",\"%s\"",
					   media_url(probe, &server, "square.jpg"),
					   media_url(probe, &server, "picture.png")));
	answer = photos_init(probe, token, PHOTO_INFO, images, 0);
	publish_id =
		probe_z(probe, json_string(json_get(json_get(answer.json, "data"), "publish_id")));
	probe_advance(probe, 10 * US_PER_S);
	answer = fetch(probe, token, publish_id);
	assert_str(json_string(json_get(json_get(answer.json, "data"), "fail_reason")),
		   "file_format_check_failed");
	media_server_close(&server);
}

static void photo_init_is_checked(void **state)
{
	static const struct {
		const char *name;
		const char *post_info;
		const char *images;
		int cover;
		long status;
		const char *error;
	} rows[] = {
		{"no image", PHOTO_INFO, "", 0, 400, "invalid_params"},
		{"cover beyond", PHOTO_INFO, "\"http://127.0.0.1:9/a.jpg\"", 1, 400,
		 "invalid_params"},
		{"not ours", PHOTO_INFO, "\"https://example.com/a.jpg\"", 0, 403,
		 "url_ownership_unverified"},
		{"flag of another type", "{\"privacy_level\":\"SELF_ONLY\",\"auto_add_music\":1}",
		 "\"http://127.0.0.1:9/a.jpg\"", 0, 400, "invalid_params"},
		{"level not offered", "{\"privacy_level\":\"FOLLOWER_OF_CREATOR\"}",
		 "\"http://127.0.0.1:9/a.jpg\"", 0, 403, "privacy_level_option_mismatch"},
		{"title too long",
		 "{\"privacy_level\":\"SELF_ONLY\",\"title\":"
		 "\"0123456789012345678901234567890123456789"
		 "012345678901234567890123456789012345678901234567890\"}",
		 "\"http://127.0.0.1:9/a.jpg\"", 0, 400, "invalid_params"},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			photos_init(probe, token, rows[i].post_info, rows[i].images, rows[i].cover);
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		assert_str(error_of(&answer), rows[i].error);
	}
}

/* The creator's state and the app's audit change the answer to init; creator_info reports some of
 * it with 200. */
static void knobs_change_what_may_be_posted(void **state)
{
	static const struct {
		const char *knobs;
		const char *creator_error;
		long init_status;
		const char *init_error;
	} rows[] = {
		{"{\"tiktok_banned\":1}", "spam_risk_user_banned_from_posting", 403,
		 "spam_risk_user_banned_from_posting"},
		{"{\"tiktok_banned\":0,\"tiktok_user_cap_reached\":1}", "reached_active_user_cap",
		 403, "reached_active_user_cap"},
		{"{\"tiktok_user_cap_reached\":0,\"tiktok_audited\":0}", "ok", 403,
		 "unaudited_client_can_only_post_to_private_accounts"},
		{"{\"tiktok_audited\":1,\"tiktok_private_account\":1}", "ok", 403,
		 "privacy_level_option_mismatch"},
		{"{\"tiktok_private_account\":0}", "ok", 200, "ok"},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		turn(probe, rows[i].knobs);
		const struct probe_answer creator =
			post(probe, API "/post/publish/creator_info/query/", token, STR(""));
		const struct probe_answer answer =
			init(probe, token, init_body(probe, PUBLIC, 1000, 1000, 1));

		print_message("row: %s\n", rows[i].knobs);
		assert_status(creator, 200);
		assert_str(error_of(&creator), rows[i].creator_error);
		assert_status(answer, rows[i].init_status);
		assert_str(error_of(&answer), rows[i].init_error);
	}
}

static void posts_and_calls_are_counted_on_the_clock(void **state)
{
	struct probe *probe = *state;
	struct str token = token_for(probe, SCOPES);
	const struct str body = init_body(probe, PUBLIC, 1000, 1000, 1);
	turn(probe, "{\"tiktok_posts_per_day\":2}");
	assert_status(init(probe, token, body), 200);
	probe_advance(probe, US_PER_HOUR);
	assert_status(init(probe, token, body), 200);
	const struct probe_answer answer = init(probe, token, body);
	assert_str(error_of(&answer), "spam_risk_too_many_posts");
	probe_advance(probe,
		      US_PER_DAY - US_PER_HOUR + US_PER_S); /* the last 24 hours, not the day */
	token = token_for(probe, SCOPES);
	assert_status(init(probe, token, body), 200);
	turn(probe, "{\"tiktok_posts_per_day\":0,\"tiktok_rate_limits\":1}");
	probe_advance(probe, 61 * US_PER_S);
	for (int i = 0; i < 6; i++)
		assert_status(init(probe, token, body), 200);
	assert_status(init(probe, token, body), 429);
	probe_advance(probe, 61 * US_PER_S);
	assert_status(init(probe, token, body), 200);
}

static void named_errors_are_tiktoks_own(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	probe_fault(probe, "{\"platform\":\"tiktok\",\"match\":{\"path\":\"/v2/user/info/"
			   "\"},\"effect\":\"status\","
			   "\"status\":400,\"error\":\"reached_active_user_cap\"}");
	struct probe_answer answer = user_info(probe, token, "open_id");
	assert_status(answer, 403);
	assert_str(error_of(&answer), "reached_active_user_cap");
	probe_fault(probe, "{\"platform\":\"tiktok\",\"match\":{\"path\":\"/v2/user/info/"
			   "\"},\"effect\":\"status\","
			   "\"status\":400,\"error\":\"rate_limit_exceeded/200\"}");
	answer = user_info(probe, token, "open_id");
	assert_status(answer, 200);
	assert_str(error_of(&answer), "rate_limit_exceeded");
	answer = probe_ask(
		probe, (struct probe_request){.method = "POST",
					      .path = "/_sandbox/faults",
					      .body = STR("{\"platform\":\"tiktok\",\"effect\":"
							  "\"status\",\"error\":\"no_such\"}")});
	assert_true(answer.status >= 400);
}

/* The connection breaks within a chunk: TikTok has it whole or not at all. */
static void a_cut_chunk_leaves_nothing(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 12 * MB);
	const struct task task = begin(probe, token, PUBLIC, file.len, 6 * MB, 2);
	assert_status(put(probe, task, file, 0, 6 * MB), 206);
	probe_fault(probe, "{\"platform\":\"tiktok\",\"match\":{\"method\":\"PUT\"},\"effect\":"
			   "\"cut\",\"bytes\":1000000}");
	probe->may_break = true;
	assert_status(put(probe, task, file, 6 * MB, file.len), 0);
	probe->may_break = false;
	const struct probe_answer answer = fetch(probe, token, task.publish_id);
	assert_int_equal(uploaded_of(&answer), (int64_t)(6 * MB));
	assert_status(put(probe, task, file, 6 * MB, file.len), 201);
}

static void access_token_lives_two_hours(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	probe_advance(probe, 7199 * US_PER_S);
	assert_status(user_info(probe, token, "open_id"), 200);
	probe_advance(probe, US_PER_S);
	assert_status(user_info(probe, token, "open_id"), 401);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(consent_page_asks_allows_and_denies, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(consent_is_refused_on_the_page, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(web_redirect_needs_no_pkce, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(scopes_can_be_unticked, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(exchange_gives_tokens, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(exchange_is_refused, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(code_is_short_lived, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(rotation_burns_the_old_token, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(lost_rotation_is_still_a_rotation, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(credentials_are_probed, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(revoked_token_is_dead, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(user_fields_need_their_scope, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(user_info_gives_what_was_asked, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(creator_info_offers_privacy, probe_open,
						probe_close),
		cmocka_unit_test(chunk_arithmetic),
		cmocka_unit_test_setup_teardown(public_video_goes_through_its_states, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(private_video_keeps_its_publish_id, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(chunks_come_in_order, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(upload_host_answers_bare, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(reset_forgets_everything, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(what_is_no_video_fails, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(init_is_checked, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(title_counts_utf16, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(pulled_file_is_looked_at, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(draft_goes_to_the_inbox_only, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(status_errors_are_envelopes, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(faults_speak_tiktok, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(photos_are_fetched_and_posted, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(photo_init_is_checked, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(knobs_change_what_may_be_posted, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(posts_and_calls_are_counted_on_the_clock,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(named_errors_are_tiktoks_own, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(a_cut_chunk_leaves_nothing, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(access_token_lives_two_hours, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
