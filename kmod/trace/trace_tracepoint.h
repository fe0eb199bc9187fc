/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the kernel itself, which stay: their symbols are not exported. */
#ifndef KMOD_TRACE_TRACEPOINT_H
#define KMOD_TRACE_TRACEPOINT_H

struct tracepoint;

struct tracepoint *trace_tracepoint_find(const char *name); /* NULL: none such */

#endif
