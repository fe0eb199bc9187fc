# SPDX-License-Identifier: GPL-2.0-or-later
# Needs nothing but lib/ and zstd: recording takes it on the board too.
noinst_LIBRARIES += ctf/libctf.a
ctf_libctf_a_CFLAGS = $(CONVERSION_CFLAGS) $(ZSTD_CFLAGS)
ctf_libctf_a_SOURCES = \
	ctf/arena.c ctf/arena.h \
	ctf/chunk.c ctf/chunk.h \
	ctf/ctf.h \
	ctf/file.c ctf/file.h \
	ctf/layout.c ctf/layout.h \
	ctf/metadata.c ctf/metadata.h \
	ctf/metadata_parse.c \
	ctf/packet.c ctf/packet.h \
	ctf/packets.c ctf/packets.h \
	ctf/packed.c ctf/packed.h \
	ctf/packed_make.c \
	ctf/parser.c ctf/parser.h \
	ctf/parser_event.c \
	ctf/parts.c ctf/parts.h \
	ctf/reader.c ctf/reader.h \
	ctf/record.c ctf/record.h \
	ctf/stream.c ctf/stream.h \
	ctf/trace.c \
	ctf/tsdl.c ctf/tsdl.h \
	ctf/window.c ctf/window.h \
	ctf/writer.c ctf/writer.h

if REPORTS
ctf_test_libs = ctf/libctf.a lib/libbase.a $(TEST_LIBS)
ctf_made_trace = \
	tests/fixture/make_packet.c tests/fixture/make_packet.h \
	tests/fixture/make_trace.c tests/fixture/make_trace.h
ctf_test_folder = tests/fixture/test_folder.c tests/fixture/test_folder.h
ctf_tests = \
	tests/unit/ctf/test_ctf_chunk \
	tests/unit/ctf/test_ctf_fault \
	tests/unit/ctf/test_ctf_metadata \
	tests/unit/ctf/test_ctf_packed \
	tests/unit/ctf/test_ctf_packet \
	tests/unit/ctf/test_ctf_reader \
	tests/unit/ctf/test_ctf_stream \
	tests/unit/ctf/test_ctf_trace \
	tests/unit/ctf/test_ctf_tsdl \
	tests/unit/ctf/test_ctf_writer
check_PROGRAMS += $(ctf_tests) tests/tools/trace_show
TESTS += $(ctf_tests) tests/unit/ctf/test_babeltrace.sh
dist_check_SCRIPTS += tests/unit/ctf/test_babeltrace.sh
tests_tools_trace_show_SOURCES = tests/tools/trace_show.c $(ctf_made_trace)
tests_tools_trace_show_LDADD = ctf/libctf.a lib/libbase.a
tests_unit_ctf_test_ctf_chunk_SOURCES = tests/unit/ctf/test_ctf_chunk.c $(ctf_made_trace) $(ctf_test_folder)
tests_unit_ctf_test_ctf_chunk_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_chunk_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_packed_SOURCES = tests/unit/ctf/test_ctf_packed.c $(ctf_test_folder)
tests_unit_ctf_test_ctf_packed_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_packed_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_metadata_SOURCES = tests/unit/ctf/test_ctf_metadata.c $(ctf_made_trace)
tests_unit_ctf_test_ctf_metadata_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_metadata_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_packet_SOURCES = tests/unit/ctf/test_ctf_packet.c
tests_unit_ctf_test_ctf_packet_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_packet_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_reader_SOURCES = tests/unit/ctf/test_ctf_reader.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_ctf_test_ctf_reader_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_reader_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_stream_SOURCES = tests/unit/ctf/test_ctf_stream.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_ctf_test_ctf_stream_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_stream_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_trace_SOURCES = tests/unit/ctf/test_ctf_trace.c $(ctf_made_trace)
tests_unit_ctf_test_ctf_trace_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_trace_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_tsdl_SOURCES = tests/unit/ctf/test_ctf_tsdl.c
tests_unit_ctf_test_ctf_tsdl_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_tsdl_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_writer_SOURCES = tests/unit/ctf/test_ctf_writer.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_ctf_test_ctf_writer_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_writer_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pwrite
tests_unit_ctf_test_ctf_writer_LDADD = $(ctf_test_libs)
tests_unit_ctf_test_ctf_fault_SOURCES = tests/unit/ctf/test_ctf_fault.c $(ctf_made_trace) \
	$(ctf_test_folder) tests/fixture/failing_calls.c tests/fixture/failing_calls.h
tests_unit_ctf_test_ctf_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_ctf_test_ctf_fault_LDFLAGS = $(AM_LDFLAGS) $(failing_calls_wrap_flags)
tests_unit_ctf_test_ctf_fault_LDADD = $(ctf_test_libs)
endif
