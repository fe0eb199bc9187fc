// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/selection_error.h"
#include "pp/selection/selection_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Compares two images. Their order is that of slice_section_compare() for two sections that differ
 * only in the image.
 */
static int compare_images(const void *a, const void *b, void *context)
{
	const struct selection_image *images = context;
	const struct selection_image *left = &images[*(const uint32_t *)a];
	const struct selection_image *right = &images[*(const uint32_t *)b];
	struct slice_section section = *left->section;
	int order;

	section.image = right->section->image;
	section.identity = right->section->identity;
	section.image_kind = right->section->image_kind;
	section.image_start = right->section->image_start;
	order = slice_section_compare(left->section, &section);
	if (!order && left->session != right->session)
		order = left->session < right->session ? -1 : 1;
	return order ? order : (left < right ? -1 : left > right);
}

/* Sorts images; rank[i] becomes the new index of image i. */
static int sort_images(struct selection *selection, uint32_t *rank)
{
	uint32_t *order = calloc(selection->nr_images, sizeof(*order));
	struct selection_image *sorted = calloc(selection->nr_images, sizeof(*sorted));
	int error = order && sorted ? 0 : -ENOMEM;

	for (size_t i = 0; i < selection->nr_images && !error; i++)
		order[i] = (uint32_t)i;
	if (!error)
		qsort_r(order, selection->nr_images, sizeof(*order), compare_images,
			selection->images);
	for (size_t i = 0; i < selection->nr_images && !error; i++) {
		rank[order[i]] = (uint32_t)i;
		sorted[i] = selection->images[order[i]];
	}
	free(order);
	if (error) {
		free(sorted);
		return error;
	}
	free(selection->images);
	selection->images = sorted;
	return 0;
}

static int compare_apps(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int sort_apps(struct selection *selection, uint32_t *rank)
{
	const char **sorted = calloc(selection->nr_apps, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, selection->apps, selection->nr_apps * sizeof(*sorted));
	qsort(sorted, selection->nr_apps, sizeof(*sorted), compare_apps);
	for (size_t i = 0; i < selection->nr_apps; i++) {
		const char **place = bsearch(&selection->apps[i], sorted, selection->nr_apps,
					     sizeof(*sorted), compare_apps);

		rank[i] = (uint32_t)(place - sorted);
	}
	free(selection->apps);
	selection->apps = sorted;
	return 0;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_parts(const void *a, const void *b)
{
	const struct selected_part *left = a;
	const struct selected_part *right = b;
	int order = compare_numbers(left->image, right->image);

	if (!order)
		order = compare_numbers(left->session, right->session);
	if (!order)
		order = compare_numbers(left->slice, right->slice);
	return order ? order : compare_numbers(left->number, right->number);
}

/* Sets the measures of classes. All columns of an event have the same measure. */
static void set_measures(struct selection *selection, const struct selection_walk *walk)
{
	struct classes *classes = &selection->classes;

	for (size_t i = 0; i < classes->nr_classes; i++)
		for (size_t j = 0; j < walk->nr_keys; j++) {
			struct profile_class *class = &classes->classes[i];

			if (walk->measures[j] > class->measure &&
			    class_key_same_event(&class->key, &walk->keys[j]))
				class->measure = (enum class_measure)walk->measures[j];
		}
}

static int make_parts(struct selection *selection, const struct selection_walk *walk,
		      const uint32_t *image_rank, const uint32_t *app_rank)
{
	size_t nr_classes = selection->classes.nr_classes;
	size_t *class_of = calloc(walk->nr_keys, sizeof(*class_of));

	selection->parts = calloc(walk->nr_found, sizeof(*selection->parts));
	if (!selection->parts || !class_of) {
		free(class_of);
		return -ENOMEM;
	}
	for (size_t i = 0; i < walk->nr_keys; i++)
		class_of[i] = classes_find(&selection->classes, &walk->keys[i]);
	for (size_t i = 0; i < walk->nr_found; i++) {
		const struct selected_file *found = &walk->found[i];

		selection->parts[i] = (struct selected_part){
			.image = image_rank[found->image],
			.app = app_rank[found->app],
			.class = (uint32_t)(class_of[found->key] + found->side * nr_classes),
			.session = found->session,
			.slice = found->slice,
			.number = found->number,
		};
	}
	free(class_of);
	selection->nr_parts = walk->nr_found;
	qsort(selection->parts, selection->nr_parts, sizeof(*selection->parts), compare_parts);
	return 0;
}

/* Checks that each class exists on both sides. */
static int check_sides(const struct selection *selection, struct diag *diag)
{
	size_t nr_columns = selection_nr_columns(selection);
	size_t nr_classes = selection->classes.nr_classes;
	bool *has;
	int error = 0;

	if (selection->nr_sides < SPEC_SIDES_MAX)
		return 0;
	has = calloc(nr_columns + 1, sizeof(*has));
	if (!has)
		return -ENOMEM;
	for (size_t i = 0; i < selection->nr_parts; i++)
		has[selection->parts[i].class] = true;
	for (size_t i = 0; i < nr_classes && !error; i++)
		if (has[i] != has[nr_classes + i])
			error = selection_refuse_sides(selection, i, has[i], diag);
	free(has);
	return error;
}

static int order_all(struct selection *selection, const struct selection_walk *walk)
{
	uint32_t *image_rank = calloc(selection->nr_images, sizeof(*image_rank));
	uint32_t *app_rank = calloc(selection->nr_apps, sizeof(*app_rank));
	int error = image_rank && app_rank ? 0 : -ENOMEM;

	if (!error)
		error = sort_images(selection, image_rank);
	if (!error)
		error = sort_apps(selection, app_rank);
	if (!error)
		error = make_parts(selection, walk, image_rank, app_rank);
	free(image_rank);
	free(app_rank);
	return error;
}

int selection_order(struct selection *selection, const struct selection_walk *walk,
		    struct diag *diag)
{
	int error = classes_arrange(&selection->classes, walk->keys, walk->nr_keys, diag);

	if (!error) {
		set_measures(selection, walk);
		error = order_all(selection, walk);
	}
	if (!error && !walk->options->whole_rows)
		error = rows_by_name(walk->options->by, selection->apps, selection->nr_apps,
				     &selection->strings, diag);
	return error ? error : check_sides(selection, diag);
}
