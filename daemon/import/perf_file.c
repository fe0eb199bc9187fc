// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/perf_file.h"

#include "daemon/import/import_interrupt.h"
#include "daemon/import/perf_file_stream.h"
#include "lib/array.h"
#include "lib/cursor.h"
#include "lib/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC		  UINT64_C(0x32454c4946524550) /* "PERFILE2" */
#define MAGIC_SWAPPED	  UINT64_C(0x50455246494c4532)
#define HEADER_BYTES	  104 /* in a regular file; a header for a pipe has PIPE_BYTES */
#define PIPE_BYTES	  16
#define ATTR_BYTES_MAX	  4096
#define NR_EVENTS_MAX	  4096u
#define NR_IDS_MAX	  (1u << 20)
#define FEATURE_BYTES_MAX (64u << 20)
#define NR_FEATURES	  256

enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CLOCK_DATA = 29,
};

struct file_section {
	uint64_t offset, nr_bytes;
};

/* ---- events ---- */

static int add_event(struct perf_file *file, const void *attr, size_t nr_bytes)
{
	struct perf_file_event *event;
	size_t nr = nr_bytes < sizeof(event->attr) ? nr_bytes : sizeof(event->attr);

	if (nr_bytes < PERF_ATTR_SIZE_VER0 || file->nr_events >= NR_EVENTS_MAX)
		return -EILSEQ;
	if (array_reserve(&file->events, &file->room_events, file->nr_events, 1))
		return -ENOMEM;
	event = &file->events[file->nr_events++];
	memset(event, 0, sizeof(*event));
	memcpy(&event->attr, attr, nr);
	return 0;
}

/* The total number of ids is limited, since many events may share the same ids in the file. */
static int set_ids(struct perf_file *file, struct perf_file_event *event, const uint8_t *ids,
		   size_t nr_ids)
{
	if (nr_ids > NR_IDS_MAX - file->nr_ids)
		return -EILSEQ;
	file->nr_ids += nr_ids;
	free(event->ids);
	event->ids = calloc(nr_ids + 1, sizeof(*event->ids));
	if (!event->ids)
		return -ENOMEM;
	memcpy(event->ids, ids, nr_ids * sizeof(*event->ids));
	event->nr_ids = nr_ids;
	return 0;
}

/* Reads a whole section into memory. The caller frees *bytes, also after an error. */
static int read_section(const struct perf_file *file, const struct file_section *section,
			uint8_t **bytes)
{
	ssize_t nr;

	*bytes = NULL;
	if (section->nr_bytes > FEATURE_BYTES_MAX)
		return -EILSEQ;
	*bytes = malloc(section->nr_bytes + 1);
	if (!*bytes)
		return -ENOMEM;
	nr = file_pread_all(file->fd, *bytes, section->nr_bytes, (off_t)section->offset);
	if (nr < 0)
		return (int)nr;
	return (uint64_t)nr < section->nr_bytes ? -EILSEQ : 0;
}

static int read_ids(struct perf_file *file, size_t event, const struct file_section *section)
{
	uint8_t *ids = NULL;
	int error = 0;

	if (section->nr_bytes)
		error = read_section(file, section, &ids);
	if (!error && section->nr_bytes)
		error = set_ids(file, &file->events[event], ids, section->nr_bytes / 8);
	free(ids);
	return error;
}

/*
 * Reads the entries of a section. Each has attr_bytes: a struct perf_event_attr, then the position
 * and size of the event's ids.
 */
static int read_attrs(struct perf_file *file, uint64_t attr_bytes,
		      const struct file_section *section)
{
	struct file_section ids;
	uint8_t *attrs = NULL;
	int error;

	if (attr_bytes < PERF_ATTR_SIZE_VER0 + sizeof(ids) || attr_bytes > ATTR_BYTES_MAX)
		return -EILSEQ;
	error = read_section(file, section, &attrs);
	for (uint64_t i = 0; i + attr_bytes <= section->nr_bytes && !error; i += attr_bytes) {
		memcpy(&ids, attrs + i + attr_bytes - sizeof(ids), sizeof(ids));
		error = add_event(file, attrs + i, attr_bytes - sizeof(ids));
		if (!error)
			error = read_ids(file, file->nr_events - 1, &ids);
	}
	free(attrs);
	return error;
}

/* ---- features ---- */

/*
 * Parses a string that follows its size. The caller frees the result. Returns NULL if the string is
 * damaged, or if out of memory.
 */
static char *take_string(struct cursor *cursor)
{
	uint32_t nr = cursor_u32(cursor);
	const uint8_t *text = cursor_take(cursor, nr);

	return text ? strndup((const char *)text, nr) : NULL;
}

static struct perf_file_event *find_event(struct perf_file *file, const uint64_t *ids,
					  size_t nr_ids)
{
	for (size_t i = 0; i < file->nr_events && nr_ids; i++)
		if (file->events[i].nr_ids && file->events[i].ids[0] == ids[0])
			return &file->events[i];
	return NULL;
}

/* Reads the names of events. A file with one event has no ids. */
static void take_event_names(struct perf_file *file, struct cursor *cursor)
{
	uint32_t nr = cursor_u32(cursor);
	uint32_t attr_bytes = cursor_u32(cursor);

	for (uint32_t i = 0; i < nr && !cursor->failed; i++) {
		struct perf_file_event *event = i < file->nr_events ? &file->events[i] : NULL;
		uint64_t first = 0;
		uint32_t nr_ids;
		char *name;

		cursor_skip(cursor, attr_bytes);
		nr_ids = cursor_u32(cursor);
		name = take_string(cursor);
		for (uint32_t j = 0; j < nr_ids && !cursor->failed; j++) {
			uint64_t id = cursor_u64(cursor);

			first = j ? first : id;
		}
		if (nr_ids)
			event = find_event(file, &first, 1);
		if (event && !event->name && !cursor->failed)
			event->name = name;
		else
			free(name);
	}
}

static int add_build_id(struct perf_file *file, const uint8_t *record, size_t nr_bytes)
{
	const struct perf_event_header *header = (const void *)record;
	struct perf_file_build_id *added;
	const uint8_t *id = record + sizeof(*header) + 4;
	size_t nr_id = 20;

	if (nr_bytes < sizeof(*header) + 4 + 24 + 1)
		return 0;
	if (header->misc & (1 << 15)) /* PERF_RECORD_MISC_BUILD_ID_SIZE */
		nr_id = id[20];
	if (!nr_id || nr_id > OPROF_BUILD_ID_BYTES_MAX)
		return 0;
	if (array_reserve(&file->build_ids, &file->room_build_ids, file->nr_build_ids, 1))
		return -ENOMEM;
	added = &file->build_ids[file->nr_build_ids];
	*added = (struct perf_file_build_id){.index = file->nr_build_ids,
					     .nr_bytes = (uint32_t)nr_id};
	memcpy(&added->pid, record + sizeof(*header), sizeof(added->pid));
	memcpy(added->id, id, nr_id);
	added->path = strndup((const char *)id + 24, nr_bytes - sizeof(*header) - 28);
	if (!added->path)
		return -ENOMEM;
	file->nr_build_ids++;
	return 0;
}

static int take_build_ids(struct perf_file *file, struct cursor *cursor)
{
	int error = 0;

	while (cursor_left(cursor) >= sizeof(struct perf_event_header) && !error) {
		struct perf_event_header header;

		memcpy(&header, cursor->at, sizeof(header));
		if (header.size < sizeof(header) || header.size > cursor_left(cursor))
			break;
		error = add_build_id(file, cursor->at, header.size);
		cursor_skip(cursor, header.size);
	}
	return error;
}

static int compare_build_ids(const void *left, const void *right)
{
	const struct perf_file_build_id *one = left, *other = right;
	int order = strcmp(one->path, other->path);

	return order ? order : (one->index > other->index) - (one->index < other->index);
}

static void sort_build_ids(struct perf_file *file)
{
	if (file->nr_build_ids)
		qsort(file->build_ids, file->nr_build_ids, sizeof(*file->build_ids),
		      compare_build_ids);
}

const struct perf_file_build_id *perf_file_build_id(const struct perf_file *file, const char *path,
						    size_t nr_max)
{
	size_t first = 0, end = file->nr_build_ids;

	if (strnlen(path, nr_max) == nr_max)
		return NULL;
	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (strcmp(file->build_ids[middle].path, path) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first < file->nr_build_ids && !strcmp(file->build_ids[first].path, path)
		       ? &file->build_ids[first]
		       : NULL;
}

static void take_clock(struct perf_file *file, struct cursor *cursor)
{
	uint32_t version = cursor_u32(cursor);
	uint64_t wall;

	(void)cursor_u32(cursor); /* clockid */
	wall = cursor_u64(cursor);
	if (version != 1 || cursor->failed || wall > INT64_MAX)
		return;
	file->wall_ns = (int64_t)wall;
	file->clock_ns = cursor_u64(cursor);
}

static int take_feature(struct perf_file *file, unsigned int feature, struct cursor *cursor)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		return take_build_ids(file, cursor);
	case FEATURE_HOSTNAME:
		free(file->host);
		file->host = take_string(cursor);
		return 0;
	case FEATURE_OSRELEASE:
		free(file->release);
		file->release = take_string(cursor);
		return 0;
	case FEATURE_ARCH:
		free(file->arch);
		file->arch = take_string(cursor);
		return 0;
	case FEATURE_CPUDESC:
		free(file->cpu);
		file->cpu = take_string(cursor);
		return 0;
	case FEATURE_NRCPUS:
		/* Available CPUs; the number of online CPUs follows. */
		file->nr_cpus = cursor_u32(cursor);
		return 0;
	case FEATURE_EVENT_DESC:
		take_event_names(file, cursor);
		return 0;
	case FEATURE_CLOCK_DATA:
		take_clock(file, cursor);
		return 0;
	default:
		return 0;
	}
}

/* The data are followed by one section for each feature whose bit is set. */
static int read_features(struct perf_file *file, const uint64_t *bits)
{
	uint64_t position = file->data_offset + file->data_bytes;
	int error = 0;

	if (file->is_cut)
		return 0;
	for (unsigned int i = 0; i < NR_FEATURES && error != -ENOMEM; i++) {
		struct file_section section;
		uint8_t *content;
		struct cursor cursor;

		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		if (file_pread_all(file->fd, &section, sizeof(section), (off_t)position) !=
		    sizeof(section))
			return 0; /* the recording was interrupted, but its records can be read */
		position += sizeof(section);
		error = read_section(file, &section, &content);
		if (!error) {
			cursor = (struct cursor){.at = content, .end = content + section.nr_bytes};
			error = take_feature(file, i, &cursor);
		}
		free(content);
	}
	return error == -ENOMEM ? error : 0;
}

/* ---- opening ---- */

static int damaged(const struct perf_file *file, const char *what, struct diag *diag)
{
	return diag_set_at(diag, -EILSEQ, file->path, 0, "is damaged: %s", what);
}

/*
 * If perf record was killed, the size of the data is 0: the data then extend to the end of the
 * file.
 */
static int set_data(struct perf_file *file, const struct file_section *data, uint64_t file_bytes,
		    struct diag *diag)
{
	if (data->offset > file_bytes)
		return damaged(file, "its data section begins after the end of the file", diag);
	file->data_offset = data->offset;
	file->data_bytes = file_bytes - data->offset;
	file->is_cut = data->nr_bytes > file->data_bytes;
	if (data->nr_bytes && !file->is_cut)
		file->data_bytes = data->nr_bytes;
	return 0;
}

static int read_file_header(struct perf_file *file, uint64_t file_bytes, struct diag *diag)
{
	uint64_t words[HEADER_BYTES / 8];
	struct file_section attrs, data;
	int error;

	if (file_pread_all(file->fd, words, sizeof(words), 0) != sizeof(words))
		return damaged(file, "it ends within its header", diag);
	attrs = (struct file_section){words[3], words[4]};
	data = (struct file_section){words[5], words[6]};
	error = set_data(file, &data, file_bytes, diag);
	if (error)
		return error;
	error = read_attrs(file, words[2], &attrs);
	if (!error)
		error = read_features(file, &words[9]);
	return error == -EILSEQ ? damaged(file, "its events cannot be read", diag)
	       : error		? diag_set_at(diag, error, file->path, 0, "%s", strerror(-error))
				: 0;
}

/*
 * In a file that was written to a pipe, records contain what the header contains in other files.
 * Handles such a record; ignores any other record.
 */
static int take_pipe_record(struct perf_file *file, const struct perf_event_header *record)
{
	const uint8_t *body = (const uint8_t *)(record + 1);
	size_t nr_bytes = record->size - sizeof(*record);
	struct cursor cursor = {.at = body, .end = body + nr_bytes};
	uint32_t attr_bytes;
	uint64_t feature;
	int error;

	switch (record->type) {
	case PERF_FILE_HEADER_ATTR:
		if (nr_bytes < PERF_ATTR_SIZE_VER0)
			return -EILSEQ;
		memcpy(&attr_bytes, body + 4, sizeof(attr_bytes)); /* attr.size */
		if (attr_bytes < PERF_ATTR_SIZE_VER0 || attr_bytes > nr_bytes)
			return -EILSEQ;
		error = add_event(file, body, attr_bytes);
		return error ? error
			     : set_ids(file, &file->events[file->nr_events - 1], body + attr_bytes,
				       (nr_bytes - attr_bytes) / 8);
	case PERF_FILE_BUILD_ID:
		return add_build_id(file, (const uint8_t *)record, record->size);
	case PERF_FILE_HEADER_FEATURE:
		feature = cursor_u64(&cursor);
		return feature < NR_FEATURES ? take_feature(file, (unsigned int)feature, &cursor)
					     : 0;
	default:
		return 0;
	}
}

static int read_pipe_header(struct perf_file *file, struct diag *diag)
{
	const struct perf_event_header *record;
	int error, next;

	while ((next = perf_file_next(file, &record, diag)) == 0) {
		if (import_interrupted())
			return import_interrupt_tell(diag);
		error = take_pipe_record(file, record);
		if (error == -ENOMEM)
			return diag_set(diag, error, "out of memory");
		if (error)
			return damaged(file, "one of its events cannot be read", diag);
	}
	return next == -ENOMEM ? next : perf_file_rewind(file);
}

static int read_header(struct perf_file *file, struct diag *diag)
{
	uint64_t words[2];
	struct stat st;
	int error = 0;

	if (fstat(file->fd, &st))
		return diag_set_at(diag, -errno, file->path, 0, "%s", strerror(errno));
	if (file_pread_all(file->fd, words, sizeof(words), 0) != sizeof(words) ||
	    (words[0] != MAGIC && words[0] != MAGIC_SWAPPED))
		return diag_set_at(diag, -EINVAL, file->path, 0, "is not a perf.data file");
	if (words[0] == MAGIC_SWAPPED)
		return diag_set_at(diag, -EPROTONOSUPPORT, file->path, 0,
				   "was recorded on a machine with another byte order: import it "
				   "on such a machine");
	file->mtime_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	file->is_pipe = words[1] == PIPE_BYTES;
	if (file->is_pipe) {
		file->data_offset = PIPE_BYTES;
		file->data_bytes = (uint64_t)st.st_size - PIPE_BYTES;
	} else if (words[1] != HEADER_BYTES) {
		return damaged(file, "its header has an invalid size", diag);
	} else {
		error = read_file_header(file, (uint64_t)st.st_size, diag);
	}
	if (!error)
		error = perf_file_stream_create(&file->stream, file);
	if (!error && file->is_pipe)
		error = read_pipe_header(file, diag);
	sort_build_ids(file);
	if (!error && !file->nr_events)
		error = damaged(file, "it describes no event", diag);
	return error;
}

int perf_file_open_fd(struct perf_file *file, int fd, const char *path, struct diag *diag)
{
	int error;

	*file = (struct perf_file){.fd = fd, .path = strdup(path)};
	error = file->path ? read_header(file, diag) : -ENOMEM;
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	if (error)
		perf_file_close(file);
	return error;
}

int perf_file_open(struct perf_file *file, const char *path, struct diag *diag)
{
	const int fd = file_open_regular(path);

	if (fd == -EINVAL)
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "is not a regular file: write the pipe's data to a file first");
	if (fd < 0)
		return diag_set_at(diag, fd, path, 0, "cannot be read: %s", strerror(-fd));
	return perf_file_open_fd(file, fd, path, diag);
}

void perf_file_close(struct perf_file *file)
{
	perf_file_stream_destroy(file->stream);
	for (size_t i = 0; i < file->nr_events; i++) {
		free(file->events[i].ids);
		free(file->events[i].name);
	}
	for (size_t i = 0; i < file->nr_build_ids; i++)
		free(file->build_ids[i].path);
	free(file->events);
	free(file->build_ids);
	free(file->host);
	free(file->cpu);
	free(file->arch);
	free(file->release);
	free(file->path);
	if (file->fd >= 0)
		(void)close(file->fd);
	*file = (struct perf_file){.fd = -1};
}
