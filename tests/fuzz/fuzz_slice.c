// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged slices. The first byte of the input says how the rest makes the file, because checksums
 * would hide everything else:
 *   'r'  the rest is the file
 *   'h'  patches to the header of a sound slice, with a correct checksum
 *   'f'  patches to the content of the sound slice's frames, compressed again
 *   't'  the rest is the content of frame "tables"; the other frames are sound
 *   'o'  the rest is the content of frame "stacks" of version 1
 *   's'  the rest is the content of frame "stacks"; 'p': patches to the sound one
 * A patch is an offset (2 bytes, little-endian), a number of bytes (1) and the bytes. A file that
 * passes the checker must be readable, and reading, skipping and summing must agree.
 */
#include "libdb/slice/slice.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_tree.h"

#include "lib/file.h"

#include <endian.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NR_FRAMES  5
#define NR_PATCHED 4 /* all frames except the stacks */
#define STACKS	   4

/* The file, and the slice summed from it, with paths because the functions take paths. */
static int file_fd, sum_fd;
static char file_path[64], sum_path[64];
static struct oprof_slice_header sound; /* as in the file */
static uint8_t *raw[NR_FRAMES];
static size_t nr_raw[NR_FRAMES];
static ZSTD_CCtx *packer;

static void must(bool held)
{
	if (!held)
		abort();
}

static struct oprof_slice_frame *frame_of(struct oprof_slice_header *header, int frame)
{
	struct oprof_slice_frame *const frames[NR_FRAMES] = {
		&header->tables, &header->keys, &header->counts, &header->weights, &header->stacks};

	return frames[frame];
}

/* ---- a sound slice ---- */

static void add_section(struct slice_builder *builder, unsigned int i)
{
	const struct slice_section section = {
		.image = {.kind = i % 3 == 2 ? SAMPLE_PATH_ANON : SAMPLE_PATH_ROOT,
			  .path = i % 3 ? "/bin/b" : "/lib/a",
			  .tgid = 7,
			  .start = 4096,
			  .end = 8192},
		.app = {.kind = SAMPLE_PATH_KERN, .path = "vmlinux"},
		.identity = {.build_id = {1, 2, 3}, .nr_build_id = i % 2 ? 20 : 0, .inode = i},
		.image_kind = i % 4 ? OPROF_IMAGE_FILE : OPROF_IMAGE_IDLE,
		.event = "cpu-clock",
		.period_or_hz = 1000,
		.tgid = SAMPLE_NAME_ALL,
		.tid = i,
		.cpu = SAMPLE_NAME_ALL,
		.cgroup = i % 2 ? "/a.slice" : NULL};
	int64_t number = slice_builder_section(builder, &section);

	must(number >= 0);
	for (uint64_t key = 0; key < 20; key++)
		must(!slice_builder_add(builder, number, key * (i + 1) * 40, 1 + key % 3,
					(1 + key % 3) * (i % 3 ? 1000 : 999)));
}

static void add_stack(struct stack_tree *tree, unsigned int i)
{
	const struct slice_section root = {.app = {.path = i % 2 ? "/bin/a" : "/bin/b"},
					   .event = "cpu-clock",
					   .period_or_hz = 1000,
					   .tgid = SAMPLE_NAME_ALL,
					   .tid = SAMPLE_NAME_ALL,
					   .cpu = SAMPLE_NAME_ALL,
					   .cgroup = i % 4 == 1 ? "/a.slice" : NULL};
	const struct stack_image image = {.path = {.path = i % 3 ? "/lib/c" : "/lib/d"},
					  .kind = OPROF_IMAGE_FILE,
					  .identity = {.build_id = {7}, .nr_build_id = i % 3 * 10}};
	int64_t node = stack_tree_root(tree, &root);
	const int64_t number = stack_tree_image(tree, &image);

	must(number >= 0);
	for (unsigned int depth = 0; depth < i % 5 && node >= 0; depth++)
		node = stack_tree_child(tree, (uint32_t)node,
					(i + depth) % 7 ? (uint32_t)number
							: STACK_MARK(OPROF_STACK_UNKNOWN),
					i * depth % 9 * 48);
	if (node >= 0 && i % 6 == 5)
		node = stack_tree_child(tree, (uint32_t)node, STACK_MARK(OPROF_STACK_OTHER), 0);
	must(node >= 0);
	stack_tree_add(tree, (uint32_t)node, i % 3, i % 3 * (i % 4 == 1 ? 999 : 1000));
}

static void unpack(int frame)
{
	const struct oprof_slice_frame *where = frame_of(&sound, frame);
	const size_t nr_bytes = le64toh(where->nr_bytes);
	uint8_t *packed = malloc(nr_bytes);

	nr_raw[frame] = le64toh(where->nr_raw_bytes);
	raw[frame] = malloc(nr_raw[frame]);
	must(packed && raw[frame]);
	must(file_pread_all(file_fd, packed, nr_bytes, (off_t)le64toh(where->offset)) ==
	     (ssize_t)nr_bytes);
	must(ZSTD_decompress(raw[frame], nr_raw[frame], packed, nr_bytes) == nr_raw[frame]);
	free(packed);
}

static void make_sound(void)
{
	static const struct oprof_stats_entry counters[2] = {{"seen", 300}, {"stored", 7}};
	const struct slice_info info = {.level = OPROF_SLICE_HOUR,
					.epoch_first = 3,
					.epoch_last = 62,
					.end_ns = 60,
					.host = "h",
					.cpu_type = "timer",
					.begin = counters,
					.end = counters,
					.nr_counters = 2};
	struct slice_builder *builder;
	struct stack_tree stacks;
	uint64_t nr_bytes;

	file_fd = memfd_create("slice", 0);
	sum_fd = memfd_create("sum", 0);
	packer = ZSTD_createCCtx();
	must(file_fd >= 0 && sum_fd >= 0 && packer);
	must(!ZSTD_isError(ZSTD_CCtx_setParameter(packer, ZSTD_c_checksumFlag, 1)));
	(void)snprintf(file_path, sizeof(file_path), "/proc/self/fd/%d", file_fd);
	(void)snprintf(sum_path, sizeof(sum_path), "/proc/self/fd/%d", sum_fd);
	must(!slice_builder_create(&builder));
	for (unsigned int i = 0; i < 9; i++)
		add_section(builder, i);
	must(!stack_tree_init(&stacks));
	for (unsigned int i = 0; i < 40; i++)
		add_stack(&stacks, i);
	slice_builder_stacks(builder, &stacks);
	must(!slice_builder_write(builder, &info, file_fd, &nr_bytes));
	slice_builder_destroy(builder);
	stack_tree_deinit(&stacks);
	must(file_pread_all(file_fd, &sound, sizeof(sound), 0) == sizeof(sound));
	for (int frame = 0; frame < NR_FRAMES; frame++)
		unpack(frame);
}

/* ---- a damaged one ---- */

static void put(const void *bytes, size_t nr_bytes)
{
	must(!file_write_all(file_fd, bytes, nr_bytes));
}

/* Applies patches to bytes; offsets wrap at the end. */
static void patch(uint8_t *bytes, size_t nr_bytes, const uint8_t *data, size_t size)
{
	while (size > 3 && nr_bytes) {
		const size_t where = (size_t)(data[0] | data[1] << 8) % nr_bytes;
		size_t nr = data[2];

		data += 3;
		size -= 3;
		nr = nr > size ? size : nr;
		memcpy(bytes + where, data, nr > nr_bytes - where ? nr_bytes - where : nr);
		data += nr;
		size -= nr;
	}
}

/* Writes a header and then the compressed frames that it describes. */
static void write_frames(uint8_t *const bytes[NR_FRAMES], const size_t nr_bytes[NR_FRAMES],
			 const uint8_t *data, size_t size)
{
	struct oprof_slice_header header = sound;
	uint8_t *packed[NR_FRAMES];
	size_t nr_packed[NR_FRAMES], offset = OPROF_SLICE_HEADER_BYTES;

	for (int frame = 0; frame < NR_FRAMES; frame++) {
		const size_t room = ZSTD_compressBound(nr_bytes[frame]);

		packed[frame] = malloc(room);
		must(packed[frame]);
		nr_packed[frame] = nr_bytes[frame] ? ZSTD_compress2(packer, packed[frame], room,
								    bytes[frame], nr_bytes[frame])
						   : 0;
		frame_of(&header, frame)->offset = htole64(offset);
		frame_of(&header, frame)->nr_bytes = htole64(nr_packed[frame]);
		frame_of(&header, frame)->nr_raw_bytes = htole64(nr_bytes[frame]);
		offset += nr_packed[frame];
	}
	patch((uint8_t *)&header, sizeof(header), data, size);
	header.checksum = htole64(slice_header_checksum(&header));
	put(&header, sizeof(header));
	for (int frame = 0; frame < NR_FRAMES; frame++) {
		put(packed[frame], nr_packed[frame]);
		free(packed[frame]);
	}
}

/* Patches all frames except the stacks as if they were one. */
static void write_patched_frames(const uint8_t *data, size_t size)
{
	size_t nr_all = 0;
	uint8_t *all, *bytes[NR_FRAMES];

	for (int frame = 0; frame < NR_PATCHED; frame++)
		nr_all += nr_raw[frame];
	all = calloc(nr_all, 1);
	must(all);
	nr_all = 0;
	bytes[STACKS] = raw[STACKS];
	for (int frame = 0; frame < NR_PATCHED; frame++) {
		bytes[frame] = all + nr_all;
		memcpy(bytes[frame], raw[frame], nr_raw[frame]);
		nr_all += nr_raw[frame];
	}
	patch(all, nr_all, data, size);
	write_frames(bytes, nr_raw, NULL, 0);
	free(all);
}

/* Writes a file in which one frame's content is data. */
static void write_frame(int frame, uint32_t version, const uint8_t *data, size_t size)
{
	const uint8_t header[] = {offsetof(struct oprof_slice_header, version), 0, 1,
				  (uint8_t)version};
	uint8_t *bytes[NR_FRAMES];
	size_t nr_bytes[NR_FRAMES];

	memcpy(bytes, raw, sizeof(bytes));
	memcpy(nr_bytes, nr_raw, sizeof(nr_bytes));
	bytes[frame] = malloc(size ? size : 1);
	must(bytes[frame]);
	memcpy(bytes[frame], data, size);
	nr_bytes[frame] = size;
	write_frames(bytes, nr_bytes, header, sizeof(header));
	free(bytes[frame]);
}

static void write_patched_stacks(const uint8_t *data, size_t size)
{
	uint8_t *copy = calloc(nr_raw[STACKS], 1);

	must(copy);
	memcpy(copy, raw[STACKS], nr_raw[STACKS]);
	patch(copy, nr_raw[STACKS], data, size);
	write_frame(STACKS, OPROF_SLICE_VERSION, copy, nr_raw[STACKS]);
	free(copy);
}

static void write_input(const uint8_t *data, size_t size)
{
	must(!ftruncate(file_fd, 0) && !lseek(file_fd, 0, SEEK_SET));
	switch (size ? data[0] : 'r') {
	case 'h':
		write_frames(raw, nr_raw, data + 1, size - 1);
		break;
	case 'f':
		write_patched_frames(data + 1, size - 1);
		break;
	case 't':
		write_frame(0, OPROF_SLICE_VERSION, data + 1, size - 1);
		break;
	case 'o':
		write_frame(STACKS, 1, data + 1, size - 1);
		break;
	case 's':
		write_frame(STACKS, OPROF_SLICE_VERSION, data + 1, size - 1);
		break;
	case 'p':
		write_patched_stacks(data + 1, size - 1);
		break;
	default:
		if (size)
			put(data + 1, size - 1);
	}
}

/* ---- checks ---- */

static int read_stacks(struct slice *slice, struct diag *diag)
{
	struct stack_tree tree;
	int error = slice_read_stacks(slice, &tree, diag);

	if (error)
		return error;
	for (uint32_t i = 0; i < tree.nr_nodes; i++) {
		const struct stack_node *node = &tree.nodes[i];

		must(node->parent == STACK_NODE_ROOT ? node->image < tree.nr_roots
						     : node->parent < i);
		must(node->parent == STACK_NODE_ROOT || node->image < tree.nr_images ||
		     node->image > STACK_MARK(OPROF_STACK_MARKS));
	}
	must(!stack_tree_fold(&tree, tree.nr_nodes / 2));
	stack_tree_deinit(&tree);
	return 0;
}

/* Reads every other section and skips the rest. Returns the first error, or 0. */
static int read_some(unsigned int first)
{
	const struct slice_section *sections;
	struct slice *slice;
	struct diag diag;
	size_t nr_sections;
	int error = slice_open(&slice, file_path, &diag);

	if (error)
		return error;
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections && !error; i++) {
		if ((i + first) % 2) {
			error = slice_skip_section(slice, &diag);
		} else {
			struct sdb_entry *entries = calloc(sections[i].nr_keys, sizeof(*entries));

			must(entries);
			error = slice_read_section(slice, entries, &diag);
			free(entries);
		}
	}
	if (!error && !first)
		error = read_stacks(slice, &diag);
	slice_close(slice);
	return error;
}

static void sum_again(const struct slice_check_result *result)
{
	const char *const paths[] = {file_path};
	struct slice_check_result again;
	struct diag diag;
	uint64_t nr_bytes;

	must(!ftruncate(sum_fd, 0));
	must(!slice_merge(paths, 1, OPROF_SLICE_DAY, sum_fd, &nr_bytes, &diag));
	must(!slice_check(sum_path, &again, &diag));
	must(again.nr_sections == result->nr_sections && again.nr_keys == result->nr_keys &&
	     again.nr_samples == result->nr_samples && again.nr_idle == result->nr_idle &&
	     again.nr_bytes == nr_bytes && again.nr_stack_nodes == result->nr_stack_nodes &&
	     again.nr_stack_samples == result->nr_stack_samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice_check_result result;
	struct diag diag;
	int check;

	if (!packer)
		make_sound();
	write_input(data, size);
	check = slice_check(file_path, &result, &diag);
	for (unsigned int first = 0; first < 2; first++) {
		int error = read_some(first);

		must(check || !error);
	}
	if (!check)
		sum_again(&result);
	return 0;
}
