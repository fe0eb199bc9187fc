# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libdb/libsdb.a
libdb_libsdb_a_SOURCES = \
	libdb/bit_coder.c libdb/bit_coder.h \
	libdb/blocks.c libdb/blocks.h \
	libdb/history_files.c libdb/history_files.h \
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
	libdb/slice.h libdb/slice_format.h \
	libdb/slice_buffer.c libdb/slice_buffer.h \
	libdb/slice_builder.c \
	libdb/slice_check.c \
	libdb/slice_header.c \
	libdb/slice_merge.c \
	libdb/slice_packer.c libdb/slice_packer.h \
	libdb/slice_reader.c \
	libdb/slice_rows.c libdb/slice_rows.h \
	libdb/slice_section.c \
	libdb/slice_tables.h \
	libdb/slice_tables_decode.c \
	libdb/slice_tables_encode.c \
	libdb/slice_unpacker.c libdb/slice_unpacker.h \
	libdb/slice_writer.c libdb/slice_writer.h \
	libdb/stack_code.c libdb/stack_code.h \
	libdb/stack_file.c libdb/stack_file.h \
	libdb/stack_file_load.c \
	libdb/stack_identity.c libdb/stack_identity.h \
	libdb/stack_index.c libdb/stack_index.h libdb/stack_line.h \
	libdb/stack_record.c libdb/stack_record.h \
	libdb/stack_scan.c libdb/stack_scan.h \
	libdb/stack_tree.c libdb/stack_tree.h libdb/stack_tree_internal.h \
	libdb/stack_tree_decode.c \
	libdb/stack_tree_encode.c \
	libdb/stack_tree_fold.c \
	libdb/stack_tree_order.c libdb/stack_tree_order.h
libdb_libsdb_a_CFLAGS = $(CONVERSION_CFLAGS) $(ZSTD_CFLAGS)

if REPORTS
# Tests, with what they share; and the library as the kill tests want it.
check_LIBRARIES += libdb/libsdbtest.a libdb/libsdb_faults.a
libdb_libsdbtest_a_SOURCES = tests/unit/make_sdb.c tests/unit/make_sdb.h \
	tests/unit/make_slice.c tests/unit/make_slice.h \
	tests/unit/make_stacks.c tests/unit/make_stacks.h tests/unit/slice_version_1.h
libdb_libsdbtest_a_CFLAGS = $(TEST_CFLAGS)
libdb_libsdb_faults_a_SOURCES = $(libdb_libsdb_a_SOURCES)
libdb_libsdb_faults_a_CFLAGS = $(CONVERSION_CFLAGS) $(ZSTD_CFLAGS)
libdb_libsdb_faults_a_CPPFLAGS = $(AM_CPPFLAGS) -DSDB_FAULT_POINTS

sdb_tests = \
	tests/unit/test_sample_name \
	tests/unit/test_sample_name_walk \
	tests/unit/test_sdb_check \
	tests/unit/test_sdb_disk_full \
	tests/unit/test_sdb_fault \
	tests/unit/test_sdb_file \
	tests/unit/test_sdb_image \
	tests/unit/test_sdb_meanwhile \
	tests/unit/test_sdb_restart \
	tests/unit/test_sdb_sigbus \
	tests/unit/test_sdb_sort \
	tests/unit/test_sdb_split \
	tests/unit/test_sdb_table \
	tests/unit/test_slice \
	tests/unit/test_slice_close \
	tests/unit/test_slice_fault \
	tests/unit/test_slice_merge \
	tests/unit/test_slice_stacks \
	tests/unit/test_stack_file \
	tests/unit/test_stack_file_fault \
	tests/unit/test_stack_file_kill \
	tests/unit/test_stack_file_meanwhile \
	tests/unit/test_bit_coder \
	tests/unit/test_stack_index \
	tests/unit/test_stack_tree \
	tests/unit/test_stack_tree_encode \
	tests/unit/test_stack_tree_fold \
	tests/unit/test_history_files
check_PROGRAMS += $(sdb_tests)
TESTS += $(sdb_tests)
sdb_test_libs = libdb/libsdbtest.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)

tests_unit_test_sample_name_SOURCES = tests/unit/test_sample_name.c
tests_unit_test_sample_name_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sample_name_LDADD = $(sdb_test_libs)
tests_unit_test_sample_name_walk_SOURCES = tests/unit/test_sample_name_walk.c
tests_unit_test_sample_name_walk_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sample_name_walk_LDADD = $(sdb_test_libs)
tests_unit_test_sdb_disk_full_SOURCES = tests/unit/test_sdb_disk_full.c
tests_unit_test_sdb_disk_full_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_disk_full_LDADD = $(sdb_test_libs)
tests_unit_test_sdb_check_SOURCES = tests/unit/test_sdb_check.c
tests_unit_test_sdb_check_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_check_LDADD = $(sdb_test_libs)
tests_unit_test_sdb_image_SOURCES = tests/unit/test_sdb_image.c
tests_unit_test_sdb_image_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_image_LDADD = $(sdb_test_libs)
# Whatever name the headers give to the calls, 64-bit offsets or not.
sdb_wrap_flags = -Wl,--wrap=fallocate -Wl,--wrap=fallocate64 -Wl,--wrap=pwrite -Wl,--wrap=pwrite64 \
	-Wl,--wrap=pread -Wl,--wrap=pread64 -Wl,--wrap=mmap -Wl,--wrap=mmap64 -Wl,--wrap=mremap \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=strndup
tests_unit_test_sdb_fault_SOURCES = tests/unit/test_sdb_fault.c
tests_unit_test_sdb_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_fault_LDFLAGS = $(AM_LDFLAGS) $(sdb_wrap_flags)
tests_unit_test_sdb_fault_LDADD = $(sdb_test_libs)
tests_unit_test_sdb_file_SOURCES = tests/unit/test_sdb_file.c
tests_unit_test_sdb_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_file_LDADD = $(sdb_test_libs)
tests_unit_test_sdb_restart_SOURCES = tests/unit/test_sdb_restart.c
tests_unit_test_sdb_restart_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_restart_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_sdb_sigbus_SOURCES = tests/unit/test_sdb_sigbus.c
tests_unit_test_sdb_sigbus_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_sigbus_LDADD = $(sdb_test_libs)
tests_unit_test_sdb_sort_SOURCES = tests/unit/test_sdb_sort.c
tests_unit_test_sdb_sort_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_sort_LDADD = $(sdb_test_libs)
tests_unit_test_sdb_split_SOURCES = tests/unit/test_sdb_split.c
tests_unit_test_sdb_split_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_split_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_sdb_table_SOURCES = tests/unit/test_sdb_table.c
tests_unit_test_sdb_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_table_LDADD = $(sdb_test_libs)
tests_unit_test_slice_SOURCES = tests/unit/test_slice.c
tests_unit_test_slice_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_slice_LDADD = $(sdb_test_libs)
tests_unit_test_slice_close_SOURCES = tests/unit/test_slice_close.c
tests_unit_test_slice_close_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_slice_close_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_slice_fault_SOURCES = tests/unit/test_slice_fault.c
tests_unit_test_slice_fault_CFLAGS = $(TEST_CFLAGS) $(ZSTD_CFLAGS)
tests_unit_test_slice_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=pwrite -Wl,--wrap=pwrite64 -Wl,--wrap=pread -Wl,--wrap=pread64 \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc \
	-Wl,--wrap=ZSTD_createCCtx -Wl,--wrap=ZSTD_createDCtx -Wl,--wrap=ZSTD_compressStream2 \
	-Wl,--wrap=ZSTD_compress2 -Wl,--wrap=ZSTD_decompressStream
tests_unit_test_slice_fault_LDADD = $(sdb_test_libs)
tests_unit_test_slice_merge_SOURCES = tests/unit/test_slice_merge.c
tests_unit_test_slice_merge_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_slice_merge_LDADD = $(sdb_test_libs)
tests_unit_test_stack_file_SOURCES = tests/unit/test_stack_file.c
tests_unit_test_stack_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_file_LDADD = $(sdb_test_libs)
tests_unit_test_stack_file_fault_SOURCES = tests/unit/test_stack_file_fault.c \
	tests/unit/failing_calls.c tests/unit/failing_calls.h
tests_unit_test_stack_file_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_file_fault_LDFLAGS = $(AM_LDFLAGS) $(failing_calls_wrap_flags)
tests_unit_test_stack_file_fault_LDADD = $(sdb_test_libs)
tests_unit_test_stack_file_kill_SOURCES = tests/unit/test_stack_file_kill.c
tests_unit_test_stack_file_kill_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_file_kill_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
# A reader's calls, whatever their names, and a thread of the test's for the writer.
meanwhile_sources = tests/unit/meanwhile.c tests/unit/meanwhile.h \
	tests/unit/test_folder.c tests/unit/test_folder.h
meanwhile_wrap_flags = -pthread -Wl,--wrap=pread -Wl,--wrap=pread64 -Wl,--wrap=fstat -Wl,--wrap=fstat64
tests_unit_test_sdb_meanwhile_SOURCES = tests/unit/test_sdb_meanwhile.c $(meanwhile_sources)
tests_unit_test_sdb_meanwhile_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sdb_meanwhile_LDFLAGS = $(AM_LDFLAGS) $(meanwhile_wrap_flags)
tests_unit_test_sdb_meanwhile_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_stack_file_meanwhile_SOURCES = tests/unit/test_stack_file_meanwhile.c $(meanwhile_sources)
tests_unit_test_stack_file_meanwhile_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_file_meanwhile_LDFLAGS = $(AM_LDFLAGS) $(meanwhile_wrap_flags)
tests_unit_test_stack_file_meanwhile_LDADD = libdb/libsdbtest.a libdb/libsdb_faults.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_bit_coder_SOURCES = tests/unit/test_bit_coder.c
tests_unit_test_bit_coder_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_bit_coder_LDADD = $(sdb_test_libs)
tests_unit_test_stack_index_SOURCES = tests/unit/test_stack_index.c
tests_unit_test_stack_index_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_index_LDADD = $(sdb_test_libs)
tests_unit_test_stack_tree_SOURCES = tests/unit/test_stack_tree.c
tests_unit_test_stack_tree_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_tree_LDADD = $(sdb_test_libs)
tests_unit_test_stack_tree_encode_SOURCES = tests/unit/test_stack_tree_encode.c
tests_unit_test_stack_tree_encode_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_tree_encode_LDADD = $(sdb_test_libs)
tests_unit_test_stack_tree_fold_SOURCES = tests/unit/test_stack_tree_fold.c
tests_unit_test_stack_tree_fold_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_tree_fold_LDADD = $(sdb_test_libs)
tests_unit_test_slice_stacks_SOURCES = tests/unit/test_slice_stacks.c
tests_unit_test_slice_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_slice_stacks_LDADD = $(sdb_test_libs)
tests_unit_test_history_files_SOURCES = tests/unit/test_history_files.c
tests_unit_test_history_files_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_files_LDADD = $(sdb_test_libs)
endif
