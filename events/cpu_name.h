/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside events/ and for its tests; others call event_cpu_name(). */
#ifndef EVENTS_CPU_NAME_H
#define EVENTS_CPU_NAME_H

#include <stddef.h>
#include <stdint.h>

/* From the text of /proc/cpuinfo; name empty and khz 0 where it does not tell. */
void cpu_name_parse(const char *cpuinfo, char *name, size_t nr_bytes, uint32_t *khz);

#endif
