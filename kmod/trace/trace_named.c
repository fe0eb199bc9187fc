// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records any tracepoint by means of perf: the tracepoint's perf event on each
 * CPU has a handler, which receives the raw record. The call that registers the
 * tracepoint describes pieces of the raw record. The handler copies these
 * pieces into a record of the ring.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kmod/trace/trace_counters.h"
#include "kmod/trace/trace_named.h"
#include "kmod/trace/trace_write.h"

/* Offsets within a raw record have 16 bits. */
#define RAW_BYTES_MAX 65536u

struct trace_named {
	struct list_head entry; /* in the session's list */
	struct trace_event event;
	struct trace_counters counters;
	u32 nr_copies;
	struct oprof_ktrace_copy copies[];
};

struct raw {
	const u8 *bytes;
	u32 nr_bytes;
};

/* ---- records ---- */

/*
 * A piece of a raw record: its position, the number of bytes to copy, and the
 * number of bytes written to the ring's record, including a string's NUL or a
 * sequence's length.
 */
struct piece {
	const u8 *bytes;
	u32 nr_bytes;
	u32 nr_written;
};

static bool is_within(const struct raw *raw, u32 offset, u32 nr_bytes)
{
	return offset <= raw->nr_bytes && nr_bytes <= raw->nr_bytes - offset;
}

static bool find_elsewhere(const struct raw *raw, const struct oprof_ktrace_copy *copy,
			   struct piece *piece)
{
	u32 word, offset, length;

	if (!is_within(raw, copy->offset, sizeof(word)))
		return false;
	memcpy(&word, raw->bytes + copy->offset, sizeof(word));
	offset = (word & 0xffff) + (copy->is_relative ? copy->offset + (u32)sizeof(word) : 0);
	length = word >> 16;
	if (!is_within(raw, offset, length))
		return false;
	piece->bytes = raw->bytes + offset;
	if (copy->kind == OPROF_KTRACE_COPY_STRING) {
		length = min(length, OPROF_KTRACE_STRING_BYTES_MAX - 1);
		piece->nr_bytes = (u32)strnlen((const char *)piece->bytes, length);
		piece->nr_written = piece->nr_bytes + 1;
	} else {
		length = min(length, OPROF_KTRACE_STRING_BYTES_MAX);
		piece->nr_bytes = length - length % copy->bytes;
		piece->nr_written = piece->nr_bytes + (u32)sizeof(u16);
	}
	return true;
}

static bool find(const struct raw *raw, const struct oprof_ktrace_copy *copy, struct piece *piece)
{
	if (copy->kind != OPROF_KTRACE_COPY_STRETCH)
		return find_elsewhere(raw, copy, piece);
	piece->bytes = raw->bytes + copy->offset;
	piece->nr_bytes = piece->nr_written = copy->bytes;
	return is_within(raw, copy->offset, copy->bytes);
}

/*
 * Computes the size of the payload. Returns false if the raw record does not
 * have all pieces. The raw record does not change between this call and
 * write_pieces().
 */
static bool count_bytes(const struct trace_named *named, const struct raw *raw, u32 *nr_bytes)
{
	struct piece piece;
	u32 i;

	*nr_bytes = 0;
	for (i = 0; i < named->nr_copies; i++) {
		if (!find(raw, &named->copies[i], &piece))
			return false;
		*nr_bytes += piece.nr_written;
	}
	return true;
}

static void write_pieces(const struct trace_named *named, const struct raw *raw, u8 *to)
{
	struct piece piece = {};
	u32 i;

	for (i = 0; i < named->nr_copies; i++) {
		const struct oprof_ktrace_copy *copy = &named->copies[i];

		(void)find(raw, copy, &piece);
		if (copy->kind == OPROF_KTRACE_COPY_SEQUENCE) {
			u16 nr = (u16)(piece.nr_bytes / copy->bytes);

			memcpy(to, &nr, sizeof(nr));
			memcpy(to + sizeof(nr), piece.bytes, piece.nr_bytes);
		} else {
			memcpy(to, piece.bytes, piece.nr_bytes);
		}
		if (copy->kind == OPROF_KTRACE_COPY_STRING)
			to[piece.nr_bytes] = 0;
		to += piece.nr_written;
	}
}

static void lose(const struct trace_named *named)
{
	struct ring *ring = &this_cpu_ptr(named->event.cpus)->ring;

	(void)ring_lose(ring, OPROF_LOST_TOO_BIG, -EMSGSIZE);
}

static void record(const struct trace_named *named, const struct raw *raw)
{
	const struct trace_event *event = &named->event;
	struct trace_record record;
	u32 nr_bytes;
	u8 *payload;

	if (!is_within(raw, event->compare.offset, event->compare.bytes) ||
	    !count_bytes(named, raw, &nr_bytes)) {
		lose(named);
		return;
	}
	if (!trace_compares(&event->compare, raw->bytes))
		return;
	payload = trace_reserve(&record, event->cpus, event->id, nr_bytes);
	if (!payload)
		return;
	write_pieces(named, raw, payload);
	trace_commit(&record);
}

static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct trace_named *named = event->overflow_handler_context;
	struct raw raw;

	preempt_disable_notrace();
	if (trace_wants(named->event.session, current, NULL)) {
		if (data->raw) {
			raw = (struct raw){data->raw->frag.data, data->raw->frag.size};
			record(named, &raw);
		} else {
			lose(named);
		}
	}
	preempt_enable_notrace();
}

/* ---- tracepoints of a session ---- */

static bool is_copy(const struct oprof_ktrace_copy *copy)
{
	if (copy->kind >= OPROF_KTRACE_NR_COPIES || copy->is_relative > 1 || copy->reserved ||
	    copy->offset >= RAW_BYTES_MAX || copy->bytes > RAW_BYTES_MAX)
		return false;
	return copy->kind != OPROF_KTRACE_COPY_SEQUENCE || copy->bytes == 1 || copy->bytes == 2 ||
	       copy->bytes == 4 || copy->bytes == 8;
}

static int get_copies(struct trace_named *named, const struct oprof_ktrace_named *call)
{
	u32 i;

	if (copy_from_user(named->copies, u64_to_user_ptr(call->copies),
			   call->nr_copies * sizeof(named->copies[0])))
		return -EFAULT;
	for (i = 0; i < call->nr_copies; i++) {
		if (!is_copy(&named->copies[i]))
			return -EINVAL;
	}
	named->nr_copies = call->nr_copies;
	return 0;
}

static int named_create(struct trace_session *session, const struct oprof_ktrace_named *call,
			struct trace_named *named)
{
	int error = trace_event_init(&named->event, session, call->channel, call->event_id,
				     &call->compare, RAW_BYTES_MAX);

	/* record() relies on offset 0 and size 0 if there is no comparison. */
	if (named->event.compare.op == OPROF_KTRACE_ANY)
		named->event.compare = (struct oprof_ktrace_compare){};
	if (!error)
		error = get_copies(named, call);
	if (error)
		return error;
	named->counters = (struct trace_counters){
		.attr = {.type = PERF_TYPE_TRACEPOINT,
			 .size = sizeof(named->counters.attr),
			 .config = call->tracepoint,
			 .sample_period = 1,
			 .sample_type = PERF_SAMPLE_RAW,
			 .disabled = 1},
		.handler = overflow,
		.context = named,
		.enabled = session->state & TRACE_ACTIVE,
	};
	return trace_counters_create(&named->counters);
}

int trace_named_add(struct trace_session *session, const struct oprof_ktrace_named *call)
{
	struct trace_named *named;
	int error;

	if (session->nr_named == OPROF_KTRACE_NAMED_MAX)
		return -ENOSPC;
	if (call->nr_copies > OPROF_KTRACE_COPIES_MAX)
		return -EINVAL;
	named = kvzalloc(struct_size(named, copies, call->nr_copies), GFP_KERNEL);
	if (!named)
		return -ENOMEM;
	error = named_create(session, call, named);
	if (error) {
		synchronize_rcu(); /* handlers on some CPUs may have used `named` */
		kvfree(named);
		return error;
	}
	list_add_tail(&named->entry, &session->named);
	session->nr_named++;
	return 0;
}

void trace_named_enable(struct trace_session *session, bool enable)
{
	struct trace_named *named;

	/* trace_counters_enable() cannot fail here, since the events are not pinned. */
	list_for_each_entry(named, &session->named, entry)(void)
		trace_counters_enable(&named->counters, enable);
}

void trace_named_tend(struct trace_session *session)
{
	struct trace_named *named;

	list_for_each_entry(named, &session->named, entry) trace_counters_tend(&named->counters);
}

void trace_named_unregister(struct trace_session *session)
{
	struct trace_named *named;

	list_for_each_entry(named, &session->named, entry) trace_counters_destroy(&named->counters);
}

void trace_named_free(struct trace_session *session)
{
	struct trace_named *named, *next;

	list_for_each_entry_safe(named, next, &session->named, entry)
	{
		list_del(&named->entry);
		kvfree(named);
	}
}
