/* SPDX-License-Identifier: Apache-2.0
 * The command line for people and their programs: post, validate, posts, show, explain and the rest
 * of person_verbs.def (design.md 5). Everything goes over the public API of a service,
 * which POSTHORN_URL and POSTHORN_TOKEN name; nothing here opens a database or a data directory.
 * Verbs stand in person_verbs.def, their flags in person_flags.def. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Is the command line one of a person's verbs? Flags of all verbs (--json, --url) may stand before
 * the verb. argv[0] is the program. */
bool person_has_verb(int argc, char *const *argv);
/* Runs that verb. environment: as environ. user_agent: what the service sees ("Posthorn/0.1.0").
 * Blocks until the verb is done; listen ends by SIGINT or SIGTERM, which it blocks. Returns the
 * exit status: 0 done, 1 refused, failed or not reached (standard error says why), 2 wrong use or
 * no token. */
int person_main(int argc, char *const *argv, char *const *environment, const char *user_agent);
/* Each verb with its usage and summary, for the list of all commands. */
void person_print_verbs(FILE *out);
/* The help of the verb with these words; second may be NULL, and counts where the first has more
 * than one verb. False: there is no such verb, and nothing is printed. */
bool person_print_help(FILE *out, const char *first, const char *second);
/* The words of all verbs, ended by NULL. */
const char *const *person_words(void);
