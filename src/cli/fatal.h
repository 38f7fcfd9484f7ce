/* SPDX-License-Identifier: Apache-2.0
 * The last words of a program that dies on a delivery: a handler for the signals of our own
 * mistakes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) appends one line with that delivery's id to a
 * file that is open already, and lets the signal do its work. SIGKILL cannot be caught, so that a
 * kill or a power cut blames nobody. What the lines come to is poison.h's. */
#pragma once

#include <stdbool.h>

#include "str.h"

#define FATAL_ID_BYTES_MAX 63

/* Once. fd: open for appending, as long as the process lives; -1 = no notes any more. Handlers that
 * were there before (a sanitizer's) still have their turn after ours. */
void fatal_install(int fd);
/* What this thread is busy with; empty = nothing that could be blamed. */
void fatal_set_delivery(struct str id);
/* Gives the calling thread a stack for the handler, so that a recursion without end can be told
 * too; the thread gives it back before it ends. */
struct fatal_stack;
struct fatal_stack *fatal_stack_begin(void);
void fatal_stack_end(struct fatal_stack **stack);
