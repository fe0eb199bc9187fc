# SPDX-License-Identifier: GPL-2.0-or-later
# A fuzzer is tests/fuzz/fuzz_NAME.c with LLVMFuzzerTestOneInput; what it has
# found or begins from is kept in tests/fuzz/corpus/NAME/. In ordinary builds
# it replays that; in build-fuzz/ (configure --enable-fuzzers, clang) it
# searches: tests/fuzz/run.sh. A new one takes a word in fuzzers.
fuzzers = \
	tests/fuzz/fuzz_archive \
	tests/fuzz/fuzz_buildid \
	tests/fuzz/fuzz_code_table \
	tests/fuzz/fuzz_control \
	tests/fuzz/fuzz_ctf_metadata \
	tests/fuzz/fuzz_ctf_packed \
	tests/fuzz/fuzz_ctf_packets \
	tests/fuzz/fuzz_disassembly \
	tests/fuzz/fuzz_elf_skeleton \
	tests/fuzz/fuzz_events \
	tests/fuzz/fuzz_jitdump \
	tests/fuzz/fuzz_kmod_stream \
	tests/fuzz/fuzz_lines \
	tests/fuzz/fuzz_meta \
	tests/fuzz/fuzz_perf_data \
	tests/fuzz/fuzz_perf_map \
	tests/fuzz/fuzz_perf_records \
	tests/fuzz/fuzz_records \
	tests/fuzz/fuzz_ring \
	tests/fuzz/fuzz_sample_name \
	tests/fuzz/fuzz_sdb \
	tests/fuzz/fuzz_setup \
	tests/fuzz/fuzz_slice \
	tests/fuzz/fuzz_spec \
	tests/fuzz/fuzz_stack_file \
	tests/fuzz/fuzz_symbols \
	tests/fuzz/fuzz_time_range \
	tests/fuzz/fuzz_tracepoint
test_programs += $(fuzzers)
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/run.sh

fuzzers: $(fuzzers)
if FUZZERS
$(fuzzers): AM_LDFLAGS += -fsanitize=fuzzer
else
# The main function of programs that have none.
tests_fixture_libfixture_a_SOURCES += tests/fuzz/driver.c
endif

tests_fuzz_fuzz_ring_SOURCES = tests/fuzz/fuzz_ring.c $(ring_sources) tests/fixture/ring_test_port.h
tests_fuzz_fuzz_ring_CPPFLAGS = $(ring_unit_cppflags)
