// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/archive/archive_slices.h"

#include "lib/stop_signal.h"
#include "libdb/slice/history_files.h"
#include "oprof/stack_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct slice_making {
	const struct selection *selection;
	size_t session;
	int (*take)(void *context, const char *name, int fd, struct diag *diag);
	void *context;
	void (*skip)(const char *path, const struct diag *diag);
	/* The session's selected parts, sorted by slice and section number; live files are last. */
	struct selected_part *parts;
	size_t nr_parts;
	struct sdb_entry *entries;
	size_t entries_room;
};

static int compare_parts(const void *a, const void *b)
{
	const struct selected_part *left = a, *right = b;

	if (left->slice != right->slice)
		return left->slice < right->slice ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

static void collect(struct slice_making *making, const struct selected_part *parts, size_t nr_parts)
{
	for (size_t i = 0; i < nr_parts; i++)
		if (parts[i].session == making->session)
			making->parts[making->nr_parts++] = parts[i];
}

static int collect_all(struct slice_making *making)
{
	const struct selection *selection = making->selection;

	making->parts =
		malloc((selection->nr_parts + selection->nr_idle + 1) * sizeof(*making->parts));
	if (!making->parts)
		return -ENOMEM;
	collect(making, selection->parts, selection->nr_parts);
	collect(making, selection->idle, selection->nr_idle);
	qsort(making->parts, making->nr_parts, sizeof(*making->parts), compare_parts);
	return 0;
}

static int give(struct slice_making *making, const struct slice_info *info, int fd,
		struct diag *diag)
{
	char name[64];

	history_file_name(name, sizeof(name), info->level, info->epoch_first, info->epoch_last);
	return making->take(making->context, name, fd, diag);
}

static int write_built(struct slice_making *making, struct slice_builder *builder,
		       const struct slice_info *info, struct diag *diag)
{
	int fd = memfd_create("oprof-slice", MFD_CLOEXEC);
	uint64_t nr_bytes;
	int error;

	if (fd < 0)
		return diag_set(diag, -errno, "cannot create a temporary file for a slice: %s",
				strerror(errno));
	(void)fchmod(fd, 0600); /* same mode as the daemon's slices; the archive stores this mode */
	error = slice_builder_write(builder, info, fd, &nr_bytes);
	if (error)
		diag_set(diag, error, "cannot make a slice: %s", strerror(-error));
	else
		error = give(making, info, fd, diag);
	(void)close(fd);
	return error;
}

/* ---- call stacks ---- */

static bool has_app(const struct slice_making *making, const struct selected_part *parts,
		    size_t nr_parts, const struct slice_path *app)
{
	for (size_t i = 0; i < nr_parts; i++) {
		const struct slice_path *other =
			&selection_section(making->selection, &parts[i])->app;

		if (other->kind == app->kind && other->tgid == app->tgid &&
		    !strcmp(other->path, app->path))
			return true;
	}
	return false;
}

/*
 * Returns whether samples are selected by application only. Then all call stacks of the selected
 * applications are copied.
 */
static bool is_by_app(const struct selection *selection)
{
	static const enum spec_tag by_leaf[] = {SPEC_IMAGE_EXCLUDE, SPEC_LIB_IMAGE,
						SPEC_LIB_IMAGE_EXCLUDE, SPEC_WORD};

	for (size_t i = 0; i < sizeof(by_leaf) / sizeof(by_leaf[0]); i++)
		if (selection->specs[0].lists[by_leaf[i]].nr_patterns)
			return false;
	return !selection->options.exclude_dependent;
}

/* The state while the selected nodes of a call tree are copied. */
struct keeping {
	const struct stack_tree *from;
	bool whole; /* true: all nodes are copied */
	/*
	 * apps: for each root, whether its application is selected. images: for each image, whether
	 * it is selected as an application.
	 */
	bool *apps, *images;
	uint32_t *roots; /* for each node: index of its root */
	/* For each node: whether it is copied (needed), and whether its samples too (counted). */
	bool *needed, *counted;
	int64_t *nodes; /* for each node: its index in the copy */
};

static int keeping_init(struct keeping *keeping, const struct stack_tree *from)
{
	*keeping = (struct keeping){.from = from};
	keeping->apps = calloc((size_t)from->nr_roots + 1, sizeof(*keeping->apps));
	keeping->images = calloc((size_t)from->nr_images + 1, sizeof(*keeping->images));
	keeping->roots = calloc((size_t)from->nr_nodes + 1, sizeof(*keeping->roots));
	keeping->needed = calloc((size_t)from->nr_nodes + 1, sizeof(*keeping->needed));
	keeping->counted = calloc((size_t)from->nr_nodes + 1, sizeof(*keeping->counted));
	keeping->nodes = calloc((size_t)from->nr_nodes + 1, sizeof(*keeping->nodes));
	return keeping->apps && keeping->images && keeping->roots && keeping->needed &&
			       keeping->counted && keeping->nodes
		       ? 0
		       : -ENOMEM;
}

static void keeping_deinit(struct keeping *keeping)
{
	free(keeping->apps);
	free(keeping->images);
	free(keeping->roots);
	free(keeping->needed);
	free(keeping->counted);
	free(keeping->nodes);
}

/*
 * Returns whether the node's samples must be copied. With OPROF_STACK_BY_IMAGE, the samples'
 * application is the image in which they were taken (oprof/stack_file.h). Samples in a mark are
 * then not copied, because their image is unknown.
 */
static bool is_counted(const struct keeping *keeping, uint32_t number)
{
	const struct stack_node *node = &keeping->from->nodes[number];
	uint32_t root = keeping->roots[number];

	if (keeping->whole)
		return true;
	if (!(keeping->from->roots[root].flags & OPROF_STACK_BY_IMAGE))
		return keeping->apps[root];
	return node->nr_samples && node->parent != STACK_NODE_ROOT &&
	       node->image < keeping->from->nr_images && keeping->images[node->image];
}

static void choose_nodes(struct keeping *keeping)
{
	const struct stack_node *nodes = keeping->from->nodes;

	for (uint32_t i = 0; i < keeping->from->nr_nodes; i++)
		keeping->roots[i] = nodes[i].parent == STACK_NODE_ROOT
					    ? nodes[i].image
					    : keeping->roots[nodes[i].parent];
	for (uint32_t i = keeping->from->nr_nodes; i > 0; i--) {
		keeping->counted[i - 1] = is_counted(keeping, i - 1);
		keeping->needed[i - 1] |= keeping->counted[i - 1];
		if (keeping->needed[i - 1] && nodes[i - 1].parent != STACK_NODE_ROOT)
			keeping->needed[nodes[i - 1].parent] = true;
	}
}

/* Adds the node to `kept`. Returns the node's index in `kept`, or -errno. */
static int64_t keep_node(struct stack_tree *kept, const struct keeping *keeping, uint32_t number)
{
	const struct stack_tree *from = keeping->from;
	const struct stack_node *node = &from->nodes[number];
	int64_t image = node->image;

	if (node->parent == STACK_NODE_ROOT)
		return stack_tree_root(kept, &from->roots[node->image]);
	if (node->image < from->nr_images)
		image = stack_tree_image(kept, &from->images[node->image]);
	if (image < 0)
		return image;
	return stack_tree_child(kept, (uint32_t)keeping->nodes[node->parent], (uint32_t)image,
				node->offset);
}

static int keep_nodes(struct stack_tree *kept, const struct keeping *keeping)
{
	for (uint32_t i = 0; i < keeping->from->nr_nodes; i++) {
		const struct stack_node *node = &keeping->from->nodes[i];

		if (!keeping->needed[i])
			continue;
		keeping->nodes[i] = keep_node(kept, keeping, i);
		if (keeping->nodes[i] < 0)
			return (int)keeping->nodes[i];
		if (node->nr_samples && keeping->counted[i])
			stack_tree_add(kept, (uint32_t)keeping->nodes[i], node->nr_samples,
				       node->weight);
	}
	return 0;
}

static int keep_apps(struct slice_making *making, const struct selected_part *parts,
		     size_t nr_parts, struct stack_tree *kept, const struct stack_tree *from)
{
	struct keeping keeping;
	int error = keeping_init(&keeping, from);

	keeping.whole = making->selection->whole;
	for (uint32_t i = 0; i < from->nr_roots && !error; i++)
		keeping.apps[i] = has_app(making, parts, nr_parts, &from->roots[i].app);
	for (uint32_t i = 0; i < from->nr_images && !error; i++)
		keeping.images[i] = has_app(making, parts, nr_parts, &from->images[i].path);
	if (!error) {
		choose_nodes(&keeping);
		error = keep_nodes(kept, &keeping);
	}
	keeping_deinit(&keeping);
	return error;
}

/* ---- closed slices ---- */

static int make_room(struct slice_making *making, uint64_t nr)
{
	struct sdb_entry *bigger;

	if (nr <= making->entries_room)
		return 0;
	bigger = reallocarray(making->entries, nr, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	making->entries = bigger;
	making->entries_room = nr;
	return 0;
}

static int copy_section(struct slice_making *making, struct slice *slice,
			struct slice_builder *builder, const struct slice_section *section,
			struct diag *diag)
{
	int64_t number = slice_builder_section(builder, section);
	int error = number < 0 ? (int)number : make_room(making, section->nr_keys);

	if (error)
		return diag_set(diag, error, "%s", strerror(-error));
	error = slice_read_section(slice, making->entries, diag);
	return error ? error
		     : slice_builder_add_entries(builder, number, making->entries,
						 section->nr_keys);
}

/* Copies the selected sections of a slice. parts: the selected parts of this slice, by number. */
static int copy_sections(struct slice_making *making, struct slice *slice,
			 struct slice_builder *builder, const struct selected_part *parts,
			 size_t nr_parts, struct diag *diag)
{
	size_t nr_sections, next = 0;
	const struct slice_section *sections = slice_sections(slice, &nr_sections);
	int error = 0;

	for (size_t i = 0; i < nr_sections && next < nr_parts && !error; i++) {
		if (parts[next].number != i) {
			error = slice_skip_section(slice, diag);
			continue;
		}
		error = copy_section(making, slice, builder, &sections[i], diag);
		next++;
	}
	return error;
}

static int add_some(struct slice_making *making, struct slice *slice,
		    const struct selected_part *parts, size_t nr_parts, struct diag *diag)
{
	struct slice_builder *builder;
	struct stack_tree kept, all;
	int error = slice_builder_create(&builder);

	if (error)
		return diag_set(diag, error, "out of memory");
	error = stack_tree_init(&kept);
	if (!error && is_by_app(making->selection)) {
		error = slice_read_stacks(slice, &all, diag);
		if (!error) {
			error = keep_apps(making, parts, nr_parts, &kept, &all);
			stack_tree_deinit(&all);
		}
	}
	if (!error)
		error = copy_sections(making, slice, builder, parts, nr_parts, diag);
	if (!error) {
		slice_builder_stacks(builder, &kept);
		error = write_built(making, builder, slice_info(slice), diag);
	}
	stack_tree_deinit(&kept);
	slice_builder_destroy(builder);
	return error == -ENOMEM ? diag_set(diag, error, "out of memory") : error;
}

static int add_slice(struct slice_making *making, struct slice *slice,
		     const struct selected_part *parts, size_t nr_parts, struct diag *diag)
{
	size_t nr_sections;

	(void)slice_sections(slice, &nr_sections);
	if (nr_parts == nr_sections)
		return give(making, slice_info(slice), slice_fd(slice), diag);
	return add_some(making, slice, parts, nr_parts, diag);
}

/* ---- live files ---- */

static void widen(int64_t *begin_ns, int64_t *end_ns, int64_t first_ns, int64_t last_ns)
{
	if (first_ns && (!*begin_ns || first_ns < *begin_ns))
		*begin_ns = first_ns;
	if (last_ns > *end_ns)
		*end_ns = last_ns;
}

/*
 * Adds a live file's header to *info. The values that are the same in all files are copied from the
 * first file. Strings are borrowed.
 */
static void take_header(struct slice_info *info, const struct sdb_image *file)
{
	const struct oprof_sdb_header *header = &file->header;

	if (!info->host) {
		info->host = file->host;
		info->cpu_type = file->cpu_type;
		info->clock = header->clock;
		info->cpu_khz = header->cpu_khz;
		memcpy(info->boot_id, header->boot_id, sizeof(info->boot_id));
	} else if (memcmp(info->boot_id, header->boot_id, sizeof(info->boot_id)) != 0) {
		memset(info->boot_id, 0, sizeof(info->boot_id));
	}
	if (header->epoch > info->epoch_last)
		info->epoch_first = info->epoch_last = header->epoch;
	if (header->flags & OPROF_SDB_HOLED)
		info->flags |= OPROF_SLICE_HOLED;
	widen(&info->first_sample_ns, &info->last_sample_ns, header->start_time_ns,
	      header->end_time_ns);
}

static int add_file(struct slice_builder *builder, const struct part_live *live,
		    const struct sdb_image *file, struct slice_info *info)
{
	struct slice_section section = live->section;
	int64_t number;

	section.flags &= ~OPROF_SDB_EPOCHS;
	number = slice_builder_section(builder, &section);
	if (number < 0)
		return (int)number;
	take_header(info, file);
	return slice_builder_add_entries(builder, number, file->entries, file->nr_entries);
}

/* live_counters count from the end of the last slice, so all values in `begin` are 0. */
static void set_counters(struct slice_info *info, struct oprof_stats_entry *begin,
			 struct oprof_stats_entry *end, const struct session_parts *parts)
{
	const struct counters *live = &parts->live_counters;

	for (size_t i = 0; i < live->nr_entries; i++) {
		begin[i] = end[i] = live->entries[i];
		begin[i].value = 0;
	}
	info->begin = begin;
	info->end = end;
	info->nr_counters = live->nr_entries;
}

static int write_live(struct slice_making *making, struct slice_builder *builder,
		      struct slice_info *info, struct diag *diag)
{
	const struct session_parts *parts = &making->selection->sessions[making->session].parts;
	size_t nr = parts->live_counters.nr_entries;
	struct oprof_stats_entry *begin = calloc(nr + 1, sizeof(*begin));
	struct oprof_stats_entry *end = calloc(nr + 1, sizeof(*end));
	int error = -ENOMEM;

	if (info->epoch_last <= parts->epoch_closed)
		info->epoch_first = info->epoch_last = parts->epoch_closed + 1;
	info->begin_ns = info->first_sample_ns;
	info->end_ns = info->last_sample_ns;
	if (begin && end) {
		if (!parts->of_session || !parts->nr_slices)
			set_counters(info, begin, end, parts);
		error = write_built(making, builder, info, diag);
	} else {
		diag_set(diag, error, "out of memory");
	}
	free(begin);
	free(end);
	return error;
}

static int add_live_files(struct slice_making *making, struct slice_builder *builder,
			  const struct selected_part *parts, size_t nr_parts,
			  struct slice_info *info, struct sdb_image *loaded, struct diag *diag)
{
	int error = 0;

	for (size_t i = 0; i < nr_parts && !error; i++) {
		const struct part_live *live = selection_live(making->selection, &parts[i]);
		const struct sdb_image *file = live->samples;

		if (!file) {
			error = sdb_image_load(live->path, &loaded[i], diag);
			if (error)
				return error;
			file = &loaded[i];
		}
		error = add_file(builder, live, file, info);
	}
	return error ? diag_set(diag, error, "%s", strerror(-error)) : 0;
}

static int add_live(struct slice_making *making, const struct selected_part *parts, size_t nr_parts,
		    struct diag *diag)
{
	struct slice_info info = {.level = OPROF_SLICE_MINUTE, .epoch_first = 1, .epoch_last = 1};
	struct sdb_image *loaded = calloc(nr_parts, sizeof(*loaded));
	const struct stack_tree *stacks = making->selection->sessions[making->session].parts.stacks;
	struct slice_builder *builder = NULL;
	struct stack_tree kept = {0};
	int error = loaded ? slice_builder_create(&builder) : -ENOMEM;

	if (!error)
		error = stack_tree_init(&kept);
	if (!error && stacks && (making->selection->whole || is_by_app(making->selection)))
		error = keep_apps(making, parts, nr_parts, &kept, stacks);
	if (error)
		diag_set(diag, error, "out of memory");
	else
		error = add_live_files(making, builder, parts, nr_parts, &info, loaded, diag);
	if (!error) {
		slice_builder_stacks(builder, &kept);
		error = write_live(making, builder, &info, diag);
	}
	stack_tree_deinit(&kept);
	for (size_t i = 0; loaded && i < nr_parts; i++)
		sdb_image_deinit(&loaded[i]);
	free(loaded);
	if (builder)
		slice_builder_destroy(builder);
	return error;
}

/* ---- all slices ---- */

static int add_parts(struct slice_making *making, struct diag *diag)
{
	const struct session_parts *of = &making->selection->sessions[making->session].parts;
	size_t first = 0;
	int error = 0;

	while (first < making->nr_parts && !error) {
		const struct selected_part *parts = &making->parts[first];
		size_t nr = 1;

		while (first + nr < making->nr_parts && parts[nr].slice == parts[0].slice)
			nr++;
		if (stop_signal_came())
			return diag_set(diag, -EINTR, "ended by a signal");
		error = parts[0].slice == SELECTED_LIVE
				? add_live(making, parts, nr, diag)
				: add_slice(making, of->slices[parts[0].slice].slice, parts, nr,
					    diag);
		if (error == -EILSEQ) {
			making->skip(selection_part_path(making->selection, parts), diag);
			error = 0;
		}
		first += nr;
	}
	return error;
}

int archive_slices_make(const struct selection *selection, size_t session,
			int (*take)(void *context, const char *name, int fd, struct diag *diag),
			void *context, void (*skip)(const char *path, const struct diag *diag),
			struct diag *diag)
{
	struct slice_making making = {
		.selection = selection,
		.session = session,
		.take = take,
		.context = context,
		.skip = skip,
	};
	int error = collect_all(&making);

	if (error)
		diag_set(diag, error, "out of memory");
	else
		error = add_parts(&making, diag);
	free(making.parts);
	free(making.entries);
	return error;
}

static int walk_tree(const struct stack_tree *tree,
		     int (*visit)(void *context, const struct stack_image *image), void *context)
{
	int error = 0;

	for (uint32_t i = 0; i < tree->nr_images && !error; i++)
		error = visit(context, &tree->images[i]);
	return error;
}

static size_t count_parts(const struct selected_part *parts, size_t nr_parts, size_t session,
			  size_t slice)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_parts; i++)
		nr += parts[i].session == session && parts[i].slice == slice;
	return nr;
}

/*
 * Returns whether archive_slices_make() also reads the stacks of this slice. If so, it also reports
 * damaged stacks.
 */
static bool reads_stacks(const struct selection *selection, size_t session, size_t slice)
{
	size_t nr = count_parts(selection->parts, selection->nr_parts, session, slice) +
		    count_parts(selection->idle, selection->nr_idle, session, slice);
	size_t nr_sections;

	(void)slice_sections(selection->sessions[session].parts.slices[slice].slice, &nr_sections);
	return nr && nr < nr_sections && is_by_app(selection);
}

static void skip_stacks(const struct part_slice *slice, int error, const struct diag *why,
			void (*skip)(const char *path, const struct diag *diag))
{
	struct diag diag;

	diag_set_at(&diag, error, why->file, 0,
		    "%s; the archive may lack binaries that occur only in the slice's call stacks",
		    why->text);
	skip(slice->path, &diag);
}

int archive_slices_walk_images(const struct selection *selection, size_t session,
			       int (*visit)(void *context, const struct stack_image *image),
			       void *context,
			       void (*skip)(const char *path, const struct diag *diag),
			       struct diag *diag)
{
	const struct session_parts *parts = &selection->sessions[session].parts;
	int error = parts->stacks ? walk_tree(parts->stacks, visit, context) : 0;
	struct stack_tree tree;

	for (size_t i = 0; i < parts->nr_slices && !error; i++) {
		error = slice_read_stacks(parts->slices[i].slice, &tree, diag);
		if (error == -ENOMEM)
			break;
		if (error) {
			if (!reads_stacks(selection, session, i))
				skip_stacks(&parts->slices[i], error, diag, skip);
			error = 0;
			continue;
		}
		error = walk_tree(&tree, visit, context);
		stack_tree_deinit(&tree);
	}
	return error;
}
