# SPDX-License-Identifier: GPL-2.0-or-later
libdb_libsdb_a_SOURCES += \
	libdb/stacks/stack_file.c libdb/stacks/stack_file.h \
	libdb/stacks/stack_file_load.c \
	libdb/stacks/stack_record.c libdb/stacks/stack_record.h \
	libdb/stacks/stack_scan.c libdb/stacks/stack_scan.h

test_programs += \
	tests/unit/libdb/stacks/test_stack_file \
	tests/unit/libdb/stacks/test_stack_file_fault \
	tests/unit/libdb/stacks/test_stack_file_grow \
	tests/unit/libdb/stacks/test_stack_file_kill \
	tests/unit/libdb/stacks/test_stack_file_meanwhile \
	tests/unit/libdb/stacks/test_stack_record
tests_unit_libdb_stacks_test_stack_file_fault_LDFLAGS = $(failing_calls_ldflags)
tests_unit_libdb_stacks_test_stack_file_grow_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=madvise
tests_unit_libdb_stacks_test_stack_file_kill_LDADD = $(sdb_faults_libs)
tests_unit_libdb_stacks_test_stack_file_meanwhile_LDFLAGS = $(meanwhile_ldflags)
tests_unit_libdb_stacks_test_stack_file_meanwhile_LDADD = $(sdb_faults_libs)
