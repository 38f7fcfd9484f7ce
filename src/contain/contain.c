/* SPDX-License-Identifier: Apache-2.0
 * Landlock by its system calls: the C library of Debian 12 has no functions for them, and its
 * headers know less than newer kernels do. The rights are those of linux/landlock.h of Linux 6.12;
 * what an older kernel does not know is left out by its version. */
#include "contain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/landlock.h>

#define RIGHT_TRUNCATE (UINT64_C(1) << 14)
#define RIGHT_IOCTL_DEVICE (UINT64_C(1) << 15)
#define SCOPE_SIGNAL (UINT64_C(1) << 1)
#define VERSION_WITH_SCOPES 6

#define RIGHTS_OF_A_FILE \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	 LANDLOCK_ACCESS_FS_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEVICE)
#define RIGHTS_TO_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RIGHTS_OF_VERSION_1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define RIGHTS_NEVER_GIVEN \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | RIGHT_IOCTL_DEVICE)

/* struct landlock_ruleset_attr as it is since version 6. */
struct ruleset {
	uint64_t files;
	uint64_t network;
	uint64_t scopes;
};

void contain_process(void)
{
	const struct rlimit none = {0, 0};
	umask(077);
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (CONTAIN_IS_BUILT)
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static uint64_t rights_of_version(int version)
{
	uint64_t rights = RIGHTS_OF_VERSION_1;
	if (version >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		rights |= RIGHT_TRUNCATE;
	if (version >= 5)
		rights |= RIGHT_IOCTL_DEVICE;
	return rights;
}

static uint64_t rights_of(enum contain_access access)
{
	switch (access) {
	case CONTAIN_READ:
		return RIGHTS_TO_READ;
	case CONTAIN_WRITE:
		return ~(uint64_t)RIGHTS_NEVER_GIVEN;
	case CONTAIN_READ_EXECUTE:
		return RIGHTS_TO_READ | LANDLOCK_ACCESS_FS_EXECUTE;
	}
	return 0;
}

static enum err_kind refused(const char *what, const char *path, struct error *err)
{
	const int native = errno;
	return error_set_native(err, ERR_INTERNAL, native, "Landlock: cannot %s%s: %s", what, path,
				strerror(native));
}

static enum err_kind allow(int ruleset, uint64_t rights, const struct contain_path *path,
			   struct error *err)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = rights & rights_of(path->access),
		.parent_fd = open(path->path, O_PATH | O_CLOEXEC),
	};
	struct stat status;
	enum err_kind kind = ERR_NONE;
	if (rule.parent_fd < 0)
		return ERR_NONE;
	if (fstat(rule.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode))
		rule.allowed_access &= RIGHTS_OF_A_FILE;
	if (rule.allowed_access != 0 &&
	    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
		kind = refused("allow ", path->path, err);
	close(rule.parent_fd);
	return kind;
}

enum err_kind contain_files(const struct contain_path *paths, size_t count, int *version_out,
			    struct error *err)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0,
				     LANDLOCK_CREATE_RULESET_VERSION);
	*version_out = version > 0 ? (int)version : 0;
	if (version <= 0)
		return ERR_NONE;
	struct ruleset wish = {.files = rights_of_version((int)version)};
	if (version >= VERSION_WITH_SCOPES)
		wish.scopes = SCOPE_SIGNAL;
	const size_t size = version >= VERSION_WITH_SCOPES ? sizeof(wish) : sizeof(wish.files);
	const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &wish, size, 0);
	if (ruleset < 0)
		return refused("make the list of paths", "", err);
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = allow(ruleset, wish.files, &paths[i], err);
	if (kind == ERR_NONE && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
		kind = refused("begin", "", err);
	close(ruleset);
	return kind;
}
