/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds tracepoints of the kernel itself, which are never removed. Their
 * symbols are not exported.
 */
#ifndef KMOD_TRACE_TRACEPOINT_H
#define KMOD_TRACE_TRACEPOINT_H

struct tracepoint;

struct tracepoint *trace_tracepoint_find(const char *name); /* NULL: not found */

#endif
