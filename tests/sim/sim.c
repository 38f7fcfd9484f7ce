/* SPDX-License-Identifier: Apache-2.0
 * See sim.h. */
#include "sim.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ARENA_MAX_BYTES ((size_t)256 << 20)

/* splitmix64: every 64-bit state is a good one, so neighbouring seeds give unlike runs. */
uint64_t dice_next(struct dice *dice)
{
	uint64_t z = (dice->state += UINT64_C(0x9E3779B97F4A7C15));
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

int64_t dice_below(struct dice *dice, int64_t limit)
{
	return (int64_t)(dice_next(dice) % (uint64_t)limit);
}

int64_t dice_between(struct dice *dice, int64_t from, int64_t to)
{
	return from + dice_below(dice, to - from + 1);
}

bool dice_permille(struct dice *dice, int64_t permille)
{
	return dice_below(dice, 1000) < permille;
}

const char *mutant_name(enum mutant mutant)
{
	static const char *const names[MUTANT_COUNT] = {
		[MUTANT_NONE] = "none",
		[MUTANT_SEND_BEFORE_COMMIT] = "send-before-commit",
		[MUTANT_RETRY_ON_500] = "retry-on-500",
		[MUTANT_LOST_IS_NEVER_SENT] = "lost-is-never-sent",
		[MUTANT_DELETE_WITHOUT_INTENT] = "delete-without-intent",
		[MUTANT_REMOVE_UNASKED] = "remove-unasked",
		[MUTANT_LOST_IS_REMOVED] = "lost-is-removed",
	};
	return names[mutant];
}

static int64_t wall_us(void *context)
{
	const struct sim *sim = context;
	return sim->true_us + sim->wall_offset_us;
}

static int64_t boot_us(void *context)
{
	const struct sim *sim = context;
	return sim->true_us - SIM_START_US + US_PER_HOUR;
}

static void fill(void *context, void *out, size_t size_bytes)
{
	struct sim *sim = context;
	unsigned char *at = out;
	for (; size_bytes > 0; size_bytes--)
		*at++ = (unsigned char)(dice_next(&sim->product_dice) >> 56);
}

/* Calm, bad and dreadful days. */
static void draw_weather(struct sim *sim)
{
	static const int64_t faults[] = {0, 30, 100, 250, 450};
	static const int64_t crashes[] = {0, 2, 8, 20};
	struct dice *dice = &sim->dice;
	sim->weather = (struct weather){
		.fault_permille = faults[dice_below(dice, 5)],
		.crash_permille = crashes[dice_below(dice, 4)],
		.commit_fault_permille = dice_permille(dice, 250) ? 60 : 0,
		.late_permille = dice_permille(dice, 500) ? 150 : 0,
		.has_clock_jumps = dice_permille(dice, 200),
		.has_pauses = dice_permille(dice, 250),
		.has_dishonest_reads = dice_permille(dice, 400),
		.x_knows_duplicates = dice_permille(dice, 500),
		.facebook_knows_duplicates = dice_permille(dice, 300),
		.ids_are_numbers = dice_permille(dice, 200),
		.retry_unknown_once = dice_permille(dice, 100),
		.has_people = sim->seed % 2 == 0,
		.has_restore = sim->seed % 4 == 0,
	};
}

void sim_begin(struct sim *sim, uint64_t seed, enum mutant mutant, bool prints,
	       struct totals *totals)
{
	*sim = (struct sim){
		.seed = seed,
		.mutant = mutant,
		.prints = prints,
		.dice = {seed * 2 + 1},
		.product_dice = {~seed},
		.arena = arena_new("simulation", ARENA_MAX_BYTES),
		.true_us = SIM_START_US,
		.hash = UINT64_C(0xCBF29CE484222325),
		.totals = totals,
	};
	sim->clock = (struct clock){wall_us, boot_us, sim};
	sim->random = (struct random_source){fill, sim};
	dice_next(&sim->dice);
	draw_weather(sim);
	if (mutant == MUTANT_SEND_BEFORE_COMMIT) /* it shows in crashes only */
		sim->weather.crash_permille = 40;
	if (mutant == MUTANT_LOST_IS_REMOVED) { /* ... in lost answers only */
		sim->weather.fault_permille = 450;
		sim->weather.has_dishonest_reads = false;
	}
	totals->seeds++;
}

void sim_end(struct sim *sim)
{
	sim->totals->simulated_us += sim->true_us - SIM_START_US;
	arena_free(&sim->arena);
}

/* FNV-1a */
static void hash_bytes(struct sim *sim, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sim->hash = (sim->hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
}

__attribute__((format(printf, 3, 0))) static void line(struct sim *sim, const char *mark,
						       const char *format, va_list arguments)
{
	char text[1024];
	const int64_t us = sim->true_us - SIM_START_US;
	int used = snprintf(text, sizeof(text), "%s%" PRId64 ".%06" PRId64 " ", mark, us / US_PER_S,
			    us % US_PER_S);
	vsnprintf(text + used, sizeof(text) - (size_t)used, format, arguments);
	hash_bytes(sim, text, strlen(text));
	if (sim->prints)
		printf("%s\n", text);
}

void sim_trace(struct sim *sim, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	line(sim, "", format, arguments);
	va_end(arguments);
}

#define VIOLATIONS_TOLD_MAX 5

void sim_violation(struct sim *sim, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	sim->totals->violations++;
	const bool prints = sim->prints;
	const bool is_told =
		sim->violation_count++ < VIOLATIONS_TOLD_MAX && sim->mutant == MUTANT_NONE;
	sim->prints = prints || is_told;
	line(sim, "VIOLATION ", format, arguments);
	sim->prints = prints;
	va_end(arguments);
}

bool sim_chance(struct sim *sim, int64_t permille)
{
	return !sim->is_healed && dice_permille(&sim->dice, permille);
}
