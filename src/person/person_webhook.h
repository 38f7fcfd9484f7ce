/* SPDX-License-Identifier: Apache-2.0
 * What the verbs about webhooks share. */
#pragma once

#include "str.h"

#include "person_private.h"

/* "/v1/webhooks/ID" of the word after the verb, and tail; in the run's arena. */
struct str person_webhook_path(struct person *person, const char *tail);
