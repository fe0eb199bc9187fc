/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass of the sync worker: read what the CPUs wrote, resolve it against the
 * address spaces that are still held, tell it (kmod/tell.h), let go.
 *
 * An address is resolved under the address space's mmap lock: an unmapping
 * that took effect by then is in kmod/unmapped.h; the first one of the sample's address
 * later than the sample tells what was there, else what is mapped now.
 */
#ifndef KMOD_PASS_H
#define KMOD_PASS_H

#include "kmod/settings.h"

int pass_open(const struct settings *settings); /* 0 or -ENOMEM. May sleep. */
/* Lets go of all that is still held. */
void pass_close(void);

/* The worker. wake: wake the reader though the watershed is not reached. May sleep. */
void pass_run(bool wake);

/* The last pass read nothing, and nothing is held. */
bool pass_is_quiet(void);

#endif
