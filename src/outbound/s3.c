/* SPDX-License-Identifier: Apache-2.0
 * See s3.h. libcurl 7.88 signs what it is given: the hash of the body goes along as a header, and
 * the query's names are in their order (its own sorting came later). */
#include "s3.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "timetext.h"

#include "form.h"

#define ARENA_BYTES ((size_t)64 << 10)
#define CALL_ARENA_BYTES ((size_t)1 << 20)
#define REFUSAL_MAX_BYTES ((size_t)64 << 10)
#define ANSWER_MAX_BYTES ((size_t)2 << 20) /* a page of 1,000 names */
#define CONNECT_TIMEOUT_MS 5000
#define LOW_SPEED_BYTES_S 1024
#define LOW_SPEED_SECONDS 30
#define HASH_BYTES 65536
#define QUERY_MAX_BYTES ((size_t)8 << 10)
#define REGION_DEFAULT "us-east-1"

struct s3 {
	struct arena *arena; /* it lies in it */
	const char *base;    /* ENDPOINT/BUCKET */
	struct str folder;   /* "" or "FOLDER/" */
	const char *signing; /* "aws:amz:REGION:s3" */
	const char *keys;    /* ID:SECRET */
	struct str session_token;
};

/* ---- the address ---- */

static bool has_only(struct str text, const char *more)
{
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];
		const bool is_plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (!is_plain && strchr(more, c) == NULL)
			return false;
	}
	return true;
}

static struct str option(const struct form *form, const char *name, const char *fallback)
{
	const struct str *value = form_find(form, name);
	return value != NULL ? *value : str_of(fallback);
}

static enum err_kind read_url(struct s3 *s3, struct str url, struct error *err)
{
	struct str bucket = {0};
	struct form form = {0};
	if (!str_skip(&url, STR(S3_SCHEME)))
		return error_set(err, ERR_INVALID, "it must begin with " S3_SCHEME);
	const size_t query = str_find_char(url, '?', 0);
	if (query < url.len)
		form_parse(s3->arena, str_slice(url, query + 1, url.len), 0, &form, NULL);
	struct str folder = str_slice(url, 0, query);
	str_take_field(&folder, '/', &bucket);
	const struct str region = option(&form, "region", REGION_DEFAULT);
	const struct str usual =
		str_format(s3->arena, "https://s3." STR_FMT ".amazonaws.com", STR_ARG(region));
	struct str endpoint = option(&form, "endpoint", "");
	if (str_is_empty(endpoint))
		endpoint = usual;
	while (str_has_suffix(endpoint, STR("/")))
		endpoint.len--;
	while (str_has_suffix(folder, STR("/")))
		folder.len--;
	if (bucket.len < 3 || !has_only(bucket, ".-_") || !has_only(folder, ".-_/"))
		return error_set(err, ERR_INVALID,
				 "write it as s3://BUCKET/FOLDER; the names may have letters, "
				 "digits, dots, dashes and underscores");
	if (str_is_empty(region) || !has_only(region, "-"))
		return error_set(err, ERR_INVALID,
				 "the region must be a name such as eu-central-1");
	if ((!str_has_prefix(endpoint, STR("https://")) &&
	     !str_has_prefix(endpoint, STR("http://"))) ||
	    !has_only(endpoint, ".-_/:[]"))
		return error_set(err, ERR_INVALID,
				 "the endpoint must be an address such as https://s3.example.com");
	s3->base = str_z(s3->arena, str_format(s3->arena, STR_FMT "/" STR_FMT, STR_ARG(endpoint),
					       STR_ARG(bucket)));
	s3->folder = folder.len > 0 ? str_concat(s3->arena, folder, STR("/")) : STR("");
	s3->signing =
		str_z(s3->arena, str_format(s3->arena, "aws:amz:" STR_FMT ":s3", STR_ARG(region)));
	return ERR_NONE;
}

enum err_kind s3_open(const char *url, const struct s3_keys *keys, struct s3 **s3_out,
		      struct error *err)
{
	struct arena *arena = arena_new("object store", ARENA_BYTES);
	struct s3 *s3 = ARENA_NEW(arena, struct s3);
	s3->arena = arena;
	s3->session_token = str_copy(arena, keys->session_token);
	s3->keys = str_z(arena, str_format(arena, STR_FMT ":" STR_FMT, STR_ARG(keys->id),
					   STR_ARG(keys->secret)));
	enum err_kind kind = read_url(s3, str_copy(arena, str_of(url)), err);
	if (kind == ERR_NONE && (str_is_empty(keys->id) || str_is_empty(keys->secret)))
		kind = error_set(err, ERR_INVALID, "there is no access key for it");
	if (kind != ERR_NONE)
		arena_free(&arena);
	else
		*s3_out = s3;
	return kind;
}

void s3_free(struct s3 **s3_pointer)
{
	if (*s3_pointer == NULL)
		return;
	struct arena *arena = (*s3_pointer)->arena;
	*s3_pointer = NULL;
	arena_free(&arena);
}

/* ---- one call ---- */

struct s3_call {
	const struct s3 *s3;
	struct arena *arena;
	CURL *easy;
	struct curl_slist *headers;
	char error_text[CURL_ERROR_SIZE];
	struct s3_range out; /* PUT: what is left of it */
	int in;              /* GET: where to; -1 = into answer */
	bool is_disk_full;
	struct buf answer;
	long status;
};

static size_t send_more(char *to, size_t size, size_t count, void *context)
{
	struct s3_call *call = context;
	const size_t room = size * count;
	const size_t want =
		call->out.size_bytes < (int64_t)room ? (size_t)call->out.size_bytes : room;
	const ssize_t got =
		want == 0 ? 0 : pread(call->out.fd, to, want, (off_t)call->out.offset_bytes);
	if (got < 0 || (got == 0 && want > 0))
		return CURL_READFUNC_ABORT;
	call->out.offset_bytes += got;
	call->out.size_bytes -= got;
	return (size_t)got;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t count = write(fd, bytes, len);
		if (count < 0)
			return false;
		bytes += count;
		len -= (size_t)count;
	}
	return true;
}

/* What a refusal says is an answer too, and no object. */
static size_t take_more(char *bytes, size_t size, size_t count, void *context)
{
	struct s3_call *call = context;
	const size_t len = size * count;
	long status = 0;
	curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
	if (call->in >= 0 && status == 200) {
		call->is_disk_full = !write_all(call->in, bytes, len);
		return call->is_disk_full ? 0 : len;
	}
	buf_add(&call->answer, (struct str){bytes, len});
	return call->answer.is_over ? 0 : len;
}

static void add_header(struct s3_call *call, const char *name, struct str value)
{
	const char *line =
		str_z(call->arena, str_format(call->arena, "%s: " STR_FMT, name, STR_ARG(value)));
	struct curl_slist *more = curl_slist_append(call->headers, line);
	if (more == NULL)
		abort(); /* the same rule as arena_alloc */
	call->headers = more;
}

static void set_common(struct s3_call *call, const char *url)
{
	CURL *easy = call->easy;
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, call->s3->signing);
	curl_easy_setopt(easy, CURLOPT_USERPWD, call->s3->keys);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, (long)LOW_SPEED_BYTES_S);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)LOW_SPEED_SECONDS);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->error_text);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_more);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
}

static void set_method(struct s3_call *call, const char *method)
{
	if (strcmp(method, "PUT") == 0) {
		curl_easy_setopt(call->easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(call->easy, CURLOPT_READFUNCTION, send_more);
		curl_easy_setopt(call->easy, CURLOPT_READDATA, call);
		curl_easy_setopt(call->easy, CURLOPT_INFILESIZE_LARGE,
				 (curl_off_t)call->out.size_bytes);
	} else if (strcmp(method, "GET") != 0) {
		curl_easy_setopt(call->easy, CURLOPT_CUSTOMREQUEST, method);
	}
}

/* "<Code>SignatureDoesNotMatch</Code>" */
static struct str element(struct str xml, const char *begin, const char *end)
{
	const size_t at = str_find(xml, str_of(begin), 0);
	if (at >= xml.len)
		return STR("");
	const size_t from = at + strlen(begin);
	return str_slice(xml, from, str_find(xml, str_of(end), from));
}

static enum err_kind judge(struct s3_call *call, CURLcode code, struct error *err)
{
	if (call->is_disk_full)
		return error_set_native(err, ERR_TEMPORARY, errno,
					"a file of the media store cannot be written to the disk");
	if (code != CURLE_OK)
		return error_set(err, ERR_TEMPORARY, "the media store cannot be reached: %s",
				 call->error_text[0] != '\0' ? call->error_text
							     : curl_easy_strerror(code));
	if (call->status >= 200 && call->status <= 299)
		return ERR_NONE;
	const struct str why = element(buf_str(&call->answer), "<Code>", "</Code>");
	const enum err_kind kind = call->status == 404                          ? ERR_NOT_FOUND
				   : call->status >= 400 && call->status <= 403 ? ERR_FORBIDDEN
										: ERR_TEMPORARY;
	return error_set(err, kind, "the media store answers with status %ld%s" STR_FMT,
			 call->status, str_is_empty(why) ? "" : " ", STR_ARG(why));
}

/* hash: of the body. query: its names in their order. */
struct s3_wish {
	const char *method;
	struct str name;
	struct str query;
	const char *hash;
};

static enum err_kind run(struct s3_call *call, const struct s3_wish *wish, struct error *err)
{
	const struct s3 *s3 = call->s3;
	const char *url = str_z(
		call->arena, str_format(call->arena, "%s%s" STR_FMT STR_FMT "%s" STR_FMT, s3->base,
					str_is_empty(wish->name) ? "" : "/",
					STR_ARG(str_is_empty(wish->name) ? STR("") : s3->folder),
					STR_ARG(wish->name), str_is_empty(wish->query) ? "" : "?",
					STR_ARG(wish->query)));
	call->easy = curl_easy_init();
	if (call->easy == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for a call to the media store");
	add_header(call, "x-amz-content-sha256", str_of(wish->hash));
	if (!str_is_empty(s3->session_token))
		add_header(call, "x-amz-security-token", s3->session_token);
	add_header(call, "Expect", STR(""));
	buf_init(&call->answer, call->arena,
		 str_is_empty(wish->query) ? REFUSAL_MAX_BYTES : ANSWER_MAX_BYTES);
	set_common(call, url);
	set_method(call, wish->method);
	const CURLcode code = curl_easy_perform(call->easy);
	curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &call->status);
	const enum err_kind kind = judge(call, code, err);
	curl_easy_cleanup(call->easy);
	curl_slist_free_all(call->headers);
	return kind;
}

static void empty_hash(char hex[65])
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256(hash, (const unsigned char *)"", 0);
	sodium_bin2hex(hex, 65, hash, sizeof(hash));
}

/* ---- the verbs ---- */

static bool hash_range(const struct s3_range *range, char hex[65])
{
	char chunk[HASH_BYTES];
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	int64_t left = range->size_bytes;
	int64_t at = range->offset_bytes;
	crypto_hash_sha256_init(&state);
	while (left > 0) {
		const size_t want = left < HASH_BYTES ? (size_t)left : HASH_BYTES;
		const ssize_t count = pread(range->fd, chunk, want, (off_t)at);
		if (count <= 0)
			return false;
		crypto_hash_sha256_update(&state, (const unsigned char *)chunk, (size_t)count);
		at += count;
		left -= count;
	}
	crypto_hash_sha256_final(&state, hash);
	sodium_bin2hex(hex, 65, hash, sizeof(hash));
	return true;
}

enum err_kind s3_put(struct s3 *s3, struct str name, const struct s3_range *bytes,
		     struct error *err)
{
	char hash[65];
	if (!hash_range(bytes, hash))
		return error_set_native(err, ERR_TEMPORARY, errno, "an upload cannot be read");
	struct s3_call call = {.s3 = s3, .in = -1, .out = *bytes};
	const struct s3_wish wish = {.method = "PUT", .name = name, .hash = hash};
	call.arena = arena_new("object store call", CALL_ARENA_BYTES);
	const enum err_kind kind = run(&call, &wish, err);
	arena_free(&call.arena);
	return kind;
}

static enum err_kind call_plainly(struct s3 *s3, const char *method, struct str name, int in,
				  struct error *err)
{
	char hash[65];
	struct s3_call call = {.s3 = s3, .in = in};
	const struct s3_wish wish = {.method = method, .name = name, .hash = hash};
	empty_hash(hash);
	call.arena = arena_new("object store call", CALL_ARENA_BYTES);
	const enum err_kind kind = run(&call, &wish, err);
	arena_free(&call.arena);
	return kind;
}

enum err_kind s3_get(struct s3 *s3, struct str name, int fd, struct error *err)
{
	return call_plainly(s3, "GET", name, fd, err);
}

enum err_kind s3_remove(struct s3 *s3, struct str name, struct error *err)
{
	const enum err_kind kind = call_plainly(s3, "DELETE", name, -1, err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

/* ---- listing ---- */

static size_t count_of_text(struct str text, struct str what)
{
	size_t count = 0;
	for (size_t at = 0; (at = str_find(text, what, at)) < text.len; at += what.len)
		count++;
	return count;
}

static void read_object(const struct s3 *s3, struct arena *arena, struct str contents,
			struct s3_object *object_out)
{
	struct str name = element(contents, "<Key>", "</Key>");
	int64_t at_us = 0;
	(void)str_skip(&name, s3->folder);
	(void)timetext_parse_instant(element(contents, "<LastModified>", "</LastModified>"),
				     &at_us);
	*object_out = (struct s3_object){str_copy(arena, name), at_us};
}

static struct s3_object *read_objects(const struct s3 *s3, struct arena *arena, struct str xml,
				      size_t *count_out)
{
	static const char begin[] = "<Contents>";
	struct s3_object *objects =
		ARENA_ARRAY(arena, struct s3_object, count_of_text(xml, str_of(begin)));
	size_t count = 0;
	for (size_t at = 0; (at = str_find(xml, str_of(begin), at)) < xml.len;) {
		const size_t end = str_find(xml, STR("</Contents>"), at);
		read_object(s3, arena, str_slice(xml, at, end), &objects[count++]);
		at += strlen(begin);
	}
	*count_out = count;
	return objects;
}

/* Its names in their order. */
static struct str list_query(struct arena *arena, struct str prefix, struct str after)
{
	struct buf query;
	buf_init(&query, arena, QUERY_MAX_BYTES);
	form_add(&query, "list-type", STR("2"));
	form_add(&query, "prefix", prefix);
	if (!str_is_empty(after))
		form_add(&query, "start-after", after);
	return buf_str(&query);
}

enum err_kind s3_list(struct s3 *s3, struct arena *arena, struct str prefix, struct str after,
		      struct s3_object **out, size_t *count_out, struct error *err)
{
	char hash[65];
	struct s3_call call = {.s3 = s3, .in = -1};
	call.arena = arena_new("object store call", 3 * ANSWER_MAX_BYTES);
	const struct str whole = str_concat(call.arena, s3->folder, prefix);
	const struct str from =
		str_is_empty(after) ? STR("") : str_concat(call.arena, s3->folder, after);
	const struct s3_wish wish = {
		.method = "GET", .query = list_query(call.arena, whole, from), .hash = hash};
	empty_hash(hash);
	const enum err_kind kind = run(&call, &wish, err);
	if (kind == ERR_NONE)
		*out = read_objects(s3, arena, buf_str(&call.answer), count_out);
	arena_free(&call.arena);
	return kind;
}

enum err_kind s3_check(struct s3 *s3, struct error *err)
{
	struct arena *arena = arena_new("object store check", CALL_ARENA_BYTES);
	struct s3_object *objects = NULL;
	size_t count = 0;
	const enum err_kind kind = s3_list(s3, arena, STR("-"), STR(""), &objects, &count, err);
	arena_free(&arena);
	return kind;
}
