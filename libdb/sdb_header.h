/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a sample file: builds a new header, and checks an untrusted one. */
#ifndef LIBDB_SDB_HEADER_H
#define LIBDB_SDB_HEADER_H

#include "libdb/sdb.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Builds the first pages of a new file, up to and including the narrow root, in
 * malloc'ed *pages of *nr_bytes. Returns 0, -ENOMEM, or -ENAMETOOLONG if the
 * strings are too long.
 */
int sdb_header_build(const struct sdb_identity *identity, void **pages, size_t *nr_bytes);

/*
 * Reads and checks the header of the file open at fd: malloc'ed *header has all its header_bytes.
 * Every offset and size in it is then safe to use. All its fields are of one epoch and, except the
 * times, of one moment. Returns 0; -ENODATA: not begun (its writer was killed early, or is just
 * creating it); -EINVAL, -EILSEQ, -EPROTONOSUPPORT as sdb_open; -EAGAIN: the file changed during
 * each of many attempts; -ENOMEM; or -errno of reading. path is for diag.
 */
int sdb_header_load(int fd, const char *path, struct oprof_sdb_header **header, struct diag *diag);

/*
 * Returns a malloc'ed, NUL-terminated copy of a string of a checked header, or NULL if out of
 * memory.
 */
char *sdb_header_string(const struct oprof_sdb_header *header,
			const struct oprof_sdb_string *string);

/* Returns 0 if the file with this (checked) header fits identity, else -EINVAL with diag set. */
int sdb_header_match(const struct oprof_sdb_header *header, const struct sdb_identity *identity,
		     const char *path, struct diag *diag);

/*
 * Checks that table's root and directory lie inside a file of nr_pages pages
 * whose first page for tables is page_first. Returns 0 or -EILSEQ; name is for
 * diag.
 */
int sdb_table_check(const struct oprof_sdb_table *table, const char *name, uint32_t page_first,
		    uint64_t nr_pages, const char *path, struct diag *diag);

#endif
