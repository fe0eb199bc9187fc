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
 * Open folder, which is read only. -ENOENT, -EINVAL (metadata), -ENOTDIR ...
 * Streams' files are opened by the first ctf_reader_next, and stay open: a
 * program that reads folders of many sees to its RLIMIT_NOFILE.
 */
int ctf_reader_open(struct ctf_reader **reader, const char *folder, struct diag *diag);
void ctf_reader_close(struct ctf_reader *reader); /* NULL: nothing */

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

#endif
