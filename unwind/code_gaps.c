// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_gaps.h"

#include <string.h>

#define AARCH64_PLT_FIRST_BYTES 32u /* size of the first entry, which calls the dynamic linker */
#define AARCH64_INSTRUCTION	4u
#define SCAN_BYTES		16384u

/* ---- rows ---- */

static struct code_row x86_64_row(enum code_cfa cfa, int32_t cfa_offset)
{
	return (struct code_row){.cfa = (uint8_t)cfa,
				 .cfa_offset = cfa_offset,
				 .places[CODE_SLOT_RETURN] = {CODE_RULE_CFA, -8}};
}

static bool begins_with(struct code_elf *elf, uint64_t key, const void *bytes, size_t nr_bytes)
{
	const uint8_t *code = code_elf_peek(elf, key, nr_bytes);

	return code && !memcmp(code, bytes, nr_bytes);
}

/* ---- procedure linkage tables ---- */

/*
 * Returns the offset in a PLT entry at which the entry's push instruction ends. An endbr64 or a
 * jump precedes the push.
 */
static uint8_t x86_64_pushed_at(struct code_elf *elf, uint64_t slot)
{
	static const uint8_t endbr64_push[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68};

	return begins_with(elf, slot, endbr64_push, sizeof(endbr64_push)) ? 9 : 11;
}

/*
 * Adds the rows of a PLT. With lazy binding, the first entry pushes a word, and every other entry
 * pushes a number and jumps to the first entry. Without lazy binding, the entries do not push.
 */
static int add_x86_64_plt(struct code_builder *builder, struct code_elf *elf, uint64_t start,
			  uint64_t end)
{
	static const uint8_t push_got[] = {0xff, 0x35};
	const bool lazy = begins_with(elf, start, push_got, sizeof(push_got));
	const struct code_row plain = x86_64_row(CODE_CFA_SP, 8);
	const struct code_row first = x86_64_row(CODE_CFA_SP, 16);
	const struct code_row second = x86_64_row(CODE_CFA_SP, 24);
	struct code_row slots = x86_64_row(CODE_CFA_PLT, 8);
	int error;

	if (!lazy || end - start < CODE_PLT_SLOT_BYTES)
		return code_builder_add(builder, start, &plain, true);
	slots.cfa_register = x86_64_pushed_at(elf, start + CODE_PLT_SLOT_BYTES);
	error = code_builder_add(builder, start, &first, true);
	if (!error)
		error = code_builder_add(builder, start + 6, &second, false);
	if (!error && end - start > CODE_PLT_SLOT_BYTES)
		error = code_builder_add(builder, start + CODE_PLT_SLOT_BYTES, &slots, false);
	return error;
}

/*
 * Adds the rows of a PLT. The first entry pushes x16 and x30. The other entries do not change the
 * stack.
 */
static int add_aarch64_plt(struct code_builder *builder, struct code_elf *elf, uint64_t start,
			   uint64_t end)
{
	static const uint8_t push[] = {0xf0, 0x7b, 0xbf, 0xa9}; /* stp x16, x30, [sp, #-16]! */
	const struct code_row plain = {.cfa = CODE_CFA_SP};
	const struct code_row pushed = {.cfa = CODE_CFA_SP,
					.cfa_offset = 16,
					.places[CODE_SLOT_RETURN] = {CODE_RULE_CFA, -8}};
	uint64_t behind = 0;
	int error = code_builder_add(builder, start, &plain, true);

	/* A branch target instruction (bti) may precede the push. */
	if (begins_with(elf, start, push, sizeof(push)))
		behind = AARCH64_INSTRUCTION;
	else if (begins_with(elf, start + AARCH64_INSTRUCTION, push, sizeof(push)))
		behind = 2 * AARCH64_INSTRUCTION;
	if (error || !behind || end - start <= AARCH64_PLT_FIRST_BYTES)
		return error;
	error = code_builder_add(builder, start + behind, &pushed, false);
	return error ? error
		     : code_builder_add(builder, start + AARCH64_PLT_FIRST_BYTES, &plain, false);
}

static bool is_plt(const struct code_elf *elf, const Elf64_Shdr *shdr)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"};

	if (shdr->sh_type != SHT_PROGBITS || !(shdr->sh_flags & SHF_EXECINSTR) ||
	    shdr->sh_name >= elf->names_bytes)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(elf->names + shdr->sh_name, names[i]))
			return true;
	return false;
}

/* Returns the first section of a PLT that lies in the keys [start, end), or NULL. */
static const Elf64_Shdr *find_plt(const struct code_elf *elf, uint64_t start, uint64_t end)
{
	const Elf64_Shdr *found = NULL;

	for (size_t i = 0; i < elf->nr_shdrs; i++) {
		const Elf64_Shdr *shdr = &elf->shdrs[i];

		if (shdr->sh_size && shdr->sh_offset >= start && shdr->sh_offset < end &&
		    shdr->sh_size <= end - shdr->sh_offset && is_plt(elf, shdr) &&
		    (!found || shdr->sh_offset < found->sh_offset))
			found = shdr;
	}
	return found;
}

/* ---- trampolines of signal handlers ---- */

struct trampoline {
	uint8_t bytes[16];
	size_t nr_bytes;
	/*
	 * Number of preceding bytes that are treated as a part of the trampoline. A signal handler
	 * returns to the trampoline's first byte, but a walk looks up the return address minus 1,
	 * which is before this byte.
	 */
	size_t nr_before;
};

static const struct trampoline trampolines[2][2] = {
	[CODE_X86_64] =
		{
			{{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, 9, 1}, /* mov 15, %rax */
			{{0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}, 7, 1},	       /* mov 15, %eax */
		},
	[CODE_AARCH64] =
		{
			/* mov x8, 139; svc 0 */
			{{0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}, 8, 4},
			{{0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}, 8, 4},
		},
};

/*
 * The system call at the end of a trampoline. This pattern is searched first, since it occurs
 * rarely in code.
 */
static const struct {
	uint8_t bytes[4];
	size_t nr_bytes;
} calls[2] = {
	[CODE_X86_64] = {{0x0f, 0x05}, 2},
	[CODE_AARCH64] = {{0x01, 0, 0, 0xd4}, 4},
};

/* Returns the first key in [start, end) at which this system call begins, or `end`. */
static uint64_t find_call(struct code_elf *elf, uint64_t start, uint64_t end)
{
	const size_t nr_bytes = calls[elf->machine].nr_bytes;

	while (start < end && end - start >= nr_bytes) {
		const size_t nr = end - start < SCAN_BYTES ? (size_t)(end - start) : SCAN_BYTES;
		const uint8_t *code = code_elf_peek(elf, start, nr);
		const uint8_t *found =
			code ? memmem(code, nr, calls[elf->machine].bytes, nr_bytes) : NULL;

		if (!code)
			break;
		if (found)
			return start + (uint64_t)(found - code);
		start += nr - nr_bytes + 1;
	}
	return end;
}

/*
 * Returns the trampoline in [start, end) whose system call is at the key `call`, or NULL. Sets
 * *first to the first key of the trampoline.
 */
static const struct trampoline *trampoline_at(struct code_elf *elf, uint64_t start, uint64_t end,
					      uint64_t call, uint64_t *first)
{
	for (size_t i = 0; i < 2; i++) {
		const struct trampoline *trampoline = &trampolines[elf->machine][i];
		const size_t nr_before = trampoline->nr_bytes - calls[elf->machine].nr_bytes;

		if (call - start < nr_before || end - call < calls[elf->machine].nr_bytes ||
		    !begins_with(elf, call - nr_before, trampoline->bytes, trampoline->nr_bytes))
			continue;
		*first = call - nr_before;
		return trampoline;
	}
	return NULL;
}

bool code_gaps_has_trampoline(struct code_elf *elf, uint64_t start, uint64_t end)
{
	uint64_t at = start, first = 0;

	while ((at = find_call(elf, at, end)) < end) {
		if (trampoline_at(elf, start, end, at, &first))
			return true;
		at += calls[elf->machine].nr_bytes;
	}
	return false;
}

/*
 * Adds the trampolines in [start, end). The rest of this range is added as code without a
 * function.
 */
static int add_trampolines(struct code_builder *builder, struct code_elf *elf, uint64_t start,
			   uint64_t end)
{
	const struct code_row row = {.cfa = CODE_CFA_SIGNAL};
	uint64_t at = start;
	int error = code_builder_add(builder, start, NULL, false);

	while (!error && (at = find_call(elf, at, end)) < end) {
		uint64_t first = 0;
		const struct trampoline *trampoline = trampoline_at(elf, start, end, at, &first);

		at += calls[elf->machine].nr_bytes;
		if (!trampoline)
			continue;
		if (first - start >= trampoline->nr_before)
			first -= trampoline->nr_before;
		error = code_builder_add(builder, first, &row, true);
		if (!error)
			error = code_builder_add(builder, at, NULL, false);
		start = at;
	}
	return error;
}

int code_gaps_add(struct code_builder *builder, struct code_elf *elf, uint64_t start, uint64_t end)
{
	const Elf64_Shdr *plt;
	int error = 0;

	while (!error && start < end && (plt = find_plt(elf, start, end))) {
		const uint64_t plt_end = plt->sh_offset + plt->sh_size;

		error = add_trampolines(builder, elf, start, plt->sh_offset);
		if (!error)
			error = elf->machine == CODE_X86_64
					? add_x86_64_plt(builder, elf, plt->sh_offset, plt_end)
					: add_aarch64_plt(builder, elf, plt->sh_offset, plt_end);
		start = plt_end;
	}
	if (error)
		return error;
	return add_trampolines(builder, elf, start, end);
}
