/* SPDX-License-Identifier: Apache-2.0
 * Where uploaded files are: a directory, or a bucket with a directory of this node's own beside it.
 * The bucket's key comes from a file or from the environment, never from the command line. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"

#include "spool.h"
#include "s3.h"

#include "media_upload.h"

#include "jobs.h"
#include "service_private.h"

#define KEY_FILE_MAX_BYTES 4096

/* ---- the bucket's key ---- */

static struct str of_environment(const char *name)
{
	const char *text = getenv(name);
	return text != NULL ? str_of(text) : STR("");
}

static struct str next_line(struct str *text)
{
	struct str line = STR("");
	(void)str_take_field(text, '\n', &line);
	return str_trim(line);
}

static enum err_kind read_key_file(const char *path, char text[KEY_FILE_MAX_BYTES],
				   struct s3_keys *keys_out, struct error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t count = fd >= 0 ? read(fd, text, KEY_FILE_MAX_BYTES - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (count < 0)
		return error_set_native(err, ERR_INVALID, errno,
					"media-store-key-file: %s cannot be read: %s", path,
					strerror(errno));
	struct str rest = {text, (size_t)count};
	keys_out->id = next_line(&rest);
	keys_out->secret = next_line(&rest);
	if (str_is_empty(keys_out->id) || str_is_empty(keys_out->secret))
		return error_set(err, ERR_INVALID,
				 "media-store-key-file: %s must have the access key's id on its "
				 "first line and its secret on the second",
				 path);
	return ERR_NONE;
}

static enum err_kind read_keys(const struct settings *settings, char text[KEY_FILE_MAX_BYTES],
			       struct s3_keys *keys_out, struct error *err)
{
	const char *path = settings_text(settings, SETTING_ID_media_store_key_file);
	if (path[0] != '\0')
		return read_key_file(path, text, keys_out, err);
	*keys_out = (struct s3_keys){of_environment("AWS_ACCESS_KEY_ID"),
				     of_environment("AWS_SECRET_ACCESS_KEY"),
				     of_environment("AWS_SESSION_TOKEN")};
	if (str_is_empty(keys_out->id) || str_is_empty(keys_out->secret))
		return error_set(err, ERR_INVALID,
				 "media-store: an s3:// store needs an access key. Set "
				 "media-store-key-file, or AWS_ACCESS_KEY_ID and "
				 "AWS_SECRET_ACCESS_KEY in the environment");
	return ERR_NONE;
}

/* ---- the bucket ---- */

/* One that cannot be reached may come back; one that refuses us is a mistake. */
static enum err_kind check(struct service *service, struct error *err)
{
	struct error why = {0};
	const enum err_kind kind = s3_check(service->media_bucket, &why);
	if (kind == ERR_NOT_FOUND || kind == ERR_FORBIDDEN)
		return error_set(err, ERR_INVALID, "media-store: %s", why.text);
	if (kind != ERR_NONE)
		LOG(&service->log, WARN, "media_store_unreachable",
		    log_str("error", str_of(why.text)),
		    log_str("meaning", STR("uploads are refused until it answers")));
	return ERR_NONE;
}

static enum err_kind open_bucket(struct service *service, const char *url, struct error *err)
{
	char text[KEY_FILE_MAX_BYTES];
	struct s3_keys keys = {0};
	struct error why = {0};
	enum err_kind kind = read_keys(service->settings, text, &keys, err);
	if (kind == ERR_NONE && s3_open(url, &keys, &service->media_bucket, &why) != ERR_NONE)
		kind = error_set(err, ERR_INVALID, "media-store: %s", why.text);
	explicit_bzero(text, sizeof(text));
	return kind == ERR_NONE ? check(service, err) : kind;
}

/* ---- the store ---- */

static void use_of_spool(void *context, struct str app_id, int64_t *bytes_out, int64_t *files_out)
{
	const struct service *service = context;
	spool_share_use(service->spool, app_id, bytes_out, files_out);
}

static enum err_kind open_uploads(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	const struct media_uploads_config config = {
		.store = service->store,
		.files = &service->media_files,
		.clock = store_clock(service->store),
		.random = random_system(),
		.probe = settings->spawner != NULL ? jobs_probe_media : jobs_probe_here,
		.probe_context = service,
		.other_use = use_of_spool,
		.other_context = service,
		.step = service->crash_point.name[0] != '\0' ? crash_point_pass : NULL,
		.step_context = &service->crash_point,
		.keep_us = settings_number(settings, SETTING_ID_media_keep) * US_PER_S /
			   settings_number(settings, SETTING_ID_time_scale),
	};
	service->uploads = media_uploads_new(&config);
	return service->uploads != NULL ? ERR_NONE
					: error_set(err, ERR_INTERNAL, "no memory for uploads");
}

enum err_kind media_store_open(struct service *service, struct error *err)
{
	const char *given = settings_text(service->settings, SETTING_ID_media_store);
	const bool is_bucket = str_has_prefix(str_of(given), STR(S3_SCHEME));
	const bool is_own = is_bucket || given[0] == '\0';
	char *directory =
		str_z(service->arena, str_of(is_own ? service_path(service, "media") : given));
	enum err_kind kind = is_bucket ? open_bucket(service, given, err) : ERR_NONE;
	if (kind == ERR_NONE)
		kind = media_files_init(&service->media_files, directory, service->media_bucket,
					err);
	return kind == ERR_NONE ? open_uploads(service, err) : kind;
}

void media_store_close(struct service *service)
{
	media_uploads_free(&service->uploads);
	s3_free(&service->media_bucket);
}
