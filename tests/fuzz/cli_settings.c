/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the settings file (cli/settings.h over inih): any bytes are read or refused with one line
 * that says why, and numbers that were read lie in their range. */
#include "settings.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int make_file(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("settings", 0);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)8 << 20);
	struct settings settings;
	struct error err = {0};
	const int fd = make_file(data, size < 16384 ? size : 16384);
	const struct str path = str_format(arena, "/proc/self/fd/%d", fd);
	settings_init(&settings, arena);
	assert(settings_set_flag(&settings, STR("config"), str_z(arena, path), &err) == ERR_NONE);
	if (settings_finish(&settings, NULL, &err) == ERR_NONE) {
		assert(settings_number(&settings, SETTING_ID_threads) >= 1 &&
		       settings_number(&settings, SETTING_ID_threads) <= 1024);
		assert(settings_number(&settings, SETTING_ID_rate_limit) >= 0);
		assert(settings_number(&settings, SETTING_ID_token_ttl) >= 60);
	} else {
		assert(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
	}
	close(fd);
	arena_free(&arena);
	return 0;
}
