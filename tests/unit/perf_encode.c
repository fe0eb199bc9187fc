// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/perf_encode.h"

#include <string.h>

struct writer {
	uint8_t *start, *next;
};

static void put_u64(struct writer *writer, uint64_t value)
{
	memcpy(writer->next, &value, sizeof(value));
	writer->next += sizeof(value);
}

static void put_u32(struct writer *writer, uint32_t value)
{
	memcpy(writer->next, &value, sizeof(value));
	writer->next += sizeof(value);
}

static void put_tid(struct writer *writer, const struct perf_item *item)
{
	put_u32(writer, (uint32_t)item->pid);
	put_u32(writer, (uint32_t)item->tid);
}

static void put_string(struct writer *writer, const char *string)
{
	size_t nr_bytes = strlen(string) + 1;
	size_t padded;

	memcpy(writer->next, string, nr_bytes);
	writer->next += nr_bytes;
	padded = ((size_t)(writer->next - writer->start) + 7) & ~(size_t)7;
	memset(writer->next, 0, padded - (size_t)(writer->next - writer->start));
	writer->next = writer->start + padded;
}

static void put_regs(struct writer *writer, const struct perf_item *item)
{
	put_u64(writer, item->u.sample.regs_abi);
	for (uint32_t i = 0; i < item->u.sample.nr_regs; i++)
		put_u64(writer, item->u.sample.regs[i]);
}

/* As the kernel does it: room in whole words, then how much of it is a copy. */
static void put_stack(struct writer *writer, const struct perf_item *item)
{
	uint32_t room = (item->u.sample.stack_bytes + 7) & ~7u;

	put_u64(writer, room);
	if (!room)
		return;
	memset(writer->next, 0xee, room);
	memcpy(writer->next, item->u.sample.stack, item->u.sample.stack_bytes);
	writer->next += room;
	put_u64(writer, item->u.sample.stack_bytes);
}

static void put_sample(struct writer *writer, uint64_t type, uint64_t id,
		       const struct perf_item *item)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(writer, id);
	if (type & PERF_SAMPLE_IP)
		put_u64(writer, item->u.sample.ip);
	if (type & PERF_SAMPLE_TID)
		put_tid(writer, item);
	if (type & PERF_SAMPLE_TIME)
		put_u64(writer, item->time_ns);
	if (type & PERF_SAMPLE_CPU)
		put_u64(writer, item->cpu);
	if (type & PERF_SAMPLE_PERIOD)
		put_u64(writer, item->u.sample.period);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(writer, item->u.sample.nr_chain);
		for (uint64_t i = 0; i < item->u.sample.nr_chain; i++)
			put_u64(writer, item->u.sample.chain[i]);
	}
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(writer, item);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(writer, item);
	if (type & PERF_SAMPLE_CGROUP)
		put_u64(writer, item->u.sample.cgroup);
}

static void put_trailer(struct writer *writer, uint64_t type, uint64_t id,
			const struct perf_item *item)
{
	if (type & PERF_SAMPLE_TID)
		put_tid(writer, item);
	if (type & PERF_SAMPLE_TIME)
		put_u64(writer, item->time_ns);
	if (type & PERF_SAMPLE_CPU)
		put_u64(writer, item->cpu);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(writer, id);
}

static void put_mmap(struct writer *writer, const struct perf_item *item)
{
	const struct oprof_image_identity *identity = &item->u.mmap.identity;

	put_tid(writer, item);
	put_u64(writer, item->u.mmap.start);
	put_u64(writer, item->u.mmap.nr_bytes);
	put_u64(writer, item->u.mmap.file_offset);
	if (item->type == PERF_RECORD_MMAP2 && item->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		put_u32(writer, 0);
		writer->next[-4] = (uint8_t)identity->nr_build_id;
		memcpy(writer->next, identity->build_id, OPROF_BUILD_ID_BYTES_MAX);
		writer->next += OPROF_BUILD_ID_BYTES_MAX;
	} else if (item->type == PERF_RECORD_MMAP2) {
		put_u32(writer, (uint32_t)(identity->dev >> 32));
		put_u32(writer, (uint32_t)identity->dev);
		put_u64(writer, identity->inode);
		put_u64(writer, identity->inode_generation);
	}
	if (item->type == PERF_RECORD_MMAP2) {
		put_u32(writer, item->u.mmap.prot);
		put_u32(writer, item->u.mmap.flags);
	}
	put_string(writer, item->u.mmap.path);
}

static void put_ksymbol(struct writer *writer, const struct perf_item *item)
{
	uint16_t half[2] = {item->u.ksymbol.kind, item->u.ksymbol.unregister};

	put_u64(writer, item->u.ksymbol.start);
	put_u32(writer, item->u.ksymbol.nr_bytes);
	memcpy(writer->next, half, sizeof(half));
	writer->next += sizeof(half);
	put_string(writer, item->u.ksymbol.name);
}

static void put_task(struct writer *writer, const struct perf_item *item)
{
	put_u32(writer, (uint32_t)item->pid);
	put_u32(writer, (uint32_t)item->u.task.ppid);
	put_u32(writer, (uint32_t)item->tid);
	put_u32(writer, (uint32_t)item->u.task.ptid);
	put_u64(writer, item->time_ns);
}

static void put_body(struct writer *writer, uint64_t id, const struct perf_item *item)
{
	switch (item->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		put_mmap(writer, item);
		break;
	case PERF_RECORD_COMM:
		put_tid(writer, item);
		put_string(writer, item->u.comm.name);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		put_task(writer, item);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		put_u64(writer, item->time_ns);
		put_u64(writer, id);
		put_u64(writer, id);
		break;
	case PERF_RECORD_LOST:
		put_u64(writer, id);
		put_u64(writer, item->u.lost.nr);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		put_u64(writer, item->u.lost.nr);
		break;
	case PERF_RECORD_KSYMBOL:
		put_ksymbol(writer, item);
		break;
	case PERF_RECORD_SWITCH:
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		put_u32(writer, (uint32_t)item->u.cpu_switch.next_pid);
		put_u32(writer, (uint32_t)item->u.cpu_switch.next_tid);
		break;
	case PERF_RECORD_CGROUP:
		put_u64(writer, item->u.cgroup.id);
		put_string(writer, item->u.cgroup.path);
		break;
	default:
		for (uint64_t i = 0; i < item->u.lost.nr; i += 8)
			put_u64(writer, 0);
		break;
	}
}

size_t perf_encode(const struct perf_layout *layout, uint64_t id, const struct perf_item *item,
		   void *record)
{
	struct perf_event_header header = {.type = item->type, .misc = item->misc};
	struct writer writer = {record, (uint8_t *)record + sizeof(header)};

	if (item->type == PERF_RECORD_SAMPLE) {
		put_sample(&writer, layout->sample_type, id, item);
	} else {
		put_body(&writer, id, item);
		put_trailer(&writer, layout->sample_type, id, item);
	}
	header.size = (uint16_t)(writer.next - writer.start);
	memcpy(record, &header, sizeof(header));
	return header.size;
}
