# SPDX-License-Identifier: GPL-2.0-or-later
# Needs nothing but lib/: recording takes it on the board too.
noinst_LIBRARIES += ctf/libctf.a
ctf_libctf_a_CFLAGS = $(CONVERSION_CFLAGS)
ctf_libctf_a_SOURCES = \
	ctf/arena.c ctf/arena.h \
	ctf/ctf.h \
	ctf/layout.c ctf/layout.h \
	ctf/metadata.c ctf/metadata.h \
	ctf/metadata_parse.c \
	ctf/packet.c ctf/packet.h \
	ctf/parser.c ctf/parser.h \
	ctf/parser_event.c \
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
	tests/unit/make_packet.c tests/unit/make_packet.h \
	tests/unit/make_trace.c tests/unit/make_trace.h
ctf_test_folder = tests/unit/test_folder.c tests/unit/test_folder.h
ctf_tests = \
	tests/unit/test_ctf_reader
check_PROGRAMS += $(ctf_tests) tests/unit/trace_show
TESTS += $(ctf_tests) tests/unit/test_babeltrace.sh
dist_check_SCRIPTS += tests/unit/test_babeltrace.sh
tests_unit_trace_show_SOURCES = tests/unit/trace_show.c $(ctf_made_trace)
tests_unit_trace_show_LDADD = ctf/libctf.a lib/libbase.a
tests_unit_test_ctf_reader_SOURCES = tests/unit/test_ctf_reader.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_test_ctf_reader_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ctf_reader_LDADD = $(ctf_test_libs)
endif
