# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libdb/libsdb.a
libdb_libsdb_a_SOURCES = \
	libdb/slice/bit_coder.c libdb/slice/bit_coder.h \
	libdb/blocks.c libdb/blocks.h \
	libdb/slice/history_files.c libdb/slice/history_files.h \
	libdb/sample_name.c libdb/sample_name.h libdb/sample_name_internal.h \
	libdb/sample_name_parse.c \
	libdb/sample_name_walk.c \
	libdb/sdb.h \
	libdb/sdb_check.c \
	libdb/sdb_file.c \
	libdb/sdb_find.h libdb/sdb_find_any.h libdb/sdb_find_sse2.h \
	libdb/sdb_format.h \
	libdb/sdb_header.c libdb/sdb_header.h \
	libdb/sdb_image.c \
	libdb/sdb_internal.h \
	libdb/sdb_pages.c \
	libdb/sdb_restart.c \
	libdb/sdb_sigbus.c \
	libdb/sdb_sort.c libdb/sdb_sort.h \
	libdb/sdb_split.c \
	libdb/sdb_table.c \
	libdb/slice/slice.h libdb/slice/slice_format.h \
	libdb/slice/slice_buffer.c libdb/slice/slice_buffer.h \
	libdb/slice/slice_builder.c \
	libdb/slice/slice_check.c \
	libdb/slice/slice_header.c \
	libdb/slice/slice_merge.c \
	libdb/slice/slice_packer.c libdb/slice/slice_packer.h \
	libdb/slice/slice_reader.c \
	libdb/slice/slice_rows.c libdb/slice/slice_rows.h \
	libdb/slice/slice_section.c \
	libdb/slice/slice_tables.h \
	libdb/slice/slice_tables_decode.c \
	libdb/slice/slice_tables_encode.c \
	libdb/slice/slice_unpacker.c libdb/slice/slice_unpacker.h \
	libdb/slice/slice_writer.c libdb/slice/slice_writer.h \
	libdb/slice/stack_code.c libdb/slice/stack_code.h \
	libdb/stacks/stack_file.c libdb/stacks/stack_file.h \
	libdb/stacks/stack_file_load.c \
	libdb/slice/stack_identity.c libdb/slice/stack_identity.h \
	libdb/slice/stack_index.c libdb/slice/stack_index.h libdb/slice/stack_line.h \
	libdb/stacks/stack_record.c libdb/stacks/stack_record.h \
	libdb/stacks/stack_scan.c libdb/stacks/stack_scan.h \
	libdb/slice/stack_tree.c libdb/slice/stack_tree.h libdb/slice/stack_tree_internal.h \
	libdb/slice/stack_tree_decode.c \
	libdb/slice/stack_tree_encode.c \
	libdb/slice/stack_tree_fold.c \
	libdb/slice/stack_tree_order.c libdb/slice/stack_tree_order.h
libdb_libsdb_a_CFLAGS = $(CONVERSION_CFLAGS) $(ZSTD_CFLAGS)

if REPORTS
# Tests, with what they share; and the library as the kill tests want it.
check_LIBRARIES += libdb/libsdbtest.a libdb/libsdb_faults.a
libdb_libsdbtest_a_SOURCES = tests/fixture/make_sdb.c tests/fixture/make_sdb.h \
	tests/fixture/make_slice.c tests/fixture/make_slice.h \
	tests/fixture/make_stacks.c tests/fixture/make_stacks.h tests/fixture/slice_version_1.h
libdb_libsdbtest_a_CFLAGS = $(TEST_CFLAGS)
libdb_libsdb_faults_a_SOURCES = $(libdb_libsdb_a_SOURCES)
libdb_libsdb_faults_a_CFLAGS = $(CONVERSION_CFLAGS) $(ZSTD_CFLAGS)
libdb_libsdb_faults_a_CPPFLAGS = $(AM_CPPFLAGS) -DSDB_FAULT_POINTS

sdb_tests = \
	tests/unit/libdb/test_sample_name \
	tests/unit/libdb/test_sample_name_walk \
	tests/unit/libdb/test_sdb_check \
	tests/unit/libdb/test_sdb_disk_full \
	tests/unit/libdb/test_sdb_fault \
	tests/unit/libdb/test_sdb_file \
	tests/unit/libdb/test_sdb_image \
	tests/unit/libdb/test_sdb_meanwhile \
	tests/unit/libdb/test_sdb_restart \
	tests/unit/libdb/test_sdb_sigbus \
	tests/unit/libdb/test_sdb_sort \
	tests/unit/libdb/test_sdb_split \
	tests/unit/libdb/test_sdb_table \
	tests/unit/libdb/slice/test_slice \
	tests/unit/libdb/slice/test_slice_close \
	tests/unit/libdb/slice/test_slice_fault \
	tests/unit/libdb/slice/test_slice_merge \
	tests/unit/libdb/slice/test_slice_stacks \
	tests/unit/libdb/stacks/test_stack_file \
	tests/unit/libdb/stacks/test_stack_file_fault \
	tests/unit/libdb/stacks/test_stack_file_kill \
	tests/unit/libdb/stacks/test_stack_file_meanwhile \
	tests/unit/libdb/slice/test_bit_coder \
	tests/unit/libdb/slice/test_stack_index \
	tests/unit/libdb/slice/test_stack_tree \
	tests/unit/libdb/slice/test_stack_tree_encode \
	tests/unit/libdb/slice/test_stack_tree_fold \
	tests/unit/libdb/slice/test_history_files
check_PROGRAMS += $(sdb_tests)
TESTS += $(sdb_tests)
sdb_test_libs = libdb/libsdbtest.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)

tests_unit_libdb_test_sample_name_SOURCES = tests/unit/libdb/test_sample_name.c
tests_unit_libdb_test_sample_name_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sample_name_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sample_name_walk_SOURCES = tests/unit/libdb/test_sample_name_walk.c
tests_unit_libdb_test_sample_name_walk_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sample_name_walk_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sdb_disk_full_SOURCES = tests/unit/libdb/test_sdb_disk_full.c
tests_unit_libdb_test_sdb_disk_full_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_disk_full_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sdb_check_SOURCES = tests/unit/libdb/test_sdb_check.c
tests_unit_libdb_test_sdb_check_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_check_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sdb_image_SOURCES = tests/unit/libdb/test_sdb_image.c
tests_unit_libdb_test_sdb_image_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_image_LDADD = $(sdb_test_libs)
# Whatever name the headers give to the calls, 64-bit offsets or not.
sdb_wrap_flags = -Wl,--wrap=fallocate -Wl,--wrap=fallocate64 -Wl,--wrap=pwrite -Wl,--wrap=pwrite64 \
	-Wl,--wrap=pread -Wl,--wrap=pread64 -Wl,--wrap=mmap -Wl,--wrap=mmap64 -Wl,--wrap=mremap \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=strndup
tests_unit_libdb_test_sdb_fault_SOURCES = tests/unit/libdb/test_sdb_fault.c
tests_unit_libdb_test_sdb_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_fault_LDFLAGS = $(AM_LDFLAGS) $(sdb_wrap_flags)
tests_unit_libdb_test_sdb_fault_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sdb_file_SOURCES = tests/unit/libdb/test_sdb_file.c
tests_unit_libdb_test_sdb_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_file_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sdb_restart_SOURCES = tests/unit/libdb/test_sdb_restart.c
tests_unit_libdb_test_sdb_restart_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_restart_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_libdb_test_sdb_sigbus_SOURCES = tests/unit/libdb/test_sdb_sigbus.c
tests_unit_libdb_test_sdb_sigbus_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_sigbus_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sdb_sort_SOURCES = tests/unit/libdb/test_sdb_sort.c
tests_unit_libdb_test_sdb_sort_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_sort_LDADD = $(sdb_test_libs)
tests_unit_libdb_test_sdb_split_SOURCES = tests/unit/libdb/test_sdb_split.c
tests_unit_libdb_test_sdb_split_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_split_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_libdb_test_sdb_table_SOURCES = tests/unit/libdb/test_sdb_table.c
tests_unit_libdb_test_sdb_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_table_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_slice_SOURCES = tests/unit/libdb/slice/test_slice.c
tests_unit_libdb_slice_test_slice_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_slice_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_slice_close_SOURCES = tests/unit/libdb/slice/test_slice_close.c
tests_unit_libdb_slice_test_slice_close_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_slice_close_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_libdb_slice_test_slice_fault_SOURCES = tests/unit/libdb/slice/test_slice_fault.c
tests_unit_libdb_slice_test_slice_fault_CFLAGS = $(TEST_CFLAGS) $(ZSTD_CFLAGS)
tests_unit_libdb_slice_test_slice_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=pwrite -Wl,--wrap=pwrite64 -Wl,--wrap=pread -Wl,--wrap=pread64 \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc \
	-Wl,--wrap=ZSTD_createCCtx -Wl,--wrap=ZSTD_createDCtx -Wl,--wrap=ZSTD_compressStream2 \
	-Wl,--wrap=ZSTD_compress2 -Wl,--wrap=ZSTD_decompressStream
tests_unit_libdb_slice_test_slice_fault_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_slice_merge_SOURCES = tests/unit/libdb/slice/test_slice_merge.c
tests_unit_libdb_slice_test_slice_merge_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_slice_merge_LDADD = $(sdb_test_libs)
tests_unit_libdb_stacks_test_stack_file_SOURCES = tests/unit/libdb/stacks/test_stack_file.c
tests_unit_libdb_stacks_test_stack_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_stacks_test_stack_file_LDADD = $(sdb_test_libs)
tests_unit_libdb_stacks_test_stack_file_fault_SOURCES = tests/unit/libdb/stacks/test_stack_file_fault.c \
	tests/fixture/failing_calls.c tests/fixture/failing_calls.h
tests_unit_libdb_stacks_test_stack_file_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_stacks_test_stack_file_fault_LDFLAGS = $(AM_LDFLAGS) $(failing_calls_wrap_flags)
tests_unit_libdb_stacks_test_stack_file_fault_LDADD = $(sdb_test_libs)
tests_unit_libdb_stacks_test_stack_file_kill_SOURCES = tests/unit/libdb/stacks/test_stack_file_kill.c
tests_unit_libdb_stacks_test_stack_file_kill_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_stacks_test_stack_file_kill_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
# A reader's calls, whatever their names, and a thread of the test's for the writer.
meanwhile_sources = tests/fixture/meanwhile.c tests/fixture/meanwhile.h \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
meanwhile_wrap_flags = -pthread -Wl,--wrap=pread -Wl,--wrap=pread64 -Wl,--wrap=fstat -Wl,--wrap=fstat64
tests_unit_libdb_test_sdb_meanwhile_SOURCES = tests/unit/libdb/test_sdb_meanwhile.c $(meanwhile_sources)
tests_unit_libdb_test_sdb_meanwhile_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_test_sdb_meanwhile_LDFLAGS = $(AM_LDFLAGS) $(meanwhile_wrap_flags)
tests_unit_libdb_test_sdb_meanwhile_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_libdb_stacks_test_stack_file_meanwhile_SOURCES = tests/unit/libdb/stacks/test_stack_file_meanwhile.c $(meanwhile_sources)
tests_unit_libdb_stacks_test_stack_file_meanwhile_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_stacks_test_stack_file_meanwhile_LDFLAGS = $(AM_LDFLAGS) $(meanwhile_wrap_flags)
tests_unit_libdb_stacks_test_stack_file_meanwhile_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_libdb_slice_test_bit_coder_SOURCES = tests/unit/libdb/slice/test_bit_coder.c
tests_unit_libdb_slice_test_bit_coder_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_bit_coder_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_stack_index_SOURCES = tests/unit/libdb/slice/test_stack_index.c
tests_unit_libdb_slice_test_stack_index_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_stack_index_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_stack_tree_SOURCES = tests/unit/libdb/slice/test_stack_tree.c
tests_unit_libdb_slice_test_stack_tree_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_stack_tree_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_stack_tree_encode_SOURCES = tests/unit/libdb/slice/test_stack_tree_encode.c
tests_unit_libdb_slice_test_stack_tree_encode_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_stack_tree_encode_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_stack_tree_fold_SOURCES = tests/unit/libdb/slice/test_stack_tree_fold.c
tests_unit_libdb_slice_test_stack_tree_fold_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_stack_tree_fold_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_slice_stacks_SOURCES = tests/unit/libdb/slice/test_slice_stacks.c
tests_unit_libdb_slice_test_slice_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_slice_stacks_LDADD = $(sdb_test_libs)
tests_unit_libdb_slice_test_history_files_SOURCES = tests/unit/libdb/slice/test_history_files.c
tests_unit_libdb_slice_test_history_files_CFLAGS = $(TEST_CFLAGS)
tests_unit_libdb_slice_test_history_files_LDADD = $(sdb_test_libs)
endif
