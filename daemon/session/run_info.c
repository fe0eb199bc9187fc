// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/run_info.h"

#include "daemon/session/separation.h"
#include "lib/file.h"
#include "session/session_info.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/*
 * OLD_EVENTS_MAX limits the number of events that are kept from earlier runs. OLD_LINES_MAX limits
 * the number of old lines that are searched for such events.
 */
#define OLD_EVENTS_MAX 64
#define OLD_LINES_MAX  1024

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Converts "0a1b2c3d-..." to 16 bytes. Missing digits count as 0. */
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

void run_info_init(struct run_info *info)
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

static bool info_has_event(const struct session_info *info, const struct session_event *event)
{
	char own[SESSION_EVENT_BYTES];
	char other[SESSION_EVENT_BYTES];

	session_event_format(event, other);
	for (size_t i = 0; i < info->nr_events; i++) {
		session_event_format(&info->events[i], own);
		if (!strcmp(own, other))
			return true;
	}
	return false;
}

static bool info_has_note(const struct session_info *info, const char *name)
{
	for (size_t i = 0; i < info->nr_notes; i++)
		if (!strcmp(info->notes[i].name, name))
			return true;
	return false;
}

/*
 * Fills info with the run's events, and then with those events of `old` that the run does not
 * measure. Returns 1 if `old` has such events, otherwise 0, or -ENOMEM.
 */
static int info_take_events(struct session_info *info, const struct run_info *run,
			    const struct session_info *old)
{
	const size_t nr_lines = old->nr_events < OLD_LINES_MAX ? old->nr_events : OLD_LINES_MAX;
	size_t nr_old = 0;

	info->events = calloc(run->nr_events + OLD_EVENTS_MAX, sizeof(*info->events));
	if (!info->events)
		return -ENOMEM;
	for (size_t i = 0; i < run->nr_events; i++) {
		const struct event_choice *event = &run->events[i];

		info->events[info->nr_events++] = (struct session_event){
			.name = event->name,
			.frequency = event->frequency,
			.period_or_hz = event->period_or_hz,
			.unit_mask = event->unit_mask,
			.kernel = event->kernel,
			.user = event->user,
			.description = event->description,
		};
	}
	for (size_t i = 0; i < nr_lines && nr_old < OLD_EVENTS_MAX; i++)
		if (!info_has_event(info, &old->events[i])) {
			info->events[info->nr_events++] = old->events[i];
			nr_old++;
		}
	return nr_old != 0;
}

/*
 * Fills info with the run's notes, and then with those notes of `old` whose names the run's notes
 * do not have.
 */
static int info_take_notes(struct session_info *info, const struct run_info *run,
			   const struct session_info *old)
{
	size_t nr_old = 0;

	info->notes = calloc(run->nr_notes + SOURCE_NOTES_MAX, sizeof(*info->notes));
	if (!info->notes)
		return -ENOMEM;
	for (size_t i = 0; i < run->nr_notes; i++)
		info->notes[info->nr_notes++] =
			(struct session_note){run->notes[i].name, run->notes[i].text};
	for (size_t i = 0; i < old->nr_notes && nr_old < SOURCE_NOTES_MAX; i++)
		if (!info_has_note(info, old->notes[i].name)) {
			info->notes[info->nr_notes++] = old->notes[i];
			nr_old++;
		}
	return 0;
}

static int write_over(const struct run_info *run, const struct session_info *old, const char *path)
{
	bool has_reason = run->source_reason && *run->source_reason;
	char separation[SEPARATION_TEXT_BYTES];
	struct session_info info = {
		.version = OPROF_VERSION,
		.host = run->host,
		.boot_id = run->boot_id_text,
		.source = run->source,
		.source_reason = has_reason ? run->source_reason : NULL,
		.target = run->target,
		.cpu_type = run->cpu_type,
		.separation = separation,
		.cpu_khz = run->cpu_khz,
		.clock = run->clock,
		.started_ns = run->started_ns,
	};
	int differs = info_take_events(&info, run, old);
	int error = differs < 0 ? differs : info_take_notes(&info, run, old);

	separation_format(run->separation, separation);
	if (old->separation && strcmp(separation, old->separation) != 0)
		differs = 1;
	if (!error)
		error = session_info_write(&info, path);
	session_info_deinit(&info);
	return error ? error : differs;
}

int run_info_write(struct run_info *run, const char *path)
{
	struct session_info old;
	int result = session_info_read(&old, path);

	if (!result) {
		if (old.started_ns && old.started_ns < run->started_ns)
			run->started_ns = old.started_ns;
		result = write_over(run, &old, path);
	}
	session_info_deinit(&old);
	return result;
}
