// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel module with faults: the fault detectors of a guest's kernel must find them
 * (test_faults.sh). The parameter "fault" chooses one; loading the module commits it, and succeeds.
 * Functions are not inlined, because reports name them.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *fault = "none";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "warning, atomic_sleep, lock_order, use_after_free, race or lockup");

static DEFINE_MUTEX(bad_first);
static DEFINE_MUTEX(bad_second);
static DEFINE_SPINLOCK(bad_spin);
static int bad_sum;

static noinline int bad_warning(void)
{
	WARN(1, "bad: as asked\n");
	return 0;
}

/* It does not sleep: only the check can notice. */
static noinline int bad_atomic_sleep(void)
{
	spin_lock(&bad_spin);
	might_sleep();
	spin_unlock(&bad_spin);
	return 0;
}

/* One task alone cannot deadlock; the lock orders contradict each other. */
static noinline int bad_lock_order(void)
{
	mutex_lock(&bad_first);
	mutex_lock(&bad_second);
	mutex_unlock(&bad_second);
	mutex_unlock(&bad_first);
	mutex_lock(&bad_second);
	mutex_lock(&bad_first);
	mutex_unlock(&bad_first);
	mutex_unlock(&bad_second);
	return 0;
}

static noinline int bad_use_after_free(void)
{
	char *bytes = kzalloc(100, GFP_KERNEL);
	char *freed = bytes;

	if (!bytes)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(freed); /* hides from the compiler that the pointer is the same */
	kfree(bytes);
	bad_sum = READ_ONCE(freed[10]);
	return 0;
}

/* Adds without a lock, as the other thread does, until it is stopped. */
static int bad_adder(void *unused)
{
	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 10000; i++) {
			bad_sum++;
			barrier();
		}
		cond_resched();
	}
	return 0;
}

static noinline int bad_race(void)
{
	struct task_struct *one, *other;

	one = kthread_run(bad_adder, NULL, "bad_one");
	if (IS_ERR(one))
		return PTR_ERR(one);
	other = kthread_run(bad_adder, NULL, "bad_other");
	if (!IS_ERR(other)) {
		msleep(5000);
		kthread_stop(other);
	}
	kthread_stop(one);
	return PTR_ERR_OR_ZERO(other);
}

/* Never returns. */
static noinline int bad_lockup(void)
{
	preempt_disable();
	while (true)
		cpu_relax();
	return 0;
}

static int __init bad_init(void)
{
	if (!strcmp(fault, "warning"))
		return bad_warning();
	if (!strcmp(fault, "atomic_sleep"))
		return bad_atomic_sleep();
	if (!strcmp(fault, "lock_order"))
		return bad_lock_order();
	if (!strcmp(fault, "use_after_free"))
		return bad_use_after_free();
	if (!strcmp(fault, "race"))
		return bad_race();
	if (!strcmp(fault, "lockup"))
		return bad_lockup();
	return -EINVAL;
}

static void __exit bad_exit(void)
{
}

module_init(bad_init);
module_exit(bad_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Faults that a guest's kernel must find");
