# SPDX-License-Identifier: GPL-2.0-or-later
# bench/README.md describes what a benchmark prints and how to add one.
EXTRA_DIST += bench/README.md bench/bench.sh

# Functions that several benchmarks use; part of the default LDADD.
check_LIBRARIES += bench/libbench.a
bench_libbench_a_SOURCES = \
	bench/bench.c bench/bench.h \
	bench/load.c bench/load.h \
	bench/real_session.c bench/real_session.h \
	bench/report_binary.c bench/report_binary.h \
	bench/report_session.c bench/report_session.h

bench_programs = \
	bench/bench_sdb \
	bench/bench_stacks \
	bench/bench_slice \
	bench/bench_disk \
	bench/bench_report_stacks \
	bench/bench_disk_stacks \
	bench/bench_stack_keep \
	bench/bench_report \
	bench/bench_annotate \
	bench/bench_stack_walk \
	bench/bench_symbolize \
	bench/bench_history \
	bench/bench_daemon \
	bench/bench_unwind \
	bench/bench_recent \
	bench/bench_trace \
	bench/bench_ring
EXTRA_PROGRAMS += $(bench_programs)
bench_bench_ring_SOURCES = bench/bench_ring.c bench/lttng.c bench/lttng.h \
	bench/ring_still.c bench/ring_still.h bench/ring_port_still.h

# bench_page.sh runs if there is a browser. bench_kmod.sh and bench_ktrace.sh run in a guest and
# take minutes, mostly to build the module and to boot.
bench_scripts = \
	bench/bench_page.sh \
	bench/bench_ring_instructions.sh \
	bench/bench_kmod.sh \
	bench/bench_snapshot.sh \
	bench/bench_ktrace.sh
EXTRA_DIST += $(bench_scripts) bench/lttng_peer.sh bench/lttng_peer.c bench/lttng_peer_events.h \
	bench/kmod_cost.c bench/ktrace_cost.c bench/lttng_modules.sh
BENCHMARKS = $(bench_programs) $(bench_scripts)

# A word of BENCHMARKS is a program in the build folder or a script in the
# source folder. All of them run; each prints only the lines that begin with a
# word of B, or all lines if B is empty.
bench: all $(BENCHMARKS)
	@for benchmark in $(BENCHMARKS); do \
		test -f "$$benchmark" || benchmark=$(srcdir)/$$benchmark; \
		$(AM_TESTS_ENVIRONMENT) "$$benchmark" $(B) || exit; \
	done
