/* SPDX-License-Identifier: Apache-2.0
 * See relay.h. */
#include "relay.h"

#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

#include "arena.h"
#include "buf.h"

#define CONNECT_TIMEOUT_MS 3000L

struct running {
	const struct relay_call *call;
	struct arena *arena;
	struct relay_answer *answer;
	struct buf body;
	FILE *file; /* the body's; NULL = none */
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
};

/* ---- what libcurl asks ---- */

static size_t on_body(char *bytes, size_t one, size_t len, void *context)
{
	struct running *running = context;
	(void)one;
	buf_add(&running->body, (struct str){bytes, len});
	return running->body.is_over ? 0 : len;
}

static size_t on_header(char *bytes, size_t one, size_t len, void *context)
{
	struct running *running = context;
	struct str rest = {bytes, len};
	struct str name;
	(void)one;
	if (str_take_until(&rest, ':', &name) &&
	    str_equal_nocase(name, str_of(running->call->answer_header)))
		running->answer->header =
			str_copy(running->arena, str_trim(str_slice(rest, 1, rest.len)));
	return len;
}

static int on_progress(void *context, curl_off_t to_load, curl_off_t loaded, curl_off_t to_send,
		       curl_off_t sent)
{
	const struct running *running = context;
	(void)to_load;
	(void)loaded;
	(void)to_send;
	(void)sent;
	return running->call->must_end(running->call->context) ? 1 : 0;
}

/* ---- one call ---- */

static void add_headers(struct running *running)
{
	const struct relay_call *call = running->call;
	for (size_t i = 0; i < call->header_count; i++) {
		const struct str line =
			str_format(running->arena, STR_FMT ": " STR_FMT,
				   STR_ARG(call->headers[i].name), STR_ARG(call->headers[i].value));
		running->headers = curl_slist_append(running->headers, str_z(running->arena, line));
	}
	running->headers = curl_slist_append(running->headers, "Expect:");
	running->headers =
		curl_slist_append(running->headers, "Content-Type: application/octet-stream");
}

static void set_body(struct running *running, CURL *curl)
{
	const struct relay_call *call = running->call;
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	if (running->file != NULL) {
		curl_easy_setopt(curl, CURLOPT_READDATA, running->file);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)call->body_size_bytes);
	} else {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS,
				 call->body.ptr != NULL ? call->body.ptr : "");
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len);
	}
}

static void set_options(struct running *running, CURL *curl)
{
	const struct relay_call *call = running->call;
	curl_easy_setopt(curl, CURLOPT_URL, str_z(running->arena, call->url));
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, running->headers);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, running);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, running);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, running);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, running->error);
	set_body(running, curl);
}

/* Before the connection stands no byte of a request has left. */
static enum transfer_outcome outcome_of(CURL *curl, CURLcode code)
{
	curl_off_t connected_us = 0;
	long request_bytes = 0;
	curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &request_bytes);
	if (code == CURLE_OK)
		return TRANSFER_ANSWERED;
	return connected_us == 0 && request_bytes == 0 ? TRANSFER_NEVER_SENT : TRANSFER_LOST;
}

static void perform(struct running *running, CURL *curl)
{
	struct relay_answer *answer = running->answer;
	long status = 0;
	add_headers(running);
	set_options(running, curl);
	const CURLcode code = curl_easy_perform(curl);
	answer->outcome = outcome_of(curl, code);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	answer->status = (int)status;
	answer->body = buf_str(&running->body);
	if (code != CURLE_OK)
		answer->problem = str_copy(running->arena, str_of(curl_easy_strerror(code)));
	curl_slist_free_all(running->headers);
}

void relay_run(const struct relay_call *call, struct arena *arena, struct relay_answer *out)
{
	struct running running = {.call = call, .arena = arena, .answer = out};
	*out = (struct relay_answer){.outcome = TRANSFER_NEVER_SENT,
				     .problem = STR("the call could not be prepared")};
	buf_init(&running.body, arena, call->answer_max_bytes);
	if (call->body_path != NULL)
		running.file = fopen(call->body_path, "re");
	CURL *curl = curl_easy_init();
	if (curl != NULL && (call->body_path == NULL || running.file != NULL)) {
		out->problem = STR("");
		perform(&running, curl);
	}
	curl_easy_cleanup(curl);
	if (running.file != NULL)
		fclose(running.file);
}
