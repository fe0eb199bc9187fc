# SPDX-License-Identifier: GPL-2.0-or-later
# Programs for tests, made by make all: end-to-end tests run them from the build folder.
noinst_PROGRAMS += tests/tools/session_make tests/tools/elf_mutate
tests_tools_session_make_LDADD = libdb/libsdb.a lib/libbase.a $(ELF_LIBS)
tests_tools_elf_mutate_LDADD = $(ELF_LIBS)
