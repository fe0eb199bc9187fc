# SPDX-License-Identifier: GPL-2.0-or-later
# Code tables and stack walks: no library is needed, so that boards have them.
noinst_LIBRARIES += unwind/libunwind.a
unwind_libunwind_a_CFLAGS = $(CONVERSION_CFLAGS)
unwind_libunwind_a_SOURCES = \
	unwind/code_bare.c unwind/code_bare.h \
	unwind/code_build.c \
	unwind/code_builder.c unwind/code_builder.h \
	unwind/code_cursor.h \
	unwind/code_elf.c unwind/code_elf.h \
	unwind/code_format.h \
	unwind/code_frames.c unwind/code_frames.h \
	unwind/code_gaps.c unwind/code_gaps.h \
	unwind/code_rows.c unwind/code_rows.h \
	unwind/code_table.c unwind/code_table.h \
	unwind/stack_walk.c unwind/stack_walk.h

if REPORTS
unwind_tests = \
	tests/unit/unwind/test_code_bare \
	tests/unit/unwind/test_code_table \
	tests/unit/unwind/test_code_table_fault \
	tests/unit/unwind/test_code_table_rows \
	tests/unit/unwind/test_stack_walk \
	tests/unit/unwind/test_stack_walk_self \
	tests/unit/unwind/test_stack_walk_steps
check_PROGRAMS += $(unwind_tests)
TESTS += $(unwind_tests)
unwind_test_libs = unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
unwind_process_code = tests/fixture/process_code.c tests/fixture/process_code.h

tests_unit_unwind_test_code_bare_SOURCES = tests/unit/unwind/test_code_bare.c
tests_unit_unwind_test_code_bare_CFLAGS = $(TEST_CFLAGS)
tests_unit_unwind_test_code_bare_LDADD = $(unwind_test_libs)
tests_unit_unwind_test_code_table_SOURCES = tests/unit/unwind/test_code_table.c $(unwind_process_code) \
	tests/fixture/built_elf.c tests/fixture/built_elf.h
tests_unit_unwind_test_code_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_unwind_test_code_table_LDADD = $(unwind_test_libs)
tests_unit_unwind_test_code_table_fault_SOURCES = tests/unit/unwind/test_code_table_fault.c
tests_unit_unwind_test_code_table_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_unwind_test_code_table_fault_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc \
	-Wl,--wrap=reallocarray -Wl,--wrap=pread -Wl,--wrap=pread64 -Wl,--wrap=write
tests_unit_unwind_test_code_table_fault_LDADD = $(unwind_test_libs)
tests_unit_unwind_test_code_table_rows_SOURCES = tests/unit/unwind/test_code_table_rows.c $(unwind_process_code)
tests_unit_unwind_test_code_table_rows_CFLAGS = $(TEST_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS)
tests_unit_unwind_test_code_table_rows_LDADD = $(unwind_test_libs) $(DW_LIBS) $(ELF_LIBS)
tests_unit_unwind_test_stack_walk_SOURCES = tests/unit/unwind/test_stack_walk.c
tests_unit_unwind_test_stack_walk_CFLAGS = $(TEST_CFLAGS)
tests_unit_unwind_test_stack_walk_LDADD = $(unwind_test_libs)
tests_unit_unwind_test_stack_walk_self_SOURCES = tests/unit/unwind/test_stack_walk_self.c \
	tests/fixture/walk_self.c tests/fixture/walk_self.h $(unwind_process_code)
tests_unit_unwind_test_stack_walk_self_CFLAGS = $(TEST_CFLAGS)
tests_unit_unwind_test_stack_walk_self_LDADD = $(unwind_test_libs)
tests_unit_unwind_test_stack_walk_steps_SOURCES = tests/unit/unwind/test_stack_walk_steps.c \
	$(unwind_process_code) tests/fixture/built_elf.c tests/fixture/built_elf.h
tests_unit_unwind_test_stack_walk_steps_CFLAGS = $(TEST_CFLAGS)
tests_unit_unwind_test_stack_walk_steps_LDADD = $(unwind_test_libs)
endif
