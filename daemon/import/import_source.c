// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_source.h"

#include "daemon/import/import_interrupt.h"
#include "daemon/import/import_machine.h"
#include "daemon/perf/perf_feed.h"
#include "daemon/import/perf_normal.h"
#include "daemon/perf_source/perf_state.h"
#include "oprof/session.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Bytes of records in one drain, which is one round of the profiler. */
#define DRAIN_BYTES ((uint64_t)8 << 20)
/*
 * Maximum number of bytes of records that wait for the end of their round. If more wait, the round
 * is ended, since `perf record` may not have written the ends of its rounds.
 */
#define HELD_BYTES_MAX ((size_t)256 << 20)
#define NR_CPUS_MAX    8192u

/* There is only one instance, since history_config.now has no parameter for a source. */
static struct {
	struct perf_file *file;
	uint64_t now_ns; /* current time on the recording's clock */
	int64_t to_realtime_ns;
	struct diag fault;
	uint64_t nr_bytes;
} import;

struct import_source {
	struct source base; /* must be first, for the casts in source_ops */
	struct perf_file *file;
	struct import_machine machine;
	char proc_path[96], sys_path[96]; /* paths in the folder of machine; borrowed by state */
	struct perf_normal normal;
	struct perf_consumer consumer;
	struct perf_ids ids; /* ids in the records that `normal` makes */
	struct perf_feed *feed;
	struct perf_state *state;
	uint32_t ring;
	uint64_t newest_ns; /* newest time in the current round of the recording */
	uint64_t before_ns; /* newest time in the previous round: all older records have arrived */
	uint64_t nr_malformed, nr_passed, lost_told;
	bool at_end;
};
_Static_assert(offsetof(struct import_source, base) == 0, "source_ops cast base");

void import_source_set(struct perf_file *file)
{
	memset(&import, 0, sizeof(import));
	import.file = file;
}

void import_source_now(struct moment *now)
{
	now->monotonic_ns = import.now_ns;
	now->realtime_ns = (int64_t)import.now_ns + import.to_realtime_ns;
}

const struct diag *import_source_fault(void)
{
	return &import.fault;
}

uint64_t import_source_position(void)
{
	return import.nr_bytes;
}

/*
 * With `perf record -k CLOCK` the file has the time of one moment on the records' clock and in
 * wall-clock time. Without this option, the last record is assumed to have been made when the file
 * was last written.
 */
static void set_clock(const struct perf_file *file, const struct import_machine *machine)
{
	import.now_ns = machine->first_ns;
	if (file->wall_ns)
		import.to_realtime_ns = file->wall_ns - (int64_t)file->clock_ns;
	else
		import.to_realtime_ns = file->mtime_ns - (int64_t)machine->last_ns;
}

static void import_apply(struct perf_consumer *consumer, const struct perf_item *item)
{
	struct import_source *source =
		(struct import_source *)(void *)((char *)consumer -
						 offsetof(struct import_source, consumer));

	perf_state_apply(source->state, item);
}

static void import_early(struct perf_consumer *consumer, const struct perf_item *item)
{
	struct import_source *source =
		(struct import_source *)(void *)((char *)consumer -
						 offsetof(struct import_source, consumer));

	perf_state_early(source->state, item);
}

/* ---- opening ---- */

/*
 * Returns whether the file was recorded on a machine of the same kind as this machine. If not,
 * stacks cannot be walked, since the registers differ.
 */
static bool same_machine(const struct perf_file *file)
{
	struct utsname here;

	return file->arch && !uname(&here) && !strcmp(here.machine, file->arch);
}

static int open_state(struct import_source *source, const struct source_config *config,
		      struct record_sink *sink, struct diag *diag)
{
	const struct perf_state_config state = {
		.sink = sink,
		.nr_cpus = source->file->nr_cpus && source->file->nr_cpus < NR_CPUS_MAX
				   ? source->file->nr_cpus
				   : NR_CPUS_MAX,
		.proc_path = source->proc_path,
		.sys_path = source->sys_path,
		.kernel = true,
		.want_cgroup = config->want_cgroup,
		/* The keeper is needed to build code tables, with which stacks are walked. */
		.keep_images = source->normal.regs_mask != 0,
		.keep_bytes_max = config->keep_bytes_max,
		.chain_depth = config->chain_depth,
		.regs = source->normal.regs_mask ? perf_regs_here() : NULL,
		.code_path = config->code_path,
		.recorded = true,
	};

	(void)snprintf(source->proc_path, sizeof(source->proc_path), "%s/proc",
		       source->machine.path);
	(void)snprintf(source->sys_path, sizeof(source->sys_path), "%s/sys", source->machine.path);
	return perf_state_create(&source->state, &state, diag);
}

static int open_feed(struct import_source *source, struct record_sink *sink)
{
	const struct perf_layout layout = {
		.sample_type = source->normal.sample_type,
		.regs_mask = source->normal.regs_mask,
		.ids = &source->ids,
	};
	int error = 0;

	for (size_t i = 0; i < source->file->nr_events && !error; i++)
		error = perf_ids_add(&source->ids, i + 1, (uint32_t)i);
	if (!error)
		error = perf_feed_create(&source->feed, &source->consumer, sink);
	return error ? error
		     : perf_feed_add_ring(source->feed, &layout, import.now_ns, &source->ring);
}

static void import_close(struct source *base)
{
	struct import_source *source = (struct import_source *)base;

	if (!source)
		return;
	perf_feed_destroy(source->feed);
	perf_state_destroy(source->state);
	perf_normal_deinit(&source->normal);
	perf_ids_deinit(&source->ids);
	import_machine_remove(&source->machine);
	free(source);
}

static int open_parts(struct import_source *source, const struct source_config *config,
		      struct record_sink *sink, struct diag *diag)
{
	int error = import_machine_make(&source->machine, source->file, diag);

	if (error)
		return error;
	set_clock(source->file, &source->machine);
	error = perf_normal_init(&source->normal, source->file, diag);
	if (error)
		return error;
	if (!same_machine(source->file))
		perf_normal_leave_regs(&source->normal);
	error = open_state(source, config, sink, diag);
	if (error)
		return error;
	error = open_feed(source, sink);
	return error ? diag_set(diag, error, "out of memory") : 0;
}

static int import_open(struct source **source, const struct source_config *config,
		       struct record_sink *sink, struct diag *diag)
{
	struct import_source *made = calloc(1, sizeof(*made));
	int error;

	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory");
	made->base.ops = &source_import;
	made->base.name = import.file->is_trace ? "trace" : "perf.data";
	made->file = import.file;
	made->consumer = (struct perf_consumer){.apply = import_apply, .early = import_early};
	perf_ids_init(&made->ids);
	error = open_parts(made, config, sink, diag);
	if (error) {
		import_close(&made->base);
		return error;
	}
	*source = &made->base;
	return 0;
}

/* ---- reading ---- */

/* Applies all records up to until_ns and advances the clock. */
static void apply_until(struct import_source *source, uint64_t until_ns)
{
	perf_feed_flush(source->feed, until_ns);
	if (until_ns != UINT64_MAX && until_ns > import.now_ns)
		import.now_ns = until_ns;
}

/*
 * Call at the end of a round, in which perf read each ring once. All records up to the newest time
 * of the previous round have now arrived.
 */
static void end_round(struct import_source *source)
{
	uint64_t until_ns = source->before_ns;

	source->before_ns = source->newest_ns;
	if (until_ns)
		apply_until(source, until_ns);
}

static void take_record(struct import_source *source, const struct perf_event_header *record)
{
	const struct perf_event_header *made;
	uint64_t time_ns = 0;
	int error;

	if (record->type == PERF_FILE_FINISHED_ROUND) {
		end_round(source);
		return;
	}
	error = perf_normal_record(&source->normal, record, &made, &time_ns);
	if (error == -ENOTSUP) {
		source->nr_passed++;
		return;
	}
	if (error) { /* the feed gets the original record, since the feed counts all bad records */
		source->nr_malformed++;
		made = record;
	}
	if (time_ns > source->newest_ns)
		source->newest_ns = time_ns;
	(void)perf_feed_bytes(source->feed, source->ring, made, made->size);
	if (perf_feed_held_bytes(source->feed) > HELD_BYTES_MAX)
		end_round(source);
}

static void tell_lost(struct import_source *source)
{
	uint64_t lost = perf_feed_counters(source->feed)->ring_lost;

	perf_feed_lost(source->feed, import.now_ns, UINT32_MAX, lost - source->lost_told);
	source->lost_told = lost;
}

static void read_end(struct import_source *source, int error)
{
	if (error == -ENODATA)
		diag_clear(&import.fault);
	if (error == -EINTR)
		perf_state_hurry(source->state);
	source->at_end = true;
	apply_until(source, UINT64_MAX);
	if (source->machine.last_ns > import.now_ns)
		import.now_ns = source->machine.last_ns;
}

static int tell_interrupted(const struct import_source *source)
{
	return diag_set_at(
		&import.fault, -EINTR, source->file->path, 0,
		"interrupted after %llu bytes of records: the other records are not imported",
		(unsigned long long)import.nr_bytes);
}

static int import_drain(struct source *base, enum source_drain how)
{
	struct import_source *source = (struct import_source *)base;
	uint64_t until = import.nr_bytes + DRAIN_BYTES;
	const struct perf_event_header *record;
	int error = 0;

	(void)how; /* ignored: all data were recorded before the import */
	while (!source->at_end && import.nr_bytes < until) {
		if (import_interrupted())
			error = tell_interrupted(source);
		else
			error = perf_file_next(source->file, &record, &import.fault);
		if (error) {
			read_end(source, error);
			break;
		}
		import.nr_bytes += record->size;
		take_record(source, record);
	}
	tell_lost(source);
	return error == -ENOMEM ? error : 0;
}

/* ---- other functions of source_ops ---- */

static int import_start(struct source *base)
{
	(void)base;
	return 0;
}

static int import_poll_fd(const struct source *base)
{
	(void)base;
	return -1; /* not needed: opimport drains until the source ends */
}

static bool import_ended(const struct source *base)
{
	const struct import_source *source = (const struct import_source *)base;

	return source->at_end;
}

static uint64_t import_seen(const struct source *base)
{
	const struct import_source *source = (const struct import_source *)base;

	return perf_feed_counters(source->feed)->seen;
}

static const struct image *import_image(const struct source *base, uint32_t cookie)
{
	const struct import_source *source = (const struct import_source *)base;

	return perf_state_image(source->state, cookie);
}

static const char *import_cgroup_path(const struct source *base, uint64_t cgroup)
{
	const struct import_source *source = (const struct import_source *)base;

	return perf_state_cgroup_path(source->state, cgroup);
}

static int import_save_symbols(struct source *base, const char *meta_path)
{
	struct import_source *source = (struct import_source *)base;

	/*
	 * If the recording was made with another kernel, the symbols of that kernel are not
	 * available here. Reports find its vmlinux by build-id.
	 */
	return source->machine.same_kernel ? perf_state_save_symbols(source->state, meta_path) : 0;
}

static const char *import_code_name(const struct source *base, uint32_t cookie, uint64_t offset)
{
	const struct import_source *source = (const struct import_source *)base;

	return perf_state_code_name(source->state, cookie, offset);
}

static uint64_t import_function(const struct source *base, uint32_t cookie, uint64_t offset)
{
	const struct import_source *source = (const struct import_source *)base;

	return perf_state_function(source->state, cookie, offset);
}

static size_t import_notes(const struct source *base, struct source_note *notes, size_t room)
{
	const struct import_source *source = (const struct import_source *)base;
	static const struct source_note imported = {
		"imported",
		"imported from perf.data: samples that perf lost or did not record are missing"};
	static const struct source_note of_trace = {
		"imported", "imported from a trace: samples that the trace lost are missing"};
	static const struct source_note no_kernel = {
		OPROF_NOTE_NO_KERNEL_SYMBOLS,
		"imported from a kernel other than the running kernel: give the folder of that "
		"kernel's vmlinux with -p, or import on the machine that made the recording, "
		"before its next boot"};
	static const struct source_note no_build = {
		OPROF_NOTE_NO_KERNEL_SYMBOLS,
		"imported without the kernel's build-id: run perf record without -B, or import as "
		"root on the machine that made the recording, before its next boot"};
	const struct import_machine *machine = &source->machine;
	size_t nr = 0;

	if (nr < room)
		notes[nr++] = source->file->is_trace ? of_trace : imported;
	if (nr < room && !machine->same_kernel && machine->kernel_told)
		notes[nr++] = machine->kernel_build_told ? no_kernel : no_build;
	return nr;
}

static size_t import_counters(const struct source *base, struct source_counter *counters,
			      size_t room)
{
	const struct import_source *source = (const struct import_source *)base;
	size_t nr = perf_state_counters(source->state, counters, room);
	const struct perf_feed_counters *feed = perf_feed_counters(source->feed);
	const struct source_counter own[] = {
		{"late_records", feed->late_records},  {"unknown_records", feed->unknown_records},
		{"bad_records", feed->bad_records},    {"side_band_lost", feed->side_band_lost},
		{"passed_records", source->nr_passed},
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && nr < room; i++)
		counters[nr++] = own[i];
	return nr;
}

static void import_machine_told(const struct source *base, struct source_machine *machine)
{
	const struct import_source *source = (const struct import_source *)base;

	*machine = (struct source_machine){.host = source->file->host, .cpu = source->file->cpu};
}

const struct source_ops source_import = {
	.open = import_open,
	.close = import_close,
	.start = import_start,
	.stop = import_start,
	.poll_fd = import_poll_fd,
	.drain = import_drain,
	.ended = import_ended,
	.seen = import_seen,
	.image = import_image,
	.cgroup_path = import_cgroup_path,
	.save_symbols = import_save_symbols,
	.code_name = import_code_name,
	.function = import_function,
	.notes = import_notes,
	.counters = import_counters,
	.machine = import_machine_told,
};
