/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build-ids: reading them from ELF files and notes, and writing them as hex. */
#ifndef LIB_BUILDID_H
#define LIB_BUILDID_H

#include <stddef.h>
#include <stdint.h>

#define BUILDID_BYTES_MAX 20
#define BUILDID_HEX_BYTES (2 * BUILDID_BYTES_MAX + 1)

struct buildid {
	uint8_t bytes[BUILDID_BYTES_MAX];
	uint32_t nr_bytes; /* 0: no build-id */
};

/*
 * Reads the build-id of the ELF file open at fd (32 or 64 bits, any byte order) from the segments
 * of type PT_NOTE. If these have no build-id, reads it from the sections of type SHT_NOTE. The file
 * need not be trusted: every offset and size is checked against the file, and at most 64 KB are
 * read. Returns 0, -ENOENT (an ELF file without a build-id), -ENOEXEC (not an ELF file, or
 * damaged), or -errno of reading.
 */
int buildid_read_fd(int fd, struct buildid *id);
int buildid_read_file(const char *path, struct buildid *id);

/*
 * Like buildid_read_fd(), for nr_bytes bytes of notes in memory, in the format of
 * /sys/kernel/notes.
 */
int buildid_parse_notes(const void *notes, size_t nr_bytes, struct buildid *id);

/* Writes lower-case hex to hex[BUILDID_HEX_BYTES]; writes "" if there is no build-id. */
void buildid_to_hex(const struct buildid *id, char *hex);

/* Parses hex digits of either case. Returns 0 or -EINVAL. */
int buildid_from_hex(const char *hex, struct buildid *id);

#endif
