/* SPDX-License-Identifier: Apache-2.0
 * Every line of ssrf_urls.txt (beside this file) at the moment of fetching, through the real
 * transport: as media are fetched and as webhooks are called. A stub stands in for DNS and answers
 * what the line says (dns=); nothing that is refused may have opened a connection. What syntax and
 * tables say by themselves is in guard_test.c. */
#include "fixture.h"

#include "ssrf_list.h"

#define REFUSE_LINES 185 /* rules.md 3.7 */
#define ALLOW_LINES 34
#define REDIRECT_LINES 12 /* the thirteenth is about https alone: guard_test.c */
#define FETCH_REDIRECTS_MAX 3

/* One line, taken apart. */
struct line {
	struct str url; /* unescaped */
	bool is_allow;
	bool has_dns;
	struct str dns;
	struct str hop; /* "302 http://..." */
};

struct stub {
	char addresses[256];
	int calls;
	const char *later; /* what it answers from the second call on; NULL = the same */
};

static const char *stub_resolve(void *context, const char *host)
{
	struct stub *stub = context;
	(void)host;
	return stub->calls++ > 0 && stub->later != NULL ? stub->later : stub->addresses;
}

/* ---- the list ---- */

static bool fixture_of(struct str comment, const char *name, struct str *value_out)
{
	const size_t at = str_find(comment, str_of(name), 0);
	if (at == SIZE_MAX)
		return false;
	struct str rest = str_slice(comment, at + strlen(name), comment.len);
	str_take_field(&rest, ';', value_out);
	*value_out = str_trim(*value_out);
	return true;
}

/* False for comments. */
static bool read_line(struct arena *arena, struct str text, struct line *out)
{
	struct str comment = str_slice(text, 0, text.len - 1);
	struct str url;
	*out = (struct line){0};
	if (text.ptr[0] == '#' || !str_take_until(&comment, '\t', &url))
		return false;
	out->url = ssrf_unescape(arena, url);
	out->is_allow = str_skip(&comment, STR("\tALLOW"));
	out->has_dns = fixture_of(comment, "; dns=", &out->dns);
	fixture_of(comment, "; hop=", &out->hop);
	return true;
}

typedef bool (*line_check)(struct fixture *f, struct stub *stub, const struct line *line);

struct tally {
	size_t refused, allowed, wrong;
};

static struct tally every_line(struct fixture *f, struct stub *stub, line_check check)
{
	char path[512];
	const char *slash = strrchr(__FILE__, '/');
	snprintf(path, sizeof(path), "%.*s/ssrf_urls.txt", (int)(slash - __FILE__), __FILE__);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	struct tally tally = {0};
	char *text = NULL;
	size_t capacity = 0;
	ssize_t len;
	while ((len = getline(&text, &capacity, file)) > 0) {
		struct line line;
		if (!read_line(f->arena, (struct str){text, (size_t)len}, &line))
			continue;
		if (!check(f, stub, &line)) {
			print_message("wrong: %s", text);
			tally.wrong++;
		}
		tally.refused += !line.is_allow;
		tally.allowed += line.is_allow;
	}
	free(text);
	fclose(file);
	return tally;
}

/* ---- fetching ---- */

static void open_with(struct fixture *f, struct stub *stub, const struct guard_config *guard)
{
	transfer_curl_close(&f->curl);
	guard_free(&f->guard);
	assert_int_equal(guard_new(guard, &f->guard, NULL), ERR_NONE);
	const struct transfer_curl_config config = {
		.guard = f->guard,
		.clock = &f->clock,
		.resolve = stub_resolve,
		.resolve_context = stub,
		.connect_timeout_ms = 2000,
	};
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
}

static struct transfer_result fetch(struct fixture *f, struct str url, bool is_webhook)
{
	const struct transfer_request request = {
		.id = ++f->next_id,
		.pool = TRANSFER_MEDIA,
		.method = is_webhook ? "POST" : "GET",
		.url = url,
		.body = is_webhook ? STR("{}") : (struct str){0},
		.redirects_max = is_webhook ? 0 : FETCH_REDIRECTS_MAX,
		.timeout_ms = 5000,
	};
	return fixture_call(f, &request);
}

static void answer_with(struct stub *stub, struct str addresses)
{
	assert_true(addresses.len < sizeof(stub->addresses));
	snprintf(stub->addresses, sizeof(stub->addresses), STR_FMT, STR_ARG(addresses));
	stub->calls = 0;
}

/* Nothing was sent, nothing is told of what is there: no status, no body. */
static bool was_refused(const struct transfer_result *result)
{
	const bool is_refusal = result->problem == TRANSFER_REFUSED_BY_GUARD ||
				result->problem == TRANSFER_NAME_NOT_RESOLVED;
	return result->outcome == TRANSFER_NEVER_SENT && is_refusal && result->status == 0 &&
	       result->body.len == 0;
}

static bool refused_line_is_refused(struct fixture *f, struct stub *stub, const struct line *line)
{
	bool is_right = true;
	if (line->is_allow || line->hop.len > 0)
		return true;
	for (int is_webhook = 0; is_webhook < 2; is_webhook++) {
		answer_with(stub, line->dns);
		const struct transfer_result result = fetch(f, line->url, is_webhook);
		is_right = is_right && was_refused(&result);
	}
	return is_right;
}

static void whatever_is_to_be_refused_is_refused_at_the_fetch(void **state)
{
	static const char *const own[] = {"198.20.7.7/32"}; /* self= */
	static struct stub stub;
	struct fixture *f = *state;
	open_with(f, &stub, &(struct guard_config){.deny_cidrs = own, .deny_cidr_count = 1});
	const struct tally tally = every_line(f, &stub, refused_line_is_refused);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.refused, REFUSE_LINES);
	assert_int_equal(tally.allowed, ALLOW_LINES);
	assert_int_equal(lying_connections(f->server), 0);
}

/* The names of the list lead to an address that the operator allows and where nobody listens at
 * their port: the connection is tried. */
static bool allowed_name_is_tried(struct fixture *f, struct stub *stub, const struct line *line)
{
	bool is_right = true;
	if (!line->is_allow || !line->has_dns)
		return true;
	for (int is_webhook = 0; is_webhook < 2; is_webhook++) {
		answer_with(stub, STR(PUBLIC_IP));
		const struct transfer_result result = fetch(f, line->url, is_webhook);
		is_right = is_right && result.problem == TRANSFER_CONNECT_FAILED;
	}
	return is_right;
}

static void whatever_is_to_be_allowed_is_tried(void **state)
{
	static const char *const allow[] = {PUBLIC_IP "/32"};
	static struct stub stub;
	struct fixture *f = *state;
	open_with(f, &stub, &(struct guard_config){.allow_cidrs = allow, .allow_cidr_count = 1});
	assert_int_equal(every_line(f, &stub, allowed_name_is_tried).wrong, 0);
	assert_true(stub.calls > 0);
}

static size_t hops_tried;

/* The first request goes to the lying server in redir's place; what it says next is looked at as a
 * whole new address. */
static bool hop_is_refused(struct fixture *f, struct stub *stub, const struct line *line)
{
	if (line->is_allow || line->hop.len == 0 ||
	    str_find(line->url, STR("/downgrade"), 0) != SIZE_MAX)
		return true;
	const bool is_loop = str_find(line->url, STR("/loop"), 0) != SIZE_MAX;
	const bool is_private = str_find(line->hop, STR("private-a."), 0) != SIZE_MAX;
	const struct str location =
		is_loop ? STR("/redirect") : str_slice(line->hop, 4, line->hop.len);
	answer_with(stub, STR(PUBLIC_IP));
	if (!is_loop) /* as the list's head says of these two names */
		stub->later = is_private ? "10.0.0.5" : "93.184.215.14";
	snprintf(f->server->location, sizeof(f->server->location), STR_FMT, STR_ARG(location));
	f->server->redirect_status = atoi(line->hop.ptr);
	const unsigned before = lying_requests(f->server);
	const struct transfer_result result =
		fetch(f, fixture_url(f, "redir.ssrf.example.net", "/redirect"), false);
	stub->later = NULL;
	hops_tried++;
	return result.outcome == TRANSFER_LOST && result.body.len == 0 && result.status == 0 &&
	       result.problem == (is_loop ? TRANSFER_BAD_REDIRECT : TRANSFER_REFUSED_BY_GUARD) &&
	       lying_requests(f->server) - before == (is_loop ? FETCH_REDIRECTS_MAX + 1U : 1U);
}

static void every_hop_goes_through_the_whole_guard(void **state)
{
	static const char *const allow[] = {PUBLIC_IP "/32"};
	static struct stub stub;
	struct fixture *f = *state;
	open_with(f, &stub, &(struct guard_config){.allow_cidrs = allow, .allow_cidr_count = 1});
	hops_tried = 0;
	assert_int_equal(every_line(f, &stub, hop_is_refused).wrong, 0);
	assert_int_equal(hops_tried, REDIRECT_LINES);
}

/* ---- rebinding inside one fetch ---- */

/* The stub's second answer would lead inside: one fetch asks once, and connects to what was looked
 * at. */
static void one_hop_asks_for_a_name_once(void **state)
{
	static const char *const allow[] = {PUBLIC_IP "/32"};
	static struct stub stub = {.addresses = PUBLIC_IP, .later = "127.0.0.1"};
	struct fixture *f = *state;
	struct lying_server *inside = lying_start("127.0.0.1");
	open_with(f, &stub, &(struct guard_config){.allow_cidrs = allow, .allow_cidr_count = 1});
	const struct transfer_result result =
		fetch(f, fixture_url(f, "rebind.example.com", "/ok"), false);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	assert_int_equal(stub.calls, 1);
	assert_int_equal(lying_connections(inside), 0);
	lying_stop(&inside);
}

/* A redirect to the same name asks anew, and the new answer is looked at: no memory of the first
 * one lets it pass. */
static void a_hop_to_the_same_name_is_looked_at_again(void **state)
{
	static const char *const allow[] = {PUBLIC_IP "/32"};
	static struct stub stub = {.addresses = PUBLIC_IP, .later = "127.0.0.1"};
	struct fixture *f = *state;
	open_with(f, &stub, &(struct guard_config){.allow_cidrs = allow, .allow_cidr_count = 1});
	snprintf(f->server->location, sizeof(f->server->location),
		 "http://rebind.example.com:%u/ok", f->server->port);
	f->server->redirect_status = 302;
	const struct transfer_result result =
		fetch(f, fixture_url(f, "rebind.example.com", "/redirect"), false);
	fixture_expect(&result, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD);
	assert_int_equal(lying_requests(f->server), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whatever_is_to_be_refused_is_refused_at_the_fetch),
		TEST(whatever_is_to_be_allowed_is_tried),
		TEST(every_hop_goes_through_the_whole_guard),
		TEST(one_hop_asks_for_a_name_once),
		TEST(a_hop_to_the_same_name_is_looked_at_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
