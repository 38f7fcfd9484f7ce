/* SPDX-License-Identifier: Apache-2.0
 * The frame of the sandbox over HTTP: ledger, log with its secrets replaced, every fault, reset,
 * clock, unknown hosts, the page. X serves as the platform, because its calls are the shortest. */
#include <pthread.h>
#include <unistd.h>

#include "count_of.h"

#include "x_flow.h"

static struct probe_answer get(struct probe *probe, const char *path)
{
	return probe_ask(probe, (struct probe_request){.method = "GET", .path = path});
}

static struct probe_answer post(struct probe *probe, const char *path, const char *body)
{
	return probe_ask(probe, (struct probe_request){
					.method = "POST", .path = path, .body = str_of(body)});
}

static size_t ledger_count(struct probe *probe)
{
	const struct json *posts[100];
	return probe_ledger(probe, posts, 100);
}

/* The transfer's own outcome, for answers that are lost; x_post and friends fail the test
 * instead. */
static CURLcode post_raw(struct probe *probe, struct str token, const char *body, long timeout_ms)
{
	const struct str url = str_concat(probe->arena, sandbox_base_url(probe->sandbox),
					  STR("/api.x.com/2/tweets"));
	const struct str bearer =
		str_format(probe->arena, "Authorization: Bearer " STR_FMT, STR_ARG(token));
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
	CURL *curl = curl_easy_init();
	struct buf sink;
	buf_init(&sink, probe->arena, PROBE_BODY_MAX);
	headers = curl_slist_append(headers, probe_z(probe, bearer));
	curl_easy_setopt(curl, CURLOPT_URL, probe_z(probe, url));
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, probe_take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
	const CURLcode code = curl_easy_perform(curl);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	return code;
}

static void ledger_is_empty_at_first(void **state)
{
	const struct probe_answer answer = get(*state, "/_sandbox/ledger");
	assert_status(answer, 200);
	assert_str(answer.body, "{\"posts\":[]}");
}

static void ledger_shows_posts_in_order(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer first = x_post(probe, token, "{\"text\":\"first <b>\"}");
	assert_status(first, 201);
	const struct str id = json_string(json_get(json_get(first.json, "data"), "id"));
	x_post(probe, token,
	       probe_z(probe,
		       str_format(
			       probe->arena,
			       "{\"text\":\"second\",\"reply\":{\"in_reply_to_tweet_id\":\"" STR_FMT
			       "\"}}",
			       STR_ARG(id))));
	const struct json *posts[10];
	assert_int_equal(probe_ledger(probe, posts, 10), 2);
	assert_str(json_string(json_get(posts[0], "platform")), "x");
	assert_str(json_string(json_get(posts[0], "account_id")), "1790000000000000123");
	assert_str(json_string(json_get(posts[0], "text")), "first <b>");
	assert_str(json_string(json_get(posts[0], "type")), "post");
	assert_true(json_is(json_get(posts[0], "media"), JSON_TYPE_ARRAY));
	assert_true(json_is(json_get(posts[0], "reply_to"), JSON_TYPE_NULL));
	assert_str(json_string(json_get(posts[0], "created_at")), "2026-11-21T05:46:40Z");
	assert_true(str_equal(json_string(json_get(posts[1], "reply_to")), id));
}

static void log_keeps_method_host_path_status(void **state)
{
	struct probe *probe = *state;
	get(probe, "/api.x.com/2/users/me?user.fields=id%2Cname");
	get(probe, "/no.such.host/a/b?c=d");
	const struct json *requests = json_get(get(probe, "/_sandbox/log").json, "requests");
	assert_int_equal(requests->count, 2);
	const struct json *known = json_at(requests, 0);
	assert_str(json_string(json_get(known, "method")), "GET");
	assert_str(json_string(json_get(known, "host")), "api.x.com");
	assert_str(json_string(json_get(known, "path")), "/2/users/me?user.fields=id%2Cname");
	assert_int_equal(json_int(json_get(known, "status"), 0), 401);
	assert_str(json_string(json_get(known, "body")), "");
	assert_true(json_string(json_get(json_get(known, "headers"), "host")).len > 0);
	const struct json *unknown = json_at(requests, 1);
	assert_str(json_string(json_get(unknown, "host")), "no.such.host");
	assert_int_equal(json_int(json_get(unknown, "status"), 0), 404);
}

static void log_replaces_secrets(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str code = x_code(probe, X_SCOPE);
	x_exchange(probe, code, X_CALLBACK, X_VERIFIER);
	x_post(probe, token, "{\"text\":\"hello\"}");
	post(probe, "/api.x.com/2/tweets?access_token=query-secret-1",
	     "{\"text\":\"t\",\"refresh_token\":\"json-secret-2\"}");
	const struct probe_answer log = get(probe, "/_sandbox/log");
	const char *const secrets[] = {probe_z(probe, token), probe_z(probe, code), X_VERIFIER,
				       "query-secret-1",      "json-secret-2",      "c2FuZGJveC14"};
	for (size_t i = 0; i < COUNT_OF(secrets); i++) {
		if (str_find(log.body, str_of(secrets[i]), 0) != SIZE_MAX)
			fail_msg("the log shows %s", secrets[i]);
	}
	assert_true(str_find(log.body, STR("\"authorization\":\"Bearer ***\""), 0) != SIZE_MAX);
	assert_true(str_find(log.body, STR("\"authorization\":\"Basic ***\""), 0) != SIZE_MAX);
	assert_true(str_find(log.body, STR("code=***"), 0) != SIZE_MAX);
	assert_true(str_find(log.body, STR("access_token=***"), 0) != SIZE_MAX);
	assert_true(str_find(log.body, STR("grant_type=authorization_code"), 0) != SIZE_MAX);
}

static void log_shows_large_bodies_by_digest(void **state)
{
	struct probe *probe = *state;
	const size_t len = 70000;
	char *body = arena_alloc(probe->arena, len + 1);
	memset(body, 'a', len);
	memcpy(body, "{\"text\":\"", 9);
	memcpy(body + len - 2, "\"}", 2);
	post(probe, "/api.x.com/2/tweets", body);
	const struct json *entry =
		json_at(json_get(get(probe, "/_sandbox/log").json, "requests"), 0);
	const struct str digest = probe_sha256_hex(probe, (struct str){body, len});
	assert_true(str_equal(json_string(json_get(entry, "body_sha256")), digest));
	assert_int_equal(json_int(json_get(entry, "body_bytes"), 0), 70000);
	assert_null(json_get(entry, "body"));
}

static void log_shows_binary_as_base64(void **state)
{
	struct probe *probe = *state;
	probe_ask(probe, (struct probe_request){.method = "POST",
						.path = "/api.x.com/2/media/upload",
						.content_type = "application/octet-stream",
						.body = {"\xff\xd8\xff", 3}});
	const struct json *entry =
		json_at(json_get(get(probe, "/_sandbox/log").json, "requests"), 0);
	assert_str(json_string(json_get(entry, "body_base64")), "/9j/");
}

static void unknown_host_is_a_clear_404(void **state)
{
	const struct probe_answer answer = get(*state, "/graph.nowhere.test/v1/me");
	assert_status(answer, 404);
	assert_true(str_find(answer.body, STR("/graph.nowhere.test/v1/me"), 0) != SIZE_MAX);
}

/* ---- faults ---- */

static void fault_status_has_no_effect(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"method\":\"POST\",\"path\":\"/2/"
			   "tweets\"},\"effect\":\"status\","
			   "\"status\":503,\"headers\":{\"X-Why\":\"fault\"},\"body\":{\"a\":[1]},"
			   "\"retry_after\":7}");
	const struct probe_answer answer = x_post(probe, token, "{\"text\":\"one\"}");
	assert_status(answer, 503);
	assert_str(answer.body, "{\"a\":[1]}");
	assert_str(probe_header(&answer, "X-Why"), "fault");
	assert_str(probe_header(&answer, "Retry-After"), "7");
	assert_str(probe_header(&answer, "Content-Type"), "application/json");
	assert_int_equal(ledger_count(probe), 0);
	assert_status(x_post(probe, token, "{\"text\":\"one\"}"), 201);
}

static void fault_status_after_has_the_effect(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"path\":\"/2/"
			   "tweets\"},\"effect\":\"status_after\",\"status\":502,"
			   "\"body\":\"<html>bad gateway</html>\"}");
	const struct probe_answer answer = x_post(probe, token, "{\"text\":\"one\"}");
	assert_status(answer, 502);
	assert_str(answer.body, "<html>bad gateway</html>");
	assert_int_equal(ledger_count(probe), 1);
}

static void fault_resets_lose_the_answer(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"method\":\"POST\",\"path\":\"/2/"
			   "tweets\"},\"effect\":\"reset_before\"}");
	assert_int_not_equal(post_raw(probe, token, "{\"text\":\"one\"}", 5000), CURLE_OK);
	assert_int_equal(ledger_count(probe), 0);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"method\":\"POST\",\"path\":\"/2/"
			   "tweets\"},\"effect\":\"reset_after\"}");
	assert_int_not_equal(post_raw(probe, token, "{\"text\":\"one\"}", 5000), CURLE_OK);
	assert_int_equal(ledger_count(probe), 1);
	const struct json *requests = json_get(get(probe, "/_sandbox/log").json, "requests");
	assert_int_equal(json_int(json_get(json_at(requests, requests->count - 1), "status"), -1),
			 0);
}

static void fault_timeout_after_hangs_but_not_others(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"method\":\"POST\",\"path\":\"/2/"
			   "tweets\"},\"effect\":\"timeout_after\"}");
	assert_int_equal(post_raw(probe, token, "{\"text\":\"one\"}", 300),
			 CURLE_OPERATION_TIMEDOUT);
	assert_int_equal(ledger_count(probe), 1);
	const struct json *requests = json_get(get(probe, "/_sandbox/log").json, "requests");
	assert_str(json_string(json_get(json_at(requests, requests->count - 1), "path")),
		   "/2/tweets");
	assert_status(x_post(probe, token, "{\"text\":\"two\"}"), 201);
}

static void fault_truncate_cuts_the_answer(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"method\":\"POST\",\"path\":\"/2/"
			   "tweets\"},\"effect\":\"truncate\"}");
	assert_int_equal(post_raw(probe, token, "{\"text\":\"one\"}", 5000), CURLE_PARTIAL_FILE);
	assert_int_equal(ledger_count(probe), 1);
}

static void fault_garbage_is_not_json(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	struct buf sink;
	(void)sink;
	probe_fault(
		probe,
		"{\"platform\":\"x\",\"match\":{\"path\":\"/2/users/me\"},\"effect\":\"garbage\"}");
	const struct str url = str_concat(probe->arena, sandbox_base_url(probe->sandbox),
					  STR("/api.x.com/2/users/me"));
	const struct str bearer =
		str_format(probe->arena, "Authorization: Bearer " STR_FMT, STR_ARG(token));
	struct curl_slist *headers = curl_slist_append(NULL, probe_z(probe, bearer));
	CURL *curl = curl_easy_init();

	buf_init(&sink, probe->arena, PROBE_BODY_MAX);
	curl_easy_setopt(curl, CURLOPT_URL, probe_z(probe, url));
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, probe_take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
	assert_int_equal(curl_easy_perform(curl), CURLE_OK);
	long status = 0;
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	assert_int_equal(status, 200);
	const struct json *json;
	assert_int_not_equal(json_parse(probe->arena, buf_str(&sink), NULL, &json, NULL, NULL),
			     ERR_NONE);
}

static void fault_rate_limit_speaks_the_platforms_words(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"path\":\"/2/"
			   "tweets\"},\"effect\":\"rate_limit\",\"retry_after\":90}");
	const struct probe_answer answer = x_post(probe, token, "{\"text\":\"one\"}");
	assert_status(answer, 429);
	assert_str(probe_json_string(&answer, "title"), "Too Many Requests");
	assert_str(probe_header(&answer, "x-rate-limit-remaining"), "0");
	int64_t reset;
	assert_true(str_parse_i64(probe_header(&answer, "x-rate-limit-reset"), &reset));
	assert_int_equal(reset, PROBE_START_US / US_PER_S + 90);
	assert_int_equal(ledger_count(probe), 0);
}

static void fault_expire_token_keeps_it_dead(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str other = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"path\":\"/2/"
			   "tweets\"},\"effect\":\"expire_token\"}");
	assert_status(x_post(probe, token, "{\"text\":\"one\"}"), 401);
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 401);
	assert_status(x_post(probe, token, "{\"text\":\"one\"}"), 401);
	assert_status(x_get(probe, other, "/api.x.com/2/users/me"), 200);
	assert_int_equal(ledger_count(probe), 0);
}

static void fault_slow_waits_first(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"path\":\"/2/"
			   "tweets\"},\"effect\":\"slow\",\"retry_after\":1}");
	assert_int_equal(post_raw(probe, token, "{\"text\":\"one\"}", 300),
			 CURLE_OPERATION_TIMEDOUT);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"path\":\"/2/users/"
			   "me\"},\"effect\":\"slow\",\"retry_after\":0}");
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 200);
}

static void faults_count_down_and_match(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	probe_fault(probe, "{\"platform\":\"x\",\"match\":{\"method\":\"GET\",\"path\":\"/2/users/"
			   "*\"},\"effect\":\"status\","
			   "\"status\":500,\"times\":2}");
	assert_status(x_post(probe, token, "{\"text\":\"not matched\"}"), 201);
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 500);
	assert_status(x_get(probe, token, "/api.x.com/2/users/1790000000000000123/tweets"), 200);
	const struct probe_answer list = get(probe, "/_sandbox/faults");
	assert_int_equal(json_int(json_get(json_at(json_get(list.json, "faults"), 0), "times"), -1),
			 1);
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 500);
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 200);
	probe_fault(probe, "{\"platform\":\"facebook\",\"effect\":\"status\",\"status\":500}");
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 200);
	assert_status(probe_ask(probe, (struct probe_request){.method = "DELETE",
							      .path = "/_sandbox/faults"}),
		      200);
	assert_null(json_at(json_get(get(probe, "/_sandbox/faults").json, "faults"), 0));
}

static void bad_faults_are_refused(void **state)
{
	static const char *const bad[] = {
		"[]",
		"{}",
		"{\"effect\":\"explode\"}",
		"{\"effect\":\"status\",\"platform\":\"myspace\"}",
		"{\"effect\":\"status\",\"status\":99}",
		"{\"effect\":\"status\",\"times\":0}",
		"{\"effect\":\"status\",\"headers\":[]}",
		"{\"effect\":\"status\",\"mach\":{}}",
		"{\"effect\":",
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_status(post(*state, "/_sandbox/faults", bad[i]), 400);
}

/* ---- reset, clock, pages ---- */

static void reset_forgets_everything(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	x_post(probe, token, "{\"text\":\"one\"}");
	probe_fault(probe, "{\"platform\":\"x\",\"effect\":\"status\",\"status\":500}");
	post(probe, "/_sandbox/clock", "{\"advance_s\":3600}");
	assert_status(post(probe, "/_sandbox/reset", ""), 200);
	assert_int_equal(ledger_count(probe), 0);
	assert_str(get(probe, "/_sandbox/log").body, "{\"requests\":[]}");
	assert_null(json_at(json_get(get(probe, "/_sandbox/faults").json, "faults"), 0));
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 401);
	assert_str(json_string(json_get(post(probe, "/_sandbox/clock", "{\"advance_s\":0}").json,
					"now")),
		   "2026-11-21T05:46:40Z");
}

static void clock_moves_lifetimes(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer moved = post(probe, "/_sandbox/clock", "{\"advance_s\":7199}");
	assert_str(json_string(json_get(moved.json, "now")), "2026-11-21T07:46:39Z");
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 200);
	post(probe, "/_sandbox/clock", "{\"advance_s\":1}");
	assert_status(x_get(probe, token, "/api.x.com/2/users/me"), 401);
	assert_status(post(probe, "/_sandbox/clock", "{\"advance_s\":-1}"), 400);
	assert_status(post(probe, "/_sandbox/clock", "{\"advance_s\":\"1\"}"), 400);
	assert_status(post(probe, "/_sandbox/clock", "{\"advance_s\":9223372036854775807}"), 400);
}

static void page_escapes_what_was_posted(void **state)
{
	struct probe *probe = *state;
	x_post(probe, x_login(probe), "{\"text\":\"<script>alert('1')</script> & \\\"more\\\"\"}");
	const struct probe_answer page = get(probe, "/");
	assert_status(page, 200);
	assert_true(str_find(page.body, STR("<script"), 0) == SIZE_MAX);
	assert_true(str_find(page.body,
			     STR("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; "
				 "&quot;more&quot;"),
			     0) != SIZE_MAX);
	assert_true(str_has_prefix(probe_header(&page, "Content-Security-Policy"),
				   STR("default-src 'none'")));
	for (int i = 0; i < 6; i++) {
		static const char *const names[] = {"Instagram", "Facebook", "X",
						    "LinkedIn",  "YouTube",  "TikTok"};
		assert_true(str_find(page.body, str_format(probe->arena, "<h2>%s <span>", names[i]),
				     0) != SIZE_MAX);
	}
	assert_status(get(probe, "/_sandbox/style.css"), 200);
	assert_status(get(probe, "/_sandbox/media/..%2F..%2Fetc%2Fpasswd"), 404);
	assert_status(get(probe,
			  "/_sandbox/media/"
			  "0000000000000000000000000000000000000000000000000000000000000000"),
		      404);
}

static void absolute_urls_follow_the_host_header(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer answer = probe_ask(
		probe, (struct probe_request){
			       .method = "GET",
			       .path = "/api.x.com/2/users/me?user.fields=profile_image_url",
			       .bearer = token,
			       .headers = {"Host: sandbox.example:8443"}});
	assert_true(str_has_prefix(
		json_string(json_get(json_get(answer.json, "data"), "profile_image_url")),
		STR("http://sandbox.example:8443/pbs.twimg.com/")));
}

/* ---- many at once ---- */

struct busy {
	struct probe *probe;
	struct str token;
	int number;
	int failures;
};

static void *be_busy(void *context)
{
	struct busy *busy = context;
	const struct str base = sandbox_base_url(busy->probe->sandbox);
	char url[256];
	snprintf(url, sizeof(url), STR_FMT "/_sandbox/%s", STR_ARG(base),
		 busy->number % 2 == 0 ? "ledger" : "log");
	for (int i = 0; i < 25; i++) {
		CURL *curl = curl_easy_init();
		char bearer[256];
		snprintf(bearer, sizeof(bearer), "Authorization: Bearer " STR_FMT,
			 STR_ARG(busy->token));
		char body[64];
		snprintf(body, sizeof(body), "{\"text\":\"n %d %d\"}", busy->number, i);
		struct curl_slist *headers = curl_slist_append(NULL, bearer);
		headers = curl_slist_append(headers, "Content-Type: application/json");
		char target[256];
		snprintf(target, sizeof(target), STR_FMT "/api.x.com/2/tweets", STR_ARG(base));
		curl_easy_setopt(curl, CURLOPT_URL, i % 5 == 4 ? url : target);
		curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
		curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
		FILE *sink = fopen("/dev/null", "w");
		curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
		if (i % 5 != 4) {
			curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
			curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
		}
		busy->failures += curl_easy_perform(curl) != CURLE_OK ? 1 : 0;
		curl_slist_free_all(headers);
		curl_easy_cleanup(curl);
		fclose(sink);
	}
	return NULL;
}

static void many_at_once(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	struct busy busy[4];
	pthread_t threads[4];
	for (int i = 0; i < 4; i++) {
		busy[i] = (struct busy){.probe = probe, .token = token, .number = i};
		assert_int_equal(pthread_create(&threads[i], NULL, be_busy, &busy[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(busy[i].failures, 0);
	}
	const struct json *posts[200];
	assert_int_equal(probe_ledger(probe, posts, 200), 80);
}

static void bad_listen_address_is_told(void **state)
{
	(void)state;
	struct sandbox *sandbox = NULL;
	struct error err = {0};
	assert_int_not_equal(
		sandbox_open(&(struct sandbox_config){.listen = "nonsense"}, &sandbox, &err),
		ERR_NONE);
	assert_null(sandbox);
	assert_true(err.text[0] != '\0');
	sandbox_close(&sandbox);
}

static int64_t listed_count(struct probe *probe, struct str token)
{
	const struct probe_answer answer = probe_ask(
		probe,
		(struct probe_request){.method = "GET",
				       .path = "/api.x.com/2/users/1790000000000000123/tweets",
				       .bearer = token});
	assert_status(answer, 200);
	return json_int(json_get(json_get(answer.json, "meta"), "result_count"), -1);
}

static void lists_lag_behind_as_the_knob_says(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	assert_status(post(probe, "/_sandbox/knobs", "{\"lists_late_ms\":5000}"), 200);
	assert_status(x_post(probe, token, "{\"text\":\"late\"}"), 201);
	assert_int_equal(ledger_count(probe), 1);
	probe_advance(probe, 4999 * US_PER_MS);
	assert_int_equal(listed_count(probe, token), 0);
	probe_advance(probe, US_PER_MS);
	assert_int_equal(listed_count(probe, token), 1);
}

/* A sandbox that is kept, with room for a few calls: those that are too much go on the disk, and
 * only there; whoever was connected stays it. */
static void what_is_kept_is_bounded(void **state)
{
	struct probe *probe = *state;
	char directory[] = "/tmp/posthorn-kept-XXXXXX";
	assert_non_null(mkdtemp(directory));
	const struct sandbox_config config = {
		.listen = "127.0.0.1:0", .directory = directory, .kept_calls_max = 40};
	struct sandbox *in_memory = probe->sandbox;
	assert_int_equal(sandbox_open(&config, &probe->sandbox, NULL), ERR_NONE);
	const struct str token = x_login(probe);
	for (int i = 0; i < 60; i++)
		assert_status(x_post(probe, token,
				     probe_z(probe, str_format(probe->arena,
							       "{\"text\":\"post %d\"}", i))),
			      201);
	assert_int_equal(ledger_count(probe), 60);
	sandbox_close(&probe->sandbox);
	assert_int_equal(sandbox_open(&config, &probe->sandbox, NULL), ERR_NONE);
	const struct json *posts[100];
	const size_t left = probe_ledger(probe, posts, 100);
	assert_in_range(left, 10, 40);
	assert_str(json_string(json_get(posts[left - 1], "text")), "post 59");
	assert_status(x_post(probe, token, "{\"text\":\"the old token\"}"), 201);
	sandbox_close(&probe->sandbox);
	probe->sandbox = in_memory;
	char path[64];
	static const char *const files[] = {"journal", "journal.lock"};
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ledger_is_empty_at_first, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(ledger_shows_posts_in_order, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(log_keeps_method_host_path_status, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(log_replaces_secrets, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(log_shows_large_bodies_by_digest, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(log_shows_binary_as_base64, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(unknown_host_is_a_clear_404, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(fault_status_has_no_effect, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(fault_status_after_has_the_effect, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(fault_resets_lose_the_answer, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(fault_timeout_after_hangs_but_not_others,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(fault_truncate_cuts_the_answer, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(fault_garbage_is_not_json, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(fault_rate_limit_speaks_the_platforms_words,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(fault_expire_token_keeps_it_dead, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(fault_slow_waits_first, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(faults_count_down_and_match, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(bad_faults_are_refused, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(reset_forgets_everything, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(clock_moves_lifetimes, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(page_escapes_what_was_posted, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(absolute_urls_follow_the_host_header, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(many_at_once, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(lists_lag_behind_as_the_knob_says, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(what_is_kept_is_bounded, probe_open, probe_close),
		cmocka_unit_test(bad_listen_address_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
