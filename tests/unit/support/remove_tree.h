/* SPDX-License-Identifier: Apache-2.0
 * Removes a directory that a test made, with all that is in it. Names that are too long for its
 * buffer stay. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void remove_tree(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		char inner[1024];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		int length = snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		if (length < 0 || (size_t)length >= sizeof(inner))
			continue;
		if (unlink(inner) != 0)
			remove_tree(inner);
	}
	if (directory != NULL)
		closedir(directory);
	rmdir(path);
}
