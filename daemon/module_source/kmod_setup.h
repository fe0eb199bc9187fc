/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the settings that a run needs into the kernel module's control filesystem. The module
 * applies them when its buffer is opened.
 */
#ifndef DAEMON_KMOD_SETUP_H
#define DAEMON_KMOD_SETUP_H

#include "daemon/module_source/kmod_control.h"
#include "daemon/source.h"

/* Checks whether the module supports config. Returns 0 or -errno with diag. */
int kmod_setup_check(const struct source_config *config, struct diag *diag);

/* Writes all settings, so that none remain from an earlier run. Returns 0 or -errno with diag. */
int kmod_setup_write(const struct kmod_control *control, const struct source_config *config,
		     struct diag *diag);

/* Returns an upper limit of the bytes in the module's buffer with these settings. */
uint64_t kmod_setup_buffer_bytes(const struct source_config *config);

/* Returns whether the module's own timer takes the samples of this event. */
bool kmod_setup_is_timer(const struct event_choice *event);

#endif
