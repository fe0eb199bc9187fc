// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program traced by LTTng-UST. It reads lines that contain a number of
 * records, writes that many records of 16 bytes, and prints their CPU time in
 * ns.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/lttng_peer_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t thread_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Waits until the event is enabled, which LTTng does some time after the program's start. */
static int is_enabled(void)
{
	for (int i = 0; i < 500; i++) {
		if (lttng_ust_tracepoint_enabled(oprof_bench, record))
			return 1;
		(void)usleep(20000);
	}
	return 0;
}

int main(void)
{
	char line[64];

	if (!is_enabled()) {
		(void)fprintf(stderr, "bench: the peer's event is not enabled\n");
		return EXIT_FAILURE;
	}
	puts("ready");
	(void)fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		const uint64_t nr = strtoull(line, NULL, 10), begin = thread_ns();

		for (uint64_t i = 0; i < nr; i++)
			lttng_ust_tracepoint(oprof_bench, record, i, ~i);
		printf("%" PRIu64 "\n", thread_ns() - begin);
		(void)fflush(stdout);
	}
	return EXIT_SUCCESS;
}
