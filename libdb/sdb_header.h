/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a sample file: builds a new header, and checks an untrusted one. */
#ifndef LIBDB_SDB_HEADER_H
#define LIBDB_SDB_HEADER_H

#include "libdb/sdb.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Builds the first pages of a new file, up to and including the narrow table's root, in malloc'ed
 * memory: *nr_bytes bytes at *pages. Returns 0, -ENOMEM, or -ENAMETOOLONG if the strings are too
 * long.
 */
int sdb_header_build(const struct sdb_identity *identity, void **pages, size_t *nr_bytes);

/*
 * Reads and checks the header of the file open at fd. *header becomes a malloc'ed copy of all its
 * header_bytes bytes, in which every offset and size is safe to use. All its fields belong to one
 * epoch and, except the times, to one moment. Returns 0; -ENODATA: the file has no header (its
 * writer was killed early, or is just creating the file); -EINVAL, -EILSEQ, -EPROTONOSUPPORT as
 * sdb_open; -EAGAIN: the file changed during each of many attempts; -ENOMEM; or -errno of reading.
 * path is used only in diag.
 */
int sdb_header_load(int fd, const char *path, struct oprof_sdb_header **header, struct diag *diag);

/*
 * Returns a malloc'ed, NUL-terminated copy of a string of a checked header, or NULL if out of
 * memory.
 */
char *sdb_header_string(const struct oprof_sdb_header *header,
			const struct oprof_sdb_string *string);

/* Returns 0 if the checked header `header` matches identity, else -EINVAL with diag set. */
int sdb_header_match(const struct oprof_sdb_header *header, const struct sdb_identity *identity,
		     const char *path, struct diag *diag);

/*
 * Checks that the root and directory of `table` lie inside a file of nr_pages pages, in which
 * tables may use the pages from page_first. Returns 0 or -EILSEQ. name and path are used only in
 * diag.
 */
int sdb_table_check(const struct oprof_sdb_table *table, const char *name, uint32_t page_first,
		    uint64_t nr_pages, const char *path, struct diag *diag);

#endif
