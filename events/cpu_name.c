// SPDX-License-Identifier: GPL-2.0-or-later
/* The processor's name and speed for report headers. */
#include "events/events.h"

#include "events/cpu_name.h"
#include "lib/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define CPUINFO_BYTES_MAX (4u << 20)

/* Returns the value after "key<blanks>:" at the start of a line, or NULL. */
static const char *find_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, length)) {
			const char *behind = line + length + strspn(line + length, " \t");

			if (*behind == ':')
				return behind + 1 + strspn(behind + 1, " \t");
		}
	}
	return NULL;
}

static bool copy_line(const char *value, char *name, size_t nr_bytes)
{
	size_t length = value ? strcspn(value, "\n") : 0;

	if (!length)
		return false;
	(void)snprintf(name, nr_bytes, "%.*s", (int)(length < 1024 ? length : 1024), value);
	return true;
}

/* Converts "2445.404" MHz to kHz, independent of the locale's decimal point; 0: malformed. */
static uint32_t parse_mhz(const char *value)
{
	char *end;
	unsigned long mhz;
	unsigned long khz = 0;
	unsigned long scale = 100;

	if (!value || *value < '0' || *value > '9')
		return 0;
	mhz = strtoul(value, &end, 10);
	if (mhz > 1000000)
		return 0;
	if (*end == '.') {
		for (end++; *end >= '0' && *end <= '9' && scale; end++, scale /= 10)
			khz += (unsigned long)(*end - '0') * scale;
	}
	return (uint32_t)(mhz * 1000 + khz);
}

void cpu_name_parse(const char *cpuinfo, char *name, size_t nr_bytes, uint32_t *khz)
{
	static const char *const keys[] = {"model name", "Model", "cpu model", "uarch", "cpu"};

	*khz = parse_mhz(find_value(cpuinfo, "cpu MHz"));
	if (!*khz)
		*khz = parse_mhz(find_value(cpuinfo, "clock"));
	name[0] = '\0';
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (copy_line(find_value(cpuinfo, keys[i]), name, nr_bytes))
			return;
	}
}

void event_cpu_name(char *name, size_t nr_bytes, uint32_t *khz)
{
	struct utsname machine;
	char *cpuinfo;

	name[0] = '\0';
	*khz = 0;
	if (!file_read_text("/proc/cpuinfo", CPUINFO_BYTES_MAX, &cpuinfo, NULL)) {
		cpu_name_parse(cpuinfo, name, nr_bytes, khz);
		free(cpuinfo);
	}
	/* Arm's cpuinfo has no model name; the architecture's name is used instead. */
	if (!name[0])
		(void)snprintf(name, nr_bytes, "%s", uname(&machine) ? "unknown" : machine.machine);
}
