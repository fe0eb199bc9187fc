// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile archives: the input is the compressed file.
 *
 * Checked: nothing is created outside the folder, and only files and folders inside it.
 */
#include "lib/file.h"
#include "pp/session/archive_reader.h"

#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char top[] = "/tmp/oprof-fuzz.XXXXXX";
static char folder[sizeof(top) + 3];

static void remove_top(void)
{
	(void)file_remove_tree(top);
}

static int look(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)type;
	(void)ftw;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		abort();
	if (strncmp(path, folder, strlen(folder)) != 0 && strcmp(path, top) != 0)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct diag diag;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd < 0 || !mkdtemp(top) || atexit(remove_top))
			abort();
		(void)snprintf(folder, sizeof(folder), "%s/in", top);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size || mkdir(folder, 0700))
		abort();
	if (lseek(fd, 0, SEEK_SET))
		abort();
	(void)archive_unpack(fd, "fuzz", folder, &diag);
	if (nftw(top, look, 8, FTW_PHYS) || file_remove_tree(folder))
		abort();
	return 0;
}
