// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replaces libFuzzer in ordinary builds: runs the kept corpus, tests/fuzz/corpus/NAME/ for program
 * fuzz_NAME, and truncated and empty versions of each input, as one TAP test. A fault ends the
 * program before its TAP plan is fulfilled. With arguments it runs those files instead.
 */
#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES_MAX ((size_t)64 << 20)
#define NR_CUTS		64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies the input to memory of its exact size, so that a sanitizer finds reads past its end. */
static void run_input(const char *bytes, size_t nr_bytes)
{
	uint8_t *exact = malloc(nr_bytes ? nr_bytes : 1);

	if (!exact)
		abort();
	memcpy(exact, bytes, nr_bytes);
	(void)LLVMFuzzerTestOneInput(exact, nr_bytes);
	free(exact);
}

static int run_file(const char *path)
{
	size_t nr_bytes = 0;
	char *bytes = NULL;
	int error = file_read_text(path, INPUT_BYTES_MAX, &bytes, &nr_bytes);

	if (error) {
		printf("# %s: %s\n", path, strerror(-error));
		return error;
	}
	run_input(bytes, nr_bytes);
	for (size_t i = 1; i <= NR_CUTS; i++)
		run_input(bytes, nr_bytes * i / (NR_CUTS + 1));
	free(bytes);
	return 0;
}

/* Returns the number of files run, or -errno. */
static int run_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[PATH_MAX + NAME_MAX + 2];
	int error = 0;
	int nr = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!error && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "README"))
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		error = run_file(path);
		nr++;
	}
	closedir(dir);
	return error ? error : nr;
}

static const char *fuzzer_name(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;

	return strncmp(name, "fuzz_", 5) ? name : name + 5;
}

int main(int argc, char **argv)
{
	const char *top = getenv("OPROF_TOP_SRCDIR");
	const char *name = fuzzer_name(argv[0]);
	char folder[PATH_MAX];
	int nr;

	for (int i = 1; i < argc; i++)
		if (run_file(argv[i]))
			return EXIT_FAILURE;
	if (argc > 1)
		return EXIT_SUCCESS;
	puts("1..1");
	(void)fflush(stdout);
	(void)snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", top ? top : ".", name);
	run_input("", 0);
	nr = run_folder(folder);
	if (nr > 0)
		printf("ok 1 - %s_survives_%d_kept_inputs_whole_and_cut\n", name, nr);
	else
		printf("not ok 1 - %s: no input in %s\n", name, folder);
	return nr > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
