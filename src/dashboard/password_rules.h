/* SPDX-License-Identifier: Apache-2.0
 * Which passwords an admin may choose: 12 characters or more, and not one that a program tries
 * first. What counts is how much is left when common passwords (common_passwords.def), the admin's
 * own email address, repeats, rows of the alphabet or of digits, and years are taken off; digits
 * and signs in the place of letters are seen through. No demand is made on the kinds of characters.
 * Pure. */
#pragma once

#include "str.h"

#include "request_limits.h"

#define PASSWORD_MIN_CHARACTERS 12
/* So many characters have to be left. */
#define PASSWORD_OWN_CHARACTERS 8

struct arena;

enum password_fault {
	PASSWORD_GOOD,
	PASSWORD_TOO_SHORT,
	PASSWORD_TOO_LONG,
	PASSWORD_NOT_TEXT, /* no valid UTF-8 */
	PASSWORD_COMMON
};

/* email: of the admin, in lower case; may be empty. */
enum password_fault password_judge(struct arena *arena, struct str password, struct str email);
/* For people: what is wrong and what to do. */
struct str password_fault_text(enum password_fault fault);
