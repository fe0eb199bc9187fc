// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_parse.h"

#include "lib/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define IDS_SLOTS_MIN 64

/*
 * The type PERF_RECORD_AUX_OUTPUT_HW_ID, which older kernel headers, such as those of Debian 12, do
 * not define.
 */
#define RECORD_MAX_KNOWN 21

void perf_ids_init(struct perf_ids *ids)
{
	memset(ids, 0, sizeof(*ids));
}

void perf_ids_deinit(struct perf_ids *ids)
{
	free(ids->slots);
	memset(ids, 0, sizeof(*ids));
}

static struct perf_id *ids_slot(const struct perf_ids *ids, uint64_t id)
{
	size_t index = (size_t)(id * 0x9e3779b97f4a7c15u >> 32);

	for (;; index++) {
		struct perf_id *slot = &ids->slots[index & (ids->nr_slots - 1)];

		if (!slot->id || slot->id == id)
			return slot;
	}
}

static int ids_grow(struct perf_ids *ids)
{
	struct perf_ids bigger = *ids;

	bigger.nr_slots = ids->nr_slots ? 2 * ids->nr_slots : IDS_SLOTS_MIN;
	bigger.slots = calloc(bigger.nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < ids->nr_slots; i++)
		if (ids->slots[i].id)
			*ids_slot(&bigger, ids->slots[i].id) = ids->slots[i];
	free(ids->slots);
	*ids = bigger;
	return 0;
}

int perf_ids_add(struct perf_ids *ids, uint64_t id, uint32_t event)
{
	struct perf_id *slot;
	int error;

	if (!id || event >= SOURCE_EVENTS_MAX)
		return -EINVAL;
	if (2 * (ids->nr_used + 1) > ids->nr_slots) {
		error = ids_grow(ids);
		if (error)
			return error;
	}
	slot = ids_slot(ids, id);
	if (!slot->id)
		ids->nr_used++;
	slot->id = id;
	slot->event = event;
	return 0;
}

uint16_t perf_ids_find(const struct perf_ids *ids, uint64_t id)
{
	const struct perf_id *slot;

	if (!id || !ids->nr_slots)
		return UINT16_MAX;
	slot = ids_slot(ids, id);
	return slot->id ? (uint16_t)slot->event : UINT16_MAX;
}

size_t perf_parse_size(const void *bytes, size_t nr_bytes)
{
	struct perf_event_header header;

	if (nr_bytes < sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 || header.size > nr_bytes)
		return 0;
	return header.size;
}

static size_t field_bytes(uint64_t sample_type, uint64_t bit)
{
	return sample_type & bit ? 8 : 0;
}

/* Returns the size of struct sample_id at the end of records that are not samples. */
static size_t trailer_bytes(uint64_t sample_type)
{
	return field_bytes(sample_type, PERF_SAMPLE_TID) +
	       field_bytes(sample_type, PERF_SAMPLE_TIME) +
	       field_bytes(sample_type, PERF_SAMPLE_CPU) +
	       field_bytes(sample_type, PERF_SAMPLE_IDENTIFIER);
}

int perf_parse_time(const struct perf_layout *layout, const void *record, uint64_t *time_ns)
{
	const struct perf_event_header *header = record;
	uint64_t type = layout->sample_type;
	size_t position = sizeof(*header);

	*time_ns = 0;
	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	if (header->type == PERF_RECORD_SAMPLE)
		position += field_bytes(type, PERF_SAMPLE_IDENTIFIER) +
			    field_bytes(type, PERF_SAMPLE_IP);
	else if (header->size >= position + trailer_bytes(type))
		position = header->size - trailer_bytes(type);
	position += field_bytes(type, PERF_SAMPLE_TID);
	if (position + 8 > header->size)
		return -EINVAL;
	memcpy(time_ns, (const uint8_t *)record + position, 8);
	return 0;
}

static void parse_tid(struct cursor *cursor, struct perf_item *item)
{
	item->pid = (int32_t)cursor_u32(cursor);
	item->tid = (int32_t)cursor_u32(cursor);
}

static void parse_event(const struct perf_layout *layout, uint64_t id, struct perf_item *item)
{
	item->event = layout->ids ? perf_ids_find(layout->ids, id) : UINT16_MAX;
}

/* Returns a pointer to the next nr words; NULL if fewer words remain. */
static const uint64_t *take_words(struct cursor *cursor, uint64_t nr)
{
	if (nr > cursor_left(cursor) / 8) {
		cursor_fail(cursor);
		return NULL;
	}
	return (const uint64_t *)(const void *)cursor_take(cursor, nr * 8);
}

static void parse_chain(struct cursor *cursor, struct perf_item *item)
{
	item->u.sample.nr_chain = cursor_u64(cursor);
	item->u.sample.chain = take_words(cursor, item->u.sample.nr_chain);
}

static void parse_regs(const struct perf_layout *layout, struct cursor *cursor,
		       struct perf_item *item)
{
	size_t nr = (size_t)__builtin_popcountll(layout->regs_mask);
	uint64_t abi = cursor_u64(cursor);

	item->u.sample.regs_abi = abi;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	if (abi > PERF_SAMPLE_REGS_ABI_64) {
		cursor_fail(cursor);
		return;
	}
	item->u.sample.nr_regs = (uint32_t)nr;
	item->u.sample.regs = take_words(cursor, nr);
}

/* Reads the copy of a stack, and the number of its used bytes, which follows it. */
static void parse_stack(struct cursor *cursor, struct perf_item *item)
{
	uint64_t room = cursor_u64(cursor);
	const uint8_t *stack;
	uint64_t nr_bytes;

	if (!room)
		return;
	stack = cursor_take(cursor, room);
	nr_bytes = cursor_u64(cursor);
	if (room % 8 || nr_bytes > room)
		cursor_fail(cursor);
	else if (nr_bytes)
		item->u.sample.stack = stack;
	item->u.sample.stack_bytes = nr_bytes > room ? 0 : (uint32_t)nr_bytes;
}

/*
 * Returns the offset of the size that precedes the copy of a sample's stack; 0 if the record is too
 * short. All fields before this size have a fixed length, except the chain and the registers.
 */
static size_t stack_position(const struct perf_layout *layout, const uint8_t *record,
			     size_t nr_bytes)
{
	uint64_t type = layout->sample_type;
	struct cursor cursor = {.at = record + sizeof(struct perf_event_header),
				.end = record + nr_bytes};
	size_t nr_fixed = 0;

	for (uint64_t bit = 1; bit < PERF_SAMPLE_REGS_USER; bit <<= 1)
		nr_fixed += type & bit && bit != PERF_SAMPLE_CALLCHAIN;
	(void)take_words(&cursor, nr_fixed + !!(type & PERF_SAMPLE_IDENTIFIER));
	if (type & PERF_SAMPLE_CALLCHAIN)
		(void)take_words(&cursor, cursor_u64(&cursor));
	if (type & PERF_SAMPLE_REGS_USER && cursor_u64(&cursor))
		(void)take_words(&cursor, (uint64_t)__builtin_popcountll(layout->regs_mask));
	return cursor.failed ? 0 : (size_t)(cursor.at - record);
}

/*
 * Parses a sample's copy of the stack, which begins at `position`: a size, a copy of this size, and
 * the number of bytes used in the copy. *room is set to the size, and *used to the number of used
 * bytes, rounded up to whole words. Returns false if the size or the number of used bytes is
 * invalid.
 */
static bool stack_room(const uint8_t *record, size_t position, size_t nr_bytes, uint64_t *room,
		       uint64_t *used)
{
	struct cursor cursor = {.at = record + position, .end = record + nr_bytes};

	*room = cursor_u64(&cursor);
	cursor_skip(&cursor, *room);
	*used = cursor_u64(&cursor);
	if (cursor.failed || !*room || *room % 8 || *used > *room)
		return false;
	*used = (*used + 7) & ~UINT64_C(7);
	return true;
}

size_t perf_parse_pack(const struct perf_layout *layout, const void *record, void *to)
{
	struct perf_event_header header;
	const uint8_t *from = record;
	uint64_t room, used;
	size_t position, rest;
	uint8_t *next = to;

	memcpy(&header, record, sizeof(header));
	position = header.type == PERF_RECORD_SAMPLE && layout->sample_type & PERF_SAMPLE_STACK_USER
			   ? stack_position(layout, from, header.size)
			   : 0;
	if (!position || !stack_room(from, position, header.size, &room, &used)) {
		memcpy(to, record, header.size);
		return header.size;
	}
	/*
	 * rest: offset of the fields after the stack's copy, which are copied unchanged. The first
	 * of these fields is the number of used bytes. If this number is 0, the packed record has a
	 * copy of size 0, and a record with such a copy does not have this field; the field is then
	 * skipped.
	 */
	rest = position + 8 + room + (used ? 0 : 8);
	memcpy(next, from, position);
	memcpy(next + position, &used, 8);
	memcpy(next + position + 8, from + position + 8, used);
	memcpy(next + position + 8 + used, from + rest, header.size - rest);
	header.size = (uint16_t)(position + 8 + used + header.size - rest);
	memcpy(to, &header, sizeof(header));
	return header.size;
}

static int parse_sample(const struct perf_layout *layout, struct cursor *cursor,
			struct perf_item *item)
{
	uint64_t type = layout->sample_type;

	item->u.sample.ip = 0;
	item->u.sample.cgroup = 0;
	item->u.sample.nr_chain = 0;
	item->u.sample.chain = NULL;
	item->u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_NONE;
	item->u.sample.nr_regs = 0;
	item->u.sample.regs = NULL;
	item->u.sample.stack_bytes = 0;
	item->u.sample.stack = NULL;
	if (type & PERF_SAMPLE_IDENTIFIER)
		parse_event(layout, cursor_u64(cursor), item);
	if (type & PERF_SAMPLE_IP)
		item->u.sample.ip = cursor_u64(cursor);
	if (type & PERF_SAMPLE_TID)
		parse_tid(cursor, item);
	if (type & PERF_SAMPLE_TIME)
		item->time_ns = cursor_u64(cursor);
	if (type & PERF_SAMPLE_CPU) {
		item->cpu = cursor_u32(cursor);
		(void)cursor_u32(cursor);
	}
	if (item->event == UINT16_MAX)
		return -EINVAL;
	item->u.sample.period = item->time_ns > layout->ids->changed_ns
					? layout->ids->periods[item->event]
					: layout->ids->older_periods[item->event];
	if (type & PERF_SAMPLE_PERIOD) {
		uint64_t period = cursor_u64(cursor);

		if (!item->u.sample.period)
			item->u.sample.period = period;
	}
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(cursor, item);
	if (type & PERF_SAMPLE_REGS_USER)
		parse_regs(layout, cursor, item);
	if (type & PERF_SAMPLE_STACK_USER)
		parse_stack(cursor, item);
	if (type & PERF_SAMPLE_CGROUP)
		item->u.sample.cgroup = cursor_u64(cursor);
	return cursor->failed || cursor_left(cursor) ? -EINVAL : 0;
}

/* Reads the trailer at the end of the record, and excludes it from the cursor. */
static int parse_trailer(const struct perf_layout *layout, struct cursor *cursor,
			 struct perf_item *item)
{
	uint64_t type = layout->sample_type;
	size_t nr_bytes = trailer_bytes(type);
	struct cursor trailer;

	if (cursor_left(cursor) < nr_bytes)
		return -EINVAL;
	trailer = (struct cursor){.at = cursor->end - nr_bytes, .end = cursor->end};
	cursor->end = trailer.at;
	if (type & PERF_SAMPLE_TID)
		parse_tid(&trailer, item);
	if (type & PERF_SAMPLE_TIME)
		item->time_ns = cursor_u64(&trailer);
	if (type & PERF_SAMPLE_CPU) {
		item->cpu = cursor_u32(&trailer);
		(void)cursor_u32(&trailer);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		parse_event(layout, cursor_u64(&trailer), item);
	return 0;
}

static void parse_mmap_range(struct cursor *cursor, struct perf_item *item)
{
	parse_tid(cursor, item);
	item->u.mmap.start = cursor_u64(cursor);
	item->u.mmap.nr_bytes = cursor_u64(cursor);
	item->u.mmap.file_offset = cursor_u64(cursor);
	memset(&item->u.mmap.identity, 0, sizeof(item->u.mmap.identity));
	/* Refuse an empty region, and one that wraps around the end of the address space. */
	if (!item->u.mmap.nr_bytes ||
	    item->u.mmap.start + (item->u.mmap.nr_bytes - 1) < item->u.mmap.start)
		cursor_fail(cursor);
}

/*
 * Parses an MMAP record. This type is older than MMAP2, and has neither identity nor protection of
 * the mapping; it reports only whether the mapping is executable.
 */
static void parse_mmap(struct cursor *cursor, struct perf_item *item)
{
	parse_mmap_range(cursor, item);
	item->u.mmap.prot = PROT_READ;
	if (!(item->misc & PERF_RECORD_MISC_MMAP_DATA))
		item->u.mmap.prot |= PROT_EXEC;
	item->u.mmap.flags = MAP_PRIVATE;
	item->u.mmap.path = cursor_text(cursor);
}

static void parse_mmap2(struct cursor *cursor, struct perf_item *item)
{
	struct oprof_image_identity *identity = &item->u.mmap.identity;

	parse_mmap_range(cursor, item);
	if (item->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		const uint8_t *id = cursor_take(cursor, 24);

		if (id && id[0] <= OPROF_BUILD_ID_BYTES_MAX) {
			identity->nr_build_id = id[0];
			memcpy(identity->build_id, id + 4, id[0]);
		} else {
			cursor_fail(cursor);
		}
	} else {
		identity->dev = (uint64_t)cursor_u32(cursor) << 32;
		identity->dev |= cursor_u32(cursor);
		identity->inode = cursor_u64(cursor);
		identity->inode_generation = cursor_u64(cursor);
	}
	item->u.mmap.prot = cursor_u32(cursor);
	item->u.mmap.flags = cursor_u32(cursor);
	item->u.mmap.path = cursor_text(cursor);
}

static void parse_comm(struct cursor *cursor, struct perf_item *item)
{
	parse_tid(cursor, item);
	item->u.comm.name = cursor_text(cursor);
	item->u.comm.exec = item->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void parse_task(struct cursor *cursor, struct perf_item *item)
{
	item->pid = (int32_t)cursor_u32(cursor);
	item->u.task.ppid = (int32_t)cursor_u32(cursor);
	item->tid = (int32_t)cursor_u32(cursor);
	item->u.task.ptid = (int32_t)cursor_u32(cursor);
	(void)cursor_u64(cursor); /* the time, which the trailer also has */
}

static void parse_ksymbol(struct cursor *cursor, struct perf_item *item)
{
	uint32_t kind_and_flags;
	uint16_t half[2];

	item->u.ksymbol.start = cursor_u64(cursor);
	item->u.ksymbol.nr_bytes = cursor_u32(cursor);
	kind_and_flags = cursor_u32(cursor);
	memcpy(half, &kind_and_flags, sizeof(half));
	item->u.ksymbol.kind = half[0];
	item->u.ksymbol.unregister = half[1] & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	item->u.ksymbol.name = cursor_text(cursor);
}

static void parse_throttle(const struct perf_layout *layout, struct cursor *cursor,
			   struct perf_item *item)
{
	(void)cursor_u64(cursor); /* skip this time, which is from another clock */
	parse_event(layout, cursor_u64(cursor), item);
	(void)cursor_u64(cursor); /* stream id */
}

static void parse_lost(const struct perf_layout *layout, struct cursor *cursor,
		       struct perf_item *item)
{
	if (item->type == PERF_RECORD_LOST)
		parse_event(layout, cursor_u64(cursor), item);
	item->u.lost.nr = cursor_u64(cursor);
	item->u.lost.side_band = layout->side_band;
}

static void parse_cgroup(struct cursor *cursor, struct perf_item *item)
{
	item->u.cgroup.id = cursor_u64(cursor);
	item->u.cgroup.path = cursor_text(cursor);
}

/*
 * Parses a switch: SWITCH records belong to events of one task, SWITCH_CPU_WIDE records to events
 * of a whole CPU.
 */
static void parse_switch(struct cursor *cursor, struct perf_item *item)
{
	item->u.cpu_switch.out = item->misc & PERF_RECORD_MISC_SWITCH_OUT;
	item->u.cpu_switch.preempted = item->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	item->u.cpu_switch.next_pid = -1;
	item->u.cpu_switch.next_tid = -1;
	if (item->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		item->u.cpu_switch.next_pid = (int32_t)cursor_u32(cursor);
		item->u.cpu_switch.next_tid = (int32_t)cursor_u32(cursor);
	}
}

bool perf_parse_known(uint32_t type)
{
	return type >= PERF_RECORD_MMAP && type <= RECORD_MAX_KNOWN;
}

static int parse_side_band(const struct perf_layout *layout, struct cursor *cursor,
			   struct perf_item *item)
{
	int error = parse_trailer(layout, cursor, item);

	if (error)
		return error;
	switch (item->type) {
	case PERF_RECORD_MMAP:
		parse_mmap(cursor, item);
		break;
	case PERF_RECORD_MMAP2:
		parse_mmap2(cursor, item);
		break;
	case PERF_RECORD_COMM:
		parse_comm(cursor, item);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		parse_task(cursor, item);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		parse_throttle(layout, cursor, item);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		parse_lost(layout, cursor, item);
		break;
	case PERF_RECORD_KSYMBOL:
		parse_ksymbol(cursor, item);
		break;
	case PERF_RECORD_CGROUP:
		parse_cgroup(cursor, item);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		parse_switch(cursor, item);
		break;
	default:
		return -ENOTSUP;
	}
	return cursor->failed ? -EINVAL : 0;
}

int perf_parse(const struct perf_layout *layout, const void *record, struct perf_item *item)
{
	const struct perf_event_header *header = record;
	const uint8_t *bytes = record;
	struct cursor cursor = {.at = bytes + sizeof(*header), .end = bytes + header->size};

	item->time_ns = 0;
	item->type = header->type;
	item->misc = header->misc;
	item->event = UINT16_MAX;
	item->pid = -1;
	item->tid = -1;
	item->cpu = layout->cpu;
	if (header->type == PERF_RECORD_SAMPLE)
		return parse_sample(layout, &cursor, item);
	return parse_side_band(layout, &cursor, item);
}
