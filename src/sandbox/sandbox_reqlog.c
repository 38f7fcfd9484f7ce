/* SPDX-License-Identifier: Apache-2.0
 * The request log: a ring of JSON texts, bounded in count and bytes. The oldest go first. */
#include <stdlib.h>

#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "base64.h"
#include "hex.h"
#include "json_write.h"
#include "utf8.h"

#include "sandbox_redact.h"

#include "sandbox_core.h"

static void write_body(struct arena *arena, struct json_writer *w,
		       const struct http_request *request, struct str body)
{
	const struct str *type = http_request_header(request, "content-type");
	struct str shown;
	if (body.len <= REQLOG_BODY_MAX_BYTES &&
	    sandbox_redact_body(arena, type != NULL ? *type : (struct str){0}, body, &shown)) {
		if (utf8_is_valid(shown))
			json_member_str(w, "body", shown);
		else
			json_member_str(w, "body_base64", base64_encode(arena, shown));
		return;
	}
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256(digest, (const unsigned char *)body.ptr, body.len);
	json_member_str(w, "body_sha256",
			hex_encode(arena, (struct str){(const char *)digest, sizeof(digest)}));
	json_member_int(w, "body_bytes", (int64_t)body.len);
}

/* A header that came more than once is shown once, its values joined by ", ". */
static void write_headers(struct arena *arena, struct json_writer *w,
			  const struct http_request *request)
{
	json_key(w, "headers");
	json_begin_object(w);
	for (size_t i = 0; i < request->header_count; i++) {
		const struct str name = str_lower(arena, request->headers[i].name);
		struct str value = sandbox_redact_header(arena, name, request->headers[i].value);
		bool is_repeat = false;
		for (size_t j = 0; j < i; j++)
			is_repeat = is_repeat || str_equal_nocase(request->headers[j].name, name);
		if (is_repeat)
			continue;
		for (size_t j = i + 1; j < request->header_count; j++) {
			if (str_equal_nocase(request->headers[j].name, name))
				value = str_format(
					arena, STR_FMT ", " STR_FMT, STR_ARG(value),
					STR_ARG(sandbox_redact_header(arena, name,
								      request->headers[j].value)));
		}
		json_key_str(w, name);
		json_put_str(w, value);
	}
	json_end_object(w);
}

static struct str shown_path(struct arena *arena, struct str path, struct str query)
{
	if (query.ptr == NULL || query.len == 0)
		return path;
	return str_format(arena, STR_FMT "?" STR_FMT, STR_ARG(path),
			  STR_ARG(sandbox_redact_form(arena, query)));
}

struct str sandbox_reqlog_format(struct arena *arena, const struct http_request *request,
				 struct str body, int64_t at_us)
{
	struct str path = request->path;
	str_skip(&path, STR("/"));
	struct str host = {0};
	if (str_take_until(&path, '/', &host) == false) {
		host = path;
		path = STR("/");
	}
	struct buf out;
	buf_init(&out, arena, 2 << 20);
	struct json_writer w;
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_instant(&w, "at", at_us);
	json_member_str(&w, "method", request->is_head ? STR("HEAD") : request->method);
	json_member_str(&w, "host", host);
	json_member_str(&w, "path", shown_path(arena, path, request->query_text));
	write_headers(arena, &w, request);
	write_body(arena, &w, request, body);
	return out.is_over ? STR("{\"body\":null") : buf_str(&out);
}

static struct reqlog_entry *entry_at(const struct reqlog *log, uint64_t number)
{
	return &log->ring[number % REQLOG_ENTRIES_MAX];
}

static void drop_oldest(struct reqlog *log)
{
	struct reqlog_entry *entry = entry_at(log, log->first);
	log->bytes -= entry->len;
	free(entry->json);
	*entry = (struct reqlog_entry){0};
	log->first++;
}

static size_t bytes_max(const struct reqlog *log)
{
	return log->bytes_max > 0 ? log->bytes_max : REQLOG_BYTES_MAX;
}

uint64_t sandbox_reqlog_add(struct reqlog *log, struct str json, int64_t at_us)
{
	const uint64_t number = log->next;
	char *copy = malloc(json.len + 1);
	if (log->ring == NULL)
		log->ring = calloc(REQLOG_ENTRIES_MAX, sizeof(*log->ring));
	if (copy == NULL || log->ring == NULL)
		abort();
	memcpy(copy, json.ptr, json.len);
	while (log->first < log->next && (log->next - log->first >= REQLOG_ENTRIES_MAX ||
					  log->bytes + json.len > bytes_max(log)))
		drop_oldest(log);
	*entry_at(log, number) =
		(struct reqlog_entry){.json = copy, .len = json.len, .at_us = at_us};
	log->bytes += json.len;
	log->next++;
	return number;
}

void sandbox_reqlog_set_status(struct reqlog *log, uint64_t number, int status)
{
	if (number >= log->first && number < log->next)
		entry_at(log, number)->status = status;
}

void sandbox_reqlog_write(const struct reqlog *log, struct buf *out)
{
	buf_add_z(out, "{\"requests\":[");
	for (uint64_t n = log->first; n < log->next; n++) {
		const struct reqlog_entry *entry = entry_at(log, n);
		if (n > log->first)
			buf_add_char(out, ',');
		buf_add(out, (struct str){entry->json, entry->len});
		buf_add_z(out, ",\"status\":");
		buf_add_i64(out, entry->status);
		buf_add_char(out, '}');
	}
	buf_add_z(out, "]}");
}

void sandbox_reqlog_clear(struct reqlog *log)
{
	while (log->first < log->next)
		drop_oldest(log);
	free(log->ring);
	*log = (struct reqlog){0};
}
