// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf_source/perf_state.h"

#include "daemon/perf_source/perf_state_internal.h"
#include "daemon/places/proc_scan.h"
#include "lib/clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The last NR_WALK_COUNTERS counters describe stack walks, and exist only if stacks are walked. */
#define NR_WALK_COUNTERS 5
/*
 * Maximum number of passes over /proc in a scan of all processes. Without this limit, a scan might
 * never end, because new processes may appear all the time. FORK records describe the processes
 * that were not scanned.
 */
#define PASSES_MAX 10
/*
 * Maximum number of mappings of a space that renew_space() keeps because the process cannot be read
 * in time. Kernels usually limit the mappings of a process to this number.
 */
#define UNREAD_MAPPINGS_MAX 65536u
/*
 * longest time for which a recording waits for a code table; the keeper makes each table in less
 * time
 */
#define RECORDED_WAIT_MS 120000

/* ---- create, destroy ---- */

int perf_state_create(struct perf_state **result, const struct perf_state_config *config,
		      struct diag *diag)
{
	struct perf_state *state = calloc(1, sizeof(*state));
	struct places_config places = {
		.sink = config->sink,
		.proc_path = config->proc_path,
		.sys_path = config->sys_path,
		.kernel = config->kernel,
		.keep_images = config->keep_images,
		.keep_bytes_max = config->keep_bytes_max,
		.read_apart = config->read_apart,
		.code_tables = config->regs,
		.code_path = config->code_path,
		.recorded = config->recorded,
	};
	int error;

	if (!state)
		return diag_set(diag, -ENOMEM, "out of memory");
	state->nr_cpus = config->nr_cpus;
	state->want_cgroup = config->want_cgroup;
	state->want_switches = config->want_switches;
	state->chain_depth = config->chain_depth;
	state->regs = config->regs;
	state->tables_wait_ms = config->recorded ? RECORDED_WAIT_MS : 0;
	state->between = config->between;
	state->between_context = config->between_context;
	error = places_init(&state->places, &places, diag);
	if (!error) {
		state->last_tasks =
			calloc(state->nr_cpus ? state->nr_cpus : 1, sizeof(struct cpu_task));
		state->callers = calloc(state->chain_depth + 1, sizeof(*state->callers));
		if (task_table_init(&state->tasks) || !state->last_tasks || !state->callers)
			error = diag_set(diag, -ENOMEM, "out of memory");
	}
	if (error) {
		perf_state_destroy(state);
		return error;
	}
	*result = state;
	return 0;
}

void perf_state_destroy(struct perf_state *state)
{
	if (!state)
		return;
	places_end(&state->places);
	/*
	 * The tasks are freed before the places, because the tasks refer to images and named
	 * functions, which the places contain.
	 */
	if (state->tasks.processes.buckets)
		task_table_deinit(&state->tasks);
	places_deinit(&state->places);
	free(state->last_tasks);
	free(state->callers);
	free(state);
}

/* ---- scans ---- */

static int read_process(struct perf_state *state, int32_t tgid, struct process_scan **scan)
{
	const struct proc_scan config = {state->places.proc_path, &state->places.regions,
					 &state->tasks.nr_spaces};
	int error = proc_scan_process(&config, tgid, scan);

	if (!error && (*scan)->unread && !state->unread_due_ns)
		state->unread_due_ns = clock_monotonic_ns() + UNREAD_TURN_NS;
	return error;
}

static int scan_process(struct perf_state *state, int32_t tgid)
{
	struct process_scan *scan;
	int error = read_process(state, tgid, &scan);

	if (error)
		return error == -ESRCH ? 0 : error;
	state->counters.scanned_processes++;
	return task_table_scanned(&state->tasks, tgid, scan);
}

/*
 * Scans the processes that are in list, but not in done; both lists are ascending. Sets *nr_new to
 * the number of these processes.
 */
static int scan_new(struct perf_state *state, const struct pid_list *list,
		    const struct pid_list *done, size_t *nr_new)
{
	size_t next = 0;
	int error = 0;

	*nr_new = 0;
	for (size_t i = 0; !error && i < list->nr_pids; i++) {
		while (next < done->nr_pids && done->pids[next] < list->pids[i])
			next++;
		if (next < done->nr_pids && done->pids[next] == list->pids[i])
			continue;
		++*nr_new;
		error = scan_process(state, list->pids[i]);
		if (state->between)
			state->between(state->between_context);
	}
	return error;
}

/*
 * Repeats the scan until no new process appears. Afterwards, each live process was either scanned,
 * or forked by a process that had been scanned before.
 */
static int scan_all(struct perf_state *state)
{
	struct pid_list done = {.nr_pids = 0};
	uint64_t begin_ns = clock_monotonic_ns();
	int error = 0;

	for (int pass = 0; !error && pass < PASSES_MAX; pass++) {
		struct pid_list list;
		size_t nr_new;

		error = proc_scan_list(state->places.proc_path, &list);
		if (error)
			break;
		error = scan_new(state, &list, &done, &nr_new);
		pid_list_deinit(&done);
		done = list;
		if (!nr_new)
			break;
	}
	pid_list_deinit(&done);
	if (!error)
		task_table_end_unlisted(&state->tasks, begin_ns);
	return error;
}

/* The processes that scan_chosen() chooses among all known processes. */
struct chosen {
	const struct perf_state *state;
	bool (*is_chosen)(const struct perf_state *state, const struct process *process);
	int32_t *tgids; /* NULL: only count */
	size_t nr_tgids;
};

static void note_if_chosen(struct node *node, void *context)
{
	const struct process *process = node_owner(node, struct process, node);
	struct chosen *chosen = context;

	if (process->exited || !chosen->is_chosen(chosen->state, process))
		return;
	if (chosen->tgids)
		chosen->tgids[chosen->nr_tgids] = process->tgid;
	chosen->nr_tgids++;
}

static int scan_chosen(struct perf_state *state,
		       bool (*is_chosen)(const struct perf_state *, const struct process *))
{
	struct chosen chosen = {.state = state, .is_chosen = is_chosen};
	int error = 0;

	node_hash_walk(&state->tasks.processes, note_if_chosen, &chosen);
	if (!chosen.nr_tgids)
		return 0;
	chosen.tgids = calloc(chosen.nr_tgids, sizeof(*chosen.tgids));
	if (!chosen.tgids)
		return -ENOMEM;
	chosen.nr_tgids = 0;
	node_hash_walk(&state->tasks.processes, note_if_chosen, &chosen);
	for (size_t i = 0; !error && i < chosen.nr_tgids; i++) {
		error = scan_process(state, chosen.tgids[i]);
		if (state->between)
			state->between(state->between_context);
	}
	free(chosen.tgids);
	return error;
}

static bool is_doubtful(const struct perf_state *state, const struct process *process)
{
	return !process->scan && process->ground_ns < state->doubt_until_ns;
}

static bool is_unread(const struct process *process)
{
	return process->scan ? process->scan->unread : process->unread;
}

/*
 * Returns whether the process could not be read, but no process with its pid is an offender
 * (unread.h).
 */
static bool is_unread_innocent(const struct perf_state *state, const struct process *process)
{
	return is_unread(process) &&
	       !unread_is_offender(&state->places.reader.unread, process->tgid);
}

static bool is_unread_offender(const struct perf_state *state, const struct process *process)
{
	return is_unread(process) &&
	       unread_is_offender(&state->places.reader.unread, process->tgid);
}

int perf_state_scan(struct perf_state *state, const pid_t *pids, size_t nr_pids)
{
	int error = 0;

	if (!pids)
		error = scan_all(state);
	for (size_t i = 0; pids && !error && i < nr_pids; i++)
		error = scan_process(state, pids[i]);
	/*
	 * Scan all known processes that are in doubt, not only the requested ones. Otherwise a
	 * descendant of a requested process would stay in doubt until its next exec.
	 */
	if (pids && !error)
		error = scan_chosen(state, is_doubtful);
	return error || !state->want_cgroup
		       ? error
		       : cgroup_names_scan(&state->places.cgroups, state->places.proc_path);
}

void perf_state_doubt(struct perf_state *state, uint64_t from_ns, uint64_t until_ns)
{
	if (!state->doubt_until_ns || from_ns < state->doubt_from_ns)
		state->doubt_from_ns = from_ns;
	if (until_ns > state->doubt_until_ns)
		state->doubt_until_ns = until_ns;
	/*
	 * An exit record may have been lost, and its task would then count as waiting. Therefore
	 * the switches in this time range count as lost, too.
	 */
	perf_state_lose_switches(state, from_ns, until_ns, 0);
}

/* ---- items ---- */

/*
 * Returns the process that an item updates; NULL if the process is unknown, or if its data is newer
 * than the item's time.
 */
static struct process *process_of(struct perf_state *state, const struct perf_item *item)
{
	struct process *process = task_table_find(&state->tasks, item->pid, item->time_ns);

	if (process && process_is_newer(process, item->time_ns)) {
		state->counters.old_records++;
		return NULL;
	}
	return process;
}

static int map(struct perf_state *state, struct process *process, const struct perf_item *item)
{
	struct region_told told = {
		.start = item->u.mmap.start,
		.end = item->u.mmap.start + item->u.mmap.nr_bytes,
		.file_offset = item->u.mmap.file_offset,
		.path = item->u.mmap.path,
		.tgid = item->pid,
		.exec_image = process->app_wanted,
		.time_ns = item->time_ns,
		.identity = item->u.mmap.identity,
	};
	struct mapping mapping;
	int error = region_make(&state->places.regions, &told, &mapping);

	if (error)
		return error;
	error = space_map(&process->space, &mapping);
	if (state->regs)
		perf_unwind_want(state, process, mapping.image, mapping.start);
	if (process->app_wanted && mapping.image->image.kind == OPROF_IMAGE_FILE) {
		process->app = image_get(mapping.image);
		process->app_wanted = false;
	}
	image_put(mapping.image);
	return error;
}

/*
 * Renews an address space. Call this if most of its known mappings no longer exist, because no
 * record reports that a mapping was removed. Records that are still queued use the old space; later
 * records use the mappings that /proc shows now.
 *
 * If the mappings cannot be read from /proc in time, the process keeps the old space until the
 * space has doubled or has more than UNREAD_MAPPINGS_MAX mappings. If the space is that large, or
 * if the mappings cannot be read for another reason, all records use an empty space.
 */
static int renew_space(struct perf_state *state, struct process *process)
{
	struct process_scan *scan;
	struct space *empty;
	bool unread = false;

	state->counters.renewed_spaces++;
	if (!read_process(state, process->tgid, &scan)) {
		if (scan->space)
			return task_table_scanned(&state->tasks, process->tgid, scan);
		unread = scan->unread;
		process_scan_destroy(scan);
	}
	process->unread = unread;
	if (unread && process->space->nr_mappings <= UNREAD_MAPPINGS_MAX) {
		process->space->nr_real = process->space->nr_mappings;
		return 0;
	}
	empty = space_create(&state->tasks.nr_spaces);
	if (!empty)
		return -ENOMEM;
	space_put(process->space);
	process->space = empty;
	return 0;
}

/*
 * Returns whether the mapping has no code. Such a mapping is applied only to remove code that was
 * mapped at its addresses before.
 */
static bool is_data(const struct perf_item *item)
{
	return (item->misc & PERF_RECORD_MISC_MMAP_DATA) ||
	       (item->type == PERF_RECORD_MMAP2 && !(item->u.mmap.prot & PROT_EXEC));
}

static void apply_mmap(struct perf_state *state, const struct perf_item *item)
{
	uint64_t end = item->u.mmap.start + item->u.mmap.nr_bytes;
	struct process *process;
	int error;

	state->counters.mmap_records++;
	if ((item->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
	    end <= item->u.mmap.start)
		return;
	process = process_of(state, item);
	if (!process || !process->space) {
		state->counters.unknown_mmaps++;
		return;
	}
	if (is_data(item)) {
		struct mapping cut = {.start = item->u.mmap.start, .end = end};

		error = space_map(&process->space, &cut);
	} else {
		error = map(state, process, item);
	}
	if (!error && !process->scan && space_is_overgrown(process->space))
		error = renew_space(state, process);
	if (error) {
		/*
		 * The process loses its space, which is better than a space with mappings that no
		 * longer exist.
		 */
		state->tasks.lost_memory++;
		space_put(process->space);
		process->space = NULL;
	}
	perf_sample_note_task(state, item->cpu, process, item->tid);
}

static void apply_comm(struct perf_state *state, const struct perf_item *item)
{
	state->counters.comm_records++;
	if (!item->u.comm.exec || item->pid <= 0)
		return;
	task_table_exec(&state->tasks, item->pid, item->time_ns);
	perf_sample_note_task(state, item->cpu,
			      task_table_find(&state->tasks, item->pid, item->time_ns), item->tid);
}

static void apply_fork(struct perf_state *state, const struct perf_item *item)
{
	state->counters.fork_records++;
	if (item->pid <= 0 || item->tid <= 0)
		return;
	task_table_fork(&state->tasks, item->pid, item->tid, item->u.task.ppid, item->time_ns);
	/* The kernel writes a FORK record on the CPU on which the parent runs. */
	perf_sample_note_task(state, item->cpu,
			      task_table_find(&state->tasks, item->u.task.ppid, item->time_ns),
			      item->u.task.ptid);
}

static void apply_exit(struct perf_state *state, const struct perf_item *item)
{
	state->counters.exit_records++;
	if (item->pid <= 0)
		return;
	/* Later samples of this task have no pid, so the task is recorded as the CPU's last one. */
	perf_sample_note_task(state, item->cpu,
			      task_table_find(&state->tasks, item->pid, item->time_ns), item->tid);
	task_table_exit(&state->tasks, item->pid, item->tid, item->time_ns);
}

static void apply_ksymbol(struct perf_state *state, const struct perf_item *item)
{
	state->counters.ksymbol_records++;
	if (item->u.ksymbol.unregister)
		kernel_map_remove_made(&state->places.kernel.map, item->u.ksymbol.start);
	else if (kernel_map_add_made(&state->places.kernel.map, item->u.ksymbol.start,
				     item->u.ksymbol.nr_bytes, item->u.ksymbol.name))
		state->tasks.lost_memory++;
}

static void apply_cgroup(struct perf_state *state, const struct perf_item *item)
{
	int error =
		cgroup_names_add(&state->places.cgroups, item->u.cgroup.id, item->u.cgroup.path);

	state->counters.cgroup_records++;
	if (!error && cgroup_names_are_old(&state->places.cgroups))
		error = cgroup_names_renew(&state->places.cgroups, state->places.proc_path);
	if (error)
		state->tasks.lost_memory++;
}

void perf_state_apply(struct perf_state *state, const struct perf_item *item)
{
	state->now_ns = item->time_ns;
	/* Between items there is no unfinished record, so no record refers to released places. */
	places_release(&state->places);
	switch (item->type) {
	case PERF_RECORD_SAMPLE:
		perf_sample_apply(state, item);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		apply_mmap(state, item);
		break;
	case PERF_RECORD_COMM:
		apply_comm(state, item);
		break;
	case PERF_RECORD_FORK:
		apply_fork(state, item);
		break;
	case PERF_RECORD_EXIT:
		apply_exit(state, item);
		break;
	case PERF_RECORD_KSYMBOL:
		apply_ksymbol(state, item);
		break;
	case PERF_RECORD_CGROUP:
		apply_cgroup(state, item);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		perf_switch_apply(state, item);
		break;
	default:
		/*
		 * Records of side-band losses need no work here: the reader of the rings requests a
		 * scan.
		 */
		break;
	}
}

/*
 * Requests a table only if the record has a build-id: only then is it certain that the mapping will
 * have the same image when its record is applied.
 */
void perf_state_early(struct perf_state *state, const struct perf_item *item)
{
	const struct oprof_image_identity *identity = &item->u.mmap.identity;
	int32_t pids[KEEPER_PIDS] = {item->pid};
	struct image_entry *entry;

	if (!identity->nr_build_id || is_data(item) || item->u.mmap.path[0] != '/' ||
	    region_is_unfiled(item->u.mmap.path))
		return;
	entry = region_file_image(&state->places.regions, item->u.mmap.path, identity);
	if (!entry)
		return;
	if (image_code_is_due(&state->places.code_tables, entry, item->time_ns))
		image_keep_want_code(&state->places.keep, entry, pids, item->u.mmap.start, -1,
				     item->time_ns);
	image_put(entry);
}

unsigned int perf_state_tables_waiting(const struct perf_state *state)
{
	return state->places.keep.nr_tables;
}

void perf_state_wait_tables(struct perf_state *state, int timeout_ms)
{
	image_keep_wait_code(&state->places.keep, timeout_ms);
}

void perf_state_hurry(struct perf_state *state)
{
	state->tables_wait_ms = 0;
}

void perf_state_tend(struct perf_state *state)
{
	const uint64_t now_ns = clock_monotonic_ns();

	image_keep_tend(&state->places.keep, now_ns);
	if (!state->unread_due_ns || now_ns < state->unread_due_ns)
		return;
	state->unread_due_ns = 0;
	/*
	 * A minute has passed, so the budgets of waiting (unread.h) have begun again. The offenders
	 * are read last, so that they do not use up the budgets before the other processes are
	 * read.
	 */
	if (scan_chosen(state, is_unread_innocent) || scan_chosen(state, is_unread_offender))
		state->tasks.lost_memory++;
}

/* ---- look-ups ---- */

const struct image *perf_state_image(const struct perf_state *state, uint32_t cookie)
{
	return places_image(&state->places, cookie);
}

const char *perf_state_cgroup_path(const struct perf_state *state, uint64_t cgroup)
{
	return cgroup_names_find(&state->places.cgroups, cgroup);
}

const char *perf_state_code_name(const struct perf_state *state, uint32_t cookie, uint64_t offset)
{
	return places_code_name(&state->places, cookie, offset);
}

uint64_t perf_state_function(const struct perf_state *state, uint32_t cookie, uint64_t offset)
{
	return places_function(&state->places, cookie, offset);
}

int perf_state_save_symbols(struct perf_state *state, const char *meta_path)
{
	return places_save_symbols(&state->places, meta_path);
}

size_t perf_state_unread(const struct perf_state *state, struct source_unread *list, size_t room,
			 uint64_t *nr_late)
{
	return places_unread(&state->places, list, room, nr_late);
}

uint64_t perf_state_children_cpu_ns(const struct perf_state *state)
{
	return places_children_cpu_ns(&state->places);
}

size_t perf_state_counters(const struct perf_state *state, struct source_counter *counters,
			   size_t room)
{
	const struct perf_state_counters *own = &state->counters;
	const struct source_counter all[] = {
		{"mmap_records", own->mmap_records},
		{"comm_records", own->comm_records},
		{"fork_records", own->fork_records},
		{"exit_records", own->exit_records},
		{"cgroup_records", own->cgroup_records},
		{"ksymbol_records", own->ksymbol_records},
		{"unknown_mmaps", own->unknown_mmaps},
		{"old_records", own->old_records},
		{"renewed_spaces", own->renewed_spaces},
		{"scanned_processes", own->scanned_processes},
		{"switch_records", own->switch_records},
		{"unknown_switches", own->unknown_switches},
		{"processes_met", state->tasks.last_generation - TASK_IDLE_GENERATION},
		{"state_lost_memory", state->tasks.lost_memory},
		{"chains_whole", own->chains_whole},
		{"chains_truncated", own->chains_truncated},
		{"chains_broken", own->chains_broken},
		{"frames_walked", own->frames_walked},
		{"frames_by_pointer", own->frames_by_pointer},
	};
	size_t nr = sizeof(all) / sizeof(all[0]) - (state->regs ? 0 : NR_WALK_COUNTERS);

	if (room)
		memcpy(counters, all, (nr < room ? nr : room) * sizeof(all[0]));
	return nr + places_counters(&state->places, nr < room ? counters + nr : NULL,
				    nr < room ? room - nr : 0);
}
