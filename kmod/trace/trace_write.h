/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions with which probes write a record. Preemption must be off from
 * trace_wants() to trace_commit(); callable from NMI. All functions are
 * inline, so that a probe's constants, such as its record's size, are also
 * constants in the ring's code. Records under construction are
 * __uninitialized: otherwise some kernel configurations clear them for each
 * event.
 */
#ifndef KMOD_TRACE_WRITE_H
#define KMOD_TRACE_WRITE_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "kmod/trace/trace_filter.h"
#include "kmod/trace/trace_session.h"
#include "ring/ring_write.h"

/* The data of a registered probe: its session and the destination of its records. */
struct trace_event {
	struct trace_session *session;
	struct trace_cpu __percpu *cpus;
	u32 id;
	struct oprof_ktrace_compare compare;
};

/*
 * Checks the arguments of a call and fills in event. -ESHUTDOWN: the session
 * is finalised; -EINVAL: the channel is unknown, the id is reserved
 * (oprof/packet.h), or the comparison is invalid. The comparison's number must
 * lie within the first `bytes` bytes of the record.
 */
int trace_event_init(struct trace_event *event, struct trace_session *session, u32 channel, u32 id,
		     const struct oprof_ktrace_compare *compare, u32 bytes);
bool trace_is_event_id(u32 id);

static __always_inline bool trace_wants(const struct trace_session *session,
					struct task_struct *task, struct task_struct *other)
{
	u32 state = READ_ONCE(session->state);

	if (!(state & TRACE_ACTIVE))
		return false;
	return likely(!(state & TRACE_FILTERED)) || trace_filter_passes(session, task, other);
}

/* A record that is being written. */
struct trace_record {
	struct trace_cpu *cpu;
	struct ring_slot slot;
};

/*
 * Reserves a record and returns its payload; the caller must write every byte
 * of it. Returns NULL if the record is lost; the loss is then counted.
 */
static __always_inline void *trace_reserve(struct trace_record *record,
					   struct trace_cpu __percpu *cpus, u32 id, u32 bytes)
{
	record->cpu = this_cpu_ptr(cpus);
	if (unlikely(ring_reserve(&record->cpu->ring, id, bytes, 1, &record->slot)))
		return NULL;
	return record->slot.payload;
}

/*
 * Like trace_reserve(), but tries only the ring's fast path. Returns false if
 * the fast path is not possible; nothing was counted, and trace_reserve() must
 * be called. `clock` is the clock of all rings, and `extended` states whether
 * this id needs an extended header. Both must be compile-time constants.
 */
static __always_inline bool trace_try(struct trace_record *record, struct trace_cpu __percpu *cpus,
				      enum ring_clock clock, bool extended, u32 id, u32 bytes)
{
	BUILD_BUG_ON(RING_PORT_WRITER_MAY_DIE);
	record->cpu = this_cpu_ptr(cpus);
	return ring_try(&record->cpu->ring, clock, extended, id, bytes, 1, &record->slot);
}

/*
 * Counts the record before the commit. The commit may call a function to
 * deliver the packet. Because of this order, the compiled code does not have to
 * keep a value across that call.
 */
static __always_inline void trace_commit(struct trace_record *record)
{
	local_inc(&record->cpu->nr_records);
	ring_commit(&record->cpu->ring, &record->slot);
}

/* ---- records of a struct and an optional string ---- */

struct trace_writing {
	struct trace_record record;
	const char *string; /* NULL: none */
	u32 string_bytes;
};

/*
 * Returns the memory to which the struct is written: normally the reserved
 * slot. If a comparison must be evaluated first, no slot is reserved and the
 * memory is `aside`. Returns NULL if the record is lost.
 */
static __always_inline void *trace_begin(struct trace_writing *writing,
					 const struct trace_event *event, void *aside, u32 bytes,
					 const char *string)
{
	/*
	 * The compiler must not see the size of an array that is shorter than
	 * the limit. Such an array always contains a NUL.
	 */
	OPTIMIZER_HIDE_VAR(string);
	writing->string = string;
	writing->string_bytes =
		string ? (u32)strnlen(string, OPROF_KTRACE_STRING_BYTES_MAX - 1) + 1 : 0;
	if (unlikely(event->compare.op != OPROF_KTRACE_ANY))
		return aside;
	return trace_reserve(&writing->record, event->cpus, event->id,
			     bytes + writing->string_bytes);
}

static __always_inline void trace_end(struct trace_writing *writing,
				      const struct trace_event *event, const void *aside, u32 bytes)
{
	if (unlikely(event->compare.op != OPROF_KTRACE_ANY)) {
		if (!trace_compares(&event->compare, aside) ||
		    !trace_reserve(&writing->record, event->cpus, event->id,
				   bytes + writing->string_bytes))
			return;
		memcpy(writing->record.slot.payload, aside, bytes);
	}
	/* The string may change concurrently, but exactly string_bytes bytes are written. */
	if (writing->string_bytes)
		ring_copy_string(writing->record.slot.payload + bytes, writing->string,
				 writing->string_bytes);
	trace_commit(&writing->record);
}

/* Another thread may change the name concurrently; the copy may then be a mixture of both names. */
static __always_inline void trace_copy_comm(char *to, const struct task_struct *task)
{
	data_race(memcpy(to, task->comm, TASK_COMM_LEN));
}

/*
 * The probe of a kind: TRACE_PROBE(kind, (prototype), task, other, string,
 * fill). The session's filter tests `task` and `other`. `string`, which may be
 * NULL, follows the struct in the record. `fill` is an expression that writes
 * every member of *payload.
 */
#define TRACE_PROBE(kind, prototype, task, other, string, fill)                                    \
	static void probe_##kind prototype                                                         \
	{                                                                                          \
		const struct trace_event *event = data;                                            \
		struct oprof_ktrace_payload_##kind aside __uninitialized, *payload;                \
		struct trace_writing writing __uninitialized;                                      \
                                                                                                   \
		preempt_disable_notrace();                                                         \
		if (trace_wants(event->session, task, other)) {                                    \
			payload = trace_begin(&writing, event, &aside, sizeof(aside), string);     \
			if (likely(payload)) {                                                     \
				fill;                                                              \
				trace_end(&writing, event, &aside, sizeof(aside));                 \
			}                                                                          \
		}                                                                                  \
		preempt_enable_notrace();                                                          \
	}                                                                                          \
	static void __maybe_unused check_##kind(void)                                              \
	{                                                                                          \
		check_trace_callback_type_##kind(probe_##kind);                                    \
	}                                                                                          \
	void *const trace_probe_##kind = probe_##kind

/* Used for a kind whose tracepoint a kernel of this configuration does not have. */
#define TRACE_NO_PROBE(kind) void *const trace_probe_##kind = NULL

#define TRACE_DECLARE(KIND, kind, system, tracepoint, name) extern void *const trace_probe_##kind;
OPROF_KTRACE_EVENTS(TRACE_DECLARE)
#undef TRACE_DECLARE

#endif
