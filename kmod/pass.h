/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass of the sync worker: reads the entries that the CPUs wrote, resolves
 * their addresses in the address spaces whose references are still held,
 * reports them (kmod/tell.h), and drops references.
 *
 * An address is resolved while the mmap lock of its address space is held. At
 * that time, all earlier unmappings are known (kmod/unmapped.h). The sample
 * belongs to the first mapping that was unmapped at this address after the
 * sample, or, if there is none, to the present mapping.
 */
#ifndef KMOD_PASS_H
#define KMOD_PASS_H

#include "kmod/settings.h"

int pass_open(const struct settings *settings); /* returns 0 or -ENOMEM; may sleep */
/* Drops all references that are still held. */
void pass_close(void);

/*
 * Runs one pass. If wake is set, wakes the reader even below the watershed.
 * Only the worker calls this function. May sleep.
 */
void pass_run(bool wake);

/* Returns whether the last pass read nothing and no references are held. */
bool pass_is_quiet(void);

#endif
