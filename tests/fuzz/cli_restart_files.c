/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the small files beside the database that a start reads: DATA/epoch (store/epoch_file.h)
 * and DATA/poison/notes (cli/crash/poison.h). An epoch that is read is written and reads back the
 * same, and a database that agrees with it is never held; of the notes, an id is set aside once,
 * only when it stands there often enough, and never again after that.
 * The input's first byte says which file the rest is. */
#include "epoch_file.h"
#include "poison.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"

#include "remove_tree.h"

#define INPUT_MAX_BYTES 4096
#define IDS_MAX 2048

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char directory[] = "/tmp/fuzz-restart-XXXXXX";
static char epoch_path[64];
static char notes_path[64];

static void tidy(void)
{
	remove_tree(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	assert(mkdtemp(directory) != NULL);
	snprintf(epoch_path, sizeof(epoch_path), "%s/epoch", directory);
	snprintf(notes_path, sizeof(notes_path), "%s/notes", directory);
	atexit(tidy);
	return 0;
}

static void write_file(const char *path, struct str text)
{
	FILE *file = fopen(path, "wb");
	assert(file != NULL && fwrite(text.ptr, 1, text.len, file) == text.len);
	fclose(file);
}

/* ---- the epoch ---- */

static void check_epoch(struct str text)
{
	struct epoch epoch, again;
	struct error err = {0};
	write_file(epoch_path, text);
	assert(epoch_file_read(epoch_path, &epoch, &err) == ERR_NONE);
	assert(epoch_sentence(epoch_compare(&epoch, &epoch)) != NULL);
	if (!epoch.is_there)
		return;
	assert(epoch.number >= 0);
	assert(!epoch_means_restore(epoch_compare(&epoch, &epoch)));
	assert(epoch_file_write(epoch_path, &epoch, &err) == ERR_NONE);
	assert(epoch_file_read(epoch_path, &again, &err) == ERR_NONE);
	assert(again.is_there && again.number == epoch.number && again.at_us == epoch.at_us &&
	       again.lineage == epoch.lineage);
}

/* ---- the notes ---- */

struct aside {
	struct str ids[IDS_MAX];
	size_t count;
	struct str notes;
};

static size_t count_lines(struct str notes, struct str id)
{
	struct str line;
	size_t count = 0;
	while (notes.ptr != NULL && str_take_field(&notes, '\n', &line))
		count += str_equal(line, id);
	return count;
}

static bool set_aside(void *context, struct str id)
{
	struct aside *aside = context;
	assert(id.len > 0 && count_lines(aside->notes, id) >= POISON_NOTES_MAX);
	for (size_t i = 0; i < aside->count; i++)
		assert(!str_equal(aside->ids[i], id));
	assert(aside->count < IDS_MAX);
	aside->ids[aside->count++] = id;
	return true;
}

static void check_notes(struct arena *arena, struct str text)
{
	static struct aside first, second;
	struct error err = {0};
	first = (struct aside){.notes = text};
	second = (struct aside){.notes = text};
	write_file(notes_path, text);
	assert(poison_sweep(arena, directory, set_aside, &first, &err) == ERR_NONE);
	assert(poison_sweep(arena, directory, set_aside, &second, &err) == ERR_NONE);
	assert(second.count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1 || size > INPUT_MAX_BYTES)
		return 0;
	struct arena *arena = arena_new("fuzz", (size_t)4 << 20);
	const struct str text = {(const char *)data + 1, size - 1};
	if (data[0] & 1)
		check_epoch(text);
	else
		check_notes(arena, text);
	arena_free(&arena);
	return 0;
}
