// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/code/code_bytes.h"

#include "pp/code/code_reader.h"
#include "pp/symbols/symbol_helper.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/* ---- the result of the child process ---- */

static bool is_good(const struct code_bytes *code, const struct code_bytes_request *request)
{
	uint64_t first = request->nr_ranges * sizeof(struct code_part);

	for (size_t i = 0; i < request->nr_ranges; i++) {
		const struct code_part *part = &code->parts[i];
		const struct code_range *range = &request->ranges[i];

		if (!part->nr_bytes)
			continue;
		if (part->nr_bytes != range->end - range->start || part->offset < first ||
		    part->offset > code->memory_bytes ||
		    part->nr_bytes > code->memory_bytes - part->offset)
			return false;
	}
	return true;
}

/* No lock or copy is needed: the child, the only writer, has ended. */
int code_bytes_take(int fd, const struct code_bytes_request *request, struct code_bytes *code)
{
	struct code_bytes taken = {.nr_parts = request->nr_ranges};
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (!request->nr_ranges || status.st_size > SYMBOL_WIRE_MAX_BYTES ||
	    (size_t)status.st_size / sizeof(struct code_part) < request->nr_ranges)
		return -EILSEQ;
	taken.memory_bytes = (size_t)status.st_size;
	taken.memory = mmap(NULL, taken.memory_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (taken.memory == MAP_FAILED)
		return -errno;
	taken.parts = taken.memory;
	if (!is_good(&taken, request)) {
		code_bytes_deinit(&taken);
		return -EILSEQ;
	}
	*code = taken;
	return 0;
}

void code_bytes_deinit(struct code_bytes *code)
{
	if (code->memory)
		(void)munmap(code->memory, code->memory_bytes);
	*code = (struct code_bytes){0};
}

const uint8_t *code_bytes_of(const struct code_bytes *code, size_t range)
{
	if (range >= code->nr_parts || !code->parts[range].nr_bytes)
		return NULL;
	return (const uint8_t *)code->memory + code->parts[range].offset;
}

/* ---- loading ---- */

struct code_taking {
	const struct code_bytes_request *request;
	struct code_bytes *code;
};

static int take(int fd, void *result)
{
	const struct code_taking *taking = result;

	return code_bytes_take(fd, taking->request, taking->code);
}

static int load(struct code_bytes *code, const struct symbol_request *request)
{
	struct code_taking taking = {.request = request->more, .code = code};
	char *note = NULL;
	int error = symbol_helper_read(request, code_reader_read, take, &taking, &note);

	free(note);
	return error;
}

static int load_kernel(struct code_bytes *code, const struct symbol_request *request)
{
	struct symbol_request kernel = *request;
	struct utsname name;

	if (!uname(&name))
		kernel.kernel_release = name.release;
	return load(code, &kernel);
}

int code_bytes_load(struct code_bytes *code, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search, const struct code_bytes_request *ranges)
{
	const struct symbol_request request = {
		.path = path, .identity = identity, .kind = kind, .search = search, .more = ranges};

	*code = (struct code_bytes){0};
	if (!ranges->nr_ranges)
		return 0;
	switch (kind) {
	case OPROF_IMAGE_FILE:
	case OPROF_IMAGE_VDSO:
		return load(code, &request);
	case OPROF_IMAGE_KERNEL:
	case OPROF_IMAGE_IDLE:
		return load_kernel(code, &request);
	default:
		return 0;
	}
}
