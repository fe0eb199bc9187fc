# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += daemon/libdaemon.a
noinst_HEADERS += daemon/source.h
daemon_libdaemon_a_SOURCES =

# The perf source: rings, decoding, order.
daemon_libdaemon_a_SOURCES += daemon/perf_item.h daemon/perf_parse.c daemon/perf_parse.h \
	daemon/perf_order.c daemon/perf_order.h daemon/perf_feed.c daemon/perf_feed.h

# The daemon above its source: from records to sample files, and who commands it.
daemon_libdaemon_a_SOURCES += daemon/attribution.c daemon/attribution.h daemon/cgroup_table.c \
	daemon/cgroup_table.h daemon/control_message.c daemon/control_message.h \
	daemon/control_server.c daemon/control_server.h daemon/options.c daemon/options.h \
	daemon/placement.c daemon/placement.h daemon/profiler.c daemon/profiler.h daemon/ready.c \
	daemon/ready.h daemon/sample_cache.c daemon/sample_cache.h daemon/sample_key.h \
	daemon/separation.c daemon/separation.h daemon/session.c daemon/session.h \
	daemon/session_info.c daemon/session_info.h daemon/stats.c daemon/stats.h \
	daemon/sync_job.c daemon/sync_job.h

# Tests that replay raw perf records add these to their sources (tests/unit/replay.h).
perf_encode_files = tests/unit/perf_encode.c tests/unit/perf_encode.h
replay_files = tests/unit/replay.c tests/unit/replay_text.c tests/unit/replay.h \
	$(perf_encode_files)
EXTRA_DIST += $(replay_files)

if REPORTS
check_PROGRAMS += tests/unit/test_perf_parse tests/unit/test_perf_order tests/unit/test_perf_feed
TESTS += tests/unit/test_perf_parse tests/unit/test_perf_order tests/unit/test_perf_feed
tests_unit_test_perf_parse_SOURCES = tests/unit/test_perf_parse.c $(perf_encode_files)
tests_unit_test_perf_parse_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_parse_LDADD = daemon/libdaemon.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_order_SOURCES = tests/unit/test_perf_order.c
tests_unit_test_perf_order_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_order_LDADD = daemon/libdaemon.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_feed_SOURCES = tests/unit/test_perf_feed.c $(perf_encode_files)
tests_unit_test_perf_feed_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_feed_LDADD = daemon/libdaemon.a lib/libbase.a $(TEST_LIBS)
endif
EXTRA_DIST += tests/data/streams/README tests/data/streams/late-records.txt \
	tests/data/streams/lost-chunks.txt tests/data/streams/malformed.txt \
	tests/data/streams/reordered-rings.txt tests/data/streams/unknown-types.txt
