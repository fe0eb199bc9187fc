/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs are online, and whether that has changed (CPU hotplug), from sysfs. */
#ifndef DAEMON_CPU_WATCH_H
#define DAEMON_CPU_WATCH_H

#include "daemon/system/cpu_list.h"

#define CPU_WATCH_TEXT_BYTES 1024

struct cpu_watch {
	int fd;		      /* of "online"; -1: CPUs neither come nor go here */
	unsigned int nr_cpus; /* possible */
	struct cpu_list online;
	char text[CPU_WATCH_TEXT_BYTES]; /* of online */
};

/* cpu_path NULL: "/sys/devices/system/cpu". Without it, what the C library says. */
void cpu_watch_open(struct cpu_watch *watch, const char *cpu_path);
void cpu_watch_close(struct cpu_watch *watch);

/* Read again; true when online is another. */
bool cpu_watch_read(struct cpu_watch *watch);

#endif
