// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/writer.h"

#include "ctf/chunk.h"
#include "ctf/metadata.h"
#include "ctf/packet.h"
#include "lib/file.h"
#include "lib/folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Readers ignore files whose names begin with ".". */
#define METADATA_TEMPORARY "." CTF_METADATA_FILE ".tmp"
#define FOLDER_MODE	   0700
#define FILE_MODE	   0600

struct writer_file {
	int fd; /* -1: the file does not exist in the current chunk yet */
	char *name;
	uint32_t stream_id;
	off_t nr_bytes; /* size of all complete packets; later bytes are not valid */
	bool has_packet;
	struct oprof_packet_header last;
};

struct ctf_writer {
	char *folder;
	bool is_ours;  /* this writer created the folder and removes it after a failure */
	int folder_fd; /* locked */
	int trace_fd;  /* folder in which files are created: folder_fd or a chunk's folder */
	int metadata_fd;
	char *metadata; /* text of the metadata, which is also written to the next chunk */
	size_t nr_metadata_bytes;
	uint8_t uuid[CTF_UUID_BYTES];
	uint32_t *streams;
	unsigned int nr_streams;
	struct writer_file *files;
	unsigned int nr_files;
	int pipe_fds[2]; /* used by ctf_writer_move; -1: not created yet */
	struct ctf_writer_counts counts;
};

/* ---- folder and metadata ---- */

/* Checks that the folder is empty. Returns 0, -ENOTEMPTY or another -errno. */
static int check_empty(int folder_fd)
{
	const int fd = dup(folder_fd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int error = 0;

	if (!dir) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	errno = 0;
	while ((entry = readdir(dir)) &&
	       (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")))
		errno = 0;
	error = entry ? -ENOTEMPTY : -errno;
	(void)closedir(dir);
	return error;
}

/*
 * Locks the folder for this writer: if two writers find the folder empty at the same time, only one
 * can continue. If the file system does not support locks, there is no such protection.
 */
static int lock_folder(const struct ctf_writer *writer, struct diag *diag)
{
	int error;

	if (flock(writer->folder_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return diag_set_at(
			diag, -EBUSY, writer->folder, 0,
			"another writer uses this folder: a trace requires a folder of its own");
	error = check_empty(writer->folder_fd);
	if (error == -ENOTEMPTY)
		return diag_set_at(diag, error, writer->folder, 0,
				   "is not empty: a trace requires a folder of its own");
	return error ? diag_set_at(diag, error, writer->folder, 0, "cannot be read: %s",
				   strerror(-error))
		     : 0;
}

/* Creates the folder if it does not exist, then opens and locks it. */
static int open_folder(struct ctf_writer *writer, struct diag *diag)
{
	char name[FOLDER_NAME_BYTES];
	const int parent = folder_open_parent(writer->folder, name);
	bool is_new;
	int error;

	if (parent < 0)
		return diag_set_at(diag, parent, writer->folder, 0, "cannot be created: %s",
				   folder_reason(parent));
	is_new = !mkdirat(parent, name, FOLDER_MODE);
	error = is_new || errno == EEXIST
			? 0
			: diag_set_at(diag, -errno, writer->folder, 0, "cannot be created: %m");
	if (!error) {
		writer->folder_fd =
			openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (writer->folder_fd < 0)
			error = diag_set_at(diag, -errno, writer->folder, 0,
					    "cannot be opened: %m");
	}
	(void)close(parent);
	if (!error)
		error = folder_check(writer->folder_fd, writer->folder, "-o DIR", diag);
	if (!error)
		error = lock_folder(writer, diag);
	writer->is_ours = is_new && error != -EBUSY;
	return error;
}

/* Writes the metadata file to the folder fd. Returns an open descriptor of this file, or -errno. */
static int write_metadata(const struct ctf_writer *writer, int fd)
{
	const int metadata_fd =
		openat(fd, METADATA_TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	int error;

	if (metadata_fd < 0)
		return -errno;
	error = file_write_all(metadata_fd, writer->metadata, writer->nr_metadata_bytes);
	if (!error && renameat(fd, METADATA_TEMPORARY, fd, CTF_METADATA_FILE))
		error = -errno;
	if (!error)
		return metadata_fd;
	(void)unlinkat(fd, METADATA_TEMPORARY, 0);
	(void)close(metadata_fd);
	return error;
}

/*
 * Creates the content of a chunk under a temporary name, which readers ignore, and then renames
 * the chunk.
 */
static int fill_chunk(struct ctf_writer *writer, const char *temporary, const char *name)
{
	const int fd = openat(writer->folder_fd, temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int metadata_fd;

	if (fd < 0)
		return -errno;
	metadata_fd = write_metadata(writer, fd);
	if (metadata_fd >= 0 && !renameat(writer->folder_fd, temporary, writer->folder_fd, name)) {
		writer->trace_fd = fd;
		writer->metadata_fd = metadata_fd;
		return 0;
	}
	if (metadata_fd >= 0) {
		const int error = -errno;

		(void)unlinkat(fd, CTF_METADATA_FILE, 0);
		(void)close(metadata_fd);
		metadata_fd = error;
	}
	(void)close(fd);
	return metadata_fd;
}

static int make_chunk(struct ctf_writer *writer)
{
	char name[CTF_CHUNK_NAME_BYTES], temporary[CTF_CHUNK_NAME_BYTES + 1] = ".";
	int error;

	if (writer->counts.chunk == CTF_CHUNK_NR_MAX)
		return -EOVERFLOW;
	ctf_chunk_name(writer->counts.chunk + 1, name);
	memcpy(temporary + 1, name, sizeof(name));
	if (mkdirat(writer->folder_fd, temporary, FOLDER_MODE))
		return -errno;
	error = fill_chunk(writer, temporary, name);
	if (error) {
		(void)unlinkat(writer->folder_fd, temporary, AT_REMOVEDIR);
		return error;
	}
	writer->counts.chunk++;
	writer->counts.nr_chunk_bytes = 0;
	return 0;
}

static int begin_trace(struct ctf_writer *writer, const struct ctf_trace *trace, bool in_chunks,
		       struct diag *diag)
{
	int error = ctf_metadata_format(trace, &writer->metadata, &writer->nr_metadata_bytes, diag);

	if (error)
		return error;
	if (in_chunks) {
		error = make_chunk(writer);
	} else {
		writer->trace_fd = writer->folder_fd;
		error = write_metadata(writer, writer->folder_fd);
		writer->metadata_fd = error < 0 ? -1 : error;
		error = error < 0 ? error : 0;
	}
	return error ? diag_set_at(diag, error, writer->folder, 0, "cannot write the metadata: %s",
				   strerror(-error))
		     : 0;
}

/* Closes the pipe. Bytes that are still in it are lost. */
static void close_pipe(struct ctf_writer *writer)
{
	for (unsigned int i = 0; i < 2; i++) {
		if (writer->pipe_fds[i] >= 0)
			close(writer->pipe_fds[i]);
		writer->pipe_fds[i] = -1;
	}
}

static void writer_destroy(struct ctf_writer *writer)
{
	close_pipe(writer);
	for (unsigned int i = 0; i < writer->nr_files; i++) {
		if (writer->files[i].fd >= 0)
			close(writer->files[i].fd);
		free(writer->files[i].name);
	}
	if (writer->metadata_fd >= 0)
		close(writer->metadata_fd);
	if (writer->trace_fd >= 0 && writer->trace_fd != writer->folder_fd)
		close(writer->trace_fd);
	if (writer->folder_fd >= 0)
		close(writer->folder_fd);
	free(writer->metadata);
	free(writer->files);
	free(writer->streams);
	free(writer->folder);
	free(writer);
}

static struct ctf_writer *writer_create(const char *folder, const struct ctf_trace *trace)
{
	struct ctf_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->folder_fd = -1;
	writer->trace_fd = -1;
	writer->metadata_fd = -1;
	writer->pipe_fds[0] = writer->pipe_fds[1] = -1;
	writer->nr_streams = trace->nr_streams;
	memcpy(writer->uuid, trace->uuid, sizeof(writer->uuid));
	writer->folder = strdup(folder);
	writer->streams = calloc(trace->nr_streams, sizeof(writer->streams[0]));
	if (!writer->folder || !writer->streams) {
		writer_destroy(writer);
		return NULL;
	}
	memcpy(writer->streams, trace->streams, trace->nr_streams * sizeof(writer->streams[0]));
	return writer;
}

static int open_writer(struct ctf_writer **writer, const char *folder,
		       const struct ctf_trace *trace, bool in_chunks, struct diag *diag)
{
	int error = ctf_trace_check(trace, diag);
	struct ctf_writer *new;

	if (error)
		return error;
	new = writer_create(folder, trace);
	if (!new)
		return diag_set_at(diag, -ENOMEM, folder, 0, "out of memory: cannot write a trace");
	error = open_folder(new, diag);
	if (!error)
		error = begin_trace(new, trace, in_chunks, diag);
	if (error) {
		if (new->is_ours)
			(void)rmdir(folder);
		writer_destroy(new);
		return error;
	}
	*writer = new;
	return 0;
}

int ctf_writer_open(struct ctf_writer **writer, const char *folder, const struct ctf_trace *trace,
		    struct diag *diag)
{
	return open_writer(writer, folder, trace, false, diag);
}

int ctf_writer_open_chunks(struct ctf_writer **writer, const char *folder,
			   const struct ctf_trace *trace, struct diag *diag)
{
	return open_writer(writer, folder, trace, true, diag);
}

int ctf_writer_next_chunk(struct ctf_writer *writer, struct diag *diag)
{
	const int trace_fd = writer->trace_fd, metadata_fd = writer->metadata_fd;
	int error = make_chunk(writer);

	if (error)
		return diag_set_at(diag, error, writer->folder, 0, "cannot begin a new chunk: %s",
				   strerror(-error));
	for (unsigned int i = 0; i < writer->nr_files; i++) {
		if (writer->files[i].fd >= 0)
			close(writer->files[i].fd);
		writer->files[i].fd = -1;
		writer->files[i].nr_bytes = 0;
	}
	close(metadata_fd);
	close(trace_fd);
	return 0;
}

/* ---- files ---- */

static bool is_described(const struct ctf_writer *writer, uint32_t stream_id)
{
	for (unsigned int i = 0; i < writer->nr_streams; i++)
		if (writer->streams[i] == stream_id)
			return true;
	return false;
}

static struct writer_file *make_room(struct ctf_writer *writer, const char *name)
{
	struct writer_file *files =
		reallocarray(writer->files, writer->nr_files + (size_t)1, sizeof(writer->files[0]));
	struct writer_file *file;

	if (!files)
		return NULL;
	writer->files = files;
	file = &files[writer->nr_files];
	*file = (struct writer_file){.fd = -1, .name = strdup(name)};
	return file->name ? file : NULL;
}

static int make_file(const struct ctf_writer *writer, struct writer_file *file)
{
	file->fd = openat(writer->trace_fd, file->name,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	return file->fd < 0 ? -errno : 0;
}

int ctf_writer_add_file(struct ctf_writer *writer, const char *name, uint32_t stream_id,
			unsigned int *file, struct diag *diag)
{
	struct writer_file *new;
	int error;

	if (!*name || *name == '.' || strchr(name, '/') || !strcmp(name, CTF_METADATA_FILE) ||
	    !is_described(writer, stream_id))
		return diag_set_at(diag, -EINVAL, writer->folder, 0,
				   "\"%s\" cannot be the name of a file of stream %u", name,
				   stream_id);
	new = make_room(writer, name);
	if (!new)
		return diag_set_at(diag, -ENOMEM, writer->folder, 0, "out of memory for file %s",
				   name);
	new->stream_id = stream_id;
	error = make_file(writer, new);
	if (error) {
		free(new->name);
		return diag_set_at(diag, error, writer->folder, 0, "file %s cannot be created: %s",
				   name, strerror(-error));
	}
	*file = writer->nr_files++;
	return 0;
}

/* ---- packets ---- */

/* Returns a text that describes why the packet must not be written, or NULL. */
static const char *find_fault(const struct ctf_writer *writer, const struct writer_file *file,
			      const struct oprof_packet_header *header, size_t nr_bytes)
{
	const char *fault = ctf_packet_fault(header, writer->uuid, sizeof(*header));

	if (fault)
		return fault;
	if (header->packet_bits != (uint64_t)nr_bytes * 8)
		return "packet_size differs from the packet's size";
	if (header->stream_id != file->stream_id)
		return "it belongs to a different stream than its file";
	return file->has_packet ? ctf_packet_order_fault(&file->last, header) : NULL;
}

static int refuse(struct ctf_writer *writer, const struct writer_file *file, const char *fault,
		  struct diag *diag)
{
	writer->counts.lost_refused_packets++;
	return diag_set_at(diag, -EBADMSG, writer->folder, 0, "file %s: a packet is refused: %s",
			   file->name, fault);
}

static int pwrite_all(int fd, const char *bytes, size_t nr_bytes, off_t position)
{
	while (nr_bytes) {
		const ssize_t nr = pwrite(fd, bytes, nr_bytes, position);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return nr ? -errno : -EIO;
		bytes += nr;
		position += nr;
		nr_bytes -= (size_t)nr;
	}
	return 0;
}

/*
 * Writes a packet, but with the checked copy `header` instead of the packet's own header, which
 * may have changed in shared memory after the check.
 */
static int write_packet(const struct ctf_writer *writer, struct writer_file *file,
			const struct oprof_packet_header *header, const char *packet,
			size_t nr_bytes)
{
	int error = file->fd < 0 ? make_file(writer, file) : 0;

	if (!error)
		error = pwrite_all(file->fd, (const char *)header, sizeof(*header), file->nr_bytes);
	return error ? error
		     : pwrite_all(file->fd, packet + sizeof(*header), nr_bytes - sizeof(*header),
				  file->nr_bytes + (off_t)sizeof(*header));
}

/* Removes a partly written packet from the file. Counts and reports the loss. */
static int unwrite(struct ctf_writer *writer, const struct writer_file *file, uint32_t nr_records,
		   int error, struct diag *diag)
{
	writer->counts.lost_unwritten_packets++;
	if (nr_records != OPROF_PACKET_NR_UNKNOWN)
		writer->counts.lost_unwritten_records += nr_records;
	if (file->fd >= 0 && ftruncate(file->fd, file->nr_bytes))
		return diag_set_at(diag, error, writer->folder, 0,
				   "file %s: a packet is lost: %s; cannot remove the part that "
				   "was written: %m",
				   file->name, strerror(-error));
	return diag_set_at(diag, error, writer->folder, 0, "file %s: a packet is lost: %s",
			   file->name, strerror(-error));
}

static void count(struct ctf_writer *writer, struct writer_file *file,
		  const struct oprof_packet_header *header, size_t nr_bytes)
{
	file->nr_bytes += (off_t)nr_bytes;
	file->has_packet = true;
	file->last = *header;
	writer->counts.nr_packets++;
	if (header->nr_records != OPROF_PACKET_NR_UNKNOWN)
		writer->counts.nr_records += header->nr_records;
	writer->counts.nr_bytes += nr_bytes;
	writer->counts.nr_chunk_bytes += nr_bytes;
}

int ctf_writer_append(struct ctf_writer *writer, unsigned int number, const void *packet,
		      size_t nr_bytes, struct diag *diag)
{
	struct writer_file *file = &writer->files[number];
	struct oprof_packet_header header;
	const char *fault;
	int error;

	assert(number < writer->nr_files);
	if (nr_bytes < sizeof(header))
		return refuse(writer, file, "it is shorter than its header", diag);
	memcpy(&header, packet, sizeof(header));
	fault = find_fault(writer, file, &header, nr_bytes);
	if (fault)
		return refuse(writer, file, fault, diag);
	error = write_packet(writer, file, &header, packet, nr_bytes);
	if (error)
		return unwrite(writer, file, header.nr_records, error, diag);
	count(writer, file, &header, nr_bytes);
	return 0;
}

/*
 * Moves nr_bytes bytes from the pipe to offset *to of the file. Returns 0; -EOPNOTSUPP: the file
 * does not support splice; or -errno.
 */
static int empty_pipe(const struct ctf_writer *writer, const struct writer_file *file,
		      size_t nr_bytes, off_t *to)
{
	while (nr_bytes) {
		const ssize_t nr =
			splice(writer->pipe_fds[0], NULL, file->fd, to, nr_bytes, SPLICE_F_MOVE);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0 && errno == EINVAL && *to == file->nr_bytes)
			return -EOPNOTSUPP;
		if (nr <= 0)
			return nr ? -errno : -EIO;
		nr_bytes -= (size_t)nr;
	}
	return 0;
}

static int move_packet(struct ctf_writer *writer, struct writer_file *file, int from_fd,
		       size_t nr_bytes)
{
	off_t to = file->nr_bytes;
	int error = file->fd < 0 ? make_file(writer, file) : 0;

	if (!error && writer->pipe_fds[0] < 0 && pipe2(writer->pipe_fds, O_CLOEXEC))
		error = -errno;
	while (!error && nr_bytes) {
		const ssize_t nr =
			splice(from_fd, NULL, writer->pipe_fds[1], NULL, nr_bytes, SPLICE_F_MOVE);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return nr ? -errno : -EIO;
		error = empty_pipe(writer, file, (size_t)nr, &to);
		nr_bytes -= (size_t)nr;
	}
	return error;
}

int ctf_writer_move(struct ctf_writer *writer, unsigned int number,
		    const struct oprof_packet_header *header, int from_fd, size_t nr_bytes,
		    struct diag *diag)
{
	struct writer_file *file = &writer->files[number];
	const char *fault;
	int error;

	assert(number < writer->nr_files);
	fault = find_fault(writer, file, header, nr_bytes);
	if (fault)
		return refuse(writer, file, fault, diag);
	error = move_packet(writer, file, from_fd, nr_bytes);
	if (error)
		close_pipe(writer); /* drops its content */
	if (error == -EOPNOTSUPP)
		return error;
	if (error)
		return unwrite(writer, file, header->nr_records, error, diag);
	count(writer, file, header, nr_bytes);
	return 0;
}

int ctf_writer_open_folder(const struct ctf_writer *writer)
{
	const int fd = openat(writer->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

struct ctf_writer_counts ctf_writer_counts(const struct ctf_writer *writer)
{
	return writer->counts;
}

/* ---- the end ---- */

/*
 * Syncs fd to disk. error: the first error of earlier calls, or 0. Returns `error` if it is not 0,
 * otherwise 0 or -errno of fsync.
 */
static int sync_one(int fd, int error)
{
	return fsync(fd) && !error ? -errno : error;
}

int ctf_writer_close(struct ctf_writer *writer, struct diag *diag)
{
	int error = 0;

	if (!writer)
		return 0;
	for (unsigned int i = 0; i < writer->nr_files; i++)
		if (writer->files[i].fd >= 0)
			error = sync_one(writer->files[i].fd, error);
	error = sync_one(writer->metadata_fd, error);
	if (writer->trace_fd != writer->folder_fd)
		error = sync_one(writer->trace_fd, error);
	error = sync_one(writer->folder_fd, error);
	if (error)
		(void)diag_set_at(diag, error, writer->folder, 0,
				  "cannot write all of the trace to disk: %s", strerror(-error));
	writer_destroy(writer);
	return error;
}

void ctf_writer_discard(struct ctf_writer *writer)
{
	/*
	 * Close each file before it is removed: NFS would only rename an open file, and the folder
	 * would not be empty.
	 */
	for (unsigned int i = 0; i < writer->nr_files; i++) {
		if (writer->files[i].fd >= 0)
			(void)close(writer->files[i].fd);
		writer->files[i].fd = -1;
		(void)unlinkat(writer->trace_fd, writer->files[i].name, 0);
	}
	if (writer->metadata_fd >= 0)
		(void)close(writer->metadata_fd);
	writer->metadata_fd = -1;
	(void)unlinkat(writer->trace_fd, CTF_METADATA_FILE, 0);
	if (writer->trace_fd != writer->folder_fd) {
		char name[CTF_CHUNK_NAME_BYTES];

		ctf_chunk_name(writer->counts.chunk, name);
		(void)unlinkat(writer->folder_fd, name, AT_REMOVEDIR);
	}
	if (writer->is_ours)
		(void)rmdir(writer->folder);
	writer_destroy(writer);
}
