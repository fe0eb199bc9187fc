// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Holds a process's mmap lock for writing from loading to unloading, as a page fault does in a file
 * system that never answers.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

static int pid;
module_param(pid, int, 0);
MODULE_PARM_DESC(pid, "whose");

static DECLARE_COMPLETION(is_held);
static struct mm_struct *mm;
static struct task_struct *holder;

/* One thread holds the lock all the time: it must be released by the task that took it. */
static int hold(void *data)
{
	mmap_write_lock(mm);
	complete(&is_held);
	while (!kthread_should_stop())
		schedule_timeout_idle(HZ / 10);
	mmap_write_unlock(mm);
	return 0;
}

static int __init hold_init(void)
{
	struct pid *found = find_get_pid(pid);
	struct task_struct *task = get_pid_task(found, PIDTYPE_PID);

	put_pid(found);
	if (!task)
		return -ESRCH;
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return -EINVAL;
	holder = kthread_run(hold, NULL, "hold");
	if (IS_ERR(holder)) {
		mmput(mm);
		return PTR_ERR(holder);
	}
	wait_for_completion(&is_held);
	return 0;
}

static void __exit hold_exit(void)
{
	kthread_stop(holder);
	mmput(mm);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Holds a process's mmap lock");
