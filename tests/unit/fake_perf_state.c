// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/fake_perf_state.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

struct fake_perf_state fake_perf_state;

struct perf_state {
	struct record_sink *sink;
	void (*between)(void *context);
	void *between_context;
};

static struct perf_state the_state;

int perf_state_create(struct perf_state **state, const struct perf_state_config *config,
		      struct diag *diag)
{
	(void)diag;
	the_state.sink = config->sink;
	the_state.between = config->between;
	the_state.between_context = config->between_context;
	fake_perf_state.kernel = config->kernel;
	fake_perf_state.regs = config->regs;
	*state = &the_state;
	return 0;
}

void perf_state_destroy(struct perf_state *state)
{
	(void)state;
}

static uint64_t nr_applied(void)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < FAKE_TYPES; i++)
		nr += fake_perf_state.nr_items[i];
	return nr;
}

int perf_state_scan(struct perf_state *state, const pid_t *pids, size_t nr_pids)
{
	const struct timespec pause = {0, 5000000};
	uint64_t before = nr_applied();

	(void)pids;
	for (unsigned int i = 0; i < fake_perf_state.nr_between; i++) {
		(void)nanosleep(&pause, NULL);
		state->between(state->between_context);
	}
	fake_perf_state.nr_items_in_scan = nr_applied() - before;
	fake_perf_state.nr_scans++;
	fake_perf_state.nr_scan_pids = nr_pids;
	return 0;
}

void perf_state_doubt(struct perf_state *state, uint64_t from_ns, uint64_t until_ns)
{
	(void)state;
	fake_perf_state.nr_doubts += from_ns < until_ns;
}

void perf_state_lose_switches(struct perf_state *state, uint64_t from_ns, uint64_t until_ns,
			      uint64_t nr_records)
{
	(void)state;
	fake_perf_state.nr_switches_lost += nr_records;
	fake_perf_state.nr_switch_gaps += from_ns <= until_ns;
}

void perf_state_tell_switches_lost(struct perf_state *state, uint64_t time_ns)
{
	(void)state;
	(void)time_ns;
}

static void fake_tid(int32_t tid)
{
	struct fake_perf_state *fake = &fake_perf_state;
	size_t i = 0;

	while (i < fake->nr_tids && fake->tids[i] != tid)
		i++;
	if (i == fake->nr_tids && i < FAKE_TIDS)
		fake->tids[fake->nr_tids++] = tid;
}

static void fake_sample(struct perf_state *state, const struct perf_item *item)
{
	struct oprof_sample sample = {
		.head = {.type = OPROF_RECORD_SAMPLE, .size_bytes = sizeof(sample)},
		.time_ns = item->time_ns,
		.event = item->event,
		.leaf = {.offset = item->u.sample.ip},
	};

	fake_tid(item->tid);
	fake_perf_state.weight += item->u.sample.period;
	fake_perf_state.nr_chain_frames += item->u.sample.nr_chain;
	fake_perf_state.nr_cgroups += !!item->u.sample.cgroup;
	fake_perf_state.nr_stacks += item->u.sample.stack_bytes && item->u.sample.nr_regs;
	fake_perf_state.nr_kernel_samples +=
		(item->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	state->sink->record(state->sink, &sample.head);
}

static void fake_watched(const struct perf_item *item)
{
	struct fake_perf_state *fake = &fake_perf_state;

	fake->watched_samples += item->type == PERF_RECORD_SAMPLE;
	fake->watched_execs += item->type == PERF_RECORD_COMM && item->u.comm.exec;
	fake->watched_exits += item->type == PERF_RECORD_EXIT && item->tid == item->pid;
	fake->watched_build_ids +=
		item->type == PERF_RECORD_MMAP2 && item->u.mmap.identity.nr_build_id;
}

void perf_state_apply(struct perf_state *state, const struct perf_item *item)
{
	struct fake_perf_state *fake = &fake_perf_state;

	if (item->type < FAKE_TYPES)
		fake->nr_items[item->type]++;
	fake->nr_disordered += item->time_ns < fake->newest_ns;
	fake->newest_ns = item->time_ns;
	if (item->pid == fake->watched)
		fake_watched(item);
	if (item->type == PERF_RECORD_SAMPLE)
		fake_sample(state, item);
}

void perf_state_early(struct perf_state *state, const struct perf_item *item)
{
	(void)state;
	fake_perf_state.nr_early += item->type == PERF_RECORD_MMAP2;
}

unsigned int perf_state_tables_waiting(const struct perf_state *state)
{
	(void)state;
	return fake_perf_state.nr_tables;
}

void perf_state_wait_tables(struct perf_state *state, int timeout_ms)
{
	(void)state;
	fake_perf_state.nr_waits += timeout_ms > 0;
}

void perf_state_tend(struct perf_state *state)
{
	(void)state;
}

const struct image *perf_state_image(const struct perf_state *state, uint32_t cookie)
{
	(void)state;
	(void)cookie;
	return NULL;
}

const char *perf_state_cgroup_path(const struct perf_state *state, uint64_t cgroup)
{
	(void)state;
	(void)cgroup;
	return NULL;
}

const char *perf_state_code_name(const struct perf_state *state, uint32_t cookie, uint64_t offset)
{
	(void)state;
	(void)cookie;
	(void)offset;
	return NULL;
}

uint64_t perf_state_function(const struct perf_state *state, uint32_t cookie, uint64_t offset)
{
	(void)state;
	(void)cookie;
	return offset & ~UINT64_C(15);
}

int perf_state_save_symbols(struct perf_state *state, const char *meta_path)
{
	(void)state;
	(void)meta_path;
	return 0;
}

size_t perf_state_counters(const struct perf_state *state, struct source_counter *counters,
			   size_t room)
{
	(void)state;
	if (room) {
		counters->name = "fake";
		counters->value = 4711;
	}
	return 1;
}
