/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds tracepoints of the kernel itself by name, because their symbols are
 * not exported. These tracepoints are never removed. Tracepoints of kernel
 * modules are not found.
 */
#ifndef KMOD_TRACE_TRACEPOINT_H
#define KMOD_TRACE_TRACEPOINT_H

struct tracepoint;

struct tracepoint *trace_tracepoint_find(const char *name); /* returns NULL if not found */

#endif
