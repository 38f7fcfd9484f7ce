/* SPDX-License-Identifier: Apache-2.0
 * What the request log may show: secrets are replaced by "***". Pure. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;

/* "a=1&access_token=abc" → "a=1&access_token=***"; for queries and forms. */
struct str sandbox_redact_form(struct arena *arena, struct str text);
/* The value of a header as the log may show it. */
struct str sandbox_redact_header(struct arena *arena, struct str name, struct str value);
/* The body as the log may show it, by its content type. False = it may contain a secret that
 * cannot be cut out: show the digest. */
bool sandbox_redact_body(struct arena *arena, struct str content_type, struct str body,
			 struct str *shown_out);
