// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/parts.h"

#include "ctf/chunk.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define NONE UINT_MAX

struct ctf_part {
	enum {
		PART_EMPTY,	 /* the file is missing or empty */
		PART_READABLE,	 /* the file has packets */
		PART_UNREADABLE, /* no packet can be read; ctf_stream_next reports the error */
	} state;
	uint64_t time_end; /* end time of a readable part's last packet; UINT64_MAX: unknown */
};

struct ctf_parts {
	const struct ctf_metadata *metadata;
	const struct ctf_place *place;
	const char *name;
	uint64_t *nr_long_bytes;
	struct ctf_part *parts;
	unsigned int nr_parts;

	unsigned int opened; /* index of the open part, or NONE */
	struct ctf_file file;
	struct ctf_packets *packets;
};

static void close_part(struct ctf_parts *parts)
{
	if (parts->opened == NONE)
		return;
	ctf_packets_close(parts->packets);
	parts->packets = NULL;
	ctf_file_close(&parts->file);
	parts->opened = NONE;
}

static int open_file(struct ctf_parts *parts, unsigned int part, const char **fault)
{
	char path[CTF_CHUNK_NAME_BYTES + NAME_MAX + 1], chunk[CTF_CHUNK_NAME_BYTES];
	const struct ctf_place *place = parts->place;

	if (!place->nr_chunks)
		return ctf_file_open(&parts->file, place->folder_fd, parts->name,
				     parts->nr_long_bytes, fault);
	ctf_chunk_name(place->chunks[part], chunk);
	(void)snprintf(path, sizeof(path), "%s/%s", chunk, parts->name);
	return ctf_file_open(&parts->file, place->folder_fd, path, parts->nr_long_bytes, fault);
}

static int open_part(struct ctf_parts *parts, unsigned int part, const char **fault)
{
	int error;

	if (parts->opened == part)
		return 0;
	close_part(parts);
	error = open_file(parts, part, fault);
	if (error)
		return error;
	error = ctf_packets_open(&parts->packets, parts->metadata, &parts->file);
	if (error) {
		ctf_file_close(&parts->file);
		return error;
	}
	parts->opened = part;
	return 0;
}

/* Finds the last packet of the open part. Sets *nr to the number of packets, which may be 0. */
static int find_last(struct ctf_parts *parts, uint64_t *nr, struct ctf_packet_place *last)
{
	int error;

	*nr = ctf_packets_nr(parts->packets);
	error = *nr ? ctf_packets_get(parts->packets, *nr - 1, last) : 0;
	if (error != -ENOENT)
		return error;
	*nr = ctf_packets_nr(parts->packets); /* now that packets are indexed, there are fewer */
	return *nr ? ctf_packets_get(parts->packets, *nr - 1, last) : 0;
}

/* Opens a part and sets its state: whether it has packets, and when the last packet ends. */
static int look_at(struct ctf_parts *parts, unsigned int part, const char **fault)
{
	int error = open_part(parts, part, fault);
	struct ctf_part *found = &parts->parts[part];
	struct ctf_packet_place last;
	uint64_t nr;

	found->state = error == -ENOENT ? PART_EMPTY : PART_UNREADABLE;
	if (error)
		return error;
	error = find_last(parts, &nr, &last);
	if (!error && nr)
		*found = (struct ctf_part){PART_READABLE, ctf_packets_is_partial(parts->packets)
								  ? UINT64_MAX
								  : last.time_end};
	else if (!error && !parts->file.nr_bytes)
		found->state = PART_EMPTY;
	return error;
}

int ctf_parts_open(struct ctf_parts **parts, const struct ctf_metadata *metadata,
		   const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes,
		   const char **fault)
{
	const unsigned int nr_parts = place->nr_chunks ? place->nr_chunks : 1;
	struct ctf_parts *made = calloc(1, sizeof(*made));
	int error = 0;

	*fault = NULL;
	if (made)
		made->parts = calloc(nr_parts, sizeof(*made->parts));
	if (!made || !made->parts) {
		free(made);
		return -ENOMEM;
	}
	*made = (struct ctf_parts){.metadata = metadata,
				   .place = place,
				   .name = name,
				   .nr_long_bytes = nr_long_bytes,
				   .parts = made->parts,
				   .nr_parts = nr_parts,
				   .opened = NONE};
	for (unsigned int i = 0; i < nr_parts && !error; i++) {
		error = look_at(made, i, fault);
		if (place->nr_chunks && error != -ENOMEM)
			error = 0;
	}
	if (error) {
		ctf_parts_close(made);
		return error;
	}
	*parts = made;
	return 0;
}

void ctf_parts_close(struct ctf_parts *parts)
{
	if (!parts)
		return;
	close_part(parts);
	free(parts->parts);
	free(parts);
}

/* ---- queries ---- */

/*
 * Opens a part again. Returns 0; -ENOENT: its chunk has been removed or damaged; or another
 * -errno.
 */
static int reopen(struct ctf_parts *parts, unsigned int part)
{
	const char *fault;
	const int error = open_part(parts, part, &fault);

	if (!error || error == -ENOMEM || !parts->place->nr_chunks)
		return error;
	parts->parts[part].state = error == -ENOENT ? PART_EMPTY : PART_UNREADABLE;
	return -ENOENT;
}

int ctf_parts_find(struct ctf_parts *parts, uint64_t time, struct ctf_position *at)
{
	for (unsigned int i = 0; i < parts->nr_parts; i++) {
		int error;

		if (parts->parts[i].state != PART_READABLE || parts->parts[i].time_end < time)
			continue;
		*at = (struct ctf_position){.part = i};
		error = reopen(parts, i);
		if (!error)
			error = ctf_packets_find(parts->packets, time, &at->number);
		if (error == -ENOENT)
			continue;
		if (error || at->number < ctf_packets_nr(parts->packets))
			return error;
	}
	*at = (struct ctf_position){.part = parts->nr_parts};
	return 0;
}

unsigned int ctf_parts_first_unreadable(const struct ctf_parts *parts,
					const struct ctf_position *at)
{
	unsigned int first = at->part;

	if (at->number)
		return first;
	for (unsigned int i = at->part; i-- && parts->parts[i].state != PART_READABLE;)
		if (parts->parts[i].state == PART_UNREADABLE)
			first = i;
	return first;
}

int ctf_parts_get(struct ctf_parts *parts, const struct ctf_position *at,
		  struct ctf_packet_place *place)
{
	int error;

	if (at->part >= parts->nr_parts)
		return -ENOENT;
	error = reopen(parts, at->part);
	return error ? error : ctf_packets_get(parts->packets, at->number, place);
}

int ctf_parts_back(struct ctf_parts *parts, struct ctf_position *at, struct ctf_packet_place *place)
{
	for (;;) {
		int error;

		while (!at->number) {
			if (!at->part)
				return -ENOENT;
			at->part--;
			if (parts->parts[at->part].state != PART_READABLE)
				continue;
			error = reopen(parts, at->part);
			if (error && error != -ENOENT)
				return error;
			at->number = error ? 0 : ctf_packets_nr(parts->packets);
		}
		at->number--;
		error = ctf_parts_get(parts, at, place);
		if (error != -ENOENT)
			return error;
	}
}
