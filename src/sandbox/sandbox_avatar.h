/* SPDX-License-Identifier: Apache-2.0
 * Profile pictures of simulated accounts: small PNGs, drawn from a name, so that whoever fetches
 * them gets what a platform gives: a picture of pixels. */
#pragma once

#include "str.h"

struct sandbox_call;

enum sandbox_avatar_kind { SANDBOX_AVATAR_PERSON, SANDBOX_AVATAR_LOGO };

/* Answers with a picture on the platform's colour; the same name has the same picture. */
void sandbox_avatar_answer(struct sandbox_call *call, enum sandbox_avatar_kind kind,
			   struct str name);
