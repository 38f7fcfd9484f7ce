/* SPDX-License-Identifier: Apache-2.0
 * The sandbox rule (design.md 5): https://HOST/PATH becomes SANDBOX/HOST/PATH, a URL that
 * is the sandbox's already stays as it is, and nothing else may leave. Pure. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;

/* sandbox_url without trailing slash. False when url is neither https://... nor below sandbox_url:
 * no such call may be made. */
bool rewrite_to_sandbox(struct arena *arena, struct str sandbox_url, struct str url,
			struct str *out);
