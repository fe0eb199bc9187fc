/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compressed stream file has zstd frames, each with CTF_PACKED_FRAME_BYTES bytes of the original
 * file, and then an index in zstd's seekable format. To read a byte, a reader decompresses
 * only the frame that contains the byte. "zstd -d" restores the original file
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
/*
 * Limits for reading. The limits are larger than the values that oprof writes, since another
 * program may have compressed the file.
 */
#define CTF_PACKED_FRAME_BYTES_MAX (4u << 20)
#define CTF_PACKED_NR_FRAMES_MAX   (1u << 20)
/*
 * A few compressed bytes may expand to gigabytes of zeros. Therefore two limits apply to a
 * compressed file. The first limits how many uncompressed bytes a reader searches for valid packets
 * after damaged packets. The second limits the number of packets in an index; a reader makes an
 * index if the packets' sizes differ.
 */
#define CTF_PACKED_SEARCH_BYTES_MAX ((uint64_t)256 << 20)
#define CTF_PACKED_NR_PACKETS_MAX   (1u << 24)

/*
 * zstd's seekable format stores its index in a frame that zstd skips when it decompresses the
 * file.
 */
#define CTF_PACKED_SKIPPED_MAGIC UINT32_C(0x184d2a5e)
#define CTF_PACKED_INDEX_MAGIC	 UINT32_C(0x8f92eab1)

struct ctf_packed_begin {
	uint32_t magic, nr_bytes; /* nr_bytes: size of the index that follows this struct */
};

struct ctf_packed_entry {
	uint32_t nr_bytes, nr_raw_bytes; /* compressed and uncompressed size of one frame */
};

struct ctf_packed_end {
	uint32_t nr_frames;
	uint8_t flags; /* 0, because the index has no checksums */
	uint32_t magic;
} __attribute__((packed));

/*
 * Replaces the file `name` in the folder by the compressed file name.zst, which is synced to disk.
 * No program may write to the file during or after the call. At every moment one of the two files
 * exists completely. Returns 0, or -errno with `name` unchanged.
 */
int ctf_packed_make(int folder_fd, const char *name);

/*
 * Like ctf_packed_make, but for all stream files of the folder at path. After an error, continues
 * with the other files. Returns 0 or the first error, which diag describes. If compress is false,
 * only syncs the files to disk.
 */
int ctf_packed_make_all(const char *path, bool compress, struct diag *diag);

/* ---- reading ---- */

struct ctf_packed;

/*
 * Opens the compressed file fd. On success, *packed owns fd. nr_long_bytes is used as in
 * ctf_window_init, and may be NULL. Returns 0; -EINVAL: the file is not compressed in this format
 * or exceeds the limits; -ENOMEM, -EIO.
 */
int ctf_packed_open(struct ctf_packed **packed, int fd, uint64_t *nr_long_bytes);
void ctf_packed_close(struct ctf_packed *packed); /* NULL: does nothing */

/* Returns the uncompressed size of the file. */
uint64_t ctf_packed_bytes(const struct ctf_packed *packed);

/* Like file_pread_all, but for the uncompressed bytes. -EBADMSG: a frame is damaged. */
ssize_t ctf_packed_pread(struct ctf_packed *packed, void *bytes, size_t nr_bytes, uint64_t offset);

#endif
