/* SPDX-License-Identifier: Apache-2.0
 * Nothing of a test app can leave (api-decisions.md 14): a call of one, whatever address it names,
 * comes to the service's own socket or to nothing. Tried with every address of ssrf_urls.txt, the
 * good ones too, beside a server that answers for every name and counts. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "buf.h"
#include "str.h"

#include "ssrf_list.h"

#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ninside"
#define LIST_LINES (185 + 34)

/* The service's end of the socket: says "inside" to whoever comes. */
struct inside {
	char directory[64];
	char path[96];
	int fd;
	pthread_t thread;
	atomic_uint calls;
	char last[4096];
};

static void answer(struct inside *inside, int fd)
{
	size_t len = 0;
	for (ssize_t n; len < sizeof(inside->last) - 1 &&
			(n = read(fd, inside->last + len, sizeof(inside->last) - 1 - len)) > 0;) {
		len += (size_t)n;
		inside->last[len] = '\0';
		if (strstr(inside->last, "{\"a\":1}") != NULL)
			break;
	}
	if (len > 0) {
		atomic_fetch_add(&inside->calls, 1);
		assert_int_equal(write(fd, ANSWER, strlen(ANSWER)), (ssize_t)strlen(ANSWER));
	}
	close(fd);
}

static void *serve(void *argument)
{
	struct inside *inside = argument;
	for (int fd; (fd = accept(inside->fd, NULL, NULL)) >= 0;)
		answer(inside, fd);
	return NULL;
}

static void inside_open(struct inside *inside)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	*inside = (struct inside){.directory = "/tmp/posthorn-inside-XXXXXX"};
	assert_non_null(mkdtemp(inside->directory));
	snprintf(inside->path, sizeof(inside->path), "%s/sock", inside->directory);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", inside->path);
	inside->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(inside->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(inside->fd, 16), 0);
	assert_int_equal(pthread_create(&inside->thread, NULL, serve, inside), 0);
}

static void inside_close(struct inside *inside)
{
	shutdown(inside->fd, SHUT_RDWR);
	pthread_join(inside->thread, NULL);
	close(inside->fd);
	unlink(inside->path);
	rmdir(inside->directory);
}

static void open_with(struct fixture *f, const struct inside *inside)
{
	const struct transfer_curl_config config = {.guard = f->guard,
						    .clock = &f->clock,
						    .test_socket = inside->path,
						    .resolve = fixture_resolve,
						    .resolve_context = f};
	transfer_curl_close(&f->curl);
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
	transfer_curl_set_test_url(f->curl, "http://127.0.0.2:8080/sandbox");
}

static struct transfer_result call_as_test_app(struct fixture *f, struct str url)
{
	struct transfer_request request = fixture_post(f, "/ok");
	request.url = url;
	request.reach = TRANSFER_TEST;
	request.owner = STR("0-app");
	return fixture_call(f, &request);
}

/* It came in, or it never was. */
static bool stays_inside(struct fixture *f, const struct inside *inside, struct str url)
{
	const unsigned before = atomic_load(&inside->calls);
	const struct transfer_result result = call_as_test_app(f, url);
	const unsigned came = atomic_load(&inside->calls) - before;
	if (result.outcome == TRANSFER_ANSWERED)
		return came == 1 && str_equal_z(result.body, "inside") &&
		       strstr(inside->last, "Posthorn-Test-App: 0-app\r\n") != NULL;
	return result.outcome == TRANSFER_NEVER_SENT && came == 0;
}

static void every_address_of_the_list(void **state)
{
	struct fixture *f = *state;
	struct inside inside;
	FILE *file = ssrf_open_list();
	char *line = NULL;
	size_t capacity = 0;
	size_t lines = 0;
	ssize_t len;
	inside_open(&inside);
	open_with(f, &inside);
	while ((len = getline(&line, &capacity, file)) > 0) {
		struct str rest = {line, (size_t)len};
		struct str url = {0};
		if (line[0] == '#' || !str_take_until(&rest, '\t', &url))
			continue;
		lines++;
		if (!stays_inside(f, &inside, ssrf_unescape(f->arena, url)))
			fail_msg("%s", line);
	}
	free(line);
	fclose(file);
	assert_int_equal(lines, LIST_LINES);
	assert_true(atomic_load(&inside.calls) > 0); /* https ones come in */
	assert_int_equal(lying_requests(f->server), 0);
	assert_int_equal(lying_connections(f->server), 0);
	inside_close(&inside);
}

/* The same server under its own address, by http and below the sandbox's: nothing reaches it. */
static void the_nearest_server_is_not_asked(void **state)
{
	struct fixture *f = *state;
	struct inside inside;
	inside_open(&inside);
	open_with(f, &inside);
	const struct str urls[] = {
		fixture_url(f, PUBLIC_IP, "/ok"),
		fixture_url(f, "media.example.com", "/ok"),
		STR("http://127.0.0.2:8080/sandbox@127.0.0.2/ok"),
		STR("http://127.0.0.2:8080/sandboxx/ok"),
		STR("http://127.0.0.2:8080/sandbox/../ok"),
		STR("http://127.0.0.2:8080/sandbox\\@127.0.0.2/ok"),
		STR("http://sandbox/api.x.com/2/tweets"),
		STR("unix:///etc/passwd"),
		STR("file:///etc/passwd"),
	};
	for (size_t i = 0; i < COUNT_OF(urls); i++) {
		if (!stays_inside(f, &inside, urls[i]))
			fail_msg(STR_FMT, STR_ARG(urls[i]));
	}
	assert_int_equal(lying_connections(f->server), 0);
	inside_close(&inside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_address_of_the_list, fixture_set_up,
						fixture_tear_down),
		cmocka_unit_test_setup_teardown(the_nearest_server_is_not_asked, fixture_set_up,
						fixture_tear_down),
	};
	return cmocka_run_group_tests_name("test_app_call", tests, NULL, NULL);
}
