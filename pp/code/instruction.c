// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/code/instruction.h"

/* bfd.h does not compile unless both macros are defined. */
#define PACKAGE		"oprof"
#define PACKAGE_VERSION OPROF_VERSION
#include <dis-asm.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_SLOTS	 (1u << 16)
#define NR_FIRST	 (1u << 16) /* number of values that two bytes can have */
#define REMEMBERED_BYTES 15	    /* length of the longest x86 instruction */

/* The bytes of an instruction that has been decoded, and the number of its text. */
struct slot {
	uint64_t bytes[2]; /* followed by zeros */
	uint32_t nr_bytes; /* 0: empty */
	uint32_t kept;	   /* the caller's number for the instruction's text */
};

struct instruction_decoder {
	struct disassemble_info info;
	disassembler_ftype decode;
	struct instruction_names names;
	const uint8_t *code;
	size_t nr_left;
	uint64_t address;
	char text[INSTRUCTION_TEXT_BYTES];
	size_t nr_text;
	bool shows_address;
	struct slot *slots; /* NR_SLOTS slots, indexed by a hash of the bytes; NULL: no cache */
	/*
	 * For each value of the first two bytes, bit n is set if an instruction of n bytes that
	 * begins with this value is cached.
	 */
	uint16_t *lengths;
};

/* ---- callbacks of libopcodes ---- */

static void append(struct instruction_decoder *decoder, const char *text, size_t nr)
{
	size_t room = sizeof(decoder->text) - 1 - decoder->nr_text;

	if (nr > room)
		nr = room;
	memcpy(decoder->text + decoder->nr_text, text, nr);
	decoder->nr_text += nr;
}

__attribute__((format(printf, 2, 0))) static int append_format(struct instruction_decoder *decoder,
							       const char *format,
							       va_list arguments)
{
	char text[INSTRUCTION_TEXT_BYTES];
	int nr = vsnprintf(text, sizeof(text), format, arguments);

	if (nr > 0)
		append(decoder, text, (size_t)nr < sizeof(text) ? (size_t)nr : sizeof(text) - 1);
	return nr;
}

__attribute__((format(printf, 2, 3))) static int print(void *stream, const char *format, ...)
{
	va_list arguments;
	int nr;

	va_start(arguments, format);
	nr = append_format(stream, format, arguments);
	va_end(arguments);
	return nr;
}

#ifndef OPROF_PLAIN_DISASSEMBLER /* since binutils 2.39 */
__attribute__((format(printf, 3, 4))) static int print_styled(void *stream,
							      enum disassembler_style style,
							      const char *format, ...)
{
	va_list arguments;
	int nr;

	(void)style;
	va_start(arguments, format);
	if (!strcmp(format, "%s")) { /* the most frequent format */
		const char *text = va_arg(arguments, const char *);

		nr = (int)strlen(text);
		append(stream, text, (size_t)nr);
	} else {
		nr = append_format(stream, format, arguments);
	}
	va_end(arguments);
	return nr;
}
#endif

/*
 * Reads code for libopcodes. The padding after the code can also be read, because the output of
 * libopcodes is not well defined if a read within an instruction fails.
 */
static int read_memory(bfd_vma address, bfd_byte *to, unsigned int nr,
		       struct disassemble_info *info)
{
	const struct instruction_decoder *decoder = info->application_data;
	uint64_t offset = address - decoder->address;

	if (address < decoder->address || offset > decoder->nr_left ||
	    nr > decoder->nr_left + INSTRUCTION_PADDING - offset)
		return EIO;
	memcpy(to, decoder->code + offset, nr);
	return 0;
}

/*
 * Called by libopcodes. Writes no message, because instruction_decode() shows an unreadable byte as
 * ".byte".
 */
static void ignore_memory_error(int status, bfd_vma address, struct disassemble_info *info)
{
	(void)status;
	(void)address;
	(void)info;
}

static void print_address(bfd_vma address, struct disassemble_info *info)
{
	struct instruction_decoder *decoder = info->application_data;
	char text[INSTRUCTION_TEXT_BYTES];

	decoder->shows_address = true;
	decoder->names.show(decoder->names.context, address, text, sizeof(text));
	append(decoder, text, strlen(text));
}

/* ---- machines ---- */

struct bfd_machine {
	int elf;
	const char *name;
	enum bfd_architecture arch;
	unsigned long mach32, mach64;
};

static const struct bfd_machine machines[] = {
	{EM_X86_64, "x86-64", bfd_arch_i386, bfd_mach_x64_32, bfd_mach_x86_64},
	{EM_386, "i386", bfd_arch_i386, bfd_mach_i386_i386, bfd_mach_i386_i386},
	{EM_AARCH64, "aarch64", bfd_arch_aarch64, bfd_mach_aarch64_ilp32, bfd_mach_aarch64},
	{EM_ARM, "arm", bfd_arch_arm, bfd_mach_arm_unknown, bfd_mach_arm_unknown},
	{EM_RISCV, "riscv", bfd_arch_riscv, bfd_mach_riscv32, bfd_mach_riscv64},
	{EM_PPC64, "powerpc64", bfd_arch_powerpc, bfd_mach_ppc64, bfd_mach_ppc64},
	{EM_S390, "s390", bfd_arch_s390, bfd_mach_s390_31, bfd_mach_s390_64},
#ifdef EM_LOONGARCH
	{EM_LOONGARCH, "loongarch", bfd_arch_loongarch, bfd_mach_loongarch32, bfd_mach_loongarch64},
#endif
	{EM_MIPS, "mips", bfd_arch_mips, bfd_mach_mipsisa32r2, bfd_mach_mipsisa64r2},
};

static const struct bfd_machine *find_machine(int elf)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}

static void init_info(struct instruction_decoder *decoder, const struct bfd_machine *machine,
		      bool is_64, bool is_big_endian)
{
	struct disassemble_info *info = &decoder->info;

#ifndef OPROF_PLAIN_DISASSEMBLER /* since binutils 2.39 */
	init_disassemble_info(info, decoder, print, print_styled);
#else
	init_disassemble_info(info, decoder, print);
#endif
	info->flavour = bfd_target_elf_flavour;
	info->arch = machine->arch;
	info->mach = is_64 ? machine->mach64 : machine->mach32;
	info->endian = is_big_endian ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
	/* Arm code is little-endian since version 6, also on big-endian machines. */
	info->endian_code = machine->elf == EM_ARM || machine->elf == EM_AARCH64 ? BFD_ENDIAN_LITTLE
										 : info->endian;
	info->display_endian = info->endian_code;
	info->application_data = decoder;
	info->read_memory_func = read_memory;
	info->memory_error_func = ignore_memory_error;
	info->print_address_func = print_address;
	disassemble_init_for_target(info);
}

static int make_memory(struct instruction_decoder *decoder)
{
	decoder->slots = calloc(NR_SLOTS, sizeof(*decoder->slots));
	decoder->lengths = calloc(NR_FIRST, sizeof(*decoder->lengths));
	return decoder->slots && decoder->lengths ? 0 : -ENOMEM;
}

int instruction_decoder_create(struct instruction_decoder **decoder, int machine, bool is_64,
			       bool is_big_endian, const struct instruction_names *names,
			       const char **name)
{
	const struct bfd_machine *known = find_machine(machine);
	struct instruction_decoder *made;

	*name = known ? known->name : "this machine";
	if (!known)
		return -ENOEXEC;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->names = *names;
	made->decode = disassembler(known->arch, is_big_endian,
				    is_64 ? known->mach64 : known->mach32, NULL);
	if (!made->decode) {
		free(made);
		return -ENOEXEC;
	}
	init_info(made, known, is_64, is_big_endian);
	if (known->arch == bfd_arch_i386 && !names->forgets && make_memory(made)) {
		instruction_decoder_destroy(made);
		return -ENOMEM;
	}
	*decoder = made;
	return 0;
}

void instruction_decoder_destroy(struct instruction_decoder *decoder)
{
	if (!decoder)
		return;
	disassemble_free_target(&decoder->info);
	free(decoder->slots);
	free(decoder->lengths);
	free(decoder);
}

/* ---- the cache ---- */

/* Copies nr_bytes bytes of code to `bytes`, and fills the rest with zeros. */
static void load_bytes(const uint8_t *code, unsigned int nr_bytes, uint64_t bytes[2])
{
	bytes[0] = bytes[1] = 0;
	memcpy(bytes, code, nr_bytes);
}

static struct slot *slot_of(const struct instruction_decoder *decoder, const uint64_t bytes[2],
			    unsigned int nr_bytes)
{
	uint64_t hash = (bytes[0] ^ nr_bytes) * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 29 ^ bytes[1]) * UINT64_C(0xbf58476d1ce4e5b9);
	return &decoder->slots[hash >> 48];
}

static unsigned int first_of(const uint8_t *code)
{
	return code[0] | (unsigned int)code[1] << 8;
}

/* Returns the slot of the instruction at `code`, or NULL if it is not cached. */
static struct slot *recall(const struct instruction_decoder *decoder, const uint8_t *code,
			   size_t nr_left)
{
	unsigned int lengths = decoder->lengths[first_of(code)];

	for (; lengths; lengths &= lengths - 1) {
		unsigned int nr_bytes = (unsigned int)__builtin_ctz(lengths);
		uint64_t bytes[2];
		struct slot *slot;

		if (nr_bytes > nr_left)
			return NULL;
		load_bytes(code, nr_bytes, bytes);
		slot = slot_of(decoder, bytes, nr_bytes);
		if (slot->nr_bytes == nr_bytes && slot->bytes[0] == bytes[0] &&
		    slot->bytes[1] == bytes[1])
			return slot;
	}
	return NULL;
}

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0x9b:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return (byte & 0xf0) == 0x40;
	}
}

/*
 * Returns whether the instruction can be cached. Invalid instructions and prefixes without an
 * instruction cannot be cached, because their text depends on the bytes after them.
 */
static bool is_whole(const struct instruction_decoder *decoder, const uint8_t *code,
		     unsigned int nr_bytes)
{
	for (unsigned int i = 0; i < nr_bytes; i++)
		if (!is_prefix(code[i]))
			return !strstr(decoder->text, "(bad)") && !strstr(decoder->text, ".byte");
	return false;
}

static struct slot *remember(struct instruction_decoder *decoder, const uint8_t *code,
			     unsigned int nr_bytes)
{
	uint64_t bytes[2];
	struct slot *slot;

	if (nr_bytes > REMEMBERED_BYTES || !is_whole(decoder, code, nr_bytes))
		return NULL;
	decoder->lengths[first_of(code)] |= (uint16_t)(1u << nr_bytes);
	load_bytes(code, nr_bytes, bytes);
	slot = slot_of(decoder, bytes, nr_bytes);
	*slot = (struct slot){.bytes = {bytes[0], bytes[1]}, .nr_bytes = nr_bytes};
	return slot;
}

/* ---- decoding ---- */

static void trim(struct instruction_decoder *decoder)
{
	while (decoder->nr_text && decoder->text[decoder->nr_text - 1] == ' ')
		decoder->nr_text--;
	decoder->text[decoder->nr_text] = '\0';
}

void instruction_decode(struct instruction_decoder *decoder, const uint8_t *code, size_t nr_left,
			uint64_t address, struct instruction *instruction)
{
	struct slot *slot = decoder->slots ? recall(decoder, code, nr_left) : NULL;
	int nr;

	if (slot) {
		*instruction =
			(struct instruction){.nr_bytes = slot->nr_bytes, .kept = &slot->kept};
		return;
	}
	decoder->code = code;
	decoder->nr_left = nr_left;
	decoder->address = address;
	decoder->nr_text = 0;
	decoder->shows_address = false;
	nr = decoder->decode(address, &decoder->info);
	if (nr <= 0 || (size_t)nr > nr_left) {
		decoder->nr_text = 0;
		/*
		 * This text must not be cached: the byte may begin a valid instruction where other
		 * bytes follow it.
		 */
		decoder->shows_address = true;
		(void)print(decoder, ".byte 0x%02x", *code);
		nr = 1;
	}
	trim(decoder);
	if (decoder->slots && !decoder->shows_address)
		slot = remember(decoder, code, (unsigned int)nr);
	*instruction = (struct instruction){.nr_bytes = (unsigned int)nr,
					    .text = decoder->text,
					    .kept = slot ? &slot->kept : NULL};
}
