# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/system/cgroup_names.c daemon/system/cgroup_names.h \
	daemon/system/cpu_list.c daemon/system/cpu_list.h \
	daemon/system/cpu_watch.c daemon/system/cpu_watch.h \
	daemon/system/daemon_child.c daemon/system/daemon_child.h \
	daemon/system/drain_watch.c daemon/system/drain_watch.h \
	daemon/system/heap.c daemon/system/heap.h \
	daemon/system/node_hash.c daemon/system/node_hash.h \
	daemon/system/notify.c daemon/system/notify.h \
	daemon/system/privileges.c daemon/system/privileges.h \
	daemon/system/prompt_mount.c daemon/system/prompt_mount.h \
	daemon/system/run_user.c daemon/system/run_user.h \
	daemon/system/slow_reader.c daemon/system/slow_reader.h \
	daemon/system/thread_list.c daemon/system/thread_list.h \
	daemon/system/unread.c daemon/system/unread.h

test_programs += \
	tests/unit/daemon/system/test_cgroup_names \
	tests/unit/daemon/system/test_cpu_list \
	tests/unit/daemon/system/test_drain_watch \
	tests/unit/daemon/system/test_heap \
	tests/unit/daemon/system/test_node_hash \
	tests/unit/daemon/system/test_notify \
	tests/unit/daemon/system/test_privileges \
	tests/unit/daemon/system/test_run_user \
	tests/unit/daemon/system/test_prompt_mount \
	tests/unit/daemon/system/test_slow_reader \
	tests/unit/daemon/system/test_unread
