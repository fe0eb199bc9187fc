// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_parse.h"
#include "tests/fixture/perf_encode.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TYPE_SMALL                                                                                 \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)
#define TYPE_ALL   (TYPE_SMALL | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP)
#define TYPE_STACK (TYPE_ALL | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define EVENT_ID   77
#define REGS_MASK  UINT64_C(0x181) /* three registers */

static struct perf_ids ids;
static uint64_t record[PERF_ENCODE_BYTES_MAX / 8];

static void setup(void)
{
	perf_ids_init(&ids);
	ck_assert_int_eq(perf_ids_add(&ids, EVENT_ID, 3), 0);
	ids.periods[3] = 1000;
}

static void teardown(void)
{
	perf_ids_deinit(&ids);
}

static struct perf_layout layout_of(uint64_t sample_type)
{
	struct perf_layout layout = {
		.sample_type = sample_type, .regs_mask = REGS_MASK, .cpu = 9, .ids = &ids};

	return layout;
}

static struct perf_item item_of(uint32_t type)
{
	struct perf_item item = {
		.time_ns = 123456789, .type = type, .pid = 10, .tid = 11, .cpu = 1};

	return item;
}

static int encode_and_parse(uint64_t sample_type, const struct perf_item *in, struct perf_item *out)
{
	struct perf_layout layout = layout_of(sample_type);
	size_t nr_bytes = perf_encode(&layout, EVENT_ID, in, record);
	uint64_t time_ns;

	ck_assert_uint_eq(perf_parse_size(record, nr_bytes), nr_bytes);
	ck_assert_int_eq(perf_parse_time(&layout, record, &time_ns), 0);
	ck_assert_uint_eq(time_ns, in->time_ns);
	memset(out, 0xaa, sizeof(*out));
	return perf_parse(&layout, record, out);
}

static void assert_head(const struct perf_item *in, const struct perf_item *out)
{
	ck_assert_uint_eq(out->time_ns, in->time_ns);
	ck_assert_uint_eq(out->type, in->type);
	ck_assert_uint_eq(out->misc, in->misc);
	ck_assert_int_eq(out->pid, in->pid);
	ck_assert_int_eq(out->tid, in->tid);
	ck_assert_uint_eq(out->cpu, in->cpu);
}

START_TEST(a_small_sample_keeps_its_fields_and_takes_the_fixed_weight)
{
	struct perf_item in = item_of(PERF_RECORD_SAMPLE);
	struct perf_item out;

	in.misc = PERF_RECORD_MISC_USER;
	in.u.sample.ip = 0x401234;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	assert_head(&in, &out);
	ck_assert_uint_eq(out.event, 3);
	ck_assert_uint_eq(out.u.sample.ip, 0x401234);
	ck_assert_uint_eq(out.u.sample.period, 1000);
	ck_assert_uint_eq(out.u.sample.cgroup, 0);
	ck_assert_uint_eq(out.u.sample.nr_chain, 0);
}
END_TEST

START_TEST(a_full_sample_keeps_chain_cgroup_and_the_records_weight)
{
	struct perf_item in = item_of(PERF_RECORD_SAMPLE);
	const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401234, 0x402222};
	struct perf_item out;

	ids.periods[3] = 0;
	in.u.sample.period = 4711;
	in.u.sample.cgroup = 42;
	in.u.sample.nr_chain = 3;
	in.u.sample.chain = chain;
	ck_assert_int_eq(encode_and_parse(TYPE_ALL, &in, &out), 0);
	assert_head(&in, &out);
	ck_assert_uint_eq(out.u.sample.period, 4711);
	ck_assert_uint_eq(out.u.sample.cgroup, 42);
	ck_assert_uint_eq(out.u.sample.nr_chain, 3);
	ck_assert_mem_eq(out.u.sample.chain, chain, sizeof(chain));
}
END_TEST

START_TEST(a_sample_of_an_unknown_event_is_malformed)
{
	struct perf_item in = item_of(PERF_RECORD_SAMPLE);
	struct perf_layout layout = layout_of(TYPE_SMALL);
	struct perf_item out;

	in.u.sample.ip = 1;
	perf_encode(&layout, EVENT_ID + 1, &in, record);
	ck_assert_int_eq(perf_parse(&layout, record, &out), -EINVAL);
}
END_TEST

START_TEST(a_chain_longer_than_its_record_is_malformed)
{
	const uint64_t lengths[] = {4, 5, UINT64_MAX, UINT64_MAX / 8 + 1};
	struct perf_item in = item_of(PERF_RECORD_SAMPLE);
	const uint64_t chain[] = {1, 2, 3};
	struct perf_layout layout = layout_of(TYPE_SMALL | PERF_SAMPLE_CALLCHAIN);
	struct perf_item out;

	in.u.sample.nr_chain = 3;
	in.u.sample.chain = chain;
	perf_encode(&layout, EVENT_ID, &in, record);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		record[6] = lengths[i]; /* header, id, ip, tid, time, cpu, nr */
		ck_assert_int_eq(perf_parse(&layout, record, &out), -EINVAL);
	}
	record[6] = 2; /* one too short: the last frame is left over */
	ck_assert_int_eq(perf_parse(&layout, record, &out), -EINVAL);
}
END_TEST

static void fill_mmap2(struct perf_item *in)
{
	*in = item_of(PERF_RECORD_MMAP2);
	in->u.mmap.start = 0x7f0000000000;
	in->u.mmap.nr_bytes = 0x3000;
	in->u.mmap.file_offset = 0x1000;
	in->u.mmap.prot = PROT_READ | PROT_EXEC;
	in->u.mmap.flags = MAP_PRIVATE;
	in->u.mmap.path = "/usr/lib/libx.so.1";
}

static void assert_mmap(const struct perf_item *in, const struct perf_item *out)
{
	assert_head(in, out);
	ck_assert_uint_eq(out->u.mmap.start, in->u.mmap.start);
	ck_assert_uint_eq(out->u.mmap.nr_bytes, in->u.mmap.nr_bytes);
	ck_assert_uint_eq(out->u.mmap.file_offset, in->u.mmap.file_offset);
	ck_assert_uint_eq(out->u.mmap.prot, in->u.mmap.prot);
	ck_assert_uint_eq(out->u.mmap.flags, in->u.mmap.flags);
	ck_assert_str_eq(out->u.mmap.path, in->u.mmap.path);
}

static struct perf_item stack_sample(void)
{
	static const uint64_t regs[3] = {11, 22, 33}, chain[1] = {0x401234};
	static const uint8_t stack[21] = "a stack of some bytes";
	struct perf_item item = item_of(PERF_RECORD_SAMPLE);

	item.u.sample.ip = 0x401234;
	item.u.sample.period = 5;
	item.u.sample.cgroup = 99;
	item.u.sample.nr_chain = 1;
	item.u.sample.chain = chain;
	item.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_64;
	item.u.sample.regs = regs;
	item.u.sample.nr_regs = 3;
	item.u.sample.stack = stack;
	item.u.sample.stack_bytes = sizeof(stack);
	return item;
}

START_TEST(a_sample_keeps_the_users_registers_and_the_copy_of_the_stack)
{
	struct perf_item in = stack_sample();
	struct perf_item out;

	ck_assert_int_eq(encode_and_parse(TYPE_STACK, &in, &out), 0);
	ck_assert_uint_eq(out.u.sample.regs_abi, PERF_SAMPLE_REGS_ABI_64);
	ck_assert_uint_eq(out.u.sample.nr_regs, 3);
	ck_assert_mem_eq(out.u.sample.regs, in.u.sample.regs, 3 * sizeof(uint64_t));
	ck_assert_uint_eq(out.u.sample.stack_bytes, in.u.sample.stack_bytes);
	ck_assert_mem_eq(out.u.sample.stack, in.u.sample.stack, in.u.sample.stack_bytes);
	ck_assert_uint_eq(out.u.sample.nr_chain, 1);
	ck_assert_uint_eq(out.u.sample.cgroup, 99);
}
END_TEST

START_TEST(a_sample_of_a_kernel_thread_has_neither_registers_nor_stack)
{
	struct perf_item in = stack_sample();
	struct perf_item out;

	in.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_NONE;
	in.u.sample.nr_regs = 0;
	in.u.sample.stack_bytes = 0;
	ck_assert_int_eq(encode_and_parse(TYPE_STACK, &in, &out), 0);
	ck_assert_uint_eq(out.u.sample.nr_regs, 0);
	ck_assert_ptr_null(out.u.sample.regs);
	ck_assert_uint_eq(out.u.sample.stack_bytes, 0);
	ck_assert_ptr_null(out.u.sample.stack);
	ck_assert_uint_eq(out.u.sample.cgroup, 99);
}
END_TEST

/* Parse the record of the stack sample with the word at index replaced by value. */
static int parse_with(size_t index, uint64_t value)
{
	struct perf_layout layout = layout_of(TYPE_STACK);
	struct perf_item item = stack_sample();

	(void)perf_encode(&layout, EVENT_ID, &item, record);
	record[index] = value;
	return perf_parse(&layout, record, &item);
}

START_TEST(registers_and_stacks_of_impossible_sizes_are_malformed)
{
	/* Header, six words up to the period, the chain's length and address, then the ABI. */
	const size_t abi = 1 + 6 + 2;
	const size_t room = abi + 1 + 3;
	const size_t copied = room + 1 + 3;

	ck_assert_int_eq(parse_with(abi, PERF_SAMPLE_REGS_ABI_64), 0);
	ck_assert_int_eq(parse_with(abi, 3), -EINVAL);
	ck_assert_int_eq(parse_with(abi, UINT64_MAX), -EINVAL);
	ck_assert_int_eq(parse_with(room, 24), 0);
	ck_assert_int_eq(parse_with(room, 23), -EINVAL);
	ck_assert_int_eq(parse_with(room, 48), -EINVAL);
	ck_assert_int_eq(parse_with(room, 65528), -EINVAL);
	ck_assert_int_eq(parse_with(room, UINT64_MAX & ~7u), -EINVAL);
	ck_assert_int_eq(parse_with(copied, 24), 0);
	ck_assert_int_eq(parse_with(copied, 25), -EINVAL);
	ck_assert_int_eq(parse_with(copied, UINT64_MAX), -EINVAL);
}
END_TEST

/* Pack the record and check that perf_parse reads the same from both. Returns the packed size. */
static size_t pack_and_compare(uint64_t sample_type, uint64_t *packed)
{
	struct perf_layout layout = layout_of(sample_type);
	struct perf_item in, out;
	size_t nr_bytes = perf_parse_pack(&layout, record, packed);
	int error = perf_parse(&layout, record, &in);

	ck_assert_uint_eq(perf_parse_size(packed, nr_bytes), nr_bytes);
	ck_assert_int_eq(perf_parse(&layout, packed, &out), error);
	if (error || in.type != PERF_RECORD_SAMPLE)
		return nr_bytes;
	ck_assert_uint_eq(out.time_ns, in.time_ns);
	ck_assert_uint_eq(out.u.sample.cgroup, in.u.sample.cgroup);
	ck_assert_uint_eq(out.u.sample.nr_chain, in.u.sample.nr_chain);
	ck_assert_uint_eq(out.u.sample.nr_regs, in.u.sample.nr_regs);
	ck_assert_uint_eq(out.u.sample.stack_bytes, in.u.sample.stack_bytes);
	if (in.u.sample.nr_regs)
		ck_assert_mem_eq(out.u.sample.regs, in.u.sample.regs, in.u.sample.nr_regs * 8);
	if (in.u.sample.stack_bytes)
		ck_assert_mem_eq(out.u.sample.stack, in.u.sample.stack, in.u.sample.stack_bytes);
	return nr_bytes;
}

START_TEST(a_packed_sample_is_the_same_without_the_room_that_is_not_used)
{
	static uint64_t packed[PERF_ENCODE_BYTES_MAX / 8];
	static uint8_t stack[1024];
	struct perf_layout layout = layout_of(TYPE_STACK);
	struct perf_item item = stack_sample();
	/* Header, six words, chain, registers and the stack's size word; two words after the
	 * stack. */
	const size_t others = (1 + 6 + 2 + 4 + 1 + 2) * 8;

	item.u.sample.stack = stack;
	item.u.sample.stack_bytes = sizeof(stack);
	for (uint64_t used = 0; used <= sizeof(stack); used += 61) {
		size_t nr_bytes = perf_encode(&layout, EVENT_ID, &item, record);

		record[nr_bytes / 8 - 2] = used;
		ck_assert_uint_eq(pack_and_compare(TYPE_STACK, packed),
				  others + (used + 7) / 8 * 8 - (used ? 0 : 8));
	}
	/* Without a cgroup, a chain, registers. */
	(void)perf_encode(&layout, EVENT_ID, &item, record);
	item.u.sample.nr_chain = 0;
	item.u.sample.regs_abi = 0;
	item.u.sample.nr_regs = 0;
	layout = layout_of(TYPE_STACK & ~(uint64_t)PERF_SAMPLE_CGROUP);
	record[perf_encode(&layout, EVENT_ID, &item, record) / 8 - 1] = 80;
	ck_assert_uint_lt(pack_and_compare(TYPE_STACK & ~(uint64_t)PERF_SAMPLE_CGROUP, packed),
			  200);
}
END_TEST

START_TEST(a_damaged_sample_is_packed_as_it_is)
{
	static uint64_t packed[PERF_ENCODE_BYTES_MAX / 8];
	struct perf_layout layout = layout_of(TYPE_STACK);
	struct perf_item item = stack_sample();
	size_t nr_bytes = perf_encode(&layout, EVENT_ID, &item, record);

	for (size_t word = 1; word < nr_bytes / 8; word++) {
		static const uint64_t values[] = {0, 1, 7, 8, 16, 24, 1 << 16, UINT64_MAX};

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			(void)perf_encode(&layout, EVENT_ID, &item, record);
			record[word] = values[i];
			ck_assert_uint_le(pack_and_compare(TYPE_STACK, packed), nr_bytes);
		}
	}
	for (size_t size = 8; size < nr_bytes; size += 8) {
		(void)perf_encode(&layout, EVENT_ID, &item, record);
		record[0] = (record[0] & 0xffffffffffff) | size << 48;
		ck_assert_uint_le(pack_and_compare(TYPE_STACK, packed), size);
	}
}
END_TEST

START_TEST(mmap2_gives_device_and_inode)
{
	struct perf_item in, out;

	fill_mmap2(&in);
	in.u.mmap.identity.dev = (uint64_t)8 << 32 | 3;
	in.u.mmap.identity.inode = 12345;
	in.u.mmap.identity.inode_generation = 99;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	assert_mmap(&in, &out);
	ck_assert_mem_eq(&out.u.mmap.identity, &in.u.mmap.identity, sizeof(in.u.mmap.identity));
}
END_TEST

START_TEST(mmap2_gives_the_build_id_instead)
{
	struct perf_item in, out;

	fill_mmap2(&in);
	in.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	in.u.mmap.identity.nr_build_id = 20;
	memset(in.u.mmap.identity.build_id, 0x5a, 20);
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	assert_mmap(&in, &out);
	ck_assert_mem_eq(&out.u.mmap.identity, &in.u.mmap.identity, sizeof(in.u.mmap.identity));
	((uint8_t *)record)[8 + 32] = 21;
	struct perf_layout layout = layout_of(TYPE_SMALL);
	ck_assert_int_eq(perf_parse(&layout, record, &out), -EINVAL);
}
END_TEST

START_TEST(the_older_mmap_is_taken_as_executable_unless_it_says_data)
{
	struct perf_item in, out;

	fill_mmap2(&in);
	in.type = PERF_RECORD_MMAP;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	assert_mmap(&in, &out);
	in.misc = PERF_RECORD_MISC_MMAP_DATA;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	ck_assert_uint_eq(out.u.mmap.prot, PROT_READ);
}
END_TEST

START_TEST(a_mapping_that_is_empty_or_wraps_is_malformed)
{
	struct perf_item in, out;

	fill_mmap2(&in);
	in.u.mmap.nr_bytes = 0;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), -EINVAL);
	in.u.mmap.start = UINT64_MAX - 0xfff;
	in.u.mmap.nr_bytes = 0x1000;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	in.u.mmap.nr_bytes = 0x1001;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), -EINVAL);
}
END_TEST

START_TEST(a_path_without_its_nul_is_malformed)
{
	struct perf_layout layout = layout_of(TYPE_SMALL);
	struct perf_item in, out;
	size_t nr_bytes;

	fill_mmap2(&in);
	nr_bytes = perf_encode(&layout, EVENT_ID, &in, record);
	/* Overwrite the path's end, just before the trailer. */
	memset((uint8_t *)record + nr_bytes - 32 - 8, 'x', 8);
	ck_assert_int_eq(perf_parse(&layout, record, &out), -EINVAL);
}
END_TEST

START_TEST(comm_fork_and_exit_keep_their_fields)
{
	struct perf_item in = item_of(PERF_RECORD_COMM);
	struct perf_item out;

	in.misc = PERF_RECORD_MISC_COMM_EXEC;
	in.u.comm.name = "true";
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	assert_head(&in, &out);
	ck_assert_str_eq(out.u.comm.name, "true");
	ck_assert(out.u.comm.exec);
	for (uint32_t type = PERF_RECORD_EXIT; type <= PERF_RECORD_FORK;
	     type += PERF_RECORD_FORK - PERF_RECORD_EXIT) {
		in = item_of(type);
		in.u.task.ppid = 5;
		in.u.task.ptid = 6;
		ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
		assert_head(&in, &out);
		ck_assert_int_eq(out.u.task.ppid, 5);
		ck_assert_int_eq(out.u.task.ptid, 6);
	}
}
END_TEST

START_TEST(ksymbol_and_cgroup_keep_their_fields)
{
	struct perf_item in = item_of(PERF_RECORD_KSYMBOL);
	struct perf_item out;

	in.u.ksymbol.start = 0xffffffffc0001000;
	in.u.ksymbol.nr_bytes = 300;
	in.u.ksymbol.kind = PERF_RECORD_KSYMBOL_TYPE_BPF;
	in.u.ksymbol.unregister = true;
	in.u.ksymbol.name = "bpf_prog_0011_x";
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	ck_assert_uint_eq(out.u.ksymbol.start, in.u.ksymbol.start);
	ck_assert_uint_eq(out.u.ksymbol.nr_bytes, 300);
	ck_assert_uint_eq(out.u.ksymbol.kind, PERF_RECORD_KSYMBOL_TYPE_BPF);
	ck_assert(out.u.ksymbol.unregister);
	ck_assert_str_eq(out.u.ksymbol.name, "bpf_prog_0011_x");
	in = item_of(PERF_RECORD_CGROUP);
	in.u.cgroup.id = 88;
	in.u.cgroup.path = "/a/b";
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	ck_assert_uint_eq(out.u.cgroup.id, 88);
	ck_assert_str_eq(out.u.cgroup.path, "/a/b");
}
END_TEST

START_TEST(lost_and_throttle_name_their_event)
{
	struct perf_item in = item_of(PERF_RECORD_LOST);
	struct perf_item out;

	in.u.lost.nr = 17;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	ck_assert_uint_eq(out.u.lost.nr, 17);
	ck_assert(!out.u.lost.side_band);
	ck_assert_uint_eq(out.event, 3);
	in.type = PERF_RECORD_THROTTLE;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), 0);
	ck_assert_uint_eq(out.event, 3);
}
END_TEST

START_TEST(other_types_are_not_supported_but_have_their_time)
{
	struct perf_item in = item_of(PERF_RECORD_BPF_EVENT);
	struct perf_item out;

	in.u.lost.nr = 40;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), -ENOTSUP);
	ck_assert_uint_eq(out.time_ns, in.time_ns);
	ck_assert(perf_parse_known(in.type));
	in.type = 4000;
	ck_assert_int_eq(encode_and_parse(TYPE_SMALL, &in, &out), -ENOTSUP);
	ck_assert(!perf_parse_known(in.type));
}
END_TEST

/* A record of each type, cut at every multiple of 8 below its size, is refused without reading
 * past it. */
START_TEST(a_record_cut_short_anywhere_is_malformed)
{
	static const uint32_t types[] = {
		PERF_RECORD_SAMPLE, PERF_RECORD_MMAP,	     PERF_RECORD_MMAP2, PERF_RECORD_FORK,
		PERF_RECORD_COMM,   PERF_RECORD_THROTTLE,    PERF_RECORD_LOST,	PERF_RECORD_KSYMBOL,
		PERF_RECORD_CGROUP, PERF_RECORD_LOST_SAMPLES};
	struct perf_layout layout = layout_of(TYPE_ALL);
	struct perf_item out;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct perf_item in;
		uint16_t nr_bytes;
		uint8_t *copy;

		fill_mmap2(&in);
		in.u.mmap.path = "/0123";
		in.type = types[i];
		if (in.type == PERF_RECORD_SAMPLE)
			memset(&in.u, 0, sizeof(in.u));
		if (in.type == PERF_RECORD_COMM)
			in.u.comm.name = "0123456";
		if (in.type == PERF_RECORD_KSYMBOL)
			in.u.ksymbol.name = "0123456";
		if (in.type == PERF_RECORD_CGROUP)
			in.u.cgroup.path = "0123456";
		nr_bytes = (uint16_t)perf_encode(&layout, EVENT_ID, &in, record);
		ck_assert_int_eq(perf_parse(&layout, record, &out), 0);
		for (uint16_t size = 8; size < nr_bytes; size = (uint16_t)(size + 8)) {
			uint64_t time_ns;

			copy = malloc(size); /* so that a sanitizer detects reads past it */
			ck_assert_ptr_nonnull(copy);
			memcpy(copy, record, size);
			memcpy(copy + 6, &size, sizeof(size));
			(void)perf_parse_time(&layout, copy, &time_ns);
			ck_assert_msg(perf_parse(&layout, copy, &out) == -EINVAL,
				      "type %u cut to %u of %u", in.type, size, nr_bytes);
			free(copy);
		}
	}
}
END_TEST

START_TEST(a_size_that_makes_no_sense_ends_the_walk)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
	static const uint16_t bad[] = {0, 4, 7, 9, 12, 24, 65528};

	ck_assert_uint_eq(perf_parse_size(&header, 7), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		header.size = bad[i];
		ck_assert_uint_eq(perf_parse_size(&header, 16), 0);
	}
	header.size = 16;
	ck_assert_uint_eq(perf_parse_size(&header, 16), 16);
}
END_TEST

START_TEST(ids_are_found_among_thousands_and_others_are_not)
{
	for (uint64_t id = 1000; id < 6000; id++)
		ck_assert_int_eq(perf_ids_add(&ids, id, (uint32_t)(id % 32)), 0);
	for (uint64_t id = 1000; id < 6000; id++)
		ck_assert_uint_eq(perf_ids_find(&ids, id), id % 32);
	ck_assert_uint_eq(perf_ids_find(&ids, 999), UINT16_MAX);
	ck_assert_uint_eq(perf_ids_find(&ids, 0), UINT16_MAX);
	ck_assert_int_eq(perf_ids_add(&ids, 0, 1), -EINVAL);
	ck_assert_int_eq(perf_ids_add(&ids, 7, SOURCE_EVENTS_MAX), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_parse");
	TCase *tests = tcase_create("perf_parse");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_small_sample_keeps_its_fields_and_takes_the_fixed_weight);
	tcase_add_test(tests, a_full_sample_keeps_chain_cgroup_and_the_records_weight);
	tcase_add_test(tests, a_sample_keeps_the_users_registers_and_the_copy_of_the_stack);
	tcase_add_test(tests, a_sample_of_a_kernel_thread_has_neither_registers_nor_stack);
	tcase_add_test(tests, registers_and_stacks_of_impossible_sizes_are_malformed);
	tcase_add_test(tests, a_packed_sample_is_the_same_without_the_room_that_is_not_used);
	tcase_add_test(tests, a_damaged_sample_is_packed_as_it_is);
	tcase_add_test(tests, a_sample_of_an_unknown_event_is_malformed);
	tcase_add_test(tests, a_chain_longer_than_its_record_is_malformed);
	tcase_add_test(tests, mmap2_gives_device_and_inode);
	tcase_add_test(tests, mmap2_gives_the_build_id_instead);
	tcase_add_test(tests, the_older_mmap_is_taken_as_executable_unless_it_says_data);
	tcase_add_test(tests, a_mapping_that_is_empty_or_wraps_is_malformed);
	tcase_add_test(tests, a_path_without_its_nul_is_malformed);
	tcase_add_test(tests, comm_fork_and_exit_keep_their_fields);
	tcase_add_test(tests, ksymbol_and_cgroup_keep_their_fields);
	tcase_add_test(tests, lost_and_throttle_name_their_event);
	tcase_add_test(tests, other_types_are_not_supported_but_have_their_time);
	tcase_add_test(tests, a_record_cut_short_anywhere_is_malformed);
	tcase_add_test(tests, a_size_that_makes_no_sense_ends_the_walk);
	tcase_add_test(tests, ids_are_found_among_thousands_and_others_are_not);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
