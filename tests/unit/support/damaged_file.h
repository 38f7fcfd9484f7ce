/* SPDX-License-Identifier: Apache-2.0
 * A database whose pages a disk has lost. */
#pragma once

#include "world.h"

#include <fcntl.h>

#define PAGE_BYTES 4096
#define TABLE_LEAF 0x0d /* https://www.sqlite.org/fileformat2.html#b_tree_pages */

/* Zeroes every page of a table with this text in it, while the store is closed. Returns how
 * many. */
static inline int damaged_file_zero(const struct world *w, struct str text)
{
	uint8_t page[PAGE_BYTES];
	int count = 0;
	const int fd = open(w->url + strlen("sqlite:"), O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	for (off_t at = PAGE_BYTES; pread(fd, page, PAGE_BYTES, at) == PAGE_BYTES;
	     at += PAGE_BYTES) {
		const struct str bytes = {(const char *)page, PAGE_BYTES};
		if (page[0] != TABLE_LEAF || str_find(bytes, text, 0) == SIZE_MAX)
			continue;
		memset(page, 0, PAGE_BYTES);
		assert_int_equal(pwrite(fd, page, PAGE_BYTES, at), PAGE_BYTES);
		count++;
	}
	close(fd);
	return count;
}
