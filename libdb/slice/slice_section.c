// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections of slices: their order, and the conversion from a live file. */
#include "libdb/slice/slice_format.h"

#include <string.h>

/* ---- order ---- */

static int compare_unsigned(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_signed(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_paths(const struct slice_path *a, const struct slice_path *b)
{
	int order =
		a->kind == b->kind ? strcmp(a->path, b->path) : compare_unsigned(a->kind, b->kind);

	if (order || a->kind != SAMPLE_PATH_ANON)
		return order;
	order = compare_signed(a->tgid, b->tgid);
	if (!order)
		order = compare_unsigned(a->start, b->start);
	return order ? order : compare_unsigned(a->end, b->end);
}

/* If both images have a build-id, only the build-ids are compared, as for sample files. */
static int compare_identities(const struct oprof_image_identity *a,
			      const struct oprof_image_identity *b)
{
	int order = compare_unsigned(a->nr_build_id, b->nr_build_id);

	if (order)
		return order;
	if (a->nr_build_id)
		return memcmp(a->build_id, b->build_id, a->nr_build_id);
	order = compare_unsigned(a->dev, b->dev);
	if (!order)
		order = compare_unsigned(a->inode, b->inode);
	if (!order)
		order = compare_unsigned(a->inode_generation, b->inode_generation);
	if (!order)
		order = compare_signed(a->mtime_ns, b->mtime_ns);
	return order ? order : compare_unsigned(a->size_bytes, b->size_bytes);
}

int slice_section_compare_images(const struct slice_section *a, const struct slice_section *b)
{
	int order = compare_paths(&a->image, &b->image);

	if (!order)
		order = compare_identities(&a->identity, &b->identity);
	if (!order)
		order = compare_unsigned(a->image_kind, b->image_kind);
	return order ? order : compare_unsigned(a->image_start, b->image_start);
}

static int compare_events(const struct slice_section *a, const struct slice_section *b)
{
	int order = strcmp(a->event, b->event);

	if (!order)
		order = compare_unsigned(a->period_or_hz, b->period_or_hz);
	if (!order)
		order = compare_unsigned(a->unit_mask, b->unit_mask);
	return order ? order
		     : compare_unsigned(a->flags & SLICE_ROOT_FLAGS_TELL,
					b->flags & SLICE_ROOT_FLAGS_TELL);
}

static int compare_separation(const struct slice_section *a, const struct slice_section *b)
{
	int order = 0;

	if (a->cgroup && b->cgroup)
		order = strcmp(a->cgroup, b->cgroup);
	else
		order = !!a->cgroup - !!b->cgroup;
	if (!order)
		order = compare_signed(a->tgid, b->tgid);
	if (!order)
		order = compare_signed(a->tid, b->tid);
	return order ? order : compare_signed(a->cpu, b->cpu);
}

int slice_section_compare_rest(const struct slice_section *a, const struct slice_section *b)
{
	int order = compare_paths(&a->app, &b->app);

	if (!order)
		order = compare_events(a, b);
	return order ? order : compare_separation(a, b);
}

int slice_section_compare(const struct slice_section *a, const struct slice_section *b)
{
	int order = slice_section_compare_images(a, b);

	return order ? order : slice_section_compare_rest(a, b);
}

/* ---- live files ---- */

static struct slice_path path_of_name(const struct sample_path *name, const char *true_path)
{
	return (struct slice_path){.kind = name->kind,
				   .path = true_path,
				   .tgid = name->tgid,
				   .start = name->start,
				   .end = name->end};
}

void slice_section_of_file(struct slice_section *section, const struct sample_name *name,
			   const struct sdb_image *image)
{
	const struct oprof_sdb_header *header = &image->header;

	memset(section, 0, sizeof(*section));
	section->image = path_of_name(&name->image, image->image_path);
	section->app = path_of_name(&name->app, image->app_path);
	section->identity = header->image;
	section->image_kind = (enum oprof_image_kind)header->image_kind;
	section->image_start = header->image_start;
	section->event = image->event;
	section->period_or_hz = header->period_or_hz;
	section->unit_mask = header->unit_mask;
	section->flags = header->flags & SLICE_SECTION_FLAGS;
	section->tgid = name->tgid;
	section->tid = name->tid;
	section->cpu = name->cpu;
	section->cgroup = name->cgroup == SAMPLE_NAME_ALL ? NULL : image->cgroup;
}
