/* SPDX-License-Identifier: Apache-2.0
 * Opening the user's browser. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct arena;

/* Starts $BROWSER, or xdg-open where there is a display, with the URL, and does not wait for it.
 * The program gets the environment without POSTHORN_*: a browser has no use for a token. False:
 * there is none, or the URL is not http or https. */
bool person_browser_open(struct arena *arena, char *const *environment, struct str url);
