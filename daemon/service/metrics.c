// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/metrics.h"

#include "lib/file.h"
#include "lib/folder.h"
#include "lib/key_value.h"
#include "lib/seconds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum metric_scale {
	SCALE_NONE, /* the number is written unchanged */
	SCALE_NS,   /* nanoseconds, written as seconds */
};

/* Metrics with a single value, by their key in STATUS. */
static const struct {
	const char *key, *name, *type, *help;
	enum metric_scale scale;
} plain_metrics[] = {
	{"up_since", "oprof_start_time_seconds", "gauge",
	 "Time when the daemon started, in seconds since 1970.", SCALE_NS},
	{"seen", "oprof_samples_seen_total", "counter",
	 "Samples that the kernel reported: stored, idle and lost samples.", SCALE_NONE},
	{"expired", "oprof_samples_expired_total", "counter",
	 "Stored and idle samples whose slices were deleted to stay within the budget.",
	 SCALE_NONE},
	{"throttle_episodes", "oprof_throttle_episodes_total", "counter",
	 "Number of times that the kernel throttled an event.", SCALE_NONE},
	{"throttled_ns", "oprof_throttled_seconds_total", "counter",
	 "Total time for which the kernel throttled events.", SCALE_NS},
	{"rate", "oprof_samples_per_second", "gauge", "Recent number of samples seen per second.",
	 SCALE_NONE},
	{"cpu_ns", "oprof_daemon_cpu_seconds_total", "counter",
	 "Processor time of the daemon and of its children.", SCALE_NS},
	{"resident_bytes", "oprof_daemon_resident_bytes", "gauge", "Memory of the daemon.",
	 SCALE_NONE},
	{"sample_files", "oprof_sample_files", "gauge", "Sample files that are open.", SCALE_NONE},
	{"history_bytes", "oprof_disk_bytes", "gauge", "Disk space used by the history.",
	 SCALE_NONE},
	{"budget_bytes", "oprof_disk_budget_bytes", "gauge", "Disk space that the history may use.",
	 SCALE_NONE},
	{"slices", "oprof_slices", "gauge", "Closed slices of the history.", SCALE_NONE},
	{"close_errors", "oprof_close_errors_total", "counter",
	 "Minutes that could not be closed to slices in time.", SCALE_NONE},
	{"merge_errors", "oprof_merge_errors_total", "counter", "Merges of slices that failed.",
	 SCALE_NONE},
	{"damaged_slices", "oprof_damaged_slices", "gauge",
	 "Damaged slices that were found and renamed.", SCALE_NONE},
	{"oldest", "oprof_oldest_slice_timestamp_seconds", "gauge",
	 "Time at which the history begins, in seconds since 1970.", SCALE_NS},
	{"frequency", "oprof_sampling_frequency_asked_hertz", "gauge",
	 "Requested samples per second and CPU, for events without a fixed period.", SCALE_NONE},
	{"frequency_now", "oprof_sampling_frequency_hertz", "gauge",
	 "Current samples per second and CPU, for events without a fixed period.", SCALE_NONE},
};

#define NR_PLAIN (sizeof(plain_metrics) / sizeof(plain_metrics[0]))

static void print_head(FILE *stream, const char *name, const char *type, const char *help)
{
	(void)fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Writes nanoseconds exactly as seconds; a double could not represent them. */
static void print_seconds(FILE *stream, const char *name, int64_t ns)
{
	char text[SECONDS_BYTES];

	seconds_format(ns, text);
	(void)fprintf(stream, "%s %s\n", name, text);
}

/* Writes a metric, unless its value in STATUS is not a number. */
static void print_plain(FILE *stream, const char *status, size_t which)
{
	const char *name = plain_metrics[which].name;
	char value[64];
	char *end;

	if (!key_value_find(status, plain_metrics[which].key, value, sizeof(value)))
		return;
	errno = 0;
	(void)strtod(value, &end);
	if (!*value || *end || errno)
		return;
	print_head(stream, name, plain_metrics[which].type, plain_metrics[which].help);
	if (plain_metrics[which].scale == SCALE_NS)
		print_seconds(stream, name, strtoll(value, NULL, 10));
	else
		(void)fprintf(stream, "%s %s\n", name, value);
}

static void print_results(FILE *stream, const char *status)
{
	static const char *const results[] = {"stored", "idle"};
	const char *name = "oprof_samples_total";

	print_head(stream, name, "counter",
		   "Samples that were not lost: stored samples, and samples of idle processors, "
		   "which are counted separately.");
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		(void)fprintf(stream, "%s{result=\"%s\"} %" PRIu64 "\n", name, results[i],
			      key_value_number(status, results[i], 0));
}

/*
 * Writes a line for every reason, even if its count is 0: if the line appeared only after the first
 * loss, a monitor could not see the increase.
 */
static void print_losses(FILE *stream, const char *status)
{
	const char *name = "oprof_samples_lost_total";
	struct key_value line;

	print_head(stream, name, "counter", "Lost samples, by reason.");
	while (key_value_next(&status, &line)) {
		if (line.nr_key <= 5 || memcmp(line.key, "lost_", 5) != 0)
			continue;
		(void)fprintf(stream, "%s{reason=\"%.*s\"} %.*s\n", name, (int)line.nr_key - 5,
			      line.key + 5, (int)line.nr_value, line.value);
	}
}

static void print_state(FILE *stream, const char *status, int64_t now_ns, bool up)
{
	char version[64] = "";
	char state[32] = "";

	(void)key_value_find(status, "version", version, sizeof(version));
	(void)key_value_find(status, "state", state, sizeof(state));
	print_head(
		stream, "oprof_up", "gauge",
		"1 while the daemon runs, 0 after it has ended normally; if the daemon is killed, "
		"the value stays 1, and the timestamp is no longer updated.");
	(void)fprintf(stream, "oprof_up %d\n", up);
	print_head(stream, "oprof_metrics_timestamp_seconds", "gauge",
		   "Time when this file was written: if the daemon is killed, the time is no "
		   "longer updated.");
	print_seconds(stream, "oprof_metrics_timestamp_seconds", now_ns);
	print_head(stream, "oprof_sampling", "gauge", "1 while samples are taken.");
	(void)fprintf(stream, "oprof_sampling %d\n", up && !strcmp(state, "running"));
	print_head(stream, "oprof_build_info", "gauge", "Always 1; the label has the version.");
	(void)fprintf(stream, "oprof_build_info{version=\"%s\"} 1\n", version);
}

char *metrics_format(const char *status, int64_t now_ns, bool up)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);

	if (!stream)
		return NULL;
	print_state(stream, status, now_ns, up);
	for (size_t i = 0; i < NR_PLAIN; i++)
		print_plain(stream, status, i);
	print_results(stream, status);
	print_losses(stream, status);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

int metrics_write(const char *path, const char *text)
{
	mode_t mask = umask(022); /* profiles are secret, but these figures are not */
	int error = folder_replace_file(path, text, strlen(text), 0644);

	(void)umask(mask);
	return error;
}
