/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a perf.data file, as current versions of `perf record` write it to a file or a pipe. First
 * reads the events and the data about the recording machine, and then the records one by one,
 * uncompressed. The contents are not trusted.
 *
 * Layout: tools/perf/Documentation/perf.data-file-format.txt of the kernel.
 *
 * Elsewhere: the meaning of records (perf_normal.h, perf_state.h).
 */
#ifndef DAEMON_PERF_FILE_H
#define DAEMON_PERF_FILE_H

#include "daemon/source.h"
#include "lib/diag.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_file_event {
	struct perf_event_attr attr;
	uint64_t *ids;
	size_t nr_ids;
	char *name; /* name of the event, as perf shows it; NULL: not known */
};

/* The build-id of a path, according to the file. */
struct perf_file_build_id {
	char *path;
	size_t index; /* order in the file: if a path has several entries, the first is used */
	int32_t pid;  /* -1: the build-id of the kernel or a module */
	uint8_t id[OPROF_BUILD_ID_BYTES_MAX];
	uint32_t nr_bytes;
};

struct perf_file {
	char *path;
	int fd;
	bool is_trace; /* the file was made from the samples of a trace (import_trace.h) */
	bool is_pipe;  /* the file was written to a pipe: attributes and features are records */
	struct perf_file_event *events;
	size_t nr_events, room_events;
	size_t nr_ids;			      /* number of ids of all events */
	struct perf_file_build_id *build_ids; /* sorted by path when the file has been opened */
	size_t nr_build_ids, room_build_ids;
	/* NULL: not known. arch and release are as in uname -m and -r. */
	char *host, *cpu, *arch, *release;
	uint32_t nr_cpus; /* 0: not known */
	/* The same moment on the records' clock and in wall-clock time; 0: not known. */
	uint64_t clock_ns;
	int64_t wall_ns;
	int64_t mtime_ns;
	uint64_t data_offset, data_bytes;
	bool is_cut; /* the header announces more data than the file has */
	struct perf_file_stream *stream;
};

/*
 * Opens a file and reads everything except the records. If the file was written to a pipe, also
 * reads the records that contain what the header contains in other files. Returns 0; -EINVAL: not a
 * perf.data file; -EPROTONOSUPPORT: another byte order, or not a regular file; -EILSEQ: damaged;
 * -EINTR (import_interrupt.h); -ENOMEM or -errno.
 */
int perf_file_open(struct perf_file *file, const char *path, struct diag *diag);
/*
 * Like perf_file_open, for the file that is open at fd. `file` owns fd afterwards, also after an
 * error. path is used in messages.
 */
int perf_file_open_fd(struct perf_file *file, int fd, const char *path, struct diag *diag);
void perf_file_close(struct perf_file *file);
/* Returns the build-id of a path, or NULL. The path must be terminated within nr_max bytes. */
const struct perf_file_build_id *perf_file_build_id(const struct perf_file *file, const char *path,
						    size_t nr_max);

/*
 * Reads the next record. *record is a complete record, 8-byte aligned, and valid until the next
 * call. Returns 0; -ENODATA at the end; or -EILSEQ with diag if the rest of the file cannot be read
 * (for example, because it is cut).
 */
int perf_file_next(struct perf_file *file, const struct perf_event_header **record,
		   struct diag *diag);
/* Goes back to the first record. Returns 0. */
int perf_file_rewind(struct perf_file *file);

/* Types of records that are written by perf itself and not by the kernel. */
enum perf_file_record {
	PERF_FILE_HEADER_ATTR = 64,
	PERF_FILE_EVENT_TYPE = 65,
	PERF_FILE_TRACING_DATA = 66,
	PERF_FILE_BUILD_ID = 67,
	PERF_FILE_FINISHED_ROUND = 68,
	PERF_FILE_AUXTRACE = 71,
	PERF_FILE_HEADER_FEATURE = 80,
	PERF_FILE_COMPRESSED = 81,
	PERF_FILE_COMPRESSED2 = 83,
};

#endif
