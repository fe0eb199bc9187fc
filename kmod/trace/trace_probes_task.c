// SPDX-License-Identifier: GPL-2.0-only
/* Probes of the scheduler, interrupts and signals. */
#include <linux/binfmts.h>
#include <linux/interrupt.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <linux/tracepoint.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>

#include "kmod/compat.h"
#include "kmod/trace/trace_write.h"

static_assert(sizeof_field(struct oprof_ktrace_payload_sched_wakeup, f_comm) == TASK_COMM_LEN,
	      "as long as the kernel's");

/* ---- sched ---- */

/*
 * Returns the task's state in the form of the kernel's own event sched_switch.
 * If the task was preempted, this is TASK_REPORT_MAX; otherwise, a number with
 * one bit set, or 0.
 */
static __always_inline s64 state_of(bool preempt, unsigned int state, struct task_struct *task)
{
	if (preempt)
		return TASK_REPORT_MAX;
	state = __task_state_index(state, (unsigned int)data_race(READ_ONCE(task->exit_state)));
	return state ? 1 << (state - 1) : 0;
}

static __always_inline void fill_switch(struct oprof_ktrace_payload_sched_switch *payload,
					bool preempt, struct task_struct *prev,
					struct task_struct *next, unsigned int state)
{
	trace_copy_comm(payload->f_prev_comm, prev);
	payload->f_prev_tid = prev->pid;
	payload->f_prev_prio = data_race(READ_ONCE(prev->prio));
	payload->f_prev_state = state_of(preempt, state, prev);
	trace_copy_comm(payload->f_next_comm, next);
	payload->f_next_tid = next->pid;
	payload->f_next_prio = data_race(READ_ONCE(next->prio));
}

TRACE_PROBE(sched_switch,
	    (void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state),
	    prev, next, NULL, fill_switch(payload, preempt, prev, next, prev_state));

/* The next three events have the same struct. */
static __always_inline void fill_wakeup(struct oprof_ktrace_payload_sched_wakeup *payload,
					struct task_struct *task)
{
	trace_copy_comm(payload->f_comm, task);
	payload->f_tid = task->pid;
	payload->f_prio = data_race(READ_ONCE(task->prio));
	payload->f_target_cpu = (s32)task_cpu(task);
}

TRACE_PROBE(sched_wakeup, (void *data, struct task_struct *task), current, task, NULL,
	    fill_wakeup(payload, task));
TRACE_PROBE(sched_wakeup_new, (void *data, struct task_struct *task), current, task, NULL,
	    fill_wakeup((void *)payload, task));
TRACE_PROBE(sched_waking, (void *data, struct task_struct *task), current, task, NULL,
	    fill_wakeup((void *)payload, task));

static __always_inline void fill_migrate(struct oprof_ktrace_payload_sched_migrate_task *payload,
					 struct task_struct *task, int cpu)
{
	trace_copy_comm(payload->f_comm, task);
	payload->f_tid = task->pid;
	payload->f_prio = data_race(READ_ONCE(task->prio));
	payload->f_orig_cpu = (s32)task_cpu(task);
	payload->f_dest_cpu = cpu;
}

TRACE_PROBE(sched_migrate_task, (void *data, struct task_struct *task, int cpu), current, task,
	    NULL, fill_migrate(payload, task, cpu));

static __always_inline void fill_fork(struct oprof_ktrace_payload_sched_process_fork *payload,
				      struct task_struct *parent, struct task_struct *child)
{
	trace_copy_comm(payload->f_parent_comm, parent);
	payload->f_parent_tid = parent->pid;
	payload->f_parent_pid = parent->tgid;
	trace_copy_comm(payload->f_child_comm, child);
	payload->f_child_tid = child->pid;
	payload->f_child_pid = child->tgid;
}

TRACE_PROBE(sched_process_fork, (void *data, struct task_struct *parent, struct task_struct *child),
	    parent, child, NULL, fill_fork(payload, parent, child));

static __always_inline void fill_exec(struct oprof_ktrace_payload_sched_process_exec *payload,
				      struct task_struct *task, pid_t old)
{
	payload->f_tid = task->pid;
	payload->f_old_tid = old;
}

TRACE_PROBE(sched_process_exec,
	    (void *data, struct task_struct *task, pid_t old, struct linux_binprm *program), task,
	    NULL, program->filename, fill_exec(payload, task, old));

static __always_inline void fill_task(struct oprof_ktrace_payload_sched_process_exit *payload,
				      struct task_struct *task)
{
	trace_copy_comm(payload->f_comm, task);
	payload->f_tid = task->pid;
	payload->f_prio = data_race(READ_ONCE(task->prio));
}

TRACE_PROBE(sched_process_exit, (COMPAT_PROCESS_EXIT_ARGUMENTS), task, NULL, NULL,
	    fill_task(payload, task));
TRACE_PROBE(sched_process_free, (void *data, struct task_struct *task), task, NULL, NULL,
	    fill_task((void *)payload, task));

/* ---- interrupts ---- */

TRACE_PROBE(irq_handler_entry, (void *data, int irq, struct irqaction *action), current, NULL,
	    action->name ?: "", payload->f_irq = irq);

static __always_inline void fill_irq_exit(struct oprof_ktrace_payload_irq_handler_exit *payload,
					  int irq, int ret)
{
	payload->f_irq = irq;
	payload->f_ret = ret;
}

TRACE_PROBE(irq_handler_exit, (void *data, int irq, struct irqaction *action, int ret), current,
	    NULL, NULL, fill_irq_exit(payload, irq, ret));
TRACE_PROBE(softirq_entry, (void *data, unsigned int vector), current, NULL, NULL,
	    payload->f_vec = vector);
TRACE_PROBE(softirq_exit, (void *data, unsigned int vector), current, NULL, NULL,
	    payload->f_vec = vector);
TRACE_PROBE(softirq_raise, (void *data, unsigned int vector), current, NULL, NULL,
	    payload->f_vec = vector);

/* ---- signals ---- */

static __always_inline bool is_info(const struct kernel_siginfo *info)
{
	return info != SEND_SIG_NOINFO && info != SEND_SIG_PRIV;
}

static __always_inline int code_of(const struct kernel_siginfo *info)
{
	if (is_info(info))
		return info->si_code;
	return info == SEND_SIG_PRIV ? SI_KERNEL : SI_USER;
}

static __always_inline void fill_generate(struct oprof_ktrace_payload_signal_generate *payload,
					  int sig, const struct kernel_siginfo *info,
					  struct task_struct *task)
{
	payload->f_sig = sig;
	payload->f_errno = is_info(info) ? info->si_errno : 0;
	payload->f_code = code_of(info);
	trace_copy_comm(payload->f_comm, task);
	payload->f_pid = task->pid;
}

TRACE_PROBE(signal_generate,
	    (void *data, int sig, struct kernel_siginfo *info, struct task_struct *task, int group,
	     int result),
	    current, task, NULL,
	    (fill_generate(payload, sig, info, task), payload->f_group = group,
	     payload->f_result = result));

static __always_inline void fill_deliver(struct oprof_ktrace_payload_signal_deliver *payload,
					 int sig, const struct kernel_siginfo *info,
					 const struct k_sigaction *action)
{
	payload->f_sig = sig;
	payload->f_errno = is_info(info) ? info->si_errno : 0;
	payload->f_code = code_of(info);
	payload->f_sa_handler = (unsigned long)action->sa.sa_handler;
	payload->f_sa_flags = action->sa.sa_flags;
}

TRACE_PROBE(signal_deliver,
	    (void *data, int sig, struct kernel_siginfo *info, struct k_sigaction *action), current,
	    NULL, NULL, fill_deliver(payload, sig, info, action));
