// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_laps NUMBER [FIRST]: fills laps of a trace's rings. On each CPU a thread makes NUMBER calls
 * that no other program makes: truncate of a missing file, whose name is nearly 4 KiB long and
 * begins with CPU-NUMBER-, numbered from FIRST on. A thousand calls fill 4 MiB.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES   4000u
#define NR_CPUS_MAX  64
#define NUMBER_BYTES 32u

static long nr_calls, first;

static void *call(void *cpu)
{
	const long which = (long)cpu;
	char name[NAME_BYTES + 1];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)which, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
	memset(name, 'x', NAME_BYTES);
	name[NAME_BYTES] = '\0';
	for (long i = 0; i < nr_calls; i++) {
		char number[NUMBER_BYTES];
		const int nr = snprintf(number, sizeof(number), "/%ld-%ld-", which, first + i);

		memcpy(name, number, (size_t)nr);
		if (!truncate(name, 0))
			abort();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[NR_CPUS_MAX];

	nr_calls = argc > 1 ? atol(argv[1]) : 0;
	first = argc > 2 ? atol(argv[2]) : 0;
	if (nr_cpus < 1 || nr_cpus > NR_CPUS_MAX)
		return EXIT_FAILURE;
	for (long cpu = 0; cpu < nr_cpus; cpu++)
		if (pthread_create(&threads[cpu], NULL, call, (void *)cpu))
			return EXIT_FAILURE;
	for (long cpu = 0; cpu < nr_cpus; cpu++)
		(void)pthread_join(threads[cpu], NULL);
	return EXIT_SUCCESS;
}
