/* SPDX-License-Identifier: Apache-2.0
 * See control.h. */
#include "control.h"

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

static size_t take_body(char *data, size_t size, size_t count, void *user)
{
	struct buf *body = user;
	buf_add(body, (struct str){data, size * count});
	return body->is_over ? 0 : size * count;
}

static struct curl_slist *set_options(CURL *curl, struct arena *arena, const char *socket_path,
				      const char *method, struct str path, struct str body)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
	headers = curl_slist_append(headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket_path);
	curl_easy_setopt(curl, CURLOPT_URL,
			 str_z(arena, str_concat(arena, STR("http://localhost"), path)));
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	/* How long a backup takes depends on the size of the database. */
	if (!str_equal_z(path, "/admin/backup"))
		curl_easy_setopt(curl, CURLOPT_TIMEOUT, CALL_TIMEOUT_S);
	if (!str_is_empty(body)) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.ptr);
	}
	return headers;
}

/* NOT_FOUND: no service listens there. */
static enum err_kind call_socket(struct arena *arena, const char *socket_path, const char *method,
				 struct str path, struct str body, struct control_answer *answer,
				 struct error *err)
{
	struct sockaddr_un address;
	if (strlen(socket_path) >= sizeof(address.sun_path))
		return error_set(err, ERR_NOT_FOUND, "no service can listen on that path");
	CURL *curl = curl_easy_init();
	if (curl == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for a call");
	struct buf out;
	long status = 0;
	buf_init(&out, arena, ANSWER_MAX_BYTES);
	struct curl_slist *headers = set_options(curl, arena, socket_path, method, path, body);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &out);
	CURLcode code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	if (code == CURLE_COULDNT_CONNECT)
		return error_set(err, ERR_NOT_FOUND, "no service runs there");
	if (code != CURLE_OK)
		return error_set_native(err, ERR_TEMPORARY, (int)code,
					"the service did not answer: %s", curl_easy_strerror(code));
	*answer = (struct control_answer){(int)status, buf_str(&out)};
	return ERR_NONE;
}

static void dispatch(struct service *service, struct arena *arena, const char *method,
		     struct str path, struct str body, struct control_answer *answer)
{
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	struct http_response *response = ARENA_NEW(arena, struct http_response);
	request->arena = arena;
	request->method = str_of(method);
	request->target = path;
	request->body = body;
	request->body_size_bytes = (int64_t)body.len;
	request->has_peer_uid = true;
	request->peer_uid = getuid();
	http_request_prepare(request, random_system());
	http_response_init(response, arena, ANSWER_MAX_BYTES);
	http_router_dispatch(service_admin_router(service), request, response);
	*answer = (struct control_answer){response->status, buf_str(&response->body)};
}

/* Opens the service for this call. CONFLICT: another process holds the database. */
static enum err_kind call_directly(const struct settings *settings, struct arena *arena,
				   const char *method, struct str path, struct str body,
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
	dispatch(service, arena, method, path, body, answer);
	service_close(&service);
	return ERR_NONE;
}

enum err_kind control_call(const struct settings *settings, struct arena *arena, const char *method,
			   struct str path, struct str body, struct control_answer *answer_out,
			   struct error *err)
{
	const int64_t until_us = clock_boot_us(clock_system()) + LOCK_WAIT_US;
	while (true) {
		enum err_kind kind = call_socket(arena, service_control_path(settings), method,
						 path, body, answer_out, err);
		if (kind != ERR_NOT_FOUND)
			return kind;
		kind = call_directly(settings, arena, method, path, body, answer_out, err);
		if (kind != ERR_CONFLICT || clock_boot_us(clock_system()) > until_us)
			return kind;
		/* Another command holds the database for a moment, or a service is starting: then
		 * its socket will answer. */
		thread_sleep_ms(LOCK_POLL_MS);
	}
}
