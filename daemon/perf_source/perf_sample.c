// SPDX-License-Identifier: GPL-2.0-or-later
/* Applies samples: finds the task of each sample, and the place in an image for each address. */
#include "daemon/perf_source/perf_state_internal.h"

#include <linux/perf_event.h>
#include <string.h>

#define KERNEL_HALF (UINT64_C(1) << 63)

/* Limit of one program's regions. A virtual machine that executes bytecode has fewer. */
#define REGIONS_MAX 64u

/* This marker is followed by a cookie for frames that the kernel delivers later (Linux 6.19). */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)

/* A successful search returns FOUND; a failed search returns the reason of the loss. */
#define FOUND OPROF_LOST_NR

/* Limit of the number of ancestors that are searched for the process that generated the code. */
#define FORKS_MAX 8u

static void note(struct perf_state *state, uint32_t cpu, const struct cpu_task *task)
{
	struct cpu_task *last = &state->last_tasks[cpu];

	if (task->app != last->app) {
		if (task->app)
			image_get(task->app);
		image_put(last->app);
	}
	*last = *task;
}

void perf_sample_note_task(struct perf_state *state, uint32_t cpu, const struct process *process,
			   int32_t tid)
{
	if (cpu >= state->nr_cpus || !process || !process->generation)
		return;
	note(state, cpu, &(struct cpu_task){process->tgid, tid, process->generation, process->app});
}

static void note_idle(struct perf_state *state, uint32_t cpu)
{
	note(state, cpu, &(struct cpu_task){.generation = TASK_IDLE_GENERATION});
}

/* Returns the process of the CPU's last known task if it still exists; otherwise NULL. */
static struct process *last_process(struct perf_state *state, const struct cpu_task *last,
				    uint64_t time_ns)
{
	struct process *process = task_table_find(&state->tasks, last->tgid, time_ns);

	return process && process->generation == last->generation ? process : NULL;
}

bool perf_sample_is_doubtful(const struct perf_state *state, const struct process *process,
			     uint64_t time_ns)
{
	return process->ground_ns < state->doubt_until_ns && time_ns >= state->doubt_from_ns;
}

/*
 * Finds the sample's task and records it as the CPU's last task. *process is set to NULL if only
 * kernel addresses can be resolved.
 */
static enum oprof_lost find_task(struct perf_state *state, const struct perf_item *item,
				 enum oprof_mode mode, struct process **process, uint16_t *flags)
{
	*process = NULL;
	if (item->pid == 0) {
		if (mode == OPROF_MODE_USER)
			return OPROF_LOST_OTHER_NAMESPACE;
		note_idle(state, item->cpu);
		return FOUND;
	}
	if (item->pid < 0) {
		const struct cpu_task *last = &state->last_tasks[item->cpu];

		if (!last->generation)
			return OPROF_LOST_NO_TASK;
		*flags |= OPROF_SAMPLE_TASK_GUESSED;
		*process = last_process(state, last, item->time_ns);
		return *process && perf_sample_is_doubtful(state, *process, item->time_ns)
			       ? OPROF_LOST_SIDE_BAND
			       : FOUND;
	}
	*process = task_table_find(&state->tasks, item->pid, item->time_ns);
	/*
	 * If the sample is older than the known process, it belongs to an earlier program or
	 * process of this pid.
	 */
	if (!*process || process_is_newer(*process, item->time_ns))
		return OPROF_LOST_NO_TASK;
	if (perf_sample_is_doubtful(state, *process, item->time_ns))
		return OPROF_LOST_SIDE_BAND;
	perf_sample_note_task(state, item->cpu, *process, item->tid > 0 ? item->tid : item->pid);
	return FOUND;
}

/* ---- addresses ---- */

/*
 * Returns the region of this process that contains mapping, and takes a reference on it; NULL if
 * out of memory. Each region needs an image and a file on disk, and a program may generate code at
 * ever new addresses. When a process has REGIONS_MAX regions, all its other generated code
 * therefore belongs to one region that begins at address 0.
 */
static struct image_entry *region_of(struct perf_state *state, struct process *process,
				     const struct mapping *mapping)
{
	const char *name = mapping->image->image.path;
	uint64_t start = mapping->start - mapping->offset;
	struct image_entry *entry = image_table_find_region(&state->places.images, name,
							    process->tgid, start, mapping->end);

	if (entry)
		return entry;
	if (process->nr_regions >= REGIONS_MAX) {
		entry = image_table_find_region(&state->places.images, "anon", process->tgid, 0,
						KERNEL_HALF);
		if (entry)
			return entry;
		entry = image_table_get_region(&state->places.images, "anon", process->tgid, 0,
					       KERNEL_HALF);
	} else {
		entry = image_table_get_region(&state->places.images, name, process->tgid, start,
					       mapping->end);
	}
	if (entry && process_keep_region(process, entry)) {
		image_put(entry);
		return NULL;
	}
	return entry;
}

static struct code_lookup place_of(const struct process *process, uint64_t time_ns,
				   uint64_t address)
{
	return (struct code_lookup){
		.tgid = process->tgid,
		.exited = process->exited,
		.since_ns = process->scanned_ns ? 0 : process->since_ns,
		.time_ns = time_ns,
		.address = address,
		.space = process->space,
	};
}

/*
 * Called for a forked process: searches its ancestors for generated code that it inherited, such as
 * code that a server made before it forked its workers. The perf map or jitdump of such code
 * belongs to the ancestor, and may never have been read. The ancestors' files are therefore read
 * now, once, beginning with the oldest ancestor.
 */
static void inherit_code(struct perf_state *state, struct process *process, uint64_t time_ns,
			 uint64_t address)
{
	struct process *heirs[FORKS_MAX];
	unsigned int nr = 0;
	uint32_t number;

	while (process && process->forked && nr < FORKS_MAX) {
		process->forked = false;
		heirs[nr++] = process;
		process = task_table_find(&state->tasks, process->parent_tgid, time_ns);
	}
	/* The oldest process's parent is unknown: begin with the oldest process itself. */
	if (!process && nr)
		process = heirs[--nr];
	if (!process)
		return;
	while (nr) {
		struct process *heir = heirs[--nr];
		struct code_lookup place = place_of(process, time_ns, address);

		/*
		 * The heir inherits code only if it runs the same program as the process, and has
		 * no perf map or jitdump of its own.
		 */
		if (process->app == heir->app && process->since_ns <= heir->since_ns &&
		    !code_space_has_files(heir->code)) {
			(void)code_space_find(&process->code, &state->places.code, &place, &number);
			code_space_destroy(heir->code);
			heir->code = code_space_fork(process->code);
		}
		process = heir;
	}
}

/*
 * Sets *frame if address is in code that a perf map or a jitdump of the process names. Returns
 * whether *frame was set.
 */
static bool code_frame(struct perf_state *state, struct process *process, uint64_t time_ns,
		       uint64_t address, struct oprof_frame *frame)
{
	struct code_lookup place = place_of(process, time_ns, address);
	uint32_t number;
	bool found = code_space_find(&process->code, &state->places.code, &place, &number);

	if (!found && process->forked) {
		inherit_code(state, process, time_ns, address);
		found = code_space_find(&process->code, &state->places.code, &place, &number);
	}
	return found && image_frame(state->places.jit, number, OPROF_MODE_USER, frame) == FOUND;
}

static enum oprof_lost region_frame(struct perf_state *state, struct process *process,
				    const struct mapping *mapping, uint64_t address,
				    struct oprof_frame *frame)
{
	struct image_entry *entry = region_of(state, process, mapping);
	enum oprof_lost lost;

	if (!entry)
		return OPROF_LOST_MEMORY;
	lost = image_frame(entry, address - entry->image.start, OPROF_MODE_USER, frame);
	image_put(entry);
	return lost;
}

void perf_sample_pids(struct perf_state *state, const struct process *process, int32_t *pids)
{
	memset(pids, 0, KEEPER_PIDS * sizeof(*pids));
	for (int i = 0; i < KEEPER_PIDS && process; i++) {
		pids[i] = process->tgid;
		process = process->parent_tgid
				  ? task_table_find(&state->tasks, process->parent_tgid,
						    state->now_ns)
				  : NULL;
	}
}

/*
 * Requests that the image's symbols are saved if reports may not find the image later. process maps
 * the image at address.
 */
static void keep_image(struct perf_state *state, const struct process *process,
		       const struct mapping *mapping, uint64_t address)
{
	int32_t pids[KEEPER_PIDS];

	if (mapping->image->image.kind != OPROF_IMAGE_FILE)
		return;
	perf_sample_pids(state, process, pids);
	image_keep_want(&state->places.keep, mapping->image, pids, address, -1, state->now_ns);
}

static enum oprof_lost user_frame(struct perf_state *state, struct process *process,
				  uint64_t time_ns, uint64_t address, struct oprof_frame *frame)
{
	const struct mapping *mapping;
	enum oprof_lost lost;

	if (places_is_vsyscall(address))
		return places_vsyscall_frame(&state->places, address, frame);
	/* A sample older than the address space belongs to the previous program. */
	if (!process || !process->space || time_ns < process->since_ns)
		return process && process->unread ? OPROF_LOST_UNREAD : OPROF_LOST_NO_MAPPING;
	mapping = space_find(process->space, address);
	if (!mapping)
		return process->unread ? OPROF_LOST_UNREAD : OPROF_LOST_NO_MAPPING;
	if (mapping->image->image.kind == OPROF_IMAGE_ANON &&
	    code_frame(state, process, time_ns, address, frame))
		return FOUND;
	if (mapping->image->image.kind == OPROF_IMAGE_ANON)
		return region_frame(state, process, mapping, address, frame);
	lost = image_frame(mapping->image, address - mapping->start + mapping->offset,
			   OPROF_MODE_USER, frame);
	if (lost == FOUND && state->now_ns >= mapping->image->keep_due_ns)
		keep_image(state, process, mapping, address);
	return lost;
}

/* ---- chains ---- */

static bool is_marker(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

/*
 * Sets *mode to the mode of the frames after a marker. Returns false if frames after this marker
 * cannot be resolved.
 */
static bool marker_mode(uint64_t marker, enum oprof_mode *mode)
{
	*mode = marker == (uint64_t)PERF_CONTEXT_KERNEL ? OPROF_MODE_KERNEL : OPROF_MODE_USER;
	return marker == (uint64_t)PERF_CONTEXT_KERNEL || marker == (uint64_t)PERF_CONTEXT_USER;
}

static void add_caller(struct perf_state *state, struct process *process, uint64_t time_ns,
		       uint64_t address, enum oprof_mode mode)
{
	struct oprof_frame frame;
	enum oprof_lost lost =
		mode == OPROF_MODE_KERNEL
			? kernel_code_frame(&state->places.kernel, time_ns, address, &frame)
			: user_frame(state, process, time_ns, address, &frame);

	if (lost != FOUND)
		frame = (struct oprof_frame){
			.image = OPROF_IMAGE_NONE, .mode = mode, .offset = address};
	record_writer_add_frame(&state->places.writer, &frame);
}

void perf_sample_add_user(struct perf_state *state, struct process *process, uint64_t time_ns,
			  uint64_t address)
{
	add_caller(state, process, time_ns, address, OPROF_MODE_USER);
}

/* Adds the sample's callers. The chain begins with a marker and the leaf; the leaf is not added. */
static void add_chain(struct perf_state *state, struct process *process,
		      const struct perf_item *item, enum oprof_mode mode)
{
	unsigned int nr_addresses = 0;
	bool known = true;

	if (mode == OPROF_MODE_IDLE)
		mode = OPROF_MODE_KERNEL;
	for (uint64_t i = 0; i < item->u.sample.nr_chain; i++) {
		uint64_t address = item->u.sample.chain[i];

		if (is_marker(address)) {
			known = marker_mode(address, &mode);
			i += address == CONTEXT_USER_DEFERRED;
			continue;
		}
		if (nr_addresses++ && known)
			add_caller(state, process, item->time_ns, address, mode);
	}
	/* The chain has at least chain_depth callers: the kernel may have omitted further ones. */
	if (state->chain_depth && nr_addresses > state->chain_depth)
		state->places.writer.sample->head.flags |= OPROF_SAMPLE_CHAIN_TRUNCATED;
}

/* ---- samples ---- */

static bool find_mode(uint16_t misc, enum oprof_mode *mode)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_USER:
		*mode = OPROF_MODE_USER;
		return true;
	case PERF_RECORD_MISC_KERNEL:
		*mode = OPROF_MODE_KERNEL;
		return true;
	default:
		return false;
	}
}

static enum oprof_lost find_leaf(struct perf_state *state, struct process *process,
				 const struct perf_item *item, enum oprof_mode *mode,
				 struct oprof_frame *frame)
{
	uint64_t address = item->u.sample.ip;

	if (*mode == OPROF_MODE_USER)
		return user_frame(state, process, item->time_ns, address, frame);
	if (item->pid == 0)
		return kernel_code_idle_leaf(&state->places.kernel, item->time_ns, address, mode,
					     frame);
	return kernel_code_leaf(&state->places.kernel, item->time_ns, address, frame);
}

static enum oprof_lost make_task(const struct cpu_task *from, struct oprof_task *task)
{
	*task = (struct oprof_task){
		.tgid = from->tgid, .tid = from->tid, .generation = from->generation};
	if (!from->app)
		return FOUND;
	task->app_image = image_tell(from->app);
	return task->app_image ? FOUND : OPROF_LOST_MEMORY;
}

static enum oprof_lost apply(struct perf_state *state, const struct perf_item *item)
{
	struct process *process;
	struct oprof_frame leaf;
	struct oprof_sample *sample;
	struct oprof_task task;
	enum oprof_mode mode;
	enum oprof_lost lost;
	uint16_t flags = 0;

	if (!find_mode(item->misc, &mode))
		return OPROF_LOST_MODE;
	if (item->cpu >= state->nr_cpus)
		return OPROF_LOST_BAD_RECORD;
	lost = find_task(state, item, mode, &process, &flags);
	if (lost == FOUND)
		lost = find_leaf(state, process, item, &mode, &leaf);
	if (lost == FOUND)
		lost = make_task(&state->last_tasks[item->cpu], &task);
	if (lost != FOUND)
		return lost;
	sample = record_writer_begin_sample(&state->places.writer);
	sample->head.flags = flags;
	sample->time_ns = item->time_ns;
	sample->weight = item->u.sample.period;
	sample->event = item->event;
	sample->mode = (uint8_t)mode;
	sample->leaf = leaf;
	if (item->u.sample.nr_chain) {
		sample->chain_kind = OPROF_CHAIN_FRAME_POINTERS;
		add_chain(state, process, item, mode);
	}
	if (state->regs)
		perf_unwind_apply(state, process, item, mode);
	task.cgroup = item->u.sample.cgroup;
	if (process && task.cgroup && !(flags & OPROF_SAMPLE_TASK_GUESSED))
		process_in_cgroup(process, task.cgroup, item->time_ns);
	record_writer_end_sample(&state->places.writer, item->cpu, &task);
	return FOUND;
}

void perf_sample_apply(struct perf_state *state, const struct perf_item *item)
{
	enum oprof_lost lost = apply(state, item);

	if (lost != FOUND)
		record_writer_lost(&state->places.writer, item->time_ns, lost, item->event);
}
