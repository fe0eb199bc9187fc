// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_state.h"

#include "daemon/module_source/kmod_state_internal.h"
#include "lib/clock.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* More than the CPUs of any kernel. */
#define CPUS_MAX (1u << 16)
/* Interval of searches for names of unknown cgroups. */
#define CGROUPS_NS UINT64_C(1000000000)
/*
 * Interval at which the list of generated kernel code is read again, since no record reports the
 * removal of such code.
 */
#define MADE_NS UINT64_C(60000000000)

static int init_tables(struct kmod_state *state, kmod_image_open_fn *open)
{
	int error = kmod_images_init(&state->images, &state->places, open);

	if (!error)
		error = kmod_processes_init(&state->processes, &state->places.code,
					    &state->places.regions, state->places.proc_path);
	if (!error && state->want_cgroup)
		error = cgroup_names_scan(&state->places.cgroups, state->places.proc_path);
	return error;
}

int kmod_state_init(struct kmod_state *state, const struct kmod_state_config *config,
		    struct diag *diag)
{
	int error;

	memset(state, 0, sizeof(*state));
	state->nr_events = config->nr_events;
	state->chain_depth = config->chain_depth;
	state->want_cgroup = config->want_cgroup;
	state->want_switches = config->want_switches;
	kmod_switches_init(&state->switches);
	error = places_init(&state->places, &config->places, diag);
	if (error)
		return error;
	state->places.kernel.made_ns = MADE_NS;
	error = init_tables(state, config->open);
	return error ? diag_set(diag, error, "out of memory") : 0;
}

void kmod_state_deinit(struct kmod_state *state)
{
	places_end(&state->places);
	kmod_switches_deinit(&state->switches);
	kmod_task_clear(&state->pending.from);
	kmod_task_clear(&state->task);
	kmod_images_deinit(&state->images);
	kmod_processes_deinit(&state->processes);
	places_deinit(&state->places);
}

/* ---- context ---- */

static void lose_context(struct kmod_state *state)
{
	state->have_cpu = false;
	state->have_task = false;
	state->switching = false;
}

/*
 * Searches for the names of new cgroups, and from time to time also forgets the names of removed
 * cgroups.
 */
static void name_cgroup(struct kmod_state *state, uint64_t cgroup)
{
	struct cgroup_names *names = &state->places.cgroups;
	uint64_t now_ns;

	if (!state->want_cgroup || !cgroup || cgroup_names_find(names, cgroup))
		return;
	now_ns = clock_monotonic_ns();
	if (now_ns < state->cgroups_due_ns)
		return;
	state->cgroups_due_ns = now_ns + CGROUPS_NS;
	if (cgroup_names_are_old(names))
		(void)cgroup_names_renew(names, state->places.proc_path);
	else
		(void)cgroup_names_scan(names, state->places.proc_path);
}

/*
 * Sets *app to the program of a task, borrowed; NULL: the task has none. Returns false if the
 * cookie is unknown.
 */
static bool find_app(struct kmod_state *state, uint32_t cookie, struct image_entry **app)
{
	struct kmod_image *image;

	*app = NULL;
	if (cookie == OPROF_IMAGE_NONE)
		return true;
	image = kmod_images_find(&state->images, cookie);
	if (image)
		*app = kmod_image_entry(&state->images, image, clock_monotonic_ns());
	return image;
}

static void complete_switch(struct kmod_state *state)
{
	state->switching = false;
	state->pending.to = state->task; /* borrowed */
	kmod_switches_add(&state->switches, &state->pending);
	memset(&state->pending.to, 0, sizeof(state->pending.to));
}

static void apply_task(struct kmod_state *state, const struct oprof_task *task)
{
	struct kmod_task now = {.told = *task};

	state->app_unknown = !find_app(state, task->app_image, &now.app);
	state->have_task = task->tgid >= 0 && task->tid >= 0 && task->generation;
	if (!state->have_task)
		state->counters.bad_records++;
	now.told.head = (struct oprof_record){.type = OPROF_RECORD_TASK};
	now.told.reserved = 0;
	now.told.app_image = OPROF_IMAGE_NONE;
	/*
	 * If switches are recorded, the program gets its cookie now, because switches contain the
	 * cookie. Otherwise, the program gets its cookie at its first sample.
	 */
	if (state->want_switches && now.app)
		now.told.app_image = image_tell(now.app);
	kmod_task_copy(&state->task, &now);
	name_cgroup(state, task->cgroup);
	if (state->switching && state->have_task && !state->app_unknown)
		complete_switch(state);
	state->switching = false;
}

static void apply_cpu(struct kmod_state *state, const struct oprof_cpu *cpu)
{
	state->have_cpu = cpu->cpu < CPUS_MAX;
	state->cpu = cpu->cpu;
	if (!state->have_cpu)
		state->counters.bad_records++;
}

static void apply_switch(struct kmod_state *state, const struct oprof_switch *record)
{
	state->counters.switch_records++;
	if (!state->want_switches || !state->have_cpu || !state->have_task || state->app_unknown)
		return;
	state->switching = true;
	state->pending.time_ns = record->time_ns;
	state->pending.cpu = state->cpu;
	state->pending.state = record->state == OPROF_OFF_CPU_PREEMPTED ? OPROF_OFF_CPU_PREEMPTED
									: OPROF_OFF_CPU_WAITING;
	kmod_task_copy(&state->pending.from, &state->task);
}

/* ---- images ---- */

static void apply_image(struct kmod_state *state, const struct oprof_kmod_image *record)
{
	size_t room = record->head.size_bytes - sizeof(*record);
	const char *name = (const char *)(record + 1);

	if (!record->name_bytes)
		name = "";
	else if (record->name_bytes > room || record->name_bytes > PATH_MAX ||
		 !memchr(name, '\0', record->name_bytes)) {
		state->counters.bad_records++;
		return;
	}
	if (kmod_images_add(&state->images, record, name, clock_monotonic_ns()) == -EINVAL)
		state->counters.bad_records++;
}

static void apply_release(struct kmod_state *state, const struct oprof_release *record)
{
	if (!kmod_images_remove(&state->images, record->image))
		state->counters.bad_records++;
}

static void apply_end(struct kmod_state *state, const struct oprof_kmod_process_end *record)
{
	state->counters.processes_ended++;
	kmod_processes_end(&state->processes, record->generation);
}

/* ---- losses ---- */

static void pass_on(struct kmod_state *state, const struct oprof_record *record)
{
	struct record_sink *sink = state->places.writer.sink;

	sink->record(sink, record);
}

static void apply_lost(struct kmod_state *state, const struct oprof_lost_record *record)
{
	state->counters.seen += record->nr_samples;
	pass_on(state, &record->head);
}

static void apply_throttle(struct kmod_state *state, const struct oprof_throttle *record)
{
	if (record->event < state->nr_events)
		pass_on(state, &record->head);
	else
		state->counters.bad_records++;
}

/* Counts a sample as lost, because it cannot be read. */
static void lose_sample(struct kmod_state *state, uint64_t time_ns)
{
	state->counters.seen++;
	record_writer_lost(&state->places.writer, time_ns, OPROF_LOST_BAD_RECORD, UINT16_MAX);
}

static void apply_sample(struct kmod_state *state, const struct oprof_sample *sample)
{
	size_t room = sample->head.size_bytes - sizeof(*sample);

	if (sample->nr_frames > room / sizeof(struct oprof_frame)) {
		lose_sample(state, sample->time_ns);
		return;
	}
	state->counters.seen++;
	kmod_sample_apply(state, sample);
}

/* ---- the stream ---- */

/* Returns the minimum size of a record of this type; 0: unknown type. */
static size_t bytes_of(uint16_t type)
{
	switch (type) {
	case OPROF_RECORD_PAD:
		return sizeof(struct oprof_record);
	case OPROF_RECORD_TASK:
		return sizeof(struct oprof_task);
	case OPROF_RECORD_CPU:
		return sizeof(struct oprof_cpu);
	case OPROF_RECORD_SAMPLE:
		return sizeof(struct oprof_sample);
	case OPROF_RECORD_SWITCH:
		return sizeof(struct oprof_switch);
	case OPROF_RECORD_MODULE:
		return sizeof(struct oprof_module);
	case OPROF_RECORD_LOST:
		return sizeof(struct oprof_lost_record);
	case OPROF_RECORD_THROTTLE:
		return sizeof(struct oprof_throttle);
	case OPROF_RECORD_RELEASE:
		return sizeof(struct oprof_release);
	case OPROF_RECORD_SWITCHES_LOST:
		return sizeof(struct oprof_switches_lost);
	case OPROF_RECORD_IMAGE:
		return sizeof(struct oprof_kmod_image);
	case OPROF_RECORD_PROCESS_END:
		return sizeof(struct oprof_kmod_process_end);
	default:
		return 0;
	}
}

static void apply_switches_lost(struct kmod_state *state, const struct oprof_switches_lost *record)
{
	if (state->want_switches)
		kmod_switches_lose(&state->switches, record->time_ns, record->nr_records);
}

static void apply_module(struct kmod_state *state)
{
	state->counters.module_records++;
	state->places.kernel.stale = true;
}

static void apply(struct kmod_state *state, const void *record, uint16_t type)
{
	switch (type) {
	case OPROF_RECORD_TASK:
		apply_task(state, record);
		break;
	case OPROF_RECORD_CPU:
		apply_cpu(state, record);
		break;
	case OPROF_RECORD_SAMPLE:
		apply_sample(state, record);
		break;
	case OPROF_RECORD_SWITCH:
		apply_switch(state, record);
		break;
	case OPROF_RECORD_MODULE:
		apply_module(state);
		break;
	case OPROF_RECORD_LOST:
		apply_lost(state, record);
		break;
	case OPROF_RECORD_THROTTLE:
		apply_throttle(state, record);
		break;
	case OPROF_RECORD_RELEASE:
		apply_release(state, record);
		break;
	case OPROF_RECORD_SWITCHES_LOST:
		apply_switches_lost(state, record);
		break;
	case OPROF_RECORD_IMAGE:
		apply_image(state, record);
		break;
	case OPROF_RECORD_PROCESS_END:
		apply_end(state, record);
		break;
	default: /* PAD */
		break;
	}
}

/* Counts a record of a known type that is too short. */
static void lose_record(struct kmod_state *state, uint16_t type)
{
	state->counters.bad_records++;
	if (type == OPROF_RECORD_SAMPLE || type == OPROF_RECORD_LOST)
		lose_sample(state, clock_monotonic_ns());
	else if (type == OPROF_RECORD_TASK)
		state->have_task = false;
	else if (type == OPROF_RECORD_CPU)
		state->have_cpu = false;
	state->switching = false;
}

void kmod_state_apply(struct kmod_state *state, const void *records, size_t nr_bytes)
{
	const char *next = records;

	while (nr_bytes) {
		const void *whole = next;
		const struct oprof_record *record = whole;
		size_t nr = nr_bytes < sizeof(*record) ? 0 : record->size_bytes;
		size_t least;

		if (nr < sizeof(*record) || nr % 8 || nr > nr_bytes) {
			/*
			 * This record's size is invalid, so the beginning of the next record is
			 * unknown.
			 */
			state->counters.bad_records++;
			lose_sample(state, clock_monotonic_ns());
			lose_context(state);
			return;
		}
		/*
		 * Free released places here, between two records, because no record that refers to
		 * such a place is under construction.
		 */
		places_release(&state->places);
		state->counters.records++;
		least = bytes_of(record->type);
		if (!least)
			state->counters.unknown_records++;
		else if (nr < least)
			lose_record(state, record->type);
		else
			apply(state, whole, record->type);
		next += nr;
		nr_bytes -= nr;
	}
}
