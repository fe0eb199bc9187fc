// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_stats_names.h"

const struct cpu_state_name cpu_states[NR_CPU_STATES] = {
	{CPU_IDLE, "idle", "idle_ns"},		{CPU_USER, "user", "user_ns"},
	{CPU_SYSCALL, "syscall", "syscall_ns"}, {CPU_RUNNING, "program", "program_ns"},
	{CPU_KERNEL, "kernel", "kernel_ns"},	{CPU_IRQ, "irq", "irq_ns"},
	{CPU_SOFTIRQ, "softirq", "softirq_ns"}, {CPU_LOST, "lost", "lost_ns"},
	{CPU_UNKNOWN, "unknown", "unknown_ns"},
};

const struct thread_state_name thread_states[NR_THREAD_STATES] = {
	{THREAD_USER, "user", "user_ns"},
	{THREAD_SYSCALL, "syscall", "syscall_ns"},
	{THREAD_RUNNING, "program", "program_ns"},
	{THREAD_KERNEL, "kernel", "kernel_ns"},
	{THREAD_INTERRUPTED, "interr.", "interrupted_ns"},
	{THREAD_READY, "ready", "ready_ns"},
	{THREAD_DISK, "disk", "disk_ns"},
	{THREAD_UNINTERRUPTIBLE, "uninterr.", "uninterruptible_ns"},
	{THREAD_SLEEPING, "sleeping", "sleeping_ns"},
	{THREAD_STOPPED, "stopped", "stopped_ns"},
	{THREAD_UNKNOWN, "unknown", "unknown_ns"},
};
