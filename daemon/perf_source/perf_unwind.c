// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks the user's part of a call chain by code tables, using the registers and the copy of the
 * stack in a sample, and the mappings of its process.
 */
#include "daemon/perf_source/perf_state_internal.h"

#include <linux/perf_event.h>

struct unwind_context {
	struct perf_state *state;
	struct process *process;
};

void perf_unwind_want(struct perf_state *state, const struct process *process,
		      struct image_entry *image, uint64_t address)
{
	int32_t pids[KEEPER_PIDS];

	if (!image_code_is_due(&state->places.code_tables, image, state->now_ns))
		return;
	perf_sample_pids(state, process, pids);
	image_keep_want_code(&state->places.keep, image, pids, address, -1, state->now_ns);
}

/*
 * In a recording: waits until the table is available, or is known to be unavailable. If the first
 * request was not accepted because the keeper's queue was full, requests the table once more when
 * the keeper has answered.
 */
static void wait_for_table(struct perf_state *state, const struct process *process,
			   struct image_entry *image, uint64_t address)
{
	const struct image_code *tables = &state->places.code_tables;
	int32_t pids[KEEPER_PIDS];

	for (int i = 0; i < 2 && state->tables_wait_ms && image_code_may_come(tables, image); i++) {
		if (!image->code_asked) {
			perf_sample_pids(state, process, pids);
			image_keep_want_code(&state->places.keep, image, pids, address, -1,
					     state->now_ns);
		}
		perf_state_wait_tables(state, state->tables_wait_ms);
		/* The time limit has passed: never wait again. */
		if (perf_state_tables_waiting(state))
			state->tables_wait_ms = 0;
	}
}

static const struct code_table *find_table(void *context, uint64_t address, uint64_t *key)
{
	const struct unwind_context *unwind = context;
	const struct mapping *mapping = space_find(unwind->process->space, address);

	*key = STACK_WALK_NO_CODE;
	if (!mapping)
		return NULL;
	*key = address - mapping->start + mapping->offset;
	perf_unwind_want(unwind->state, unwind->process, mapping->image, address);
	wait_for_table(unwind->state, unwind->process, mapping->image, address);
	return image_code_of(&unwind->state->places.code_tables, mapping->image);
}

static void note_end(struct perf_state *state, const struct stack_walk_result *result)
{
	struct perf_state_counters *counters = &state->counters;
	struct oprof_sample *sample = state->places.writer.sample;

	counters->frames_walked += result->nr_addresses;
	counters->frames_by_pointer += result->nr_by_pointer;
	switch (result->end) {
	case STACK_WALK_WHOLE:
		counters->chains_whole++;
		return;
	case STACK_WALK_TRUNCATED:
		counters->chains_truncated++;
		sample->head.flags |= OPROF_SAMPLE_CHAIN_TRUNCATED;
		return;
	case STACK_WALK_BROKEN:
		counters->chains_broken++;
		sample->head.flags |= OPROF_SAMPLE_CHAIN_BROKEN;
		return;
	}
}

/* Counts a walk that is impossible: a 32-bit program, or a process with unknown mappings. */
static void note_stuck(struct perf_state *state)
{
	const struct stack_walk_result stuck = {.end = STACK_WALK_BROKEN};

	note_end(state, &stuck);
}

/*
 * Returns how many more callers the sample can have. Its callers in the kernel have already been
 * added.
 */
static size_t room_for(const struct perf_state *state)
{
	unsigned int nr = state->places.writer.sample->nr_frames;

	return nr < state->chain_depth ? state->chain_depth - nr : 0;
}

/*
 * Adds the user-space place from which the kernel was entered, as a caller. Returns false if there
 * is no room.
 */
static bool add_entry(struct perf_state *state, struct process *process,
		      const struct perf_item *item, uint64_t pc, enum oprof_mode mode)
{
	if (mode == OPROF_MODE_USER)
		return true;
	if (!room_for(state)) {
		state->counters.chains_truncated++;
		state->places.writer.sample->head.flags |= OPROF_SAMPLE_CHAIN_TRUNCATED;
		return false;
	}
	perf_sample_add_user(state, process, item->time_ns, pc);
	return true;
}

void perf_unwind_apply(struct perf_state *state, struct process *process,
		       const struct perf_item *item, enum oprof_mode mode)
{
	struct unwind_context unwind = {state, process};
	struct stack_walk_input input;
	struct stack_walk_result result;

	/* A kernel thread has no user stack. */
	if (item->u.sample.regs_abi == PERF_SAMPLE_REGS_ABI_NONE && mode != OPROF_MODE_USER)
		return;
	state->places.writer.sample->chain_kind = OPROF_CHAIN_UNWIND_TABLES;
	if (!perf_regs_take(state->regs, item, &input) || !process || !process->space ||
	    item->time_ns < process->since_ns) {
		note_stuck(state);
		return;
	}
	if (!add_entry(state, process, item, input.pc, mode))
		return;
	input.find = find_table;
	input.context = &unwind;
	stack_walk(&input, state->callers, room_for(state), &result);
	for (size_t i = 0; i < result.nr_addresses; i++)
		perf_sample_add_user(state, process, item->time_ns, state->callers[i]);
	note_end(state, &result);
}
