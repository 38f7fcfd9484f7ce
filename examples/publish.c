/* SPDX-License-Identifier: Apache-2.0
 * Token, connect, publish, wait, list: in C with libcurl and jansson. How to build it, and the
 * variables POSTHORN, CLIENT_ID, CLIENT_SECRET and PLATFORM: examples/README.md. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <curl/curl.h>
#include <jansson.h>

#define ANSWER_MAX_BYTES ((size_t)1 << 20)

struct answer {
	char *text;
	size_t size;
};

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static const char *variable(const char *name, const char *fallback)
{
	const char *value = getenv(name);
	if (value == NULL && fallback == NULL)
		stop(name, "is not set");
	return value != NULL ? value : fallback;
}

static size_t take(char *bytes, size_t one, size_t count, void *context)
{
	struct answer *answer = context;
	if (one * count > ANSWER_MAX_BYTES - answer->size)
		return 0;
	char *text = realloc(answer->text, answer->size + one * count + 1);
	if (text == NULL)
		return 0;
	memcpy(text + answer->size, bytes, one * count);
	answer->text = text;
	answer->size += one * count;
	answer->text[answer->size] = '\0';
	return one * count;
}

/* Carries out what is set up in curl, and reads the answer's JSON; ends the program when the
 * service refuses. */
static json_t *perform(CURL *curl, const char *path, struct curl_slist *headers)
{
	char url[2048];
	struct answer answer = {0};
	long status = 0;
	json_error_t error;
	snprintf(url, sizeof(url), "%s%s", variable("POSTHORN", "http://127.0.0.1:8080"), path);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
	const CURLcode code = curl_easy_perform(curl);
	if (code != CURLE_OK)
		stop(path, curl_easy_strerror(code));
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 300)
		stop(path, answer.text != NULL ? answer.text : "refused");
	json_t *body = json_loads(answer.text != NULL ? answer.text : "", 0, &error);
	if (body == NULL)
		stop(path, error.text);
	free(answer.text);
	curl_slist_free_all(headers);
	curl_easy_reset(curl);
	return body;
}

static json_t *get(CURL *curl, const char *token, const char *path)
{
	char header[256];
	snprintf(header, sizeof(header), "Authorization: Bearer %s", token);
	return perform(curl, path, curl_slist_append(NULL, header));
}

static json_t *post(CURL *curl, const char *token, const char *path, const json_t *body)
{
	char header[256];
	char *text = json_dumps(body, JSON_COMPACT);
	snprintf(header, sizeof(header), "Authorization: Bearer %s", token);
	struct curl_slist *headers = curl_slist_append(NULL, header);
	curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, text);
	json_t *answer =
		perform(curl, path, curl_slist_append(headers, "Content-Type: application/json"));
	free(text);
	return answer;
}

/* A text of the answer, copied. */
static char *text_of(json_t *body, const char *name)
{
	const char *text = json_string_value(json_object_get(body, name));
	if (text == NULL)
		stop(name, "is missing in the answer");
	return strdup(text);
}

static char *token_issue(CURL *curl)
{
	curl_easy_setopt(curl, CURLOPT_USERNAME, variable("CLIENT_ID", NULL));
	curl_easy_setopt(curl, CURLOPT_PASSWORD, variable("CLIENT_SECRET", NULL));
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "grant_type=client_credentials");
	json_t *answer = perform(curl, "/v1/oauth/token", NULL);
	char *token = text_of(answer, "access_token");
	json_decref(answer);
	return token;
}

/* The id of the first account that the user connects. */
static char *account_connect(CURL *curl, const char *token)
{
	char path[512];
	snprintf(path, sizeof(path),
		 "/v1/oauth/%s/"
		 "connect?user_id=user-42&redirect_url=https%%3A%%2F%%2Fcustomer.example%%"
		 "2Fconnected",
		 variable("PLATFORM", "x"));
	json_t *begun = get(curl, token, path);
	printf("Open: %s\n", json_string_value(json_object_get(begun, "redirect_url")));
	fflush(stdout);
	snprintf(path, sizeof(path), "/v1/connections/%s/accounts",
		 json_string_value(json_object_get(begun, "connection_id")));
	json_decref(begun);
	for (;; sleep(1)) {
		json_t *connection = get(curl, token, path);
		const char *status = json_string_value(json_object_get(connection, "status"));
		if (strcmp(status, "failed") == 0)
			stop("Not connected",
			     json_string_value(json_object_get(connection, "error")));
		if (strcmp(status, "success") == 0) {
			json_t *account =
				json_array_get(json_object_get(connection, "accounts"), 0);
			printf("Connected: %s\n",
			       json_string_value(json_object_get(account, "username")));
			char *id = text_of(account, "id");
			json_decref(connection);
			return id;
		}
		json_decref(connection);
	}
}

/* The post's id. Your own request_id makes it safe to send the same again when an answer is
 * lost. */
static char *post_publish(CURL *curl, const char *token, const char *account_id)
{
	char request_id[64];
	char content[128];
	snprintf(request_id, sizeof(request_id), "c-%lld-%d", (long long)time(NULL), (int)getpid());
	snprintf(content, sizeof(content), "Hello from C, %s", request_id);
	json_t *body = json_pack("{s:s, s:[s], s:s}", "request_id", request_id, "account_ids",
				 account_id, "content", content);
	json_t *answer = post(curl, token, "/v1/posts/publish", body);
	char *id = text_of(json_object_get(answer, "data"), "post_id");
	json_decref(body);
	json_decref(answer);
	return id;
}

static bool post_wait(CURL *curl, const char *token, const char *post_id)
{
	char path[256];
	snprintf(path, sizeof(path), "/v1/posts/%s", post_id);
	for (;; sleep(1)) {
		json_t *answer = get(curl, token, path);
		char *status = text_of(json_object_get(answer, "data"), "status");
		const bool is_published = strcmp(status, "published") == 0;
		const bool is_final = is_published || strcmp(status, "failed") == 0;
		if (is_final)
			printf("Post: %s\n", status);
		free(status);
		json_decref(answer);
		if (is_final)
			return is_published;
	}
}

static void posts_list(CURL *curl, const char *token)
{
	json_t *answer = get(curl, token, "/v1/posts?per_page=5");
	size_t index;
	json_t *listed;
	json_array_foreach(json_object_get(answer, "data"), index, listed)
	{
		json_t *container = json_array_get(json_object_get(listed, "containers"), 0);
		printf("Listed: %s %s %s\n", json_string_value(json_object_get(listed, "id")),
		       json_string_value(json_object_get(listed, "status")),
		       json_string_value(json_object_get(container, "content")));
	}
	json_decref(answer);
}

int main(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
	CURL *curl = curl_easy_init();
	if (curl == NULL)
		stop("libcurl", "cannot be used");
	char *token = token_issue(curl);
	char *account_id = account_connect(curl, token);
	char *post_id = post_publish(curl, token, account_id);
	const bool is_published = post_wait(curl, token, post_id);
	posts_list(curl, token);
	free(token);
	free(account_id);
	free(post_id);
	curl_easy_cleanup(curl);
	curl_global_cleanup();
	return is_published ? 0 : 1;
}
