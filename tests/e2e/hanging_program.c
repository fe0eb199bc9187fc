// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hanging_program SECONDS: runs code without a file, in its own mount namespace whose /tmp is a
 * file system that never answers. Prints its pid. Exit status 77: FUSE is not available.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* mov $1000000, %ecx; 1: dec %ecx; jnz 1b; ret */
static const unsigned char code[] = {0xb9, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
#elif defined(__aarch64__)
/* mov w0, #65535; 1: subs w0, w0, #1; b.ne 1b; ret */
static const unsigned int code[] = {0x529fffe0, 0x71000400, 0x54ffffe1, 0xd65f03c0};
#else
static const unsigned char code[1];
#endif

static int hide_tmp(void)
{
	char options[128];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0 || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	(void)snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	return mount("nothing", "/tmp", "fuse", 0, options);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	void *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(void);

	if (sizeof(code) == 1 || place == MAP_FAILED || hide_tmp())
		return 77;
	memcpy(place, code, sizeof(code));
	__builtin___clear_cache((char *)place, (char *)place + sizeof(code));
	memcpy(&run, &place, sizeof(run));
	(void)printf("%d\n", (int)getpid());
	(void)fflush(stdout);
	while (time(NULL) < end)
		run();
	return 0;
}
