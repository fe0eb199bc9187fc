/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event of lttng_peer.c. LTTng-UST includes this file several times with different macros. With
 * LINT defined, static analysers do not need LTTng-UST.
 */
#ifdef LINT
#define lttng_ust_tracepoint_enabled(provider, event)	     1
#define lttng_ust_tracepoint(provider, event, first, second) ((void)((first) + (second)))
#else

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER oprof_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/lttng_peer_events.h"

#if !defined(LTTNG_PEER_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_PEER_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
/* cppcheck-suppress unknownMacro */
LTTNG_UST_TRACEPOINT_EVENT(oprof_bench, record,
	LTTNG_UST_TP_ARGS(uint64_t, first, uint64_t, second),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, first, first)
		lttng_ust_field_integer(uint64_t, second, second)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>

#endif
