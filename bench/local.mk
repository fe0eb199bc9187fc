# SPDX-License-Identifier: GPL-2.0-or-later
# bench/README.md says what a benchmark prints and how to add one.
EXTRA_PROGRAMS += bench/bench_sdb
BENCHMARKS += bench/bench_sdb
EXTRA_DIST += bench/README.md bench/bench.sh

check_LIBRARIES += bench/libbench.a
bench_libbench_a_SOURCES = bench/bench.c bench/bench.h

bench_bench_sdb_SOURCES = bench/bench_sdb.c
bench_bench_sdb_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_stacks
BENCHMARKS += bench/bench_stacks
bench_bench_stacks_SOURCES = bench/bench_stacks.c
bench_bench_stacks_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_slice
BENCHMARKS += bench/bench_slice
bench_bench_slice_SOURCES = bench/bench_slice.c bench/real_session.c bench/real_session.h
bench_bench_slice_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_disk
BENCHMARKS += bench/bench_disk
bench_bench_disk_SOURCES = bench/bench_disk.c bench/real_session.c bench/real_session.h
bench_bench_disk_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a -lm

EXTRA_PROGRAMS += bench/bench_report_stacks
BENCHMARKS += bench/bench_report_stacks
bench_bench_report_stacks_SOURCES = bench/bench_report_stacks.c bench/real_session.c \
	bench/real_session.h
bench_bench_report_stacks_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a -lm

EXTRA_PROGRAMS += bench/bench_disk_stacks
BENCHMARKS += bench/bench_disk_stacks
bench_bench_disk_stacks_SOURCES = bench/bench_disk_stacks.c bench/real_session.c \
	bench/real_session.h tests/fixture/stack_sum.c tests/fixture/stack_sum.h
bench_bench_disk_stacks_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a -lm

EXTRA_PROGRAMS += bench/bench_stack_keep
BENCHMARKS += bench/bench_stack_keep
bench_bench_stack_keep_SOURCES = bench/bench_stack_keep.c
bench_bench_stack_keep_LDADD = bench/libbench.a daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a \
	events/libevents.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_report
BENCHMARKS += bench/bench_report
bench_bench_report_SOURCES = bench/bench_report.c bench/report_binary.c bench/report_binary.h \
	bench/report_session.c bench/report_session.h
bench_bench_report_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
bench_bench_report_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a $(ELF_LIBS)

# In a browser, where there is one.
BENCHMARKS += bench/bench_page.sh
EXTRA_DIST += bench/bench_page.sh

EXTRA_PROGRAMS += bench/bench_annotate
BENCHMARKS += bench/bench_annotate
bench_bench_annotate_SOURCES = bench/bench_annotate.c bench/report_binary.c bench/report_binary.h \
	bench/report_session.c bench/report_session.h
bench_bench_annotate_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
bench_bench_annotate_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a $(ELF_LIBS)

EXTRA_PROGRAMS += bench/bench_stack_walk
BENCHMARKS += bench/bench_stack_walk
bench_bench_stack_walk_SOURCES = bench/bench_stack_walk.c $(unwind_process_code)
bench_bench_stack_walk_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
bench_bench_stack_walk_LDADD = bench/libbench.a unwind/libunwind.a lib/libbase.a $(DW_LIBS) $(ELF_LIBS)

EXTRA_PROGRAMS += bench/bench_symbolize
BENCHMARKS += bench/bench_symbolize
bench_bench_symbolize_SOURCES = bench/bench_symbolize.c
bench_bench_symbolize_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
bench_bench_symbolize_LDADD = bench/libbench.a pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS)

EXTRA_PROGRAMS += bench/bench_history
BENCHMARKS += bench/bench_history
bench_bench_history_SOURCES = bench/bench_history.c
bench_bench_history_LDADD = bench/libbench.a libdb/libsdb.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_daemon
BENCHMARKS += bench/bench_daemon
bench_bench_daemon_SOURCES = bench/bench_daemon.c bench/load.c bench/load.h
bench_bench_daemon_LDADD = bench/libbench.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_unwind
BENCHMARKS += bench/bench_unwind
bench_bench_unwind_SOURCES = bench/bench_unwind.c
bench_bench_unwind_LDADD = bench/libbench.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_recent
BENCHMARKS += bench/bench_recent
bench_bench_recent_SOURCES = bench/bench_recent.c bench/load.c bench/load.h
bench_bench_recent_LDADD = bench/libbench.a lib/libbase.a

EXTRA_PROGRAMS += bench/bench_trace
BENCHMARKS += bench/bench_trace
bench_bench_trace_SOURCES = bench/bench_trace.c tests/fixture/make_packet.c tests/fixture/make_packet.h
bench_bench_trace_LDADD = bench/libbench.a ctf/libctf.a lib/libbase.a $(ZSTD_LIBS)

EXTRA_PROGRAMS += bench/bench_ring
BENCHMARKS += bench/bench_ring bench/bench_ring_instructions.sh
bench_bench_ring_SOURCES = \
	bench/bench_ring.c \
	bench/lttng.c bench/lttng.h \
	bench/ring_still.c bench/ring_still.h bench/ring_port_still.h
bench_bench_ring_LDADD = bench/libbench.a ring/libring.a -lpthread
EXTRA_DIST += bench/bench_ring_instructions.sh \
	bench/lttng_peer.sh bench/lttng_peer.c bench/lttng_peer_events.h

# In a guest: minutes, most of them for building the module and booting.
BENCHMARKS += bench/bench_kmod.sh
EXTRA_DIST += bench/bench_kmod.sh bench/kmod_cost.c
BENCHMARKS += bench/bench_snapshot.sh
EXTRA_DIST += bench/bench_snapshot.sh

BENCHMARKS += bench/bench_ktrace.sh
EXTRA_DIST += bench/bench_ktrace.sh bench/ktrace_cost.c bench/lttng_modules.sh

# A word of BENCHMARKS is a program that is built here, or a script of the
# source tree. All are run; each prints only the lines that begin with a
# word of B, or all.
bench: all $(BENCHMARKS)
	@for benchmark in $(BENCHMARKS); do \
		test -f "$$benchmark" || benchmark=$(srcdir)/$$benchmark; \
		$(AM_TESTS_ENVIRONMENT) "$$benchmark" $(B) || exit; \
	done
