/* SPDX-License-Identifier: Apache-2.0
 * Admin API: seals again, under the master key, what old keys sealed. One call does a bounded part
 * and says where the next one goes on, so that it may stop anywhere, and the service works on. */
#include "admin_private.h"

#include "seal.h"

#include "store_reseal.h"

#define PAGE_ROWS 100
#define PAGES_OF_CALL 50
#define PAGE_ARENA_BYTES ((size_t)64 << 20)
#define ID_MAX_BYTES 128

struct resealing {
	struct admin *admin;
	struct arena *arena; /* the request's */
	struct sealed_cursor cursor;
	int64_t resealed;
	int64_t unreadable;
	struct sealed_count *counts; /* once the walk has ended */
	size_t count;
};

static bool has_ended(const struct resealing *r)
{
	return store_sealed_column(r->cursor.column) == NULL;
}

/* What cannot be opened stays as it is: a key that is missing may be found. */
static void seal_again(struct resealing *r, struct arena *arena, struct sealed_record *record)
{
	const struct admin_config *config = &r->admin->config;
	const struct sealed_column *column = store_sealed_column(record->column);
	const struct seal_place place = {str_of(column->sealed_table), str_of(column->sealed_name),
					 record->row_id};
	struct str secret;
	struct error why = {0};
	if (seal_open_secret(config->seal, arena, &place, record->sealed, &secret, &why) ==
	    ERR_NONE) {
		record->again = seal_secret(config->seal, arena, &place, secret, config->random);
		return;
	}
	r->unreadable++;
	LOG(config->log, WARN, "record_not_resealed", log_str("table", str_of(column->table)),
	    log_str("column", str_of(column->name)), log_str("row", record->row_id),
	    log_str("error", str_of(why.text)));
}

static enum err_kind reseal_page(struct resealing *r, struct arena *arena, struct error *err)
{
	const struct admin_config *config = &r->admin->config;
	struct sealed_record *records = NULL;
	size_t count = 0;
	int64_t replaced = 0;
	struct sealed_cursor next = r->cursor;
	enum err_kind kind = store_sealed_list(config->store, arena, seal_record_head(config->seal),
					       PAGE_ROWS, &next, &records, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		seal_again(r, arena, &records[i]);
	if (kind == ERR_NONE && count > 0)
		kind = store_sealed_replace(config->store, records, count, &replaced, err);
	if (kind != ERR_NONE)
		return kind;
	r->resealed += replaced;
	r->cursor = next;
	r->cursor.id = str_copy(r->arena, next.id);
	return ERR_NONE;
}

static enum err_kind reseal(struct resealing *r, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (int page = 0; page < PAGES_OF_CALL && kind == ERR_NONE && !has_ended(r); page++) {
		struct arena *arena = arena_new("reseal", PAGE_ARENA_BYTES);
		kind = reseal_page(r, arena, err);
		arena_free(&arena);
	}
	if (kind != ERR_NONE || !has_ended(r))
		return kind;
	return store_sealed_count(r->admin->config.store, r->arena, &r->counts, &r->count, err);
}

/* ---- the answer ---- */

static void write_next(struct json_writer *w, const struct resealing *r)
{
	json_key(w, "next");
	if (has_ended(r)) {
		json_put_null(w);
		return;
	}
	json_begin_object(w);
	json_member_int(w, "column", (int64_t)r->cursor.column);
	json_member_str(w, "id", r->cursor.id);
	json_member_int(w, "platform", r->cursor.platform);
	json_end_object(w);
}

/* Which keys sealed how many records; empty until the walk has ended. */
static void write_keys(struct json_writer *w, const struct resealing *r)
{
	json_key(w, "keys");
	json_begin_array(w);
	for (size_t i = 0; i < r->count; i++) {
		const int64_t number = seal_key_number_of_record(r->counts[i].head);
		char name[9] = "";
		if (number != 0)
			seal_key_name_of_number(number, name);
		json_begin_object(w);
		json_member_str(w, "key", str_of(name));
		json_member_bool(w, "master", number == seal_key_number(r->admin->config.seal));
		json_member_int(w, "records", r->counts[i].records);
		json_end_object(w);
	}
	json_end_array(w);
}

/* Where the call before ended; an empty body begins. False: answered 422. */
static bool read_cursor(struct http_response *response, const struct json *body,
			struct sealed_cursor *out)
{
	out->column = (size_t)json_int(json_get(body, "column"), 0);
	out->platform = json_int(json_get(body, "platform"), 0);
	if (json_is_null(json_get(body, "id")) || str_is_empty(json_string(json_get(body, "id"))))
		return true;
	return admin_request_text(response, body, "id", ID_MAX_BYTES, &out->id);
}

void admin_reseal(void *context, struct http_request *request, struct http_response *response)
{
	struct resealing r = {.admin = context, .arena = request->arena};
	const struct json *body =
		admin_request_body(request, response, KNOWN("column", "id", "platform"));
	struct error err = {0};
	struct json_writer w;
	if (body == NULL || !read_cursor(response, body, &r.cursor))
		return;
	const enum err_kind kind = reseal(&r, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "secret");
		return;
	}
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_int(&w, "resealed", r.resealed);
	json_member_int(&w, "unreadable", r.unreadable);
	write_next(&w, &r);
	write_keys(&w, &r);
	json_end_object(&w);
	if (r.resealed > 0)
		LOG(r.admin->config.log, INFO, "records_resealed", log_int("records", r.resealed));
}
