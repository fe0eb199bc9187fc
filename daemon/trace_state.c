// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace_state.h"

#include "daemon/proc_scan.h"
#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT_BYTES_MAX 4096u
#define MAPS_BYTES_MAX ((size_t)64 << 20)
#define NAME_BYTES     16u
#define NR_A_TURN      16u	   /* processes */
#define KTHREAD_FLAG   0x00200000u /* include/linux/sched.h of the kernel */

enum state_event { STATE_START, STATE_THREAD, STATE_MAPPING, STATE_END };

/* LTTng's, as readers know them. */
enum thread_type { TYPE_USER, TYPE_KERNEL };
enum thread_mode { MODE_UNKNOWN, MODE_USER, MODE_SYSCALL };
enum thread_status {
	STATUS_UNNAMED,
	STATUS_WAIT_FORK,
	STATUS_WAIT_CPU,
	STATUS_EXIT,
	STATUS_ZOMBIE,
	STATUS_WAIT,
	STATUS_RUN,
	STATUS_DEAD
};

static const struct ctf_label types[] = {{"USER_THREAD", TYPE_USER},
					 {"KERNEL_THREAD", TYPE_KERNEL}};
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
	{.name = "name", .kind = CTF_FIELD_TEXT, .bits = 8, .nr = NAME_BYTES},
	LABELLED("type", types),
	LABELLED("mode", modes),
	LABELLED("submode", submodes),
	LABELLED("status", statuses),
	NUMBER("cpu"),
	NUMBER("syscall"), /* the number of the call it is in; -1: none, or not known */
};
struct thread_payload {
	int32_t tid, pid, ppid;
	char name[NAME_BYTES];
	int32_t type, mode, submode, status, cpu, syscall;
} __attribute__((packed));

static const struct ctf_field mapping_fields[] = {
	NUMBER("pid"),
	WIDE("start"),
	WIDE("end"),
	WIDE("offset"),
	{.name = "path", .kind = CTF_FIELD_STRING},
};
struct mapping_payload {
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

struct dump {
	struct trace_channel *channel;
	const struct trace_state_config *config;
	struct trace_state_counts *counts;
};

static bool put(const struct dump *dump, enum state_event event, const void *payload,
		size_t nr_bytes, const char *text)
{
	const size_t nr_text = text ? strlen(text) + 1 : 0;
	uint8_t *to = trace_channel_reserve(dump->channel, dump->config->cpu,
					    dump->config->first_id + event, dump->config->time,
					    (uint32_t)(nr_bytes + nr_text));

	if (!to) {
		dump->counts->lost++;
		return false;
	}
	if (nr_bytes)
		memcpy(to, payload, nr_bytes);
	if (nr_text)
		memcpy(to + nr_bytes, text, nr_text);
	trace_channel_commit(dump->channel);
	return true;
}

static int read_proc(const struct dump *dump, int32_t pid, const char *name, size_t max_bytes,
		     char **text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%" PRId32 "/%s", dump->config->proc_path, pid, name);
	return file_read_text(path, max_bytes, text, NULL);
}

/* ---- threads ---- */

static int32_t status_of(char state)
{
	switch (state) {
	case 'R':
		return STATUS_WAIT_CPU; /* or it runs: its CPU's next switch tells */
	case 'Z':
		return STATUS_ZOMBIE;
	case 'X':
	case 'x':
		return STATUS_DEAD;
	default:
		return STATUS_WAIT;
	}
}

/* "TID (NAME) STATE PPID ... ": NAME may hold anything. Fields are counted from behind it. */
static bool parse_stat(char *text, struct thread_payload *thread)
{
	char *name = strchr(text, '('), *behind = strrchr(text, ')'), *word;
	unsigned long long flags = 0;
	size_t nr_name;

	if (!name || !behind || behind < name || behind[1] != ' ')
		return false;
	nr_name = (size_t)(behind - name) - 1;
	memcpy(thread->name, name + 1, nr_name < NAME_BYTES ? nr_name : NAME_BYTES - 1);
	behind += 2;
	thread->status = status_of(*behind);
	/* Field 3 is the state; 4 ppid, 9 flags, 39 the CPU it ran on last. */
	for (unsigned int field = 3; (word = strsep(&behind, " ")); field++) {
		if (field == 4)
			thread->ppid = (int32_t)strtol(word, NULL, 10);
		else if (field == 9)
			flags = strtoull(word, NULL, 10);
		else if (field == 39)
			thread->cpu = (int32_t)strtol(word, NULL, 10);
	}
	thread->type = flags & KTHREAD_FLAG ? TYPE_KERNEL : TYPE_USER;
	return true;
}

/* "running", or the number of the call that it waits in, or -1 where it waits elsewhere. */
static int32_t call_of(const struct dump *dump, int32_t pid, int32_t tid)
{
	char name[64], *text;
	int32_t number = -1;

	(void)snprintf(name, sizeof(name), "task/%" PRId32 "/syscall", tid);
	if (read_proc(dump, pid, name, STAT_BYTES_MAX, &text))
		return -1;
	if (*text >= '0' && *text <= '9')
		number = (int32_t)strtol(text, NULL, 10);
	free(text);
	return number;
}

static void dump_thread(const struct dump *dump, int32_t pid, int32_t tid)
{
	struct thread_payload thread = {.tid = tid, .pid = pid, .cpu = -1, .syscall = -1};
	char name[64], *text;
	bool is_there;

	(void)snprintf(name, sizeof(name), "task/%" PRId32 "/stat", tid);
	if (read_proc(dump, pid, name, STAT_BYTES_MAX, &text))
		return;
	is_there = parse_stat(text, &thread);
	free(text);
	if (!is_there)
		return;
	if (dump->config->is_later) {
		thread.status = STATUS_UNNAMED;
		thread.cpu = -1;
	}
	if (thread.type == TYPE_USER && thread.status == STATUS_WAIT)
		thread.syscall = call_of(dump, pid, tid);
	if (thread.type == TYPE_USER)
		thread.mode = thread.syscall >= 0 ? MODE_SYSCALL : MODE_UNKNOWN;
	dump->counts->nr_threads += put(dump, STATE_THREAD, &thread, sizeof(thread), NULL);
}

static void dump_threads(const struct dump *dump, int32_t pid)
{
	struct pid_list tids = {.nr_pids = 0};
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%" PRId32 "/task", dump->config->proc_path, pid);
	if (!proc_scan_list(path, &tids))
		for (size_t i = 0; i < tids.nr_pids; i++)
			dump_thread(dump, pid, tids.pids[i]);
	pid_list_deinit(&tids);
}

/* ---- mappings ---- */

/* The hexadecimal number at *text, and the byte behind it. */
static bool take_number(char **text, char behind, uint64_t *number)
{
	char *end;

	*number = strtoull(*text, &end, 16);
	if (end == *text || *end != behind)
		return false;
	*text = end + 1;
	return true;
}

/* "START-END PERMISSIONS OFFSET DEVICE INODE   PATH" */
static void dump_mapping(const struct dump *dump, int32_t pid, char *line)
{
	struct mapping_payload mapping = {.pid = pid};
	uint64_t start, end, offset;
	const char *permissions, *path = strchr(line, '/');

	if (!path || !take_number(&line, '-', &start) || !take_number(&line, ' ', &end))
		return;
	permissions = strsep(&line, " ");
	if (strlen(permissions) < 3 || permissions[2] != 'x' || !line ||
	    !take_number(&line, ' ', &offset))
		return;
	mapping.start = start;
	mapping.end = end;
	mapping.offset = offset;
	dump->counts->nr_mappings += put(dump, STATE_MAPPING, &mapping, sizeof(mapping), path);
}

static void dump_mappings(const struct dump *dump, int32_t pid)
{
	char *text, *next, *line;

	if (read_proc(dump, pid, "maps", MAPS_BYTES_MAX, &text))
		return;
	next = text;
	while ((line = strsep(&next, "\n")))
		dump_mapping(dump, pid, line);
	free(text);
}

int trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
		     struct trace_state_counts *counts)
{
	const struct dump dump = {channel, config, counts};
	struct pid_list pids = {.nr_pids = 0};
	int error = proc_scan_list(config->proc_path, &pids);

	*counts = (struct trace_state_counts){0};
	(void)put(&dump, STATE_START, NULL, 0, NULL);
	for (size_t i = 0; !error && i < pids.nr_pids; i++) {
		dump_threads(&dump, pids.pids[i]);
		dump_mappings(&dump, pids.pids[i]);
		if (config->turn && i % NR_A_TURN == 0)
			config->turn(config->context);
	}
	(void)put(&dump, STATE_END, NULL, 0, NULL);
	pid_list_deinit(&pids);
	return error;
}
