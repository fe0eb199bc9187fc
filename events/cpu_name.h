/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to events/ and its tests; other code calls event_cpu_name(). */
#ifndef EVENTS_CPU_NAME_H
#define EVENTS_CPU_NAME_H

#include <stddef.h>
#include <stdint.h>

/* Parses the text of /proc/cpuinfo. An unknown name becomes "", an unknown speed 0. */
void cpu_name_parse(const char *cpuinfo, char *name, size_t nr_bytes, uint32_t *khz);

#endif
