/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs are online, and whether that set has changed (CPU hotplug), from sysfs. */
#ifndef DAEMON_CPU_WATCH_H
#define DAEMON_CPU_WATCH_H

#include "daemon/system/cpu_list.h"

#define CPU_WATCH_TEXT_BYTES 1024

struct cpu_watch {
	int fd;		      /* of the file "online"; -1: this machine has no CPU hotplug */
	unsigned int nr_cpus; /* number of possible CPUs */
	struct cpu_list online;
	char text[CPU_WATCH_TEXT_BYTES]; /* content of the file "online" */
};

/*
 * cpu_path NULL: "/sys/devices/system/cpu". If it cannot be read, the C library's CPU count is
 * used.
 */
void cpu_watch_open(struct cpu_watch *watch, const char *cpu_path);
void cpu_watch_close(struct cpu_watch *watch);

/* Reads the file again. Returns whether `online` has changed. */
bool cpu_watch_read(struct cpu_watch *watch);

#endif
