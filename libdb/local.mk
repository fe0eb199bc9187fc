# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libdb/libsdb.a
libdb_libsdb_a_SOURCES = \
	libdb/sample_name.c libdb/sample_name.h libdb/sample_name_internal.h \
	libdb/sample_name_parse.c \
	libdb/sample_name_walk.c \
	libdb/sdb.h \
	libdb/sdb_check.c \
	libdb/sdb_file.c \
	libdb/sdb_find.h libdb/sdb_find_any.h libdb/sdb_find_sse2.h \
	libdb/sdb_format.h \
	libdb/sample_name.c libdb/sample_name.h libdb/sample_name_internal.h \
	libdb/sample_name_parse.c \
	libdb/sample_name_walk.c \
	libdb/sdb_header.c libdb/sdb_header.h \
	libdb/sdb_image.c \
	libdb/sdb_internal.h \
	libdb/sdb_pages.c \
	libdb/sdb_sigbus.c \
	libdb/sdb_sort.c libdb/sdb_sort.h \
	libdb/sdb_split.c \
	libdb/sdb_table.c
libdb_libsdb_a_CFLAGS = $(CONVERSION_CFLAGS)
