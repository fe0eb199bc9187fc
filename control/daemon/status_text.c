// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/status_text.h"

#include "control/module/module_tool.h"
#include "lib/key_value.h"
#include "oprof/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VALUE_BYTES 256
#define NS	    INT64_C(1000000000)
#define LATELY_NS   (70 * NS) /* longest time covered by the figures of "the last minute" */
/* If more than this share of the last minute's samples is lost, there is a problem. */
#define TROUBLE_SHARE	 0.01
#define TROUBLE_SEEN_MIN 100 /* with fewer samples, the share is not significant */
/*
 * If the disk space in use exceeds the budget multiplied by this factor, there is a problem.
 * While slices are closed or merged, the disk space exceeds the budget briefly.
 */
#define TROUBLE_BUDGET 1.05

/* The meaning of each reason of loss, and the remedy. */
static const struct {
	const char *reason, *meaning;
} losses[] = {
	{"kernel_ring", "the daemon read the kernel's rings too late: enlarge the rings "
			"(opcontrol --cpu-buffer-size=16384) or take fewer samples (--frequency)"},
	{"no_task", "samples of unknown processes"},
	{"no_mapping",
	 "samples at addresses outside all known programs and libraries: the process was already "
	 "running when profiling began, or the memory has no file"},
	{"no_kernel_map",
	 "samples at unknown addresses in the kernel; the kernel may hide its symbols: see oprof "
	 "doctor"},
	{"other_namespace", "samples of processes in another pid namespace"},
	{"mode", "samples of guests or a hypervisor"},
	{"bad_record", "the samples' records were damaged: please report this"},
	{"disk", "the disk was full or could not be written to"},
	{"file", "a sample file was damaged: see oprofiled.log"},
	{"memory", "out of memory"},
	{"side_band", "records about the samples' processes were lost, because the daemon read "
		      "the rings for maps and tasks too late: enlarge these rings (oprofiled "
		      "--side-pages)"},
	{"unread", "samples of processes whose mappings could not be read in time: see the lines "
		   "\"unread\""},
};
_Static_assert(sizeof(losses) / sizeof(losses[0]) == OPROF_LOST_NR, "each reason has its meaning");

struct status_text {
	FILE *stream;
	const char *status;
	int64_t now_ns;
	unsigned int nr_troubles;
};

static uint64_t number(const struct status_text *text, const char *key)
{
	return key_value_number(text->status, key, 0);
}

static double fraction(const struct status_text *text, const char *key)
{
	char value[VALUE_BYTES];

	return key_value_find(text->status, key, value, sizeof(value)) ? strtod(value, NULL) : 0;
}

static bool has(const struct status_text *text, const char *key, char *value)
{
	return key_value_find(text->status, key, value, VALUE_BYTES);
}

/* Groups digits: "1,234,567" for 1234567. */
static const char *grouped(uint64_t nr, char room[32])
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, nr);
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			room[used++] = ',';
		room[used++] = digits[i];
	}
	room[used] = '\0';
	return room;
}

static const char *bytes_text(uint64_t nr_bytes, char room[32])
{
	static const char units[][4] = {"B", "KB", "MB", "GB", "TB"};
	double nr = (double)nr_bytes;
	size_t unit = 0;

	while (nr >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		nr /= 1024;
		unit++;
	}
	(void)snprintf(room, 32, unit && nr < 10 ? "%.1f %s" : "%.0f %s", nr, units[unit]);
	return room;
}

/* Formats the time in the two largest units: "3 days 4 h", "2 h 14 min", "41 s". */
static const char *passed_text(int64_t ns, char room[48])
{
	int64_t s = ns > 0 ? ns / NS : 0;

	if (s >= 2 * 86400)
		(void)snprintf(room, 48, "%" PRId64 " days %" PRId64 " h", s / 86400,
			       s % 86400 / 3600);
	else if (s >= 3600)
		(void)snprintf(room, 48, "%" PRId64 " h %" PRId64 " min", s / 3600, s % 3600 / 60);
	else if (s >= 60)
		(void)snprintf(room, 48, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
	else
		(void)snprintf(room, 48, "%" PRId64 " s", s);
	return room;
}

static const char *time_text(int64_t ns, char room[48])
{
	time_t seconds = (time_t)(ns / NS);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(room, 48, "%Y-%m-%d %H:%M:%S", &tm))
		(void)snprintf(room, 48, "unknown");
	return room;
}

__attribute__((format(printf, 3, 4))) static void print_line(const struct status_text *text,
							     const char *name, const char *format,
							     ...)
{
	va_list args;

	(void)fprintf(text->stream, "  %-9s ", name);
	va_start(args, format);
	(void)vfprintf(text->stream, format, args);
	va_end(args);
	(void)fputc('\n', text->stream);
}

static void print_head(const struct status_text *text)
{
	int64_t since_ns = (int64_t)number(text, "up_since");
	char version[VALUE_BYTES] = "";
	char target[VALUE_BYTES] = "";
	char when[48], passed[48];

	(void)has(text, "version", version);
	(void)has(text, "target", target);
	(void)fprintf(text->stream, "oprof %s profiles %s, daemon process %" PRIu64, version,
		      !strcmp(target, "system") ? "the whole machine" : "some processes",
		      number(text, "pid"));
	if (since_ns)
		(void)fprintf(text->stream, ", since %s (%s)", time_text(since_ns, when),
			      passed_text(text->now_ns - since_ns, passed));
	(void)fputc('\n', text->stream);
}

/*
 * Prints an event "NAME:COUNT:UNITMASK:KERNEL:USER"; COUNT is empty if the event has a frequency.
 */
static void print_event(const struct status_text *text, const struct key_value *line)
{
	char event[VALUE_BYTES];
	char *rest = event;
	const char *name, *count;

	(void)snprintf(event, sizeof(event), "%.*s", (int)line->nr_value, line->value);
	name = strsep(&rest, ":");
	count = rest ? strsep(&rest, ":") : "";
	if (!strcmp(name, "off-cpu")) /* the count of off-cpu is 1 and has no meaning */
		print_line(text, "event", "%s, every context switch is recorded", name);
	else if (*count && strcmp(count, "0") != 0)
		print_line(text, "event", "%s, one sample every %s events", name, count);
	else if (number(text, "thinning") > 1)
		print_line(text, "event",
			   "%s, %.3g Hz on each of %" PRIu64 " CPUs, lowered from %" PRIu64
			   " by the CPU budget",
			   name, fraction(text, "frequency_now"), number(text, "cpus"),
			   number(text, "frequency"));
	else
		print_line(text, "event", "%s, %" PRIu64 " Hz on each of %" PRIu64 " CPUs", name,
			   number(text, "frequency"), number(text, "cpus"));
}

/*
 * Returns whether the user requested the source by name. The STATUS of an earlier version's daemon
 * has no line source_requested; only the text of `reason` shows the request.
 */
static bool is_source_requested(const struct status_text *text, const char *reason)
{
	char requested[VALUE_BYTES];

	if (has(text, "source_requested", requested))
		return strcmp(requested, "auto") != 0;
	return !strcmp(reason, "requested") || !strcmp(reason, "asked for");
}

/*
 * Prints the source and the reason. If the module is missing, prints the reason that the last
 * --init stored, because it is the most precise reason.
 */
static void print_source(const struct status_text *text)
{
	char source[VALUE_BYTES], reason[MODULE_TEXT_BYTES], remedy[MODULE_TEXT_BYTES];
	bool by_init;

	if (!has(text, "source", source) ||
	    !key_value_find(text->status, "source_reason", reason, sizeof(reason)))
		return;
	by_init = !strcmp(source, "perf") && !is_source_requested(text, reason) &&
		  key_value_find(text->status, "module_reason", reason, sizeof(reason));
	print_line(text, "source", "%s: %s%s", source, by_init ? "no kernel module: " : "", reason);
	if (by_init && key_value_find(text->status, "module_remedy", remedy, sizeof(remedy)))
		print_line(text, "", "-> %s", remedy);
}

static void print_events(const struct status_text *text)
{
	const char *next = text->status;
	uint64_t recent_ns = number(text, "recent_ns");
	struct key_value line;

	while (key_value_next(&next, &line))
		if (key_value_is(&line, "event"))
			print_event(text, &line);
	if (recent_ns)
		print_line(text, "rate", "%.1f samples per second recently",
			   (double)number(text, "recent_seen") * 1e9 / (double)recent_ns);
}

/* Returns whether the last minute's figures differ from those since the start. */
static bool has_minute(const struct status_text *text)
{
	int64_t since_ns = (int64_t)number(text, "up_since");

	return !since_ns || text->now_ns - since_ns > LATELY_NS;
}

static void print_cost(const struct status_text *text)
{
	char memory[32];

	(void)bytes_text(number(text, "resident_bytes"), memory);
	if (has_minute(text))
		print_line(text, "cost",
			   "%.2f %% of a CPU in the last minute, %.2f %% since the daemon "
			   "started; %s of memory",
			   fraction(text, "recent_cpu_percent"), fraction(text, "cpu_percent"),
			   memory);
	else
		print_line(text, "cost", "%.2f %% of a CPU since the daemon started; %s of memory",
			   fraction(text, "cpu_percent"), memory);
}

/*
 * Prints the CPU budget and the cost of the last 5 s. A short burst above the budget is not a
 * problem: the daemon takes fewer samples only if the cost stays high.
 */
static void print_budget(const struct status_text *text)
{
	char budget[VALUE_BYTES], cost[VALUE_BYTES];
	bool over;

	if (!has(text, "cpu_budget", budget))
		return;
	if (!has(text, "cpu_cost", cost)) {
		print_line(text, "budget",
			   "%s %% of a CPU; the cost of the first minute is ignored", budget);
		return;
	}
	over = strtod(cost, NULL) > strtod(budget, NULL);
	print_line(text, "budget",
		   "%s %% of a CPU; %.2f %% used in the last 5 s, interrupts included%s", budget,
		   strtod(cost, NULL),
		   !over ? ""
		   : has_minute(text)
			   ? ": if the cost stays above the budget, the daemon takes fewer samples"
			   : ": the cost of the first minute is ignored");
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *loss_meaning(const struct key_value *line)
{
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (strlen(losses[i].reason) == line->nr_key - 5 &&
		    !memcmp(losses[i].reason, line->key + 5, line->nr_key - 5))
			return losses[i].meaning;
	return "";
}

static void print_samples(const struct status_text *text)
{
	uint64_t seen = number(text, "seen");
	uint64_t stored = number(text, "stored");
	uint64_t idle = number(text, "idle");
	char room[3][32];

	print_line(text, "samples", "%s seen: %s stored, %s of idle CPUs, %.3g %% lost",
		   grouped(seen, room[0]), grouped(stored, room[1]), grouped(idle, room[2]),
		   seen > stored + idle ? percent(seen - stored - idle, seen) : 0);
}

static void print_losses(const struct status_text *text)
{
	uint64_t seen = number(text, "seen");
	const char *next = text->status;
	struct key_value line;
	char room[32];

	while (key_value_next(&next, &line)) {
		char key[VALUE_BYTES];
		uint64_t nr;

		if (line.nr_key <= 5 || memcmp(line.key, "lost_", 5) != 0)
			continue;
		(void)snprintf(key, sizeof(key), "%.*s", (int)line.nr_key, line.key);
		nr = number(text, key);
		if (nr)
			print_line(text, "lost", "%s (%.3g %%) %s: %s", grouped(nr, room),
				   percent(nr, seen), key + 5, loss_meaning(&line));
	}
	if (number(text, "throttled_ns"))
		print_line(text, "throttled",
			   "%" PRIu64
			   " times, %.1f s in total: the kernel paused events (see sample rate "
			   "in oprof doctor)",
			   number(text, "throttle_episodes"),
			   (double)number(text, "throttled_ns") / 1e9);
}

/* Prints the users of the lines "unread_user USER"; USER is "all" for all users except root. */
static void print_unread_users(const struct status_text *text)
{
	const char *next = text->status;
	struct key_value line;

	while (key_value_next(&next, &line)) {
		if (!key_value_is(&line, "unread_user"))
			continue;
		if (line.nr_value == 3 && !strncmp(line.value, "all", 3))
			print_line(text, "unread",
				   "for up to a minute, the daemon reads no mappings of processes "
				   "of users other than root, because such reads have taken too "
				   "long");
		else
			print_line(text, "unread",
				   "for up to a minute, the daemon reads no mappings of processes "
				   "of user %.*s, because such reads have taken too long",
				   (int)line.nr_value, line.value);
	}
}

/* Prints the processes of the lines "unread PID USER NAME". */
static void print_unread(const struct status_text *text)
{
	const char *next = text->status;
	struct key_value line;

	while (key_value_next(&next, &line)) {
		char value[VALUE_BYTES];
		char *rest = value;
		const char *pid, *user;

		if (!key_value_is(&line, "unread"))
			continue;
		(void)snprintf(value, sizeof(value), "%.*s", (int)line.nr_value, line.value);
		pid = strsep(&rest, " ");
		user = rest ? strsep(&rest, " ") : "";
		if (!strcmp(user, "4294967295")) /* it ended before the daemon found its user */
			user = "unknown";
		print_line(text, "unread",
			   "process %s (%s, user %s) could not be read in time; the daemon tries "
			   "again after a minute or later",
			   pid, rest ? rest : "", user);
	}
	if (number(text, "unread_in_all"))
		print_line(text, "unread",
			   "%" PRIu64 " reads took too long since the daemon started",
			   number(text, "unread_in_all"));
	if (number(text, "refused_reads"))
		print_line(text, "unread",
			   "%" PRIu64 " reads were not tried, because earlier reads of the same "
			   "process or user had taken too long",
			   number(text, "refused_reads"));
}

static void print_disk(const struct status_text *text)
{
	uint64_t budget = number(text, "budget_bytes");
	uint64_t slices = number(text, "slices");
	int64_t oldest = (int64_t)number(text, "oldest");
	char history[32], limit[64] = "", when[48];

	if (!key_value_find(text->status, "history_bytes", when, sizeof(when)))
		return;
	if (budget) {
		char room[32];

		(void)snprintf(limit, sizeof(limit), " of %s allowed", bytes_text(budget, room));
	}
	if (slices && oldest)
		print_line(text, "disk", "%s%s; slices of history: %" PRIu64 ", the oldest from %s",
			   bytes_text(number(text, "history_bytes"), history), limit, slices,
			   time_text(oldest, when));
	else
		print_line(text, "disk", "%s%s; no slice of history is closed yet",
			   bytes_text(number(text, "history_bytes"), history), limit);
}

/* Prints the notes in STATUS without their first word, which only programs use. */
static void print_notes(const struct status_text *text)
{
	const char *next = text->status;
	struct key_value line;

	while (key_value_next(&next, &line)) {
		const char *blank;

		if (!key_value_is(&line, "note"))
			continue;
		blank = memchr(line.value, ' ', line.nr_value);
		if (blank)
			print_line(text, "note", "%.*s",
				   (int)(line.value + line.nr_value - blank - 1), blank + 1);
	}
}

/* ---- problems ---- */

__attribute__((format(printf, 2, 3))) static void print_trouble(struct status_text *text,
								const char *format, ...)
{
	va_list args;

	(void)fprintf(text->stream, "  %-9s ", "trouble");
	va_start(args, format);
	(void)vfprintf(text->stream, format, args);
	va_end(args);
	(void)fputc('\n', text->stream);
	text->nr_troubles++;
}

static void judge_samples(struct status_text *text)
{
	uint64_t seen = number(text, "recent_seen");
	uint64_t lost = number(text, "recent_lost");
	char state[VALUE_BYTES] = "";

	(void)has(text, "state", state);
	if (strcmp(state, "running") != 0)
		print_trouble(text, "sampling is stopped; continue it with opcontrol --start");
	if (seen >= TROUBLE_SEEN_MIN && (double)lost > TROUBLE_SHARE * (double)seen)
		print_trouble(text,
			      "%.1f %% of the last minute's samples were lost: see the reasons "
			      "above",
			      percent(lost, seen));
}

static void judge_disk(struct status_text *text)
{
	uint64_t budget = number(text, "budget_bytes");
	uint64_t bytes = number(text, "history_bytes");
	char room[2][32];

	if (budget && (double)bytes > TROUBLE_BUDGET * (double)budget)
		print_trouble(text, "the history uses %s, more than its budget of %s",
			      bytes_text(bytes, room[0]), bytes_text(budget, room[1]));
}

static void judge_warnings(struct status_text *text)
{
	const char *next = text->status;
	struct key_value line;

	while (key_value_next(&next, &line))
		if (key_value_is(&line, "warning"))
			print_trouble(text, "%.*s", (int)line.nr_value, line.value);
}

enum status_health status_text_print(FILE *stream, const char *status, int64_t now_ns)
{
	struct status_text text = {.stream = stream, .status = status, .now_ns = now_ns};

	print_head(&text);
	print_source(&text);
	print_events(&text);
	print_cost(&text);
	print_budget(&text);
	print_samples(&text);
	print_losses(&text);
	print_unread_users(&text);
	print_unread(&text);
	print_disk(&text);
	print_notes(&text);
	judge_samples(&text);
	judge_disk(&text);
	judge_warnings(&text);
	if (!text.nr_troubles)
		(void)fprintf(stream, "All is well.\n");
	return text.nr_troubles ? STATUS_TROUBLE : STATUS_HEALTHY;
}
