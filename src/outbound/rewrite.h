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
/* The same for a test app: what stands below seen_url (browsers' name of the sandbox; may be empty)
 * and https://HOST/PATH become http://sandbox/HOST/PATH, which is reached by a Unix socket and no
 * name. False as above. */
bool rewrite_to_test_sandbox(struct arena *arena, struct str seen_url, struct str url,
			     struct str *out);
