/* SPDX-License-Identifier: Apache-2.0
 * The list of addresses that a guard must refuse or allow, ssrf_urls.txt beside this file: one line
 * each, the address before a tab, in escapes of its own. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "str.h"

/* The list's own escapes. */
static inline struct str ssrf_unescape(struct arena *arena, struct str text)
{
	static const char names[] = "\\trn";
	static const char bytes[] = "\\\t\r\n";
	struct buf out;
	buf_init(&out, arena, 4096);
	for (size_t i = 0; i < text.len; i++) {
		const char *name = NULL;
		if (text.ptr[i] == '\\' && i + 1 < text.len)
			name = strchr(names, text.ptr[i + 1]);
		buf_add_char(&out, name != NULL ? bytes[name - names] : text.ptr[i]);
		i += name != NULL;
	}
	return buf_str(&out);
}

/* The caller closes it. */
static inline FILE *ssrf_open_list(void)
{
	char path[512];
	const char *slash = strrchr(__FILE__, '/');
	snprintf(path, sizeof(path), "%.*s/ssrf_urls.txt", (int)(slash - __FILE__), __FILE__);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	return file;
}
