# SPDX-License-Identifier: GPL-2.0-or-later
# This library uses only lib/ and zstd, so that small boards can record traces, too.
noinst_LIBRARIES += ctf/libctf.a
ctf_libctf_a_CFLAGS = $(CONVERSION_CFLAGS)
ctf_libctf_a_SOURCES = \
	ctf/arena.c ctf/arena.h \
	ctf/chunk.c ctf/chunk.h \
	ctf/ctf.h \
	ctf/file.c ctf/file.h \
	ctf/layout.c ctf/layout.h \
	ctf/metadata.c ctf/metadata.h \
	ctf/metadata_parse.c \
	ctf/packed.c ctf/packed.h \
	ctf/packed_make.c \
	ctf/packet.c ctf/packet.h \
	ctf/packets.c ctf/packets.h \
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

test_programs += \
	tests/unit/ctf/test_arena \
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
tests_unit_ctf_test_ctf_fault_LDFLAGS = $(failing_calls_ldflags)
tests_unit_ctf_test_ctf_writer_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pwrite

if REPORTS
# The test compares the output of this program with that of babeltrace.
check_PROGRAMS += tests/tools/trace_show
dist_check_SCRIPTS += tests/unit/ctf/test_babeltrace.sh
endif
