// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/session_info.h"

#include "daemon/session/separation.h"
#include "lib/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define INFO_BYTES_MAX (1u << 20)

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* "0a1b2c3d-..." to 16 bytes; fewer digits leave zeros. */
static void parse_boot_id(const char *text, uint8_t *bytes)
{
	size_t nr_digits = 0;

	for (; *text && nr_digits < 32; text++) {
		int digit = hex_digit(*text);

		if (digit < 0)
			continue;
		bytes[nr_digits / 2] = (uint8_t)(bytes[nr_digits / 2] << 4 | digit);
		nr_digits++;
	}
}

void session_info_init(struct session_info *info)
{
	struct utsname name;
	char *boot_id = NULL;

	memset(info, 0, sizeof(*info));
	if (!uname(&name))
		(void)snprintf(info->host, sizeof(info->host), "%s", name.nodename);
	if (!file_read_text("/proc/sys/kernel/random/boot_id", 64, &boot_id, NULL)) {
		boot_id[strcspn(boot_id, "\n")] = '\0';
		(void)snprintf(info->boot_id_text, sizeof(info->boot_id_text), "%s", boot_id);
		parse_boot_id(boot_id, info->boot_id);
	}
	free(boot_id);
	event_cpu_name(info->cpu_type, sizeof(info->cpu_type), &info->cpu_khz);
	info->clock = CLOCK_MONOTONIC;
}

/* What behind "event INDEX " describes the event, without its index. */
static void event_line(const struct event_choice *event, char *line, size_t nr_bytes)
{
	(void)snprintf(line, nr_bytes, "%s %s %" PRIu64 " 0x%" PRIx32 " %d %d %s", event->name,
		       event->frequency ? "hz" : "period", event->period_or_hz, event->unit_mask,
		       event->kernel, event->user, event->description);
	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
}

static bool info_has_event(const struct session_info *info, const char *line)
{
	char own[512];

	for (size_t i = 0; i < info->nr_events; i++) {
		event_line(&info->events[i], own, sizeof(own));
		if (!strcmp(own, line))
			return true;
	}
	return false;
}

/* What is kept of the info of an earlier run. */
struct old_info {
	int64_t started_ns; /* 0: none */
	bool differs;
	char *events[64]; /* lines without "event INDEX "; into the text that was read */
	size_t nr_events;
	char *notes[SOURCE_NOTES_MAX]; /* "NAME TEXT", likewise */
	size_t nr_notes;
};

/* Does the run that begins have this note ("NAME TEXT") too? */
static bool info_has_note(const struct session_info *info, const char *line)
{
	size_t length = strcspn(line, " ");

	for (size_t i = 0; i < info->nr_notes; i++)
		if (strlen(info->notes[i].name) == length &&
		    !strncmp(info->notes[i].name, line, length))
			return true;
	return false;
}

static void old_info_line(struct old_info *old, const struct session_info *info, char *line)
{
	char separation[SEPARATION_TEXT_BYTES];
	char *value = strchr(line, ' ');

	if (!value)
		return;
	*value++ = '\0';
	if (!strcmp(line, "started")) {
		char *end;
		long long ns = strtoll(value, &end, 10);

		if (end != value && ns > 0)
			old->started_ns = ns;
	} else if (!strcmp(line, "separation")) {
		separation_format(info->separation, separation);
		old->differs |= strcmp(separation, value) != 0;
	} else if (!strcmp(line, "note")) {
		if (!info_has_note(info, value) && old->nr_notes < SOURCE_NOTES_MAX)
			old->notes[old->nr_notes++] = value;
	} else if (!strcmp(line, "event")) {
		char *event = strchr(value, ' ');

		if (!event || info_has_event(info, event + 1))
			return;
		old->differs = true;
		if (old->nr_events < sizeof(old->events) / sizeof(old->events[0]))
			old->events[old->nr_events++] = event + 1;
	}
}

static void info_print(FILE *stream, const struct session_info *info, const struct old_info *old)
{
	bool has_reason = info->source_reason && *info->source_reason;
	char text[512];

	separation_format(info->separation, text);
	(void)fprintf(stream,
		      "version %s\nhost %s\nboot_id %s\nsource %s\n%s%s%starget %s\ncpu_type %s\n"
		      "cpu_khz %" PRIu32 "\nseparation %s\nstarted %" PRId64 "\nclock %" PRIu32
		      "\n",
		      OPROF_VERSION, info->host, info->boot_id_text, info->source,
		      has_reason ? "source_reason " : "", has_reason ? info->source_reason : "",
		      has_reason ? "\n" : "", info->target, info->cpu_type, info->cpu_khz, text,
		      info->started_ns, info->clock);
	for (size_t i = 0; i < info->nr_events; i++) {
		event_line(&info->events[i], text, sizeof(text));
		(void)fprintf(stream, "event %zu %s\n", i, text);
	}
	for (size_t i = 0; i < old->nr_events; i++)
		(void)fprintf(stream, "event %zu %s\n", info->nr_events + i, old->events[i]);
	for (size_t i = 0; i < info->nr_notes; i++)
		(void)fprintf(stream, "note %s %s\n", info->notes[i].name, info->notes[i].text);
	for (size_t i = 0; i < old->nr_notes; i++)
		(void)fprintf(stream, "note %s\n", old->notes[i]);
}

static int info_replace(const char *path, const struct session_info *info,
			const struct old_info *old)
{
	char *text = NULL;
	size_t nr_bytes = 0;
	FILE *stream = open_memstream(&text, &nr_bytes);
	int error = 0;

	if (!stream)
		return -ENOMEM;
	info_print(stream, info, old);
	if (ferror(stream))
		error = -ENOMEM;
	if (fclose(stream))
		error = -ENOMEM;
	if (!error)
		error = file_replace(path, text, nr_bytes, 0600);
	free(text);
	return error;
}

int session_info_write(struct session_info *info, const char *path)
{
	struct old_info old = {0};
	char *text = NULL;
	char *rest;
	char *line;
	int error = file_read_text(path, INFO_BYTES_MAX, &text, NULL);

	if (error && error != -ENOENT)
		return error;
	rest = text;
	while (rest && (line = strsep(&rest, "\n")))
		old_info_line(&old, info, line);
	if (old.started_ns && old.started_ns < info->started_ns)
		info->started_ns = old.started_ns;
	error = info_replace(path, info, &old);
	free(text);
	return error ? error : old.differs;
}
