// SPDX-License-Identifier: GPL-2.0-only
/*
 * A set of threads and their descendants: a bit for each possible thread
 * number. When a thread creates another thread, its bit, set or not, is copied
 * to the new thread's bit before the new thread runs. Therefore a bit that is
 * still set for an ended thread has no effect on a new thread with the same
 * number.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <trace/events/task.h>

#include "kmod/compat.h"
#include "kmod/trace/trace_tracepoint.h"
#include "kmod/trace/trace_tree.h"

struct trace_tree {
	struct tracepoint *begins; /* task_newtask, for which the probe is registered */
	DECLARE_BITMAP(bits, PID_MAX_LIMIT);
};

/*
 * Called in the context of the thread that creates the task. Unlike
 * sched_process_fork, this tracepoint also reports threads that the kernel
 * creates for a program.
 */
static void probe_task_newtask(COMPAT_NEWTASK_ARGUMENTS)
{
	struct trace_tree *tree = data;

	assign_bit(task->pid, tree->bits, test_bit(current->pid, tree->bits));
}

static void __maybe_unused check_task_newtask(void)
{
	check_trace_callback_type_task_newtask(probe_task_newtask);
}

bool trace_tree_has(const struct trace_tree *tree, const struct task_struct *task)
{
	return test_bit(data_race(READ_ONCE(task->pid)), tree->bits);
}

int trace_tree_create(struct trace_tree **tree)
{
	struct trace_tree *made = kvzalloc(sizeof(*made), GFP_KERNEL);
	int error = -ENOENT;

	if (!made)
		return -ENOMEM;
	made->begins = trace_tracepoint_find("task_newtask");
	if (made->begins)
		error = tracepoint_probe_register(made->begins, probe_task_newtask, made);
	if (error)
		kvfree(made);
	else
		*tree = made;
	return error;
}

int trace_tree_add(struct trace_tree *tree, const u64 *tids, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (tids[i] >= PID_MAX_LIMIT)
			return -EINVAL;
	}
	for (i = 0; i < nr; i++)
		set_bit(tids[i], tree->bits);
	return 0;
}

void trace_tree_unregister(struct trace_tree *tree)
{
	if (tree)
		(void)tracepoint_probe_unregister(tree->begins, probe_task_newtask, tree);
}

void trace_tree_free(struct trace_tree *tree)
{
	kvfree(tree);
}
