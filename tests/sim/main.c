/* SPDX-License-Identifier: Apache-2.0
 * sim: runs the real engine, adapters and store in a simulated world, seed by seed. Options:
 * --help. Exit 0: every promise held and something happened; 1: not so; 2: wrong use. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "failure.h"

#include "check.h"
#include "house.h"
#include "network.h"
#include "nodes.h"
#include "people.h"
#include "script.h"
#include "shared.h"
#include "sim.h"
#include "world.h"

#define JOBS_MAX 64
#define TURNS_MAX 20000
/* After the faults stop: the engine's patience (48 h), a platform's day, the last retries. */
#define LIMIT_US (5 * US_PER_DAY)

struct options {
	uint64_t first, seeds;
	bool is_single, prints, checks_hash, prints_hashes, has_nodes_only;
	int64_t jobs;
	enum mutant mutant;
	bool expects_caught;
};

/* ---- speed under AddressSanitizer: SQLite is not instrumented, so its memory may go past the
 * sanitizer's slow allocator ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void __libc_free(void *pointer);
const char *__asan_default_options(void);

/* Short stacks in reports are enough: a seed can be replayed with ASAN_OPTIONS of one's own. */
const char *__asan_default_options(void)
{
	return "malloc_context_size=4";
}

#define HEADER_BYTES 16

static void *plain_with_header(char *block, int size)
{
	if (block == NULL)
		return NULL;
	memcpy(block, &size, sizeof(size));
	return block + HEADER_BYTES;
}

static void *plain_malloc(int size)
{
	return plain_with_header(__libc_malloc((size_t)size + HEADER_BYTES), size);
}

static void plain_free(void *pointer)
{
	if (pointer != NULL)
		__libc_free((char *)pointer - HEADER_BYTES);
}

static void *plain_realloc(void *pointer, int size)
{
	if (pointer == NULL)
		return plain_malloc(size);
	return plain_with_header(
		__libc_realloc((char *)pointer - HEADER_BYTES, (size_t)size + HEADER_BYTES), size);
}

static int plain_size(void *pointer)
{
	int size = 0;
	if (pointer != NULL)
		memcpy(&size, (char *)pointer - HEADER_BYTES, sizeof(size));
	return size;
}

static int plain_roundup(int size)
{
	return (size + 7) & ~7;
}

static int plain_init(void *context)
{
	(void)context;
	return SQLITE_OK;
}

static void plain_shutdown(void *context)
{
	(void)context;
}

static void use_plain_memory(void)
{
	static const sqlite3_mem_methods methods = {plain_malloc,   plain_free,    plain_realloc,
						    plain_size,     plain_roundup, plain_init,
						    plain_shutdown, NULL};
	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* ---- one seed ---- */

struct run {
	struct sim *sim;
	struct world *world;
	struct network *network;
	struct nodes *nodes; /* NULL = it has one node */
	struct house *house; /* with several: one that is awake; NULL = none is */
	struct script *script;
	struct people *people;
	int64_t heal_at_us;
	int64_t next_trouble_us; /* a crash or a jump between two turns */
};

static void draw_trouble(struct run *run)
{
	run->next_trouble_us =
		run->sim->true_us + dice_between(&run->sim->dice, 1, 2400) * US_PER_S;
}

static void make_trouble(struct run *run)
{
	struct sim *sim = run->sim;
	if (sim->weather.has_clock_jumps && sim_chance(sim, 500)) {
		const int64_t jump_us = dice_between(&sim->dice, -7200, 7200) * US_PER_S;
		sim->wall_offset_us += jump_us;
		if (sim->wall_offset_us < sim->wall_offset_least_us)
			sim->wall_offset_least_us = sim->wall_offset_us;
		if (sim->wall_offset_us > sim->wall_offset_most_us)
			sim->wall_offset_most_us = sim->wall_offset_us;
		sim->totals->jumps++;
		sim_trace(sim, "CLOCK jumps by %" PRId64 " s", jump_us / US_PER_S);
	}
	if (run->nodes == NULL && sim_chance(sim, sim->weather.crash_permille * 15))
		house_crash(run->house, "between turns");
	draw_trouble(run);
}

static void heal(struct run *run)
{
	sim_trace(run->sim, "HEALED");
	run->sim->is_healed = true;
	run->heal_at_us = INT64_MAX;
	run->next_trouble_us = INT64_MAX;
}

/* What is due by now. Returns when the next thing is. */
static int64_t run_events(struct run *run)
{
	struct sim *sim = run->sim;
	if (sim->true_us >= run->heal_at_us)
		heal(run);
	if (sim->true_us >= run->next_trouble_us)
		make_trouble(run);
	int64_t next_us =
		run->heal_at_us < run->next_trouble_us ? run->heal_at_us : run->next_trouble_us;
	if (run->nodes != NULL)
		run->house = nodes_any_awake(run->nodes);
	if (run->house == NULL) /* customers and people ask again */
		return sim->true_us + US_PER_S;
	for (size_t i = 0; i < run->script->post_count; i++) {
		struct script_post *post = &run->script->posts[i];
		if (post->accept_at_us > sim->true_us) {
			next_us = post->accept_at_us < next_us ? post->accept_at_us : next_us;
			continue;
		}
		if (post->accept_at_us >= 0)
			script_accept(sim, run->script, post, run->world, run->house);
		post->accept_at_us = -1;
	}
	const int64_t deed_us = people_act(run->people, run->script, run->world, run->house);
	return deed_us < next_us ? deed_us : next_us;
}

static void pass_time(struct run *run, int64_t until_us)
{
	if (run->nodes != NULL)
		nodes_run(run->nodes, until_us);
	else
		house_turn(run->house, (until_us - run->sim->true_us) / US_PER_MS + 1);
}

/* With several nodes any of them knows. */
static bool is_finished(const struct run *run)
{
	return house_unfinished(run->nodes != NULL ? nodes_first(run->nodes) : run->house) == 0;
}

static void live(struct run *run)
{
	struct sim *sim = run->sim;
	int64_t limit_us = INT64_MAX;
	for (int turn = 0; turn < TURNS_MAX && sim->true_us < limit_us; turn++) {
		const int64_t next_us = run_events(run);
		if (next_us == INT64_MAX && limit_us == INT64_MAX)
			limit_us = sim->true_us + LIMIT_US;
		if (next_us == INT64_MAX && is_finished(run))
			return;
		const int64_t until_us =
			next_us < sim->true_us + US_PER_HOUR ? next_us : sim->true_us + US_PER_HOUR;
		pass_time(run, until_us);
	}
}

/* What is still on its way arrives, and who stood still with something to send wakes up. */
static void come_to_rest(struct run *run)
{
	if (run->nodes != NULL)
		nodes_run(run->nodes, run->sim->true_us + US_PER_HOUR);
	network_pass(run->network, US_PER_HOUR);
}

/* What the end shows: with everything closed. */
static void judge_end(struct run *run)
{
	struct house *house = run->nodes != NULL ? nodes_first(run->nodes) : run->house;
	const bool had_nodes = run->nodes != NULL;
	nodes_free(&run->nodes);
	struct sqlite3 *db = house_shut(house);
	check_all(run->sim, run->script, run->world, db);
	if (had_nodes)
		nodes_tally(run->sim, db);
	house_free(&house);
}

/* A commit is lost by putting files back, which is nothing that a database of several nodes
 * does. */
static bool has_nodes(uint64_t seed, enum mutant mutant)
{
	return nodes_are_in(seed) && mutant != MUTANT_SEND_BEFORE_COMMIT;
}

static uint64_t run_seed(const struct ground *ground, uint64_t seed, enum mutant mutant,
			 bool prints, struct totals *totals, int *violations_out)
{
	struct sim sim;
	sim_begin(&sim, seed, mutant, prints, totals);
	struct world *world = world_new(&sim);
	struct network *network = network_new(&sim, world);
	struct run run = {.sim = &sim, .world = world, .network = network};
	if (has_nodes(seed, mutant))
		run.nodes = nodes_new(&sim, ground, network);
	run.house = run.nodes != NULL ? nodes_first(run.nodes) : house_new(&sim, ground, network);
	run.script = script_new(&sim, world, run.house);
	run.people = people_new(&sim, run.script);
	run.heal_at_us = sim.true_us + dice_between(&sim.dice, 600, 6 * 3600) * US_PER_S;
	draw_trouble(&run);
	live(&run);
	come_to_rest(&run);
	judge_end(&run);
	people_free(run.people);
	*violations_out = sim.violation_count;
	sim_end(&sim);
	return sim.hash;
}

/* ---- many seeds ---- */

/* The same seed gives the same run. */
static void check_hash(const struct ground *ground, uint64_t seed, enum mutant mutant,
		       uint64_t hash, struct totals *totals)
{
	struct totals ignored = {0};
	int violations = 0;
	if (run_seed(ground, seed, mutant, false, &ignored, &violations) == hash)
		return;
	printf("seed %" PRIu64 " gave two different runs\n", seed);
	totals->violations++;
}

static void run_one(const struct ground *ground, const struct options *options, uint64_t seed,
		    struct totals *totals)
{
	int violations = 0;
	const uint64_t hash =
		run_seed(ground, seed, options->mutant, options->prints, totals, &violations);
	if (violations > 0 && options->mutant == MUTANT_NONE)
		printf("seed %" PRIu64 " broke %d promises; replay: ./dev sim --seed %" PRIu64
		       " --trace\n",
		       seed, violations, seed);
	if (options->is_single || options->prints_hashes)
		printf("%" PRIu64 " trace hash %016" PRIx64 "\n", seed, hash);
	/* of the second kind most have several nodes */
	if (options->checks_hash && (seed % 100 == 0 || seed % 99 == 0))
		check_hash(ground, seed, options->mutant, hash, totals);
	fflush(stdout);
}

/* What a mutant is caught by. */
static int64_t harm_done(enum mutant mutant, const struct totals *totals)
{
	return mutant >= MUTANT_DELETE_WITHOUT_INTENT ? totals->removed_wrongly : totals->doubled;
}

static struct totals run_share(const struct options *options, int64_t job)
{
	struct totals totals = {0};
	struct ground ground = {0};
	ground_open(&ground);
	for (uint64_t i = (uint64_t)job; i < options->seeds; i += (uint64_t)options->jobs) {
		const uint64_t seed = options->first + i;
		if (!options->has_nodes_only || has_nodes(seed, options->mutant))
			run_one(&ground, options, seed, &totals);
		if (options->expects_caught && harm_done(options->mutant, &totals) > 0)
			break;
	}
	ground_close(&ground);
	return totals;
}

static void totals_add(struct totals *sum, const struct totals *part)
{
	const int64_t *from = (const int64_t *)part;
	int64_t *to = (int64_t *)sum;
	for (size_t i = 0; i < sizeof(*sum) / sizeof(int64_t); i++)
		to[i] += from[i];
}

static int start_job(const struct options *options, int64_t job, pid_t *pid_out)
{
	int ends[2];
	fflush(stdout);
	if (pipe(ends) != 0)
		abort();
	*pid_out = fork();
	if (*pid_out < 0)
		abort();
	if (*pid_out > 0) {
		close(ends[1]);
		return ends[0];
	}
	close(ends[0]);
	const struct totals totals = run_share(options, job);
	const bool is_told = write(ends[1], &totals, sizeof(totals)) == (ssize_t)sizeof(totals);
	exit(is_told ? 0 : 1);
}

/* Seeds share nothing, so they may as well run beside each other. */
static struct totals run_jobs(const struct options *options)
{
	struct totals sum = {0};
	pid_t pids[JOBS_MAX];
	int ends[JOBS_MAX];
	for (int64_t job = 0; job < options->jobs; job++)
		ends[job] = start_job(options, job, &pids[job]);
	for (int64_t job = 0; job < options->jobs; job++) {
		struct totals totals = {0};
		int status = 0;
		const bool is_told =
			read(ends[job], &totals, sizeof(totals)) == (ssize_t)sizeof(totals);
		waitpid(pids[job], &status, 0);
		close(ends[job]);
		if (!is_told || status != 0) {
			printf("a part of the run died (status %d)\n", status);
			sum.violations++;
		}
		totals_add(&sum, &totals);
	}
	return sum;
}

/* ---- telling ---- */

static void print_totals(const struct totals *t)
{
	printf("seeds %" PRId64 ", simulated %.1f days, accepted posts %" PRId64
	       ", deliveries %" PRId64 "\n",
	       t->seeds, (double)t->simulated_us / (double)US_PER_DAY, t->accepted, t->deliveries);
	printf("published %" PRId64 " (in part %" PRId64 ", parts visible %" PRId64
	       "), failed %" PRId64 ", of all OUTCOME_UNKNOWN %" PRId64 " (%" PRId64
	       " of them visible)\n",
	       t->published, t->partial, t->parts, t->failed, t->unknown, t->unknown_visible);
	for (int code = 0; code < FAILURE_CODE_COUNT; code++) {
		if (t->failed_by_code[code] > 0)
			printf("  failed %s %" PRId64 "\n",
			       failure_code_name((enum failure_code)code), t->failed_by_code[code]);
	}
	printf("calls %" PRId64 " (publish %" PRId64 "), faults %" PRId64 ", in doubt %" PRId64
	       ", refreshes %" PRId64 ", crashes %" PRId64 ", commit faults %" PRId64
	       ", pauses %" PRId64 ", clock jumps %" PRId64 "\n",
	       t->calls, t->publish_calls, t->faults, t->in_doubt, t->refreshes, t->crashes,
	       t->commit_faults, t->pauses, t->jumps);
	printf("edits %" PRId64 " (too late %" PRId64 "), drafts published %" PRId64
	       " (kept %" PRId64 "), handed in again %" PRId64 "\n",
	       t->edits, t->too_late, t->drafts, t->drafts_left, t->repeats);
	printf("cancels %" PRId64 ", retries %" PRId64 ", restores %" PRId64 " (held %" PRId64
	       ", told as in the copy %" PRId64 "), looked for after a gap %" PRId64
	       ", without an id at the end %" PRId64 "\n",
	       t->cancels, t->retries, t->restores, t->held, t->told_as_copied, t->looked_for,
	       t->nameless);
	printf("taken back %" PRId64 ": removed %" PRId64 " (by dishonest word %" PRId64
	       "), failed %" PRId64 " (OUTCOME_UNKNOWN %" PRId64 "), unsupported %" PRId64
	       ", lost by a restore %" PRId64 "; deletions sent %" PRId64 ", first by hand %" PRId64
	       ", wrong %" PRId64 ", copies that came after it %" PRId64 "\n",
	       t->unpublishes, t->removed, t->removed_and_seen, t->removals_failed,
	       t->removals_unknown, t->unsupported, t->removals_lost, t->deletions,
	       t->removed_by_hand, t->removed_wrongly, t->after_removal);
	printf("of the seeds %" PRId64
	       " with accounts that two users have connected; in order %" PRId64
	       " pairs of posts (%" PRId64 " of two users)\n",
	       t->twin_seeds, t->orders, t->twin_orders);
	printf("of the seeds %" PRId64 " with several nodes: stops %" PRId64 ", moves %" PRId64
	       ", lanes taken over %" PRId64 ", answers that came after the lease was lost %" PRId64
	       "\n",
	       t->node_seeds, t->stops, t->moves, t->takeovers, t->lost_fences);
	printf("lost %" PRId64 ", doubled %" PRId64 ", dishonest %" PRId64 ", violations %" PRId64
	       "\n",
	       t->lost, t->doubled, t->dishonest, t->violations);
}

/* I7: a run in which nothing happened proves nothing. One seed alone may be a calm one. */
static bool did_enough(const struct totals *t)
{
	const bool did_nodes = t->node_seeds < 20 || (t->stops > 0 && t->moves > 0 &&
						      t->takeovers > 0 && t->lost_fences > 0);
	return did_nodes && t->removed > 0 && t->unsupported > 0 && t->published > 0 &&
	       t->failed > 0 && t->crashes > 0 && t->in_doubt > 0 && t->unknown > 0 &&
	       t->partial > 0 && t->refreshes > 0;
}

static int judge(const struct options *options, const struct totals *totals)
{
	print_totals(totals);
	if (options->expects_caught) {
		const bool is_caught = harm_done(options->mutant, totals) > 0;
		printf("mutant %s %s\n", mutant_name(options->mutant),
		       is_caught ? "caught" : "NOT CAUGHT");
		return is_caught ? 0 : 1;
	}
	if (!options->is_single && options->seeds >= 100 && !did_enough(totals)) {
		printf("too little happened for a verdict\n");
		return 1;
	}
	return totals->violations > 0 ? 1 : 0;
}

/* ---- options ---- */

static const char usage[] =
	"sim [--seeds N] [--first S] [--jobs N]   run seeds S .. S+N-1 (1,000 from 1)\n"
	"sim --seed S [--trace]                  replay one\n"
	"    --nodes                             only the seeds with several nodes\n"
	"    --hashes                            print each seed's trace hash: two programs that "
	"print the\n"
	"                                        same behave the same\n"
	"    --mutant NAME [--expect-caught]     with a broken engine: send-before-commit, "
	"retry-on-500,\n"
	"                                        lost-is-never-sent, delete-without-intent,\n"
	"                                        remove-unasked, lost-is-removed\n";

static bool take_mutant(const char *name, struct options *options)
{
	for (int mutant = 0; mutant < MUTANT_COUNT; mutant++) {
		if (name != NULL && strcmp(name, mutant_name((enum mutant)mutant)) == 0) {
			options->mutant = (enum mutant)mutant;
			return true;
		}
	}
	return false;
}

static bool take_number(const char *text, uint64_t *out)
{
	return text != NULL && str_parse_u64(str_of(text), out);
}

/* Takes one option and its value; *at moves over what was taken. */
static bool take_option(char *const *arguments, int *at, struct options *options)
{
	const char *name = arguments[*at];
	const char *value = arguments[*at + 1];
	uint64_t jobs = 0;
	if (strcmp(name, "--trace") == 0)
		return options->prints = true;
	if (strcmp(name, "--nodes") == 0)
		return options->has_nodes_only = true;
	if (strcmp(name, "--hashes") == 0)
		return options->prints_hashes = true;
	if (strcmp(name, "--expect-caught") == 0)
		return options->expects_caught = true;
	(*at)++;
	if (strcmp(name, "--seeds") == 0)
		return take_number(value, &options->seeds);
	if (strcmp(name, "--first") == 0)
		return take_number(value, &options->first);
	if (strcmp(name, "--mutant") == 0)
		return take_mutant(value, options);
	if (strcmp(name, "--jobs") == 0) {
		const bool is_number = take_number(value, &jobs) && jobs >= 1 && jobs <= JOBS_MAX;
		options->jobs = (int64_t)jobs;
		return is_number;
	}
	if (strcmp(name, "--seed") != 0)
		return false;
	options->seeds = 1;
	options->is_single = true;
	return take_number(value, &options->first);
}

int main(int argc, char **argv)
{
	struct options options = {.first = 1,
				  .seeds = 1000,
				  .jobs = sysconf(_SC_NPROCESSORS_ONLN),
				  .checks_hash = true};
	if (options.jobs > JOBS_MAX)
		options.jobs = JOBS_MAX;
	for (int at = 1; at < argc; at++) {
		if (!take_option(argv, &at, &options)) {
			fputs(usage, stderr);
			return 2;
		}
	}
	if (options.is_single || options.expects_caught)
		options.jobs = 1;
	use_plain_memory();
	shared_clock_install();
	const struct totals totals = options.jobs > 1 ? run_jobs(&options) : run_share(&options, 0);
	return judge(&options, &totals);
}
