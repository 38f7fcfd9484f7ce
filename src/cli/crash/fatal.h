/* SPDX-License-Identifier: Apache-2.0
 * The last words of a program that crashes on a delivery: a handler for the signals of our own bugs
 * (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) appends one line with that delivery's id to a file
 * that is open already, and lets the signal take its course. SIGKILL cannot be caught, so that a
 * kill or a power cut blames no delivery. poison.h acts on the lines. */
#pragma once

#include <stdbool.h>

#include "str.h"

#define FATAL_ID_BYTES_MAX 63

/* Installs the handler. fd: open for appending, as long as the process lives; -1 = no more notes.
 * Handlers that were installed before (a sanitizer's) still run after ours. */
void fatal_install(int fd);
/* The delivery that this thread works on; empty = none. */
void fatal_set_delivery(struct str id);
/* Gives the calling thread a stack for the handler, so that an endless recursion is noted too; the
 * thread calls fatal_stack_end() before it ends. NULL: no memory, and no such stack. */
struct fatal_stack;
struct fatal_stack *fatal_stack_begin(void);
void fatal_stack_end(struct fatal_stack **stack);
