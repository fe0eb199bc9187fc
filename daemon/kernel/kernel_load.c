// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One walk of kallsyms collects the limits of the kernel's text, its functions and idle routines,
 * the modules and kernel-made code. The ranges of modules are read from /proc/modules; each range
 * is cut off where the next module begins. A module that is not in /proc/modules gets the range of
 * its functions. kallsyms has no sizes. Kernel-made code therefore ends where the next kernel-made
 * code begins, but at the latest after MADE_BYTES_MAX.
 */
#include "daemon/kernel/kernel_load.h"

#include "daemon/kernel/kallsyms.h"
#include "daemon/kernel/kernel_idle.h"
#include "lib/array.h"
#include "lib/buildid.h"
#include "lib/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_NAME_BYTES 64
#define MODULES_BYTES_MAX (4u << 20)
#define NOTES_BYTES_MAX	  65536u
#define PAGE_BYTES	  4096u
/* Maximum size of kernel-made code, for which kallsyms has no sizes. */
#define MADE_BYTES_MAX 65536u
#define KERNEL_HALF    (UINT64_C(1) << 63)

struct addresses {
	uint64_t *values;
	size_t nr_values, room_values;
};

/* A module in kallsyms: the lowest and highest address of its functions. */
struct module_seen {
	char name[MODULE_NAME_BYTES];
	uint64_t lowest, highest;
};

struct made_seen {
	uint64_t start;
	char *name;
};

/* The data collected while kallsyms is walked. */
struct gathering {
	uint64_t text, stext, etext, idle_start, idle_end;
	struct addresses functions; /* of the kernel */
	struct addresses idles;
	struct module_seen *modules;
	size_t nr_modules, room_modules;
	struct made_seen *made;
	size_t nr_made, room_made;
};

static int addresses_add(struct addresses *list, uint64_t value)
{
	if (array_reserve(&list->values, &list->room_values, list->nr_values, 1))
		return -ENOMEM;
	list->values[list->nr_values++] = value;
	return 0;
}

static int address_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the values, which usually are sorted already. */
static void addresses_sort(struct addresses *list)
{
	size_t i = 1;

	while (i < list->nr_values && list->values[i - 1] <= list->values[i])
		i++;
	if (i < list->nr_values)
		qsort(list->values, list->nr_values, sizeof(uint64_t), address_compare);
}

/* Returns the first value above address, or `otherwise` if no value is above it. */
static uint64_t addresses_above(const struct addresses *list, uint64_t address, uint64_t otherwise)
{
	size_t low = 0;
	size_t high = list->nr_values;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->values[middle] > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low < list->nr_values ? list->values[low] : otherwise;
}

/* ---- the walk of kallsyms ---- */

/* Stores the address of a symbol that marks a limit. Returns false for any other symbol. */
static bool take_limit(struct gathering *all, const struct kallsym *symbol)
{
	const struct {
		const char *name;
		uint64_t *place;
	} limits[] = {
		{"_text", &all->text},
		{"_stext", &all->stext},
		{"_etext", &all->etext},
		{"__cpuidle_text_start", &all->idle_start},
		{"__cpuidle_text_end", &all->idle_end},
	};

	for (size_t i = 0; symbol->name[0] == '_' && i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(symbol->name, limits[i].name)) {
			*limits[i].place = symbol->address;
			return true;
		}
	return false;
}

static int gather_kernel(struct gathering *all, const struct kallsym *symbol)
{
	if (!take_limit(all, symbol) && kernel_idle_is_routine(symbol->name)) {
		int error = addresses_add(&all->idles, symbol->address);

		if (error)
			return error;
	}
	return addresses_add(&all->functions, symbol->address);
}

static int gather_made(struct gathering *all, const struct kallsym *symbol)
{
	struct made_seen *seen;

	if (array_reserve(&all->made, &all->room_made, all->nr_made, 1))
		return -ENOMEM;
	seen = &all->made[all->nr_made];
	seen->start = symbol->address;
	seen->name = strdup(symbol->name);
	if (!seen->name)
		return -ENOMEM;
	all->nr_made++;
	return 0;
}

static int gather_module(struct gathering *all, const struct kallsym *symbol)
{
	struct module_seen *last = NULL;

	/* Symbols of one module are adjacent, so the last module is the most likely. */
	for (size_t i = all->nr_modules; !last && i-- > 0;)
		if (!strncmp(all->modules[i].name, symbol->module, MODULE_NAME_BYTES - 1))
			last = &all->modules[i];
	if (last) {
		if (symbol->address < last->lowest)
			last->lowest = symbol->address;
		if (symbol->address > last->highest)
			last->highest = symbol->address;
		return 0;
	}
	if (array_reserve(&all->modules, &all->room_modules, all->nr_modules, 1))
		return -ENOMEM;
	last = &all->modules[all->nr_modules++];
	*last = (struct module_seen){.lowest = symbol->address, .highest = symbol->address};
	memcpy(last->name, symbol->module, strnlen(symbol->module, MODULE_NAME_BYTES - 1));
	return 0;
}

static int gather(const struct kallsym *symbol, void *context)
{
	if (!symbol->module[0])
		return gather_kernel(context, symbol);
	if (kallsyms_is_made(symbol->module))
		return gather_made(context, symbol);
	return gather_module(context, symbol);
}

static void gathering_deinit(struct gathering *all)
{
	for (size_t i = 0; i < all->nr_made; i++)
		free(all->made[i].name);
	free(all->made);
	free(all->modules);
	free(all->functions.values);
	free(all->idles.values);
}

/* ---- identities ---- */

/* Reads the build-id from the notes at path. If they have none, *identity is unchanged. */
static void identity_read(const char *path, struct oprof_image_identity *identity)
{
	struct buildid id;
	size_t nr_bytes;
	char *notes;

	if (file_read_text(path, NOTES_BYTES_MAX, &notes, &nr_bytes))
		return;
	if (!buildid_parse_notes(notes, nr_bytes, &id)) {
		memcpy(identity->build_id, id.bytes, sizeof(id.bytes));
		identity->nr_build_id = id.nr_bytes;
	}
	free(notes);
}

static struct image_entry *module_image(struct image_table *images, const char *sys_path,
					const char *name, const struct kernel_range *range)
{
	struct oprof_image_identity identity = {.size_bytes = range->end - range->start};
	struct image_key key = {.kind = OPROF_IMAGE_MODULE,
				.path = name,
				.identity = &identity,
				.start = range->start,
				.end = range->end};
	char path[PATH_MAX];

	/* The hash of the name distinguishes modules that have the same size and no build-id. */
	identity.inode = hash_bytes(0, name, strlen(name));
	if (snprintf(path, sizeof(path), "%s/module/%s/notes/.note.gnu.build-id", sys_path, name) <
	    (int)sizeof(path))
		identity_read(path, &identity);
	return image_table_get(images, &key);
}

enum kernel_made kernel_made_kind(const char *name)
{
	if (!strncmp(name, "ftrace_", 7))
		return KERNEL_MADE_FTRACE;
	return strncmp(name, "kprobe_", 7) != 0 ? KERNEL_MADE_BPF : KERNEL_MADE_KPROBES;
}

struct image_entry *kernel_made_image(struct image_table *images, enum kernel_made kind)
{
	static const char *const paths[KERNEL_MADE_NR] = {"[bpf]", "[__builtin__ftrace]",
							  "[__builtin__kprobes]"};
	struct image_key key = {.kind = OPROF_IMAGE_BPF, .path = paths[kind]};

	return image_table_get(images, &key);
}

struct image_entry *kernel_layout_made_image(struct image_table *images, const char *name,
					     const struct kernel_range *range)
{
	struct image_key key = {
		.kind = OPROF_IMAGE_BPF, .path = name, .start = range->start, .end = range->end};

	return image_table_get(images, &key);
}

/* ---- modules ---- */

static int layout_add_module(struct kernel_layout *layout, struct image_table *images,
			     const char *sys_path, const char *name, struct kernel_range *range)
{
	int error;

	range->image = module_image(images, sys_path, name, range);
	if (!range->image)
		return -ENOMEM;
	error = kernel_ranges_add(&layout->modules, range);
	image_put(range->image);
	return error;
}

/* Parses a line "NAME BYTES USERS DEPENDENTS STATE 0xSTART", and ends the string after NAME. */
static bool module_line_parse(char *line, uint64_t *start, uint64_t *nr_bytes)
{
	char *space = strchr(line, ' ');
	char *next;

	if (!space)
		return false;
	*space = '\0';
	*nr_bytes = strtoull(space + 1, &next, 10);
	for (int i = 0; next && i < 4; i++)
		next = strchr(next + (i > 0), ' ');
	*start = next ? strtoull(next + 1, NULL, 16) : 0;
	return *start && *nr_bytes;
}

/*
 * Adds the modules of /proc/modules. Since Linux 6.4 the parts of a module are not adjacent, but
 * BYTES is the sum of their sizes. A range is therefore cut off at the start of the next module.
 */
static int modules_read(struct kernel_layout *layout, struct image_table *images, char *text,
			const char *sys_path)
{
	struct addresses starts = {.nr_values = 0};
	uint64_t start, nr_bytes;
	int error = 0;
	char *copy = strdup(text);
	char *save, *line;

	if (!copy)
		return -ENOMEM;
	for (line = strtok_r(copy, "\n", &save); line && !error; line = strtok_r(NULL, "\n", &save))
		if (module_line_parse(line, &start, &nr_bytes))
			error = addresses_add(&starts, start);
	free(copy);
	addresses_sort(&starts);
	for (line = strtok_r(text, "\n", &save); line && !error;
	     line = strtok_r(NULL, "\n", &save)) {
		struct kernel_range range;

		if (!module_line_parse(line, &start, &nr_bytes))
			continue;
		range = (struct kernel_range){start, start + nr_bytes, NULL, false};
		nr_bytes = addresses_above(&starts, start, range.end);
		if (nr_bytes < range.end)
			range.end = nr_bytes;
		error = layout_add_module(layout, images, sys_path, line, &range);
	}
	free(starts.values);
	return error;
}

/*
 * Adds the modules that are only in kallsyms. The range of such a module ends with the page that
 * contains its last function.
 */
static int modules_from_symbols(struct kernel_layout *layout, struct image_table *images,
				const struct gathering *all, const char *sys_path)
{
	int error = 0;

	for (size_t i = 0; !error && i < all->nr_modules; i++) {
		const struct module_seen *seen = &all->modules[i];
		struct kernel_range range = {seen->lowest & ~(uint64_t)(PAGE_BYTES - 1),
					     (seen->highest | (PAGE_BYTES - 1)) + 1, NULL, false};

		if (!kernel_ranges_overlap(&layout->modules, seen->lowest, seen->lowest + 1))
			error = layout_add_module(layout, images, sys_path, seen->name, &range);
	}
	return error;
}

static int modules_find(struct kernel_layout *layout, struct image_table *images,
			const struct gathering *all, const char *proc_path, const char *sys_path)
{
	char path[PATH_MAX];
	char *text;
	int error = 0;

	if (snprintf(path, sizeof(path), "%s/modules", proc_path) < (int)sizeof(path) &&
	    !file_read_text(path, MODULES_BYTES_MAX, &text, NULL)) {
		error = modules_read(layout, images, text, sys_path);
		free(text);
	}
	return error ? error : modules_from_symbols(layout, images, all, sys_path);
}

/* ---- other code ---- */

static int made_find(struct kernel_layout *layout, struct image_table *images,
		     const struct gathering *all)
{
	struct addresses starts = {.nr_values = 0};
	int error = 0;

	for (size_t i = 0; !error && i < all->nr_made; i++)
		error = addresses_add(&starts, all->made[i].start);
	addresses_sort(&starts);
	for (size_t i = 0; !error && i < all->nr_made; i++) {
		const struct made_seen *seen = &all->made[i];
		struct kernel_range range = {seen->start, seen->start + MADE_BYTES_MAX, NULL, true};
		uint64_t next = addresses_above(&starts, seen->start, range.end);

		if (next < range.end)
			range.end = next;
		range.image = kernel_layout_made_image(images, seen->name, &range);
		error = range.image ? kernel_ranges_add(&layout->made, &range) : -ENOMEM;
		image_put(range.image);
	}
	free(starts.values);
	return error;
}

static int idles_find(struct kernel_layout *layout, struct gathering *all)
{
	struct kernel_range section = {all->idle_start, all->idle_end, NULL, false};
	int error = 0;

	addresses_sort(&all->functions);
	addresses_sort(&all->idles);
	for (size_t i = 0; !error && i < all->idles.nr_values; i++) {
		uint64_t start = all->idles.values[i];
		struct kernel_range range = {start, addresses_above(&all->functions, start, start),
					     NULL, false};

		error = kernel_ranges_add(&layout->idles, &range);
	}
	if (!error && section.start)
		error = kernel_ranges_add(&layout->idles, &section);
	return error;
}

static int text_find(struct kernel_layout *layout, const struct gathering *all,
		     const char *sys_path)
{
	char path[PATH_MAX];

	layout->text_start = all->text ? all->text : all->stext;
	layout->text_end = all->etext;
	if (!layout->text_start || layout->text_end <= layout->text_start)
		return -ENOEXEC;
	layout->identity.size_bytes = layout->text_end - layout->text_start;
	if (snprintf(path, sizeof(path), "%s/kernel/notes", sys_path) < (int)sizeof(path))
		identity_read(path, &layout->identity);
	return 0;
}

int kernel_layout_read(struct kernel_layout *layout, struct image_table *images,
		       const char *proc_path, const char *sys_path)
{
	struct gathering all = {.nr_made = 0};
	int error;

	*layout = (struct kernel_layout){.text_start = 0};
	error = kallsyms_walk(proc_path, gather, &all);
	if (!error)
		error = text_find(layout, &all, sys_path);
	if (!error)
		error = modules_find(layout, images, &all, proc_path, sys_path);
	if (!error)
		error = made_find(layout, images, &all);
	if (!error)
		error = idles_find(layout, &all);
	gathering_deinit(&all);
	/* A missing or invalid kallsyms is treated like hidden addresses. */
	if (error == -EACCES || error == -ENOENT || error == -ENOEXEC) {
		kernel_layout_deinit(layout);
		layout->text_end = UINT64_MAX;
		return -EACCES;
	}
	return error;
}

void kernel_layout_deinit(struct kernel_layout *layout)
{
	kernel_ranges_deinit(&layout->modules);
	kernel_ranges_deinit(&layout->made);
	kernel_ranges_deinit(&layout->idles);
	*layout = (struct kernel_layout){.text_start = 0};
}
