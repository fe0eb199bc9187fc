// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile code. The first byte chooses. w: the answer of the child process that disassembles; x:
 * x86 code, which a decoder that remembers previous code must decode like a new one; b: the answer
 * of the child process that reads bytes of code.
 */
#include "pp/code/code_bytes.h"
#include "pp/code/disassembly_wire.h"
#include "pp/code/instruction.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_wire(const uint8_t *data, size_t size)
{
	struct disassembly disassembly;
	struct disassembly_cursor line;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0)
		return;
	if (size > 1 << 20 || write(fd, data, size) != (ssize_t)size ||
	    disassembly_wire_read(fd, &disassembly)) {
		close(fd);
		return;
	}
	for (size_t i = 0; i < disassembly.nr_parts; i++) {
		uint64_t key = disassembly.parts[i].key;
		bool more = disassembly_first(&disassembly, key, &line);

		for (; more; more = disassembly_next(&disassembly, &line)) {
			if (line.key != key || !line.nr_bytes)
				abort();
			for (const char *c = line.text; *c; c++)
				if ((unsigned char)*c < 0x20 && *c != '\t')
					abort();
			key += line.nr_bytes;
		}
	}
	disassembly_deinit(&disassembly);
	close(fd);
}

static void try_bytes(const uint8_t *data, size_t size)
{
	static const struct code_range ranges[] = {{0, 1}, {10, 14}, {14, 114}};
	const struct code_bytes_request request = {.ranges = ranges, .nr_ranges = 3};
	static volatile unsigned int sum;
	struct code_bytes code;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0)
		return;
	if (size <= 1 << 20 && write(fd, data, size) == (ssize_t)size &&
	    !code_bytes_take(fd, &request, &code)) {
		for (size_t i = 0; i < 3; i++) {
			const uint8_t *bytes = code_bytes_of(&code, i);

			for (size_t j = 0; bytes && j < ranges[i].end - ranges[i].start; j++)
				sum = sum + bytes[j];
		}
		code_bytes_deinit(&code);
	}
	close(fd);
}

static void show(void *context, uint64_t address, char *text, size_t nr_bytes)
{
	(void)context;
	(void)snprintf(text, nr_bytes, "%lx", (unsigned long)address);
}

static const struct instruction_names names = {.show = show};
static const struct instruction_names forgetful = {.show = show, .forgets = true};

/* Instruction texts, by the number under which each was kept. */
static char texts[1 << 12][INSTRUCTION_TEXT_BYTES];
static uint32_t nr_texts;

static const char *keep(const struct instruction *instruction)
{
	if (!instruction->text)
		return texts[*instruction->kept];
	if (!instruction->kept)
		return instruction->text;
	*instruction->kept = nr_texts++;
	return strcpy(texts[*instruction->kept], instruction->text);
}

static void compare(struct instruction_decoder *old, const uint8_t *code, size_t nr_left)
{
	static struct instruction_decoder *fresh;
	struct instruction before, now;
	const char *name, *text;

	if (!fresh && instruction_decoder_create(&fresh, EM_X86_64, true, false, &forgetful, &name))
		return;
	instruction_decode(old, code, nr_left, 0x1000, &before);
	text = keep(&before);
	instruction_decode(fresh, code, nr_left, 0x1000, &now);
	if (before.nr_bytes != now.nr_bytes || !now.text || strcmp(text, now.text) != 0)
		abort();
}

static void try_code(const uint8_t *data, size_t size)
{
	uint8_t code[CODE_MAX + INSTRUCTION_PADDING] = {0};
	struct instruction_decoder *decoder;
	const char *name;

	if (size > CODE_MAX)
		size = CODE_MAX;
	memcpy(code, data, size);
	nr_texts = 0;
	if (instruction_decoder_create(&decoder, EM_X86_64, true, false, &names, &name))
		return;
	/*
	 * Decode at each offset, to the end and cut, so that a decode finds the state left by
	 * earlier ones.
	 */
	for (size_t i = 0; i < size; i++) {
		compare(decoder, code + i, size - i);
		compare(decoder, code + i, 1 + (size - i) / 2);
	}
	instruction_decoder_destroy(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == 'w')
		try_wire(data + 1, size - 1);
	else if (size && data[0] == 'x')
		try_code(data + 1, size - 1);
	else if (size && data[0] == 'b')
		try_bytes(data + 1, size - 1);
	return 0;
}
