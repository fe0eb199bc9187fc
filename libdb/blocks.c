// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define NR_ZEROS (256u << 10)

int blocks_write(int fd, const void *bytes, size_t nr_bytes, uint64_t from)
{
	const char *next = bytes;

	while (nr_bytes) {
		ssize_t nr = pwrite(fd, next, nr_bytes, (off_t)from);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		if (!nr)
			return -ENOSPC;
		next += nr;
		from += (uint64_t)nr;
		nr_bytes -= (size_t)nr;
	}
	return 0;
}

static int write_zeros(int fd, uint64_t from, uint64_t nr_bytes)
{
	static const char zeros[NR_ZEROS];
	int error = 0;

	while (nr_bytes && !error) {
		const size_t piece = nr_bytes < sizeof(zeros) ? (size_t)nr_bytes : sizeof(zeros);

		error = blocks_write(fd, zeros, piece, from);
		from += piece;
		nr_bytes -= piece;
	}
	return error;
}

int blocks_may_reach(uint64_t nr_bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
			       nr_bytes > limit.rlim_cur
		       ? -EFBIG
		       : 0;
}

static int reserve(int fd, uint64_t from, uint64_t nr_bytes)
{
	while (fallocate(fd, 0, (off_t)from, (off_t)nr_bytes) < 0) {
		if (errno == EOPNOTSUPP || errno == ENOSYS)
			return 0; /* write_zeros() allocates the blocks instead */
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

int blocks_allocate(int fd, uint64_t from, uint64_t nr_bytes)
{
	int error = blocks_may_reach(from + nr_bytes);

	if (!error)
		error = reserve(fd, from, nr_bytes);
	return error ? error : write_zeros(fd, from, nr_bytes);
}
