/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel modules that come and go while a run lasts: noted by the kernel's notifier, told by the
 * worker. */
#ifndef KMOD_KERNEL_MODULE_H
#define KMOD_KERNEL_MODULE_H

int kernel_module_open(void); /* 0 or -errno */
void kernel_module_close(void);

/* Tell what has been noted since. -ENOSPC: the rest next pass. Worker. */
int kernel_module_tell(void);

#endif
