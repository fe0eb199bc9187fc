// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/cpu_watch.h"
#include "lib/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool list_read(const char *cpu_path, const char *name, struct cpu_list *list)
{
	char path[PATH_MAX];
	char *text;
	bool good;

	if (snprintf(path, sizeof(path), "%s/%s", cpu_path, name) >= (int)sizeof(path) ||
	    file_read_text(path, CPU_WATCH_TEXT_BYTES, &text, NULL))
		return false;
	good = !cpu_list_parse(text, list) && list->nr;
	free(text);
	return good;
}

static void list_fill(struct cpu_list *list, long nr_cpus)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "0-%ld", nr_cpus > 1 ? nr_cpus - 1 : 0);
	if (cpu_list_parse(text, list))
		(void)cpu_list_parse("0", list);
}

/* Returns whether CPUs can be taken offline: such a CPU has a file "online" of its own. */
static bool has_hotplug(const char *cpu_path, unsigned int nr_cpus)
{
	char path[PATH_MAX];

	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++)
		if (snprintf(path, sizeof(path), "%s/cpu%u/online", cpu_path, cpu) <
			    (int)sizeof(path) &&
		    !access(path, F_OK))
			return true;
	return false;
}

void cpu_watch_open(struct cpu_watch *watch, const char *cpu_path)
{
	struct cpu_list possible;
	char path[PATH_MAX];

	if (!cpu_path)
		cpu_path = "/sys/devices/system/cpu";
	memset(watch, 0, sizeof(*watch));
	watch->fd = -1;
	if (!list_read(cpu_path, "online", &watch->online))
		list_fill(&watch->online, sysconf(_SC_NPROCESSORS_ONLN));
	if (!list_read(cpu_path, "possible", &possible))
		possible = watch->online;
	watch->nr_cpus = possible.nr > watch->online.nr ? possible.nr : watch->online.nr;
	if (has_hotplug(cpu_path, watch->nr_cpus) &&
	    snprintf(path, sizeof(path), "%s/online", cpu_path) < (int)sizeof(path))
		watch->fd = open(path, O_RDONLY | O_CLOEXEC);
	(void)cpu_watch_read(watch);
}

void cpu_watch_close(struct cpu_watch *watch)
{
	if (watch->fd >= 0)
		(void)close(watch->fd);
	watch->fd = -1;
}

bool cpu_watch_read(struct cpu_watch *watch)
{
	char text[CPU_WATCH_TEXT_BYTES];
	struct cpu_list online;
	ssize_t nr_bytes;

	if (watch->fd < 0)
		return false;
	nr_bytes = file_pread_all(watch->fd, text, sizeof(text) - 1, 0);
	if (nr_bytes <= 0)
		return false;
	text[nr_bytes] = '\0';
	if (!strcmp(text, watch->text) || cpu_list_parse(text, &online) ||
	    online.nr > watch->nr_cpus)
		return false;
	memcpy(watch->text, text, sizeof(watch->text));
	watch->online = online;
	return true;
}
