// SPDX-License-Identifier: GPL-2.0-only
/* Since Linux 6.3, a mapping's flags are changed by functions that take its lock. */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MAYWRITE);
}
