/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches in sysfs which CPUs are online (CPU hotplug). */
#ifndef DAEMON_CPU_WATCH_H
#define DAEMON_CPU_WATCH_H

#include "daemon/system/cpu_list.h"

#define CPU_WATCH_TEXT_BYTES 1024

struct cpu_watch {
	/* descriptor of the file "online"; -1: this machine has no CPU hotplug */
	int fd;
	unsigned int nr_cpus; /* number of possible CPUs */
	struct cpu_list online;
	char text[CPU_WATCH_TEXT_BYTES]; /* content of the file "online" */
};

/*
 * cpu_path: the folder of the CPUs in sysfs; NULL: "/sys/devices/system/cpu". If the folder cannot
 * be read, the number of CPUs is taken from the C library.
 */
void cpu_watch_open(struct cpu_watch *watch, const char *cpu_path);
void cpu_watch_close(struct cpu_watch *watch);

/* Reads the file again. Returns whether `online` has changed. */
bool cpu_watch_read(struct cpu_watch *watch);

#endif
