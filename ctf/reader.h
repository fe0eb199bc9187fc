/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a trace folder: what its metadata says, and the records of all its
 * streams in order of time. For one stream alone: ctf/stream.h.
 */
#ifndef CTF_READER_H
#define CTF_READER_H

#include "ctf/stream.h"

#define CTF_NR_FILES_MAX 65536u

struct ctf_reader;

/*
 * Open folder, which is read only: a trace, one of its chunks, or a trace in
 * chunks, which reads as if there were none. -ENOENT, -EINVAL (metadata), -ENOTDIR ...
 * Streams' files are opened by the first ctf_reader_next, and stay open: a
 * program that reads folders of many sees to its RLIMIT_NOFILE.
 */
int ctf_reader_open(struct ctf_reader **reader, const char *folder, struct diag *diag);
void ctf_reader_close(struct ctf_reader *reader); /* NULL: nothing */

/*
 * From now on all times, of records, of their packets' headers and of the calls
 * below, are in ns since the clock's 0, whatever its frequency: several ticks of a
 * fast clock are one ns. Not those of ctf_stream_counts. Before the first record.
 */
void ctf_reader_use_ns(struct ctf_reader *reader);

/* The newest chunks whose metadata cannot be read; that of the one before them stands in. */
unsigned int ctf_reader_nr_bad_chunks(const struct ctf_reader *reader);

/* Good until it is closed, as all that follow. */
const struct ctf_trace *ctf_reader_trace(const struct ctf_reader *reader);
unsigned int ctf_reader_nr_streams(const struct ctf_reader *reader);
/* In order of their files' names. */
const struct ctf_stream *ctf_reader_stream(const struct ctf_reader *reader, unsigned int i);

/*
 * The next record of all streams: 1, good until the next call; 0: there is
 * none any more. Of records of one time those of a stream before come first.
 * Errors are those of ctf_stream_next: something of one stream is lost, the
 * next call goes on.
 */
int ctf_reader_next(struct ctf_reader *reader, struct ctf_record *record, struct diag *diag);

/*
 * Go to a time: the next records are those of each stream's first packet that
 * ends then or later, in order of time, older ones of these packets among
 * them. 0 or the first error; streams that have one are at their end.
 */
int ctf_reader_seek(struct ctf_reader *reader, uint64_t time, struct diag *diag);

/*
 * To a time as ctf_reader_seek, and each stream from there back to a packet
 * with a record by which the reader knows (ctf_stream_seek_known): what is read
 * from there up to that time tells how things stand then, as if all had been
 * read.
 */
void ctf_reader_seek_known(struct ctf_reader *reader, uint64_t time, const struct ctf_known *known);

/*
 * A time before `before' such that the packets that begin from there up to
 * before have no more than nr_bytes together, or are but one: for reading a
 * trace backwards, stretch by stretch. 0: there is nothing before these
 * packets. -ENOMEM, -EIO.
 */
int ctf_reader_stretch(struct ctf_reader *reader, uint64_t before, uint64_t nr_bytes,
		       uint64_t *begin);

#endif
