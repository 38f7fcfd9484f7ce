/* SPDX-License-Identifier: Apache-2.0
 * A signal handler gets no argument, so what it needs is in static variables: the only ones in the
 * program. The delivery a thread works on is thread-local, because the handler runs on the thread
 * that crashed. */
#include "fatal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count_of.h"

#define HANDLER_STACK_BYTES 65536

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction former_actions[COUNT_OF(fatal_signals)];
static volatile sig_atomic_t note_fd = -1;
static _Thread_local char note[FATAL_ID_BYTES_MAX + 2]; /* the id and a line end */
static _Thread_local volatile sig_atomic_t note_length;

struct fatal_stack {
	stack_t former;
	char bytes[HANDLER_STACK_BYTES];
};

void fatal_set_delivery(struct str id)
{
	note_length = 0;
	if (str_is_empty(id) || id.len > FATAL_ID_BYTES_MAX)
		return;
	memcpy(note, id.ptr, id.len);
	note[id.len] = '\n';
	note_length = (sig_atomic_t)id.len + 1;
}

static void write_note(void)
{
	const sig_atomic_t length = note_length;
	note_length = 0; /* only once, even if another signal follows */
	if (length > 0 && note_fd >= 0 && write(note_fd, note, (size_t)length) < 0)
		note_fd = -1; /* there is nowhere left to report it */
}

/* Async-signal-safe: only write(2), sigaction(2) and raise(3). A signal of the processor comes
 * again by itself at the same instruction, with everything that a sanitizer reports; one that was
 * raised is raised again. */
static void handle(int number, siginfo_t *info, void *context)
{
	(void)context;
	write_note();
	for (size_t i = 0; i < COUNT_OF(fatal_signals); i++) {
		if (fatal_signals[i] == number)
			sigaction(number, &former_actions[i], NULL);
	}
	if (info->si_code <= 0)
		raise(number);
}

void fatal_install(int fd)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction now;
	sigemptyset(&action.sa_mask);
	note_fd = fd;
	for (size_t i = 0; i < COUNT_OF(fatal_signals); i++) {
		sigaction(fatal_signals[i], NULL, &now);
		if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle)
			continue; /* installed already: must not become its own former action */
		sigaction(fatal_signals[i], &action, &former_actions[i]);
	}
}

struct fatal_stack *fatal_stack_begin(void)
{
	struct fatal_stack *stack = malloc(sizeof(*stack));
	if (stack == NULL)
		return NULL;
	const stack_t ours = {.ss_sp = stack->bytes, .ss_size = sizeof(stack->bytes)};
	if (sigaltstack(&ours, &stack->former) == 0)
		return stack;
	free(stack);
	return NULL;
}

/* A sanitizer expects to find the stack that it gave this thread. */
void fatal_stack_end(struct fatal_stack **stack)
{
	if (*stack == NULL)
		return;
	if (((*stack)->former.ss_flags & SS_DISABLE) != 0)
		(*stack)->former.ss_size = sizeof((*stack)->bytes);
	sigaltstack(&(*stack)->former, NULL);
	free(*stack);
	*stack = NULL;
}
