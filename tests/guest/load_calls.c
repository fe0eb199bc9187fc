// SPDX-License-Identifier: GPL-2.0-or-later
/* load_calls NUMBER: makes NUMBER system calls of a kind that no other program makes. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 0; i; i--)
		syscall(SYS_sched_get_priority_min, 0);
	return 0;
}
