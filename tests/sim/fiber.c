/* SPDX-License-Identifier: Apache-2.0
 * See fiber.h. AddressSanitizer is told of every change of stacks: it knows only the threads'. */
#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#ifdef IS_SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_LEAVE(fake, bottom, size) __sanitizer_start_switch_fiber(fake, bottom, size)
#define STACK_ENTER(fake, bottom, size) __sanitizer_finish_switch_fiber(fake, bottom, size)
#define STACK_FORGET(bottom, size) ASAN_UNPOISON_MEMORY_REGION(bottom, size)
#else
#define STACK_LEAVE(fake, bottom, size) ((void)(fake), (void)(bottom), (void)(size))
#define STACK_ENTER(fake, bottom, size) ((void)(fake), (void)(bottom), (void)(size))
#define STACK_FORGET(bottom, size) ((void)(bottom), (void)(size))
#endif

#define STACK_BYTES ((size_t)4 << 20)

struct fiber {
	void (*run)(void *argument);
	void *argument;
	ucontext_t own;
	ucontext_t caller;
	void *stack;
	void *fake; /* the sanitizer's, of this fiber while another runs */
	const void *caller_stack;
	size_t caller_stack_bytes;
};

/* makecontext() hands down nothing but int. */
static void begin(unsigned high, unsigned low)
{
	struct fiber *fiber = (struct fiber *)((uintptr_t)high << 32 | low);
	STACK_ENTER(NULL, &fiber->caller_stack, &fiber->caller_stack_bytes);
	fiber->run(fiber->argument);
	abort();
}

struct fiber *fiber_new(void (*run)(void *argument), void *argument)
{
	struct fiber *fiber = calloc(1, sizeof(*fiber));
	if (fiber == NULL || getcontext(&fiber->own) != 0)
		abort();
	fiber->run = run;
	fiber->argument = argument;
	fiber->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fiber->stack == MAP_FAILED)
		abort();
	fiber->own.uc_stack.ss_sp = fiber->stack;
	fiber->own.uc_stack.ss_size = STACK_BYTES;
	const uintptr_t address = (uintptr_t)fiber;
	makecontext(&fiber->own, (void (*)(void))begin, 2, (unsigned)(address >> 32),
		    (unsigned)address);
	return fiber;
}

void fiber_resume(struct fiber *fiber)
{
	void *fake = NULL;
	STACK_LEAVE(&fake, fiber->stack, STACK_BYTES);
	swapcontext(&fiber->caller, &fiber->own);
	STACK_ENTER(fake, NULL, NULL);
}

void fiber_yield(struct fiber *fiber)
{
	STACK_LEAVE(&fiber->fake, fiber->caller_stack, fiber->caller_stack_bytes);
	swapcontext(&fiber->own, &fiber->caller);
	STACK_ENTER(fiber->fake, &fiber->caller_stack, &fiber->caller_stack_bytes);
}

void fiber_free(struct fiber **fiber)
{
	if (*fiber == NULL)
		return;
	STACK_FORGET((*fiber)->stack, STACK_BYTES);
	munmap((*fiber)->stack, STACK_BYTES);
	free(*fiber);
	*fiber = NULL;
}
