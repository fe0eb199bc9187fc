/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a trace folder: its metadata, and the records of all its streams in order of time.
 * ctf/stream.h reads a single stream.
 */
#ifndef CTF_READER_H
#define CTF_READER_H

#include "ctf/stream.h"

#define CTF_NR_FILES_MAX 65536u

struct ctf_reader;

/*
 * Opens folder for reading: a trace, one chunk, or a trace in chunks, which is read like a trace
 * without chunks. Returns 0, -ENOENT, -ENOTDIR, -EINVAL (the metadata is not valid) or another
 * -errno. The first ctf_reader_next opens the files of all streams. Callers that read traces of
 * many CPUs may have to raise RLIMIT_NOFILE.
 */
int ctf_reader_open(struct ctf_reader **reader, const char *folder, struct diag *diag);
/* The same for the folder at fd, which the reader closes, also after an error. */
int ctf_reader_open_fd(struct ctf_reader **reader, int fd, const char *folder, struct diag *diag);
void ctf_reader_close(struct ctf_reader *reader); /* NULL: does nothing */

/*
 * Makes the reader use nanoseconds since the clock's 0 instead of ticks. This applies to the times
 * of records, to the times in their packets' headers, and to the times in calls of these functions.
 * struct ctf_stream_counts still has ticks. With a fast clock, several ticks become the same
 * nanosecond. Call this before the first record is read.
 */
void ctf_reader_use_ns(struct ctf_reader *reader);

/*
 * Returns how many of the newest chunks have metadata that cannot be read. The metadata of an
 * older chunk is then used instead.
 */
unsigned int ctf_reader_nr_bad_chunks(const struct ctf_reader *reader);

/* The pointers that the next three functions return are valid until the reader is closed. */
const struct ctf_trace *ctf_reader_trace(const struct ctf_reader *reader);
unsigned int ctf_reader_nr_streams(const struct ctf_reader *reader);
/* Returns stream number i, in the order of the streams' file names. */
const struct ctf_stream *ctf_reader_stream(const struct ctf_reader *reader, unsigned int i);

/*
 * Reads the next record in order of time, from any stream. Returns 1, with a record that is valid
 * until the next call, or 0 at the end. Records of the same time are returned in the order of their
 * streams. If a part of one stream cannot be read, returns the error of ctf_stream_next; the next
 * call continues after this part.
 */
int ctf_reader_next(struct ctf_reader *reader, struct ctf_record *record, struct diag *diag);

/*
 * Moves each stream to the first packet that ends at `time` or later. ctf_reader_next then returns
 * the records of these packets in order of time, including records before `time`. Returns 0 or the
 * first error; streams with an error are moved to their end.
 */
int ctf_reader_seek(struct ctf_reader *reader, uint64_t time, struct diag *diag);

/*
 * Does the same as ctf_reader_seek, and then moves each stream back to a packet with a record that
 * `known` selects (ctf_stream_seek_known). A caller that reads from there to `time` gets the same
 * state as by reading the whole trace up to `time`.
 */
void ctf_reader_seek_known(struct ctf_reader *reader, uint64_t time, const struct ctf_known *known);

/*
 * Used to read a trace backwards in steps. Finds a time *begin before `before`. The packets that
 * begin between these two times have at most nr_bytes bytes in total, or are a single packet. If no
 * earlier packets are left, *begin is 0. Returns 0, -ENOMEM or -EIO.
 */
int ctf_reader_stretch(struct ctf_reader *reader, uint64_t before, uint64_t nr_bytes,
		       uint64_t *begin);

#endif
