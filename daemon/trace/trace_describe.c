// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_describe.h"

#include "lib/clock.h"
#include "lib/file.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

static void add_env(struct trace_describe *describe, const char *name, const char *text,
		    int64_t number)
{
	describe->envs[describe->nr_envs++] =
		(struct ctf_env){.name = name, .text = text, .number = number};
}

void trace_describe_machine(struct trace_describe *describe, unsigned int samples_hz)
{
	describe->nr_envs = 0;
	(void)uname(&describe->machine);
	add_env(describe, "hostname", describe->machine.nodename, 0);
	add_env(describe, "domain", "kernel", 0);
	add_env(describe, "sysname", describe->machine.sysname, 0);
	add_env(describe, "kernel_release", describe->machine.release, 0);
	add_env(describe, "kernel_version", describe->machine.version, 0);
	/*
	 * The tracer's name is LTTng's, because events have LTTng's names and fields: readers for
	 * LTTng's traces then recognise the events.
	 */
	add_env(describe, "tracer_name", "lttng-modules", 0);
	add_env(describe, "tracer_major", NULL, 2);
	add_env(describe, "tracer_minor", NULL, 13);
	add_env(describe, "tracer_patchlevel", NULL, 0);
	add_env(describe, "architecture_bit_width", NULL, (int64_t)(8 * sizeof(long)));
	add_env(describe, "oprof_version", OPROF_VERSION, 0);
	add_env(describe, "oprof_source", "perf", 0);
	if (samples_hz)
		add_env(describe, "oprof_sample_hz", NULL, samples_hz);
}

/* Parses hexadecimal digits such as "0f1e2d3c-...", ignoring hyphens. */
static bool parse_hex(const char *text, uint8_t *bytes, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; text += 2, i++) {
		char digits[3] = "", *end;

		text += *text == '-';
		(void)strncat(digits, text, 2);
		bytes[i] = (uint8_t)strtoul(digits, &end, 16);
		if (end != digits + 2)
			return false;
	}
	return true;
}

/*
 * Returns the time at which CLOCK_MONOTONIC was 0, in ns since 1970. Uses the fastest of five
 * readings.
 */
static uint64_t monotonic_offset(void)
{
	uint64_t best = UINT64_MAX, offset = 0;

	for (unsigned int i = 0; i < 5; i++) {
		const uint64_t before = clock_monotonic_ns();
		const uint64_t since_1970 = clock_ns(CLOCK_REALTIME);
		const uint64_t took = clock_monotonic_ns() - before;

		if (took < best) {
			best = took;
			offset = since_1970 - before - took / 2;
		}
	}
	return offset;
}

void trace_describe_clock(struct ctf_clock *clock)
{
	char *text;

	*clock = (struct ctf_clock){
		.name = "monotonic", .description = "CLOCK_MONOTONIC", .freq_hz = NS_PER_SECOND};
	if (!file_read_text(BOOT_ID_FILE, 256, &text, NULL)) {
		clock->has_uuid = parse_hex(text, clock->uuid, sizeof(clock->uuid));
		free(text);
	}
	trace_describe_origin(clock, (int64_t)monotonic_offset());
}

void trace_describe_origin(struct ctf_clock *clock, int64_t origin_ns)
{
	const int64_t second = (int64_t)NS_PER_SECOND;
	int64_t rest = origin_ns % second;

	clock->offset_s = origin_ns / second;
	if (rest < 0) {
		rest += second;
		clock->offset_s--;
	}
	clock->offset = (uint64_t)((unsigned __int128)rest * clock->freq_hz / NS_PER_SECOND);
}
