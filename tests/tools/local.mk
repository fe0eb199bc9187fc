# SPDX-License-Identifier: GPL-2.0-or-later
# Programs for tests, made by make all: end-to-end tests run them from the build folder.
noinst_PROGRAMS += tests/tools/session_make
tests_tools_session_make_SOURCES = tests/tools/session_make.c
tests_tools_session_make_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
tests_tools_session_make_LDADD = libdb/libsdb.a lib/libbase.a $(ELF_LIBS)

noinst_PROGRAMS += tests/tools/elf_mutate
tests_tools_elf_mutate_SOURCES = tests/tools/elf_mutate.c
tests_tools_elf_mutate_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
tests_tools_elf_mutate_LDADD = $(ELF_LIBS)
