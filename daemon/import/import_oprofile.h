/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports sessions of OProfile (until 1.4), of any word size and byte order: the file "abi" of a
 * session describes the layout of its sample files. Without this file, this machine's layout is
 * assumed.
 */
#ifndef DAEMON_IMPORT_OPROFILE_H
#define DAEMON_IMPORT_OPROFILE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The layout of sample files: offsets and sizes in bytes. */
struct oprofile_abi {
	bool little_endian;
	uint32_t header_bytes, descr_bytes, node_bytes;
	/* Offsets: of current_size in descr, and of key and value in node. */
	uint32_t current_size, key, value;
	uint32_t magic, cpu_speed, mtime, mtime_bytes; /* in the header */
};

/* Sets the layout that OProfile used on this machine. */
void oprofile_abi_init(struct oprofile_abi *abi);
/* Parses the text of an abi file: lines "NAME NUMBER". Returns 0 or -EINVAL with diag. */
int oprofile_abi_parse(struct oprofile_abi *abi, const char *text, struct diag *diag);

struct oprofile_node {
	uint64_t key;
	uint32_t nr_samples;
};

/* The content of a sample file. */
struct oprofile_file {
	struct oprofile_node *nodes;
	size_t nr_nodes;
	int64_t mtime; /* modification time of the binary, in seconds since 1970; 0: not known */
	double mhz;
};

/*
 * Parses a file of nr_bytes in memory. Returns 0; -EINVAL: it is not a sample file; -EILSEQ: it is
 * damaged (both with diag); or -ENOMEM.
 */
int oprofile_file_parse(struct oprofile_file *file, const struct oprofile_abi *abi,
			const uint8_t *bytes, size_t nr_bytes, struct diag *diag);
void oprofile_file_deinit(struct oprofile_file *file);

/*
 * Imports the session folder `from`, which contains samples/current or is samples/current itself,
 * into session_dir. Unreadable files and entries that are not files are reported and left out.
 * Returns 0 or -errno with diag. If interrupted (import_interrupt.h): returns -EINTR if nothing was
 * imported, otherwise 0 and a partial session.
 */
int import_oprofile(const char *from, const char *session_dir, bool append, struct diag *diag);

#endif
