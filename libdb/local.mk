# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libdb/libsdb.a
libdb_libsdb_a_SOURCES = \
	libdb/sdb.h \
	libdb/sdb_file.c \
	libdb/sdb_format.h \
	libdb/sdb_header.c libdb/sdb_header.h \
	libdb/sdb_image.c \
	libdb/sdb_internal.h \
	libdb/sdb_pages.c \
	libdb/sdb_sigbus.c \
	libdb/sdb_sort.c libdb/sdb_sort.h \
	libdb/sdb_split.c \
	libdb/sdb_table.c
# The widths of sizes in a file and in memory must be told apart.
libdb_libsdb_a_CFLAGS = $(AM_CFLAGS) -Wconversion -Wno-sign-conversion
