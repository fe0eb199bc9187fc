# SPDX-License-Identifier: GPL-2.0-or-later
libdb_libsdb_a_SOURCES += \
	libdb/slice/bit_coder.c libdb/slice/bit_coder.h \
	libdb/slice/history_files.c libdb/slice/history_files.h \
	libdb/slice/slice.h \
	libdb/slice/slice_buffer.c libdb/slice/slice_buffer.h \
	libdb/slice/slice_builder.c \
	libdb/slice/slice_check.c \
	libdb/slice/slice_format.h \
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
	libdb/slice/stack_identity.c libdb/slice/stack_identity.h \
	libdb/slice/stack_index.c libdb/slice/stack_index.h \
	libdb/slice/stack_line.h \
	libdb/slice/stack_tree.c libdb/slice/stack_tree.h libdb/slice/stack_tree_internal.h \
	libdb/slice/stack_tree_decode.c \
	libdb/slice/stack_tree_encode.c \
	libdb/slice/stack_tree_fold.c \
	libdb/slice/stack_tree_order.c libdb/slice/stack_tree_order.h

test_programs += \
	tests/unit/libdb/slice/test_bit_coder \
	tests/unit/libdb/slice/test_history_files \
	tests/unit/libdb/slice/test_slice \
	tests/unit/libdb/slice/test_slice_close \
	tests/unit/libdb/slice/test_slice_fault \
	tests/unit/libdb/slice/test_slice_merge \
	tests/unit/libdb/slice/test_slice_stacks \
	tests/unit/libdb/slice/test_stack_index \
	tests/unit/libdb/slice/test_stack_tree \
	tests/unit/libdb/slice/test_stack_tree_encode \
	tests/unit/libdb/slice/test_stack_tree_fold
tests_unit_libdb_slice_test_history_files_LDFLAGS = $(failing_asprintf_ldflags)
tests_unit_libdb_slice_test_slice_close_LDADD = $(sdb_faults_libs)
tests_unit_libdb_slice_test_slice_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=pwrite,--wrap=pwrite64,--wrap=pread,--wrap=pread64 \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=ZSTD_createCCtx \
	-Wl,--wrap=ZSTD_createDCtx,--wrap=ZSTD_compressStream2,--wrap=ZSTD_compress2 \
	-Wl,--wrap=ZSTD_decompressStream
