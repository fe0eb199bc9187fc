// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/stack_identity.h"

#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_index.h"

/* ---- order ---- */

int stack_root_compare(const struct slice_section *a, const struct slice_section *b)
{
	return slice_section_compare_rest(a, b);
}

static struct slice_section section_of(const struct stack_image *image)
{
	return (struct slice_section){.image = image->path,
				      .identity = image->identity,
				      .image_kind = image->kind,
				      .image_start = image->image_start};
}

int stack_image_compare(const struct stack_image *a, const struct stack_image *b)
{
	const struct slice_section left = section_of(a), right = section_of(b);

	return slice_section_compare_images(&left, &right);
}

/* ---- hashes: of compared fields only ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return stack_hash(hash, 0);
}

static uint64_t hash_path(uint64_t hash, const struct slice_path *path)
{
	hash = hash_text(stack_hash(hash, path->kind), path->path);
	if (path->kind != SAMPLE_PATH_ANON)
		return hash;
	hash = stack_hash(hash, (uint64_t)path->tgid);
	return stack_hash(stack_hash(hash, path->start), path->end);
}

uint32_t stack_root_hash(const struct slice_section *section)
{
	uint64_t hash = hash_path(UINT64_C(0xcbf29ce484222325), &section->app);

	hash = hash_text(hash, section->event);
	if (section->cgroup)
		hash = hash_text(hash, section->cgroup);
	hash = stack_hash(hash, section->period_or_hz);
	hash = stack_hash(hash, section->unit_mask);
	hash = stack_hash(hash, (uint64_t)section->tgid);
	hash = stack_hash(hash, (uint64_t)section->tid);
	return (uint32_t)(stack_hash(hash, (uint64_t)section->cpu) >> 32);
}

static uint64_t hash_identity(uint64_t hash, const struct oprof_image_identity *identity)
{
	if (!identity->nr_build_id)
		return stack_hash(stack_hash(hash, identity->dev), identity->inode);
	for (uint32_t i = 0; i < identity->nr_build_id; i++)
		hash = (hash ^ identity->build_id[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint32_t stack_image_hash(const struct stack_image *image)
{
	uint64_t hash = hash_path(UINT64_C(0xcbf29ce484222325), &image->path);

	hash = hash_identity(hash, &image->identity);
	hash = stack_hash(hash, (uint64_t)image->kind);
	return (uint32_t)(stack_hash(hash, image->image_start) >> 32);
}
