/* SPDX-License-Identifier: Apache-2.0
 * SIGHUP: the settings that may change while the service runs. */
#pragma once

struct service;
struct settings;

/* Reads environment and file again, and puts into force what reload.c's table lists; what else
 * differs from the start is named in the log, and waits for the next one. A file that cannot be
 * read, or with a wrong value, changes nothing. From the thread that waits for signals. */
void reload_settings(struct service *service, const struct settings *started_with);
