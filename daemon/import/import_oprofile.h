/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions of OProfile (until 1.4), of any word size and byte order: its
 * `abi' file says how its sample files are laid out; without one they are
 * taken to be this machine's.
 */
#ifndef DAEMON_IMPORT_OPROFILE_H
#define DAEMON_IMPORT_OPROFILE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where things are in its sample files: offsets and sizes in bytes. */
struct oprofile_abi {
	bool little_endian;
	uint32_t header_bytes, descr_bytes, node_bytes;
	uint32_t current_size, key, value;	       /* in descr and node */
	uint32_t magic, cpu_speed, mtime, mtime_bytes; /* in the header */
};

/* This machine's, as OProfile had it on it. */
void oprofile_abi_init(struct oprofile_abi *abi);
/* The text of an abi file: lines "NAME NUMBER". 0 or -EINVAL with diag. */
int oprofile_abi_parse(struct oprofile_abi *abi, const char *text, struct diag *diag);

struct oprofile_node {
	uint64_t key;
	uint32_t nr_samples;
};

/* What a sample file holds. */
struct oprofile_file {
	struct oprofile_node *nodes;
	size_t nr_nodes;
	int64_t mtime; /* of the binary, seconds since 1970; 0: not known */
	double mhz;
};

/* Of nr_bytes in memory. 0, -EINVAL no sample file, -EILSEQ damaged (diag), -ENOMEM. */
int oprofile_file_parse(struct oprofile_file *file, const struct oprofile_abi *abi,
			const uint8_t *bytes, size_t nr_bytes, struct diag *diag);
void oprofile_file_deinit(struct oprofile_file *file);

/*
 * The session folder from (with samples/current, or that itself) into session_dir. Files that
 * can't be read, and what is no file, are told and left out. 0 or -errno with diag. Interrupted
 * (import_interrupt.h): -EINTR where nothing was begun, else 0 and a session of a part.
 */
int import_oprofile(const char *from, const char *session_dir, bool append, struct diag *diag);

#endif
