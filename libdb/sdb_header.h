/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a sample file: writing it, and not trusting one that was read. */
#ifndef LIBDB_SDB_HEADER_H
#define LIBDB_SDB_HEADER_H

#include "libdb/sdb.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The first pages of a new file, up to and with the narrow root, in malloc'ed
 * *pages of *nr_bytes. 0, -ENOMEM, or -ENAMETOOLONG when the strings are too long.
 */
int sdb_header_build(const struct sdb_identity *identity, void **pages, size_t *nr_bytes);

/*
 * Read and check the header of the file open at fd: header_bytes of it in
 * malloc'ed *header, with a NUL behind. Every offset and size in it is then
 * safe to use; all of it is of one epoch, and of one moment but for the times.
 * 0, -ENODATA (not begun: its writer was killed at once, or is at it now),
 * -EINVAL, -EILSEQ, -EPROTONOSUPPORT, -EAGAIN (changed at each of many looks),
 * or -errno of reading. path is for diag.
 */
int sdb_header_load(int fd, const char *path, struct oprof_sdb_header **header, struct diag *diag);

/* malloc'ed copy with a NUL; NULL: no memory. The header must be checked. */
char *sdb_header_string(const struct oprof_sdb_header *header,
			const struct oprof_sdb_string *string);

/* 0 when a file with this (checked) header is identity's, else -EINVAL and diag. */
int sdb_header_match(const struct oprof_sdb_header *header, const struct sdb_identity *identity,
		     const char *path, struct diag *diag);

/*
 * Whether table's root and directory lie inside a file of nr_pages whose
 * first page for tables is page_first. 0 or -EILSEQ; name is for diag.
 */
int sdb_table_check(const struct oprof_sdb_table *table, const char *name, uint32_t page_first,
		    uint64_t nr_pages, const char *path, struct diag *diag);

#endif
