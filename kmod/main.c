// SPDX-License-Identifier: GPL-2.0-only
#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/stringify.h>

#include "kmod/control.h"
#include "kmod/counters.h"
#include "kmod/stamp.h"
#include "oprof/kmod.h"

/* Addresses, numbers and positions are 64-bit words that must be read and written atomically. */
static_assert(sizeof(long) == 8, "oprof needs a kernel of 64 bits");

static char *main_clock = "auto";
module_param_named(clock, main_clock, charp, 0444);
MODULE_PARM_DESC(clock,
		 "Clock for the times of samples: auto, counter or monotonic (default auto)");

static int init_parts(void)
{
	int status = stamp_init(main_clock);

	if (status) {
		pr_err("oprof: clock=%s: %s\n", main_clock,
		       status == -EINVAL ? "not auto, counter or monotonic"
					 : "this machine's counter is not reliable");
		return status;
	}
	status = counters_init();
	if (status)
		return status;
	status = control_init();
	if (status)
		counters_deinit();
	return status;
}

static int __init main_init(void)
{
	int status = init_parts();

	/* -EAGAIN must not be returned: module loaders would try again. */
	return status == -EAGAIN ? -EBUSY : status;
}

static void __exit main_exit(void)
{
	control_deinit();
	counters_deinit();
}

module_init(main_init);
module_exit(main_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Statistical profiler: samples, task switches and images for oprofiled");
MODULE_VERSION(__stringify(OPROF_KMOD_VERSION));
MODULE_ALIAS_FS(OPROF_KMOD_FS_TYPE);
