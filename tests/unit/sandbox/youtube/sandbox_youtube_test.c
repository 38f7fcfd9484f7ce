/* SPDX-License-Identifier: Apache-2.0
 * The simulated YouTube over HTTP: consent, tokens, the channel, resumable uploads with
 * interruptions, processing, the uploads playlist, comments, quota. */
#include <pthread.h>

#include "count_of.h"

#include "probe.h"

#define AUTHORIZE "/accounts.google.com/o/oauth2/v2/auth?"
#define TOKEN "/oauth2.googleapis.com/token"
#define API "/www.googleapis.com/youtube/v3"
#define UPLOAD_VIDEOS "/www.googleapis.com/upload/youtube/v3/videos"
#define START \
	"/www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status"
#define REDIRECT "http://127.0.0.1:9/callback"
#define SCOPE_UPLOAD "https://www.googleapis.com/auth/youtube.upload"
#define SCOPE_READ "https://www.googleapis.com/auth/youtube.readonly"
#define SCOPE_SSL "https://www.googleapis.com/auth/youtube.force-ssl"
#define SCOPES SCOPE_UPLOAD " " SCOPE_READ " " SCOPE_SSL
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHUNK ((size_t)262144)

static const struct str none;

struct consent {
	const char *client;
	const char *redirect;
	const char *scope;
	const char *access_type;
	const char *prompt;
	const char *challenge;
	const char *decision;
	const char *extra; /* more of the query */
};

static struct probe_answer authorize(struct probe *probe, struct consent consent)
{
	const struct str query = probe_form(
		probe, "response_type", "code", "client_id",
		consent.client != NULL ? consent.client : "sandbox-youtube", "redirect_uri",
		consent.redirect != NULL ? consent.redirect : REDIRECT, "state", "st-1", "scope",
		consent.scope != NULL ? consent.scope : SCOPES, "access_type",
		consent.access_type != NULL ? consent.access_type : "offline", "prompt",
		consent.prompt != NULL ? consent.prompt : "consent",
		consent.challenge != NULL ? "code_challenge" : NULL, consent.challenge,
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

static struct probe_answer exchange_with(struct probe *probe, const char *code,
					 const char *redirect, const char *client,
					 const char *secret, const char *verifier)
{
	return probe_ask(probe,
			 (struct probe_request){
				 .method = "POST",
				 .path = TOKEN,
				 .body = probe_form(probe, "grant_type", "authorization_code",
						    "code", code, "redirect_uri", redirect,
						    "client_id", client, "client_secret", secret,
						    verifier != NULL ? "code_verifier" : NULL,
						    verifier, NULL),
			 });
}

static struct probe_answer exchange(struct probe *probe, const char *code)
{
	return exchange_with(probe, code, REDIRECT, "sandbox-youtube", "sandbox-secret-youtube",
			     NULL);
}

static struct probe_answer refresh(struct probe *probe, struct str token)
{
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "POST",
			.path = TOKEN,
			.body = probe_form(probe, "grant_type", "refresh_token", "refresh_token",
					   probe_z(probe, token), "client_id", "sandbox-youtube",
					   "client_secret", "sandbox-secret-youtube", NULL),
		});
}

static struct str token_for(struct probe *probe, const char *scope)
{
	const struct probe_answer answer =
		exchange(probe, code_for(probe, (struct consent){.scope = scope}));
	assert_status(answer, 200);
	return probe_json_string(&answer, "access_token");
}

static struct probe_answer get(struct probe *probe, const char *path, struct str token)
{
	return probe_ask(probe,
			 (struct probe_request){.method = "GET", .path = path, .bearer = token});
}

static struct str reason_of(const struct probe_answer *answer)
{
	return json_string(json_get(json_at(json_get(json_get(answer->json, "error"), "errors"), 0),
				    "reason"));
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
	assert_str(probe_location_param(probe, &allowed, "scope"), SCOPES);
	assert_true(str_has_prefix(probe_location_param(probe, &allowed, "code"), STR("4/0A")));
	assert_status(denied, 302);
	assert_str(probe_location_param(probe, &denied, "error"), "access_denied");
	assert_str(probe_location_param(probe, &denied, "state"), "st-1");
}

static void consent_is_refused_on_googles_page(void **state)
{
	static const struct {
		const char *name;
		struct consent consent;
		long status;
	} rows[] = {
		{"unknown client", {.client = "nobody"}, 401},
		{"redirect elsewhere", {.redirect = "https://example.com/cb"}, 400},
		{"unknown scope",
		 {.scope = SCOPE_UPLOAD " https://www.googleapis.com/auth/drive"},
		 400},
		{"no scope", {.scope = ""}, 400},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct consent consent = rows[i].consent;
		consent.decision = "allow";
		const struct probe_answer answer = authorize(probe, consent);
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		assert_true(str_is_empty(probe_header(&answer, "Location")));
	}
}

static void scopes_can_be_unticked(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer = authorize(
		probe, (struct consent){.decision = "allow",
					.extra = "&sandbox_choice=https%3A%2F%2Fwww.googleapis.com%"
						 "2Fauth%2Fyoutube.readonly"});
	const struct probe_answer token =
		exchange(probe, probe_z(probe, probe_location_param(probe, &answer, "code")));
	assert_status(token, 200);
	assert_str(probe_json_string(&token, "scope"), SCOPE_READ);
}

static void exchange_gives_tokens(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first =
		exchange(probe, code_for(probe, (struct consent){.prompt = "none"}));
	const struct probe_answer again =
		exchange(probe, code_for(probe, (struct consent){.prompt = "select_account"}));
	const struct probe_answer forced = exchange(probe, code_for(probe, (struct consent){0}));
	const struct probe_answer online =
		exchange(probe, code_for(probe, (struct consent){.access_type = "online"}));
	assert_status(first, 200);
	assert_int_equal(json_int(json_get(first.json, "expires_in"), 0), 3599);
	assert_str(probe_json_string(&first, "token_type"), "Bearer");
	assert_true(str_has_prefix(probe_json_string(&first, "access_token"), STR("ya29.")));
	assert_false(str_is_empty(probe_json_string(&first, "refresh_token")));
	assert_true(str_is_empty(probe_json_string(&again, "refresh_token")));
	assert_false(str_is_empty(probe_json_string(&forced, "refresh_token")));
	assert_true(str_is_empty(probe_json_string(&online, "refresh_token")));
}

/* The credential probe depends on this order: client, then code, then redirect (1.6). */
static void exchange_errors_come_in_order(void **state)
{
	struct probe *probe = *state;
	const char *code = code_for(probe, (struct consent){0});
	const char *good = "sandbox-secret-youtube";
	const struct {
		const char *name;
		const char *code;
		const char *redirect;
		const char *client;
		const char *secret;
		long status;
		const char *error;
	} rows[] = {
		{"unknown client beats all", "junk", "http://127.0.0.1/no", "nobody", "no", 401,
		 "invalid_client"},
		{"wrong secret beats code", "junk", REDIRECT, "sandbox-youtube", "no", 401,
		 "invalid_client"},
		{"junk code beats redirect", "junk", "http://127.0.0.1/no", "sandbox-youtube", good,
		 400, "invalid_grant"},
		{"wrong redirect", code, REDIRECT "/", "sandbox-youtube", good, 400,
		 "redirect_uri_mismatch"},
		{"good", code, REDIRECT, "sandbox-youtube", good, 200, ""},
		{"replay", code, REDIRECT, "sandbox-youtube", good, 400, "invalid_grant"},
		{"no code", "", REDIRECT, "sandbox-youtube", good, 400, "invalid_request"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			exchange_with(probe, rows[i].code, rows[i].redirect, rows[i].client,
				      rows[i].secret, NULL);
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].status);
		assert_str(probe_json_string(&answer, "error"), rows[i].error);
	}
}

static void pkce_is_base64url(void **state)
{
	struct probe *probe = *state;
	const char *base64url = probe_z(probe, probe_sha256_base64url(probe, STR(VERIFIER)));
	const char *hex = probe_z(probe, probe_sha256_hex(probe, STR(VERIFIER)));
	const struct {
		const char *name;
		const char *challenge;
		const char *verifier;
		long status;
	} rows[] = {
		{"right", base64url, VERIFIER, 200},
		{"wrong verifier", base64url, VERIFIER "x", 400},
		{"no verifier", base64url, NULL, 400},
		{"hex as TikTok wants it", hex, VERIFIER, 400},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *code =
			code_for(probe, (struct consent){.challenge = rows[i].challenge});
		print_message("row: %s\n", rows[i].name);
		assert_status(exchange_with(probe, code, REDIRECT, "sandbox-youtube",
					    "sandbox-secret-youtube", rows[i].verifier),
			      rows[i].status);
	}
}

static void refresh_keeps_the_refresh_token(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first = exchange(probe, code_for(probe, (struct consent){0}));
	const struct str token = probe_json_string(&first, "refresh_token");
	const struct probe_answer second = refresh(probe, token);
	const struct probe_answer third = refresh(probe, token);
	const struct probe_answer bad = refresh(probe, STR("1//0junk"));
	assert_status(second, 200);
	assert_null(json_get(second.json, "refresh_token"));
	assert_status(third, 200);
	assert_status(bad, 400);
	assert_str(probe_json_string(&bad, "error"), "invalid_grant");
}

static void tokens_expire_and_are_revoked(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first = exchange(probe, code_for(probe, (struct consent){0}));
	const struct str access = probe_json_string(&first, "access_token");
	const struct str token = probe_json_string(&first, "refresh_token");
	probe_advance(probe, 3599 * US_PER_S);
	const struct probe_answer expired = get(probe, API "/channels?part=id&mine=true", access);
	assert_status(expired, 401);
	assert_str(reason_of(&expired), "authError");
	const struct probe_answer second = refresh(probe, token);
	assert_status(get(probe, API "/channels?part=id&mine=true",
			  probe_json_string(&second, "access_token")),
		      200);
	assert_status(
		probe_ask(probe,
			  (struct probe_request){
				  .method = "POST",
				  .path = "/oauth2.googleapis.com/revoke",
				  .body = probe_form(probe, "token", probe_z(probe, token), NULL),
			  }),
		200);
	assert_status(refresh(probe, token), 400);
	assert_status(get(probe, API "/channels?part=id&mine=true",
			  probe_json_string(&second, "access_token")),
		      401);
}

/* The access token that is handed in at revoke takes the whole grant with it. */
static void revoking_the_access_token_ends_the_grant(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer tokens = exchange(probe, code_for(probe, (struct consent){0}));
	const struct str access = probe_json_string(&tokens, "access_token");
	const struct probe_request revoke = {
		.method = "POST",
		.path = "/oauth2.googleapis.com/revoke",
		.body = probe_form(probe, "token", probe_z(probe, access), NULL),
	};
	assert_status(probe_ask(probe, revoke), 200);
	assert_status(get(probe, API "/channels?part=id&mine=true", access), 401);
	assert_status(refresh(probe, probe_json_string(&tokens, "refresh_token")), 400);
	const struct probe_answer again = probe_ask(probe, revoke);
	assert_status(again, 400);
	assert_str(probe_json_string(&again, "error"), "invalid_token");
}

static void channel_is_listed(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct probe_answer answer =
		get(probe, API "/channels?part=snippet,contentDetails,status&mine=true", token);
	const struct json *channel = json_at(json_get(answer.json, "items"), 0);
	const struct probe_answer scope =
		get(probe, API "/channels?part=id&mine=true", token_for(probe, SCOPE_UPLOAD));
	const struct probe_answer nobody = get(probe, API "/channels?part=id&mine=true", none);
	assert_status(answer, 200);
	assert_str(json_string(json_get(channel, "id")), "UCsandboxPosthorn0000001");
	assert_str(json_string(json_get(json_get(channel, "snippet"), "customUrl")),
		   "@posthorn-sandbox");
	assert_str(json_string(json_get(
			   json_get(json_get(channel, "contentDetails"), "relatedPlaylists"),
			   "uploads")),
		   "UUsandboxPosthorn0000001");
	assert_status(scope, 403);
	assert_str(reason_of(&scope), "insufficientPermissions");
	assert_status(nobody, 401);
	assert_status(get(probe, API "/channels?mine=true", token), 400);
}

/* ---- uploads ---- */

#define METADATA \
	"{\"snippet\":{\"title\":\"My film\",\"description\":\"All about " \
	"it\",\"tags\":[\"a\",\"b c\"]," \
	"\"categoryId\":\"22\"},\"status\":{\"privacyStatus\":\"public\"," \
	"\"selfDeclaredMadeForKids\":false}}"

static struct probe_answer start(struct probe *probe, struct str token, const char *metadata,
				 size_t size_bytes)
{
	const char *length = probe_z(
		probe, str_format(probe->arena, "X-Upload-Content-Length: %zu", size_bytes));
	return probe_ask(probe, (struct probe_request){
					.method = "POST",
					.path = START,
					.bearer = token,
					.headers = {length, "X-Upload-Content-Type: video/mp4"},
					.content_type = "application/json; charset=UTF-8",
					.body = str_of(metadata),
				});
}

static const char *session_for(struct probe *probe, struct str token, const char *metadata,
			       size_t size_bytes)
{
	const struct probe_answer answer = start(probe, token, metadata, size_bytes);
	assert_status(answer, 200);
	assert_true(str_has_prefix(probe_header(&answer, "Location"),
				   sandbox_base_url(probe->sandbox)));
	return probe_z(probe, probe_header(&answer, "Location"));
}

/* range: the whole header line, or NULL. */
static struct probe_answer put(struct probe *probe, const char *session, struct str token,
			       const char *range, struct str bytes)
{
	return probe_ask(probe, (struct probe_request){
					.method = "PUT",
					.path = session,
					.bearer = token,
					.headers = {range},
					.content_type = "video/mp4",
					.body = bytes.ptr != NULL ? bytes : STR(""),
				});
}

static struct probe_answer put_chunk(struct probe *probe, const char *session, struct str token,
				     struct str file, size_t from, size_t to)
{
	const char *range =
		probe_z(probe, str_format(probe->arena, "Content-Range: bytes %zu-%zu/%zu", from,
					  to - 1, file.len));
	return put(probe, session, token, range, str_slice(file, from, to));
}

static struct probe_answer query(struct probe *probe, const char *session, struct str token,
				 size_t size_bytes)
{
	return put(
		probe, session, token,
		probe_z(probe, str_format(probe->arena, "Content-Range: bytes */%zu", size_bytes)),
		none);
}

static struct probe_answer video_of(struct probe *probe, struct str token, struct str id,
				    const char *parts)
{
	return get(probe,
		   probe_z(probe, str_format(probe->arena, API "/videos?part=%s&id=" STR_FMT, parts,
					     STR_ARG(id))),
		   token);
}

static void whole_file_in_one_put(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 300001);
	const char *session = session_for(probe, token, METADATA, file.len);
	const struct probe_answer done = put(probe, session, token, NULL, file);
	const struct probe_answer again = query(probe, session, token, file.len);
	const struct probe_answer resent = put(probe, session, token, NULL, file);
	assert_status(done, 200);
	assert_int_equal(probe_json_string(&done, "id").len, 11);
	assert_str(json_string(json_get(json_get(done.json, "snippet"), "title")), "My film");
	assert_str(json_string(json_get(json_get(done.json, "status"), "uploadStatus")),
		   "uploaded");
	assert_status(again, 201);
	assert_true(str_equal(probe_json_string(&again, "id"), probe_json_string(&done, "id")));
	assert_status(resent, 201);
	assert_true(str_equal(probe_json_string(&resent, "id"), probe_json_string(&done, "id")));
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	assert_str(json_string(json_get(posts[0], "platform")), "youtube");
	assert_true(
		str_equal(json_string(json_get(posts[0], "id")), probe_json_string(&done, "id")));
	const struct json *media = json_at(json_get(posts[0], "media"), 0);
	assert_int_equal(json_int(json_get(media, "bytes"), 0), 300001);
	assert_true(
		str_equal(json_string(json_get(media, "sha256")), probe_sha256_hex(probe, file)));
}

/* As Google's Go client sends them: by POST, and so that 308 is no redirect. */
static void chunks_may_come_as_posts(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 300000);
	const char *session = session_for(probe, token, METADATA, file.len);
	static const char *const ranges[] = {"Content-Range: bytes 0-262143/300000",
					     "Content-Range: bytes 262144-299999/300000"};
	struct probe_request chunk = {
		.method = "POST",
		.path = session,
		.bearer = token,
		.headers = {ranges[0], "X-GUploader-No-308: yes"},
		.content_type = "video/mp4",
		.body = str_slice(file, 0, 262144),
	};
	const struct probe_answer first = probe_ask(probe, chunk);
	assert_status(first, 200);
	assert_str(probe_header(&first, "X-HTTP-Status-Code-Override"), "308");
	assert_str(probe_header(&first, "Range"), "bytes=0-262143");
	assert_int_equal(first.body.len, 0);
	chunk.headers[0] = ranges[1];
	chunk.body = str_slice(file, 262144, file.len);
	const struct probe_answer last = probe_ask(probe, chunk);
	assert_status(last, 201);
	assert_int_equal(probe_header(&last, "X-HTTP-Status-Code-Override").len, 0);
	assert_int_equal(probe_json_string(&last, "id").len, 11);
}

static struct probe_answer post_related(struct probe *probe, struct str token, const char *metadata,
					const char *type, struct str file)
{
	const struct str head =
		str_format(probe->arena,
			   "--b1\r\ncontent-type: application/json\r\n\r\n%s\r\n--b1\r\n"
			   "content-type: %s\r\n\r\n",
			   metadata, type);
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "POST",
			.path = UPLOAD_VIDEOS "?uploadType=multipart&part=snippet&part=status",
			.bearer = token,
			.content_type = "multipart/related; boundary=b1",
			.body = str_concat(probe->arena, str_concat(probe->arena, head, file),
					   STR("\r\n--b1--")),
		});
}

/* As Google's Node client sends it. */
static void metadata_and_file_in_one_call(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 300001);
	const struct probe_answer done = post_related(probe, token, METADATA, "video/mp4", file);
	assert_status(done, 200);
	assert_str(json_string(json_get(json_get(done.json, "snippet"), "title")), "My film");
	assert_str(json_string(json_get(json_get(done.json, "status"), "uploadStatus")),
		   "uploaded");
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	const struct json *media = json_at(json_get(posts[0], "media"), 0);
	assert_true(
		str_equal(json_string(json_get(media, "sha256")), probe_sha256_hex(probe, file)));
	const struct probe_answer text = post_related(probe, token, METADATA, "text/plain", file);
	const struct probe_answer bad = post_related(probe, token, "{", "video/mp4", file);
	assert_status(text, 400);
	assert_str(reason_of(&text), "badContent");
	assert_status(bad, 400);
	assert_status(probe_ask(probe,
				(struct probe_request){
					.method = "POST",
					.path = UPLOAD_VIDEOS "?uploadType=media&part=snippet",
					.bearer = token,
					.body = STR(METADATA),
				}),
		      400);
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
}

static void chunks_are_resumed(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 3 * CHUNK + 17);
	const char *session = session_for(probe, token, METADATA, file.len);
	struct probe_answer answer = query(probe, session, token, file.len);
	assert_status(answer, 308);
	assert_true(str_is_empty(probe_header(&answer, "Range")));
	answer = put_chunk(probe, session, token, file, 0, CHUNK);
	assert_status(answer, 308);
	assert_str(probe_header(&answer, "Range"), "bytes=0-262143");

	/* The connection dies before the platform sees the second chunk: asking says where to go
	 * on. */
	probe_fault(probe, "{\"platform\":\"youtube\",\"match\":{\"method\":\"PUT\",\"path\":\"/"
			   "upload/youtube/v3/"
			   "videos\"},\"effect\":\"status\",\"status\":503}");
	assert_status(put_chunk(probe, session, token, file, CHUNK, 2 * CHUNK), 503);
	answer = query(probe, session, token, file.len);
	assert_status(answer, 308);
	assert_str(probe_header(&answer, "Range"), "bytes=0-262143");

	assert_status(put_chunk(probe, session, token, file, 2 * CHUNK, 3 * CHUNK), 400);
	assert_status(put_chunk(probe, session, token, file, CHUNK, 3 * CHUNK), 308);
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 0);

	/* The last byte arrives, its answer is lost: the question says that the video exists,
	 * once. */
	probe_fault(probe, "{\"platform\":\"youtube\",\"match\":{\"method\":\"PUT\",\"path\":\"/"
			   "upload/youtube/v3/"
			   "videos\"},\"effect\":\"status_after\",\"status\":502}");
	assert_status(put_chunk(probe, session, token, file, 3 * CHUNK, file.len), 502);
	answer = query(probe, session, token, file.len);
	assert_status(answer, 201);
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	assert_true(
		str_equal(json_string(json_get(posts[0], "id")), probe_json_string(&answer, "id")));
	assert_true(
		str_equal(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "sha256")),
			  probe_sha256_hex(probe, file)));
}

/* One of several callers that send the same last chunk at the same time. */
struct racer {
	struct probe probe; /* the sandbox is shared, the client and the memory are its own */
	pthread_t thread;
	const char *session;
	struct str token;
	struct str file;
	struct probe_answer answer;
};

static void *race(void *context)
{
	struct racer *racer = context;
	racer->answer = put(&racer->probe, racer->session, racer->token, NULL, racer->file);
	return NULL;
}

/* The lock is released while the file is examined: a second caller must find the same video. */
static void last_bytes_at_once_make_one_video(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 8 * 1024 * 1024);
	const char *session = session_for(probe, token, METADATA, file.len);
	struct racer racers[3] = {0};
	for (size_t i = 0; i < 3; i++) {
		racers[i] = (struct racer){
			.probe = *probe, .session = session, .token = token, .file = file};
		racers[i].probe.arena = arena_new("racer", (size_t)64 * 1024 * 1024);
		racers[i].probe.curl = curl_easy_init();
		assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_join(racers[i].thread, NULL), 0);
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 1);
	for (size_t i = 0; i < 3; i++) {
		assert_true(racers[i].answer.status == 200 || racers[i].answer.status == 201);
		assert_true(str_equal(probe_json_string(&racers[i].answer, "id"),
				      json_string(json_get(posts[0], "id"))));
		curl_easy_cleanup(racers[i].probe.curl);
		arena_free(&racers[i].probe.arena);
	}
}

static void wrong_chunks_are_refused(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 2 * CHUNK);
	const char *session = session_for(probe, token, METADATA, file.len);
	const struct probe_answer garbage =
		put(probe, session, token, "Content-Range: bytes x", str_slice(file, 0, 10));
	assert_status(garbage, 400);
	assert_str(garbage.body, "Failed to parse Content-Range header.");
	assert_status(put_chunk(probe, session, token, file, 0, CHUNK - 1), 400);
	assert_status(put(probe, session, token, "Content-Range: bytes 0-262143/999999",
			  str_slice(file, 0, CHUNK)),
		      400);
	assert_status(put(probe, session, token, "Content-Range: bytes 0-9/524288",
			  str_slice(file, 0, CHUNK)),
		      400);
	assert_status(put(probe, session, token, NULL, str_slice(file, 0, CHUNK)), 400);
	assert_status(put(probe, session, none, NULL, file), 401);
	assert_status(put_chunk(probe, session, token, file, 0, CHUNK), 308);
	assert_status(put_chunk(probe, session, token, file, 0, CHUNK), 308);
	assert_status(put_chunk(probe, session, token, file, CHUNK, file.len), 201);
}

static void session_expires(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer tokens = exchange(probe, code_for(probe, (struct consent){0}));
	const struct str file = probe_video(probe, 1000);
	const char *session =
		session_for(probe, probe_json_string(&tokens, "access_token"), METADATA, file.len);
	probe_advance(probe, 7 * US_PER_DAY);
	assert_status(query(probe, session, probe_json_string(&tokens, "access_token"), file.len),
		      401);
	const struct probe_answer fresh =
		refresh(probe, probe_json_string(&tokens, "refresh_token"));
	assert_status(query(probe, session, probe_json_string(&fresh, "access_token"), file.len),
		      404);
	assert_status(put(probe, START "&upload_id=unknown",
			  probe_json_string(&fresh, "access_token"), NULL, file),
		      404);
}

static void metadata_is_checked(void **state)
{
	static const struct {
		const char *name;
		const char *metadata;
		const char *reason; /* NULL = taken */
	} rows[] = {
		{"title only", "{\"snippet\":{\"title\":\"x\"}}", NULL},
		{"nothing", "{}", NULL},
		{"no JSON", "{\"snippet\":", "parseError"},
		{"empty title", "{\"snippet\":{\"title\":\" \"}}", "invalidTitle"},
		{"no title", "{\"snippet\":{\"description\":\"x\"}}", "invalidTitle"},
		{"angle bracket in title", "{\"snippet\":{\"title\":\"a<b\"}}", "invalidTitle"},
		{"angle bracket in description",
		 "{\"snippet\":{\"title\":\"x\",\"description\":\"a>b\"}}", "invalidDescription"},
		{"tags are no list", "{\"snippet\":{\"title\":\"x\",\"tags\":\"a\"}}",
		 "invalidTags"},
		{"category", "{\"snippet\":{\"title\":\"x\",\"categoryId\":\"99\"}}",
		 "invalidCategoryId"},
		{"privacy",
		 "{\"snippet\":{\"title\":\"x\"},\"status\":{\"privacyStatus\":\"secret\"}}",
		 "invalidVideoMetadata"},
		{"made for kids is no boolean",
		 "{\"snippet\":{\"title\":\"x\"},\"status\":{\"selfDeclaredMadeForKids\":\"no\"}}",
		 "invalidVideoMetadata"},
		{"publishAt and public",
		 "{\"snippet\":{\"title\":\"x\"},\"status\":{\"privacyStatus\":\"public\","
		 "\"publishAt\":"
		 "\"2027-01-01T00:00:00Z\"}}",
		 "invalidPublishAt"},
		{"publishAt that is no time",
		 "{\"snippet\":{\"title\":\"x\"},\"status\":{\"privacyStatus\":\"private\","
		 "\"publishAt\":\"soon\"}}",
		 "invalidPublishAt"},
		{"part not named", "{\"snippet\":{\"title\":\"x\"},\"recordingDetails\":{}}",
		 "unexpectedPart"},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = start(probe, token, rows[i].metadata, 1000);
		print_message("row: %s\n", rows[i].name);
		assert_status(answer, rows[i].reason == NULL ? 200 : 400);
		if (rows[i].reason != NULL)
			assert_str(reason_of(&answer), rows[i].reason);
	}
}

/* Limits count characters for the title, bytes for the description, and quotes for tags with
 * blanks. */
static void metadata_lengths(void **state)
{
	static const struct {
		const char *name;
		const char *format;
		const char *unit;
		size_t good;
	} rows[] = {
		{"title", "{\"snippet\":{\"title\":\"%s\"}}", "\xC3\xBC", 100},
		{"description", "{\"snippet\":{\"title\":\"x\",\"description\":\"%s\"}}",
		 "\xC3\xBC", 2500},
		{"tag", "{\"snippet\":{\"title\":\"x\",\"tags\":[\"%s\"]}}", "a", 500},
		{"tag with a blank", "{\"snippet\":{\"title\":\"x\",\"tags\":[\"b c\",\"%s\"]}}",
		 "a", 494},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
		const size_t count = rows[i / 2].good + i % 2;
		struct buf text;
		buf_init(&text, probe->arena, 64 * 1024);
		struct buf metadata;
		buf_init(&metadata, probe->arena, 64 * 1024);
		for (size_t n = 0; n < count; n++)
			buf_add_z(&text, rows[i / 2].unit);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buf_addf(&metadata, rows[i / 2].format, text.ptr);
#pragma GCC diagnostic pop
		print_message("row: %s, %zu\n", rows[i / 2].name, count);
		assert_status(start(probe, token, probe_z(probe, buf_str(&metadata)), 1000),
			      i % 2 == 0 ? 200 : 400);
	}
}

static void processing_takes_time(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 1000);
	const struct probe_answer done =
		put(probe, session_for(probe, token, METADATA, file.len), token, NULL, file);
	const struct str id = probe_json_string(&done, "id");
	struct probe_answer video = video_of(probe, token, id, "status,processingDetails");
	const struct json *item = json_at(json_get(video.json, "items"), 0);
	assert_str(json_string(json_get(json_get(item, "status"), "uploadStatus")), "uploaded");
	assert_str(json_string(json_get(json_get(item, "processingDetails"), "processingStatus")),
		   "processing");
	assert_null(json_get(item, "snippet"));
	probe_advance(probe, 2 * US_PER_S);
	video = video_of(probe, token, id, "status,processingDetails,fileDetails");
	item = json_at(json_get(video.json, "items"), 0);
	assert_str(json_string(json_get(json_get(item, "status"), "uploadStatus")), "processed");
	assert_str(json_string(json_get(json_get(item, "processingDetails"), "processingStatus")),
		   "succeeded");
	assert_str(json_string(json_get(json_get(item, "fileDetails"), "fileSize")), "1000");
	video = video_of(probe, token, STR("nothingness"), "status");
	assert_status(video, 200);
	assert_int_equal(json_get(video.json, "items")->count, 0);
}

static void what_is_no_video_fails(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = STR("\x89PNG\r\n\x1a\n and more");
	const struct probe_answer done =
		put(probe, session_for(probe, token, METADATA, file.len), token, NULL, file);
	assert_status(done, 200);
	probe_advance(probe, 2 * US_PER_S);
	const struct probe_answer video =
		video_of(probe, token, probe_json_string(&done, "id"), "status");
	const struct json *status = json_get(json_at(json_get(video.json, "items"), 0), "status");
	assert_str(json_string(json_get(status, "uploadStatus")), "failed");
	assert_str(json_string(json_get(status, "failureReason")), "invalidFile");
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 0);
}

static struct str upload(struct probe *probe, struct str token, const char *metadata)
{
	const struct str file = probe_video(probe, 1000);
	const struct probe_answer done =
		put(probe, session_for(probe, token, metadata, file.len), token, NULL, file);
	assert_status(done, 200);
	return probe_json_string(&done, "id");
}

static void publish_at_takes_effect(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str id = upload(
		probe, token,
		"{\"snippet\":{\"title\":\"later\"},\"status\":{\"privacyStatus\":\"private\","
		"\"publishAt\":\"2026-11-21T06:30:00Z\"}}");
	const struct probe_answer before = video_of(probe, token, id, "status");
	probe_advance(probe, 45 * US_PER_MINUTE);
	const struct probe_answer after = video_of(probe, token, id, "status");
	assert_str(
		json_string(json_get(json_get(json_at(json_get(before.json, "items"), 0), "status"),
				     "privacyStatus")),
		"private");
	assert_str(
		json_string(json_get(json_get(json_at(json_get(after.json, "items"), 0), "status"),
				     "privacyStatus")),
		"public");
}

static void playlist_lists_newest_first(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str first = upload(probe, token, METADATA);
	const struct str second = upload(probe, token, METADATA);
	const struct probe_answer list =
		get(probe,
		    API "/playlistItems?part=contentDetails,snippet&maxResults=1&playlistId="
			"UUsandboxPosthorn0000001",
		    token);
	const struct json *item = json_at(json_get(list.json, "items"), 0);
	const struct probe_answer next =
		get(probe,
		    API "/playlistItems?part=snippet&maxResults=1&pageToken=1&playlistId="
			"UUsandboxPosthorn0000001",
		    token);
	assert_status(list, 200);
	assert_true(str_equal(json_string(json_get(json_get(item, "contentDetails"), "videoId")),
			      second));
	assert_str(json_string(json_get(json_get(item, "snippet"), "title")), "My film");
	assert_str(probe_json_string(&list, "nextPageToken"), "1");
	item = json_at(json_get(next.json, "items"), 0);
	assert_true(str_equal(
		json_string(json_get(json_get(json_get(item, "snippet"), "resourceId"), "videoId")),
		first));
	assert_null(json_get(next.json, "nextPageToken"));
	assert_status(get(probe, API "/playlistItems?part=snippet&playlistId=UUother", token), 404);
}

/* ---- comments ---- */

static struct probe_answer comment(struct probe *probe, struct str token, struct str video_id,
				   const char *text)
{
	return probe_ask(
		probe,
		(struct probe_request){
			.method = "POST",
			.path = API "/commentThreads?part=snippet",
			.bearer = token,
			.body = str_format(
				probe->arena,
				"{\"snippet\":{\"channelId\":\"UCsandboxPosthorn0000001\","
				"\"videoId\":\"" STR_FMT "\",\"topLevelComment\":{\"snippet\":"
				"{\"textOriginal\":\"%s\"}}}}",
				STR_ARG(video_id), text),
		});
}

static void comments_need_force_ssl_and_a_public_video(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str id = upload(probe, token, METADATA);
	const struct str hidden = upload(
		probe, token,
		"{\"snippet\":{\"title\":\"x\"},\"status\":{\"privacyStatus\":\"private\"}}");
	const struct probe_answer first = comment(probe, token, id, "first!");
	const struct str comment_id = json_string(
		json_get(json_get(json_get(first.json, "snippet"), "topLevelComment"), "id"));
	const struct probe_answer disabled = comment(probe, token, hidden, "x");
	const struct probe_answer empty = comment(probe, token, id, " ");
	assert_status(first, 200);
	assert_status(comment(probe, token, id, "second"), 200);
	assert_status(disabled, 403);
	assert_str(reason_of(&disabled), "commentsDisabled");
	assert_status(empty, 400);
	assert_str(reason_of(&empty), "commentTextRequired");
	assert_status(comment(probe, token, STR("nothingness"), "x"), 404);
	assert_status(comment(probe, token_for(probe, SCOPE_UPLOAD), id, "x"), 403);
	const struct json *posts[8];
	assert_int_equal(probe_ledger(probe, posts, 8), 4);
	assert_str(json_string(json_get(posts[0], "text")), "All about it");
	assert_str(json_string(json_get(posts[1], "text")), "x"); /* its title */
	assert_true(str_equal(json_string(json_get(posts[2], "reply_to")), id));
	assert_true(str_equal(json_string(json_get(posts[2], "id")), comment_id));
	const struct probe_answer list = get(
		probe,
		probe_z(probe,
			str_format(probe->arena,
				   API "/commentThreads?part=snippet&order=time&videoId=" STR_FMT,
				   STR_ARG(id))),
		token);
	assert_status(list, 200);
	assert_int_equal(json_get(list.json, "items")->count, 2);
	assert_true(str_equal(json_string(json_get(json_at(json_get(list.json, "items"), 1), "id")),
			      comment_id));
}

/* ---- quota and faults ---- */

static void hundred_uploads_a_day(void **state)
{
	struct probe *probe = *state;
	struct str token = token_for(probe, SCOPES);
	/* Invalid calls cost too (section 3). */
	for (int i = 0; i < 100; i++)
		assert_status(start(probe, token, i % 2 == 0 ? METADATA : "{\"snippet\":{}}", 1000),
			      i % 2 == 0 ? 200 : 400);
	const struct probe_answer full = start(probe, token, METADATA, 1000);
	assert_status(full, 429);
	assert_str(reason_of(&full), "rateLimitExceeded");
	assert_true(str_find(full.body, STR("Video Uploads per day"), 0) != SIZE_MAX);
	assert_status(get(probe, API "/channels?part=id&mine=true", token), 200);

	/* It is shortly before six in the morning UTC: the day in California ends at eight. */
	probe_advance(probe, 119 * US_PER_MINUTE);
	token = token_for(probe, SCOPES);
	assert_status(start(probe, token, METADATA, 1000), 429);
	probe_advance(probe, 15 * US_PER_MINUTE);
	assert_status(start(probe, token, METADATA, 1000), 200);
}

static void units_run_out(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (int i = 0; i < 200; i++) /* 50 units each */
		assert_status(comment(probe, token, STR("nothingness"), "x"), 404);
	const struct probe_answer answer = get(probe, API "/channels?part=id&mine=true", token);
	assert_status(answer, 403);
	assert_str(reason_of(&answer), "quotaExceeded");
}

static void faults_speak_google(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	probe_fault(probe, "{\"platform\":\"youtube\",\"match\":{\"path\":\"/youtube/v3/"
			   "*\"},\"effect\":\"rate_limit\"}");
	const struct probe_answer limited = get(probe, API "/channels?part=id&mine=true", token);
	assert_status(limited, 429);
	assert_str(reason_of(&limited), "rateLimitExceeded");
	probe_fault(probe, "{\"platform\":\"youtube\",\"match\":{\"path\":\"/youtube/v3/"
			   "*\"},\"effect\":\"expire_token\"}");
	const struct probe_answer expired = get(probe, API "/channels?part=id&mine=true", token);
	assert_status(expired, 401);
	assert_str(reason_of(&expired), "authError");
	assert_status(get(probe, API "/channels?part=id&mine=true", token), 401);
}

static void turn(struct probe *probe, const char *knobs)
{
	assert_status(probe_ask(probe, (struct probe_request){.method = "POST",
							      .path = "/_sandbox/knobs",
							      .body = str_of(knobs)}),
		      200);
}

/* The connection breaks within a chunk: whole blocks of it are kept, and the session says so
 * (2.2, 2.3). */
static void a_cut_chunk_keeps_its_part(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str file = probe_video(probe, 3 * 1024 * 1024);
	const char *session =
		session_for(probe, token, "{\"snippet\":{\"title\":\"x\"}}", file.len);
	probe_fault(probe, "{\"platform\":\"youtube\",\"match\":{\"method\":\"PUT\"},\"effect\":"
			   "\"cut\",\"bytes\":600000,\"times\":1}");
	probe->may_break = true;
	assert_status(put_chunk(probe, session, token, file, 0, 1024 * 1024), 0);
	probe->may_break = false;
	const struct probe_answer answer = query(probe, session, token, file.len);
	assert_status(answer, 308);
	assert_str(probe_header(&answer, "Range"), "bytes=0-524287");
	assert_status(put_chunk(probe, session, token, file, 524288, file.len), 201);
}

static void processing_ends_as_the_knob_says(void **state)
{
	static const struct {
		const char *knobs;
		const char *status;
		const char *key;
		const char *reason;
	} rows[] = {
		{"{\"youtube_processing_end\":1}", "failed", "failureReason", "conversion"},
		{"{\"youtube_processing_end\":2}", "rejected", "rejectionReason", "duplicate"},
		{"{\"youtube_processing_end\":3}", "rejected", "rejectionReason", "length"},
	};
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		turn(probe, rows[i].knobs);
		const struct str id = upload(probe, token, "{\"snippet\":{\"title\":\"x\"}}");
		probe_advance(probe, 3 * US_PER_S);
		const struct probe_answer answer = video_of(probe, token, id, "status");
		const struct json *status =
			json_get(json_at(json_get(answer.json, "items"), 0), "status");
		assert_str(json_string(json_get(status, "uploadStatus")), rows[i].status);
		assert_str(json_string(json_get(status, rows[i].key)), rows[i].reason);
	}
	const struct json *posts[4];
	assert_int_equal(probe_ledger(probe, posts, 4), 0); /* nobody ever sees them */
}

static void a_project_without_audit_uploads_private(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	turn(probe, "{\"youtube_audited\":0}");
	const struct str id =
		upload(probe, token,
		       "{\"snippet\":{\"title\":\"x\"},\"status\":{\"privacyStatus\":\"public\"}}");
	const struct probe_answer answer = video_of(probe, token, id, "status");
	const struct json *status = json_get(json_at(json_get(answer.json, "items"), 0), "status");
	assert_str(json_string(json_get(status, "privacyStatus")), "private");
}

static void the_channel_has_a_cap_of_its_own(void **state)
{
	struct probe *probe = *state;
	struct str token = token_for(probe, SCOPES);
	turn(probe, "{\"youtube_channel_uploads\":2}");
	const char *metadata = "{\"snippet\":{\"title\":\"x\"}}";
	assert_status(start(probe, token, metadata, 10), 200);
	assert_status(start(probe, token, metadata, 10), 200);
	const struct probe_answer answer = start(probe, token, metadata, 10);
	assert_status(answer, 400);
	assert_str(reason_of(&answer), "uploadLimitExceeded");
	probe_advance(probe, US_PER_DAY + US_PER_S);
	token = token_for(probe, SCOPES);
	assert_status(start(probe, token, metadata, 10), 200);
}

static void named_errors_are_youtubes_own(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	probe_fault(probe, "{\"platform\":\"youtube\",\"match\":{\"method\":\"POST\"},\"effect\":"
			   "\"status\",\"status\":400,"
			   "\"error\":\"Video Uploads per day\"}");
	const struct probe_answer answer =
		start(probe, token, "{\"snippet\":{\"title\":\"x\"}}", 10);
	assert_status(answer, 429);
	assert_str(reason_of(&answer), "rateLimitExceeded");
	assert_true(str_find(answer.body, STR("per day"), 0) != SIZE_MAX);
	turn(probe, "{\"youtube_sessions_lost\":1}");
	const char *session = session_for(probe, token, "{\"snippet\":{\"title\":\"x\"}}", 10);
	assert_status(query(probe, session, token, 10), 404);
}

static void thumbnail_must_be_an_image(void **state)
{
	static const char png[] =
		"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x06\x08\x02\0\0\0";
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str id = upload(probe, token, METADATA);
	struct probe_request request = {
		.method = "POST",
		.path = probe_z(probe, str_format(probe->arena,
						  "/www.googleapis.com/upload/youtube/v3/"
						  "thumbnails/set?videoId=" STR_FMT,
						  STR_ARG(id))),
		.bearer = token,
		.content_type = "image/png",
		.body = {png, sizeof(png) - 1},
	};
	assert_status(probe_ask(probe, request), 200);
	request.body = probe_video(probe, 100);
	assert_status(probe_ask(probe, request), 400);
	request.path = "/www.googleapis.com/upload/youtube/v3/thumbnails/set?videoId=nothingness";
	assert_status(probe_ask(probe, request), 404);
}

static struct probe_answer playlist_insert(struct probe *probe, struct str token,
					   const char *playlist, struct str video)
{
	const struct str body =
		str_format(probe->arena,
			   "{\"snippet\":{\"playlistId\":\"%s\",\"resourceId\":{"
			   "\"kind\":\"youtube#video\",\"videoId\":\"" STR_FMT "\"}}}",
			   playlist, STR_ARG(video));
	return probe_ask(probe, (struct probe_request){.method = "POST",
						       .path = API "/playlistItems?part=snippet",
						       .bearer = token,
						       .body = body});
}

static size_t playlist_count(struct probe *probe, struct str token, struct str video)
{
	const struct probe_answer listed = probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(probe,
					str_format(probe->arena,
						   API "/playlistItems?part=id&playlistId="
						       "PLsandboxPosthorn0000001&videoId=" STR_FMT,
						   STR_ARG(video))),
			.bearer = token});
	assert_status(listed, 200);
	return json_get(listed.json, "items")->count;
}

/* 2.8: a video may stand in it more than once. */
static void playlists_take_videos(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str video = upload(probe, token, METADATA);
	assert_int_equal(playlist_count(probe, token, video), 0);
	assert_status(playlist_insert(probe, token, "PLsandboxPosthorn0000001", video), 200);
	assert_int_equal(playlist_count(probe, token, video), 1);
	assert_status(playlist_insert(probe, token, "PLsandboxPosthorn0000001", video), 200);
	assert_int_equal(playlist_count(probe, token, video), 2);
	assert_int_equal(playlist_count(probe, token, STR("another")), 0);
	struct probe_answer refused =
		playlist_insert(probe, token, "PLsandboxStranger0000001", video);
	assert_status(refused, 403);
	assert_str(reason_of(&refused), "playlistItemsNotAccessible");
	refused = playlist_insert(probe, token, "PLnothing", video);
	assert_status(refused, 404);
	assert_str(reason_of(&refused), "playlistNotFound");
	refused = playlist_insert(probe, token, "PLsandboxPosthorn0000001", STR("nothing"));
	assert_str(reason_of(&refused), "videoNotFound");
	refused = playlist_insert(probe, token_for(probe, SCOPE_UPLOAD " " SCOPE_READ),
				  "PLsandboxPosthorn0000001", video);
	assert_str(reason_of(&refused), "insufficientPermissions");
}

static struct probe_answer caption_start(struct probe *probe, struct str token, struct str video,
					 const char *language, const char *name)
{
	const struct str body = str_format(probe->arena,
					   "{\"snippet\":{\"videoId\":\"" STR_FMT
					   "\",\"language\":\"%s\",\"name\":\"%s\"}}",
					   STR_ARG(video), language, name);
	return probe_ask(probe, (struct probe_request){
					.method = "POST",
					.path = "/www.googleapis.com/upload/youtube/v3/captions"
						"?uploadType=resumable&part=snippet",
					.bearer = token,
					.body = body});
}

static struct probe_answer caption_put(struct probe *probe, struct str token,
				       const struct probe_answer *started, struct str bytes)
{
	return put(probe, probe_z(probe, probe_header(started, "Location")), token, NULL, bytes);
}

/* 2.9: of one language and name there is one. */
static void captions_are_taken_once(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str video = upload(probe, token, METADATA);
	struct probe_answer started = caption_start(probe, token, video, "de", "Deutsch");
	assert_status(started, 200);
	assert_status(caption_put(probe, token, &started, none), 400);
	assert_status(caption_put(probe, token, &started, STR("1\n00:00 --> 00:01\nHallo\n")), 200);
	assert_status(caption_put(probe, token, &started, STR("again")), 200);
	started = caption_start(probe, token, video, "de", "Deutsch");
	assert_status(started, 409);
	assert_str(reason_of(&started), "captionExists");
	assert_status(caption_start(probe, token, video, "de", "Plattdeutsch"), 200);
	assert_status(caption_start(probe, token, video, "", "x"), 400);
	assert_status(caption_start(probe, token, STR("nothing"), "de", "x"), 404);
	const struct probe_answer listed = probe_ask(
		probe,
		(struct probe_request){
			.method = "GET",
			.path = probe_z(probe,
					str_format(probe->arena,
						   API "/captions?part=snippet&videoId=" STR_FMT,
						   STR_ARG(video))),
			.bearer = token});
	assert_status(listed, 200);
	assert_int_equal(json_get(listed.json, "items")->count, 1);
}

/* 1.4 */
static void tokens_of_a_project_in_testing_end_after_a_week(void **state)
{
	struct probe *probe = *state;
	turn(probe, "{\"youtube_testing\":1}");
	const struct probe_answer answer = exchange(probe, code_for(probe, (struct consent){0}));
	assert_status(answer, 200);
	assert_int_equal(json_int(json_get(answer.json, "refresh_token_expires_in"), 0), 604799);
	const struct str token = probe_json_string(&answer, "refresh_token");
	probe_advance(probe, 6 * US_PER_DAY);
	assert_status(refresh(probe, token), 200);
	probe_advance(probe, US_PER_DAY);
	assert_status(refresh(probe, token), 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(playlists_take_videos, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(captions_are_taken_once, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(tokens_of_a_project_in_testing_end_after_a_week,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(consent_page_asks_allows_and_denies, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(consent_is_refused_on_googles_page, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(scopes_can_be_unticked, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(exchange_gives_tokens, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(exchange_errors_come_in_order, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(pkce_is_base64url, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(refresh_keeps_the_refresh_token, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(tokens_expire_and_are_revoked, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(revoking_the_access_token_ends_the_grant,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(channel_is_listed, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(whole_file_in_one_put, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(chunks_may_come_as_posts, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(metadata_and_file_in_one_call, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(chunks_are_resumed, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(last_bytes_at_once_make_one_video, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(wrong_chunks_are_refused, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(session_expires, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(metadata_is_checked, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(metadata_lengths, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(processing_takes_time, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(what_is_no_video_fails, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(publish_at_takes_effect, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(playlist_lists_newest_first, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(comments_need_force_ssl_and_a_public_video,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(hundred_uploads_a_day, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(units_run_out, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(faults_speak_google, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(a_cut_chunk_keeps_its_part, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(processing_ends_as_the_knob_says, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(a_project_without_audit_uploads_private, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(the_channel_has_a_cap_of_its_own, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(named_errors_are_youtubes_own, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(thumbnail_must_be_an_image, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
