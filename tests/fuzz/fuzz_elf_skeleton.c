// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Skeletons of hostile binaries: their size is bounded, and a skeleton of a skeleton can be made.
 */
#include "lib/elf_skeleton.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static off_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? -1 : st.st_size;
}

/* A skeleton must itself be readable. */
static void make_again(int skeleton)
{
	int again = memfd_create("again", MFD_CLOEXEC);

	if (again < 0)
		return;
	if (!elf_skeleton_write(skeleton, again, MAX_BYTES) && size_of(again) > MAX_BYTES)
		abort();
	close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int from = memfd_create("from", MFD_CLOEXEC);
	int to = memfd_create("to", MFD_CLOEXEC);
	int error = -1;

	if (from >= 0 && to >= 0 && size <= 1 << 20 && write(from, data, size) == (ssize_t)size)
		error = elf_skeleton_write(from, to, MAX_BYTES);
	if (to >= 0 && size_of(to) > MAX_BYTES)
		abort();
	if (!error)
		make_again(to);
	close(from);
	close(to);
	return 0;
}
