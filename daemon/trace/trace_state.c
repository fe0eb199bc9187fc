// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_state.h"

#include "daemon/places/proc_scan.h"
#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_BYTES_MAX 4096u
#define MAPS_BYTES_MAX ((size_t)64 << 20)
#define NR_A_TURN      16u /* turn() is called after this number of processes */
/* The inode number is PROC_PID_INIT_INO of the kernel. */
#define INITIAL_PID_NAMESPACE "pid:[4026531836]"
#define KTHREAD_FLAG	      0x00200000u /* PF_KTHREAD in the kernel's include/linux/sched.h */

enum state_event { STATE_START, STATE_THREAD, STATE_MAPPING, STATE_END };

/* The values are LTTng's, which readers of LTTng's traces know. */
enum { MODE_UNKNOWN, MODE_USER, MODE_SYSCALL };
enum {
	STATUS_UNNAMED,
	STATUS_WAIT_FORK,
	STATUS_WAIT_CPU,
	STATUS_EXIT,
	STATUS_ZOMBIE,
	STATUS_WAIT,
	STATUS_RUN,
	STATUS_DEAD
};

static const struct ctf_label types[] = {{"USER_THREAD", TRACE_STATE_USER},
					 {"KERNEL_THREAD", TRACE_STATE_KERNEL}};
static const struct ctf_label modes[] = {
	{"MODE_UNKNOWN", MODE_UNKNOWN}, {"USER_MODE", MODE_USER}, {"SYSCALL", MODE_SYSCALL}};
static const struct ctf_label submodes[] = {{"NONE", 0}, {"UNKNOWN", 1}};
static const struct ctf_label statuses[] = {
	{"UNNAMED", STATUS_UNNAMED},   {"WAIT_FORK", STATUS_WAIT_FORK},
	{"WAIT_CPU", STATUS_WAIT_CPU}, {"EXIT", STATUS_EXIT},
	{"ZOMBIE", STATUS_ZOMBIE},     {"WAIT", STATUS_WAIT},
	{"RUN", STATUS_RUN},	       {"DEAD", STATUS_DEAD}};

#define NUMBER(field_name)                                                                         \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 32, .base = 10,           \
		.is_signed = true                                                                  \
	}
#define WIDE(field_name)                                                                           \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 16            \
	}
#define LABELLED(field_name, of)                                                                   \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 32, .base = 10,           \
		.is_signed = true, .labels = (of), .nr_labels = sizeof(of) / sizeof((of)[0])       \
	}

static const struct ctf_field thread_fields[] = {
	NUMBER("tid"),
	NUMBER("pid"),
	NUMBER("ppid"),
	{.name = "name", .kind = CTF_FIELD_TEXT, .bits = 8, .nr = TRACE_STATE_NAME_BYTES},
	LABELLED("type", types),
	LABELLED("mode", modes),
	LABELLED("submode", submodes),
	LABELLED("status", statuses),
	NUMBER("cpu"),
	/*
	 * number of the system call in which the thread waits; -1: not in a system call, or not
	 * known
	 */
	NUMBER("syscall"),
};

static const struct ctf_field mapping_fields[] = {
	NUMBER("pid"),
	WIDE("start"),
	WIDE("end"),
	WIDE("offset"),
	{.name = "path", .kind = CTF_FIELD_STRING},
};
struct state_mapping_payload {
	int32_t pid;
	uint64_t start, end, offset;
} __attribute__((packed));

static const struct {
	const char *name;
	const struct ctf_field *fields;
	unsigned int nr_fields;
} known[TRACE_STATE_NR_EVENTS] = {
	[STATE_START] = {"lttng_statedump_start", NULL, 0},
	[STATE_THREAD] = {"lttng_statedump_process_state", thread_fields,
			  sizeof(thread_fields) / sizeof(thread_fields[0])},
	[STATE_MAPPING] = {"oprof_statedump_mapping", mapping_fields,
			   sizeof(mapping_fields) / sizeof(mapping_fields[0])},
	[STATE_END] = {"lttng_statedump_end", NULL, 0},
};

void trace_state_events(struct ctf_event events[TRACE_STATE_NR_EVENTS], uint32_t first_id,
			uint32_t stream_id)
{
	for (unsigned int i = 0; i < TRACE_STATE_NR_EVENTS; i++)
		events[i] = (struct ctf_event){.id = first_id + i,
					       .stream_id = stream_id,
					       .name = known[i].name,
					       .alignment = 1,
					       .nr_fields = known[i].nr_fields,
					       .fields = known[i].fields};
}

/* ---- writing ---- */

static uint8_t *reserve(const struct trace_state_dump *dump, enum state_event event,
			uint32_t nr_bytes)
{
	const struct trace_state_config *config = dump->config;
	const uint32_t id = config->first_id + event;

	return config->in_front
		       ? trace_channel_state_reserve(dump->channel, id, dump->time, nr_bytes)
		       : trace_channel_reserve(dump->channel, 0, id, dump->time, nr_bytes);
}

/*
 * Returns whether dump->time may be increased. If the state precedes CPU 0's own packets,
 * dump->time must not be later than config->time, because CPU 0's packets may begin at that time.
 */
static bool has_later_time(const struct trace_state_dump *dump)
{
	return !dump->config->in_front || dump->time < dump->config->time;
}

static bool put(struct trace_state_dump *dump, enum state_event event, const void *payload,
		size_t nr_bytes, const char *text)
{
	const size_t nr_text = text ? strlen(text) + 1 : 0;
	uint8_t *to = reserve(dump, event, (uint32_t)(nr_bytes + nr_text));

	if (!to) {
		dump->counts->lost++;
		return false;
	}
	if (nr_bytes)
		memcpy(to, payload, nr_bytes);
	if (nr_text)
		memcpy(to + nr_bytes, text, nr_text);
	if (trace_channel_opens_packet(dump->channel) && has_later_time(dump))
		dump->time++;
	trace_channel_commit(dump->channel);
	return true;
}

static void put_thread(struct trace_state_sink *sink, const struct trace_state_thread *thread)
{
	struct trace_state_dump *dump = (struct trace_state_dump *)(void *)sink;

	dump->counts->nr_threads += put(dump, STATE_THREAD, thread, sizeof(*thread), NULL);
}

static void put_mapping(struct trace_state_sink *sink, const struct trace_state_mapping *mapping)
{
	struct trace_state_dump *dump = (struct trace_state_dump *)(void *)sink;
	const struct state_mapping_payload payload = {.pid = mapping->pid,
						      .start = mapping->start,
						      .end = mapping->end,
						      .offset = mapping->offset};

	dump->counts->nr_mappings +=
		put(dump, STATE_MAPPING, &payload, sizeof(payload), mapping->path);
}

static uint64_t first_time(const struct trace_channel *channel,
			   const struct trace_state_config *config)
{
	const uint64_t last = trace_channel_time(channel, 0);

	if (!config->in_front)
		return config->time > last ? config->time : last + 1;
	return config->time < TRACE_STATE_TIME_ROOM ? 0 : config->time - TRACE_STATE_TIME_ROOM;
}

void trace_state_dump_begin(struct trace_state_dump *dump, struct trace_channel *channel,
			    const struct trace_state_config *config,
			    struct trace_state_counts *counts)
{
	*dump = (struct trace_state_dump){
		{put_thread, put_mapping}, channel, config, counts, first_time(channel, config)};
	*counts = (struct trace_state_counts){0};
	counts->nr_marks += put(dump, STATE_START, NULL, 0, NULL);
}

void trace_state_dump_end(struct trace_state_dump *dump)
{
	dump->counts->nr_marks += put(dump, STATE_END, NULL, 0, NULL);
}

/* ---- reading ---- */

struct state_reading {
	struct trace_state_sink *sink;
	const struct trace_state_config *config;
};

static int read_proc(const struct state_reading *reading, int32_t pid, const char *name,
		     size_t max_bytes, char **text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%" PRId32 "/%s", reading->config->proc_path, pid,
		       name);
	return file_read_text(path, max_bytes, text, NULL);
}

/* ---- threads ---- */

static int32_t status_of(char state)
{
	switch (state) {
	case 'R':
		/* Ready or running. The next context switch on the thread's CPU will show which. */
		return STATUS_WAIT_CPU;
	case 'Z':
		return STATUS_ZOMBIE;
	case 'X':
	case 'x':
		return STATUS_DEAD;
	default:
		return STATUS_WAIT;
	}
}

/* Parses "TID (NAME) STATE PPID ... ". NAME may contain any characters, even parentheses. */
static bool parse_stat(char *text, struct trace_state_thread *thread)
{
	char *name = strchr(text, '('), *behind = strrchr(text, ')'), *word;
	unsigned long long flags = 0;
	size_t nr_name;

	if (!name || !behind || behind < name || behind[1] != ' ')
		return false;
	nr_name = (size_t)(behind - name) - 1;
	memcpy(thread->name, name + 1,
	       nr_name < sizeof(thread->name) ? nr_name : sizeof(thread->name) - 1);
	behind += 2;
	thread->status = status_of(*behind);
	/* Field 3 is the state, 4 ppid, 9 flags, 39 the last CPU. */
	for (unsigned int field = 3; (word = strsep(&behind, " ")); field++) {
		if (field == 4)
			thread->ppid = (int32_t)strtol(word, NULL, 10);
		else if (field == 9)
			flags = strtoull(word, NULL, 10);
		else if (field == 39)
			thread->cpu = (int32_t)strtol(word, NULL, 10);
	}
	thread->type = flags & KTHREAD_FLAG ? TRACE_STATE_KERNEL : TRACE_STATE_USER;
	return true;
}

/*
 * Returns the number of the system call in which the thread waits, or -1. The file syscall contains
 * "running", the number of the call, or -1 if the thread does not wait in a system call.
 */
static int32_t call_of(const struct state_reading *reading, int32_t pid, int32_t tid)
{
	char name[64], *text;
	int32_t number = -1;

	(void)snprintf(name, sizeof(name), "task/%" PRId32 "/syscall", tid);
	if (read_proc(reading, pid, name, STAT_BYTES_MAX, &text))
		return -1;
	if (*text >= '0' && *text <= '9')
		number = (int32_t)strtol(text, NULL, 10);
	free(text);
	return number;
}

struct trace_state_thread trace_state_thread(int32_t tid, int32_t pid, int32_t ppid)
{
	return (struct trace_state_thread){
		.tid = tid, .pid = pid, .ppid = ppid, .cpu = -1, .syscall = -1};
}

static void read_thread(const struct state_reading *reading, int32_t pid, int32_t tid)
{
	struct trace_state_thread thread = trace_state_thread(tid, pid, 0);
	char name[64], *text;
	bool is_there;

	(void)snprintf(name, sizeof(name), "task/%" PRId32 "/stat", tid);
	if (read_proc(reading, pid, name, STAT_BYTES_MAX, &text))
		return;
	is_there = parse_stat(text, &thread);
	free(text);
	if (!is_there)
		return;
	if (reading->config->is_later) {
		thread.status = STATUS_UNNAMED;
		thread.cpu = -1;
	}
	if (thread.type == TRACE_STATE_USER && thread.status == STATUS_WAIT)
		thread.syscall = call_of(reading, pid, tid);
	if (thread.type == TRACE_STATE_USER)
		thread.mode = thread.syscall >= 0 ? MODE_SYSCALL : MODE_UNKNOWN;
	reading->sink->thread(reading->sink, &thread);
}

static void read_threads(const struct state_reading *reading, int32_t pid)
{
	struct pid_list tids = {.nr_pids = 0};
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%" PRId32 "/task", reading->config->proc_path, pid);
	if (!proc_scan_list(path, &tids))
		for (size_t i = 0; i < tids.nr_pids; i++)
			read_thread(reading, pid, tids.pids[i]);
	pid_list_deinit(&tids);
}

/* ---- mappings ---- */

/*
 * Reads the hexadecimal number at *text, and moves *text after the number and the next byte.
 * Returns false if this byte is not `behind`.
 */
static bool take_number(char **text, char behind, uint64_t *number)
{
	char *end;

	*number = strtoull(*text, &end, 16);
	if (end == *text || *end != behind)
		return false;
	*text = end + 1;
	return true;
}

/* Parses a line "START-END PERMISSIONS OFFSET DEVICE INODE   PATH". */
static void read_mapping(const struct state_reading *reading, int32_t pid, char *line)
{
	struct trace_state_mapping mapping = {.pid = pid, .path = strchr(line, '/')};
	const char *permissions;

	if (!mapping.path || !take_number(&line, '-', &mapping.start) ||
	    !take_number(&line, ' ', &mapping.end))
		return;
	permissions = strsep(&line, " ");
	if (strlen(permissions) < 3 || permissions[2] != 'x' || !line ||
	    !take_number(&line, ' ', &mapping.offset))
		return;
	reading->sink->mapping(reading->sink, &mapping);
}

static void read_mappings(const struct state_reading *reading, int32_t pid)
{
	char *text, *next, *line;

	if (read_proc(reading, pid, "maps", MAPS_BYTES_MAX, &text))
		return;
	next = text;
	while ((line = strsep(&next, "\n")))
		read_mapping(reading, pid, line);
	free(text);
}

bool trace_state_is_the_machines(void)
{
	char name[64] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) < 0 ||
	       !strcmp(name, INITIAL_PID_NAMESPACE);
}

int trace_state_read(struct trace_state_sink *sink, const struct trace_state_config *config)
{
	const struct state_reading reading = {sink, config};
	struct pid_list pids = {.nr_pids = 0};
	int error = proc_scan_list(config->proc_path, &pids);

	for (size_t i = 0; !error && i < pids.nr_pids; i++) {
		read_threads(&reading, pids.pids[i]);
		read_mappings(&reading, pids.pids[i]);
		if (config->turn && i % NR_A_TURN == 0 && !config->turn(config->context))
			error = -ECANCELED;
	}
	pid_list_deinit(&pids);
	return error;
}

uint64_t trace_state_nr_records(const struct trace_state_counts *counts)
{
	return counts->nr_threads + counts->nr_mappings + counts->nr_marks;
}

int trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
		     struct trace_state_counts *counts)
{
	struct trace_state_dump dump;
	int error;

	trace_state_dump_begin(&dump, channel, config, counts);
	error = trace_state_read(&dump.sink, config);
	trace_state_dump_end(&dump);
	return error;
}
