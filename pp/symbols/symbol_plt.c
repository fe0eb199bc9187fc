// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_plt.h"

/* bfd.h requires these two macros. */
#define PACKAGE		"oprof"
#define PACKAGE_VERSION OPROF_VERSION
#include <bfd.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void be_silent(const char *format, va_list arguments)
{
	(void)format;
	(void)arguments;
}

static bfd *open_bfd(const struct symbol_file *image)
{
	int fd = dup(image->fd);
	bfd *abfd;

	if (fd < 0)
		return NULL;
	bfd_init();
	bfd_set_error_handler(be_silent);
	abfd = bfd_fdopenr(image->path, NULL, fd);
	if (!abfd)
		close(fd);
	if (abfd && !bfd_check_format(abfd, bfd_object)) {
		bfd_close(abfd);
		abfd = NULL;
	}
	return abfd;
}

/* Reads libbfd's table of dynamic symbols, which name the PLT entries. */
static long read_dynamic(bfd *abfd, asymbol ***symbols)
{
	long nr_bytes = bfd_get_dynamic_symtab_upper_bound(abfd);

	*symbols = nr_bytes > 0 ? malloc((size_t)nr_bytes) : NULL;
	return *symbols ? bfd_canonicalize_dynamic_symtab(abfd, *symbols) : 0;
}

/*
 * Sets the name of a PLT entry. If a resolver selects the function at run time (STT_GNU_IFUNC),
 * libbfd's name has only the resolver's address: "*ABS*+0x9f550@plt". Such an entry gets the
 * resolver's name.
 */
static void name_slot(const char *slot_name, const struct symbol_list *list,
		      struct listed_symbol *symbol)
{
	static const char absolute[] = "*ABS*+0x";
	const struct listed_symbol *target = NULL;
	const char *version = strchr(slot_name + 1, '@');

	if (!strncmp(slot_name, absolute, strlen(absolute)))
		target = symbol_list_find(list, strtoull(slot_name + strlen(absolute), NULL, 16));
	symbol->name = target ? target->name : slot_name;
	symbol->name_bytes = target ? target->name_bytes : (uint32_t)(version - slot_name);
}

static int add_slot(const struct symbol_file *image, const asymbol *slot, struct symbol_list *list)
{
	static const char suffix[] = "@plt";
	uint64_t address = slot->section->vma + slot->value;
	uint64_t limit = slot->section->vma + slot->section->size;
	struct listed_symbol symbol = {.sort = SYMBOL_SORT_PLT, .binding = SYMBOL_BINDING_LOCAL};
	size_t nr_bytes = slot->name ? strlen(slot->name) : 0;

	if (nr_bytes < sizeof(suffix) || limit <= address ||
	    strcmp(slot->name + nr_bytes - strlen(suffix), suffix) != 0 ||
	    !symbol_file_place(image, address, limit, &symbol))
		return 0;
	name_slot(slot->name, list, &symbol);
	symbol.end = symbol.start;
	return symbol_list_add(list, &symbol);
}

/*
 * All entries of a PLT section share the code before the first entry. For each PLT section, adds a
 * symbol for this code. The symbol has the section's name.
 */
static int add_sections(const struct symbol_file *image, struct symbol_list *list)
{
	int error = 0;

	for (size_t i = 1; !error && i < image->nr_sections; i++) {
		const struct symbol_section *section = &image->sections[i];
		struct listed_symbol symbol = {.name = section->name,
					       .name_bytes = (uint32_t)strlen(section->name),
					       .sort = SYMBOL_SORT_LABEL,
					       .binding = SYMBOL_BINDING_LOCAL};

		if (!section->executable || strncmp(section->name, ".plt", 4) != 0 ||
		    !symbol_file_place(image, section->start, section->end, &symbol))
			continue;
		symbol.end = symbol.start;
		error = symbol_list_add(list, &symbol);
	}
	return error;
}

int symbol_plt_list(struct symbol_plt *plt, const struct symbol_file *image,
		    struct symbol_list *list)
{
	bfd *abfd = open_bfd(image);
	asymbol **dynamic, *synthetic = NULL;
	long nr_dynamic, nr = 0;
	int error = 0;

	*plt = (struct symbol_plt){.bfd = abfd};
	if (!abfd)
		return 0;
	nr_dynamic = read_dynamic(abfd, &dynamic);
	plt->dynamic = dynamic;
	if (nr_dynamic > 0)
		nr = bfd_get_synthetic_symtab(abfd, 0, NULL, nr_dynamic, dynamic, &synthetic);
	plt->synthetic = synthetic;
	for (long i = 0; !error && i < nr; i++)
		error = add_slot(image, &synthetic[i], list);
	if (!error && nr > 0)
		error = add_sections(image, list);
	return error;
}

void symbol_plt_close(struct symbol_plt *plt)
{
	if (plt->bfd)
		bfd_close(plt->bfd);
	free(plt->dynamic);
	free(plt->synthetic);
	*plt = (struct symbol_plt){0};
}
