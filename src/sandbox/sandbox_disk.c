/* SPDX-License-Identifier: Apache-2.0
 * Files of a sandbox: one directory without others in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"

#include "sandbox_core.h"

bool sandbox_write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

void sandbox_remove_files(const char *directory, const char *prefix)
{
	DIR *dir = directory != NULL ? opendir(directory) : NULL;
	if (dir == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (str_has_prefix(str_of(entry->d_name), str_of(prefix)))
			unlinkat(dirfd(dir), entry->d_name, 0); /* "." and ".." are refused */
	}
	closedir(dir);
}

void sandbox_remove_directory(const char *directory)
{
	sandbox_remove_files(directory, "");
	if (directory != NULL)
		rmdir(directory);
}

int64_t sandbox_files_bytes(const char *directory, const char *prefix)
{
	DIR *dir = opendir(directory);
	struct stat st;
	int64_t bytes = 0;
	if (dir == NULL)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (str_has_prefix(str_of(entry->d_name), str_of(prefix)) &&
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			bytes += st.st_size;
	}
	closedir(dir);
	return bytes;
}
