/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to kmod_state.c (the stream) and kmod_sample.c (samples). */
#ifndef DAEMON_KMOD_STATE_INTERNAL_H
#define DAEMON_KMOD_STATE_INTERNAL_H

#include "daemon/module_source/kmod_state.h"

/* Makes a SAMPLE or a LOST record of a sample. The sample's chain must be within the record. */
void kmod_sample_apply(struct kmod_state *state, const struct oprof_sample *sample);

#endif
