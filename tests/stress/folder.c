// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/stress/folder.h"

#include "ctf/writer.h"
#include "tests/stress/pattern.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NR_EVENTS_MAX (2 * STRESS_NR_ALIGN_ORDERS + STRESS_NR_SHORT_COMPACT + STRESS_NR_SHORT_FAR)

struct stress_folder {
	struct ctf_writer *writer;
	pthread_mutex_t lock; /* protects the writer */
	unsigned int files[];
};

static const struct ctf_field full_fields[] = {
	{.name = "context", .kind = CTF_FIELD_INTEGER, .bits = 32, .base = 16},
	{.name = "number", .kind = CTF_FIELD_INTEGER, .bits = 32, .base = 10},
	{.name = "stamp", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10},
	{.name = "pattern", .kind = CTF_FIELD_SEQUENCE, .bits = 8, .base = 16, .length_bits = 32},
};

/* The description of all events of the stress test. */
struct description {
	struct ctf_event events[NR_EVENTS_MAX];
	char names[NR_EVENTS_MAX][32];
	struct ctf_field short_fields[STRESS_SHORT_MAX + 1];
	unsigned int nr_events;
};

static void describe(struct description *description, uint32_t id, uint32_t stream_id)
{
	struct ctf_event *event = &description->events[description->nr_events];
	char *name = description->names[description->nr_events];
	struct stress_event found;

	if (!stress_event_understand(id, &found))
		return;
	event->id = id;
	event->stream_id = stream_id;
	event->name = name;
	event->alignment = found.align;
	if (found.is_full) {
		(void)snprintf(name, sizeof(description->names[0]), "full_%u", id);
		event->fields = full_fields;
		event->nr_fields = sizeof(full_fields) / sizeof(full_fields[0]);
	} else {
		(void)snprintf(name, sizeof(description->names[0]), "short_%u", id);
		event->fields = &description->short_fields[found.payload_bytes];
		event->nr_fields = found.payload_bytes ? 1 : 0;
	}
	description->nr_events++;
}

static struct description *describe_all(uint32_t stream_id)
{
	struct description *description = calloc(1, sizeof(*description));
	uint32_t i;

	if (!description)
		return NULL;
	for (i = 0; i <= STRESS_SHORT_MAX; i++)
		description->short_fields[i] = (struct ctf_field){
			.name = "pattern", .kind = CTF_FIELD_ARRAY, .bits = 8, .base = 16, .nr = i};
	for (i = 0; i < STRESS_ID_SHORT_FAR + STRESS_NR_SHORT_FAR; i++)
		describe(description, i, stream_id);
	return description;
}

static int open_writer(struct stress_folder *folder, const char *path,
		       const struct ctf_trace *trace, uint32_t nr_rings, struct diag *diag)
{
	char name[32];
	uint32_t i;
	int error = ctf_writer_open(&folder->writer, path, trace, diag);

	for (i = 0; !error && i < nr_rings; i++) {
		(void)snprintf(name, sizeof(name), "ring_%u", i);
		error = ctf_writer_add_file(folder->writer, name, trace->streams[0],
					    &folder->files[i], diag);
	}
	return error;
}

int stress_folder_open(struct stress_folder **folder, const char *path, const uint8_t *uuid,
		       uint32_t stream_id, uint32_t nr_rings, uint64_t clock_hz)
{
	struct description *description = describe_all(stream_id);
	struct ctf_trace trace = {.nr_streams = 1, .streams = &stream_id};
	struct stress_folder *new = calloc(1, sizeof(*new) + nr_rings * sizeof(new->files[0]));
	struct diag diag = {0};
	int error;

	if (!description || !new) {
		free(description);
		free(new);
		return -ENOMEM;
	}
	memcpy(trace.uuid, uuid, sizeof(trace.uuid));
	trace.clock.name = "stress";
	trace.clock.description = "the clock of the rings";
	trace.clock.freq_hz = clock_hz;
	trace.nr_events = description->nr_events;
	trace.events = description->events;
	(void)pthread_mutex_init(&new->lock, NULL);
	error = open_writer(new, path, &trace, nr_rings, &diag);
	free(description); /* the writer keeps a copy */
	if (error) {
		(void)fprintf(stderr, "%s\n", diag_show(&diag));
		(void)ctf_writer_close(new->writer, NULL);
		free(new);
		return error;
	}
	*folder = new;
	return 0;
}

int stress_folder_append(struct stress_folder *folder, uint32_t ring, const void *packet,
			 size_t nr_bytes)
{
	struct diag diag = {0};
	int error;

	(void)pthread_mutex_lock(&folder->lock);
	error = ctf_writer_append(folder->writer, folder->files[ring], packet, nr_bytes, &diag);
	(void)pthread_mutex_unlock(&folder->lock);
	if (error)
		(void)fprintf(stderr, "%s\n", diag_show(&diag));
	return error;
}

int stress_folder_close(struct stress_folder *folder)
{
	struct diag diag = {0};
	int error = ctf_writer_close(folder->writer, &diag);

	if (error)
		(void)fprintf(stderr, "%s\n", diag_show(&diag));
	(void)pthread_mutex_destroy(&folder->lock);
	free(folder);
	return error;
}
