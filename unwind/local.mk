# SPDX-License-Identifier: GPL-2.0-or-later
# Code tables and stack walks. This library uses no other libraries, so that small boards have it, too.
noinst_LIBRARIES += unwind/libunwind.a
unwind_libunwind_a_CFLAGS = $(CONVERSION_CFLAGS)
unwind_libunwind_a_SOURCES = \
	unwind/code_bare.c unwind/code_bare.h \
	unwind/code_build.c \
	unwind/code_builder.c unwind/code_builder.h \
	unwind/code_elf.c unwind/code_elf.h \
	unwind/code_format.h \
	unwind/code_frames.c unwind/code_frames.h \
	unwind/code_gaps.c unwind/code_gaps.h \
	unwind/code_rows.c unwind/code_rows.h \
	unwind/code_table.c unwind/code_table.h \
	unwind/stack_walk.c unwind/stack_walk.h

test_programs += \
	tests/unit/unwind/test_code_bare \
	tests/unit/unwind/test_code_table \
	tests/unit/unwind/test_code_table_fault \
	tests/unit/unwind/test_code_table_rows \
	tests/unit/unwind/test_stack_walk \
	tests/unit/unwind/test_stack_walk_self \
	tests/unit/unwind/test_stack_walk_steps
tests_unit_unwind_test_code_table_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=pread,--wrap=pread64,--wrap=write
