/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes what a spool finds on the disk when it starts (outbound/spool.h, spool_cut.c): whatever
 * stands in a mark or a digest, a fetch goes on from bytes that are there or begins anew; what it
 * asks the server with is one header line; a file is known by its bytes alone; and what is counted
 * is what is on the disk.
 * The input is a byte of flags, two for the length of the cut file, and the text of the mark. */
#include "spool_private.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"

#include "save.h"

#include "remove_tree.h"

#define KEY STR("0193a000-0000-7000-8000-00000000000a-0")
#define URL STR("https://media.example/a.jpg")
#define HEAD_BYTES 3
#define FLAG_HEAD 1   /* the mark begins as ours do */
#define FLAG_DIGEST 2 /* the text is a digest, of a whole file */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char directory[] = "/tmp/fuzz-spool-XXXXXX";

static void tidy(void)
{
	remove_tree(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	assert(mkdtemp(directory) != NULL);
	atexit(tidy);
	return 0;
}

static struct spool *open_spool(void)
{
	const struct spool_config config = {.directory = directory, .budget_bytes = 1 << 20};
	struct spool *spool = NULL;
	assert(spool_open(&config, &spool, NULL) == ERR_NONE);
	return spool;
}

/* size_bytes of a picture's beginning and zeros. */
static void write_bytes(const char *path, struct arena *arena, size_t size_bytes)
{
	char *bytes = arena_alloc(arena, size_bytes + 8);
	memset(bytes, 0, size_bytes + 8);
	memcpy(bytes, "GIF89a", 6);
	assert(spool_write_file(path, (struct str){bytes, size_bytes}) == 0);
}

static struct str mark_of(struct arena *arena, struct str text, bool has_head)
{
	if (!has_head)
		return text;
	return str_format(arena, "cut 1 %s %zu\n" STR_FMT, sodium_version_string(),
			  sizeof(crypto_hash_sha256_state), STR_ARG(text));
}

/* ---- what must hold ---- */

static void check_request(const struct transfer_request *request, int64_t size_bytes)
{
	char range[64];
	if (request->save_from == NULL) {
		assert(access(request->save_path, F_OK) != 0);
		return;
	}
	const int64_t from_bytes = request->save_from->size_bytes;
	assert(from_bytes > 0 && from_bytes <= size_bytes);
	assert(from_bytes < request->response_max_bytes);
	assert(spool_size_of(-1, request->save_path) == size_bytes);
	assert(request->header_count == 2);
	snprintf(range, sizeof(range), "bytes=%lld-", (long long)from_bytes);
	assert(str_equal_z(request->headers[0].value, range));
	assert(request->headers[1].value.len > 0 && !str_has_control(request->headers[1].value));
}

static void check_cut(struct arena *arena, struct str mark, size_t size_bytes)
{
	struct transfer_request request = {0};
	struct spool *spool = open_spool();
	const char *cut = spool_path(spool, arena, KEY, ".cut");
	const char *mark_path = spool_path(spool, arena, KEY, ".cut.mark");
	assert(spool_folder_make(spool, arena, KEY) == 0);
	write_bytes(cut, arena, size_bytes);
	assert(spool_write_file(mark_path, mark) == 0);
	spool_close(&spool);
	spool = open_spool();
	const int64_t before_bytes = spool_used_bytes(spool);
	assert(before_bytes >= (int64_t)size_bytes);
	if (spool_fetch_request(spool, arena, KEY, URL, &request, NULL) == ERR_NONE)
		check_request(&request, (int64_t)size_bytes);
	assert(access(cut, F_OK) != 0 && access(mark_path, F_OK) != 0);
	assert(spool_used_bytes(spool) >= 0 && spool_used_bytes(spool) <= before_bytes);
	if (request.save_path != NULL)
		unlink(request.save_path);
	spool_close(&spool);
}

static void check_digest(struct arena *arena, struct str digest, size_t size_bytes)
{
	struct spool_file file = {0};
	struct spool *spool = open_spool();
	const char *path = spool_path(spool, arena, KEY, "");
	assert(spool_folder_make(spool, arena, KEY) == 0);
	write_bytes(path, arena, size_bytes);
	assert(spool_write_file(spool_path(spool, arena, KEY, DIGEST_SUFFIX), digest) == 0);
	spool_close(&spool);
	spool = open_spool();
	if (spool_find(spool, arena, KEY, &file)) {
		assert(file.size_bytes == (int64_t)size_bytes);
		assert(strlen(file.sha256) == 64 && strspn(file.sha256, "0123456789abcdef") == 64);
	}
	spool_remove(spool, KEY);
	assert(access(path, F_OK) != 0);
	spool_close(&spool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD_BYTES)
		return 0;
	struct arena *arena = arena_new("fuzz", (size_t)4 << 20);
	const size_t size_bytes = (size_t)data[1] << 8 | data[2];
	const struct str text = {(const char *)data + HEAD_BYTES, size - HEAD_BYTES};
	if (data[0] & FLAG_DIGEST)
		check_digest(arena, text, size_bytes);
	else
		check_cut(arena, mark_of(arena, text, data[0] & FLAG_HEAD), size_bytes);
	arena_free(&arena);
	return 0;
}
