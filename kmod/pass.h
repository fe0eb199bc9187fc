/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass of the sync worker: reads the entries that the CPUs wrote, resolves
 * their addresses in the address spaces that are still held, reports them
 * (kmod/tell.h), and drops references.
 *
 * An address is resolved under its address space's mmap lock. All unmappings up
 * to this time are known (kmod/unmapped.h). The mapping of the sample is the
 * one that was first unmapped at this address after the sample, or the present
 * one if none was unmapped.
 */
#ifndef KMOD_PASS_H
#define KMOD_PASS_H

#include "kmod/settings.h"

int pass_open(const struct settings *settings); /* 0 or -ENOMEM. May sleep. */
/* Drops all references that are still held. */
void pass_close(void);

/* For the worker. If wake is set, the reader is woken even below the watershed. May sleep. */
void pass_run(bool wake);

/* Returns whether the last pass read nothing and no references are held. */
bool pass_is_quiet(void);

#endif
