// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: two probes, and a table indexed by the call's number. Before a
 * record is reserved, the program's strings are copied to memory that belongs
 * to the CPU, so that their lengths are fixed even if the program changes the
 * strings.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>

#include "kmod/compat.h"
#include "kmod/stamp.h"
#include "kmod/trace/trace_syscalls.h"
#include "kmod/trace/trace_tracepoint.h"
#include "kmod/trace/trace_write.h"

#define NR_ARGS OPROF_KTRACE_SYSCALL_ARGS
/* Maximum total size of all strings of one system call. */
#define STRINGS_BYTES (2 * OPROF_KTRACE_STRING_BYTES_MAX)
/* Strings are read in aligned pieces of this size, so that each piece lies in one page. */
#define PIECE_BYTES 64u

/* How the records of a system call are written. */
enum way {
	WAY_UNKNOWN,
	WAY_EXTENDED, /* both records have extended headers */
	WAY_COMPACT,  /* both records have compact headers */
	WAY_SPECIAL, /* strings, a comparison, an unrecorded event, or headers of different kinds */
};

/* The size of this struct is a power of two, so that indexing an array needs only a shift. */
struct call {
	u32 entry_id, exit_id;
	u16 entry_bytes; /* without strings */
	u8 way;
	u8 nr_args;
	u8 strings;
	u8 arg_bytes[NR_ARGS];
} __aligned(32);

struct comparisons {
	struct oprof_ktrace_compare entry, exit;
};

struct call_strings {
	u8 text[STRINGS_BYTES];
};

struct session_syscalls {
	struct trace_session *session;
	struct trace_cpu __percpu *cpus;
	struct comparisons *comparisons; /* one per call */
	/*
	 * Memory for strings, or NULL if no call has strings. Each CPU uses its
	 * own memory, for one system call at a time.
	 */
	struct call_strings __percpu *strings;
	struct tracepoint *enter, *exit;
	u32 unknown_entry_id, unknown_exit_id;
	u32 nr_calls;
	u32 nr_fast; /* nr_calls while the session is active without a filter, otherwise 0 */
	struct call calls[];
};

struct unknown_entry {
	s64 number;
	unsigned long args[NR_ARGS];
};

struct unknown_exit {
	s64 number, ret;
};

/*
 * Returns whether the call is in a table of nr calls. Calls of 32-bit programs
 * are not in the table.
 */
static __always_inline bool is_in_table(u32 nr, long number)
{
	return (unsigned long)number < nr && !compat_is_32bit_call();
}

/* Finds the call's entry in the table. Returns NULL if it has none. */
static __always_inline const struct call *call_of(const struct session_syscalls *syscalls,
						  long number)
{
	return likely(is_in_table(syscalls->nr_calls, number)) ? &syscalls->calls[number] : NULL;
}

/* Used by the fast path. The comparison with nr_fast replaces the check of the session's state. */
static __always_inline enum way way_of(const struct session_syscalls *syscalls, long number)
{
	return likely(is_in_table(READ_ONCE(syscalls->nr_fast), number))
		       ? (enum way)syscalls->calls[number].way
		       : WAY_UNKNOWN;
}

/* ---- entry ---- */

/* Writes the low bytes of arg, which come first, because the machine is little-endian. */
static __always_inline u8 *write_arg(u8 *to, unsigned long arg, unsigned int bytes)
{
	if (bytes == 8)
		memcpy(to, &arg, 8);
	else if (bytes == 4)
		memcpy(to, &arg, 4);
	else if (bytes == 2)
		memcpy(to, &arg, 2);
	else if (bytes == 1)
		*to = (u8)arg;
	return to + bytes;
}

/*
 * Reads at most `room` bytes of a program's string, including a NUL. If a part
 * cannot be read, the string ends there. Returns the number of bytes written.
 */
static u32 read_string(u8 *to, u32 room, unsigned long from)
{
	u32 at = 0;

	room = min(room, OPROF_KTRACE_STRING_BYTES_MAX);
	while (at < room - 1) {
		u32 piece = PIECE_BYTES - (u32)((from + at) % PIECE_BYTES);
		u8 *end;

		piece = min(piece, room - 1 - at);
		if (copy_from_user_nofault(to + at, (const void __user *)(from + at), piece))
			break;
		end = memchr(to + at, 0, piece);
		if (end) {
			at = (u32)(end - to);
			break;
		}
		at += piece;
	}
	to[at] = 0;
	return at + 1;
}

/*
 * Copies all strings of a system call to `text`. Returns their total size, and
 * stores the size of argument i in lengths[i].
 */
static u32 read_strings(const struct call *call, const unsigned long *args, u8 *text, u32 *lengths)
{
	u32 sum = 0, i;

	for (i = 0; i < call->nr_args; i++) {
		if (!(call->strings & (1u << i)))
			continue;
		/* Leave room for the NULs of the other strings. */
		lengths[i] =
			read_string(text + sum, STRINGS_BYTES - sum - (NR_ARGS - 1 - i), args[i]);
		sum += lengths[i];
	}
	return sum;
}

static void write_with_strings(const struct call *call, const unsigned long *args, const u8 *text,
			       const u32 *lengths, u8 *to)
{
	u32 i;

	for (i = 0; i < call->nr_args; i++) {
		if (!(call->strings & (1u << i))) {
			to = write_arg(to, args[i], call->arg_bytes[i]);
			continue;
		}
		memcpy(to, text, lengths[i]);
		to += lengths[i];
		text += lengths[i];
	}
}

static noinline void special_entry(const struct session_syscalls *syscalls, const struct call *call,
				   struct pt_regs *regs)
{
	unsigned long args[NR_ARGS];
	struct trace_record record;
	u32 lengths[NR_ARGS], bytes = 0;
	u8 *text = NULL, *payload;

	syscall_get_arguments(current, regs, args);
	if (call->entry_id == OPROF_KTRACE_NO_EVENT ||
	    !trace_compares(&syscalls->comparisons[call - syscalls->calls].entry, args))
		return;
	if (call->strings) {
		text = this_cpu_ptr(syscalls->strings)->text;
		bytes = read_strings(call, args, text, lengths);
	}
	payload = trace_reserve(&record, syscalls->cpus, call->entry_id, call->entry_bytes + bytes);
	if (!payload)
		return;
	write_with_strings(call, args, text, lengths, payload);
	trace_commit(&record);
}

static noinline void unknown_entry(const struct session_syscalls *syscalls, struct pt_regs *regs,
				   long number)
{
	struct unknown_entry *payload, entry = {.number = number};
	struct trace_record record;

	if (syscalls->unknown_entry_id == OPROF_KTRACE_NO_EVENT)
		return;
	syscall_get_arguments(current, regs, entry.args);
	payload = trace_reserve(&record, syscalls->cpus, syscalls->unknown_entry_id, sizeof(entry));
	if (!payload)
		return;
	memcpy(payload, &entry, sizeof(entry));
	trace_commit(&record);
}

static __always_inline void write_args(const struct call *call, struct pt_regs *regs, u8 *to)
{
	u32 i;

	for (i = 0; i < call->nr_args; i++)
		to = write_arg(to, compat_syscall_argument(regs, i), call->arg_bytes[i]);
}

static noinline __flatten void record_entry(const struct session_syscalls *syscalls,
					    struct pt_regs *regs, long number)
{
	struct trace_record record __uninitialized;
	const struct call *call;
	u8 *payload;

	preempt_disable_notrace();
	call = call_of(syscalls, number);
	if (unlikely(!call || call->way == WAY_UNKNOWN)) {
		unknown_entry(syscalls, regs, number);
	} else if (unlikely(call->way == WAY_SPECIAL)) {
		special_entry(syscalls, call, regs);
	} else {
		payload = trace_reserve(&record, syscalls->cpus, call->entry_id, call->entry_bytes);
		if (likely(payload)) {
			if (call->nr_args)
				write_args(call, regs, payload);
			trace_commit(&record);
		}
	}
	preempt_enable_notrace();
}

/*
 * In a stopped session, this function reads only the session's state. The
 * session exists as long as its probe is registered.
 */
static noinline void enter_slow(const struct session_syscalls *syscalls, struct pt_regs *regs,
				long number)
{
	if (trace_wants(syscalls->session, current, NULL))
		record_entry(syscalls, regs, number);
}

static __always_inline bool write_entry(const struct session_syscalls *syscalls,
					const struct call *call, enum ring_clock clock,
					bool extended, struct pt_regs *regs)
{
	struct trace_record record __uninitialized;

	if (unlikely(!trace_try(&record, syscalls->cpus, clock, extended, call->entry_id,
				call->entry_bytes)))
		return false;
	if (call->nr_args)
		write_args(call, regs, record.slot.payload);
	trace_commit(&record);
	return true;
}

/*
 * The path that nearly all system calls take. Everything except reading the
 * clock is inline. The code exists twice, once for each kind of record header.
 * Returns false if the call needs the slow path; then nothing was done.
 */
static __always_inline bool enter_fast(const struct session_syscalls *syscalls,
				       enum ring_clock clock, struct pt_regs *regs, long number)
{
	const struct call *call = &syscalls->calls[number];
	enum way way = way_of(syscalls, number);

	if (likely(way == WAY_EXTENDED))
		return write_entry(syscalls, call, clock, true, regs);
	return way == WAY_COMPACT && write_entry(syscalls, call, clock, false, regs);
}

static __always_inline void enter_by(const struct session_syscalls *syscalls, enum ring_clock clock,
				     struct pt_regs *regs, long number)
{
	bool is_done;

	compat_syscall_probe_begin();
	is_done = enter_fast(syscalls, clock, regs, number);
	compat_syscall_probe_end();
	if (unlikely(!is_done))
		enter_slow(syscalls, regs, number);
}

static void probe_enter_counter(void *data, struct pt_regs *regs, long number)
{
	enter_by(data, RING_CLOCK_COUNTER, regs, number);
}

static void probe_enter_monotonic(void *data, struct pt_regs *regs, long number)
{
	enter_by(data, RING_CLOCK_MONOTONIC, regs, number);
}

/* ---- exit ---- */

static noinline void unknown_exit(const struct session_syscalls *syscalls, long number, long ret)
{
	const struct unknown_exit exit = {number, ret};
	struct trace_record record;
	void *payload;

	if (syscalls->unknown_exit_id == OPROF_KTRACE_NO_EVENT)
		return;
	payload = trace_reserve(&record, syscalls->cpus, syscalls->unknown_exit_id, sizeof(exit));
	if (!payload)
		return;
	memcpy(payload, &exit, sizeof(exit));
	trace_commit(&record);
}

static noinline bool is_exit_wanted(const struct session_syscalls *syscalls,
				    const struct call *call, s64 ret)
{
	return call->exit_id != OPROF_KTRACE_NO_EVENT &&
	       trace_compares(&syscalls->comparisons[call - syscalls->calls].exit, &ret);
}

static noinline __flatten void record_exit(const struct session_syscalls *syscalls,
					   struct pt_regs *regs, long ret)
{
	long number = syscall_get_nr(current, regs);
	struct trace_record record __uninitialized;
	const struct call *call;
	u8 *payload;

	preempt_disable_notrace();
	call = call_of(syscalls, number);
	if (unlikely(!call || call->way == WAY_UNKNOWN)) {
		unknown_exit(syscalls, number, ret);
	} else if (likely(call->way != WAY_SPECIAL) || is_exit_wanted(syscalls, call, ret)) {
		payload = trace_reserve(&record, syscalls->cpus, call->exit_id, sizeof(ret));
		if (likely(payload)) {
			memcpy(payload, &ret, sizeof(ret));
			trace_commit(&record);
		}
	}
	preempt_enable_notrace();
}

static noinline void exit_slow(const struct session_syscalls *syscalls, struct pt_regs *regs,
			       long ret)
{
	if (trace_wants(syscalls->session, current, NULL))
		record_exit(syscalls, regs, ret);
}

static __always_inline bool write_exit(const struct session_syscalls *syscalls,
				       const struct call *call, enum ring_clock clock,
				       bool extended, long ret)
{
	struct trace_record record __uninitialized;

	if (unlikely(!trace_try(&record, syscalls->cpus, clock, extended, call->exit_id,
				sizeof(ret))))
		return false;
	memcpy(record.slot.payload, &ret, sizeof(ret));
	trace_commit(&record);
	return true;
}

static __always_inline bool exit_fast(const struct session_syscalls *syscalls,
				      enum ring_clock clock, struct pt_regs *regs, long ret)
{
	long number = syscall_get_nr(current, regs);
	const struct call *call = &syscalls->calls[number];
	enum way way = way_of(syscalls, number);

	if (likely(way == WAY_EXTENDED))
		return write_exit(syscalls, call, clock, true, ret);
	return way == WAY_COMPACT && write_exit(syscalls, call, clock, false, ret);
}

static __always_inline void exit_by(const struct session_syscalls *syscalls, enum ring_clock clock,
				    struct pt_regs *regs, long ret)
{
	bool is_done;

	compat_syscall_probe_begin();
	is_done = exit_fast(syscalls, clock, regs, ret);
	compat_syscall_probe_end();
	if (unlikely(!is_done))
		exit_slow(syscalls, regs, ret);
}

static void probe_exit_counter(void *data, struct pt_regs *regs, long ret)
{
	exit_by(data, RING_CLOCK_COUNTER, regs, ret);
}

static void probe_exit_monotonic(void *data, struct pt_regs *regs, long ret)
{
	exit_by(data, RING_CLOCK_MONOTONIC, regs, ret);
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sys_enter(probe_enter_counter);
	check_trace_callback_type_sys_enter(probe_enter_monotonic);
	check_trace_callback_type_sys_exit(probe_exit_counter);
	check_trace_callback_type_sys_exit(probe_exit_monotonic);
}

/* There are probes for each clock. All channels have the same clock, which never changes. */
static void *enter_of_clock(void)
{
	return stamp_clock() == RING_CLOCK_COUNTER ? probe_enter_counter : probe_enter_monotonic;
}

static void *exit_of_clock(void)
{
	return stamp_clock() == RING_CLOCK_COUNTER ? probe_exit_counter : probe_exit_monotonic;
}

/* ---- the calls of a session ---- */

bool trace_syscalls_known(void)
{
	return trace_tracepoint_find("sys_enter") && trace_tracepoint_find("sys_exit");
}

static bool is_recordable(u32 id)
{
	return id == OPROF_KTRACE_NO_EVENT || trace_is_event_id(id);
}

static int add_arg(struct call *call, const struct oprof_ktrace_syscall *from, unsigned int i)
{
	unsigned int bytes = from->arg_bytes[i];

	if (from->strings & (1u << i))
		bytes = 0;
	else if (bytes > 8 || (bytes & (bytes - 1)))
		return -EINVAL;
	call->arg_bytes[i] = (u8)bytes;
	call->entry_bytes = (u16)(call->entry_bytes + bytes);
	if (bytes || from->strings & (1u << i))
		call->nr_args = (u8)(i + 1);
	return 0;
}

static bool is_special(const struct oprof_ktrace_syscall *from)
{
	return from->strings || from->entry.op || from->exit.op ||
	       from->entry_id == OPROF_KTRACE_NO_EVENT || from->exit_id == OPROF_KTRACE_NO_EVENT;
}

static enum way way_for(const struct oprof_ktrace_syscall *from)
{
	bool is_extended = ring_is_extended(from->entry_id, 0);

	if (is_special(from) || ring_is_extended(from->exit_id, 0) != is_extended)
		return WAY_SPECIAL;
	return is_extended ? WAY_EXTENDED : WAY_COMPACT;
}

static int fill_call(struct call *call, struct comparisons *comparisons,
		     const struct oprof_ktrace_syscall *from)
{
	unsigned int i;

	if (!from->is_known)
		return 0;
	if (!is_recordable(from->entry_id) || !is_recordable(from->exit_id) ||
	    from->strings >> NR_ARGS || !trace_is_comparison(&from->entry, NR_ARGS * sizeof(u64)) ||
	    !trace_is_comparison(&from->exit, sizeof(s64)))
		return -EINVAL;
	for (i = 0; i < NR_ARGS; i++) {
		if (add_arg(call, from, i))
			return -EINVAL;
	}
	call->entry_id = from->entry_id;
	call->exit_id = from->exit_id;
	call->way = (u8)way_for(from);
	call->strings = from->strings;
	comparisons->entry = from->entry;
	comparisons->exit = from->exit;
	return 0;
}

static int fill_calls(struct session_syscalls *syscalls, const struct oprof_ktrace_syscalls *from)
{
	const struct oprof_ktrace_syscall __user *calls = u64_to_user_ptr(from->calls);
	struct oprof_ktrace_syscall call;
	bool any_strings = false;
	u32 i;

	syscalls->comparisons =
		kvcalloc(from->nr_calls, sizeof(*syscalls->comparisons), GFP_KERNEL);
	if (!syscalls->comparisons && from->nr_calls)
		return -ENOMEM;
	for (i = 0; i < from->nr_calls; i++) {
		if (copy_from_user(&call, &calls[i], sizeof(call)))
			return -EFAULT;
		if (fill_call(&syscalls->calls[i], &syscalls->comparisons[i], &call))
			return -EINVAL;
		any_strings |= syscalls->calls[i].strings != 0;
		cond_resched();
	}
	if (any_strings)
		syscalls->strings = alloc_percpu(struct call_strings);
	return any_strings && !syscalls->strings ? -ENOMEM : 0;
}

static void syscalls_free(struct session_syscalls *syscalls)
{
	if (syscalls) {
		free_percpu(syscalls->strings);
		kvfree(syscalls->comparisons);
	}
	kvfree(syscalls);
}

static int syscalls_register(struct session_syscalls *syscalls)
{
	int error;

	syscalls->enter = trace_tracepoint_find("sys_enter");
	syscalls->exit = trace_tracepoint_find("sys_exit");
	if (!syscalls->enter || !syscalls->exit)
		return -ENOENT;
	error = tracepoint_probe_register(syscalls->enter, enter_of_clock(), syscalls);
	if (error)
		return error;
	error = tracepoint_probe_register(syscalls->exit, exit_of_clock(), syscalls);
	if (!error)
		return 0;
	(void)tracepoint_probe_unregister(syscalls->enter, enter_of_clock(), syscalls);
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	return error;
}

static int syscalls_create(struct trace_session *session, const struct oprof_ktrace_syscalls *from,
			   struct session_syscalls **created)
{
	struct session_syscalls *syscalls =
		kvzalloc(struct_size(syscalls, calls, from->nr_calls), GFP_KERNEL);
	int error;

	if (!syscalls)
		return -ENOMEM;
	syscalls->session = session;
	syscalls->cpus = session->channels[from->channel]->cpus;
	syscalls->unknown_entry_id = from->unknown_entry_id;
	syscalls->unknown_exit_id = from->unknown_exit_id;
	syscalls->nr_calls = from->nr_calls;
	error = fill_calls(syscalls, from);
	if (!error)
		error = syscalls_register(syscalls);
	if (error)
		syscalls_free(syscalls);
	else
		*created = syscalls;
	return error;
}

static void follow_state(struct trace_session *session)
{
	struct session_syscalls *syscalls = session->syscalls;

	if (syscalls)
		WRITE_ONCE(syscalls->nr_fast,
			   session->state == TRACE_ACTIVE ? syscalls->nr_calls : 0);
}

int trace_syscalls_add(struct trace_session *session, const struct oprof_ktrace_syscalls *call)
{
	int error;

	if (session->is_finalised)
		return -ESHUTDOWN;
	if (session->syscalls)
		return -EEXIST;
	if (call->channel >= session->nr_channels || call->nr_calls > OPROF_KTRACE_SYSCALLS_MAX ||
	    !is_recordable(call->unknown_entry_id) || !is_recordable(call->unknown_exit_id))
		return -EINVAL;
	error = syscalls_create(session, call, &session->syscalls);
	if (!error)
		follow_state(session);
	return error;
}

void trace_syscalls_set_state(struct trace_session *session, u32 state)
{
	smp_store_release(&session->state, state);
	follow_state(session);
}

void trace_syscalls_unregister(struct trace_session *session)
{
	struct session_syscalls *syscalls = session->syscalls;

	if (!syscalls)
		return;
	(void)tracepoint_probe_unregister(syscalls->enter, enter_of_clock(), syscalls);
	(void)tracepoint_probe_unregister(syscalls->exit, exit_of_clock(), syscalls);
}

void trace_syscalls_free(struct trace_session *session)
{
	syscalls_free(session->syscalls);
	session->syscalls = NULL;
}
