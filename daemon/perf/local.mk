# SPDX-License-Identifier: GPL-2.0-or-later
# Reads perf's rings, decodes their records and sorts them.
daemon_libdaemon_a_SOURCES += \
	daemon/perf/perf_feed.c daemon/perf/perf_feed.h \
	daemon/perf/perf_item.h \
	daemon/perf/perf_order.c daemon/perf/perf_order.h \
	daemon/perf/perf_parse.c daemon/perf/perf_parse.h \
	daemon/perf/perf_regs.c daemon/perf/perf_regs.h \
	daemon/perf/perf_ring.c daemon/perf/perf_ring.h

test_programs += \
	tests/unit/daemon/perf/test_perf_feed \
	tests/unit/daemon/perf/test_perf_order \
	tests/unit/daemon/perf/test_perf_parse \
	tests/unit/daemon/perf/test_perf_regs \
	tests/unit/daemon/perf/test_perf_ring
tests_unit_daemon_perf_test_perf_feed_LDFLAGS = $(failing_calls_ldflags)
tests_unit_daemon_perf_test_perf_order_LDFLAGS = $(failing_calls_ldflags)
