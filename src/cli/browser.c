/* SPDX-License-Identifier: Apache-2.0
 * See browser.h. */
#include "browser.h"

#include <stdio.h>

#include <curl/curl.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "base64.h"
#include "form.h"
#include "url.h"

#define ANSWER_MAX_BYTES ((size_t)4 << 20)
#define URL_MAX_BYTES 16384
#define CALL_TIMEOUT_S 60L

static size_t take_body(char *data, size_t size, size_t count, void *user)
{
	struct buf *body = user;
	buf_add(body, (struct str){data, size * count});
	return body->is_over ? 0 : size * count;
}

static struct curl_slist *add_header(struct arena *arena, struct curl_slist *headers,
				     const char *name, const char *value)
{
	return value == NULL
		       ? headers
		       : curl_slist_append(headers,
					   str_z(arena, str_format(arena, "%s: %s", name, value)));
}

static CURLcode perform(CURL *curl, struct arena *arena, struct str url, struct str body,
			struct buf *out)
{
	curl_easy_setopt(curl, CURLOPT_URL, str_z(arena, url));
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, CALL_TIMEOUT_S);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
	if (!str_is_empty(body)) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.ptr);
	}
	return curl_easy_perform(curl);
}

enum err_kind browser_call(struct arena *arena, const struct browser_request *request,
			   struct browser_answer *answer_out, struct error *err)
{
	CURL *curl = curl_easy_init();
	if (curl == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for a call");
	struct buf out;
	long status = 0;
	const char *location = NULL;
	buf_init(&out, arena, ANSWER_MAX_BYTES);
	struct curl_slist *headers =
		add_header(arena, NULL, "Authorization", request->authorization);
	headers = add_header(arena, headers, "Content-Type", request->content_type);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	if (request->method != NULL)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
	CURLcode code = perform(curl, arena, request->url, request->body, &out);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &location);
	*answer_out = (struct browser_answer){(int)status, buf_str(&out),
					      str_copy(arena, str_of(location))};
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	if (code != CURLE_OK)
		return error_set_native(err, ERR_TEMPORARY, (int)code, "no answer: %s",
					curl_easy_strerror(code));
	return ERR_NONE;
}

const char *browser_basic(struct arena *arena, struct str user, struct str password)
{
	struct str pair = str_format(arena, STR_FMT ":" STR_FMT, STR_ARG(user), STR_ARG(password));
	return str_z(arena, str_concat(arena, STR("Basic "), base64_encode(arena, pair)));
}

/* ---- the form ---- */

/* The next tag of that name at or after *at; *at moves past it. */
static bool next_tag(struct str page, const char *name, size_t *at, struct str *tag_out)
{
	char open[16];
	snprintf(open, sizeof(open), "<%s ", name);
	size_t start = str_find(page, str_of(open), *at);
	size_t end = start == SIZE_MAX ? SIZE_MAX : str_find_char(page, '>', start);
	if (end == SIZE_MAX)
		return false;
	*tag_out = str_slice(page, start, end);
	*at = end;
	return true;
}

static struct str unescaped(struct arena *arena, struct str text)
{
	static const struct {
		const char *entity;
		char character;
	} entities[] = {
		{"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}};
	struct buf out;
	buf_init(&out, arena, URL_MAX_BYTES);
	while (!str_is_empty(text)) {
		size_t i = 0;
		while (i < COUNT_OF(entities) && !str_skip(&text, str_of(entities[i].entity)))
			i++;
		if (i < COUNT_OF(entities)) {
			buf_add_char(&out, entities[i].character);
			continue;
		}
		buf_add_char(&out, text.ptr[0]);
		text = str_slice(text, 1, text.len);
	}
	return buf_str(&out);
}

static struct str attribute(struct arena *arena, struct str tag, const char *name)
{
	struct str open = str_format(arena, " %s=\"", name);
	size_t start = str_find(tag, open, 0);
	if (start == SIZE_MAX)
		return STR("");
	start += open.len;
	return unescaped(arena, str_slice(tag, start, str_find_char(tag, '"', start)));
}

static bool goes_along(struct arena *arena, struct str tag)
{
	struct str type = attribute(arena, tag, "type");
	return str_equal(type, STR("hidden")) || str_find(tag, STR(" checked"), 0) != SIZE_MAX;
}

static bool has_button(struct arena *arena, struct str form, const char *name, const char *value)
{
	size_t at = 0;
	struct str tag;
	while (next_tag(form, "button", &at, &tag)) {
		if (str_equal_z(attribute(arena, tag, "name"), name) &&
		    str_equal_z(attribute(arena, tag, "value"), value))
			return true;
	}
	return false;
}

static struct str absolute(struct arena *arena, struct str page_url, struct str action)
{
	struct url url;
	if (!str_has_prefix(action, STR("/")) || url_parse(arena, page_url, &url, NULL) != ERR_NONE)
		return action;
	return str_concat(arena, url_origin(arena, &url), action);
}

bool browser_press(struct arena *arena, struct str page_url, struct str page, const char *name,
		   const char *value, struct str *url_out)
{
	size_t at = 0;
	struct str tag;
	struct buf query;
	if (!next_tag(page, "form", &at, &tag))
		return false;
	struct str form = str_slice(page, at, str_find(page, STR("</form>"), at));
	if (!has_button(arena, form, name, value))
		return false;
	struct str action = absolute(arena, page_url, attribute(arena, tag, "action"));
	buf_init(&query, arena, URL_MAX_BYTES);
	at = 0;
	while (next_tag(form, "input", &at, &tag)) {
		if (goes_along(arena, tag))
			form_add_str(&query, attribute(arena, tag, "name"),
				     attribute(arena, tag, "value"));
	}
	form_add(&query, name, str_of(value));
	*url_out =
		str_format(arena, STR_FMT "?" STR_FMT, STR_ARG(action), STR_ARG(buf_str(&query)));
	return true;
}
