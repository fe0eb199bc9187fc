// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/sync_worker.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "kmod/pass.h"
#include "kmod/stats.h"

/*
 * Maximum number of passes when the worker stops: one pass reads the rings,
 * two more drop references, and the rest is a reserve.
 */
#define NR_LAST_PASSES_MAX 8

static void kicked(struct irq_work *work);

static struct {
	struct task_struct *task;
	struct completion begun;
	bool is_kicked;
	/*
	 * Dumps are numbered. dumps_asked is the last dump that was requested.
	 * dumps_done is the last dump that is done. A dump is done when a whole
	 * pass, from its beginning to its end, has been made after the request.
	 */
	atomic64_t dumps_asked;
	u64 dumps_done;
	unsigned long last_pass; /* jiffies at the end of the last pass */
} worker;

static DECLARE_WAIT_QUEUE_HEAD(dump_wait);
/* This work runs in hard interrupt context, also on PREEMPT_RT. Therefore it only wakes a task. */
static struct irq_work kick_work = IRQ_WORK_INIT_HARD(kicked);

/* ---- requests for a pass ---- */

static void kicked(struct irq_work *work)
{
	/*
	 * wake_up_process() implies a barrier: either the worker sees is_kicked
	 * before it sleeps, or this call wakes the worker.
	 */
	wake_up_process(worker.task);
}

void sync_worker_kick_nmi(void)
{
	WRITE_ONCE(worker.is_kicked, true);
	irq_work_queue(&kick_work);
}

static bool is_done(u64 dump)
{
	/* Pairs with the release in run_pass(). */
	return smp_load_acquire(&worker.dumps_done) >= dump;
}

int sync_worker_dump(void)
{
	u64 dump = (u64)atomic64_inc_return(&worker.dumps_asked);

	wake_up_process(worker.task);
	return wait_event_interruptible(dump_wait, is_done(dump)) ? -EINTR : 0;
}

/* ---- the thread ---- */

static void run_pass(void)
{
	u64 dump = (u64)atomic64_read(&worker.dumps_asked);
	bool wake = dump != worker.dumps_done;

	if (xchg(&worker.is_kicked, false))
		stats_add(0, STATS_kicks, 1);
	pass_run(wake);
	worker.last_pass = jiffies;
	if (!wake)
		return;
	/* Pairs with the acquire in is_done(). */
	smp_store_release(&worker.dumps_done, dump);
	wake_up_all(&dump_wait);
}

static bool is_wanted(void)
{
	return kthread_should_stop() || READ_ONCE(worker.is_kicked) ||
	       (u64)atomic64_read(&worker.dumps_asked) != worker.dumps_done;
}

/*
 * Sleeps until the interval has passed or a pass is requested, but at least for
 * a jiffy, because kicks come in bursts.
 */
static void rest(void)
{
	unsigned long next = worker.last_pass + msecs_to_jiffies(SYNC_INTERVAL_MS);
	long left;

	if (jiffies == worker.last_pass)
		schedule_timeout_idle(1);
	for (;;) {
		left = (long)(next - jiffies);
		set_current_state(TASK_IDLE);
		if (left <= 0 || is_wanted())
			break;
		schedule_timeout(left);
	}
	__set_current_state(TASK_RUNNING);
}

static int run(void *data)
{
	unsigned int left = NR_LAST_PASSES_MAX;

	complete(&worker.begun);
	allow_kernel_signal(SIGKILL); /* from lose_patience() in kmod/resolve.c, not from users */
	while (!kthread_should_stop()) {
		run_pass();
		rest();
	}
	do {
		run_pass();
	} while (!pass_is_quiet() && --left);
	return 0;
}

int sync_worker_start(void)
{
	struct task_struct *task;

	worker.is_kicked = false;
	atomic64_set(&worker.dumps_asked, 0);
	worker.dumps_done = 0;
	worker.last_pass = jiffies;
	task = kthread_create(run, NULL, "oprof-sync");
	if (IS_ERR(task))
		return (int)PTR_ERR(task);
	worker.task = task;
	init_completion(&worker.begun);
	wake_up_process(task);
	/*
	 * A kernel thread that is stopped before it has run never runs. Then
	 * the references to address spaces in the rings' entries would never
	 * be dropped.
	 */
	wait_for_completion(&worker.begun);
	return 0;
}

void sync_worker_stop(void)
{
	u64 taken, dropped;

	irq_work_sync(&kick_work);
	kthread_stop(worker.task);
	taken = stats_sum(STATS_references_taken);
	dropped = stats_sum(STATS_references_dropped);
	WARN_ONCE(taken != dropped,
		  "oprof: %llu references to address spaces were taken, but %llu dropped\n", taken,
		  dropped);
}
