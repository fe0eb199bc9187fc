/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to kmod_state.c (the stream) and kmod_sample.c (samples). */
#ifndef DAEMON_KMOD_STATE_INTERNAL_H
#define DAEMON_KMOD_STATE_INTERNAL_H

#include "daemon/module_source/kmod_state.h"

/*
 * Writes a SAMPLE record for a sample; if the sample is lost, writes a LOST record instead. The
 * sample's chain must be within the record.
 */
void kmod_sample_apply(struct kmod_state *state, const struct oprof_sample *sample);

#endif
