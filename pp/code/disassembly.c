// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/code/disassembly.h"

#include "pp/code/disassembly_reader.h"
#include "pp/code/disassembly_wire.h"
#include "pp/symbols/symbol_helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static int take(int fd, void *result)
{
	return disassembly_wire_read(fd, result);
}

/* ---- instructions ---- */

static void set_line(const struct disassembly *disassembly, struct disassembly_cursor *cursor)
{
	const struct disassembly_line *line = &disassembly->lines[cursor->line];

	cursor->nr_bytes = line->nr_bytes;
	cursor->text = disassembly->strings + line->text;
}

bool disassembly_first(const struct disassembly *disassembly, uint64_t key,
		       struct disassembly_cursor *cursor)
{
	size_t low = 0, high = disassembly->nr_parts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (disassembly->parts[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == disassembly->nr_parts || disassembly->parts[low].key != key ||
	    !disassembly->parts[low].nr)
		return false;
	*cursor = (struct disassembly_cursor){.key = key,
					      .address = disassembly->parts[low].address,
					      .line = disassembly->parts[low].first,
					      .nr_left = disassembly->parts[low].nr - 1};
	set_line(disassembly, cursor);
	return true;
}

bool disassembly_next(const struct disassembly *disassembly, struct disassembly_cursor *cursor)
{
	if (!cursor->nr_left)
		return false;
	cursor->nr_left--;
	cursor->line++;
	cursor->key += cursor->nr_bytes;
	cursor->address += cursor->nr_bytes;
	set_line(disassembly, cursor);
	return true;
}

/* ---- loading ---- */

static int tell(struct disassembly *disassembly, enum symbols_lack lack, const char *note)
{
	disassembly->lack = lack;
	disassembly->note = strdup(note);
	return disassembly->note ? 0 : -ENOMEM;
}

static int load(struct disassembly *disassembly, const struct symbol_request *request)
{
	char *note = NULL;
	int error = symbol_helper_read(request, disassembly_read, take, disassembly, &note);

	if (!note)
		return error;
	disassembly->lack = SYMBOLS_DAMAGED;
	disassembly->note = note;
	return error;
}

static int load_kernel(struct disassembly *disassembly, const struct symbol_request *request)
{
	struct symbol_request kernel = *request;
	struct utsname name;
	int error;

	if (!uname(&name))
		kernel.kernel_release = name.release;
	error = load(disassembly, &kernel);
	if (error || disassembly->lack != SYMBOLS_NO_FILE)
		return error;
	disassembly_deinit(disassembly);
	return tell(disassembly, SYMBOLS_NO_FILE,
		    "the kernel's code is only in the vmlinux of the same build, which was not "
		    "found; install the kernel's debug package, or give the folder "
		    "of vmlinux with -p");
}

int disassembly_load(struct disassembly *disassembly, const char *path,
		     const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		     const struct symbol_search *search, const struct disassembly_request *ranges)
{
	struct symbol_request request = {
		.path = path, .identity = identity, .kind = kind, .search = search, .more = ranges};

	*disassembly = (struct disassembly){0};
	switch (kind) {
	case OPROF_IMAGE_FILE:
	case OPROF_IMAGE_VDSO:
		return load(disassembly, &request);
	case OPROF_IMAGE_KERNEL:
	case OPROF_IMAGE_IDLE:
		return load_kernel(disassembly, &request);
	case OPROF_IMAGE_MODULE:
		return tell(disassembly, SYMBOLS_NO_FILE,
			    "cannot show code of kernel modules: the session has no copy "
			    "of this code");
	default:
		return tell(disassembly, SYMBOLS_NONE, "code of this kind is not stored in a file");
	}
}
