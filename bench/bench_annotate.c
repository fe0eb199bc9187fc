// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Annotated source and instructions of a session with many distinct offsets in a large binary with
 * debug information: CPU time of opannotate and of its children, which read the binary. Caches by
 * build-id are warm.
 */
#include "bench/bench.h"
#include "bench/report_binary.h"
#include "bench/report_session.h"

#include "lib/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NR_ROUNDS 5
#define OBJDUMP	  "/usr/bin/objdump" /* used by OProfile's opannotate */

static char folder[PATH_MAX / 4];
static struct report_binary binary;

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

static void print_peer(const char *name, double cost, double peer_cost)
{
	char text[128];

	snprintf(text, sizeof(text), "peer_%s", name);
	bench_print(text, peer_cost, "s");
	snprintf(text, sizeof(text), "ratio_%s", name);
	bench_print(text, cost / peer_cost, "x");
}

/* peer is the command to compare with, or NULL. */
static void measure(const char *name, unsigned int nr_offsets, const char *view,
		    const char *const *peer)
{
	char session[PATH_MAX], session_option[PATH_MAX + 32], sources[PATH_MAX];
	const char *words[] = {"opannotate", view, session_option, sources, NULL};
	double cost = 0, peer_cost = 0;

	if (!bench_wanted(name))
		return;
	snprintf(session, sizeof(session), "%s/%s", folder, name);
	snprintf(session_option, sizeof(session_option), "--session-dir=%s", session);
	snprintf(sources, sizeof(sources), "--search-dirs=%s/src", folder);
	if (view[2] == 'a') /* annotates only instructions, and needs no sources */
		words[3] = NULL;
	report_session_make(session, &binary, nr_offsets);
	for (int i = 0; i < NR_ROUNDS; i++) {
		keep_minimum(&cost, report_session_run(words));
		if (peer)
			keep_minimum(&peer_cost, report_session_run(peer));
	}
	bench_print(name, cost, "s");
	if (peer)
		print_peer(name, cost, peer_cost);
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *const objdump[] = {OBJDUMP, "-d", "--no-show-raw-insn", binary.path, NULL};
	const char *top = getenv("TMPDIR");
	char sources[PATH_MAX];

	bench_init(argc, argv);
	if (!bench_wanted("annotate_source_1e6") && !bench_wanted("annotate_assembly_1e5"))
		return EXIT_SUCCESS;
	report_binary_open(&binary);
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	snprintf(sources, sizeof(sources), "%s/src", folder);
	if (file_make_dirs(sources, 0700))
		bench_fail(sources, EIO);
	report_binary_write_sources(sources);
	measure("annotate_source_1e6", 1000000, "--source", NULL);
	if (!access(OBJDUMP, X_OK))
		printf("# peer of assembly: objdump alone, without samples\n");
	measure("annotate_assembly_1e5", 100000, "--assembly",
		access(OBJDUMP, X_OK) ? NULL : objdump);
	return EXIT_SUCCESS;
}
