# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += daemon/libdaemon.a
noinst_HEADERS += daemon/source.h
daemon_libdaemon_a_SOURCES =

# The perf source: rings, decoding, order.
daemon_libdaemon_a_SOURCES += daemon/perf_item.h daemon/perf_parse.c daemon/perf_parse.h \
	daemon/perf_order.c daemon/perf_order.h daemon/perf_feed.c daemon/perf_feed.h \
	daemon/perf_ring.c daemon/perf_ring.h daemon/perf_open.c daemon/perf_open.h \
	daemon/perf_cpu.c daemon/perf_cpu.h daemon/perf_watch.c daemon/perf_watch.h \
	daemon/cpu_list.c daemon/cpu_list.h daemon/cpu_watch.c daemon/cpu_watch.h \
	daemon/thread_list.c daemon/thread_list.h daemon/perf_source.c daemon/perf_source.h \
	daemon/perf_source_internal.h daemon/perf_source_tell.c \
	daemon/perf_regs.c daemon/perf_regs.h daemon/perf_unwind.c

# The kernel module as a source.
daemon_libdaemon_a_SOURCES += daemon/kmod_buffer.c daemon/kmod_buffer.h daemon/kmod_control.c \
	daemon/kmod_control.h daemon/kmod_images.c daemon/kmod_images.h daemon/kmod_process.c \
	daemon/kmod_process.h daemon/kmod_sample.c daemon/kmod_setup.c daemon/kmod_setup.h \
	daemon/kmod_source.c daemon/kmod_source.h daemon/kmod_state.c daemon/kmod_state.h \
	daemon/kmod_state_internal.h daemon/kmod_stats.c daemon/kmod_stats.h \
	daemon/kmod_switches.c daemon/kmod_switches.h daemon/source_choice.c \
	daemon/source_choice.h

# The daemon above its source: from records to sample files, and who commands it.
daemon_libdaemon_a_SOURCES += daemon/attribution.c daemon/attribution.h daemon/cgroup_table.c \
	daemon/code_keys.c daemon/code_keys.h daemon/name_table.c daemon/name_table.h \
	daemon/cgroup_table.h daemon/control_message.c daemon/control_message.h \
	daemon/control_server.c daemon/control_server.h daemon/off_cpu.c daemon/off_cpu.h \
	daemon/options.c daemon/options.h \
	daemon/placement.c daemon/placement.h daemon/profiler.c daemon/profiler.h daemon/ready.c \
	daemon/ready.h daemon/recent.c daemon/recent.h \
	daemon/recent_keys.c daemon/recent_keys.h \
	daemon/recent_slice.c daemon/recent_slice.h \
	daemon/recount.c daemon/recount.h daemon/sample_cache.c daemon/sample_cache.h \
	daemon/sample_cache_room.c daemon/sample_key.h \
	daemon/separation.c daemon/separation.h daemon/unwind_choice.c daemon/unwind_choice.h \
	daemon/session.c daemon/session.h \
	daemon/sample_tree.c daemon/sample_tree.h daemon/history.c daemon/history.h \
	daemon/heap.c daemon/heap.h \
	daemon/history_budget.c daemon/history_internal.h daemon/history_job.c \
	daemon/history_job.h daemon/history_levels.c daemon/history_levels.h \
	daemon/history_work.c daemon/leftover.c daemon/leftover.h daemon/live_slice.c \
	daemon/live_slice.h daemon/stretch.c daemon/stretch.h \
	daemon/session_info.c daemon/session_info.h daemon/stats.c daemon/stats.h \
	daemon/sync_job.c daemon/sync_job.h

# Tracing.
daemon_libdaemon_a_SOURCES += daemon/ktrace.c daemon/ktrace.h daemon/ktrace_events.c \
	daemon/ktrace_events.h daemon/trace_kmod.c daemon/trace_kmod.h
daemon_libdaemon_a_SOURCES += daemon/trace_channel.c daemon/trace_channel.h daemon/trace_layout.c \
	daemon/trace_layout.h daemon/trace_perf.c daemon/trace_perf.h daemon/trace_syscalls.c \
	daemon/trace_syscalls.h daemon/trace_state.c daemon/trace_state.h daemon/trace_choice.c \
	daemon/trace_choice.h daemon/trace_chunks.c daemon/trace_chunks.h \
	daemon/trace_describe.c daemon/trace_describe.h daemon/trace_job.c daemon/trace_job.h \
	daemon/trace_clock.c daemon/trace_clock.h \
	daemon/trace_mappings.c daemon/trace_mappings.h daemon/trace_tasks.c daemon/trace_tasks.h \
	daemon/trace_memory.c daemon/trace_memory.h \
	daemon/trace_perf_internal.h daemon/trace_perf_open.c daemon/trace_place.c daemon/trace_place.h \
	daemon/trace_record.c daemon/trace_record.h daemon/trace_sample.c daemon/trace_sample.h \
	daemon/trace_session.c daemon/trace_session.h daemon/trace_trigger.c daemon/trace_trigger.h \
	daemon/trace_watch.c daemon/trace_watch.h daemon/trace_watch_internal.h \
	daemon/trace_trigger_parse.c daemon/trace_trigger_parse.h daemon/tracer_serve.c daemon/tracer_serve.h \
	daemon/tracer.c daemon/tracer.h daemon/tracer_perf.c daemon/tracer_perf.h \
	daemon/tracer_perf_choose.c daemon/tracer_perf_internal.h daemon/syscall_names.h
# Names of system calls, of the headers that it is built with.
nodist_daemon_libdaemon_a_SOURCES = daemon/syscall_names.c
CLEANFILES += daemon/syscall_names.c
daemon/syscall_names.c: daemon/syscall_names.awk
	$(AM_V_GEN)$(MKDIR_P) daemon && echo '#include <asm/unistd.h>' | $(CPP) $(CPPFLAGS) -dM - | \
		$(AWK) -f $(srcdir)/daemon/syscall_names.awk >$@.tmp && mv $@.tmp $@
EXTRA_DIST += daemon/syscall_names.awk

# Call stacks of samples.
daemon_libdaemon_a_SOURCES += daemon/kernel_functions.c daemon/kernel_functions.h \
	daemon/stack_keep.c daemon/stack_keep.h daemon/stack_memo.c daemon/stack_memo.h

# The daemon as a service of its machine.
daemon_libdaemon_a_SOURCES += daemon/cost.c daemon/cost.h daemon/cpu_budget.c \
	daemon/cpu_budget.h daemon/metrics.c daemon/metrics.h \
	daemon/notify.c daemon/notify.h daemon/privileges.c daemon/privileges.h \
	daemon/prompt_mount.c daemon/prompt_mount.h \
	daemon/service.c daemon/service.h

# The perf source: what the records mean. Address spaces, images, kernel code.
daemon_libdaemon_a_SOURCES += daemon/code_file.c daemon/code_file.h daemon/code_map.c \
	daemon/code_map.h daemon/code_pool.c daemon/code_pool.h daemon/code_space.c \
	daemon/code_space.h daemon/jitdump.c daemon/jitdump.h daemon/perf_map.c daemon/perf_map.h
daemon_libdaemon_a_SOURCES += daemon/cgroup_names.c daemon/cgroup_names.h daemon/image.c \
	daemon/image.h daemon/image_code.c daemon/image_code.h daemon/image_open.c \
	daemon/image_open.h daemon/table_folder.c daemon/table_folder.h daemon/image_keep.c daemon/image_keep.h daemon/image_keeper.c \
	daemon/image_keeper.h daemon/image_alias.c daemon/image_alias.h daemon/kallsyms.c \
	daemon/kallsyms.h daemon/kernel_idle.c daemon/kernel_idle.h daemon/kernel_load.c \
	daemon/kernel_load.h daemon/kernel_map.c daemon/kernel_map.h daemon/kernel_ranges.c \
	daemon/kernel_ranges.h daemon/kernel_symbols.c daemon/kernel_symbols.h \
	daemon/kernel_code.c daemon/kernel_code.h daemon/places.c daemon/places.h \
	daemon/node_hash.c daemon/node_hash.h daemon/perf_sample.c daemon/perf_state.c daemon/perf_switch.c \
	daemon/perf_state.h daemon/perf_state_internal.h daemon/proc_scan.c daemon/proc_scan.h \
	daemon/record_writer.c daemon/record_writer.h daemon/region.c daemon/region.h \
	daemon/space.c daemon/space.h daemon/task.c daemon/task.h daemon/vdso.c daemon/vdso.h
EXTRA_DIST += doc/kernel-symbols.md

bin_PROGRAMS += oprofiled
oprofiled_SOURCES = daemon/oprofiled.c
oprofiled_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a events/libevents.a lib/libbase.a $(POPT_LIBS)
dist_man_MANS += doc/man/oprofiled.1
# Run by optrace.
bin_PROGRAMS += oprof-tracer
oprof_tracer_SOURCES = daemon/oprof_tracer.c daemon/tracer_options.c daemon/tracer_options.h
oprof_tracer_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
oprof_tracer_LDADD = daemon/libdaemon.a ctf/libctf.a ring/libring.a unwind/libunwind.a libdb/libsdb.a events/libevents.a \
	lib/libbase.a $(POPT_LIBS)

if REPORTS
# Recordings of others, as a source and as sessions.
daemon_libdaemon_a_SOURCES += daemon/perf_file.c daemon/perf_file.h daemon/perf_file_stream.c \
	daemon/perf_file_stream.h daemon/perf_normal.c daemon/perf_normal.h \
	daemon/import_interrupt.c daemon/import_interrupt.h \
	daemon/import_machine.c daemon/import_machine.h daemon/import_source.c \
	daemon/import_source.h daemon/import_oprofile.c daemon/import_oprofile.h \
	daemon/import_trace.c daemon/import_trace.h \
	daemon/import_trace_fields.c daemon/import_trace_fields.h \
	daemon/import_temporary.c daemon/import_temporary.h \
	daemon/perf_file_write.c daemon/perf_file_write.h \
	daemon/oprofile_file.c
bin_PROGRAMS += opimport
opimport_SOURCES = daemon/opimport.c
opimport_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
opimport_LDADD = daemon/libdaemon.a ctf/libctf.a unwind/libunwind.a libdb/libsdb.a events/libevents.a \
	lib/libbase.a $(POPT_LIBS)
dist_man_MANS += doc/man/opimport.1

import_tests = tests/unit/test_import_oprofile tests/unit/test_import_trace tests/unit/test_perf_file
check_PROGRAMS += $(import_tests)
TESTS += $(import_tests)
import_test_libs = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a events/libevents.a \
	lib/libbase.a $(TEST_LIBS)
tests_unit_test_import_trace_SOURCES = tests/unit/test_import_trace.c tests/unit/make_packet.c \
	tests/unit/make_packet.h $(ctf_test_folder)
tests_unit_test_import_trace_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_import_trace_LDADD = daemon/libdaemon.a ctf/libctf.a $(import_test_libs)
tests_unit_test_import_oprofile_SOURCES = tests/unit/test_import_oprofile.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_import_oprofile_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_import_oprofile_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=read
tests_unit_test_import_oprofile_LDADD = $(import_test_libs)
tests_unit_test_perf_file_SOURCES = tests/unit/test_perf_file.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_perf_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_file_LDADD = $(import_test_libs)
endif

# Tests that replay raw perf records add these to their sources (tests/unit/replay.h).
perf_encode_files = tests/unit/perf_encode.c tests/unit/perf_encode.h
replay_files = tests/unit/replay.c tests/unit/replay_text.c tests/unit/replay.h \
	$(perf_encode_files)
EXTRA_DIST += $(replay_files)

if REPORTS
perf_source_tests = tests/unit/test_cpu_list tests/unit/test_perf_feed tests/unit/test_perf_open \
	tests/unit/test_perf_order tests/unit/test_perf_parse tests/unit/test_perf_ring \
	tests/unit/test_perf_source tests/unit/test_perf_source_switches tests/unit/test_perf_watch \
	tests/unit/test_perf_regs tests/unit/test_perf_source_stacks
tests_unit_test_perf_source_stacks_SOURCES = tests/unit/test_perf_source_stacks.c \
	tests/unit/fake_perf_state.c tests/unit/fake_perf_state.h
tests_unit_test_perf_source_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_source_stacks_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a \
	$(TEST_LIBS)
tests_unit_test_perf_regs_SOURCES = tests/unit/test_perf_regs.c
tests_unit_test_perf_regs_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_regs_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
check_PROGRAMS += $(perf_source_tests)
TESTS += $(perf_source_tests)
tests_unit_test_cpu_list_SOURCES = tests/unit/test_cpu_list.c
tests_unit_test_cpu_list_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_cpu_list_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_feed_SOURCES = tests/unit/test_perf_feed.c $(perf_encode_files)
tests_unit_test_perf_feed_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_feed_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_open_SOURCES = tests/unit/test_perf_open.c
tests_unit_test_perf_open_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_open_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_order_SOURCES = tests/unit/test_perf_order.c
tests_unit_test_perf_order_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_order_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_parse_SOURCES = tests/unit/test_perf_parse.c $(perf_encode_files)
tests_unit_test_perf_parse_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_parse_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_ring_SOURCES = tests/unit/test_perf_ring.c
tests_unit_test_perf_ring_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_ring_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_source_switches_SOURCES = tests/unit/test_perf_source_switches.c \
	tests/unit/fake_perf_state.c tests/unit/fake_perf_state.h
tests_unit_test_perf_source_switches_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_source_switches_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_source_SOURCES = tests/unit/test_perf_source.c \
	tests/unit/fake_perf_state.c tests/unit/fake_perf_state.h
tests_unit_test_perf_source_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_source_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_watch_SOURCES = tests/unit/test_perf_watch.c
tests_unit_test_perf_watch_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_watch_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
endif
EXTRA_DIST += tests/data/perf tests/data/streams/README tests/data/streams/exec-chains.txt \
	tests/data/streams/late-records.txt tests/data/streams/lost-chunks.txt \
	tests/data/streams/malformed.txt tests/data/streams/map-over-map.txt \
	tests/data/streams/modes.txt tests/data/streams/pid-reuse.txt \
	tests/data/streams/regions.txt tests/data/streams/reordered-rings.txt \
	tests/data/streams/threads.txt tests/data/streams/unknown-types.txt

if REPORTS
PERF_STATE_TESTS = tests/unit/test_cgroup_names tests/unit/test_off_cpu tests/unit/test_perf_switch \
	tests/unit/test_perf_state tests/unit/test_perf_scan tests/unit/test_space \
	tests/unit/test_image tests/unit/test_kernel_map tests/unit/test_perf_storm \
	tests/unit/test_task tests/unit/test_perf_sample tests/unit/test_image_alias \
	tests/unit/test_node_hash tests/unit/test_kernel_ranges tests/unit/test_perf_code \
	tests/unit/test_code_space
check_PROGRAMS += $(PERF_STATE_TESTS)
TESTS += $(PERF_STATE_TESTS)
PERF_STATE_LIBS = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_off_cpu_SOURCES = tests/unit/test_off_cpu.c
tests_unit_test_off_cpu_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_off_cpu_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_perf_switch_SOURCES = tests/unit/test_perf_switch.c $(perf_encode_files) \
	$(fake_proc_files)
tests_unit_test_perf_switch_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_switch_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_perf_state_SOURCES = tests/unit/test_perf_state.c $(replay_files)
tests_unit_test_perf_state_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_state_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_space_SOURCES = tests/unit/test_space.c
tests_unit_test_space_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_space_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_image_SOURCES = tests/unit/test_image.c
tests_unit_test_image_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_image_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_kernel_map_SOURCES = tests/unit/test_kernel_map.c $(fake_proc_files)
tests_unit_test_kernel_map_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kernel_map_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_perf_storm_SOURCES = tests/unit/test_perf_storm.c $(replay_files)
tests_unit_test_perf_storm_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_storm_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_task_SOURCES = tests/unit/test_task.c
tests_unit_test_task_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_task_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_perf_sample_SOURCES = tests/unit/test_perf_sample.c $(fake_proc_files)
tests_unit_test_perf_sample_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_sample_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_code_space_SOURCES = tests/unit/test_code_space.c $(fake_proc_files)
tests_unit_test_code_space_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_code_space_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_perf_code_SOURCES = tests/unit/test_perf_code.c tests/unit/jitdump_encode.h \
	$(fake_proc_files)
tests_unit_test_perf_code_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_code_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_image_alias_SOURCES = tests/unit/test_image_alias.c $(fake_proc_files)
tests_unit_test_image_alias_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_image_alias_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_cgroup_names_SOURCES = tests/unit/test_cgroup_names.c $(fake_proc_files)
tests_unit_test_cgroup_names_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_cgroup_names_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_node_hash_SOURCES = tests/unit/test_node_hash.c
tests_unit_test_node_hash_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_node_hash_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_kernel_ranges_SOURCES = tests/unit/test_kernel_ranges.c
tests_unit_test_kernel_ranges_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kernel_ranges_LDADD = $(PERF_STATE_LIBS)
fake_proc_files = tests/unit/fake_proc.c tests/unit/fake_proc.h
tests_unit_test_perf_scan_SOURCES = tests/unit/test_perf_scan.c $(fake_proc_files) $(replay_files)
tests_unit_test_perf_scan_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_scan_LDADD = $(PERF_STATE_LIBS)
endif

# Tests that make the kernel module's stream by hand add these to their sources.
kmod_encode_files = tests/unit/kmod_encode.c tests/unit/kmod_encode.h tests/unit/record_catcher.h
EXTRA_DIST += $(kmod_encode_files)

if REPORTS
KMOD_SOURCE_TESTS = tests/unit/test_kmod_link tests/unit/test_kmod_process tests/unit/test_kmod_source \
	tests/unit/test_kmod_state
check_PROGRAMS += $(KMOD_SOURCE_TESTS)
TESTS += $(KMOD_SOURCE_TESTS)
tests_unit_test_kmod_link_SOURCES = tests/unit/test_kmod_link.c $(kmod_encode_files) \
	$(fake_proc_files)
tests_unit_test_kmod_link_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kmod_link_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_kmod_source_SOURCES = tests/unit/test_kmod_source.c $(kmod_encode_files) \
	$(fake_proc_files)
tests_unit_test_kmod_source_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kmod_source_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_kmod_process_SOURCES = tests/unit/test_kmod_process.c $(fake_proc_files) \
	tests/unit/jitdump_encode.h
tests_unit_test_kmod_process_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kmod_process_LDADD = $(PERF_STATE_LIBS)
tests_unit_test_kmod_state_SOURCES = tests/unit/test_kmod_state.c $(kmod_encode_files) \
	$(fake_proc_files)
tests_unit_test_kmod_state_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kmod_state_LDADD = $(PERF_STATE_LIBS)
endif

if REPORTS
# Tests of what stands above the source: a source filled by hand, a folder of their own.
check_LIBRARIES += tests/unit/libdaemontest.a
tests_unit_libdaemontest_a_SOURCES = tests/unit/fake_source.c tests/unit/fake_source.h \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_libdaemontest_a_CFLAGS = $(TEST_CFLAGS)
DAEMON_TESTS = tests/unit/test_perf_weeks tests/unit/test_separation tests/unit/test_stats tests/unit/test_cgroup_table \
	tests/unit/test_daemon_session_info tests/unit/test_session \
	tests/unit/test_placement tests/unit/test_image_keep \
	tests/unit/test_sample_cache tests/unit/test_attribution \
	tests/unit/test_control_message tests/unit/test_control_server \
	tests/unit/test_options tests/unit/test_profiler tests/unit/test_sync_job \
	tests/unit/test_history tests/unit/test_history_budget tests/unit/test_history_kill \
	tests/unit/test_history_levels tests/unit/test_history_soak tests/unit/test_stretch \
	tests/unit/test_source_choice \
	tests/unit/test_ready tests/unit/test_name_table tests/unit/test_code_keys \
	tests/unit/test_code_map tests/unit/test_perf_map tests/unit/test_jitdump \
	tests/unit/test_recent tests/unit/test_recent_slice tests/unit/test_image_code \
	tests/unit/test_perf_unwind tests/unit/test_table_folder \
	tests/unit/test_kernel_functions tests/unit/test_stack_keep tests/unit/test_stack_memo \
	tests/unit/test_history_stacks
check_PROGRAMS += $(DAEMON_TESTS)
TESTS += $(DAEMON_TESTS)
DAEMON_TEST_LIBS = tests/unit/libdaemontest.a daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a \
	events/libevents.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_weeks_SOURCES = tests/unit/test_perf_weeks.c $(perf_encode_files)
tests_unit_test_perf_weeks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_weeks_LDADD = $(DAEMON_TEST_LIBS)
stack_sum_files = tests/unit/stack_sum.c tests/unit/stack_sum.h
fake_history_files = tests/unit/fake_history.c tests/unit/fake_history.h $(stack_sum_files)
tests_unit_test_history_stacks_SOURCES = tests/unit/test_history_stacks.c $(fake_history_files)
tests_unit_test_history_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_stacks_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_kernel_functions_SOURCES = tests/unit/test_kernel_functions.c
tests_unit_test_kernel_functions_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kernel_functions_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_stack_keep_SOURCES = tests/unit/test_stack_keep.c $(stack_sum_files)
tests_unit_test_stack_keep_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_keep_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_stack_memo_SOURCES = tests/unit/test_stack_memo.c
tests_unit_test_stack_memo_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stack_memo_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_history_SOURCES = tests/unit/test_history.c $(fake_history_files)
tests_unit_test_history_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/test_history_disk
TESTS += tests/unit/test_history_disk
tests_unit_test_history_disk_SOURCES = tests/unit/test_history_disk.c $(fake_history_files) \
	tests/unit/session_sum.c tests/unit/session_sum.h
tests_unit_test_history_disk_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_disk_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/test_history_disk_stacks
TESTS += tests/unit/test_history_disk_stacks
tests_unit_test_history_disk_stacks_SOURCES = $(tests_unit_test_history_disk_SOURCES)
tests_unit_test_history_disk_stacks_CFLAGS = $(TEST_CFLAGS) -DFAKE_CHAIN_DEPTH=16
tests_unit_test_history_disk_stacks_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_history_budget_SOURCES = tests/unit/test_history_budget.c $(fake_history_files)
tests_unit_test_history_budget_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_budget_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_history_kill_SOURCES = tests/unit/test_history_kill.c $(fake_history_files)
# Of samples with call chains: what samples without do, and more.
tests_unit_test_history_kill_CFLAGS = $(TEST_CFLAGS) -DFAKE_CHAIN_DEPTH=16
tests_unit_test_history_kill_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_history_soak_SOURCES = tests/unit/test_history_soak.c $(fake_history_files)
tests_unit_test_history_soak_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_soak_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_history_levels_SOURCES = tests/unit/test_history_levels.c
tests_unit_test_history_levels_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_levels_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_stretch_SOURCES = tests/unit/test_stretch.c
tests_unit_test_stretch_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stretch_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_source_choice_SOURCES = tests/unit/test_source_choice.c
tests_unit_test_source_choice_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_source_choice_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_separation_SOURCES = tests/unit/test_separation.c
tests_unit_test_separation_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_separation_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_stats_SOURCES = tests/unit/test_stats.c
tests_unit_test_stats_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stats_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_cgroup_table_SOURCES = tests/unit/test_cgroup_table.c
tests_unit_test_cgroup_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_cgroup_table_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_code_map_SOURCES = tests/unit/test_code_map.c
tests_unit_test_code_map_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_code_map_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_perf_map_SOURCES = tests/unit/test_perf_map.c
tests_unit_test_perf_map_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_map_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_jitdump_SOURCES = tests/unit/test_jitdump.c tests/unit/jitdump_encode.h
tests_unit_test_jitdump_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_jitdump_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_name_table_SOURCES = tests/unit/test_name_table.c
tests_unit_test_name_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_name_table_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_code_keys_SOURCES = tests/unit/test_code_keys.c
tests_unit_test_code_keys_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_code_keys_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_daemon_session_info_SOURCES = tests/unit/test_daemon_session_info.c
tests_unit_test_daemon_session_info_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_daemon_session_info_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_session_SOURCES = tests/unit/test_session.c
tests_unit_test_session_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_session_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_placement_SOURCES = tests/unit/test_placement.c
tests_unit_test_placement_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_placement_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_image_keep_SOURCES = tests/unit/test_image_keep.c
tests_unit_test_image_keep_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_image_keep_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_sample_cache_SOURCES = tests/unit/test_sample_cache.c
tests_unit_test_sample_cache_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sample_cache_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_attribution_SOURCES = tests/unit/test_attribution.c
tests_unit_test_attribution_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_attribution_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_control_message_SOURCES = tests/unit/test_control_message.c
tests_unit_test_control_message_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_control_message_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_control_server_SOURCES = tests/unit/test_control_server.c
tests_unit_test_control_server_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_control_server_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_options_SOURCES = tests/unit/test_options.c
tests_unit_test_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_options_LDADD = $(DAEMON_TEST_LIBS) $(POPT_LIBS)
tests_unit_test_profiler_SOURCES = tests/unit/test_profiler.c
tests_unit_test_profiler_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_profiler_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_sync_job_SOURCES = tests/unit/test_sync_job.c
tests_unit_test_sync_job_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_sync_job_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_image_code_SOURCES = tests/unit/test_image_code.c
tests_unit_test_image_code_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_image_code_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_perf_unwind_SOURCES = tests/unit/test_perf_unwind.c tests/unit/record_catcher.h
tests_unit_test_perf_unwind_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_unwind_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_table_folder_SOURCES = tests/unit/test_table_folder.c
tests_unit_test_table_folder_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_table_folder_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_recent_slice_SOURCES = tests/unit/test_recent_slice.c
tests_unit_test_recent_slice_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_recent_slice_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_recent_SOURCES = tests/unit/test_recent.c
tests_unit_test_recent_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_recent_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_ready_SOURCES = tests/unit/test_ready.c
tests_unit_test_ready_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ready_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/test_profiler_fault
TESTS += tests/unit/test_profiler_fault
tests_unit_test_profiler_fault_SOURCES = tests/unit/test_profiler_fault.c tests/unit/failing_calls.c \
	tests/unit/failing_calls.h tests/unit/session_sum.c tests/unit/session_sum.h
tests_unit_test_profiler_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_profiler_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup \
	-Wl,--wrap=strndup,--wrap=mmap,--wrap=mremap,--wrap=ftruncate,--wrap=fallocate \
	-Wl,--wrap=posix_fallocate,--wrap=fsync,--wrap=fdatasync,--wrap=syncfs,--wrap=rename \
	-Wl,--wrap=renameat,--wrap=mkdir,--wrap=write,--wrap=pwrite,--wrap=open,--wrap=openat
tests_unit_test_profiler_fault_LDADD = $(DAEMON_TEST_LIBS)
endif

if REPORTS
TRACE_TESTS = tests/unit/test_trace_channel tests/unit/test_trace_choice tests/unit/test_trace_chunks \
	tests/unit/test_trace_describe tests/unit/test_trace_layout tests/unit/test_trace_record \
	tests/unit/test_trace_state tests/unit/test_trace_tasks tests/unit/test_trace_mappings \
	tests/unit/test_ktrace_events \
	tests/unit/test_trace_syscalls tests/unit/test_trace_trigger tests/unit/test_trace_perf \
	tests/unit/test_trace_clock tests/unit/test_trace_session tests/unit/test_trace_watch \
	tests/unit/test_tracer_serve
check_PROGRAMS += $(TRACE_TESTS)
TESTS += $(TRACE_TESTS)
TRACE_TEST_LIBS = daemon/libdaemon.a ctf/libctf.a ring/libring.a $(DAEMON_TEST_LIBS)
tests_unit_test_trace_channel_SOURCES = tests/unit/test_trace_channel.c
tests_unit_test_trace_channel_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_channel_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_chunks_SOURCES = tests/unit/test_trace_chunks.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_test_trace_chunks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_chunks_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_layout_SOURCES = tests/unit/test_trace_layout.c tests/unit/make_packet.c \
	tests/unit/make_packet.h tests/unit/test_folder.h
tests_unit_test_trace_layout_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_layout_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_ktrace_events_SOURCES = tests/unit/test_ktrace_events.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_ktrace_events_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ktrace_events_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_choice_SOURCES = tests/unit/test_trace_choice.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_choice_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_choice_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_trigger_SOURCES = tests/unit/test_trace_trigger.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_trigger_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_trigger_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_watch_SOURCES = tests/unit/test_trace_watch.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_watch_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_watch_LDADD = $(TRACE_TEST_LIBS)
# Its status as optrace shows it.
tests_unit_test_tracer_serve_SOURCES = tests/unit/test_tracer_serve.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_tracer_serve_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_tracer_serve_LDADD = control/libcontrol.a $(TRACE_TEST_LIBS)
tests_unit_test_trace_clock_SOURCES = tests/unit/test_trace_clock.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_clock_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_clock_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_session_SOURCES = tests/unit/test_trace_session.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_session_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_session_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_perf_SOURCES = tests/unit/test_trace_perf.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_perf_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_perf_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_describe_SOURCES = tests/unit/test_trace_describe.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_describe_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_describe_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_record_SOURCES = tests/unit/test_trace_record.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_record_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_record_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_state_SOURCES = tests/unit/test_trace_state.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_state_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_state_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_mappings_SOURCES = tests/unit/test_trace_mappings.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_mappings_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_mappings_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_tasks_SOURCES = tests/unit/test_trace_tasks.c
tests_unit_test_trace_tasks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_tasks_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_syscalls_SOURCES = tests/unit/test_trace_syscalls.c \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_trace_syscalls_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_syscalls_LDADD = $(TRACE_TEST_LIBS)

SERVICE_TESTS = tests/unit/test_cost tests/unit/test_cpu_budget tests/unit/test_metrics tests/unit/test_notify \
	tests/unit/test_privileges tests/unit/test_prompt_mount tests/unit/test_service
check_PROGRAMS += $(SERVICE_TESTS)
TESTS += $(SERVICE_TESTS)
tests_unit_test_cost_SOURCES = tests/unit/test_cost.c
tests_unit_test_cost_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_cost_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_cpu_budget_SOURCES = tests/unit/test_cpu_budget.c
tests_unit_test_cpu_budget_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_cpu_budget_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_metrics_SOURCES = tests/unit/test_metrics.c
tests_unit_test_metrics_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_metrics_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_notify_SOURCES = tests/unit/test_notify.c
tests_unit_test_notify_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_notify_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_prompt_mount_SOURCES = tests/unit/test_prompt_mount.c
tests_unit_test_prompt_mount_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_prompt_mount_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_privileges_SOURCES = tests/unit/test_privileges.c
tests_unit_test_privileges_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_privileges_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_test_service_SOURCES = tests/unit/test_service.c
tests_unit_test_service_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_service_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/test_history_kills
TESTS += tests/unit/test_history_kills
tests_unit_test_history_kills_SOURCES = tests/unit/test_history_kills.c \
	tests/unit/session_sum.c tests/unit/session_sum.h $(stack_sum_files)
tests_unit_test_history_kills_CFLAGS = $(TEST_CFLAGS)
# Before the library without fault points, whose objects it stands for.
tests_unit_test_history_kills_LDADD = tests/unit/libdaemontest.a daemon/libdaemon.a unwind/libunwind.a \
	libdb/libsdb_faults.a events/libevents.a lib/libbase.a $(TEST_LIBS)
check_PROGRAMS += tests/unit/test_heap
TESTS += tests/unit/test_heap
tests_unit_test_heap_SOURCES = tests/unit/test_heap.c
tests_unit_test_heap_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_heap_LDADD = $(DAEMON_TEST_LIBS)
endif
