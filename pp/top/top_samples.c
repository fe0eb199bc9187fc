// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_samples.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ---- */

static struct top_event event_of(const struct slice_section *section)
{
	assert(section);
	return (struct top_event){
		.name = section->event,
		.period_or_hz = section->period_or_hz,
		.frequency = section->flags & OPROF_SDB_FREQUENCY,
		.unit_mask = section->unit_mask,
	};
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_events(const void *a, const void *b)
{
	const struct top_event *left = a;
	const struct top_event *right = b;
	int order = strcmp(left->name, right->name);

	if (!order)
		order = left->frequency - right->frequency;
	if (!order)
		order = compare_numbers(left->period_or_hz, right->period_or_hz);
	return order ? order : compare_numbers(left->unit_mask, right->unit_mask);
}

static struct top_event *find_event(struct top_samples *samples, const struct top_event *event)
{
	for (size_t i = 0; i < samples->nr_events; i++)
		if (!compare_events(&samples->events[i], event))
			return &samples->events[i];
	return NULL;
}

static int list_events(struct top_samples *samples)
{
	for (size_t i = 0; i < samples->nr_sections; i++) {
		const struct slice_section *section = samples->sections[i].section;
		struct top_event event = event_of(section);
		struct top_event *bigger;

		if (find_event(samples, &event))
			continue;
		bigger = reallocarray(samples->events, samples->nr_events + 1, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		samples->events = bigger;
		samples->events[samples->nr_events++] = event;
	}
	if (samples->nr_events)
		qsort(samples->events, samples->nr_events, sizeof(*samples->events),
		      compare_events);
	return 0;
}

static void sum_events(struct top_samples *samples)
{
	for (size_t i = 0; i < samples->nr_sections; i++) {
		struct top_section *section = &samples->sections[i];
		struct top_event wanted = event_of(section->section);
		struct top_event *event = find_event(samples, &wanted);

		if (!event) /* cannot happen, as list_events() listed all events */
			continue;
		section->event = (size_t)(event - samples->events);
		event->exact |= section->section->image_kind == OPROF_IMAGE_OFF_CPU;
		if (section->idle) {
			event->nr_idle += section->section->nr_samples;
			continue;
		}
		event->nr_samples += section->section->nr_samples;
		event->weight += section->section->weight;
	}
}

/* ---- counters ---- */

static void sum_counters(struct top_samples *samples)
{
	const struct slice_info *info = slice_info(samples->slice);

	for (size_t i = 0; i < info->nr_counters; i++) {
		uint64_t begin = info->begin[i].value;
		uint64_t end = info->end[i].value;
		uint64_t nr = end > begin ? end - begin : 0;

		if (!strncmp(info->end[i].name, "seen", sizeof("seen")))
			samples->seen = nr;
		if (!strncmp(info->end[i].name, "lost_", 5))
			samples->lost += nr;
	}
}

/* ---- reading ---- */

static int read_section(struct top_samples *samples, struct top_section *section, struct diag *diag)
{
	size_t nr_keys = section->section->nr_keys;

	section->entries = calloc(nr_keys + 1, sizeof(*section->entries));
	if (!section->entries)
		return diag_set(diag, -ENOMEM, "out of memory");
	section->idle = section->section->image_kind == OPROF_IMAGE_IDLE;
	return slice_read_section(samples->slice, section->entries, diag);
}

static int read_sections(struct top_samples *samples, struct diag *diag)
{
	size_t nr_sections;
	const struct slice_section *sections = slice_sections(samples->slice, &nr_sections);
	int error = 0;

	samples->sections = calloc(nr_sections + 1, sizeof(*samples->sections));
	if (!samples->sections)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (size_t i = 0; sections && i < nr_sections && !error; i++) {
		samples->sections[i].section = &sections[i];
		samples->nr_sections++;
		error = read_section(samples, &samples->sections[i], diag);
	}
	return error;
}

int top_samples_read(struct top_samples *samples, int fd, struct diag *diag)
{
	int error;

	*samples = (struct top_samples){0};
	error = slice_open_fd(&samples->slice, fd, "the daemon's samples", diag);
	if (error)
		return error;
	samples->begin_ns = slice_info(samples->slice)->begin_ns;
	samples->end_ns = slice_info(samples->slice)->end_ns;
	error = read_sections(samples, diag);
	if (!error && list_events(samples))
		error = diag_set(diag, -ENOMEM, "out of memory");
	if (error) {
		top_samples_deinit(samples);
		return error;
	}
	sum_events(samples);
	sum_counters(samples);
	return 0;
}

int top_samples_ask(struct top_samples *samples, const char *session_dir, uint64_t last_ns,
		    const struct client_patience *patience, struct diag *diag)
{
	struct client_recent recent;
	int error = client_recent(session_dir, &(struct client_span){last_ns, 0}, patience, &recent,
				  diag);

	if (!error)
		error = top_samples_read(samples, recent.fd, diag);
	if (!error)
		samples->daemon = recent.daemon;
	return error;
}

void top_samples_deinit(struct top_samples *samples)
{
	for (size_t i = 0; i < samples->nr_sections; i++)
		free(samples->sections[i].entries);
	free(samples->sections);
	free(samples->events);
	if (samples->slice)
		slice_close(samples->slice);
	*samples = (struct top_samples){0};
}
