/* SPDX-License-Identifier: Apache-2.0
 * One transfer: its life, its request made into what libcurl understands, and the way from hop to
 * hop of a fetch. */
#include "flight_private.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"

#include "url.h"

#include "guard.h"
#include "pace.h"
#include "rewrite.h"

#define REQUEST_MAX_BYTES ((size_t)64 << 20)          /* bodies above that come from files */
#define RESPONSE_MAX_BYTES_DEFAULT (INT64_C(4) << 20) /* transfer.h */
#define KEPT_BYTES ((size_t)64 << 10) /* buffers beyond it are not kept for the next transfer */
#define LOW_SPEED_SECONDS 30
#define FETCH_BUFFER_BYTES (128L << 10)

int64_t flight_monotonic_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / 1000;
}

static void bytes_reset(struct bytes *bytes)
{
	if (bytes->capacity > KEPT_BYTES) {
		free(bytes->ptr);
		*bytes = (struct bytes){0};
	}
	bytes->len = 0;
}

struct flight *flight_new(const struct flight_env *env, enum transfer_pool pool, CURLSH *share)
{
	struct flight *flight = calloc(1, sizeof(*flight));
	if (flight == NULL)
		return NULL;
	flight->env = env;
	flight->pool = pool;
	flight->body_fd = -1;
	flight->save.fd = -1;
	flight->easy = curl_easy_init();
	flight->arena = arena_new("transfer", REQUEST_MAX_BYTES);
	if (flight->easy == NULL) {
		flight_free(&flight);
		return NULL;
	}
	curl_easy_setopt(flight->easy, CURLOPT_SHARE, share); /* curl_easy_reset() keeps it */
	return flight;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void flight_reset(struct flight *flight)
{
	curl_easy_reset(flight->easy);
	curl_slist_free_all(flight->resolve_list);
	curl_slist_free_all(flight->address_list);
	close_fd(&flight->body_fd);
	save_close(&flight->save);
	bytes_reset(&flight->head);
	bytes_reset(&flight->body);
	arena_clear(flight->arena);
	*flight = (struct flight){
		.env = flight->env,
		.pool = flight->pool,
		.easy = flight->easy,
		.arena = flight->arena,
		.head = flight->head,
		.body = flight->body,
		.body_fd = -1,
		.save = {.fd = -1},
	};
}

void flight_free(struct flight **flight)
{
	if (*flight == NULL)
		return;
	curl_easy_cleanup((*flight)->easy);
	curl_slist_free_all((*flight)->resolve_list);
	curl_slist_free_all((*flight)->address_list);
	close_fd(&(*flight)->body_fd);
	save_close(&(*flight)->save);
	free((*flight)->head.ptr);
	free((*flight)->body.ptr);
	arena_free(&(*flight)->arena);
	free(*flight);
	*flight = NULL;
}

CURL *flight_easy(struct flight *flight)
{
	return flight->easy;
}

enum transfer_pool flight_pool(const struct flight *flight)
{
	return flight->pool;
}

struct flight_link *flight_link(struct flight *flight)
{
	return &flight->link;
}

void flight_fail(struct flight *flight)
{
	flight_give_up(flight, TRANSFER_OTHER, "libcurl refused the transfer");
}

static void copy_headers(struct flight *flight, const struct transfer_request *request)
{
	struct transfer_header *headers =
		ARENA_ARRAY(flight->arena, struct transfer_header, request->header_count);
	for (size_t i = 0; i < request->header_count; i++) {
		headers[i].name = str_copy(flight->arena, request->headers[i].name);
		headers[i].value = str_copy(flight->arena, request->headers[i].value);
	}
	flight->request.headers = headers;
}

static const char *copy_z(struct arena *arena, const char *z)
{
	return z != NULL ? str_z(arena, str_of(z)) : NULL;
}

/* False past the ceiling: bodies that large belong into files. */
static bool copy_body(struct flight *flight, struct str body, struct str *copy_out)
{
	char *copy = arena_try_alloc(flight->arena, body.len + 1);
	if (copy == NULL)
		return flight_give_up(flight, TRANSFER_OTHER,
				      "the request body is too large for memory");
	if (!str_is_empty(body))
		memcpy(copy, body.ptr, body.len);
	*copy_out = (struct str){copy, body.len};
	return true;
}

static bool copy_request(struct flight *flight, const struct transfer_request *request)
{
	struct arena *arena = flight->arena;
	flight->request = *request;
	flight->request.url = str_copy(arena, request->url);
	flight->request.owner = str_copy(arena, request->owner);
	flight->request.method = request->method != NULL ? copy_z(arena, request->method) : "GET";
	flight->request.body_path = copy_z(arena, request->body_path);
	flight->request.save_path = copy_z(arena, request->save_path);
	if (request->save_from != NULL)
		flight->save_from = *request->save_from;
	if (request->response_max_bytes == 0)
		flight->request.response_max_bytes = RESPONSE_MAX_BYTES_DEFAULT;
	copy_headers(flight, request);
	return copy_body(flight, request->body, &flight->request.body) &&
	       copy_body(flight, request->body_tail, &flight->request.body_tail);
}

static bool has_header(const struct flight *flight, struct str name)
{
	for (size_t i = 0; i < flight->request.header_count; i++)
		if (str_equal_nocase(flight->request.headers[i].name, name))
			return true;
	return false;
}

static bool is_for_test(const struct flight *flight)
{
	return flight->pool == TRANSFER_PLATFORM && flight->request.reach == TRANSFER_TEST;
}

static void add_line(struct flight *flight, struct str line)
{
	struct curl_slist *node = ARENA_NEW(flight->arena, struct curl_slist);
	node->data = str_z(flight->arena, line);
	node->next = flight->header_list;
	flight->header_list = node;
}

/* libcurl's language: "Name: value" sends it, "Name;" sends it without a value, "Name:" keeps
 * libcurl from sending its own. */
static bool make_header_list(struct flight *flight)
{
	flight->header_list = NULL;
	for (size_t i = flight->request.header_count; i-- > 0;) {
		const struct transfer_header *header = &flight->request.headers[i];
		if (str_has_control(header->name) || str_has_control(header->value))
			return flight_give_up(flight, TRANSFER_OTHER,
					      "a request header contains a control character");
		add_line(flight,
			 !str_is_empty(header->value)
				 ? str_format(flight->arena, STR_FMT ": " STR_FMT,
					      STR_ARG(header->name), STR_ARG(header->value))
				 : str_format(flight->arena, STR_FMT ";", STR_ARG(header->name)));
	}
	if (is_for_test(flight))
		add_line(flight, str_format(flight->arena, TRANSFER_TEST_APP_HEADER ": " STR_FMT,
					    STR_ARG(flight->request.owner)));
	add_line(flight,
		 STR("Expect:")); /* an expectation makes libcurl wait, and on 417 send again */
	if (!has_header(flight, STR("Accept-Encoding")))
		add_line(flight, STR("Accept-Encoding: identity")); /* nothing that could swell */
	if (!has_header(flight, STR("Content-Type")))
		add_line(flight, STR("Content-Type:"));
	return true;
}

static bool open_files(struct flight *flight)
{
	const struct transfer_request *request = &flight->request;
	if (request->body_path != NULL) {
		flight->body_fd = open(request->body_path, O_RDONLY | O_CLOEXEC);
		if (flight->body_fd < 0)
			return flight_give_up(flight, TRANSFER_DISK_FAILED,
					      "the file to send cannot be read");
	}
	const struct save_mark *mark = request->save_from != NULL ? &flight->save_from : NULL;
	if (request->save_path != NULL &&
	    !save_open(&flight->save, request->save_path, mark, request->save_room))
		return flight_give_up(flight, TRANSFER_DISK_FAILED,
				      "the file to download into cannot be created");
	return true;
}

static void set_method(struct flight *flight)
{
	CURL *easy = flight->easy;
	const struct transfer_request *request = &flight->request;
	const struct str method = str_of(request->method);
	const bool has_file = request->body_path != NULL;
	const bool takes_body = has_file || !str_is_empty(request->body) ||
				str_equal_z(method, "POST") || str_equal_z(method, "PUT") ||
				str_equal_z(method, "PATCH");
	if (str_equal_z(method, "HEAD"))
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	else if (takes_body)
		curl_easy_setopt(easy, CURLOPT_POST, 1L);
	if (!str_equal_z(method, takes_body ? "POST" : "GET"))
		curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
	if (has_file) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)flight_body_bytes(flight));
	} else if (takes_body) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body.ptr);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
	}
}

/* What is the same for every transfer. */
static void set_rules(struct flight *flight)
{
	CURL *easy = flight->easy;
	curl_easy_setopt(easy, CURLOPT_PRIVATE, flight);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, flight->curl_error);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* else a slow name lookup is waited for */
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L); /* signed URLs are signed as they are */
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	/* One request a connection at a time: what a broken connection means stays plain. */
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, flight->env->user_agent);
}

static void set_wishes(struct flight *flight)
{
	CURL *easy = flight->easy;
	const struct transfer_request *request = &flight->request;
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)flight->env->connect_timeout_ms);
	curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)request->response_max_bytes);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, flight->header_list);
	if (request->fresh_connection) {
		curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
		curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	}
	if (request->save_path != NULL)
		curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, FETCH_BUFFER_BYTES);
	if (request->low_speed_bytes_s > 0) {
		curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, (long)request->low_speed_bytes_s);
		curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)LOW_SPEED_SECONDS);
	}
}

/* A stand-in for DNS may give several addresses, comma-separated: unlike libcurl we then see them
 * all before any is tried. */
static bool check_resolved(struct flight *flight, const char *addresses, uint16_t port)
{
	char ip[INET6_ADDRSTRLEN];
	struct str rest = str_of(addresses);
	struct str address;
	while (str_take_field(&rest, ',', &address)) {
		if (str_is_empty(address) || address.len >= sizeof(ip))
			return flight_give_up(flight, TRANSFER_NAME_NOT_RESOLVED, NULL);
		memcpy(ip, address.ptr, address.len);
		ip[address.len] = '\0';
		if (flight->pool != TRANSFER_PLATFORM && !flight_guard_allows(flight, ip, port))
			return flight_give_up(flight, TRANSFER_REFUSED_BY_GUARD, NULL);
	}
	return true;
}

/* A test app's call goes to a socket by its path: it has no name to be looked up. */
static bool resolve_by_hook(struct flight *flight)
{
	struct url url;
	if (flight->env->resolve == NULL || is_for_test(flight) ||
	    url_parse(flight->arena, flight->url, &url, NULL) != ERR_NONE ||
	    url.host_kind != URL_HOST_NAME)
		return true;
	const char *host = str_z(flight->arena, url.host);
	const char *addresses = flight->env->resolve(flight->env->resolve_context, host);
	if (addresses == NULL)
		return true;
	if (!check_resolved(flight, addresses, url.port))
		return false;
	const struct str entry =
		str_format(flight->arena, "%s:%u:%s", host, (unsigned)url.port, addresses);
	curl_slist_free_all(flight->resolve_list);
	flight->resolve_list = curl_slist_append(NULL, str_z(flight->arena, entry));
	curl_easy_setopt(flight->easy, CURLOPT_RESOLVE, flight->resolve_list);
	return true;
}

/* A test app's call has one way, and it leads to a socket on this machine. */
static bool check_test_address(struct flight *flight)
{
	const struct flight_env *env = flight->env;
	const struct str seen_url = env->test_url != NULL ? str_of(env->test_url) : STR("");
	if (env->test_socket == NULL)
		return flight_give_up(flight, TRANSFER_OTHER,
				      "this service runs no test apps (test-apps off)");
	if (str_is_empty(flight->request.owner) || str_has_control(flight->url) ||
	    !rewrite_to_test_sandbox(flight->arena, seen_url, flight->url, &flight->url))
		return flight_give_up(flight, TRANSFER_OTHER,
				      "blocked: a test app only calls the sandbox");
	curl_easy_setopt(flight->easy, CURLOPT_UNIX_SOCKET_PATH, env->test_socket);
	return true;
}

static bool check_address(struct flight *flight)
{
	const struct flight_env *env = flight->env;
	if (flight->pool != TRANSFER_PLATFORM) {
		if (env->guard == NULL ||
		    guard_check_url(env->guard, flight->arena, flight->url) != NULL)
			return flight_give_up(flight, TRANSFER_REFUSED_BY_GUARD, NULL);
		return true;
	}
	if (flight->request.reach == TRANSFER_NOWHERE)
		return flight_give_up(flight, TRANSFER_OTHER,
				      "blocked: nobody said whose platforms the call is for");
	if (flight->request.reach == TRANSFER_TEST)
		return check_test_address(flight);
	if (env->sandbox_url != NULL &&
	    !rewrite_to_sandbox(flight->arena, str_of(env->sandbox_url), flight->url, &flight->url))
		return flight_give_up(flight, TRANSFER_OTHER,
				      "blocked: sandbox mode only allows calls to the sandbox");
	if (env->sandbox_url == NULL && env->https_only &&
	    !str_equal_nocase(str_slice(flight->url, 0, 8), STR("https://")))
		return flight_give_up(flight, TRANSFER_OTHER, "platform calls must use https");
	if (str_has_control(flight->url))
		return flight_give_up(flight, TRANSFER_OTHER,
				      "the URL contains a control character");
	return true;
}

bool flight_is_in_time(struct flight *flight)
{
	const int64_t elapsed_ms = (flight_monotonic_us() - flight->started_us) / US_PER_MS;
	const int64_t left_ms = flight->request.timeout_ms - elapsed_ms;
	if (left_ms <= 0)
		return flight_give_up(flight, TRANSFER_TIMED_OUT, NULL);
	curl_easy_setopt(flight->easy, CURLOPT_TIMEOUT_MS, (long)left_ms);
	return true;
}

static struct str flight_host(const struct flight *flight)
{
	const size_t slashes = str_find(flight->url, STR("//"), 0);
	const struct str rest = str_slice(flight->url, slashes, flight->url.len);
	const char *ends = str_has_prefix(rest, STR("//[")) ? "]" : ":/?#";
	size_t end = 2;
	while (end < rest.len && strchr(ends, rest.ptr[end]) == NULL)
		end++;
	return str_slice(rest, 2, end);
}

struct str flight_owner(const struct flight *flight)
{
	return str_is_empty(flight->request.owner) ? flight_host(flight) : flight->request.owner;
}

bool flight_end_if_slow(struct flight *flight, int64_t running_us, int64_t time_scale)
{
	curl_off_t bytes = 0;
	if (flight->request.low_speed_bytes_s <= 0)
		return false;
	curl_easy_getinfo(flight->easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
	if (!pace_is_too_slow((int64_t)bytes, running_us, time_scale))
		return false;
	flight_give_up(flight, TRANSFER_TOO_SLOW, "others wait for its place");
	return true;
}

/* Everything that differs from hop to hop: the address, the time left, the headers. */
static bool prepare_hop(struct flight *flight)
{
	if (!flight_is_in_time(flight))
		return false;
	if (!check_address(flight) || !make_header_list(flight) || !resolve_by_hook(flight))
		return false;
	curl_easy_setopt(flight->easy, CURLOPT_URL, str_z(flight->arena, flight->url));
	set_wishes(flight);
	flight_route(flight);
	return true;
}

bool flight_prepare(struct flight *flight, const struct transfer_request *request)
{
	flight->started_us = flight_monotonic_us();
	if (!copy_request(flight, request))
		return false;
	flight->url = flight->request.url;
	if (flight_is_past_send_deadline(flight))
		return flight_give_up(flight, TRANSFER_TIMED_OUT, "send deadline exceeded");
	if (!open_files(flight))
		return false;
	set_rules(flight);
	flight_wire(flight);
	set_method(flight);
	return prepare_hop(flight);
}

static bool is_redirect(const struct flight *flight)
{
	return flight->status == 301 || flight->status == 302 || flight->status == 303 ||
	       flight->status == 307 || flight->status == 308;
}

/* Platforms' redirects are never followed: what a platform answers is the adapter's business. */
static bool follows_redirects(const struct flight *flight)
{
	return flight->pool != TRANSFER_PLATFORM && flight->request.redirects_max > 0 &&
	       str_equal_z(str_of(flight->request.method), "GET");
}

/* They say which bytes of the file are wanted: it is there, after the redirect, that its beginning
 * came from. */
static void keep_range_headers(struct flight *flight)
{
	struct transfer_header *headers =
		ARENA_ARRAY(flight->arena, struct transfer_header, flight->request.header_count);
	size_t count = 0;
	for (size_t i = 0; i < flight->request.header_count; i++) {
		const struct transfer_header *header = &flight->request.headers[i];
		if (str_equal_nocase(header->name, STR("Range")) ||
		    str_equal_nocase(header->name, STR("If-Range")))
			headers[count++] = *header;
	}
	flight->request.headers = headers;
	flight->request.header_count = count;
}

/* All other headers were meant for the host they were made for. */
static void drop_headers_for_stranger(struct flight *flight, struct str target)
{
	struct url from;
	struct url to;
	if (url_parse(flight->arena, flight->url, &from, NULL) != ERR_NONE ||
	    url_parse(flight->arena, target, &to, NULL) != ERR_NONE ||
	    !str_equal(url_origin(flight->arena, &from), url_origin(flight->arena, &to)))
		keep_range_headers(flight);
}

static bool check_hop(struct flight *flight, struct str target)
{
	const char *reason =
		guard_check_redirect(flight->env->guard, flight->arena, flight->url, target);
	if (reason == NULL)
		return true;
	if (str_equal_z(str_of(reason), "downgrade"))
		return flight_give_up(flight, TRANSFER_BAD_REDIRECT, "it leads from https to http");
	return flight_give_up(flight, TRANSFER_REFUSED_BY_GUARD, NULL);
}

static bool prepare_redirect(struct flight *flight)
{
	char *location = NULL;
	curl_easy_getinfo(flight->easy, CURLINFO_REDIRECT_URL, &location);
	if (location == NULL)
		return flight_give_up(flight, TRANSFER_BAD_REDIRECT,
				      "it does not lead to a valid address");
	if (flight->hops++ >= flight->request.redirects_max)
		return flight_give_up(flight, TRANSFER_BAD_REDIRECT, "there are too many in a row");
	const struct str target = str_copy(flight->arena, str_of(location));
	if (!check_hop(flight, target))
		return false;
	drop_headers_for_stranger(flight, target);
	flight->url = target;
	flight->has_begun_hop = false;
	flight->status = 0;
	flight->has_whole_head = false;
	flight->has_save_begun = false;
	flight->head.len = 0;
	flight->body.len = 0;
	flight->received_bytes = 0;
	return prepare_hop(flight);
}

bool flight_end(struct flight *flight, CURLcode code)
{
	if (flight->is_looking_up)
		return flight_lookup_end(flight, code) && prepare_hop(flight);
	if (!flight_judge(flight, code))
		return false;
	return is_redirect(flight) && follows_redirects(flight) && prepare_redirect(flight);
}
