/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel modules that are loaded or unloaded during a run: a notifier, which
 * the kernel calls, records each load and unload, and the worker reports them.
 */
#ifndef KMOD_KERNEL_MODULE_H
#define KMOD_KERNEL_MODULE_H

int kernel_module_open(void); /* 0 or -errno */
void kernel_module_close(void);

/*
 * Reports the loads and unloads since the last call. -ENOSPC: the rest is
 * reported in the next pass. Only the worker may call this function.
 */
int kernel_module_tell(void);

#endif
