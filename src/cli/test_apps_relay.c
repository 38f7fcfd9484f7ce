/* SPDX-License-Identifier: Apache-2.0
 * Calls to the sandbox of the test apps, wherever it is (test_apps_private.h). On several nodes one
 * has it, and the others hand their calls on to that one: POST /_node/sandbox, with the call's head
 * in one header, its body as the body, and the pass that only nodes can read. The answer comes back
 * in the same way, so that faults which cut or drop an answer look the same through any node. */
#include <stdatomic.h>
#include <string.h>

#include <sodium.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

#include "form.h"

#include "store_node.h"

#include "relay.h"

#include "httpd.h"

#include "api.h"

#include "sandbox_world.h"

#include "test_apps_private.h"

#define PATH "/_node/sandbox"
#define PASS_HEADER "Posthorn-Sandbox-Pass"
#define CALL_HEADER "Posthorn-Sandbox-Call"
#define ANSWER_HEADER "Posthorn-Sandbox-Answer"
#define HEAD_MAX_BYTES ((size_t)12 << 10) /* a listener takes 16 KiB of headers */
#define PAIRS_MAX 512
#define BODY_MAX_BYTES ((size_t)8 << 30)
#define ANSWER_MAX_BYTES ((size_t)33 << 20)
#define CALL_TIMEOUT_MS (INT64_C(10) * 60 * 1000) /* a large file, and a fault that hangs */
/* While nobody has it: longer than the lease of a node that died lasts. */
#define LOOK_FOR_US (10 * US_PER_S)
#define LOOK_EVERY_MS 200

/* ---- addresses ---- */

struct str test_apps_node_url(const struct service *service, struct arena *arena)
{
	const char *given = settings_text(service->settings, SETTING_ID_node_url);
	return given[0] != '\0' ? str_of(given)
				: service_reachable_url(arena, str_of(service->base_url));
}

struct sandbox_home test_apps_home(const struct service *service, struct arena *arena)
{
	return (struct sandbox_home){
		.seen_url = str_of(service->test_apps.url),
		.redirect_prefix = str_format(arena, "%s/v1/oauth/", service->public_url),
		.media_url = str_of(service->media_url),
		.media_way = service_reachable_url(arena, str_of(service->base_url)),
	};
}

/* ---- answers of our own ---- */

static void refuse(struct http_response *response, int status, const char *text)
{
	response->header_count = 0;
	buf_clear(&response->body);
	buf_add_z(http_response_text(response, status, "text/plain; charset=utf-8"), text);
}

/* ---- handing on ---- */

/* Of the message and of the connection that it came by; the next one has its own. */
static bool is_of_connection(struct str name)
{
	static const char *const names[] = {"host",   "content-length", "transfer-encoding",
					    "expect", "connection",     "accept-encoding"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (str_equal_nocase(name, str_of(names[i])))
			return true;
	}
	return false;
}

static void add_fields(struct buf *out, struct arena *arena, const struct http_header *headers,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_of_connection(headers[i].name))
			form_add_str(out, str_concat(arena, STR("h."), headers[i].name),
				     headers[i].value);
	}
}

/* Empty: it is too long. */
static struct str head_of(const struct service *service, const struct sandbox_visit *visit,
			  const struct http_request *request)
{
	struct arena *arena = request->arena;
	struct buf out;
	buf_init(&out, arena, HEAD_MAX_BYTES);
	form_add(&out, "app", visit->app_id);
	form_add(&out, "visitor", str_format(arena, "%d", (int)visit->visitor));
	form_add(&out, "method", request->is_head ? STR("HEAD") : request->method);
	form_add(&out, "target", request->target);
	form_add(&out, "seen_url", visit->home->seen_url);
	form_add(&out, "redirect_prefix", visit->home->redirect_prefix);
	form_add(&out, "media_url", visit->home->media_url);
	form_add(&out, "media_way", test_apps_node_url(service, arena));
	add_fields(&out, arena, request->headers, request->header_count);
	return out.is_over ? STR("") : buf_str(&out);
}

static bool is_ending(void *context)
{
	struct service *service = context;
	return atomic_load(&service->test_apps.is_ending);
}

static int64_t number_of(const struct form *head, const char *name)
{
	const struct str *text = form_find(head, name);
	int64_t number = 0;
	return text != NULL && str_parse_i64(*text, &number) ? number : 0;
}

/* As the world answered, with what it did to the connection. */
static void copy_answer(struct http_response *response, const struct form *head, struct str body)
{
	response->status = (int)number_of(head, "status");
	response->is_dropped = number_of(head, "dropped") != 0;
	response->truncate_at_bytes = number_of(head, "cut_at");
	for (size_t i = 0; i < head->count; i++) {
		if (str_has_prefix(head->pairs[i].name, STR("h.")))
			http_response_header(
				response,
				str_z(response->arena,
				      str_slice(head->pairs[i].name, 2, head->pairs[i].name.len)),
				head->pairs[i].value);
	}
	buf_add(&response->body, body);
}

enum relayed { RELAYED, NOT_RELAYED };

/* NOT_RELAYED: nothing was done there, and somebody else may have it. */
static enum relayed hand_on(struct service *service, const struct test_apps_holder *holder,
			    const struct sandbox_visit *visit, const struct http_request *request,
			    struct http_response *response)
{
	struct arena *arena = request->arena;
	const struct str head = head_of(service, visit, request);
	const struct transfer_header headers[] = {{STR(PASS_HEADER), str_of(holder->pass)},
						  {STR(CALL_HEADER), head}};
	const struct relay_call call = {
		.url = str_format(arena, "%s" PATH, holder->address),
		.headers = headers,
		.header_count = COUNT_OF(headers),
		.body = request->body,
		.body_path = request->body_path,
		.body_size_bytes = request->body_size_bytes,
		.timeout_ms = CALL_TIMEOUT_MS,
		.answer_max_bytes = ANSWER_MAX_BYTES,
		.answer_header = ANSWER_HEADER,
		.must_end = is_ending,
		.context = service,
	};
	struct relay_answer answer;
	struct form form = {0};
	if (str_is_empty(head)) {
		refuse(response, 431, "the call's headers are too long to be handed on");
		return RELAYED;
	}
	relay_run(&call, arena, &answer);
	if (answer.outcome == TRANSFER_NEVER_SENT ||
	    (answer.outcome == TRANSFER_ANSWERED && str_is_empty(answer.header)))
		return NOT_RELAYED;
	if (answer.outcome == TRANSFER_ANSWERED &&
	    form_parse(arena, answer.header, PAIRS_MAX, &form, NULL) == ERR_NONE &&
	    number_of(&form, "status") >= 200)
		copy_answer(response, &form, answer.body);
	else
		response->is_dropped = true; /* as a platform's answer is lost */
	return RELAYED;
}

/* ---- wherever it is ---- */

static void wait_a_moment(void)
{
	const struct timespec moment = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
	nanosleep(&moment, NULL);
}

static bool try_visit(struct service *service, const struct sandbox_visit *visit,
		      struct http_request *request, struct http_response *response)
{
	struct test_apps_holder holder;
	test_apps_lease_holder(service, &holder);
	if (holder.is_us)
		sandbox_worlds_serve(service->test_apps.worlds, visit, request, response);
	return holder.is_us || (holder.address[0] != '\0' &&
				hand_on(service, &holder, visit, request, response) == RELAYED);
}

void test_apps_visit(struct service *service, const struct sandbox_visit *visit,
		     struct http_request *request, struct http_response *response)
{
	const struct clock *clock = store_clock(service->store);
	const int64_t until_us = clock_boot_us(clock) + LOOK_FOR_US;
	sandbox_visitor_take_off(visit->visitor, request);
	bool is_done = try_visit(service, visit, request, response);
	while (!is_done && !is_ending(service) && clock_boot_us(clock) < until_us) {
		wait_a_moment();
		test_apps_lease_beat(service);
		is_done = try_visit(service, visit, request, response);
	}
	if (!is_done)
		refuse(response, 503,
		       "The node that has the sandbox of the test apps cannot be reached.");
}

/* ---- the other end ---- */

static bool has_pass(struct service *service, const struct http_request *request)
{
	const struct str *pass = http_request_header(request, PASS_HEADER);
	struct test_apps_holder holder;
	test_apps_lease_holder(service, &holder);
	return pass != NULL && holder.is_us && pass->len == TEST_APPS_PASS_BYTES - 1 &&
	       sodium_memcmp(pass->ptr, holder.pass, pass->len) == 0;
}

/* Whoever has no pass learns nothing of it: this is the answer of any path that does not exist. */
static void refuse_stranger(struct http_response *response)
{
	buf_add_z(http_response_json(response, 404),
		  "{\"message\":\"" API_NO_SUCH_PATH "\",\"error\":\"NOT_FOUND\"}");
}

static enum http_admission admit(void *context, struct http_request *request,
				 struct http_response *response, bool may_wait)
{
	(void)may_wait;
	if (has_pass(context, request))
		return HTTP_ADMITTED;
	refuse_stranger(response);
	return HTTP_REFUSED;
}

static struct str text_of(const struct form *head, const char *name)
{
	const struct str *text = form_find(head, name);
	return text != NULL ? *text : STR("");
}

/* The call as it came to the other node. */
static struct http_request *unpack(const struct http_request *outer, const struct form *head)
{
	struct http_request *request = ARENA_NEW(outer->arena, struct http_request);
	request->arena = outer->arena;
	request->method = text_of(head, "method");
	request->target = text_of(head, "target");
	request->body = outer->body;
	request->body_path = outer->body_path;
	request->body_size_bytes = outer->body_size_bytes;
	request->body_max_bytes = outer->body_max_bytes;
	for (size_t i = 0; i < head->count && request->header_count < HTTP_HEADERS_MAX; i++) {
		const struct form_pair *pair = &head->pairs[i];
		if (str_has_prefix(pair->name, STR("h.")))
			request->headers[request->header_count++] = (struct http_header){
				str_slice(pair->name, 2, pair->name.len), pair->value};
	}
	http_request_prepare(request, random_system());
	return request;
}

static void serve_unpacked(struct service *service, const struct form *head,
			   struct http_request *request, struct http_response *response)
{
	const struct sandbox_home home = {
		.seen_url = text_of(head, "seen_url"),
		.redirect_prefix = text_of(head, "redirect_prefix"),
		.media_url = text_of(head, "media_url"),
		.media_way = text_of(head, "media_way"),
	};
	const struct sandbox_visit visit = {
		.app_id = text_of(head, "app"),
		.visitor = (enum sandbox_visitor)number_of(head, "visitor"),
		.home = &home,
	};
	sandbox_worlds_serve(service->test_apps.worlds, &visit, request, response);
}

static void pack_answer(const struct http_response *inner, struct http_response *response)
{
	struct arena *arena = response->arena;
	struct buf head;
	buf_init(&head, arena, HEAD_MAX_BYTES);
	form_add(&head, "status", str_format(arena, "%d", inner->status));
	form_add(&head, "dropped", str_format(arena, "%d", inner->is_dropped ? 1 : 0));
	form_add(&head, "cut_at", str_format(arena, "%lld", (long long)inner->truncate_at_bytes));
	add_fields(&head, arena, inner->headers, inner->header_count);
	buf_add(http_response_text(response, 200, "application/octet-stream"),
		buf_str(&inner->body));
	http_response_header(response, ANSWER_HEADER, buf_str(&head));
}

/* Of the threads that wait, four for each of the listener's, half are for everybody else; and
 * browsers, whose pages may hang on purpose, do not keep deliveries out. */
static int relayed_max(const struct service *service, bool is_browser)
{
	const int threads = (int)settings_number(service->settings, SETTING_ID_threads);
	return is_browser ? threads / 2 + 1 : threads + threads / 2;
}

static void serve_node(void *context, struct http_request *request, struct http_response *response)
{
	struct service *service = context;
	struct test_apps *apps = &service->test_apps;
	const struct str *text = http_request_header(request, CALL_HEADER);
	struct form head = {0};
	if (!has_pass(service, request) || text == NULL ||
	    form_parse(request->arena, *text, PAIRS_MAX, &head, NULL) != ERR_NONE) {
		refuse_stranger(response); /* also when the sandbox has just gone elsewhere */
		return;
	}
	struct http_response *inner = ARENA_NEW(request->arena, struct http_response);
	http_response_init(inner, request->arena, ANSWER_MAX_BYTES);
	const bool is_browser = number_of(&head, "visitor") == SANDBOX_BROWSER;
	atomic_int *count = is_browser ? &apps->relayed_browsers : &apps->relayed;
	if (atomic_fetch_add(count, 1) < relayed_max(service, is_browser))
		serve_unpacked(service, &head, unpack(request, &head), inner);
	else
		refuse(inner, 503, "too many calls of test apps are under way");
	atomic_fetch_sub(count, 1);
	pack_answer(inner, response);
}

enum err_kind test_apps_relay_open(struct service *service, struct error *err)
{
	const struct http_route route = {.method = "*",
					 .pattern = PATH,
					 .handler = serve_node,
					 .context = service,
					 .body_mode = HTTP_BODY_FILE,
					 .body_max_bytes = BODY_MAX_BYTES,
					 .run_mode = HTTP_RUN_PLATFORM,
					 .admit = admit,
					 .takes_any_host = true};
	return store_is_shared(service->store)
		       ? http_router_add(api_router(service->api), &route, 1, err)
		       : ERR_NONE;
}
