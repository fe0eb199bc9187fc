// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oprof/kmod.h"
#include "tests/guest/kmod_files.h"

void kmod_must(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-status));
	exit(1);
}

int kmod_open(const char *name, int flags)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", OPROF_KMOD_MOUNT, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int kmod_write(const char *name, const void *bytes, size_t nr_bytes)
{
	int fd = kmod_open(name, O_WRONLY);
	ssize_t written;

	if (fd < 0)
		return fd;
	written = write(fd, bytes, nr_bytes);
	if (written < 0)
		written = -errno;
	else
		written = (size_t)written == nr_bytes ? 0 : -EIO;
	close(fd);
	return (int)written;
}

int kmod_write_text(const char *name, const char *text)
{
	return kmod_write(name, text, strlen(text));
}

int kmod_write_number(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return kmod_write_text(name, text);
}

uint64_t kmod_number(const char *name)
{
	char text[32] = "", *end;
	int fd = kmod_open(name, O_RDONLY);
	ssize_t nr = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint64_t value = strtoull(text, &end, 10);

	if (nr <= 0 || end == text || strcmp(end, "\n")) {
		fprintf(stderr, "%s: no number: \"%s\"\n", name, text);
		exit(1);
	}
	close(fd);
	return value;
}

uint64_t kmod_stats(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "stats/%s", name);
	return kmod_number(path);
}

uint64_t kmod_stats_sum(const char *prefix)
{
	DIR *folder = opendir(OPROF_KMOD_MOUNT "/stats");
	struct dirent *entry;
	uint64_t sum = 0;

	if (!folder)
		kmod_must(-errno, "stats");
	while ((entry = readdir(folder)))
		if (entry->d_type != DT_DIR && !strncmp(entry->d_name, prefix, strlen(prefix)))
			sum += kmod_stats(entry->d_name);
	closedir(folder);
	return sum;
}

void kmod_use_timer(uint64_t period_ns)
{
	char name[32];
	int i;

	for (i = 1; i < OPROF_KMOD_COUNTERS_MAX; i++) {
		snprintf(name, sizeof(name), "%d/enabled", i);
		kmod_must(kmod_write_number(name, 0), name);
	}
	kmod_must(kmod_write_number("0/type", OPROF_KMOD_TYPE_TIMER), "0/type");
	kmod_must(kmod_write_number("0/count", period_ns), "0/count");
	kmod_must(kmod_write_number("0/hz", 0), "0/hz");
	kmod_must(kmod_write_number("0/kernel", 1), "0/kernel");
	kmod_must(kmod_write_number("0/user", 1), "0/user");
	kmod_must(kmod_write_number("0/enabled", 1), "0/enabled");
}
