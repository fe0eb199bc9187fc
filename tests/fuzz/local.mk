# SPDX-License-Identifier: GPL-2.0-or-later
# A fuzzer is tests/fuzz/fuzz_NAME.c with LLVMFuzzerTestOneInput; what it has
# found or begins from is kept in tests/fuzz/corpus/NAME/. In ordinary builds
# it replays that; in build-fuzz/ (configure --enable-fuzzers, clang) it
# searches: tests/fuzz/run.sh. A new one takes a word in fuzzers and its lines
# below.
fuzzers = \
	tests/fuzz/fuzz_archive \
	tests/fuzz/fuzz_buildid \
	tests/fuzz/fuzz_code_table \
	tests/fuzz/fuzz_control \
	tests/fuzz/fuzz_ctf_metadata \
	tests/fuzz/fuzz_ctf_packed \
	tests/fuzz/fuzz_ctf_packets \
	tests/fuzz/fuzz_elf_skeleton \
	tests/fuzz/fuzz_meta \
	tests/fuzz/fuzz_events \
	tests/fuzz/fuzz_sample_name \
	tests/fuzz/fuzz_sdb \
	tests/fuzz/fuzz_lines \
	tests/fuzz/fuzz_setup \
	tests/fuzz/fuzz_slice \
	tests/fuzz/fuzz_spec \
	tests/fuzz/fuzz_stack_file \
	tests/fuzz/fuzz_perf_data \
	tests/fuzz/fuzz_perf_map \
	tests/fuzz/fuzz_jitdump \
	tests/fuzz/fuzz_kmod_stream \
	tests/fuzz/fuzz_perf_records \
	tests/fuzz/fuzz_records \
	tests/fuzz/fuzz_ring \
	tests/fuzz/fuzz_symbols \
	tests/fuzz/fuzz_disassembly \
	tests/fuzz/fuzz_time_range \
	tests/fuzz/fuzz_tracepoint
check_PROGRAMS += $(fuzzers)
TESTS += $(fuzzers)
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/run.sh

if FUZZERS
fuzz_libs = lib/libbase.a
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
else
check_LIBRARIES += tests/fuzz/libdriver.a
tests_fuzz_libdriver_a_SOURCES = tests/fuzz/driver.c
fuzz_libs = tests/fuzz/libdriver.a lib/libbase.a
fuzz_ldflags = $(AM_LDFLAGS)
endif

fuzzers: $(fuzzers)

tests_fuzz_fuzz_perf_map_SOURCES = tests/fuzz/fuzz_perf_map.c
tests_fuzz_fuzz_perf_map_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_perf_map_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_jitdump_SOURCES = tests/fuzz/fuzz_jitdump.c
tests_fuzz_fuzz_jitdump_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_jitdump_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_buildid_SOURCES = tests/fuzz/fuzz_buildid.c
tests_fuzz_fuzz_buildid_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_buildid_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_code_table_SOURCES = tests/fuzz/fuzz_code_table.c
tests_fuzz_fuzz_code_table_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_code_table_LDADD = unwind/libunwind.a $(fuzz_libs)
tests_fuzz_fuzz_elf_skeleton_SOURCES = tests/fuzz/fuzz_elf_skeleton.c
tests_fuzz_fuzz_elf_skeleton_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_elf_skeleton_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c
tests_fuzz_fuzz_spec_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_spec_LDADD = pp/libpp.a $(fuzz_libs)
tests_fuzz_fuzz_tracepoint_SOURCES = tests/fuzz/fuzz_tracepoint.c
tests_fuzz_fuzz_tracepoint_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_tracepoint_LDADD = daemon/libdaemon.a ctf/libctf.a events/libevents.a $(fuzz_libs)
tests_fuzz_fuzz_time_range_SOURCES = tests/fuzz/fuzz_time_range.c
tests_fuzz_fuzz_time_range_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_time_range_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_lines_SOURCES = tests/fuzz/fuzz_lines.c
tests_fuzz_fuzz_lines_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
tests_fuzz_fuzz_lines_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_lines_LDADD = pp/libpp.a libdb/libsdb.a $(fuzz_libs) $(SYMBOLS_LIBS)
tests_fuzz_fuzz_disassembly_SOURCES = tests/fuzz/fuzz_disassembly.c
tests_fuzz_fuzz_disassembly_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_disassembly_LDADD = pp/libpp.a libdb/libsdb.a $(fuzz_libs) $(OPCODE_LIBS)
tests_fuzz_fuzz_symbols_SOURCES = tests/fuzz/fuzz_symbols.c
tests_fuzz_fuzz_symbols_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
tests_fuzz_fuzz_symbols_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_symbols_LDADD = pp/libpp.a libdb/libsdb.a $(fuzz_libs) $(SYMBOLS_LIBS)
tests_fuzz_fuzz_control_SOURCES = tests/fuzz/fuzz_control.c
tests_fuzz_fuzz_control_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_control_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a events/libevents.a $(fuzz_libs)
tests_fuzz_fuzz_events_SOURCES = tests/fuzz/fuzz_events.c
tests_fuzz_fuzz_events_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_events_LDADD = events/libevents.a $(fuzz_libs)
tests_fuzz_fuzz_setup_SOURCES = tests/fuzz/fuzz_setup.c
tests_fuzz_fuzz_setup_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_setup_LDADD = control/libcontrol.a events/libevents.a $(fuzz_libs)
tests_fuzz_fuzz_slice_SOURCES = tests/fuzz/fuzz_slice.c
tests_fuzz_fuzz_slice_CFLAGS = $(AM_CFLAGS) $(ZSTD_CFLAGS)
tests_fuzz_fuzz_slice_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_slice_LDADD = libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_stack_file_SOURCES = tests/fuzz/fuzz_stack_file.c
tests_fuzz_fuzz_stack_file_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_stack_file_LDADD = libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_kmod_stream_SOURCES = tests/fuzz/fuzz_kmod_stream.c
tests_fuzz_fuzz_kmod_stream_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_kmod_stream_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_perf_records_SOURCES = tests/fuzz/fuzz_perf_records.c
tests_fuzz_fuzz_perf_records_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_perf_records_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_records_SOURCES = tests/fuzz/fuzz_records.c tests/fixture/fake_source.c \
	tests/fixture/fake_source.h
tests_fuzz_fuzz_records_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_records_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a events/libevents.a $(fuzz_libs)
tests_fuzz_fuzz_meta_SOURCES = tests/fuzz/fuzz_meta.c
tests_fuzz_fuzz_meta_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_meta_LDADD = pp/libpp.a daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a events/libevents.a \
	$(fuzz_libs) $(SYMBOLS_LIBS)
tests_fuzz_fuzz_sample_name_SOURCES = tests/fuzz/fuzz_sample_name.c
tests_fuzz_fuzz_sample_name_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_sample_name_LDADD = libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_sdb_SOURCES = tests/fuzz/fuzz_sdb.c
tests_fuzz_fuzz_sdb_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_sdb_LDADD = libdb/libsdb.a $(fuzz_libs)
tests_fuzz_fuzz_ctf_metadata_SOURCES = tests/fuzz/fuzz_ctf_metadata.c
tests_fuzz_fuzz_ctf_metadata_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_ctf_metadata_LDADD = ctf/libctf.a $(fuzz_libs)
tests_fuzz_fuzz_ctf_packed_SOURCES = tests/fuzz/fuzz_ctf_packed.c
tests_fuzz_fuzz_ctf_packed_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_ctf_packed_LDADD = ctf/libctf.a $(fuzz_libs)
tests_fuzz_fuzz_ctf_packets_SOURCES = tests/fuzz/fuzz_ctf_packets.c $(ctf_made_trace)
tests_fuzz_fuzz_ctf_packets_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_ctf_packets_LDADD = ctf/libctf.a $(fuzz_libs)
tests_fuzz_fuzz_ring_SOURCES = tests/fuzz/fuzz_ring.c $(ring_unit_sources)
tests_fuzz_fuzz_ring_CPPFLAGS = $(ring_unit_cppflags)
tests_fuzz_fuzz_ring_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_ring_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_archive_SOURCES = tests/fuzz/fuzz_archive.c
tests_fuzz_fuzz_archive_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_archive_LDADD = pp/libpp.a $(fuzz_libs) $(ARCHIVE_LIBS)
tests_fuzz_fuzz_perf_data_SOURCES = tests/fuzz/fuzz_perf_data.c
tests_fuzz_fuzz_perf_data_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_perf_data_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a \
	events/libevents.a $(fuzz_libs)
