// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How it works: a heap merges the streams. The heap has the streams whose next record is known; the
 * stream with the oldest record is on top. The stream from which the last record was returned is
 * not in the heap but in `due`. The next call first reads this stream's next record; the record
 * that was returned is then no longer valid.
 */
#include "ctf/reader.h"

#include "ctf/chunk.h"
#include "ctf/packed.h"
#include "ctf/parts.h"
#include "lib/clock.h"
#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader_stream {
	struct ctf_stream *file;
	struct ctf_record record;	   /* the next record, while the stream is in the heap */
	struct oprof_packet_header packet; /* header of the returned record's packet, in ns */
};

struct ctf_reader {
	char *folder;
	int folder_fd;
	uint32_t *chunks;	    /* numbers of chunks */
	unsigned int nr_chunks;	    /* 0: the folder itself is the trace */
	unsigned int nr_bad_chunks; /* chunks newer than the one whose metadata is used */
	struct ctf_place place;	    /* folder and chunks, as needed by the streams */
	struct ctf_metadata metadata;

	struct reader_stream *streams; /* sorted by name */
	unsigned int nr_streams;
	uint64_t nr_long_bytes; /* counter of memory that the windows of all streams share */
	bool use_ns;		/* convert times to ns; false if ticks of the clock are ns */

	unsigned int *heap; /* indices of streams; the stream with the oldest record is on top */
	unsigned int nr_heap;
	unsigned int *due; /* indices of streams to read before the next record is returned */
	unsigned int nr_due;
};

/* ---- metadata ---- */

/* Reads an open file into malloc'ed *text. The file must be a regular file. */
static int read_file(int fd, char **text, size_t *nr_bytes)
{
	struct stat st;
	ssize_t nr;
	char *read;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > CTF_METADATA_BYTES_MAX)
		return -EFBIG;
	read = malloc((size_t)st.st_size + 1);
	if (!read)
		return -ENOMEM;
	nr = file_pread_all(fd, read, (size_t)st.st_size, 0);
	if (nr < 0) {
		free(read);
		return (int)nr;
	}
	*text = read;
	*nr_bytes = (size_t)nr;
	return 0;
}

static int fail_metadata(const struct ctf_reader *reader, int error, struct diag *diag)
{
	return diag_set_at(diag, error, reader->folder, 0,
			   "is not a trace folder: its file " CTF_METADATA_FILE
			   " cannot be read: %s",
			   error == -EINVAL  ? "not a regular file"
			   : error == -ELOOP ? "symbolic links are not followed"
					     : strerror(-error));
}

/* Reads and parses the metadata file with the path `name` below the reader's folder. */
static int read_metadata(struct ctf_reader *reader, const char *name, struct diag *diag)
{
	const int fd = openat(reader->folder_fd, name,
			      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char path[DIAG_FILE_BYTES];
	size_t nr_bytes = 0;
	char *text = NULL;
	int error = fd < 0 ? -errno : read_file(fd, &text, &nr_bytes);

	if (fd >= 0)
		close(fd);
	if (error)
		return fail_metadata(reader, error, diag);
	(void)snprintf(path, sizeof(path), "%s/%s", reader->folder, name);
	error = ctf_metadata_parse(&reader->metadata, path, text, nr_bytes, diag);
	free(text);
	return error;
}

/*
 * Reads the metadata of the newest chunk in which the metadata is not damaged, and uses it for the
 * packets of all chunks. The newest chunk is tried first for two reasons: its metadata describes
 * all events of older chunks, and old chunks are removed first. If no chunk's metadata can be read,
 * diag describes the fault in the newest chunk.
 */
static int find_chunk_metadata(struct ctf_reader *reader, struct diag *diag)
{
	int error = 0;

	for (unsigned int i = reader->nr_chunks; i--;) {
		char name[CTF_CHUNK_NAME_BYTES + sizeof(CTF_METADATA_FILE)];
		char chunk[CTF_CHUNK_NAME_BYTES];
		struct diag why;
		int one;

		ctf_chunk_name(reader->chunks[i], chunk);
		(void)snprintf(name, sizeof(name), "%s/" CTF_METADATA_FILE, chunk);
		one = read_metadata(reader, name, &why);
		if (!one)
			return 0;
		reader->nr_bad_chunks++;
		if (!error)
			*diag = why;
		error = error ? error : one;
		if (one == -ENOMEM)
			break;
	}
	return error;
}

static int find_metadata(struct ctf_reader *reader, struct diag *diag)
{
	struct stat st;
	int error = 0;

	if (fstatat(reader->folder_fd, CTF_METADATA_FILE, &st, AT_SYMLINK_NOFOLLOW) &&
	    errno == ENOENT)
		error = ctf_chunk_list(reader->folder_fd, &reader->chunks, &reader->nr_chunks);
	if (error)
		return fail_metadata(reader, error, diag);
	reader->place = (struct ctf_place){reader->folder_fd, reader->folder, reader->chunks,
					   reader->nr_chunks};
	if (!reader->nr_chunks)
		return read_metadata(reader, CTF_METADATA_FILE, diag);
	return find_chunk_metadata(reader, diag);
}

/* ---- streams ---- */

static int compare_names(const void *a, const void *b)
{
	const struct reader_stream *left = a, *right = b;

	return strcmp(ctf_stream_name(left->file), ctf_stream_name(right->file));
}

/*
 * Returns whether an entry of the folder is a stream's file. Subfolders are ignored. Entries of
 * other types, such as pipes, count as files of streams; they are refused when they are opened.
 */
static bool is_stream(int folder_fd, const char *name)
{
	struct stat st;

	if (name[0] == '.' || !strcmp(name, CTF_METADATA_FILE))
		return false;
	return fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode);
}

/*
 * Adds the stream to which a file belongs. The stream's name is the file's name without
 * CTF_PACKED_SUFFIX.
 */
static int add_stream(struct ctf_reader *reader, const char *file)
{
	const size_t nr = strlen(file), nr_suffix = strlen(CTF_PACKED_SUFFIX);
	char name[NAME_MAX + 1];
	struct reader_stream *streams;
	int error;

	(void)snprintf(name, sizeof(name), "%s", file);
	if (nr > nr_suffix && nr < sizeof(name) &&
	    !strcmp(file + nr - nr_suffix, CTF_PACKED_SUFFIX))
		name[nr - nr_suffix] = '\0';
	if (reader->nr_streams == CTF_NR_FILES_MAX)
		return -E2BIG;
	streams = reallocarray(reader->streams, reader->nr_streams + (size_t)1, sizeof(streams[0]));
	if (!streams)
		return -ENOMEM;
	reader->streams = streams;
	error = ctf_stream_create(&streams[reader->nr_streams].file, &reader->metadata,
				  &reader->place, name, &reader->nr_long_bytes);
	reader->nr_streams += !error;
	return error;
}

static int add_streams(struct ctf_reader *reader, DIR *dir)
{
	struct dirent *entry;
	int error = 0;

	errno = 0;
	while (!error && (entry = readdir(dir))) {
		if (is_stream(dirfd(dir), entry->d_name))
			error = add_stream(reader, entry->d_name);
		if (error)
			return error;
		errno = 0;
	}
	return error ? error : -errno;
}

/*
 * Sorts the streams by name and removes duplicates, since all chunks have files with the same
 * names.
 */
static void sort_streams(struct ctf_reader *reader)
{
	unsigned int nr = 0;

	if (!reader->nr_streams)
		return;
	qsort(reader->streams, reader->nr_streams, sizeof(reader->streams[0]), compare_names);
	for (unsigned int i = 0; i < reader->nr_streams; i++) {
		if (nr && !compare_names(&reader->streams[nr - 1], &reader->streams[i]))
			ctf_stream_destroy(reader->streams[i].file);
		else
			reader->streams[nr++] = reader->streams[i];
	}
	reader->nr_streams = nr;
}

static int find_streams_in(struct ctf_reader *reader, const char *name)
{
	const int fd =
		openat(reader->folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int error = dir ? add_streams(reader, dir) : -errno;

	if (dir)
		(void)closedir(dir);
	else if (fd >= 0)
		close(fd);
	sort_streams(reader);
	return error;
}

static int find_streams(struct ctf_reader *reader, struct diag *diag)
{
	int error = reader->nr_chunks ? 0 : find_streams_in(reader, ".");

	for (unsigned int i = 0; i < reader->nr_chunks && !error; i++) {
		char chunk[CTF_CHUNK_NAME_BYTES];

		ctf_chunk_name(reader->chunks[i], chunk);
		error = find_streams_in(reader, chunk);
		if (error == -ENOENT) /* the chunk was removed after the chunks were listed */
			error = 0;
	}
	return error ? diag_set_at(diag, error, reader->folder, 0, "cannot be read: %s",
				   strerror(-error))
		     : 0;
}

/* ---- open, close ---- */

void ctf_reader_close(struct ctf_reader *reader)
{
	if (!reader)
		return;
	for (unsigned int i = 0; i < reader->nr_streams; i++)
		ctf_stream_destroy(reader->streams[i].file);
	free(reader->streams);
	free(reader->heap);
	free(reader->due);
	free(reader->chunks);
	ctf_metadata_deinit(&reader->metadata);
	if (reader->folder_fd >= 0)
		close(reader->folder_fd);
	free(reader->folder);
	free(reader);
}

/* Puts all streams in `due`, in reverse order, since the last element of `due` is read first. */
static void make_all_due(struct ctf_reader *reader)
{
	for (unsigned int i = 0; i < reader->nr_streams; i++)
		reader->due[i] = reader->nr_streams - 1 - i;
	reader->nr_due = reader->nr_streams;
	reader->nr_heap = 0;
}

static int make_heap(struct ctf_reader *reader, struct diag *diag)
{
	const size_t nr = reader->nr_streams + (size_t)1;

	reader->heap = calloc(nr, sizeof(reader->heap[0]));
	reader->due = calloc(nr, sizeof(reader->due[0]));
	if (!reader->heap || !reader->due)
		return diag_set_at(diag, -ENOMEM, reader->folder, 0,
				   "out of memory: cannot read the trace");
	make_all_due(reader);
	return 0;
}

static int open_all(struct ctf_reader *reader, struct diag *diag)
{
	int error = find_metadata(reader, diag);

	if (!error)
		error = find_streams(reader, diag);
	return error ? error : make_heap(reader, diag);
}

int ctf_reader_open_fd(struct ctf_reader **reader, int fd, const char *folder, struct diag *diag)
{
	struct ctf_reader *new = calloc(1, sizeof(*new));
	int error;

	if (new) {
		new->folder_fd = fd;
		new->folder = strdup(folder);
	}
	if (!new || !new->folder) {
		free(new);
		(void)close(fd);
		return diag_set_at(diag, -ENOMEM, folder, 0,
				   "out of memory: cannot read the trace");
	}
	error = open_all(new, diag);
	if (error)
		ctf_reader_close(new);
	else
		*reader = new;
	return error;
}

int ctf_reader_open(struct ctf_reader **reader, const char *folder, struct diag *diag)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return diag_set_at(diag, -errno, folder, 0, "cannot be opened: %s",
				   strerror(errno));
	return ctf_reader_open_fd(reader, fd, folder, diag);
}

unsigned int ctf_reader_nr_bad_chunks(const struct ctf_reader *reader)
{
	return reader->nr_bad_chunks;
}

const struct ctf_trace *ctf_reader_trace(const struct ctf_reader *reader)
{
	return &reader->metadata.trace;
}

unsigned int ctf_reader_nr_streams(const struct ctf_reader *reader)
{
	return reader->nr_streams;
}

const struct ctf_stream *ctf_reader_stream(const struct ctf_reader *reader, unsigned int i)
{
	return reader->streams[i].file;
}

/* ---- ns ---- */

void ctf_reader_use_ns(struct ctf_reader *reader)
{
	reader->use_ns = reader->metadata.trace.clock.freq_hz != NS_PER_SECOND;
}

static uint64_t to_ns(const struct ctf_reader *reader, uint64_t ticks)
{
	const uint64_t freq_hz = reader->metadata.trace.clock.freq_hz;

	if (!reader->use_ns)
		return ticks;
	return ticks / freq_hz * NS_PER_SECOND +
	       (uint64_t)((unsigned __int128)(ticks % freq_hz) * NS_PER_SECOND / freq_hz);
}

/* Returns the first tick of the clock that is not before ns. */
static uint64_t to_ticks(const struct ctf_reader *reader, uint64_t ns)
{
	unsigned __int128 ticks;

	if (!reader->use_ns || ns == UINT64_MAX)
		return ns;
	ticks = ((unsigned __int128)ns * reader->metadata.trace.clock.freq_hz + NS_PER_SECOND - 1) /
		NS_PER_SECOND;
	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

static void give(const struct ctf_reader *reader, struct reader_stream *stream,
		 struct ctf_record *record)
{
	*record = stream->record;
	if (!reader->use_ns)
		return;
	stream->packet = *record->packet;
	stream->packet.time_begin = to_ns(reader, stream->packet.time_begin);
	stream->packet.time_end = to_ns(reader, stream->packet.time_end);
	record->packet = &stream->packet;
	record->time = to_ns(reader, record->time);
}

/* ---- in order of time ---- */

static bool is_before(const struct ctf_reader *reader, unsigned int a, unsigned int b)
{
	const uint64_t time_a = reader->streams[a].record.time;
	const uint64_t time_b = reader->streams[b].record.time;

	return time_a != time_b ? time_a < time_b : a < b;
}

static void heap_push(struct ctf_reader *reader, unsigned int stream)
{
	unsigned int at = reader->nr_heap++;

	while (at && is_before(reader, stream, reader->heap[(at - 1) / 2])) {
		reader->heap[at] = reader->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	reader->heap[at] = stream;
}

static unsigned int heap_pop(struct ctf_reader *reader)
{
	const unsigned int top = reader->heap[0];
	const unsigned int last = reader->heap[--reader->nr_heap];
	unsigned int at = 0;

	for (;;) {
		unsigned int child = at * 2 + 1;

		if (child >= reader->nr_heap)
			break;
		if (child + 1 < reader->nr_heap &&
		    is_before(reader, reader->heap[child + 1], reader->heap[child]))
			child++;
		if (!is_before(reader, reader->heap[child], last))
			break;
		reader->heap[at] = reader->heap[child];
		at = child;
	}
	reader->heap[at] = last;
	return top;
}

int ctf_reader_next(struct ctf_reader *reader, struct ctf_record *record, struct diag *diag)
{
	unsigned int i;

	while (reader->nr_due) {
		struct reader_stream *stream;
		int result;

		i = reader->due[reader->nr_due - 1];
		stream = &reader->streams[i];
		result = ctf_stream_next(stream->file, &stream->record, diag);
		if (result < 0)
			return result;
		reader->nr_due--;
		if (result)
			heap_push(reader, i);
	}
	if (!reader->nr_heap)
		return 0;
	i = heap_pop(reader);
	give(reader, &reader->streams[i], record);
	reader->due[reader->nr_due++] = i;
	return 1;
}

/* ---- seeking ---- */

int ctf_reader_seek(struct ctf_reader *reader, uint64_t time, struct diag *diag)
{
	int result = 0;

	for (unsigned int i = 0; i < reader->nr_streams; i++) {
		struct diag other;
		const int error = ctf_stream_seek(reader->streams[i].file, to_ticks(reader, time),
						  result ? &other : diag);

		result = result ? result : error;
	}
	make_all_due(reader);
	return result;
}

void ctf_reader_seek_known(struct ctf_reader *reader, uint64_t time, const struct ctf_known *known)
{
	for (unsigned int i = 0; i < reader->nr_streams; i++)
		ctf_stream_seek_known(reader->streams[i].file, to_ticks(reader, time), known);
	make_all_due(reader);
}

/* A stream's newest packet that is not yet in the range of ctf_reader_stretch(). */
struct newest_packet {
	struct ctf_parts *parts; /* NULL: the stream has no more packets */
	struct ctf_position at;
	struct ctf_packet_place place;
};

static int step_back(struct newest_packet *newest)
{
	const int error = ctf_parts_back(newest->parts, &newest->at, &newest->place);

	if (error)
		newest->parts = NULL;
	return error == -ENOENT ? 0 : error;
}

/*
 * Finds the stream's last packet that begins before `before`. If there is no such packet, or if the
 * stream's parts cannot be opened, newest->parts becomes NULL.
 */
static int find_newest(struct ctf_stream *stream, uint64_t before, struct newest_packet *newest)
{
	struct diag diag;
	int error = ctf_stream_parts(stream, &newest->parts, &diag);

	if (error)
		return error == -ENOMEM ? error : 0;
	error = ctf_parts_find(newest->parts, before, &newest->at);
	if (error)
		return error;
	error = ctf_parts_get(newest->parts, &newest->at, &newest->place);
	if (!error && newest->place.time_begin < before)
		return 0;
	return error && error != -ENOENT ? error : step_back(newest);
}

static struct newest_packet *latest(struct newest_packet *newest, unsigned int nr)
{
	struct newest_packet *found = NULL;

	for (unsigned int i = 0; i < nr; i++)
		if (newest[i].parts &&
		    (!found || newest[i].place.time_begin > found->place.time_begin))
			found = &newest[i];
	return found;
}

int ctf_reader_stretch(struct ctf_reader *reader, uint64_t before, uint64_t nr_bytes,
		       uint64_t *begin)
{
	struct newest_packet *newest = calloc(reader->nr_streams + (size_t)1, sizeof(*newest)),
			     *next;
	uint64_t sum = 0;
	int error = newest ? 0 : -ENOMEM;

	*begin = before;
	for (unsigned int i = 0; !error && i < reader->nr_streams; i++)
		error = find_newest(reader->streams[i].file, to_ticks(reader, before), &newest[i]);
	while (!error && (next = latest(newest, reader->nr_streams))) {
		if (sum && sum + next->place.nr_bytes > nr_bytes)
			break;
		sum += next->place.nr_bytes;
		/* In a damaged file, a packet may begin before the preceding packet. */
		if (to_ns(reader, next->place.time_begin) < *begin)
			*begin = to_ns(reader, next->place.time_begin);
		error = step_back(next);
	}
	if (error || !latest(newest, reader->nr_streams))
		*begin = 0;
	free(newest);
	return error;
}
