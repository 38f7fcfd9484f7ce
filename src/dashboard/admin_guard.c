/* SPDX-License-Identifier: Apache-2.0
 * Admin API: backups, and deliveries held since a restore (store/store_guard.h). */
#include "admin_private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store_backup.h"
#include "store_guard.h"

#define PATH_MAX_BYTES 4000

static enum err_kind make_backup(struct admin *admin, const char *path, int64_t *size_bytes_out,
				 struct error *err)
{
	if (path == NULL)
		return error_set(err, ERR_INVALID, "there is no place for the copy");
	return store_backup(admin->config.store, path, clock_now_us(admin->config.clock),
			    size_bytes_out, err);
}

/* The copy has no name any more when its bytes go out. */
static void answer_file(struct admin *admin, const struct http_request *request,
			struct http_response *response, int64_t size_bytes)
{
	const char *path = admin->config.backup_path;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	if (fd < 0) {
		struct error err = {0};
		error_set_native(&err, ERR_TEMPORARY, errno, "cannot open %s", path);
		admin_respond_failure(response, ERR_TEMPORARY, &err, "backup");
		return;
	}
	http_response_file(response, request, "application/vnd.sqlite3", STR("\"backup\""), fd,
			   size_bytes);
}

static void answer_path(struct http_response *response, struct str path, int64_t size_bytes)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 201));
	json_begin_object(&w);
	json_member_str(&w, "path", path);
	json_member_int(&w, "bytes", size_bytes);
	json_end_object(&w);
}

void admin_backup(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	const struct json *body = admin_request_body(request, response, KNOWN("path"));
	const bool has_path = body != NULL && json_get(body, "path") != NULL;
	struct str path = STR("");
	int64_t size_bytes = 0;
	struct error err = {0};
	if (body == NULL ||
	    (has_path && !admin_request_text(response, body, "path", PATH_MAX_BYTES, &path)))
		return;
	const enum err_kind kind = make_backup(
		admin, has_path ? str_z(request->arena, path) : admin->config.backup_path,
		&size_bytes, &err);
	if (kind == ERR_CONFLICT) {
		admin_respond_error(response, 409, "CONFLICT",
				    str_copy(response->arena, str_of(err.text)));
		return;
	}
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "backup");
		return;
	}
	LOG(admin->config.log, INFO, "backup_made", log_str("path", path),
	    log_int("bytes", size_bytes));
	if (has_path)
		answer_path(response, path, size_bytes);
	else
		answer_file(admin, request, response, size_bytes);
}

static void write_counts(struct json_writer *w, const int64_t *of_state)
{
	json_member_int(w, "asking", of_state[HOLD_ASKING]);
	json_member_int(w, "held", of_state[HOLD_HELD]);
	json_member_int(w, "adopted", of_state[HOLD_ADOPTED]);
}

static void write_platforms(struct json_writer *w, const struct hold_counts *counts)
{
	json_key(w, "platforms");
	json_begin_object(w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const int64_t *of_state = counts->of[id];
		if (of_state[HOLD_ASKING] + of_state[HOLD_HELD] + of_state[HOLD_ADOPTED] == 0)
			continue;
		json_key(w, platform_id_slug((enum platform_id)id));
		json_begin_object(w);
		write_counts(w, of_state);
		json_end_object(w);
	}
	json_end_object(w);
}

void admin_hold_show(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct hold_counts counts;
	struct error err = {0};
	(void)request;
	const enum err_kind kind = store_hold_counts(admin->config.store, &counts, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "hold");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	write_counts(&w, counts.of[PLATFORM_NONE]);
	json_member_int(&w, "set_aside",
			counts.of[PLATFORM_NONE][HOLD_SET_ASIDE] +
				counts.of[PLATFORM_NONE][HOLD_POISONED]);
	write_platforms(&w, &counts);
	json_end_object(&w);
}

typedef enum err_kind (*let_go)(struct store *store, enum platform_id platform, int64_t now_us,
				int64_t *count_out, struct error *err);

/* {"platform"} names one platform; without it all are meant. */
static void decide(struct admin *admin, struct http_request *request,
		   struct http_response *response, let_go verb, const char *word)
{
	const struct json *body = admin_request_body(request, response, KNOWN("platform"));
	if (body == NULL)
		return;
	const struct json *wanted = json_get(body, "platform");
	const enum platform_id platform = platform_id_of_slug(json_string(wanted));
	int64_t count = 0;
	int64_t asking_count = 0;
	struct error err = {0};
	if (wanted != NULL && platform == PLATFORM_NONE) {
		admin_respond_error(response, 404, "PLATFORM_NOT_FOUND",
				    STR("This platform is not supported."));
		return;
	}
	enum err_kind kind = verb(admin->config.store, platform, clock_now_us(admin->config.clock),
				  &count, &err);
	if (kind == ERR_NONE)
		kind = store_hold_count(admin->config.store, HOLD_ASKING, &asking_count, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "hold");
		return;
	}
	LOG(admin->config.log, INFO, "hold_decided", log_str("decision", str_of(word)),
	    log_int("deliveries", count));
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_int(&w, word, count);
	json_member_int(&w, "asking", asking_count);
	json_end_object(&w);
}

void admin_hold_release(void *context, struct http_request *request, struct http_response *response)
{
	decide(context, request, response, store_hold_release, "released");
}

void admin_hold_fail(void *context, struct http_request *request, struct http_response *response)
{
	decide(context, request, response, store_hold_condemn, "failed");
}
