// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/perf_normal.h"

#include "daemon/perf/perf_regs.h"
#include "lib/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The fields of a sample that are kept, in the order of perf_event_open(2). */
struct sample {
	uint64_t id, ip, time_ns, period, cgroup;
	uint32_t pid, tid, cpu;
	const uint8_t *chain; /* nr_chain words */
	uint64_t nr_chain;
	uint64_t regs_abi;
	const uint8_t *regs; /* one word per bit of the event's mask */
	const uint8_t *stack;
	uint64_t stack_bytes;
};

static void read_pair(struct cursor *cursor, uint32_t *first, uint32_t *second)
{
	uint64_t both = cursor_u64(cursor);
	uint32_t halves[2];

	memcpy(halves, &both, sizeof(halves));
	*first = halves[0];
	*second = halves[1];
}

/* ---- events ---- */

/*
 * If sample_id_all is set, records that are not samples also have these fields, in a trailer at the
 * end of the record.
 */
#define TRAILER_TYPES                                                                              \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Returns the position of the id in a sample, in words from its beginning; -1: no id. */
static int id_position(uint64_t type)
{
	int position = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	for (uint64_t bit = PERF_SAMPLE_IP; bit <= PERF_SAMPLE_ADDR; bit <<= 1)
		position += (type & bit) != 0;
	return position;
}

static uint64_t trailer_type(const struct perf_file_event *event)
{
	return event->attr.sample_id_all ? event->attr.sample_type & TRAILER_TYPES : 0;
}

/* Returns the position of the id in a trailer, in words from the record's end; 0: no id. */
static size_t trailer_id_position(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(type & PERF_SAMPLE_ID))
		return 0;
	return (size_t)1 + !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_STREAM_ID);
}

static const struct perf_file_event *event_of_id(const struct perf_normal *normal, uint64_t id)
{
	uint16_t index = perf_ids_find(&normal->ids, id);

	return index < normal->file->nr_events ? &normal->file->events[index] : NULL;
}

/*
 * Returns the event of a sample: the only event of the file, or the event whose id the sample has.
 * The id is at the same position in the samples of all events. NULL: there is no event with this
 * id.
 */
static const struct perf_file_event *event_of_sample(const struct perf_normal *normal,
						     const struct perf_event_header *record)
{
	const struct perf_file_event *first = &normal->file->events[0];
	int position = id_position(first->attr.sample_type);
	uint64_t id;

	if (normal->file->nr_events == 1 || position < 0)
		return first;
	if (sizeof(*record) + ((size_t)position + 1) * 8 > record->size)
		return NULL;
	memcpy(&id, (const uint8_t *)(record + 1) + (size_t)position * 8, sizeof(id));
	return event_of_id(normal, id);
}

/* ---- samples ---- */

/* Skips the values of the event's counters, which have the layout of read(). */
static void pass_read(struct cursor *cursor, uint64_t format)
{
	uint64_t nr_times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t nr_each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1u << 4)); /* _LOST */
	uint64_t nr = 1;

	if (format & PERF_FORMAT_GROUP)
		nr = cursor_u64(cursor);
	if (nr > PERF_NORMAL_BYTES_MAX / 8)
		cursor_fail(cursor);
	else
		cursor_skip(cursor, (nr_times + nr * nr_each) * 8);
}

static void read_chain(struct cursor *cursor, struct sample *sample)
{
	sample->nr_chain = cursor_u64(cursor);
	if (sample->nr_chain > PERF_NORMAL_BYTES_MAX / 8) {
		cursor_fail(cursor);
		return;
	}
	sample->chain = cursor_take(cursor, sample->nr_chain * 8);
}

static void pass_branches(struct cursor *cursor, uint64_t type)
{
	uint64_t nr = cursor_u64(cursor);

	if (type & (1u << 17)) /* PERF_SAMPLE_BRANCH_HW_INDEX */
		(void)cursor_u64(cursor);
	if (nr > PERF_NORMAL_BYTES_MAX / 24)
		cursor_fail(cursor);
	else
		cursor_skip(cursor, nr * 24);
}

static void read_regs(struct cursor *cursor, uint64_t mask, uint64_t *abi, const uint8_t **regs)
{
	*abi = cursor_u64(cursor);
	*regs = NULL;
	if (*abi != PERF_SAMPLE_REGS_ABI_NONE)
		*regs = cursor_take(cursor, (uint64_t)__builtin_popcountll(mask) * 8);
}

static void read_stack(struct cursor *cursor, struct sample *sample)
{
	uint64_t room = cursor_u64(cursor);

	if (!room)
		return;
	sample->stack = cursor_take(cursor, room);
	sample->stack_bytes = cursor_u64(cursor);
	if (sample->stack_bytes > room)
		cursor_fail(cursor);
}

static void read_first(struct cursor *cursor, uint64_t type, struct sample *sample)
{
	uint32_t unused;

	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_IP)
		sample->ip = cursor_u64(cursor);
	if (type & PERF_SAMPLE_TID)
		read_pair(cursor, &sample->pid, &sample->tid);
	if (type & PERF_SAMPLE_TIME)
		sample->time_ns = cursor_u64(cursor);
	if (type & PERF_SAMPLE_ADDR)
		(void)cursor_u64(cursor);
	if (type & PERF_SAMPLE_ID)
		sample->id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		(void)cursor_u64(cursor);
	if (type & PERF_SAMPLE_CPU)
		read_pair(cursor, &sample->cpu, &unused);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = cursor_u64(cursor);
}

static void read_rest(struct cursor *cursor, const struct perf_event_attr *attr,
		      struct sample *sample)
{
	uint64_t type = attr->sample_type;
	const uint8_t *regs;
	uint64_t abi;

	if (type & PERF_SAMPLE_READ)
		pass_read(cursor, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_chain(cursor, sample);
	if (type & PERF_SAMPLE_RAW)
		cursor_skip(cursor, cursor_u32(cursor));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		pass_branches(cursor, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		read_regs(cursor, attr->sample_regs_user, &sample->regs_abi, &sample->regs);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(cursor, sample);
	if (type & (PERF_SAMPLE_WEIGHT | 1u << 24)) /* _WEIGHT_STRUCT */
		(void)cursor_u64(cursor);
	if (type & PERF_SAMPLE_DATA_SRC)
		(void)cursor_u64(cursor);
	if (type & PERF_SAMPLE_TRANSACTION)
		(void)cursor_u64(cursor);
	if (type & PERF_SAMPLE_REGS_INTR)
		read_regs(cursor, attr->sample_regs_intr, &abi, &regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		(void)cursor_u64(cursor);
	if (type & PERF_SAMPLE_CGROUP)
		sample->cgroup = cursor_u64(cursor);
	/* The fields that follow are not needed. */
}

/* ---- writing ---- */

struct field_writer {
	uint8_t *next, *end;
	bool is_full;
};

static void put(struct field_writer *writer, const void *bytes, size_t nr_bytes)
{
	if ((size_t)(writer->end - writer->next) < nr_bytes) {
		writer->is_full = true;
		return;
	}
	if (nr_bytes)
		memcpy(writer->next, bytes, nr_bytes);
	writer->next += nr_bytes;
}

static void put_u64(struct field_writer *writer, uint64_t value)
{
	put(writer, &value, sizeof(value));
}

static void put_pair(struct field_writer *writer, uint32_t first, uint32_t second)
{
	const uint32_t halves[2] = {first, second};

	put(writer, halves, sizeof(halves));
}

static struct field_writer begin(struct perf_normal *normal)
{
	uint8_t *out = (uint8_t *)normal->out;

	return (struct field_writer){out + sizeof(struct perf_event_header),
				     out + PERF_NORMAL_BYTES_MAX, false};
}

static int end(struct perf_normal *normal, const struct field_writer *writer, uint32_t type,
	       uint16_t misc, const struct perf_event_header **made)
{
	struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(writer->next - (uint8_t *)normal->out),
	};

	if (writer->is_full)
		return -EILSEQ;
	memcpy(normal->out, &header, sizeof(header));
	*made = (const struct perf_event_header *)normal->out;
	return 0;
}

/* Writes the registers in regs_mask, if the event has all of them. */
static void put_regs(struct perf_normal *normal, struct field_writer *writer,
		     const struct perf_event_attr *attr, const struct sample *sample)
{
	uint64_t mask = normal->regs_mask;

	if (!sample->regs || (attr->sample_regs_user & mask) != mask) {
		put_u64(writer, PERF_SAMPLE_REGS_ABI_NONE);
		return;
	}
	put_u64(writer, sample->regs_abi);
	for (unsigned int bit = 0, at = 0; bit < 64; bit++) {
		if (!(attr->sample_regs_user >> bit & 1))
			continue;
		if (mask >> bit & 1)
			put(writer, sample->regs + (size_t)at * 8, 8);
		at++;
	}
}

static void put_stack(struct field_writer *writer, const struct sample *sample)
{
	static const uint8_t zeros[8];
	uint64_t nr_bytes = sample->stack ? sample->stack_bytes : 0;
	uint64_t room = (nr_bytes + 7) & ~UINT64_C(7);

	put_u64(writer, room);
	if (!room)
		return;
	put(writer, sample->stack, nr_bytes);
	put(writer, zeros, room - nr_bytes);
	put_u64(writer, nr_bytes);
}

static uint64_t id_out(const struct perf_normal *normal, const struct perf_file_event *event)
{
	return (uint64_t)(event - normal->file->events) + 1;
}

static int write_sample(struct perf_normal *normal, const struct perf_file_event *event,
			const struct perf_event_header *record, const struct sample *sample,
			const struct perf_event_header **made)
{
	struct field_writer writer = begin(normal);
	uint64_t period = event->attr.sample_type & PERF_SAMPLE_PERIOD ? sample->period
			  : event->attr.freq			       ? 1
								       : event->attr.sample_period;

	put_u64(&writer, id_out(normal, event));
	put_u64(&writer, sample->ip);
	put_pair(&writer, sample->pid, sample->tid);
	put_u64(&writer, sample->time_ns);
	put_pair(&writer, sample->cpu, 0);
	put_u64(&writer, period ? period : 1);
	if (normal->sample_type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(&writer, sample->chain ? sample->nr_chain : 0);
		put(&writer, sample->chain, sample->chain ? sample->nr_chain * 8 : 0);
	}
	if (normal->sample_type & PERF_SAMPLE_REGS_USER) {
		put_regs(normal, &writer, &event->attr, sample);
		put_stack(&writer, sample);
	}
	if (normal->sample_type & PERF_SAMPLE_CGROUP)
		put_u64(&writer, sample->cgroup);
	return end(normal, &writer, PERF_RECORD_SAMPLE, record->misc, made);
}

static int normal_sample(struct perf_normal *normal, const struct perf_event_header *record,
			 const struct perf_event_header **made, uint64_t *time_ns)
{
	const struct perf_file_event *event = event_of_sample(normal, record);
	struct cursor cursor = {.at = (const uint8_t *)(record + 1),
				.end = (const uint8_t *)record + record->size};
	struct sample sample = {.pid = UINT32_MAX, .tid = UINT32_MAX};

	if (!event)
		return -EILSEQ;
	read_first(&cursor, event->attr.sample_type, &sample);
	*time_ns = sample.time_ns;
	read_rest(&cursor, &event->attr, &sample);
	return cursor.failed ? -EILSEQ : write_sample(normal, event, record, &sample, made);
}

/* ---- other records ---- */

/* Writes the fields of a trailer that the state uses, in the kernel's order. */
static void put_trailer(struct field_writer *writer, const struct sample *sample, uint64_t id)
{
	put_pair(writer, sample->pid, sample->tid);
	put_u64(writer, sample->time_ns);
	put_pair(writer, sample->cpu, 0);
	put_u64(writer, id);
}

/*
 * Returns the event that determines the layout of the record's trailer. Records that perf itself
 * makes have no id and use the first event's layout. If the word at the id's position in such a
 * record happens to equal an id, the wrong event is returned; this error cannot be detected.
 */
static const struct perf_file_event *event_of_trailer(const struct perf_normal *normal,
						      const struct perf_event_header *record)
{
	const struct perf_file_event *first = &normal->file->events[0];
	const struct perf_file_event *event;
	uint64_t id;
	size_t back;

	if (!normal->mixed_trailers)
		return first;
	back = trailer_id_position(trailer_type(first)) * sizeof(id);
	if (back > record->size - sizeof(*record))
		return first;
	memcpy(&id, (const uint8_t *)record + record->size - back, sizeof(id));
	event = event_of_id(normal, id);
	return event ? event : first;
}

/* Reads the trailer at the end of record. Returns its size; SIZE_MAX: the record is too short. */
static size_t read_trailer(const struct perf_normal *normal, const struct perf_event_header *record,
			   struct sample *trailer)
{
	uint64_t type = trailer_type(event_of_trailer(normal, record));
	size_t nr_bytes = (size_t)__builtin_popcountll(type) * 8;
	struct cursor cursor;
	uint32_t unused;

	*trailer = (struct sample){.pid = UINT32_MAX, .tid = UINT32_MAX};
	if (nr_bytes > record->size - sizeof(*record))
		return SIZE_MAX;
	cursor = (struct cursor){.at = (const uint8_t *)record + record->size - nr_bytes,
				 .end = (const uint8_t *)record + record->size};
	if (type & PERF_SAMPLE_TID)
		read_pair(&cursor, &trailer->pid, &trailer->tid);
	if (type & PERF_SAMPLE_TIME)
		trailer->time_ns = cursor_u64(&cursor);
	if (type & PERF_SAMPLE_ID)
		trailer->id = cursor_u64(&cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		(void)cursor_u64(&cursor);
	if (type & PERF_SAMPLE_CPU)
		read_pair(&cursor, &trailer->cpu, &unused);
	if (type & PERF_SAMPLE_IDENTIFIER)
		trailer->id = cursor_u64(&cursor);
	return nr_bytes;
}

/*
 * An MMAP2 record has pid, tid, start, length and offset, then 24 bytes with device and inode or
 * with a build-id, then prot, flags and path. Device and inode mean nothing on another machine, but
 * a build-id does. The author of the recording can choose all of them; therefore the import takes
 * no build-id, size or time from a file with this path (names_only in image_alias.h).
 */
#define MMAP2_IDENTITY 32
#define MMAP2_PATH     (MMAP2_IDENTITY + 24 + 8)

/*
 * Returns whether the record has a build-id. perf sometimes sets the flag on records with device
 * and inode, so the size of the build-id is also checked.
 */
static bool has_build_id(const uint8_t *body, size_t nr_bytes, uint16_t misc)
{
	return misc & PERF_RECORD_MISC_MMAP_BUILD_ID && nr_bytes > MMAP2_PATH &&
	       (body[MMAP2_IDENTITY] == 20 || body[MMAP2_IDENTITY] == 16);
}

static void put_mmap2(struct perf_normal *normal, struct field_writer *writer, const uint8_t *body,
		      size_t nr_bytes, uint16_t *misc)
{
	const struct perf_file_build_id *id = NULL;
	uint8_t identity[24] = {0};

	if (!has_build_id(body, nr_bytes, *misc))
		*misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (nr_bytes > MMAP2_PATH && !(*misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		id = perf_file_build_id(normal->file, (const char *)body + MMAP2_PATH,
					nr_bytes - MMAP2_PATH);
	if (!id) {
		put(writer, body, nr_bytes);
		return;
	}
	identity[0] = (uint8_t)id->nr_bytes;
	memcpy(identity + 4, id->id, id->nr_bytes);
	*misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	put(writer, body, MMAP2_IDENTITY);
	put(writer, identity, sizeof(identity));
	put(writer, body + MMAP2_IDENTITY + sizeof(identity),
	    nr_bytes - MMAP2_IDENTITY - sizeof(identity));
}

static bool is_wanted(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_CGROUP:
		return true;
	default:
		return false;
	}
}

/* Returns whether pid and tid are equal, in a record that begins with them. */
static bool is_leader(const struct perf_event_header *record)
{
	uint32_t ids[2] = {0, 1};

	if (record->size >= sizeof(*record) + sizeof(ids))
		memcpy(ids, record + 1, sizeof(ids));
	return ids[0] == ids[1];
}

static int normal_other(struct perf_normal *normal, const struct perf_event_header *record,
			const struct perf_event_header **made, uint64_t *time_ns)
{
	const struct perf_file_event *event;
	struct field_writer writer = begin(normal);
	uint16_t misc = record->misc;
	struct sample trailer;
	size_t nr_trailer = read_trailer(normal, record, &trailer);
	size_t nr_bytes;

	if (nr_trailer == SIZE_MAX)
		return -EILSEQ;
	nr_bytes = record->size - sizeof(*record) - nr_trailer;
	*time_ns = trailer.time_ns;
	/*
	 * For processes that already run, perf writes COMM records without a time, and then their
	 * mappings: such a COMM record is treated as an exec.
	 */
	if (record->type == PERF_RECORD_COMM && !trailer.time_ns && is_leader(record))
		misc |= PERF_RECORD_MISC_COMM_EXEC;
	event = event_of_id(normal, trailer.id);
	if (record->type == PERF_RECORD_MMAP2)
		put_mmap2(normal, &writer, (const uint8_t *)(record + 1), nr_bytes, &misc);
	else
		put(&writer, record + 1, nr_bytes);
	put_trailer(&writer, &trailer, event ? id_out(normal, event) : 0);
	return end(normal, &writer, record->type, misc, made);
}

int perf_normal_record(struct perf_normal *normal, const struct perf_event_header *record,
		       const struct perf_event_header **made, uint64_t *time_ns)
{
	if (record->type == PERF_RECORD_SAMPLE)
		return normal_sample(normal, record, made, time_ns);
	return is_wanted(record->type) ? normal_other(normal, record, made, time_ns) : -ENOTSUP;
}

/* ---- init ---- */

static int add_ids(struct perf_normal *normal, struct diag *diag)
{
	for (size_t i = 0; i < normal->file->nr_events; i++) {
		const struct perf_file_event *event = &normal->file->events[i];

		for (size_t j = 0; j < event->nr_ids; j++)
			if (event->ids[j] &&
			    perf_ids_add(&normal->ids, event->ids[j], (uint32_t)i) == -ENOMEM)
				return diag_set(diag, -ENOMEM, "out of memory");
	}
	return 0;
}

/* If the trailers of the events differ, all must have an id at the same position. */
static int check_trailers(struct perf_normal *normal, struct diag *diag)
{
	const struct perf_file *file = normal->file;
	uint64_t first = trailer_type(&file->events[0]);

	for (size_t i = 1; i < file->nr_events; i++) {
		uint64_t type = trailer_type(&file->events[i]);

		if (type == first)
			continue;
		normal->mixed_trailers = true;
		if (!trailer_id_position(first) ||
		    trailer_id_position(type) != trailer_id_position(first))
			return diag_set_at(
				diag, -EOPNOTSUPP, file->path, 0,
				"its events' records have different layouts and no event id");
	}
	return 0;
}

static int check_events(struct perf_normal *normal, struct diag *diag)
{
	const struct perf_file *file = normal->file;
	int position = id_position(file->events[0].attr.sample_type);

	if (file->nr_events > SOURCE_EVENTS_MAX)
		return diag_set_at(diag, -EOPNOTSUPP, file->path, 0,
				   "has %zu events: at most %d can be imported", file->nr_events,
				   SOURCE_EVENTS_MAX);
	for (size_t i = 1; i < file->nr_events; i++)
		if (position < 0 || id_position(file->events[i].attr.sample_type) != position)
			return diag_set_at(diag, -EOPNOTSUPP, file->path, 0,
					   "its samples have no event id");
	return check_trailers(normal, diag);
}

int perf_normal_init(struct perf_normal *normal, const struct perf_file *file, struct diag *diag)
{
	const struct perf_regs *regs = perf_regs_here();
	uint64_t asked = 0;
	int error;

	*normal = (struct perf_normal){.file = file, .regs_mask = regs ? regs->mask : 0};
	perf_ids_init(&normal->ids);
	error = check_events(normal, diag);
	if (error)
		return error;
	for (size_t i = 0; i < file->nr_events; i++)
		asked |= file->events[i].attr.sample_type;
	normal->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			      (asked & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP));
	if (normal->regs_mask && asked & PERF_SAMPLE_REGS_USER && asked & PERF_SAMPLE_STACK_USER)
		normal->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	else
		normal->regs_mask = 0;
	normal->out = malloc(PERF_NORMAL_BYTES_MAX);
	if (!normal->out)
		return diag_set(diag, -ENOMEM, "out of memory");
	error = add_ids(normal, diag);
	if (error)
		perf_normal_deinit(normal);
	return error;
}

void perf_normal_leave_regs(struct perf_normal *normal)
{
	normal->regs_mask = 0;
	normal->sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
}

void perf_normal_deinit(struct perf_normal *normal)
{
	perf_ids_deinit(&normal->ids);
	free(normal->out);
	normal->out = NULL;
}
