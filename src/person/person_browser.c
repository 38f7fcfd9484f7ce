/* SPDX-License-Identifier: Apache-2.0
 * See person_browser.h. */
#include "person_browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"

static const char *variable(char *const *environment, const char *name)
{
	const size_t length = strlen(name);
	for (; *environment != NULL; environment++) {
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

static char **without_ours(struct arena *arena, char *const *environment)
{
	size_t count = 0;
	while (environment[count] != NULL)
		count++;
	char **kept = ARENA_ARRAY(arena, char *, count + 1);
	size_t kept_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (strncmp(environment[i], "POSTHORN_", strlen("POSTHORN_")) != 0)
			kept[kept_count++] = environment[i];
	}
	kept[kept_count] = NULL;
	return kept;
}

/* $BROWSER is a list, parted by colons: its first. */
static const char *program(struct arena *arena, char *const *environment)
{
	const char *given = variable(environment, "BROWSER");
	if (given != NULL && given[0] != '\0')
		return str_z(arena,
			     str_slice(str_of(given), 0, str_find_char(str_of(given), ':', 0)));
	const bool has_display = variable(environment, "DISPLAY") != NULL ||
				 variable(environment, "WAYLAND_DISPLAY") != NULL;
	return has_display ? "xdg-open" : NULL;
}

bool person_browser_open(struct arena *arena, char *const *environment, struct str url)
{
	posix_spawn_file_actions_t files;
	pid_t child;
	const char *name = program(arena, environment);
	if (name == NULL ||
	    (!str_has_prefix(url, STR("https://")) && !str_has_prefix(url, STR("http://"))))
		return false;
	char *const arguments[] = {str_z(arena, str_of(name)), str_z(arena, url), NULL};
	if (posix_spawn_file_actions_init(&files) != 0)
		return false;
	/* What a browser prints is not ours to show. */
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	const int failed = posix_spawnp(&child, name, &files, NULL, arguments,
					without_ours(arena, environment));
	posix_spawn_file_actions_destroy(&files);
	return failed == 0;
}
