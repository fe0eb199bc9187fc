// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_trace.h"

#include "ctf/chunk.h"
#include "ctf/reader.h"
#include "daemon/import/import_interrupt.h"
#include "daemon/import/import_temporary.h"
#include "daemon/import/import_trace_fields.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/import/perf_file_write.h"
#include "lib/array.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/number.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"
#define NR_TIDS_MAX  (1u << 22) /* the kernel's own limit */
/* Number of records between two end-of-round marks; all records are written in order. */
#define ROUND_RECORDS 4096u
#define CLONE_THREAD  0x00010000

/* A mapping of a process that existed when the trace began. */
struct begun {
	struct perf_file_mapping mapping;
	int32_t pid;
};

/* The last two mappings of a process, the latest in mappings[1]. path NULL: no such mapping. */
struct newest_mappings {
	struct perf_file_mapping mappings[2];
};

/* The state of the conversion. */
struct conversion {
	uint64_t *wanted; /* chosen threads; nr_wanted 0: all threads */
	size_t nr_wanted;
	struct import_trace *told;
	const struct ctf_trace *trace;
	struct import_fields *fields; /* indexed by number of the trace's event */
	uint64_t begin;		      /* time of the first record, in ticks */
	uint32_t nr_cpus;
	int32_t *processes; /* indexed by tid: the pid; 0: not known */
	bool *have_begun;   /* indexed by tid: oprof_task_begin was read, but the fork was not */
	bool *are_threads;  /* indexed by CPU: whether the last task_newtask made a thread */
	int32_t *new_tids;
	char (*names)[PERF_FILE_NAME_BYTES]; /* indexed by pid: its name at the trace's beginning */
	struct begun *begun;		     /* mappings at the trace's beginning */
	size_t nr_begun, room_begun;
	struct newest_mappings **newest;    /* indexed by pid; NULL: no mappings */
	uint64_t nr_records, nr_kept_bytes; /* nr_kept_bytes: about the size of begun and newest */
	uint64_t chain[PERF_FILE_NR_CHAIN_MAX];
	struct perf_file_writer writer;
};

/* ---- the head ---- */

static uint64_t ns_of(const struct conversion *conversion, uint64_t ticks)
{
	const uint64_t freq = conversion->trace->clock.freq_hz;

	if (freq == NS_PER_SECOND)
		return ticks;
	return (uint64_t)((unsigned __int128)ticks * NS_PER_SECOND / freq);
}

/* Writes the time of one moment on the trace's clock and in wall-clock time. */
static int put_clock(struct conversion *conversion)
{
	const struct ctf_clock *clock = &conversion->trace->clock;
	const uint64_t begin_ns = ns_of(conversion, conversion->begin);
	struct {
		uint32_t version, clock;
		uint64_t wall_ns, clock_ns;
	} told = {.version = 1, .clock_ns = begin_ns};

	if (clock->offset_s <= 0)
		return 0;
	told.wall_ns = (uint64_t)clock->offset_s * NS_PER_SECOND +
		       ns_of(conversion, clock->offset) + begin_ns;
	return perf_file_write_feature(&conversion->writer, PERF_FILE_CLOCK_DATA, &told,
				       sizeof(told));
}

static const struct ctf_env *env_of(const struct ctf_trace *trace, const char *name)
{
	for (unsigned int i = 0; i < trace->nr_envs; i++)
		if (!strcmp(trace->envs[i].name, name))
			return &trace->envs[i];
	return NULL;
}

static int put_env(struct conversion *conversion, const char *name, enum perf_file_feature feature)
{
	const struct ctf_env *env = env_of(conversion->trace, name);

	return env && env->text ? perf_file_write_text(&conversion->writer, feature, env->text) : 0;
}

/* Returns whether the trace was recorded since the last boot. Kernel addresses are then valid. */
static bool is_of_this_boot(const struct ctf_trace *trace)
{
	char told[CTF_UUID_TEXT];
	char *here = NULL;
	bool same;

	if (!trace->clock.has_uuid || file_read_text(BOOT_ID_FILE, 256, &here, NULL))
		return false;
	ctf_uuid_show(trace->clock.uuid, told);
	same = !strncmp(here, told, strlen(told));
	free(here);
	return same;
}

struct kernel_text {
	uint64_t start, end;
};

static int find_text(const struct kallsym *symbol, void *context)
{
	struct kernel_text *text = context;

	if (!strcmp(symbol->name, "_text"))
		text->start = symbol->address;
	if (!strcmp(symbol->name, "_etext"))
		text->end = symbol->address;
	return 0;
}

/* Writes the kernel's mapping as perf record does. */
static int put_kernel(struct conversion *conversion)
{
	char name[] = "[kernel.kallsyms]_text";
	struct perf_file_mapping kernel = {.path = name, .is_kernel = true};
	struct kernel_text text = {0, 0};

	if (!is_of_this_boot(conversion->trace) || kallsyms_walk("/proc", find_text, &text) ||
	    !text.start)
		return 0;
	kernel.start = kernel.offset = text.start;
	kernel.end = text.end > text.start ? text.end : text.start + UINT32_MAX;
	return perf_file_write_mapping(&conversion->writer, &kernel, -1,
				       ns_of(conversion, conversion->begin), 0);
}

static int put_machine(struct conversion *conversion)
{
	const uint32_t cpus[2] = {conversion->nr_cpus, conversion->nr_cpus};
	struct utsname here;
	int error =
		perf_file_write_feature(&conversion->writer, PERF_FILE_NRCPUS, cpus, sizeof(cpus));

	if (!error)
		error = put_env(conversion, "hostname", PERF_FILE_HOSTNAME);
	if (!error)
		error = put_env(conversion, "kernel_release", PERF_FILE_OSRELEASE);
	if (!error && is_of_this_boot(conversion->trace) && !uname(&here))
		error = perf_file_write_text(&conversion->writer, PERF_FILE_ARCH, here.machine);
	return error;
}

static int put_head(struct conversion *conversion)
{
	const struct ctf_env *hz = env_of(conversion->trace, "oprof_sample_hz");
	int error = perf_file_write_head(&conversion->writer,
					 hz && hz->number > 0 ? (uint64_t)hz->number : 0);

	if (!error)
		error = put_machine(conversion);
	if (!error)
		error = put_clock(conversion);
	return error ? error : put_kernel(conversion);
}

/* ---- threads and their processes ---- */

static bool is_tid(int64_t tid)
{
	return tid > 0 && tid < NR_TIDS_MAX;
}

static void note_thread(struct conversion *conversion, int64_t tid, int64_t pid)
{
	if (is_tid(tid) && is_tid(pid))
		conversion->processes[tid] = (int32_t)pid;
}

/* Returns the process of a thread. An unknown thread is assumed to be a main thread. */
static int32_t process_of(const struct conversion *conversion, int64_t tid)
{
	return is_tid(tid) && conversion->processes[tid] ? conversion->processes[tid]
							 : (int32_t)tid;
}

/* ---- records ---- */

/* Returns the memory that a mapping takes, including the overhead of allocating its path. */
static uint64_t kept_bytes(const struct perf_file_mapping *mapping)
{
	return sizeof(struct begun) + strlen(mapping->path) + 32;
}

/* Returns whether there is room to keep the mapping; otherwise counts it as left out. */
static bool may_keep(struct conversion *conversion, const struct perf_file_mapping *mapping)
{
	struct import_trace *told = conversion->told;
	const uint64_t max = told->kept_bytes_max ? told->kept_bytes_max : IMPORT_TRACE_KEPT_BYTES;
	const uint64_t nr_bytes = kept_bytes(mapping);
	const bool may = conversion->nr_kept_bytes + nr_bytes <= max;

	told->nr_unkept += !may;
	conversion->nr_kept_bytes += may ? nr_bytes : 0;
	return may;
}

static void drop_newest(struct conversion *conversion, struct perf_file_mapping *mapping)
{
	if (mapping->path)
		conversion->nr_kept_bytes -= kept_bytes(mapping);
	free(mapping->path);
}

static void forget_mappings(struct conversion *conversion, int32_t pid)
{
	struct newest_mappings *newest = is_tid(pid) ? conversion->newest[pid] : NULL;

	if (!newest)
		return;
	drop_newest(conversion, &newest->mappings[0]);
	drop_newest(conversion, &newest->mappings[1]);
	free(newest);
	conversion->newest[pid] = NULL;
}

/* Remembers mapping as the latest mapping of pid. Takes ownership of mapping's path. */
static int keep_mapping(struct conversion *conversion, const struct perf_file_mapping *mapping,
			int32_t pid)
{
	struct newest_mappings *newest;

	if (!is_tid(pid) || !may_keep(conversion, mapping)) {
		free(mapping->path);
		return 0;
	}
	if (!conversion->newest[pid])
		conversion->newest[pid] = calloc(1, sizeof(*newest));
	newest = conversion->newest[pid];
	if (!newest) {
		conversion->nr_kept_bytes -= kept_bytes(mapping);
		free(mapping->path);
		return -ENOMEM;
	}
	drop_newest(conversion, &newest->mappings[0]);
	newest->mappings[0] = newest->mappings[1];
	newest->mappings[1] = *mapping;
	return 0;
}

/* Reads a mapping. Its path is NULL if path or range are invalid, or if out of memory. */
static struct perf_file_mapping read_mapping(const struct ctf_record *record,
					     const struct import_fields *fields)
{
	const struct ctf_value *path = import_field(record, fields, MAPPING_PATH);
	struct perf_file_mapping mapping = {.start = import_number(record, fields, MAPPING_START),
					    .end = import_number(record, fields, MAPPING_END),
					    .offset =
						    import_number(record, fields, MAPPING_OFFSET)};

	if (mapping.end > mapping.start && path->nr && path->nr <= PERF_FILE_PATH_BYTES_MAX)
		mapping.path = strndup((const char *)path->bytes, path->nr);
	return mapping;
}

static int take_mapping(struct conversion *conversion, const struct ctf_record *record,
			const struct import_fields *fields)
{
	const int32_t pid = (int32_t)import_number(record, fields, MAPPING_PID);
	const struct perf_file_mapping mapping = read_mapping(record, fields);
	int error;

	if (!mapping.path)
		return 0;
	error = perf_file_write_mapping(&conversion->writer, &mapping, pid,
					ns_of(conversion, record->time), record->packet->cpu_id);
	return keep_mapping(conversion, &mapping, pid) ? -ENOMEM : error;
}

static int take_begun(struct conversion *conversion, const struct ctf_record *record,
		      const struct import_fields *fields)
{
	const struct perf_file_mapping mapping = read_mapping(record, fields);

	if (!mapping.path)
		return 0;
	if (!may_keep(conversion, &mapping)) {
		free(mapping.path);
		return 0;
	}
	if (array_reserve(&conversion->begun, &conversion->room_begun, conversion->nr_begun, 1)) {
		free(mapping.path);
		return -ENOMEM;
	}
	conversion->begun[conversion->nr_begun++] = (struct begun){
		.mapping = mapping, .pid = (int32_t)import_number(record, fields, MAPPING_PID)};
	return 0;
}

/* Returns whether the file name of the mapping begins with the process's name. */
static bool is_program(const struct conversion *conversion, const struct begun *begun)
{
	const char *path = begun->mapping.path, *slash = strrchr(path, '/');
	const char *name = is_tid(begun->pid) ? conversion->names[begun->pid] : "";

	return *name && !strncmp(slash ? slash + 1 : path, name, strlen(name));
}

/*
 * perf_state assumes that the first mapping of a process is its program, so the mappings of
 * programs are written first. Otherwise the order of mappings does not change.
 */
static int put_begun(struct conversion *conversion)
{
	const uint64_t begin_ns = ns_of(conversion, conversion->begin);
	int error = 0;

	for (int programs = 1; programs >= 0; programs--)
		for (size_t i = 0; !error && i < conversion->nr_begun; i++) {
			const struct begun *begun = &conversion->begun[i];

			if (is_program(conversion, begun) == (bool)programs)
				error = perf_file_write_mapping(&conversion->writer,
								&begun->mapping, begun->pid,
								begin_ns, 0);
		}
	return error;
}

/* Returns whether path is the path of an interpreter, such as "/lib64/ld-linux-x86-64.so.2". */
static bool is_interpreter(const char *path)
{
	const char *slash = strrchr(path, '/');

	path = slash ? slash + 1 : path;
	return !strncmp(path, "ld", 2) && strstr(path, ".so");
}

/*
 * Writes the mappings of a program and its interpreter again, after the program's exec. The kernel
 * maps both files before it reports the exec, but an exec ends all earlier mappings.
 */
static int put_program(struct conversion *conversion, int32_t pid, uint64_t time_ns, uint32_t cpu)
{
	const struct newest_mappings *newest = is_tid(pid) ? conversion->newest[pid] : NULL;
	int error = 0;

	if (!newest)
		return 0;
	if (newest->mappings[0].path && is_interpreter(newest->mappings[1].path))
		error = perf_file_write_mapping(&conversion->writer, &newest->mappings[0], pid,
						time_ns, cpu);
	return error ? error
		     : perf_file_write_mapping(&conversion->writer, &newest->mappings[1], pid,
					       time_ns, cpu);
}

static void take_new_task(struct conversion *conversion, const struct ctf_record *record,
			  const struct import_fields *fields)
{
	const uint32_t cpu = record->packet->cpu_id;

	if (cpu >= conversion->nr_cpus)
		return;
	conversion->new_tids[cpu] = (int32_t)import_number(record, fields, NEW_TASK_TID);
	conversion->are_threads[cpu] = import_number(record, fields, NEW_TASK_FLAGS) & CLONE_THREAD;
}

/* Writes a task that existed when the trace began: a fork and, for a user process, an exec. */
static int put_state(struct conversion *conversion, const struct ctf_record *record,
		     const struct import_fields *fields)
{
	const struct ctf_value *name = import_field(record, fields, STATE_NAME);
	const int32_t tid = (int32_t)import_number(record, fields, STATE_TID);
	const int32_t pid = (int32_t)import_number(record, fields, STATE_PID);
	const uint64_t begin_ns = ns_of(conversion, conversion->begin);
	int error;

	note_thread(conversion, tid, pid);
	if (tid == pid && is_tid(pid))
		memcpy(conversion->names[pid], name->bytes,
		       name->nr < PERF_FILE_NAME_BYTES ? name->nr : PERF_FILE_NAME_BYTES - 1);
	error = perf_file_write_task(&conversion->writer, PERF_RECORD_FORK, pid,
				     tid == pid ? 0 : pid, tid, tid == pid ? 0 : pid, begin_ns,
				     record->packet->cpu_id);
	if (error || tid != pid || import_number(record, fields, STATE_TYPE) == STATE_TYPE_KERNEL)
		return error;
	return perf_file_write_comm(&conversion->writer, pid, tid, name->bytes, name->nr, true,
				    begin_ns, record->packet->cpu_id);
}

static int put_fork(struct conversion *conversion, const struct ctf_record *record,
		    const struct import_fields *fields)
{
	const uint32_t cpu = record->packet->cpu_id;
	const int32_t parent = (int32_t)import_number(record, fields, FORK_PARENT);
	const int32_t child = (int32_t)import_number(record, fields, FORK_CHILD);
	const bool is_thread = cpu < conversion->nr_cpus && conversion->new_tids[cpu] == child &&
			       conversion->are_threads[cpu];
	const int32_t pid = is_thread ? process_of(conversion, parent) : child;

	if (is_tid(child) && conversion->have_begun[child]) {
		conversion->have_begun[child] = false;
		return 0;
	}
	note_thread(conversion, child, pid);
	return perf_file_write_task(&conversion->writer, PERF_RECORD_FORK, pid,
				    process_of(conversion, parent), child, parent,
				    ns_of(conversion, record->time), cpu);
}

static int put_exec(struct conversion *conversion, const struct ctf_record *record,
		    const struct import_fields *fields)
{
	const struct ctf_value *file = import_field(record, fields, EXEC_FILE);
	const int32_t tid = (int32_t)import_number(record, fields, EXEC_TID);
	const uint64_t time_ns = ns_of(conversion, record->time);
	uint32_t from = file->nr;
	int error;

	while (from && file->bytes[from - 1] != '/')
		from--;
	/* After an exec, the calling thread is the only one of its process. */
	note_thread(conversion, tid, tid);
	error = perf_file_write_comm(&conversion->writer, tid, tid, file->bytes + from,
				     file->nr - from, true, time_ns, record->packet->cpu_id);
	return error ? error : put_program(conversion, tid, time_ns, record->packet->cpu_id);
}

static int put_exit(struct conversion *conversion, const struct ctf_record *record,
		    const struct import_fields *fields)
{
	const int32_t tid = (int32_t)import_number(record, fields, EXIT_TID);
	const int32_t pid = process_of(conversion, tid);

	if (pid == tid)
		forget_mappings(conversion, pid);
	if (is_tid(tid)) /* a later fork with this tid makes another task */
		conversion->have_begun[tid] = false;
	return perf_file_write_task(&conversion->writer, PERF_RECORD_EXIT, pid, pid, tid, tid,
				    ns_of(conversion, record->time), record->packet->cpu_id);
}

/* ---- tasks of a flight recorder, including those no longer in its rings ---- */

static int put_task_begin(struct conversion *conversion, const struct ctf_record *record,
			  const struct import_fields *fields)
{
	const int32_t tid = (int32_t)import_number(record, fields, TASK_TID);
	const int32_t pid = (int32_t)import_number(record, fields, TASK_PID);

	note_thread(conversion, tid, pid);
	if (is_tid(tid))
		conversion->have_begun[tid] = true;
	return perf_file_write_task(&conversion->writer, PERF_RECORD_FORK, pid,
				    (int32_t)import_number(record, fields, TASK_PARENT_PID), tid,
				    (int32_t)import_number(record, fields, TASK_PARENT_TID),
				    ns_of(conversion, record->time), record->packet->cpu_id);
}

/* Writes an exec, and forgets the old program's mappings. put_exec may repeat this exec. */
static int put_task_exec(struct conversion *conversion, const struct ctf_record *record,
			 const struct import_fields *fields)
{
	const struct ctf_value *name = import_field(record, fields, TASK_NAME);
	const int32_t tid = (int32_t)import_number(record, fields, TASK_TID);

	note_thread(conversion, tid, tid);
	forget_mappings(conversion, tid);
	return perf_file_write_comm(&conversion->writer, tid, tid, name->bytes, name->nr, true,
				    ns_of(conversion, record->time), record->packet->cpu_id);
}

/* ---- samples ---- */

static void take_chain_part(struct conversion *conversion, const struct ctf_record *record,
			    const struct import_fields *fields, unsigned int field, uint64_t mark,
			    uint32_t *nr)
{
	const struct ctf_value *chain = import_field(record, fields, field);
	const struct ctf_field *type = &record->event->fields[fields->fields[field]];

	if (chain->nr && *nr < PERF_FILE_NR_CHAIN_MAX)
		conversion->chain[(*nr)++] = mark;
	for (uint32_t i = 0; i < chain->nr && *nr < PERF_FILE_NR_CHAIN_MAX; i++)
		conversion->chain[(*nr)++] = ctf_value_element(type, chain, i);
}

static int put_sample(struct conversion *conversion, const struct ctf_record *record,
		      const struct import_fields *fields)
{
	struct perf_file_sample sample = {
		.ip = import_number(record, fields, SAMPLE_IP),
		.time_ns = ns_of(conversion, record->time),
		.period = import_number(record, fields, SAMPLE_PERIOD),
		.pid = (int32_t)import_number(record, fields, SAMPLE_PID),
		.tid = (int32_t)import_number(record, fields, SAMPLE_TID),
		.cpu = record->packet->cpu_id,
		.chain = conversion->chain,
	};

	sample.in_kernel = sample.ip >> 63;
	note_thread(conversion, sample.tid, sample.pid);
	take_chain_part(conversion, record, fields, SAMPLE_KERNEL, PERF_CONTEXT_KERNEL,
			&sample.nr_chain);
	take_chain_part(conversion, record, fields, SAMPLE_USER, PERF_CONTEXT_USER,
			&sample.nr_chain);
	conversion->told->nr_samples++;
	return perf_file_write_sample(&conversion->writer, &sample);
}

static bool is_thread_wanted(const struct conversion *conversion, uint64_t tid)
{
	for (size_t i = 0; i < conversion->nr_wanted; i++)
		if (conversion->wanted[i] == tid)
			return true;
	return !conversion->nr_wanted;
}

/* Parses the list of chosen threads, such as "12,34". */
static int read_threads(struct conversion *conversion, const char *text, struct diag *diag)
{
	const size_t room = strlen(text) / 2 + 1;

	conversion->wanted = calloc(room, sizeof(*conversion->wanted));
	if (!conversion->wanted)
		return diag_set(diag, -ENOMEM, "out of memory: cannot read the trace");
	for (;; text++) {
		const size_t nr = strcspn(text, ",");
		char number[16] = "";

		if (nr < sizeof(number))
			memcpy(number, text, nr);
		if (number_parse(number, NR_TIDS_MAX, &conversion->wanted[conversion->nr_wanted++]))
			return diag_set(diag, -EINVAL,
					"--thread: give numbers of threads, separated by commas");
		text += nr;
		if (!*text)
			return 0;
	}
}

static bool is_wanted(const struct conversion *conversion, const struct ctf_record *record,
		      const struct import_fields *fields)
{
	const uint64_t ns = ns_of(conversion, record->time - conversion->begin);
	const struct import_trace *told = conversion->told;

	return ns >= told->from_ns && (!told->to_ns || ns < told->to_ns) &&
	       is_thread_wanted(conversion, import_number(record, fields, SAMPLE_TID));
}

/* ---- the conversion ---- */

static bool is_state(enum import_kind kind)
{
	return kind == IMPORT_STATE || kind == IMPORT_STATE_MAPPING;
}

static int put_round(struct conversion *conversion)
{
	if (++conversion->nr_records % ROUND_RECORDS)
		return 0;
	return perf_file_write_round(&conversion->writer);
}

static int convert_record(struct conversion *conversion, const struct ctf_record *record)
{
	const struct import_fields *fields =
		&conversion->fields[record->event - conversion->trace->events];

	switch (fields->kind) {
	case IMPORT_SAMPLE:
		return is_wanted(conversion, record, fields)
			       ? put_sample(conversion, record, fields)
			       : 0;
	case IMPORT_MAPPING:
		return take_mapping(conversion, record, fields);
	case IMPORT_NEW_TASK:
		take_new_task(conversion, record, fields);
		return 0;
	case IMPORT_FORK:
		return put_fork(conversion, record, fields);
	case IMPORT_EXEC:
		return put_exec(conversion, record, fields);
	case IMPORT_EXIT:
		return put_exit(conversion, record, fields);
	case IMPORT_TASK_BEGIN:
		return put_task_begin(conversion, record, fields);
	case IMPORT_TASK_EXEC:
		return put_task_exec(conversion, record, fields);
	default:
		return 0;
	}
}

/* Records of the initial state were written a little later, but get the trace's start time. */
static int convert_state(struct conversion *conversion, const struct ctf_record *record)
{
	const struct import_fields *fields =
		&conversion->fields[record->event - conversion->trace->events];

	return fields->kind == IMPORT_STATE ? put_state(conversion, record, fields)
					    : take_begun(conversion, record, fields);
}

static int fail_write(struct diag *diag)
{
	return diag_set(diag, errno ? -errno : -EIO,
			"cannot write the samples to a temporary file: %s", strerror(errno));
}

static int next(struct conversion *conversion, struct ctf_reader *reader, struct ctf_record *record,
		bool count, struct diag *diag)
{
	struct diag damage;
	int more;

	while ((more = ctf_reader_next(reader, record, &damage)) < 0) {
		if (more == -ENOMEM)
			return diag_set(diag, more, "out of memory: cannot read the trace");
		conversion->told->nr_damaged += count;
	}
	if (more && import_interrupted())
		return import_interrupt_tell(diag);
	return more;
}

static void take_cpu(struct conversion *conversion, uint32_t cpu)
{
	if (cpu >= conversion->nr_cpus && cpu < UINT16_MAX)
		conversion->nr_cpus = cpu + 1;
}

/*
 * Finds the time of the first record, the number of CPUs, and whether there are samples to convert.
 */
static int look_through(struct conversion *conversion, struct ctf_reader *reader, struct diag *diag)
{
	struct ctf_record record;
	bool has_samples = false, has_begun = false;
	int more;

	while ((more = next(conversion, reader, &record, true, diag)) > 0) {
		const struct import_fields *fields =
			&conversion->fields[record.event - conversion->trace->events];

		if (!has_begun)
			conversion->begin = record.time;
		has_begun = true;
		take_cpu(conversion, record.packet->cpu_id);
		has_samples |=
			fields->kind == IMPORT_SAMPLE && is_wanted(conversion, &record, fields);
	}
	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++)
		conversion->told->lost_events +=
			ctf_stream_counts(ctf_reader_stream(reader, i)).lost;
	if (!more && !has_samples)
		return diag_set(
			diag, -ENODATA,
			"%s contains no samples: record them with optrace record -e default,sample",
			has_begun && (conversion->told->from_ns || conversion->told->to_ns ||
				      conversion->nr_wanted)
				? "the selected part of the trace"
				: "the trace");
	return more;
}

static int pass(struct conversion *conversion, struct ctf_reader *reader, bool of_state,
		struct diag *diag)
{
	struct ctf_record record;
	int more = ctf_reader_seek(reader, 0, diag);

	if (more == -ENOMEM)
		return more;
	while ((more = next(conversion, reader, &record, false, diag)) > 0) {
		const struct import_fields *fields =
			&conversion->fields[record.event - conversion->trace->events];
		int error = 0;

		if (of_state && is_state(fields->kind))
			error = convert_state(conversion, &record);
		else if (!of_state)
			error = convert_record(conversion, &record);
		if (!error && fields->kind != IMPORT_NOTHING)
			error = put_round(conversion);
		if (error == -ENOMEM)
			return diag_set(diag, error, "out of memory for the trace's processes");
		if (error)
			return fail_write(diag);
	}
	return more;
}

static int make(struct conversion *conversion, struct ctf_reader *reader, struct diag *diag)
{
	int error = look_through(conversion, reader, diag);

	if (error)
		return error;
	conversion->processes = calloc(NR_TIDS_MAX, sizeof(*conversion->processes));
	conversion->newest = calloc(NR_TIDS_MAX, sizeof(struct newest_mappings *));
	conversion->new_tids = calloc(conversion->nr_cpus + (size_t)1, sizeof(int32_t));
	conversion->are_threads = calloc(conversion->nr_cpus + (size_t)1, sizeof(bool));
	conversion->have_begun = calloc(NR_TIDS_MAX, sizeof(bool));
	conversion->names = calloc(NR_TIDS_MAX, sizeof(*conversion->names));
	if (!conversion->processes || !conversion->newest || !conversion->names ||
	    !conversion->have_begun || !conversion->new_tids || !conversion->are_threads)
		return diag_set(diag, -ENOMEM, "out of memory for the trace's threads");
	if (put_head(conversion))
		return fail_write(diag);
	error = pass(conversion, reader, true, diag);
	if (!error && put_begun(conversion))
		error = fail_write(diag);
	if (!error)
		error = pass(conversion, reader, false, diag);
	if (!error && fflush(conversion->writer.out))
		error = fail_write(diag);
	return error;
}

static int convert(struct conversion *conversion, struct ctf_reader *reader, struct diag *diag)
{
	const int fd = import_temporary_open(diag);
	const int other = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int error = fd < 0 ? fd : 0;

	conversion->writer.out = other < 0 ? NULL : fdopen(other, "w");
	if (!error && !conversion->writer.out)
		error = diag_set(diag, -ENOMEM, "out of memory: cannot read the trace");
	if (!error)
		error = make(conversion, reader, diag);
	if (conversion->writer.out)
		(void)fclose(conversion->writer.out);
	else if (other >= 0)
		close(other);
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

int import_trace_convert(struct import_trace *trace, const char *folder, struct diag *diag)
{
	struct conversion *conversion = calloc(1, sizeof(*conversion));
	struct ctf_reader *reader = NULL;
	int result = conversion ? ctf_reader_open(&reader, folder, diag)
				: diag_set(diag, -ENOMEM, "out of memory: cannot read the trace");

	if (!result) {
		conversion->told = trace;
		conversion->trace = ctf_reader_trace(reader);
		trace->nr_damaged += ctf_reader_nr_bad_chunks(reader);
		conversion->fields = import_fields_make(conversion->trace);
		if (trace->threads)
			result = read_threads(conversion, trace->threads, diag);
		if (!result)
			result = conversion->fields
					 ? convert(conversion, reader, diag)
					 : diag_set(diag, -ENOMEM, "out of memory for fields");
		for (int32_t pid = 0; conversion->newest && pid < (int32_t)NR_TIDS_MAX; pid++)
			forget_mappings(conversion, pid);
		for (size_t i = 0; i < conversion->nr_begun; i++)
			free(conversion->begun[i].mapping.path);
		free(conversion->begun);
		free(conversion->wanted);
		free(conversion->names);
		free(conversion->newest);
		free(conversion->fields);
		free(conversion->processes);
		free(conversion->have_begun);
		free(conversion->new_tids);
		free(conversion->are_threads);
		ctf_reader_close(reader);
	}
	free(conversion);
	return result;
}

bool import_trace_is(const char *folder)
{
	return ctf_chunk_is_trace(folder);
}
