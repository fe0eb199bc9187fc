# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += daemon/libdaemon.a
noinst_HEADERS += daemon/source.h
daemon_libdaemon_a_SOURCES =

# The perf source: rings, decoding, order.
daemon_libdaemon_a_SOURCES += daemon/perf/perf_item.h daemon/perf/perf_parse.c daemon/perf/perf_parse.h \
	daemon/perf/perf_order.c daemon/perf/perf_order.h daemon/perf/perf_feed.c daemon/perf/perf_feed.h \
	daemon/perf/perf_ring.c daemon/perf/perf_ring.h daemon/perf_source/perf_open.c daemon/perf_source/perf_open.h \
	daemon/perf_source/perf_cpu.c daemon/perf_source/perf_cpu.h daemon/system/perf_watch.c daemon/system/perf_watch.h \
	daemon/system/cpu_list.c daemon/system/cpu_list.h daemon/system/cpu_watch.c daemon/system/cpu_watch.h \
	daemon/system/thread_list.c daemon/system/thread_list.h daemon/perf_source/perf_source.c daemon/perf_source/perf_source.h \
	daemon/perf_source/perf_source_internal.h daemon/perf_source/perf_source_tell.c \
	daemon/perf/perf_regs.c daemon/perf/perf_regs.h daemon/perf_source/perf_unwind.c

# The kernel module as a source.
daemon_libdaemon_a_SOURCES += daemon/module_source/kmod_buffer.c daemon/module_source/kmod_buffer.h daemon/module_source/kmod_control.c \
	daemon/module_source/kmod_control.h daemon/module_source/kmod_images.c daemon/module_source/kmod_images.h daemon/module_source/kmod_process.c \
	daemon/module_source/kmod_process.h daemon/module_source/kmod_sample.c daemon/module_source/kmod_setup.c daemon/module_source/kmod_setup.h \
	daemon/module_source/kmod_source.c daemon/module_source/kmod_source.h daemon/module_source/kmod_state.c daemon/module_source/kmod_state.h \
	daemon/module_source/kmod_state_internal.h daemon/module_source/kmod_stats.c daemon/module_source/kmod_stats.h \
	daemon/module_source/kmod_switches.c daemon/module_source/kmod_switches.h daemon/profiler/source_choice.c \
	daemon/profiler/source_choice.h

# The daemon above its source: from records to sample files, and who commands it.
daemon_libdaemon_a_SOURCES += daemon/filing/attribution.c daemon/filing/attribution.h daemon/session/cgroup_table.c \
	daemon/filing/code_keys.c daemon/filing/code_keys.h daemon/session/name_table.c daemon/session/name_table.h \
	daemon/session/cgroup_table.h daemon/command/control_message.c daemon/command/control_message.h \
	daemon/command/control_server.c daemon/command/control_server.h daemon/filing/off_cpu.c daemon/filing/off_cpu.h \
	daemon/service/options.c daemon/service/options.h \
	daemon/filing/placement.c daemon/filing/placement.h daemon/profiler/profiler.c daemon/profiler/profiler.h daemon/command/ready.c \
	daemon/command/ready.h daemon/filing/recent.c daemon/filing/recent.h \
	daemon/filing/recent_keys.c daemon/filing/recent_keys.h \
	daemon/filing/recent_slice.c daemon/filing/recent_slice.h \
	daemon/filing/recount.c daemon/filing/recount.h daemon/filing/sample_cache.c daemon/filing/sample_cache.h \
	daemon/filing/sample_cache_room.c daemon/session/sample_key.h \
	daemon/session/separation.c daemon/session/separation.h daemon/profiler/unwind_choice.c daemon/profiler/unwind_choice.h \
	daemon/session/session.c daemon/session/session.h \
	daemon/filing/sample_tree.c daemon/filing/sample_tree.h daemon/history/history.c daemon/history/history.h \
	daemon/system/heap.c daemon/system/heap.h \
	daemon/history/history_budget.c daemon/history/history_internal.h daemon/history/history_job.c \
	daemon/history/history_job.h daemon/history/history_levels.c daemon/history/history_levels.h \
	daemon/history/history_work.c daemon/history/leftover.c daemon/history/leftover.h daemon/history/live_slice.c \
	daemon/history/live_slice.h daemon/history/stretch.c daemon/history/stretch.h \
	daemon/session/session_info.c daemon/session/session_info.h daemon/session/stats.c daemon/session/stats.h \
	daemon/profiler/sync_job.c daemon/profiler/sync_job.h

# Tracing.
daemon_libdaemon_a_SOURCES += daemon/tracer/ktrace.c daemon/tracer/ktrace.h daemon/tracer/ktrace_events.c \
	daemon/tracer/ktrace_events.h daemon/tracer/trace_kmod.c daemon/tracer/trace_kmod.h
daemon_libdaemon_a_SOURCES += daemon/trace/trace_channel.c daemon/trace/trace_channel.h daemon/trace/trace_layout.c \
	daemon/trace/trace_layout.h daemon/tracer/trace_perf.c daemon/tracer/trace_perf.h daemon/trace/trace_syscalls.c \
	daemon/trace/trace_syscalls.h daemon/trace/trace_state.c daemon/trace/trace_state.h daemon/trace/trace_choice.c \
	daemon/trace/trace_choice.h daemon/trace/trace_chunks.c daemon/trace/trace_chunks.h \
	daemon/trace/trace_describe.c daemon/trace/trace_describe.h daemon/tracer/trace_job.c daemon/tracer/trace_job.h \
	daemon/trace/trace_clock.c daemon/trace/trace_clock.h \
	daemon/tracer/trace_mappings.c daemon/tracer/trace_mappings.h daemon/trace/trace_tasks.c daemon/trace/trace_tasks.h \
	daemon/trace/trace_memory.c daemon/trace/trace_memory.h \
	daemon/tracer/trace_perf_internal.h daemon/tracer/trace_perf_open.c daemon/trace/trace_place.c daemon/trace/trace_place.h \
	daemon/trace/trace_record.c daemon/trace/trace_record.h daemon/trace/trace_sample.c daemon/trace/trace_sample.h \
	daemon/tracer/trace_session.c daemon/tracer/trace_session.h daemon/trace/trace_trigger.c daemon/trace/trace_trigger.h \
	daemon/tracer/trace_watch.c daemon/tracer/trace_watch.h daemon/tracer/trace_watch_internal.h \
	daemon/trace/trace_trigger_parse.c daemon/trace/trace_trigger_parse.h daemon/tracer/tracer_serve.c daemon/tracer/tracer_serve.h \
	daemon/tracer/tracer.c daemon/tracer/tracer.h daemon/tracer/tracer_perf.c daemon/tracer/tracer_perf.h \
	daemon/tracer/tracer_perf_choose.c daemon/tracer/tracer_perf_internal.h daemon/trace/syscall_names.h
# Names of system calls, of the headers that it is built with.
nodist_daemon_libdaemon_a_SOURCES = daemon/trace/syscall_names.c
CLEANFILES += daemon/trace/syscall_names.c
daemon/trace/syscall_names.c: daemon/trace/syscall_names.awk
	$(AM_V_GEN)$(MKDIR_P) daemon/trace && echo '#include <asm/unistd.h>' | $(CPP) $(CPPFLAGS) -dM - | \
		$(AWK) -f $(srcdir)/daemon/trace/syscall_names.awk >$@.tmp && mv $@.tmp $@
EXTRA_DIST += daemon/trace/syscall_names.awk

# Call stacks of samples.
daemon_libdaemon_a_SOURCES += daemon/kernel/kernel_functions.c daemon/kernel/kernel_functions.h \
	daemon/filing/stack_keep.c daemon/filing/stack_keep.h daemon/filing/stack_memo.c daemon/filing/stack_memo.h

# The daemon as a service of its machine.
daemon_libdaemon_a_SOURCES += daemon/service/cost.c daemon/service/cost.h daemon/service/cpu_budget.c \
	daemon/service/cpu_budget.h daemon/service/metrics.c daemon/service/metrics.h \
	daemon/system/notify.c daemon/system/notify.h daemon/system/privileges.c daemon/system/privileges.h \
	daemon/system/prompt_mount.c daemon/system/prompt_mount.h \
	daemon/service/service.c daemon/service/service.h

# The perf source: what the records mean. Address spaces, images, kernel code.
daemon_libdaemon_a_SOURCES += daemon/jit/code_file.c daemon/jit/code_file.h daemon/jit/code_map.c \
	daemon/jit/code_map.h daemon/jit/code_pool.c daemon/jit/code_pool.h daemon/jit/code_space.c \
	daemon/jit/code_space.h daemon/jit/jitdump.c daemon/jit/jitdump.h daemon/jit/perf_map.c daemon/jit/perf_map.h
daemon_libdaemon_a_SOURCES += daemon/system/cgroup_names.c daemon/system/cgroup_names.h daemon/image/image.c \
	daemon/image/image.h daemon/image/image_code.c daemon/image/image_code.h daemon/image/image_open.c \
	daemon/image/image_open.h daemon/image/table_folder.c daemon/image/table_folder.h daemon/image/image_keep.c daemon/image/image_keep.h daemon/image/image_keeper.c \
	daemon/image/image_keeper.h daemon/image/image_alias.c daemon/image/image_alias.h daemon/kernel/kallsyms.c \
	daemon/kernel/kallsyms.h daemon/kernel/kernel_idle.c daemon/kernel/kernel_idle.h daemon/kernel/kernel_load.c \
	daemon/kernel/kernel_load.h daemon/kernel/kernel_map.c daemon/kernel/kernel_map.h daemon/kernel/kernel_ranges.c \
	daemon/kernel/kernel_ranges.h daemon/kernel/kernel_symbols.c daemon/kernel/kernel_symbols.h \
	daemon/kernel/kernel_code.c daemon/kernel/kernel_code.h daemon/places/places.c daemon/places/places.h \
	daemon/system/node_hash.c daemon/system/node_hash.h daemon/perf_source/perf_sample.c daemon/perf_source/perf_state.c daemon/perf_source/perf_switch.c \
	daemon/perf_source/perf_state.h daemon/perf_source/perf_state_internal.h daemon/places/proc_scan.c daemon/places/proc_scan.h \
	daemon/image/record_writer.c daemon/image/record_writer.h daemon/image/region.c daemon/image/region.h \
	daemon/image/space.c daemon/image/space.h daemon/places/task.c daemon/places/task.h daemon/image/vdso.c daemon/image/vdso.h
EXTRA_DIST += doc/kernel-symbols.md

bin_PROGRAMS += oprofiled
oprofiled_SOURCES = daemon/oprofiled.c
oprofiled_LDADD = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a events/libevents.a lib/libbase.a $(POPT_LIBS)
dist_man_MANS += doc/man/oprofiled.1
# Run by optrace.
bin_PROGRAMS += oprof-tracer
oprof_tracer_SOURCES = daemon/oprof_tracer.c daemon/tracer/tracer_options.c daemon/tracer/tracer_options.h
oprof_tracer_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
oprof_tracer_LDADD = daemon/libdaemon.a ctf/libctf.a ring/libring.a unwind/libunwind.a libdb/libsdb.a events/libevents.a \
	lib/libbase.a $(POPT_LIBS)

if REPORTS
# Recordings of others, as a source and as sessions.
daemon_libdaemon_a_SOURCES += daemon/import/perf_file.c daemon/import/perf_file.h daemon/import/perf_file_stream.c \
	daemon/import/perf_file_stream.h daemon/import/perf_normal.c daemon/import/perf_normal.h \
	daemon/import/import_interrupt.c daemon/import/import_interrupt.h \
	daemon/import/import_machine.c daemon/import/import_machine.h daemon/import/import_source.c \
	daemon/import/import_source.h daemon/import/import_oprofile.c daemon/import/import_oprofile.h \
	daemon/import/import_trace.c daemon/import/import_trace.h \
	daemon/import/import_trace_fields.c daemon/import/import_trace_fields.h \
	daemon/import/import_temporary.c daemon/import/import_temporary.h \
	daemon/import/perf_file_write.c daemon/import/perf_file_write.h \
	daemon/import/oprofile_file.c
bin_PROGRAMS += opimport
opimport_SOURCES = daemon/opimport.c
opimport_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
opimport_LDADD = daemon/libdaemon.a ctf/libctf.a unwind/libunwind.a libdb/libsdb.a events/libevents.a \
	lib/libbase.a $(POPT_LIBS)
dist_man_MANS += doc/man/opimport.1

import_tests = tests/unit/daemon/import/test_import_oprofile tests/unit/daemon/import/test_import_trace tests/unit/daemon/import/test_perf_file
check_PROGRAMS += $(import_tests)
TESTS += $(import_tests)
import_test_libs = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a events/libevents.a \
	lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_import_test_import_trace_SOURCES = tests/unit/daemon/import/test_import_trace.c tests/fixture/make_packet.c \
	tests/fixture/make_packet.h $(ctf_test_folder)
tests_unit_daemon_import_test_import_trace_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_import_test_import_trace_LDADD = daemon/libdaemon.a ctf/libctf.a $(import_test_libs)
tests_unit_daemon_import_test_import_oprofile_SOURCES = tests/unit/daemon/import/test_import_oprofile.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_import_test_import_oprofile_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_import_test_import_oprofile_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=read
tests_unit_daemon_import_test_import_oprofile_LDADD = $(import_test_libs)
tests_unit_daemon_import_test_perf_file_SOURCES = tests/unit/daemon/import/test_perf_file.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_import_test_perf_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_import_test_perf_file_LDADD = $(import_test_libs)
endif

# Tests that replay raw perf records add these to their sources (tests/fixture/replay.h).
perf_encode_files = tests/fixture/perf_encode.c tests/fixture/perf_encode.h
replay_files = tests/fixture/replay.c tests/fixture/replay_text.c tests/fixture/replay.h \
	$(perf_encode_files)
EXTRA_DIST += $(replay_files)

if REPORTS
perf_source_tests = tests/unit/daemon/system/test_cpu_list tests/unit/daemon/perf/test_perf_feed tests/unit/daemon/perf_source/test_perf_open \
	tests/unit/daemon/perf/test_perf_order tests/unit/daemon/perf/test_perf_parse tests/unit/daemon/perf/test_perf_ring \
	tests/unit/daemon/perf_source/test_perf_source tests/unit/daemon/perf_source/test_perf_source_switches tests/unit/daemon/system/test_perf_watch \
	tests/unit/daemon/perf/test_perf_regs tests/unit/daemon/perf_source/test_perf_source_stacks
tests_unit_daemon_perf_source_test_perf_source_stacks_SOURCES = tests/unit/daemon/perf_source/test_perf_source_stacks.c \
	tests/fixture/fake_perf_state.c tests/fixture/fake_perf_state.h
tests_unit_daemon_perf_source_test_perf_source_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_source_stacks_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a \
	$(TEST_LIBS)
tests_unit_daemon_perf_test_perf_regs_SOURCES = tests/unit/daemon/perf/test_perf_regs.c
tests_unit_daemon_perf_test_perf_regs_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_test_perf_regs_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
check_PROGRAMS += $(perf_source_tests)
TESTS += $(perf_source_tests)
tests_unit_daemon_system_test_cpu_list_SOURCES = tests/unit/daemon/system/test_cpu_list.c
tests_unit_daemon_system_test_cpu_list_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_cpu_list_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_test_perf_feed_SOURCES = tests/unit/daemon/perf/test_perf_feed.c $(perf_encode_files)
tests_unit_daemon_perf_test_perf_feed_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_test_perf_feed_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_source_test_perf_open_SOURCES = tests/unit/daemon/perf_source/test_perf_open.c
tests_unit_daemon_perf_source_test_perf_open_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_open_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_test_perf_order_SOURCES = tests/unit/daemon/perf/test_perf_order.c
tests_unit_daemon_perf_test_perf_order_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_test_perf_order_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_test_perf_parse_SOURCES = tests/unit/daemon/perf/test_perf_parse.c $(perf_encode_files)
tests_unit_daemon_perf_test_perf_parse_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_test_perf_parse_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_test_perf_ring_SOURCES = tests/unit/daemon/perf/test_perf_ring.c
tests_unit_daemon_perf_test_perf_ring_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_test_perf_ring_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_source_test_perf_source_switches_SOURCES = tests/unit/daemon/perf_source/test_perf_source_switches.c \
	tests/fixture/fake_perf_state.c tests/fixture/fake_perf_state.h
tests_unit_daemon_perf_source_test_perf_source_switches_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_source_switches_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_source_test_perf_source_SOURCES = tests/unit/daemon/perf_source/test_perf_source.c \
	tests/fixture/fake_perf_state.c tests/fixture/fake_perf_state.h
tests_unit_daemon_perf_source_test_perf_source_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_source_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_system_test_perf_watch_SOURCES = tests/unit/daemon/system/test_perf_watch.c
tests_unit_daemon_system_test_perf_watch_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_perf_watch_LDADD = daemon/libdaemon.a unwind/libunwind.a lib/libbase.a $(TEST_LIBS)
endif
EXTRA_DIST += tests/data/perf tests/data/streams/README tests/data/streams/exec-chains.txt \
	tests/data/streams/late-records.txt tests/data/streams/lost-chunks.txt \
	tests/data/streams/malformed.txt tests/data/streams/map-over-map.txt \
	tests/data/streams/modes.txt tests/data/streams/pid-reuse.txt \
	tests/data/streams/regions.txt tests/data/streams/reordered-rings.txt \
	tests/data/streams/threads.txt tests/data/streams/unknown-types.txt

if REPORTS
PERF_STATE_TESTS = tests/unit/daemon/system/test_cgroup_names tests/unit/daemon/filing/test_off_cpu tests/unit/daemon/perf_source/test_perf_switch \
	tests/unit/daemon/perf_source/test_perf_state tests/unit/daemon/perf_source/test_perf_scan tests/unit/daemon/image/test_space \
	tests/unit/daemon/image/test_image tests/unit/daemon/kernel/test_kernel_map tests/unit/daemon/perf_source/test_perf_storm \
	tests/unit/daemon/places/test_task tests/unit/daemon/perf_source/test_perf_sample tests/unit/daemon/image/test_image_alias \
	tests/unit/daemon/system/test_node_hash tests/unit/daemon/kernel/test_kernel_ranges tests/unit/daemon/perf_source/test_perf_code \
	tests/unit/daemon/jit/test_code_space
check_PROGRAMS += $(PERF_STATE_TESTS)
TESTS += $(PERF_STATE_TESTS)
PERF_STATE_LIBS = daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_filing_test_off_cpu_SOURCES = tests/unit/daemon/filing/test_off_cpu.c
tests_unit_daemon_filing_test_off_cpu_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_off_cpu_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_perf_source_test_perf_switch_SOURCES = tests/unit/daemon/perf_source/test_perf_switch.c $(perf_encode_files) \
	$(fake_proc_files)
tests_unit_daemon_perf_source_test_perf_switch_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_switch_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_perf_source_test_perf_state_SOURCES = tests/unit/daemon/perf_source/test_perf_state.c $(replay_files)
tests_unit_daemon_perf_source_test_perf_state_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_state_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_image_test_space_SOURCES = tests/unit/daemon/image/test_space.c
tests_unit_daemon_image_test_space_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_image_test_space_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_image_test_image_SOURCES = tests/unit/daemon/image/test_image.c
tests_unit_daemon_image_test_image_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_image_test_image_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_kernel_test_kernel_map_SOURCES = tests/unit/daemon/kernel/test_kernel_map.c $(fake_proc_files)
tests_unit_daemon_kernel_test_kernel_map_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_kernel_test_kernel_map_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_perf_source_test_perf_storm_SOURCES = tests/unit/daemon/perf_source/test_perf_storm.c $(replay_files)
tests_unit_daemon_perf_source_test_perf_storm_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_storm_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_places_test_task_SOURCES = tests/unit/daemon/places/test_task.c
tests_unit_daemon_places_test_task_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_places_test_task_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_perf_source_test_perf_sample_SOURCES = tests/unit/daemon/perf_source/test_perf_sample.c $(fake_proc_files)
tests_unit_daemon_perf_source_test_perf_sample_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_sample_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_jit_test_code_space_SOURCES = tests/unit/daemon/jit/test_code_space.c $(fake_proc_files)
tests_unit_daemon_jit_test_code_space_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_jit_test_code_space_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_perf_source_test_perf_code_SOURCES = tests/unit/daemon/perf_source/test_perf_code.c tests/fixture/jitdump_encode.h \
	$(fake_proc_files)
tests_unit_daemon_perf_source_test_perf_code_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_code_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_image_test_image_alias_SOURCES = tests/unit/daemon/image/test_image_alias.c $(fake_proc_files)
tests_unit_daemon_image_test_image_alias_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_image_test_image_alias_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_system_test_cgroup_names_SOURCES = tests/unit/daemon/system/test_cgroup_names.c $(fake_proc_files)
tests_unit_daemon_system_test_cgroup_names_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_cgroup_names_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_system_test_node_hash_SOURCES = tests/unit/daemon/system/test_node_hash.c
tests_unit_daemon_system_test_node_hash_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_node_hash_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_kernel_test_kernel_ranges_SOURCES = tests/unit/daemon/kernel/test_kernel_ranges.c
tests_unit_daemon_kernel_test_kernel_ranges_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_kernel_test_kernel_ranges_LDADD = $(PERF_STATE_LIBS)
fake_proc_files = tests/fixture/fake_proc.c tests/fixture/fake_proc.h
tests_unit_daemon_perf_source_test_perf_scan_SOURCES = tests/unit/daemon/perf_source/test_perf_scan.c $(fake_proc_files) $(replay_files)
tests_unit_daemon_perf_source_test_perf_scan_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_scan_LDADD = $(PERF_STATE_LIBS)
endif

# Tests that make the kernel module's stream by hand add these to their sources.
kmod_encode_files = tests/fixture/kmod_encode.c tests/fixture/kmod_encode.h tests/fixture/record_catcher.h
EXTRA_DIST += $(kmod_encode_files)

if REPORTS
KMOD_SOURCE_TESTS = tests/unit/daemon/module_source/test_kmod_link tests/unit/daemon/module_source/test_kmod_process tests/unit/daemon/module_source/test_kmod_source \
	tests/unit/daemon/module_source/test_kmod_state
check_PROGRAMS += $(KMOD_SOURCE_TESTS)
TESTS += $(KMOD_SOURCE_TESTS)
tests_unit_daemon_module_source_test_kmod_link_SOURCES = tests/unit/daemon/module_source/test_kmod_link.c $(kmod_encode_files) \
	$(fake_proc_files)
tests_unit_daemon_module_source_test_kmod_link_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_module_source_test_kmod_link_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_module_source_test_kmod_source_SOURCES = tests/unit/daemon/module_source/test_kmod_source.c $(kmod_encode_files) \
	$(fake_proc_files)
tests_unit_daemon_module_source_test_kmod_source_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_module_source_test_kmod_source_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_module_source_test_kmod_process_SOURCES = tests/unit/daemon/module_source/test_kmod_process.c $(fake_proc_files) \
	tests/fixture/jitdump_encode.h
tests_unit_daemon_module_source_test_kmod_process_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_module_source_test_kmod_process_LDADD = $(PERF_STATE_LIBS)
tests_unit_daemon_module_source_test_kmod_state_SOURCES = tests/unit/daemon/module_source/test_kmod_state.c $(kmod_encode_files) \
	$(fake_proc_files)
tests_unit_daemon_module_source_test_kmod_state_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_module_source_test_kmod_state_LDADD = $(PERF_STATE_LIBS)
endif

if REPORTS
# Tests of what stands above the source: a source filled by hand, a folder of their own.
check_LIBRARIES += tests/unit/libdaemontest.a
tests_unit_libdaemontest_a_SOURCES = tests/fixture/fake_source.c tests/fixture/fake_source.h \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_libdaemontest_a_CFLAGS = $(TEST_CFLAGS)
DAEMON_TESTS = tests/unit/daemon/perf_source/test_perf_weeks tests/unit/daemon/session/test_separation tests/unit/daemon/session/test_stats tests/unit/daemon/session/test_cgroup_table \
	tests/unit/daemon/session/test_daemon_session_info tests/unit/daemon/session/test_session \
	tests/unit/daemon/filing/test_placement tests/unit/daemon/image/test_image_keep \
	tests/unit/daemon/filing/test_sample_cache tests/unit/daemon/filing/test_attribution \
	tests/unit/daemon/command/test_control_message tests/unit/daemon/command/test_control_server \
	tests/unit/daemon/service/test_options tests/unit/daemon/profiler/test_profiler tests/unit/daemon/profiler/test_sync_job \
	tests/unit/daemon/history/test_history tests/unit/daemon/history/test_history_budget tests/unit/daemon/history/test_history_kill \
	tests/unit/daemon/history/test_history_levels tests/unit/daemon/history/test_history_soak tests/unit/daemon/history/test_stretch \
	tests/unit/daemon/profiler/test_source_choice \
	tests/unit/daemon/command/test_ready tests/unit/daemon/session/test_name_table tests/unit/daemon/filing/test_code_keys \
	tests/unit/daemon/jit/test_code_map tests/unit/daemon/jit/test_perf_map tests/unit/daemon/jit/test_jitdump \
	tests/unit/daemon/filing/test_recent tests/unit/daemon/filing/test_recent_slice tests/unit/daemon/image/test_image_code \
	tests/unit/daemon/perf_source/test_perf_unwind tests/unit/daemon/image/test_table_folder \
	tests/unit/daemon/kernel/test_kernel_functions tests/unit/daemon/filing/test_stack_keep tests/unit/daemon/filing/test_stack_memo \
	tests/unit/daemon/history/test_history_stacks
check_PROGRAMS += $(DAEMON_TESTS)
TESTS += $(DAEMON_TESTS)
DAEMON_TEST_LIBS = tests/unit/libdaemontest.a daemon/libdaemon.a unwind/libunwind.a libdb/libsdb.a \
	events/libevents.a lib/libbase.a $(TEST_LIBS)
tests_unit_daemon_perf_source_test_perf_weeks_SOURCES = tests/unit/daemon/perf_source/test_perf_weeks.c $(perf_encode_files)
tests_unit_daemon_perf_source_test_perf_weeks_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_weeks_LDADD = $(DAEMON_TEST_LIBS)
stack_sum_files = tests/fixture/stack_sum.c tests/fixture/stack_sum.h
fake_history_files = tests/fixture/fake_history.c tests/fixture/fake_history.h $(stack_sum_files)
tests_unit_daemon_history_test_history_stacks_SOURCES = tests/unit/daemon/history/test_history_stacks.c $(fake_history_files)
tests_unit_daemon_history_test_history_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_history_stacks_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_kernel_test_kernel_functions_SOURCES = tests/unit/daemon/kernel/test_kernel_functions.c
tests_unit_daemon_kernel_test_kernel_functions_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_kernel_test_kernel_functions_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_stack_keep_SOURCES = tests/unit/daemon/filing/test_stack_keep.c $(stack_sum_files)
tests_unit_daemon_filing_test_stack_keep_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_stack_keep_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_stack_memo_SOURCES = tests/unit/daemon/filing/test_stack_memo.c
tests_unit_daemon_filing_test_stack_memo_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_stack_memo_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_history_test_history_SOURCES = tests/unit/daemon/history/test_history.c $(fake_history_files)
tests_unit_daemon_history_test_history_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_history_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/daemon/history/test_history_disk
TESTS += tests/unit/daemon/history/test_history_disk
tests_unit_daemon_history_test_history_disk_SOURCES = tests/unit/daemon/history/test_history_disk.c $(fake_history_files) \
	tests/fixture/session_sum.c tests/fixture/session_sum.h
tests_unit_daemon_history_test_history_disk_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_history_disk_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/test_history_disk_stacks
TESTS += tests/unit/test_history_disk_stacks
tests_unit_test_history_disk_stacks_SOURCES = $(tests_unit_daemon_history_test_history_disk_SOURCES)
tests_unit_test_history_disk_stacks_CFLAGS = $(TEST_CFLAGS) -DFAKE_CHAIN_DEPTH=16
tests_unit_test_history_disk_stacks_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_history_test_history_budget_SOURCES = tests/unit/daemon/history/test_history_budget.c $(fake_history_files)
tests_unit_daemon_history_test_history_budget_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_history_budget_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_history_test_history_kill_SOURCES = tests/unit/daemon/history/test_history_kill.c $(fake_history_files)
# Of samples with call chains: what samples without do, and more.
tests_unit_daemon_history_test_history_kill_CFLAGS = $(TEST_CFLAGS) -DFAKE_CHAIN_DEPTH=16
tests_unit_daemon_history_test_history_kill_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_history_test_history_soak_SOURCES = tests/unit/daemon/history/test_history_soak.c $(fake_history_files)
tests_unit_daemon_history_test_history_soak_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_history_soak_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_history_test_history_levels_SOURCES = tests/unit/daemon/history/test_history_levels.c
tests_unit_daemon_history_test_history_levels_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_history_levels_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_history_test_stretch_SOURCES = tests/unit/daemon/history/test_stretch.c
tests_unit_daemon_history_test_stretch_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_stretch_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_profiler_test_source_choice_SOURCES = tests/unit/daemon/profiler/test_source_choice.c
tests_unit_daemon_profiler_test_source_choice_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_profiler_test_source_choice_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_session_test_separation_SOURCES = tests/unit/daemon/session/test_separation.c
tests_unit_daemon_session_test_separation_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_session_test_separation_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_session_test_stats_SOURCES = tests/unit/daemon/session/test_stats.c
tests_unit_daemon_session_test_stats_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_session_test_stats_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_session_test_cgroup_table_SOURCES = tests/unit/daemon/session/test_cgroup_table.c
tests_unit_daemon_session_test_cgroup_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_session_test_cgroup_table_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_jit_test_code_map_SOURCES = tests/unit/daemon/jit/test_code_map.c
tests_unit_daemon_jit_test_code_map_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_jit_test_code_map_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_jit_test_perf_map_SOURCES = tests/unit/daemon/jit/test_perf_map.c
tests_unit_daemon_jit_test_perf_map_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_jit_test_perf_map_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_jit_test_jitdump_SOURCES = tests/unit/daemon/jit/test_jitdump.c tests/fixture/jitdump_encode.h
tests_unit_daemon_jit_test_jitdump_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_jit_test_jitdump_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_session_test_name_table_SOURCES = tests/unit/daemon/session/test_name_table.c
tests_unit_daemon_session_test_name_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_session_test_name_table_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_code_keys_SOURCES = tests/unit/daemon/filing/test_code_keys.c
tests_unit_daemon_filing_test_code_keys_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_code_keys_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_session_test_daemon_session_info_SOURCES = tests/unit/daemon/session/test_daemon_session_info.c
tests_unit_daemon_session_test_daemon_session_info_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_session_test_daemon_session_info_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_session_test_session_SOURCES = tests/unit/daemon/session/test_session.c
tests_unit_daemon_session_test_session_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_session_test_session_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_placement_SOURCES = tests/unit/daemon/filing/test_placement.c
tests_unit_daemon_filing_test_placement_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_placement_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_image_test_image_keep_SOURCES = tests/unit/daemon/image/test_image_keep.c
tests_unit_daemon_image_test_image_keep_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_image_test_image_keep_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_sample_cache_SOURCES = tests/unit/daemon/filing/test_sample_cache.c
tests_unit_daemon_filing_test_sample_cache_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_sample_cache_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_attribution_SOURCES = tests/unit/daemon/filing/test_attribution.c
tests_unit_daemon_filing_test_attribution_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_attribution_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_command_test_control_message_SOURCES = tests/unit/daemon/command/test_control_message.c
tests_unit_daemon_command_test_control_message_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_command_test_control_message_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_command_test_control_server_SOURCES = tests/unit/daemon/command/test_control_server.c
tests_unit_daemon_command_test_control_server_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_command_test_control_server_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_service_test_options_SOURCES = tests/unit/daemon/service/test_options.c
tests_unit_daemon_service_test_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_service_test_options_LDADD = $(DAEMON_TEST_LIBS) $(POPT_LIBS)
tests_unit_daemon_profiler_test_profiler_SOURCES = tests/unit/daemon/profiler/test_profiler.c
tests_unit_daemon_profiler_test_profiler_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_profiler_test_profiler_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_profiler_test_sync_job_SOURCES = tests/unit/daemon/profiler/test_sync_job.c
tests_unit_daemon_profiler_test_sync_job_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_profiler_test_sync_job_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_image_test_image_code_SOURCES = tests/unit/daemon/image/test_image_code.c
tests_unit_daemon_image_test_image_code_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_image_test_image_code_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_perf_source_test_perf_unwind_SOURCES = tests/unit/daemon/perf_source/test_perf_unwind.c tests/fixture/record_catcher.h
tests_unit_daemon_perf_source_test_perf_unwind_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_perf_source_test_perf_unwind_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_image_test_table_folder_SOURCES = tests/unit/daemon/image/test_table_folder.c
tests_unit_daemon_image_test_table_folder_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_image_test_table_folder_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_recent_slice_SOURCES = tests/unit/daemon/filing/test_recent_slice.c
tests_unit_daemon_filing_test_recent_slice_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_recent_slice_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_filing_test_recent_SOURCES = tests/unit/daemon/filing/test_recent.c
tests_unit_daemon_filing_test_recent_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_filing_test_recent_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_command_test_ready_SOURCES = tests/unit/daemon/command/test_ready.c
tests_unit_daemon_command_test_ready_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_command_test_ready_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/daemon/profiler/test_profiler_fault
TESTS += tests/unit/daemon/profiler/test_profiler_fault
tests_unit_daemon_profiler_test_profiler_fault_SOURCES = tests/unit/daemon/profiler/test_profiler_fault.c tests/fixture/failing_calls.c \
	tests/fixture/failing_calls.h tests/fixture/session_sum.c tests/fixture/session_sum.h
tests_unit_daemon_profiler_test_profiler_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_profiler_test_profiler_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup \
	-Wl,--wrap=strndup,--wrap=mmap,--wrap=mremap,--wrap=ftruncate,--wrap=fallocate \
	-Wl,--wrap=posix_fallocate,--wrap=fsync,--wrap=fdatasync,--wrap=syncfs,--wrap=rename \
	-Wl,--wrap=renameat,--wrap=mkdir,--wrap=write,--wrap=pwrite,--wrap=open,--wrap=openat
tests_unit_daemon_profiler_test_profiler_fault_LDADD = $(DAEMON_TEST_LIBS)
endif

if REPORTS
TRACE_TESTS = tests/unit/daemon/trace/test_trace_channel tests/unit/daemon/trace/test_trace_choice tests/unit/daemon/trace/test_trace_chunks \
	tests/unit/daemon/trace/test_trace_describe tests/unit/daemon/trace/test_trace_layout tests/unit/daemon/trace/test_trace_record \
	tests/unit/daemon/trace/test_trace_state tests/unit/daemon/trace/test_trace_tasks tests/unit/daemon/tracer/test_trace_mappings \
	tests/unit/daemon/tracer/test_ktrace_events \
	tests/unit/daemon/trace/test_trace_syscalls tests/unit/daemon/trace/test_trace_trigger tests/unit/daemon/tracer/test_trace_perf \
	tests/unit/daemon/trace/test_trace_clock tests/unit/daemon/tracer/test_trace_session tests/unit/daemon/tracer/test_trace_watch \
	tests/unit/daemon/tracer/test_tracer_serve
check_PROGRAMS += $(TRACE_TESTS)
TESTS += $(TRACE_TESTS)
TRACE_TEST_LIBS = daemon/libdaemon.a ctf/libctf.a ring/libring.a $(DAEMON_TEST_LIBS)
tests_unit_daemon_trace_test_trace_channel_SOURCES = tests/unit/daemon/trace/test_trace_channel.c
tests_unit_daemon_trace_test_trace_channel_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_channel_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_chunks_SOURCES = tests/unit/daemon/trace/test_trace_chunks.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_daemon_trace_test_trace_chunks_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_chunks_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_layout_SOURCES = tests/unit/daemon/trace/test_trace_layout.c tests/fixture/make_packet.c \
	tests/fixture/make_packet.h tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_layout_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_layout_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_tracer_test_ktrace_events_SOURCES = tests/unit/daemon/tracer/test_ktrace_events.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_tracer_test_ktrace_events_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_tracer_test_ktrace_events_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_choice_SOURCES = tests/unit/daemon/trace/test_trace_choice.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_choice_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_choice_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_trigger_SOURCES = tests/unit/daemon/trace/test_trace_trigger.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_trigger_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_trigger_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_tracer_test_trace_watch_SOURCES = tests/unit/daemon/tracer/test_trace_watch.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_tracer_test_trace_watch_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_tracer_test_trace_watch_LDADD = $(TRACE_TEST_LIBS)
# Its status as optrace shows it.
tests_unit_daemon_tracer_test_tracer_serve_SOURCES = tests/unit/daemon/tracer/test_tracer_serve.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_tracer_test_tracer_serve_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_tracer_test_tracer_serve_LDADD = control/libcontrol.a $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_clock_SOURCES = tests/unit/daemon/trace/test_trace_clock.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_clock_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_clock_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_tracer_test_trace_session_SOURCES = tests/unit/daemon/tracer/test_trace_session.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_tracer_test_trace_session_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_tracer_test_trace_session_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_tracer_test_trace_perf_SOURCES = tests/unit/daemon/tracer/test_trace_perf.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_tracer_test_trace_perf_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_tracer_test_trace_perf_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_describe_SOURCES = tests/unit/daemon/trace/test_trace_describe.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_describe_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_describe_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_record_SOURCES = tests/unit/daemon/trace/test_trace_record.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_record_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_record_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_state_SOURCES = tests/unit/daemon/trace/test_trace_state.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_state_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_state_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_tracer_test_trace_mappings_SOURCES = tests/unit/daemon/tracer/test_trace_mappings.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_tracer_test_trace_mappings_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_tracer_test_trace_mappings_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_tasks_SOURCES = tests/unit/daemon/trace/test_trace_tasks.c
tests_unit_daemon_trace_test_trace_tasks_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_tasks_LDADD = $(TRACE_TEST_LIBS)
tests_unit_daemon_trace_test_trace_syscalls_SOURCES = tests/unit/daemon/trace/test_trace_syscalls.c \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_daemon_trace_test_trace_syscalls_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_trace_test_trace_syscalls_LDADD = $(TRACE_TEST_LIBS)

SERVICE_TESTS = tests/unit/daemon/service/test_cost tests/unit/daemon/service/test_cpu_budget tests/unit/daemon/service/test_metrics tests/unit/daemon/system/test_notify \
	tests/unit/daemon/system/test_privileges tests/unit/daemon/system/test_prompt_mount tests/unit/daemon/service/test_service
check_PROGRAMS += $(SERVICE_TESTS)
TESTS += $(SERVICE_TESTS)
tests_unit_daemon_service_test_cost_SOURCES = tests/unit/daemon/service/test_cost.c
tests_unit_daemon_service_test_cost_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_service_test_cost_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_service_test_cpu_budget_SOURCES = tests/unit/daemon/service/test_cpu_budget.c
tests_unit_daemon_service_test_cpu_budget_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_service_test_cpu_budget_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_service_test_metrics_SOURCES = tests/unit/daemon/service/test_metrics.c
tests_unit_daemon_service_test_metrics_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_service_test_metrics_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_system_test_notify_SOURCES = tests/unit/daemon/system/test_notify.c
tests_unit_daemon_system_test_notify_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_notify_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_system_test_prompt_mount_SOURCES = tests/unit/daemon/system/test_prompt_mount.c
tests_unit_daemon_system_test_prompt_mount_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_prompt_mount_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_system_test_privileges_SOURCES = tests/unit/daemon/system/test_privileges.c
tests_unit_daemon_system_test_privileges_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_privileges_LDADD = $(DAEMON_TEST_LIBS)
tests_unit_daemon_service_test_service_SOURCES = tests/unit/daemon/service/test_service.c
tests_unit_daemon_service_test_service_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_service_test_service_LDADD = $(DAEMON_TEST_LIBS)
check_PROGRAMS += tests/unit/daemon/history/test_history_kills
TESTS += tests/unit/daemon/history/test_history_kills
tests_unit_daemon_history_test_history_kills_SOURCES = tests/unit/daemon/history/test_history_kills.c \
	tests/fixture/session_sum.c tests/fixture/session_sum.h $(stack_sum_files)
tests_unit_daemon_history_test_history_kills_CFLAGS = $(TEST_CFLAGS)
# Before the library without fault points, whose objects it stands for.
tests_unit_daemon_history_test_history_kills_LDADD = tests/unit/libdaemontest.a daemon/libdaemon.a unwind/libunwind.a \
	libdb/libsdb_faults.a events/libevents.a lib/libbase.a $(TEST_LIBS)
check_PROGRAMS += tests/unit/daemon/system/test_heap
TESTS += tests/unit/daemon/system/test_heap
tests_unit_daemon_system_test_heap_SOURCES = tests/unit/daemon/system/test_heap.c
tests_unit_daemon_system_test_heap_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_system_test_heap_LDADD = $(DAEMON_TEST_LIBS)
endif
