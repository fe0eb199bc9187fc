/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf.data file, as `perf record` of today writes it to a file or a pipe:
 * what was recorded, by what events, on which machine; then its records, one
 * behind the other, uncompressed. Trusts nothing in it.
 *
 * Layout: tools/perf/Documentation/perf.data-file-format.txt of the kernel.
 * Not for: what records mean (perf_normal.h, perf_state.h).
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
	char *name; /* as perf shows it; NULL: not told */
};

/* What the file says a path's build-id is. */
struct perf_file_build_id {
	char *path;
	size_t index; /* in the file: the first of a path counts */
	int32_t pid;  /* -1: the kernel's or a module's */
	uint8_t id[OPROF_BUILD_ID_BYTES_MAX];
	uint32_t nr_bytes;
};

struct perf_file {
	char *path;
	int fd;
	bool is_trace; /* made of a trace's samples (import_trace.h) */
	bool is_pipe;  /* was one when it was written: attrs and the like are among the records */
	struct perf_file_event *events;
	size_t nr_events, room_events;
	size_t nr_ids;			      /* of all events */
	struct perf_file_build_id *build_ids; /* once it is open: by path */
	size_t nr_build_ids, room_build_ids;
	/* NULL: not told; arch and release: as uname -m and -r */
	char *host, *cpu, *arch, *release;
	uint32_t nr_cpus;	    /* 0: not told */
	uint64_t first_ns, last_ns; /* of samples; 0: not told */
	/* One moment by the records' clock and by the wall; 0: not told. */
	uint64_t clock_ns;
	int64_t wall_ns;
	int64_t mtime_ns;
	uint64_t data_offset, data_bytes;
	bool is_cut; /* it says that it has more */
	struct perf_file_stream *stream;
};

/*
 * Open it and read all but its records (of a pipe's file, those records that stand for it).
 * 0; -EINVAL no perf.data, -EPROTONOSUPPORT of another byte order, or a pipe that is not
 * a file, -EILSEQ damaged, -EINTR (import_interrupt.h), -ENOMEM, -errno.
 */
int perf_file_open(struct perf_file *file, const char *path, struct diag *diag);
/* The same of fd, which is file's from now on, whatever comes of it; path is what it is called. */
int perf_file_open_fd(struct perf_file *file, int fd, const char *path, struct diag *diag);
void perf_file_close(struct perf_file *file);
/* What it says of a path, which ends within nr_max bytes; NULL: nothing. */
const struct perf_file_build_id *perf_file_build_id(const struct perf_file *file, const char *path,
						    size_t nr_max);

/*
 * The next record, 8-byte aligned and whole, valid until the next call: its bytes; -ENODATA
 * at the end; -EILSEQ and diag: what comes behind can't be read (it is cut, say).
 */
int perf_file_next(struct perf_file *file, const struct perf_event_header **record,
		   struct diag *diag);
/* Back to the first one. */
int perf_file_rewind(struct perf_file *file);

/* Records of perf itself, not of the kernel. */
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
