// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon's cost of a call stack, from a sample's record to the node of the
 * live stack file. The simulated program has some thousand functions, each of
 * which calls a few others, most often its first. Consecutive samples of a
 * program differ in a few of the innermost calls.
 */
#include "bench/bench.h"

#include "daemon/filing/stack_keep.h"
#include "lib/file.h"
#include "lib/log.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_SAMPLES     200000u
#define NR_ROUNDS      5
#define NR_FUNCTIONS   3000u
#define NR_CALLEES     6u
#define NR_PROGRAMS    8u
#define DEPTH	       20u
#define FUNCTION_BYTES 256u

struct stack {
	struct oprof_sample sample;
	struct oprof_frame callers[DEPTH];
};

static char folder[PATH_MAX / 2];
static struct image images[NR_PROGRAMS + 1];
static struct stack *stacks;
static uint32_t starts[NR_FUNCTIONS];

/* ---- a source ---- */

static const struct image *find_image(const struct source *source, uint32_t cookie)
{
	(void)source;
	return cookie && cookie <= NR_PROGRAMS ? &images[cookie] : NULL;
}

/* Searches the starts of functions, as a code table does. */
static uint64_t find_function(const struct source *source, uint32_t cookie, uint64_t offset)
{
	size_t low = 0, high = NR_FUNCTIONS;

	(void)source;
	(void)cookie;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return starts[low - 1];
}

static const struct source_ops ops = {.image = find_image, .function = find_function};
static const struct source source = {.ops = &ops};

static int place(void *context, const struct sample_key *key, struct placement *placement)
{
	(void)context;
	memset(&placement->identity, 0, sizeof(placement->identity));
	placement->identity.event = "cycles";
	placement->identity.period_or_hz = 1000;
	placement->name.tgid = placement->name.tid = placement->name.cpu = placement->name.cgroup =
		SAMPLE_NAME_ALL;
	return placement_path(&placement->name.app, &images[key->app]);
}

static void set_aside(void *context, uint64_t nr_stacks)
{
	(void)context;
	(void)nr_stacks;
	bench_fail("the stack file", EIO);
}

/* ---- samples ---- */

/* Returns the return address of call number `call` in function number `function`. */
static uint64_t call_of(uint32_t function, uint32_t call)
{
	return (uint64_t)function * FUNCTION_BYTES + 32 + call * 8;
}

static uint32_t callee_of(uint32_t function, uint32_t call)
{
	uint64_t state = (uint64_t)function << 8 | call;

	return (uint32_t)(bench_random(&state) % NR_FUNCTIONS);
}

/* Returns a callee, most often the first one. */
static uint32_t pick_callee(uint64_t *random)
{
	uint32_t callee = 0;

	while (callee + 1 < NR_CALLEES && bench_random(random) % 3 == 0)
		callee++;
	return callee;
}

static void make_stacks(void)
{
	uint32_t functions[NR_PROGRAMS + 1][DEPTH + 1] = {{0}};
	uint32_t calls[NR_PROGRAMS + 1][DEPTH] = {{0}};
	uint64_t random = 1;

	for (uint32_t i = 0; i < NR_SAMPLES; i++) {
		uint32_t cookie = 1 + (uint32_t)(bench_random(&random) % NR_PROGRAMS);
		struct stack *stack = &stacks[i];
		uint32_t from = DEPTH - (uint32_t)(bench_random(&random) % 6);

		if (bench_random(&random) % 50 == 0)
			from = 0;
		for (uint32_t k = from; k < DEPTH; k++) {
			calls[cookie][k] = pick_callee(&random);
			functions[cookie][k + 1] =
				callee_of(functions[cookie][k], calls[cookie][k]);
		}
		stack->sample = (struct oprof_sample){
			.head = {.type = OPROF_RECORD_SAMPLE, .size_bytes = sizeof(*stack)},
			.weight = 1000,
			.chain_kind = OPROF_CHAIN_FRAME_POINTERS,
			.nr_frames = DEPTH,
			.leaf = {.image = cookie,
				 .offset = (uint64_t)functions[cookie][DEPTH] * FUNCTION_BYTES +
					   bench_random(&random) % FUNCTION_BYTES},
		};
		for (uint32_t k = 0; k < DEPTH; k++)
			stack->callers[DEPTH - 1 - k] = (struct oprof_frame){
				.image = cookie,
				.offset = call_of(functions[cookie][k], calls[cookie][k])};
	}
}

/* ---- lines ---- */

static uint64_t add_all(struct stack_keep *keep)
{
	uint64_t begin = bench_thread_ns();

	for (uint32_t i = 0; i < NR_SAMPLES; i++) {
		const struct sample_key key = {.image = stacks[i].sample.leaf.image,
					       .app = stacks[i].sample.leaf.image,
					       .kind = SAMPLE_OF_APP};

		if (stack_keep_add(keep, &key, OPROF_IMAGE_NONE, &stacks[i].sample, 1000) < 0)
			bench_fail("stack_keep_add", EIO);
	}
	return bench_thread_ns() - begin;
}

/* The first samples of an epoch create nodes; repeated samples find these nodes. */
static void bench_adding(struct stack_keep *keep)
{
	uint64_t making = UINT64_MAX, finding = UINT64_MAX, ns;

	for (uint64_t epoch = 1; epoch <= NR_ROUNDS; epoch++) {
		stack_keep_begin_epoch(keep, epoch);
		ns = add_all(keep);
		making = ns < making ? ns : making;
		ns = add_all(keep);
		finding = ns < finding ? ns : finding;
	}
	printf("# %u stacks, %u callers each: %.2f MB of live file\n", NR_SAMPLES, DEPTH,
	       (double)stack_keep_nr_bytes(keep) / (1 << 20));
	if (bench_wanted("stack_keep_new_20"))
		bench_print("stack_keep_new_20", (double)making / NR_SAMPLES, "ns");
	if (bench_wanted("stack_keep_20"))
		bench_print("stack_keep_20", (double)finding / NR_SAMPLES, "ns");
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	struct stack_keep_config config = {.session_path = folder,
					   .meta_path = folder,
					   .nr_bytes_max = STACK_KEEP_BYTES_MAX,
					   .source = &source,
					   .place = place,
					   .set_aside = set_aside};
	struct stack_keep *keep;

	bench_init(argc, argv);
	if (!bench_wanted("stack_keep_20") && !bench_wanted("stack_keep_new_20"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	stacks = calloc(NR_SAMPLES, sizeof(*stacks));
	if (!stacks || !mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	log_init("bench", LOG_LEVEL_ERROR);
	for (uint32_t i = 0; i < NR_FUNCTIONS; i++)
		starts[i] = i * FUNCTION_BYTES;
	for (uint32_t i = 1; i <= NR_PROGRAMS; i++) {
		static char paths[NR_PROGRAMS + 1][32];

		snprintf(paths[i], sizeof(paths[i]), "/bin/program%u", i);
		images[i] = (struct image){.cookie = i, .kind = OPROF_IMAGE_FILE, .path = paths[i]};
	}
	make_stacks();
	if (stack_keep_create(&keep, &config))
		bench_fail("memory", -ENOMEM);
	bench_adding(keep);
	stack_keep_destroy(keep);
	free(stacks);
	return EXIT_SUCCESS;
}
