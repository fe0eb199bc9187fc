/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream's file, compressed: zstd frames of CTF_PACKED_FRAME_BYTES each and
 * behind them an index, in zstd's seekable format, so that any byte of it is
 * read at the cost of one frame, and "zstd -d" makes the file again
 * (doc/trace-folder.md, "Compression").
 */
#ifndef CTF_PACKED_H
#define CTF_PACKED_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CTF_PACKED_SUFFIX      ".zst"
#define CTF_PACKED_FRAME_BYTES (256u << 10)
/* Read, that is: of files of others. */
#define CTF_PACKED_FRAME_BYTES_MAX (4u << 20)
#define CTF_PACKED_NR_FRAMES_MAX   (1u << 20)
/*
 * A few bytes may be gigabytes of zeros, compressed: of each file so much, not
 * compressed, is searched for packets behind damaged ones, and so many packets
 * that are not of one size are numbered.
 */
#define CTF_PACKED_SEARCH_BYTES_MAX ((uint64_t)256 << 20)
#define CTF_PACKED_NR_PACKETS_MAX   (1u << 24)

/* The index, of zstd's seekable format: a frame that zstd itself skips. */
#define CTF_PACKED_SKIPPED_MAGIC UINT32_C(0x184d2a5e)
#define CTF_PACKED_INDEX_MAGIC	 UINT32_C(0x8f92eab1)

struct ctf_packed_begin {
	uint32_t magic, nr_bytes; /* behind these two */
};

struct ctf_packed_entry {
	uint32_t nr_bytes, nr_raw_bytes; /* of a frame, compressed and not */
};

struct ctf_packed_end {
	uint32_t nr_frames;
	uint8_t flags; /* 0: no checksums in the index */
	uint32_t magic;
} __attribute__((packed));

/*
 * Put NAME.zst in the place of folder's file name, which nobody writes to any
 * more, and have it on disk. At each moment one of the two is there, whole. 0
 * or -errno: name is as it was.
 */
int ctf_packed_make(int folder_fd, const char *name);

/*
 * The same of all streams of a folder, which has path for diag. The first
 * error; the others are done all the same. With compress false they are only
 * brought to disk.
 */
int ctf_packed_make_all(const char *path, bool compress, struct diag *diag);

/* ---- reading ---- */

struct ctf_packed;

/*
 * Of fd, which is packed's once this has succeeded. nr_long_bytes, which may
 * be NULL, as ctf_window_init's. -EINVAL: it is not such a file, or too big a
 * one; -ENOMEM, -EIO.
 */
int ctf_packed_open(struct ctf_packed **packed, int fd, uint64_t *nr_long_bytes);
void ctf_packed_close(struct ctf_packed *packed); /* NULL: nothing */

/* Of what is compressed. */
uint64_t ctf_packed_bytes(const struct ctf_packed *packed);

/* As file_pread_all, from what is compressed. -EBADMSG: a frame is damaged. */
ssize_t ctf_packed_pread(struct ctf_packed *packed, void *bytes, size_t nr_bytes, uint64_t offset);

#endif
