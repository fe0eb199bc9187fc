/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run asks of the kernel module, written into its control filesystem.
 * The module takes it when its buffer is opened.
 */
#ifndef DAEMON_KMOD_SETUP_H
#define DAEMON_KMOD_SETUP_H

#include "daemon/module_source/kmod_control.h"
#include "daemon/source.h"

/* Can it be asked of the module at all? 0 or -errno with diag. */
int kmod_setup_check(const struct source_config *config, struct diag *diag);

/* Write all of it: nothing stands from an earlier run. 0 or -errno with diag. */
int kmod_setup_write(const struct kmod_control *control, const struct source_config *config,
		     struct diag *diag);

/* Bytes that the module's buffer then has room for, at most. */
uint64_t kmod_setup_buffer_bytes(const struct source_config *config);

/* The module's own timer takes its samples. */
bool kmod_setup_is_timer(const struct event_choice *event);

#endif
