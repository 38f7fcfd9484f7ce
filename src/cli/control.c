/* SPDX-License-Identifier: Apache-2.0
 * See control.h. */
#include "control.h"

#include <errno.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include <curl/curl.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "random.h"
#include "thread.h"

#include "http.h"

#include "service.h"

#define ANSWER_MAX_BYTES ((size_t)8 << 20)
#define CALL_TIMEOUT_S 60L /* longer than a credential check may take */
#define LOCK_WAIT_US (5 * US_PER_S)
#define LOCK_POLL_MS 50

/* What is asked for, and where the answer goes. */
struct control_request {
	const char *method;
	struct str path;
	struct str body;
	int fd; /* for the bytes of a 200; -1 = they go where all answers go */
};

struct taking {
	CURL *curl;
	struct buf body;
	int fd;
};

static bool write_all(int fd, const char *bytes, size_t count)
{
	size_t done = 0;
	while (done < count) {
		const ssize_t written = write(fd, bytes + done, count - done);
		if (written < 0 && errno != EINTR)
			return false;
		done += written > 0 ? (size_t)written : 0;
	}
	return true;
}

static size_t take_body(char *data, size_t size, size_t count, void *user)
{
	struct taking *taking = user;
	long status = 0;
	curl_easy_getinfo(taking->curl, CURLINFO_RESPONSE_CODE, &status);
	if (taking->fd >= 0 && status == 200)
		return write_all(taking->fd, data, size * count) ? size * count : 0;
	buf_add(&taking->body, (struct str){data, size * count});
	return taking->body.is_over ? 0 : size * count;
}

static struct curl_slist *set_options(CURL *curl, struct arena *arena, const char *socket_path,
				      const struct control_request *request)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
	headers = curl_slist_append(headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket_path);
	curl_easy_setopt(curl, CURLOPT_URL,
			 str_z(arena, str_concat(arena, STR("http://localhost"), request->path)));
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	/* How long a backup takes depends on the size of the database. */
	if (!str_equal_z(request->path, "/admin/backup"))
		curl_easy_setopt(curl, CURLOPT_TIMEOUT, CALL_TIMEOUT_S);
	if (!str_is_empty(request->body)) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body.ptr);
	}
	return headers;
}

/* NOT_FOUND: no service listens there. */
static enum err_kind call_socket(struct arena *arena, const char *socket_path,
				 const struct control_request *request,
				 struct control_answer *answer, struct error *err)
{
	struct sockaddr_un address;
	if (strlen(socket_path) >= sizeof(address.sun_path))
		return error_set(err, ERR_NOT_FOUND, "no service can listen on that path");
	CURL *curl = curl_easy_init();
	if (curl == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for a call");
	struct taking taking = {.curl = curl, .fd = request->fd};
	long status = 0;
	buf_init(&taking.body, arena, ANSWER_MAX_BYTES);
	struct curl_slist *headers = set_options(curl, arena, socket_path, request);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &taking);
	CURLcode code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	if (code == CURLE_COULDNT_CONNECT)
		return error_set(err, ERR_NOT_FOUND, "no service runs there");
	if (code == CURLE_WRITE_ERROR && request->fd >= 0 && status == 200)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot write the file: %s",
					strerror(errno));
	if (code != CURLE_OK)
		return error_set_native(err, ERR_TEMPORARY, (int)code,
					"the service did not answer: %s", curl_easy_strerror(code));
	*answer = (struct control_answer){(int)status, buf_str(&taking.body)};
	return ERR_NONE;
}

static enum err_kind copy_file(const struct http_response *response, int fd, struct error *err)
{
	char bytes[65536];
	int64_t done = 0;
	while (done < response->file_length_bytes) {
		const ssize_t count = pread(response->file_fd, bytes, sizeof(bytes),
					    (off_t)(response->file_offset_bytes + done));
		if (count <= 0 || !write_all(fd, bytes, (size_t)count))
			return error_set_native(err, ERR_TEMPORARY, errno,
						"cannot write the file: %s", strerror(errno));
		done += count;
	}
	return ERR_NONE;
}

static enum err_kind dispatch(struct service *service, struct arena *arena,
			      const struct control_request *call, struct control_answer *answer,
			      struct error *err)
{
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	struct http_response *response = ARENA_NEW(arena, struct http_response);
	request->arena = arena;
	request->method = str_of(call->method);
	request->target = call->path;
	request->body = call->body;
	request->body_size_bytes = (int64_t)call->body.len;
	request->has_peer_uid = true;
	request->peer_uid = getuid();
	http_request_prepare(request, random_system());
	http_response_init(response, arena, ANSWER_MAX_BYTES);
	http_router_dispatch(service_admin_router(service), request, response);
	*answer = (struct control_answer){response->status, buf_str(&response->body)};
	return response->has_file && call->fd >= 0 ? copy_file(response, call->fd, err) : ERR_NONE;
}

/* Opens the service for this call. CONFLICT: another process holds the database. */
static enum err_kind call_directly(const struct settings *settings, struct arena *arena,
				   const struct control_request *request,
				   struct control_answer *answer, struct error *err)
{
	/* A command prints its answer: the service's usual log lines would only be in the way. */
	struct settings quiet = *settings;
	struct service *service = NULL;
	if (quiet.values[SETTING_ID_log_level].source == SETTING_FROM_DEFAULT)
		quiet.values[SETTING_ID_log_level].text = "warn";
	enum err_kind kind = service_open(&quiet, SERVICE_COMMAND, &service, err);
	if (kind != ERR_NONE)
		return kind;
	kind = dispatch(service, arena, request, answer, err);
	service_close(&service);
	return kind;
}

static enum err_kind call(const struct settings *settings, struct arena *arena,
			  const struct control_request *request, struct control_answer *answer_out,
			  struct error *err)
{
	const int64_t until_us = clock_boot_us(clock_system()) + LOCK_WAIT_US;
	while (true) {
		enum err_kind kind = call_socket(arena, service_control_path(settings), request,
						 answer_out, err);
		if (kind != ERR_NOT_FOUND)
			return kind;
		kind = call_directly(settings, arena, request, answer_out, err);
		if (kind != ERR_CONFLICT || clock_boot_us(clock_system()) > until_us)
			return kind;
		/* Another command holds the database for a moment, or a service is starting: then
		 * its socket will answer. */
		thread_sleep_ms(LOCK_POLL_MS);
	}
}

enum err_kind control_call(const struct settings *settings, struct arena *arena, const char *method,
			   struct str path, struct str body, struct control_answer *answer_out,
			   struct error *err)
{
	const struct control_request request = {method, path, body, -1};
	return call(settings, arena, &request, answer_out, err);
}

enum err_kind control_download(const struct settings *settings, struct arena *arena,
			       struct str path, int fd, struct control_answer *answer_out,
			       struct error *err)
{
	const struct control_request request = {"POST", path, STR("{}"), fd};
	return call(settings, arena, &request, answer_out, err);
}
