// SPDX-License-Identifier: GPL-2.0-or-later
/* The replayer's texts (tests/unit/replay.h) -> its calls. */
#include "tests/unit/replay.h"
#include "lib/file.h"
#include "tests/unit/perf_encode.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WORDS_MAX    512
#define CHAIN_MAX    256
#define COUNTERS_MAX 32

struct line {
	char *words[WORDS_MAX];
	size_t nr_words;
	const char *wanted; /* behind =>, or NULL */
	bool used[WORDS_MAX];
};

struct script {
	struct replay_config config;
	struct replay *replay; /* NULL: still configuring */
	const char *name;
	char proc_path[PATH_MAX];
	char *counter_names[COUNTERS_MAX];
	uint64_t counter_values[COUNTERS_MAX];
	size_t nr_counters;
	uint64_t periods[SOURCE_EVENTS_MAX];
	bool period_given[SOURCE_EVENTS_MAX];
	unsigned int line;
	char *report;
	size_t report_bytes;
};

static int script_fail(struct script *script, const char *what, const char *word)
{
	(void)snprintf(script->report, script->report_bytes, "%s:%u: %s: %s", script->name,
		       script->line, what, word ? word : "");
	return -EINVAL;
}

/* Value of key=, or NULL. */
static char *line_get(struct line *line, const char *key)
{
	size_t length = strlen(key);

	for (size_t i = 0; i < line->nr_words; i++)
		if (!strncmp(line->words[i], key, length) && line->words[i][length] == '=') {
			line->used[i] = true;
			return line->words[i] + length + 1;
		}
	return NULL;
}

static uint64_t line_number(struct line *line, const char *key, uint64_t otherwise)
{
	const char *value = line_get(line, key);

	if (!value)
		return otherwise;
	return value[0] == '-' ? (uint64_t)strtoll(value, NULL, 0) : strtoull(value, NULL, 0);
}

static const char *line_text(struct line *line, const char *key)
{
	char *value = line_get(line, key);
	char *blank = value ? strstr(value, "%20") : NULL;

	/* Words have no blanks in them: "%20" stands for one. */
	while (blank) {
		*blank = ' ';
		memmove(blank + 1, blank + 3, strlen(blank + 3) + 1);
		blank = strstr(blank, "%20");
	}
	return value ? value : "";
}

static const struct {
	const char *name;
	uint64_t bit;
} fields[] = {
	{"identifier", PERF_SAMPLE_IDENTIFIER},
	{"ip", PERF_SAMPLE_IP},
	{"tid", PERF_SAMPLE_TID},
	{"time", PERF_SAMPLE_TIME},
	{"cpu", PERF_SAMPLE_CPU},
	{"period", PERF_SAMPLE_PERIOD},
	{"callchain", PERF_SAMPLE_CALLCHAIN},
	{"cgroup", PERF_SAMPLE_CGROUP},
};

static int script_fields(struct script *script, struct line *line)
{
	script->config.sample_type = 0;
	for (size_t i = 1; i < line->nr_words; i++) {
		size_t k = 0;

		while (k < sizeof(fields) / sizeof(fields[0]) &&
		       strcmp(fields[k].name, line->words[i]))
			k++;
		if (k == sizeof(fields) / sizeof(fields[0]))
			return script_fail(script, "no such field", line->words[i]);
		script->config.sample_type |= fields[k].bit;
	}
	return 0;
}

static void script_proc(struct script *script, const char *path)
{
	const char *slash = strrchr(script->name, '/');
	int folder = slash ? (int)(slash - script->name) + 1 : 0;

	(void)snprintf(script->proc_path, sizeof(script->proc_path), "%.*s%s", folder, script->name,
		       path);
	script->config.proc_path = script->proc_path;
}

static int script_event(struct script *script, struct line *line)
{
	unsigned long event = strtoul(line->words[1], NULL, 0);

	if (event >= SOURCE_EVENTS_MAX)
		return script_fail(script, "no such event", line->words[1]);
	script->periods[event] = line_number(line, "period", 1000000);
	script->period_given[event] = true;
	return 0;
}

static const struct {
	const char *name;
	uint32_t type;
} record_types[] = {
	{"sample", PERF_RECORD_SAMPLE},	    {"mmap", PERF_RECORD_MMAP},
	{"mmap2", PERF_RECORD_MMAP2},	    {"comm", PERF_RECORD_COMM},
	{"fork", PERF_RECORD_FORK},	    {"exit", PERF_RECORD_EXIT},
	{"lost", PERF_RECORD_LOST},	    {"lost_samples", PERF_RECORD_LOST_SAMPLES},
	{"throttle", PERF_RECORD_THROTTLE}, {"unthrottle", PERF_RECORD_UNTHROTTLE},
	{"cgroup", PERF_RECORD_CGROUP},	    {"ksymbol", PERF_RECORD_KSYMBOL},
};

static bool record_type(const char *name, uint32_t *type)
{
	for (size_t i = 0; i < sizeof(record_types) / sizeof(record_types[0]); i++)
		if (!strcmp(record_types[i].name, name)) {
			*type = record_types[i].type;
			return true;
		}
	if (strncmp(name, "type", 4) || !isdigit((unsigned char)name[4]))
		return false;
	*type = (uint32_t)strtoul(name + 4, NULL, 0);
	return true;
}

static uint16_t sample_misc(struct line *line, uint64_t ip)
{
	const char *mode = line_get(line, "mode");

	if (!mode)
		return ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	if (!strcmp(mode, "kernel"))
		return PERF_RECORD_MISC_KERNEL;
	if (!strcmp(mode, "hv"))
		return PERF_RECORD_MISC_HYPERVISOR;
	if (!strcmp(mode, "guest-user"))
		return PERF_RECORD_MISC_GUEST_USER;
	if (!strcmp(mode, "guest-kernel"))
		return PERF_RECORD_MISC_GUEST_KERNEL;
	return PERF_RECORD_MISC_USER;
}

static void fill_sample(struct line *line, struct perf_item *item)
{
	static uint64_t chain[CHAIN_MAX];
	const char *next = line_get(line, "chain");

	item->u.sample.ip = line_number(line, "ip", 0);
	item->u.sample.period = line_number(line, "period", 0);
	item->u.sample.cgroup = line_number(line, "cgroup", 0);
	item->misc = sample_misc(line, item->u.sample.ip);
	item->u.sample.chain = chain;
	item->u.sample.nr_chain = 0;
	while (next && *next && item->u.sample.nr_chain < CHAIN_MAX) {
		uint64_t *frame = &chain[item->u.sample.nr_chain++];

		if (!strncmp(next, "user", 4))
			*frame = PERF_CONTEXT_USER;
		else if (!strncmp(next, "kernel", 6))
			*frame = PERF_CONTEXT_KERNEL;
		else
			*frame = strtoull(next, NULL, 0);
		next = strchr(next, ',');
		if (next)
			next++;
	}
}

static void fill_build_id(const char *hex, struct oprof_image_identity *identity)
{
	unsigned int byte;

	while (identity->nr_build_id < OPROF_BUILD_ID_BYTES_MAX && hex[0] && hex[1] &&
	       sscanf(hex, "%2x", &byte) == 1) {
		identity->build_id[identity->nr_build_id++] = (uint8_t)byte;
		hex += 2;
	}
}

static uint32_t fill_prot(const char *text)
{
	uint32_t prot = 0;

	if (!text)
		return PROT_READ | PROT_EXEC;
	if (isdigit((unsigned char)text[0]))
		return (uint32_t)strtoul(text, NULL, 0);
	prot |= strchr(text, 'r') ? PROT_READ : 0;
	prot |= strchr(text, 'w') ? PROT_WRITE : 0;
	prot |= strchr(text, 'x') ? PROT_EXEC : 0;
	return prot;
}

static void fill_mmap(struct line *line, struct perf_item *item)
{
	struct oprof_image_identity *identity = &item->u.mmap.identity;
	const char *build_id = line_get(line, "build-id");

	item->misc = PERF_RECORD_MISC_USER;
	item->u.mmap.start = line_number(line, "addr", 0);
	item->u.mmap.nr_bytes = line_number(line, "len", 4096);
	item->u.mmap.file_offset = line_number(line, "pgoff", 0);
	item->u.mmap.prot = fill_prot(line_get(line, "prot"));
	item->u.mmap.flags = (uint32_t)line_number(line, "flags", MAP_PRIVATE);
	item->u.mmap.path = line_text(line, "path");
	memset(identity, 0, sizeof(*identity));
	if (build_id) {
		item->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		fill_build_id(build_id, identity);
	} else {
		identity->dev = line_number(line, "maj", 0) << 32 | line_number(line, "min", 0);
		identity->inode = line_number(line, "ino", 0);
		identity->inode_generation = line_number(line, "gen", 0);
	}
}

static void fill_ksymbol(struct line *line, struct perf_item *item)
{
	item->u.ksymbol.start = line_number(line, "addr", 0);
	item->u.ksymbol.nr_bytes = (uint32_t)line_number(line, "len", 0);
	item->u.ksymbol.kind = (uint16_t)line_number(line, "kind", 1);
	item->u.ksymbol.unregister = line_number(line, "unregister", 0);
	item->u.ksymbol.name = line_text(line, "name");
}

static void fill_item(struct line *line, struct perf_item *item)
{
	switch (item->type) {
	case PERF_RECORD_SAMPLE:
		fill_sample(line, item);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		fill_mmap(line, item);
		break;
	case PERF_RECORD_COMM:
		item->u.comm.name = line_text(line, "name");
		item->u.comm.exec = line_number(line, "exec", 0);
		item->misc = item->u.comm.exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		item->u.task.ppid = (int32_t)line_number(line, "ppid", (uint64_t)item->pid);
		item->u.task.ptid = (int32_t)line_number(line, "ptid", (uint64_t)item->u.task.ppid);
		break;
	case PERF_RECORD_CGROUP:
		item->u.cgroup.id = line_number(line, "id", 0);
		item->u.cgroup.path = line_text(line, "path");
		break;
	case PERF_RECORD_KSYMBOL:
		fill_ksymbol(line, item);
		break;
	default:
		item->u.lost.nr = line_number(line, "nr", 0);
		break;
	}
}

/* "cpu1", "side0" -> the ring; false when there is no such ring. */
static bool script_ring(const struct script *script, const char *name, uint32_t *ring,
			uint32_t *cpu)
{
	bool side_band = !strncmp(name, "side", 4);
	const char *number = name + (side_band ? 4 : 3);
	char *end;

	if ((!side_band && strncmp(name, "cpu", 3)) || !isdigit((unsigned char)*number))
		return false;
	*cpu = (uint32_t)strtoul(number, &end, 10);
	if (*end || *cpu >= script->replay->config.nr_cpus)
		return false;
	*ring = replay_ring(script->replay, *cpu, side_band);
	return true;
}

/* A record whose bytes are not as the kernel would write them. */
static void script_damaged(struct script *script, struct line *line, uint32_t ring,
			   const struct perf_item *item)
{
	static uint64_t record[PERF_ENCODE_BYTES_MAX / 8];
	struct perf_layout layout = {.sample_type = script->replay->config.sample_type};
	size_t nr_bytes = perf_encode(&layout, item->event == UINT16_MAX ? 1 : item->event + 1u,
				      item, record);
	struct perf_event_header *header = (struct perf_event_header *)record;

	nr_bytes = line_number(line, "cut", nr_bytes);
	header->size = (uint16_t)line_number(line, "size", nr_bytes);
	if (line->wanted)
		replay_want(script->replay, item->time_ns, line->wanted);
	replay_bytes(script->replay, ring, record, nr_bytes);
}

static int script_raw(struct script *script, struct line *line, uint32_t ring)
{
	uint8_t bytes[WORDS_MAX];
	size_t nr_bytes = 0;

	for (size_t i = 2; i < line->nr_words; i++)
		bytes[nr_bytes++] = (uint8_t)strtoul(line->words[i], NULL, 16);
	if (line->wanted)
		replay_want(script->replay, 0, line->wanted);
	replay_bytes(script->replay, ring, bytes, nr_bytes);
	return 0;
}

static int script_record(struct script *script, struct line *line)
{
	struct perf_item item = {.event = UINT16_MAX};
	uint32_t ring;

	if (!script_ring(script, line->words[0], &ring, &item.cpu) || line->nr_words < 2)
		return script_fail(script, "no such directive or ring", line->words[0]);
	if (!strcmp(line->words[1], "bytes"))
		return script_raw(script, line, ring);
	if (!record_type(line->words[1], &item.type))
		return script_fail(script, "no such record", line->words[1]);
	line->used[0] = line->used[1] = true;
	item.time_ns = line_number(line, "time", 0);
	item.pid = (int32_t)line_number(line, "pid", 0);
	item.tid = (int32_t)line_number(line, "tid", (uint64_t)item.pid);
	item.cpu = (uint32_t)line_number(line, "cpu", item.cpu);
	item.event = (uint16_t)line_number(line, "event",
					   item.type == PERF_RECORD_SAMPLE ? 0 : UINT16_MAX);
	fill_item(line, &item);
	item.misc = (uint16_t)line_number(line, "misc", item.misc);
	if (line_get(line, "size") || line_get(line, "cut"))
		script_damaged(script, line, ring, &item);
	else
		replay_item(script->replay, ring, &item, line->wanted);
	for (size_t i = 0; i < line->nr_words; i++)
		if (!line->used[i])
			return script_fail(script, "not understood", line->words[i]);
	return 0;
}

static int script_counter(struct script *script, struct line *line)
{
	size_t i = script->nr_counters;

	if (line->nr_words < 3 || i == COUNTERS_MAX)
		return script_fail(script, "counter NAME N wanted", NULL);
	script->counter_names[i] = strdup(line->words[1]);
	script->counter_values[i] = strtoull(line->words[2], NULL, 0);
	script->nr_counters++;
	return 0;
}

static int script_begin(struct script *script)
{
	int error;

	if (script->replay)
		return 0;
	error = replay_create(&script->replay, &script->config);
	if (error)
		return script_fail(script, "replay_create", strerror(-error));
	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++)
		if (script->period_given[i])
			script->replay->ids.periods[i] = script->periods[i];
	return 0;
}

static int script_scan(struct script *script, struct line *line)
{
	pid_t pids[WORDS_MAX];
	size_t nr_pids = 0;
	int error;

	for (size_t i = 1; i < line->nr_words; i++)
		pids[nr_pids++] = (pid_t)strtol(line->words[i], NULL, 0);
	error = perf_state_scan(script->replay->state, nr_pids ? pids : NULL, nr_pids);
	return error ? script_fail(script, "scan", strerror(-error)) : 0;
}

static int script_run(struct script *script, struct line *line)
{
	const char *word = line->words[0];
	uint64_t number = line->nr_words > 1 ? strtoull(line->words[1], NULL, 0) : UINT64_MAX;

	if (!strcmp(word, "round"))
		replay_round(script->replay, number);
	else if (!strcmp(word, "flush"))
		replay_flush(script->replay, number);
	else if (!strcmp(word, "scan"))
		return script_scan(script, line);
	else if (!strcmp(word, "doubt") && line->nr_words == 3)
		perf_state_doubt(script->replay->state, number, strtoull(line->words[2], NULL, 0));
	else if (!strcmp(word, "counter"))
		return script_counter(script, line);
	else
		return script_record(script, line);
	return 0;
}

static int script_line(struct script *script, struct line *line)
{
	const char *word = line->words[0];

	if (line->nr_words > 1 && !script->replay) {
		if (!strcmp(word, "cpus")) {
			script->config.nr_cpus = (unsigned int)strtoul(line->words[1], NULL, 0);
			return 0;
		}
		if (!strcmp(word, "fields"))
			return script_fields(script, line);
		if (!strcmp(word, "event"))
			return script_event(script, line);
		if (!strcmp(word, "proc")) {
			script_proc(script, line->words[1]);
			return 0;
		}
	}
	if (script_begin(script))
		return -EINVAL;
	return script_run(script, line);
}

static void line_split(char *text, struct line *line)
{
	char *hash = strchr(text, '#');
	char *arrow;
	char *state = NULL;

	memset(line, 0, sizeof(*line));
	if (hash)
		*hash = '\0';
	arrow = strstr(text, "=>");
	if (arrow) {
		*arrow = '\0';
		line->wanted = arrow + 2;
	}
	for (char *word = strtok_r(text, " \t", &state); word && line->nr_words < WORDS_MAX;
	     word = strtok_r(NULL, " \t", &state))
		line->words[line->nr_words++] = word;
}

static void script_end(struct script *script)
{
	struct replay *replay = script->replay;
	size_t used;

	(void)replay_end(replay);
	used = (size_t)snprintf(script->report, script->report_bytes, "%s", replay->report);
	for (size_t i = 0; i < script->nr_counters; i++) {
		uint64_t is = replay_counter(replay, script->counter_names[i]);

		if (is == script->counter_values[i])
			continue;
		replay->nr_failed++;
		if (used < script->report_bytes)
			used += (size_t)snprintf(script->report + used, script->report_bytes - used,
						 "counter %s is %" PRIu64 ", not %" PRIu64 "\n",
						 script->counter_names[i], is,
						 script->counter_values[i]);
	}
}

int replay_text(const char *text, const char *name, char *report, size_t nr_bytes)
{
	struct script script = {.name = name, .report = report, .report_bytes = nr_bytes};
	static struct line line;
	char *copy = strdup(text);
	char *state = copy;
	int error = copy ? 0 : -ENOMEM;

	report[0] = '\0';
	for (char *next = strsep(&state, "\n"); next && !error; next = strsep(&state, "\n")) {
		script.line++;
		line_split(next, &line);
		if (line.nr_words)
			error = script_line(&script, &line);
	}
	if (!error && !script.replay)
		error = script_fail(&script, "nothing to replay", NULL);
	if (!error) {
		script_end(&script);
		error = script.replay->nr_failed ? -EBADMSG : 0;
	}
	for (size_t i = 0; i < script.nr_counters; i++)
		free(script.counter_names[i]);
	replay_destroy(script.replay);
	free(copy);
	return error;
}

int replay_file(const char *path, char *report, size_t nr_bytes)
{
	char *text;
	int error = file_read_text(path, (size_t)16 << 20, &text, NULL);

	if (error) {
		(void)snprintf(report, nr_bytes, "%s: %s", path, strerror(-error));
		return error;
	}
	error = replay_text(text, path, report, nr_bytes);
	free(text);
	return error;
}
