/* SPDX-License-Identifier: Apache-2.0
 * Uploads in chunks. Their files have no name in the temporary directory: closing one frees its
 * space. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arena.h"
#include "str.h"

#include "probe.h"

#include "sandbox_core.h"

/* The open files, in a list: a reset must close them, which kept memory cannot do. */
struct upload_file {
	struct sandbox_upload *upload;
	struct upload_file *next;
};

static int open_nameless(const char *directory)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/upload-XXXXXX", directory);
	const int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

struct sandbox_upload *sandbox_upload_new(struct sandbox *sandbox, enum sandbox_platform platform,
					  struct str id, int64_t total_bytes)
{
	const int fd = open_nameless(sandbox->directory);
	if (fd < 0)
		return NULL;
	struct sandbox_upload *upload = sandbox_keep(sandbox, sizeof(*upload));
	struct upload_file *file = sandbox_keep(sandbox, sizeof(*file));
	*upload = (struct sandbox_upload){
		.id = sandbox_keep_str(sandbox, id),
		.total_bytes = total_bytes,
		.fd = fd,
	};
	*file = (struct upload_file){.upload = upload, .next = sandbox->uploads};
	sandbox->uploads = file;
	sandbox_object_put(sandbox, platform, "upload_file", id, upload);
	return upload;
}

struct sandbox_upload *sandbox_upload_find(struct sandbox *sandbox, enum sandbox_platform platform,
					   struct str id)
{
	return sandbox_object_get(sandbox, platform, "upload_file", id);
}

static bool write_at(int fd, struct str bytes, int64_t offset)
{
	for (size_t at = 0; at < bytes.len;) {
		const ssize_t n = pwrite(fd, bytes.ptr + at, bytes.len - at, offset + (int64_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

static int64_t sandbox_uploads_max_bytes(const struct sandbox *sandbox)
{
	return sandbox->world != NULL ? sandbox->world->bytes_max : SANDBOX_UPLOADS_MAX_BYTES;
}

bool sandbox_upload_write(struct sandbox *sandbox, struct sandbox_upload *upload, int64_t offset,
			  struct str bytes)
{
	int64_t end;
	if (upload->fd < 0 || offset < 0 ||
	    __builtin_add_overflow(offset, (int64_t)bytes.len, &end))
		return false;
	const int64_t growth = end > upload->received_bytes ? end - upload->received_bytes : 0;
	if (sandbox->uploads_bytes + growth > sandbox_uploads_max_bytes(sandbox) ||
	    !write_at(upload->fd, bytes, offset))
		return false;
	sandbox->uploads_bytes += growth;
	upload->received_bytes += growth;
	upload->written_bytes += (int64_t)bytes.len;
	return true;
}

static size_t read_at(int fd, char *out, size_t len, int64_t offset)
{
	size_t at = 0;
	while (at < len) {
		const ssize_t n = pread(fd, out + at, len - at, offset + (int64_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	return at;
}

static bool source_read(void *context, int64_t at, char *out, size_t len)
{
	return read_at(*(const int *)context, out, len, at) == len;
}

bool sandbox_upload_look(struct sandbox_call *call, enum sandbox_platform platform, struct str id,
			 struct sandbox_media *media_out)
{
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, platform, id);
	const int64_t len = upload != NULL ? upload->received_bytes : 0;
	/* A duplicate: a reset may close the upload's descriptor while we read without the lock. */
	int fd = upload != NULL && upload->fd >= 0 ? fcntl(upload->fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (fd < 0)
		return false;
	const bool is_whole = sandbox_media_look_fd(call, fd, len, media_out);
	/* The duration of a video may be at the end of the file. */
	media_out->sniff = probe_media(&(struct byte_source){len, source_read, &fd},
				       arena_alloc(call->arena, SNIFF_BYTES_WANTED));
	close(fd);
	return is_whole && sandbox_upload_find(call->sandbox, platform, id) != NULL;
}

bool sandbox_upload_read(const struct sandbox_upload *upload, int64_t offset, char *out, size_t len)
{
	return upload->fd >= 0 && read_at(upload->fd, out, len, offset) == len;
}

void sandbox_upload_discard(struct sandbox *sandbox, struct sandbox_upload *upload)
{
	if (upload == NULL || upload->fd < 0)
		return;
	close(upload->fd);
	upload->fd = -1;
	sandbox->uploads_bytes -= upload->received_bytes;
}

void sandbox_uploads_clear(struct sandbox *sandbox)
{
	for (struct upload_file *file = sandbox->uploads; file != NULL; file = file->next)
		sandbox_upload_discard(sandbox, file->upload);
	sandbox->uploads = NULL;
	sandbox->uploads_bytes = 0;
}
