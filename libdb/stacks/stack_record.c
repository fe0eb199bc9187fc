// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/stacks/stack_record.h"

#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_identity.h"

#include <errno.h>
#include <string.h>

/* ---- making ---- */

/* Appends a string to the record. */
static int put_string(struct stack_record *record, const char *text, uint32_t *nr_bytes)
{
	const size_t length = strlen(text);

	if (length > STACK_RECORD_BYTES_MAX - 8 - record->head.size_bytes)
		return -ENAMETOOLONG;
	memcpy(record->bytes + record->head.size_bytes, text, length);
	record->head.size_bytes += (uint32_t)length;
	*nr_bytes = (uint32_t)length;
	return 0;
}

static int put_path(struct stack_record *record, const struct slice_path *path,
		    struct oprof_stack_path *to)
{
	to->kind = (uint32_t)path->kind;
	if (path->kind == SAMPLE_PATH_ANON) {
		to->tgid = path->tgid;
		to->start = path->start;
		to->end = path->end;
	}
	return put_string(record, path->path, &to->nr_bytes);
}

static void record_begin(struct stack_record *record, enum oprof_stack_record_type type,
			 size_t struct_bytes)
{
	memset(record->bytes, 0, struct_bytes);
	record->head.type = (uint16_t)type;
	record->head.size_bytes = (uint32_t)struct_bytes;
}

/* Appends zeros to the record up to a multiple of 8 bytes. */
static void record_end(struct stack_record *record)
{
	while (record->head.size_bytes % 8)
		record->bytes[record->head.size_bytes++] = 0;
}

int stack_record_root(struct stack_record *record, const struct slice_section *section)
{
	struct oprof_stack_root *root = &record->root;
	int error;

	record_begin(record, OPROF_STACK_ROOT, sizeof(*root));
	root->period_or_hz = section->period_or_hz;
	root->unit_mask = section->unit_mask;
	root->sdb_flags = section->flags & (SLICE_ROOT_FLAGS_TELL | OPROF_SDB_WEIGHTED);
	root->tgid = section->tgid;
	root->tid = section->tid;
	root->cpu = section->cpu;
	error = put_path(record, &section->app, &root->app);
	if (!error)
		error = put_string(record, section->event, &root->event_bytes);
	if (!error && section->cgroup)
		error = put_string(record, section->cgroup, &root->cgroup_bytes);
	record_end(record);
	return error;
}

int stack_record_image(struct stack_record *record, const struct stack_image *image)
{
	struct oprof_stack_image *to = &record->image;
	int error;

	record_begin(record, OPROF_STACK_IMAGE, sizeof(*to));
	to->kind = (uint32_t)image->kind;
	to->image_start = image->image_start;
	to->identity = image->identity;
	error = put_path(record, &image->path, &to->path);
	record_end(record);
	return error;
}

/* ---- comparing ---- */

static bool same_tail(const struct stack_record *record, const uint8_t *bytes, size_t from)
{
	return !memcmp(record->bytes + from, bytes + from, record->head.size_bytes - from);
}

static bool same_root(const struct stack_record *record, const uint8_t *bytes)
{
	struct oprof_stack_root root;

	memcpy(&root, bytes, sizeof(root));
	if ((root.sdb_flags ^ record->root.sdb_flags) & SLICE_ROOT_FLAGS_TELL)
		return false;
	root.sdb_flags = record->root.sdb_flags;
	return !memcmp(&root, &record->root, sizeof(root)) &&
	       same_tail(record, bytes, sizeof(root));
}

static bool same_identity(const struct oprof_image_identity *a,
			  const struct oprof_image_identity *b)
{
	const struct stack_image left = {.path = {.path = ""}, .identity = *a};
	const struct stack_image right = {.path = {.path = ""}, .identity = *b};

	return a->nr_build_id <= OPROF_BUILD_ID_BYTES_MAX && !stack_image_compare(&left, &right);
}

static bool same_image(const struct stack_record *record, const uint8_t *bytes)
{
	struct oprof_stack_image image;

	memcpy(&image, bytes, sizeof(image));
	if (!same_identity(&image.identity, &record->image.identity))
		return false;
	image.identity = record->image.identity;
	return !memcmp(&image, &record->image, sizeof(image)) &&
	       same_tail(record, bytes, sizeof(image));
}

bool stack_record_same(const struct stack_record *record, const uint8_t *bytes, uint64_t nr_bytes)
{
	struct oprof_stack_record head;

	if (nr_bytes < record->head.size_bytes)
		return false;
	memcpy(&head, bytes, sizeof(head));
	if (head.type != record->head.type || head.size_bytes != record->head.size_bytes)
		return false;
	return head.type == OPROF_STACK_ROOT ? same_root(record, bytes) : same_image(record, bytes);
}
