// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/selection_internal.h"

#include "lib/array.h"
#include "libdb/sample_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IDLE_NAME "{idle}"

/* ---- numbering: equal elements get equal numbers ---- */

static uint64_t hash_pointer(uint64_t before, const void *pointer)
{
	return index_table_hash(before, (uint64_t)(uintptr_t)pointer);
}

static bool same_app(uint32_t index, const void *key, void *context)
{
	const struct selection_walk *walk = context;

	return walk->selection->apps[index] == key;
}

static int number_app(struct selection_walk *walk, const char *app, uint32_t *number)
{
	struct selection *selection = walk->selection;
	uint64_t hash = hash_pointer(0, app);

	*number = index_table_find(&walk->app_table, hash, same_app, app, walk);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (array_reserve(&selection->apps, &walk->apps_room, selection->nr_apps, 1) ||
	    index_table_put(&walk->app_table, hash, (uint32_t)selection->nr_apps))
		return -ENOMEM;
	*number = (uint32_t)selection->nr_apps;
	selection->apps[selection->nr_apps++] = app;
	return 0;
}

/*
 * Returns whether the image's keys are numbers of names. Each session numbers its names separately.
 */
static bool is_named(const struct slice_section *section)
{
	return section->image_kind == OPROF_IMAGE_CODE ||
	       (section->image_kind == OPROF_IMAGE_BPF && *section->image.path == '[');
}

static bool same_image(uint32_t index, const void *key, void *context)
{
	const struct selection_walk *walk = context;
	const struct selection_image *image = &walk->selection->images[index];
	const struct selection_image *wanted = key;

	return image->path == wanted->path && image->identity == wanted->identity &&
	       image->section->image_start == wanted->section->image_start &&
	       image->kind == wanted->kind &&
	       (!is_named(wanted->section) || image->session == wanted->session);
}

static int number_image(struct selection_walk *walk, const char *path,
			const struct slice_section *section, uint32_t *number)
{
	struct selection *selection = walk->selection;
	const struct selection_image image = {
		.path = path,
		.identity = sample_identity(&section->identity),
		.kind = section->image_kind,
		.session = walk->session,
		.section = section,
	};
	uint64_t hash = hash_pointer(image.identity, path);

	*number = index_table_find(&walk->image_table, hash, same_image, &image, walk);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (array_reserve(&selection->images, &walk->images_room, selection->nr_images, 1) ||
	    index_table_put(&walk->image_table, hash, (uint32_t)selection->nr_images))
		return -ENOMEM;
	*number = (uint32_t)selection->nr_images;
	selection->images[selection->nr_images++] = image;
	return 0;
}

static bool same_keys(const struct class_key *a, const struct class_key *b)
{
	return a->event == b->event && a->period_or_hz == b->period_or_hz &&
	       a->frequency == b->frequency && a->unit_mask == b->unit_mask && a->tgid == b->tgid &&
	       a->tid == b->tid && a->cpu == b->cpu && a->cgroup == b->cgroup &&
	       a->event_order == b->event_order;
}

static bool same_key(uint32_t index, const void *key, void *context)
{
	const struct selection_walk *walk = context;

	return same_keys(&walk->keys[index], key);
}

static int number_key(struct selection_walk *walk, const struct class_key *key, uint32_t *number)
{
	uint64_t hash = hash_pointer(hash_pointer(0, key->event), key->cgroup);
	size_t room = walk->keys_room;

	hash = index_table_hash(hash, (uint64_t)key->tid ^ (uint64_t)key->tgid << 32);
	hash = index_table_hash(hash, (uint64_t)key->cpu ^ key->period_or_hz << 16);
	*number = index_table_find(&walk->key_table, hash, same_key, key, walk);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (array_reserve(&walk->measures, &room, walk->nr_keys, 1) ||
	    array_reserve(&walk->keys, &walk->keys_room, walk->nr_keys, 1) ||
	    index_table_put(&walk->key_table, hash, (uint32_t)walk->nr_keys))
		return -ENOMEM;
	*number = (uint32_t)walk->nr_keys;
	walk->keys[walk->nr_keys] = *key;
	walk->measures[walk->nr_keys++] = MEASURE_SAMPLES;
	return 0;
}

/* ---- a part ---- */

/*
 * Returns the text for path. The text is usually in the cache, because sections of a slice share
 * their strings.
 */
static const char *show_path(struct selection_walk *walk, const struct slice_path *path)
{
	uint64_t hash = index_table_hash(hash_pointer((uint64_t)path->tgid, path->path),
					 path->start ^ path->end);
	struct shown_before *before = &walk->before[hash >> 32 & (NR_SHOWN_BEFORE - 1)];

	if (before->path.path != path->path || before->path.kind != path->kind ||
	    before->path.tgid != path->tgid || before->path.start != path->start ||
	    before->path.end != path->end || !before->shown) {
		before->path = *path;
		before->shown = part_show_path(path, &walk->selection->strings);
	}
	return before->shown;
}

static int show(struct selection_walk *walk, const struct slice_section *section,
		struct part_shown *shown)
{
	const struct slice_path cgroup = {.kind = SAMPLE_PATH_KERN, .path = section->cgroup};

	shown->app = show_path(walk, &section->app);
	shown->image = show_path(walk, &section->image);
	shown->cgroup = "";
	if (cgroup.path)
		shown->cgroup = part_show_cgroup(cgroup.path, &walk->selection->strings);
	return shown->app && shown->image && shown->cgroup ? 0 : -ENOMEM;
}

static bool is_idle(const struct slice_section *section)
{
	return section->image.kind == SAMPLE_PATH_KERN && !strcmp(section->image.path, IDLE_NAME);
}

static int add_idle(struct selection_walk *walk, uint32_t slice, uint32_t number)
{
	struct selection *selection = walk->selection;
	struct selected_part *bigger;

	bigger = reallocarray(selection->idle, selection->nr_idle + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	selection->idle = bigger;
	bigger[selection->nr_idle++] = (struct selected_part){
		.class = walk->side, .session = walk->session, .slice = slice, .number = number};
	return 0;
}

/* Updates the measure of the key's columns. */
static void note_measure(struct selection_walk *walk, uint32_t key,
			 const struct slice_section *section)
{
	if (section->image_kind == OPROF_IMAGE_OFF_CPU)
		walk->measures[key] = MEASURE_TIME;
	else if (section->flags & OPROF_SDB_WEIGHTED && walk->measures[key] == MEASURE_SAMPLES)
		walk->measures[key] = MEASURE_WEIGHT;
}

static int add_found(struct selection_walk *walk, const struct slice_section *section,
		     const struct part_shown *shown, uint32_t slice, uint32_t number)
{
	const char *app = walk->options->merge & MERGE_LIB ? shown->image : shown->app;
	struct selection *selection = walk->selection;
	struct selected_file *found;
	struct class_key key;
	const char *row;

	if (array_reserve(&walk->found, &walk->room, walk->nr_found, 1))
		return -ENOMEM;
	found = &walk->found[walk->nr_found];
	*found = (struct selected_file){
		.session = walk->session, .slice = slice, .number = number, .side = walk->side};
	if (selection_class_key(selection, walk->session, section, shown->cgroup,
				&selection->strings, &key, &row))
		return -ENOMEM;
	if (number_app(walk, row ? row : app, &found->app) ||
	    number_image(walk, shown->image, section, &found->image) ||
	    number_key(walk, &key, &found->key))
		return -ENOMEM;
	note_measure(walk, found->key, section);
	walk->nr_found++;
	return 0;
}

int selection_walk_visit(struct selection_walk *walk, const struct slice_section *section,
			 uint32_t slice, uint32_t number)
{
	struct part_shown shown;
	enum spec_tag tag;

	if (show(walk, section, &shown))
		return -ENOMEM;
	walk->nr_seen++;
	tag = part_match(walk->spec, section, &shown);
	if (tag != SPEC_NR_TAGS)
		return part_refusals_note(&walk->refusals, tag, section, &shown,
					  &walk->selection->strings);
	if (walk->options->exclude_dependent && shown.app != shown.image) {
		walk->nr_dependent++;
		return 0;
	}
	if (is_idle(section))
		return add_idle(walk, slice, number);
	return add_found(walk, section, &shown, slice, number);
}

void selection_walk_deinit(struct selection_walk *walk)
{
	free(walk->found);
	free(walk->keys);
	free(walk->measures);
	index_table_deinit(&walk->key_table);
	index_table_deinit(&walk->image_table);
	index_table_deinit(&walk->app_table);
}
