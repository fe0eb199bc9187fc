// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile archives: the input is the compressed file, and also the stream that the process sends
 * which parses the file. Both halves run in this process.
 *
 * Checked: nothing is created outside the folder, and only files and folders inside it.
 */
#include "lib/file.h"
#include "pp/session/archive_stream.h"
#include "pp/session/archive_unpack.h"

#include <errno.h>
#include <fcntl.h>
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

/*
 * The sizes of inputs are limited, and so is the stream: it is written to a file in memory that
 * cannot grow.
 */
#define STREAM_BYTES (8 << 20)

static int stream_create(void)
{
	int fd = memfd_create("stream", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, STREAM_BYTES) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW))
		abort();
	return fd;
}

static void unpack(int stream, size_t size)
{
	static const struct archive_limits limits = {.bytes_max = 4 << 20,
						     .free_bytes = 1 << 20,
						     .ratio = 100,
						     .nr_max = 1000,
						     .depth_max = 20,
						     .wait_seconds = 60};
	struct diag diag;

	if (mkdir(folder, 0700) || lseek(stream, 0, SEEK_SET))
		abort();
	/* The whole stream is there, so nothing waits. */
	if (archive_unpack_stream(stream, size, "fuzz", folder, &limits, &diag) == -ETIMEDOUT)
		abort();
	if (nftw(top, look, 8, FTW_PHYS) || file_remove_tree(folder))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	int stream;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd < 0 || !mkdtemp(top) || atexit(remove_top))
			abort();
		(void)snprintf(folder, sizeof(folder), "%s/in", top);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET))
		abort();
	stream = stream_create();
	(void)archive_stream_write(fd, stream);
	unpack(stream, size);
	if (close(stream))
		abort();
	unpack(fd, size);
	return 0;
}
