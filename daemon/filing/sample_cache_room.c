// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/sample_cache.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_MAX   2048 /* an open file takes about 8 KB of memory */
#define FILES_SPARE 96	 /* descriptors for the rest of the daemon, 64 of them for code_space.h */

size_t sample_cache_room(void)
{
	struct rlimit limit;
	size_t room = FILES_MAX;
	size_t used;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return room;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 2;
	(void)close(fd);
	used = (size_t)fd + FILES_SPARE; /* open() returns the lowest free descriptor */
	if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < used + room)
		room = limit.rlim_cur > used + 2 ? (size_t)limit.rlim_cur - used : 2;
	return room;
}
