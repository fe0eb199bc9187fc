// SPDX-License-Identifier: GPL-2.0-only
/* Compiles for every kernel; a failure shows that the probing itself does not work. */
#include <linux/module.h>

int probe(void);
int probe(void)
{
	return THIS_MODULE != NULL;
}
