// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The formats are defined in: DWARF 5, section 6.4.1; Linux Standard Base, section 10.6 (.eh_frame
 * and .eh_frame_hdr); "DWARF for the Arm 64-bit Architecture" (augmentations 'B' and 'G').
 */
#include "unwind/code_frames.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXTENDED_LENGTH 0xffffffffu
#define RESERVED_LENGTH 0xfffffff0u

/* Encodings of pointers (DW_EH_PE). */
#define PE_ABSOLUTE    0x00
#define PE_PC_RELATIVE 0x10
#define PE_FORMAT      0x0f
#define PE_APPLICATION 0x70
#define PE_INDIRECT    0x80

#define SECTION_EH    ".eh_frame"
#define SECTION_DEBUG ".debug_frame"

uint64_t code_frames_pointer(struct cursor *cursor, uint8_t encoding,
			     const struct code_frames_section *section)
{
	const uint64_t place = section->address + (uint64_t)(cursor->at - section->bytes);
	uint64_t value = 0;

	switch (encoding & PE_FORMAT) {
	case 0x0: /* 8 bytes, signed or unsigned */
	case 0x4:
	case 0xc:
		value = cursor_u64(cursor);
		break;
	case 0x1:
		value = cursor_uleb(cursor);
		break;
	case 0x2:
		value = cursor_u16(cursor);
		break;
	case 0x3:
		value = cursor_u32(cursor);
		break;
	case 0x9:
		value = (uint64_t)cursor_sleb(cursor);
		break;
	case 0xa:
		value = (uint64_t)(int16_t)cursor_u16(cursor);
		break;
	case 0xb:
		value = (uint64_t)(int32_t)cursor_u32(cursor);
		break;
	default:
		cursor_fail(cursor);
	}
	if ((encoding & PE_APPLICATION) == PE_PC_RELATIVE)
		value += place;
	else if (encoding & PE_APPLICATION)
		cursor_fail(cursor);
	if (encoding & PE_INDIRECT)
		cursor_fail(cursor);
	return value;
}

/* ---- entries ---- */

/* An entry of a section: a CIE or an FDE. `body` is the bytes after its length and id. */
struct entry {
	uint64_t offset; /* offset of the entry in the section */
	uint64_t id;	 /* for an FDE in .eh_frame: id_offset - id is the offset of its CIE */
	uint64_t id_offset;
	bool is_common;
	struct cursor body;
};

enum next { NEXT_ENTRY, NEXT_END, NEXT_DAMAGED };

static enum next next_length(struct cursor *cursor, const struct code_frames_section *section,
			     struct entry *entry, bool *wide, uint64_t *length)
{
	do {
		if (!cursor_left(cursor))
			return NEXT_END;
		entry->offset = (uint64_t)(cursor->at - section->bytes);
		*length = cursor_u32(cursor);
		if (cursor->failed)
			return NEXT_DAMAGED;
		if (!*length && section->ends_at_zero)
			return NEXT_END;
	} while (!*length);
	*wide = *length == EXTENDED_LENGTH;
	if (*wide)
		*length = cursor_u64(cursor);
	else if (*length >= RESERVED_LENGTH)
		return NEXT_DAMAGED;
	return cursor->failed ? NEXT_DAMAGED : NEXT_ENTRY;
}

static enum next next_entry(struct cursor *cursor, const struct code_frames_section *section,
			    struct entry *entry)
{
	const uint8_t *body;
	enum next next;
	uint64_t length = 0;
	bool wide = false;

	next = next_length(cursor, section, entry, &wide, &length);
	if (next != NEXT_ENTRY)
		return next;
	body = cursor_take(cursor, length);
	if (!body)
		return NEXT_DAMAGED;
	entry->body = (struct cursor){.at = body, .end = body + length};
	entry->id_offset = (uint64_t)(body - section->bytes);
	if (section->is_debug) {
		entry->id = cursor_number(&entry->body, wide ? 8 : 4);
		entry->is_common = entry->id == (wide ? UINT64_MAX : UINT32_MAX);
	} else {
		entry->id = cursor_u32(&entry->body);
		entry->is_common = entry->id == 0;
	}
	return entry->body.failed ? NEXT_DAMAGED : NEXT_ENTRY;
}

/* ---- CIE ---- */

/*
 * Reads the augmentation data of a CIE: each letter of the augmentation stands for one item of the
 * data. Returns false if a letter is unknown or the data is too short.
 */
static bool read_augmentation(struct code_frames_common *common, const char *letters,
			      struct cursor *data, const struct code_frames_section *section)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'L':
			(void)cursor_u8(data);
			break;
		case 'P': {
			uint8_t encoding = cursor_u8(data);

			/* The pointer is skipped, since it is not needed. */
			(void)code_frames_pointer(data, encoding & PE_FORMAT, section);
			break;
		}
		case 'R':
			common->encoding = cursor_u8(data);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B': /* return addresses are signed with the B key */
		case 'G': /* memory tags */
			break;
		default:
			return false;
		}
	}
	return !data->failed;
}

static bool read_letters(struct code_frames_common *common, const char *letters,
			 struct cursor *body, const struct code_frames_section *section)
{
	struct cursor data = {.at = body->at, .end = body->end};
	uint64_t nr_bytes;

	if (*letters != 'z')
		return *letters == '\0';
	common->sized = true;
	nr_bytes = cursor_uleb(body);
	data.at = cursor_take(body, nr_bytes);
	if (!data.at)
		return false;
	data.end = data.at + nr_bytes;
	return read_augmentation(common, letters + 1, &data, section);
}

static bool read_version(struct cursor *body, uint8_t version)
{
	if (version == 4) /* skip the sizes of an address and of a segment selector */
		return cursor_u8(body) == 8 && cursor_u8(body) == 0;
	return version == 1 || version == 3;
}

static bool read_common(struct code_frames_common *common, struct cursor *body,
			const struct code_frames_section *section, enum code_machine machine)
{
	const uint8_t version = cursor_u8(body);
	const char *letters = cursor_text(body);
	size_t nr_slots;
	uint64_t return_register;

	if (!read_version(body, version))
		return false;
	/* Old versions of g++ stored a pointer here. */
	if (!strcmp(letters, "eh")) {
		(void)cursor_u64(body);
		letters = "";
	}
	common->code_align = cursor_uleb(body);
	common->data_align = cursor_sleb(body);
	return_register = version == 1 ? cursor_u8(body) : cursor_uleb(body);
	if (return_register != code_machine_slots(machine, &nr_slots)[CODE_SLOT_RETURN])
		return false;
	if (!read_letters(common, letters, body, section) || body->failed)
		return false;
	common->begin = body->at;
	common->end = body->end;
	return true;
}

static int add_common(struct code_frames *frames, size_t index, struct entry *entry)
{
	struct code_frames_common *common;

	if (array_reserve(&frames->commons, &frames->commons_room, frames->nr_commons, 1))
		return -ENOMEM;
	common = &frames->commons[frames->nr_commons++];
	*common = (struct code_frames_common){.section = (uint32_t)index, .offset = entry->offset};
	common->usable =
		read_common(common, &entry->body, &frames->sections[index], frames->elf->machine);
	return 0;
}

/* ---- FDE ---- */

static const struct code_frames_common *find_common(const struct code_frames *frames, size_t index,
						    uint64_t offset)
{
	size_t low = 0;
	size_t high = frames->nr_commons;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct code_frames_common *common = &frames->commons[middle];

		if (common->section == index && common->offset == offset)
			return common;
		if (common->section < index ||
		    (common->section == index && common->offset < offset))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * Reads an FDE. Sets function->end to the function's size in bytes; place_function() converts this
 * size to a key. Returns false if the FDE cannot be read.
 */
static bool read_function(const struct code_frames *frames, size_t index, struct entry *entry,
			  struct code_frames_function *function)
{
	const struct code_frames_section *section = &frames->sections[index];
	const uint64_t offset = section->is_debug ? entry->id : entry->id_offset - entry->id;
	const struct code_frames_common *common = find_common(frames, index, offset);
	struct cursor *body = &entry->body;
	uint64_t nr_bytes;

	if (!common || !common->usable)
		return false;
	function->common = (uint32_t)(common - frames->commons);
	function->is_debug = section->is_debug;
	function->address = code_frames_pointer(body, common->encoding, section);
	nr_bytes = code_frames_pointer(body, common->encoding & PE_FORMAT, section);
	if (common->sized)
		cursor_skip(body, cursor_uleb(body));
	if (body->failed)
		return false;
	function->instructions = body->at;
	function->instructions_end = body->end;
	function->end = nr_bytes;
	return true;
}

/*
 * Converts the function's address and size to keys; the end is at most the end of the segment.
 * Returns false if the address is not in the file's code.
 */
static bool place_function(const struct code_frames *frames, struct code_frames_function *function)
{
	const struct code_elf *elf = frames->elf;
	const uint64_t nr_bytes = function->end;

	if (!code_elf_key(elf, function->address, &function->start))
		return false;
	for (size_t i = 0; i < elf->nr_codes; i++) {
		const uint64_t end = elf->codes[i].end;

		if (function->start >= elf->codes[i].start && function->start < end) {
			function->end =
				nr_bytes < end - function->start ? function->start + nr_bytes : end;
			return true;
		}
	}
	return false;
}

static int add_function(struct code_frames *frames, size_t index, struct entry *entry)
{
	struct code_frames_function function = {.end = 0};

	if (!read_function(frames, index, entry, &function)) {
		frames->nr_lost++;
		return 0;
	}
	/*
	 * Linkers keep the entries of functions that they have removed, and set the address or the
	 * size to 0.
	 */
	if (!function.end)
		return 0;
	if (!place_function(frames, &function)) {
		frames->nr_lost += function.address != 0;
		return 0;
	}
	if (function.end > UINT32_MAX)
		return -EFBIG;
	if (array_reserve(&frames->functions, &frames->functions_room, frames->nr_functions, 1))
		return -ENOMEM;
	frames->functions[frames->nr_functions++] = function;
	return 0;
}

/* ---- sections ---- */

enum pass { PASS_COMMONS, PASS_FUNCTIONS };

static int read_entries(struct code_frames *frames, size_t index, enum pass pass, struct diag *diag)
{
	const struct code_frames_section *section = &frames->sections[index];
	struct cursor cursor = {.at = section->bytes, .end = section->bytes + section->nr_bytes};
	struct entry entry;
	enum next next;
	int error = 0;

	while ((next = next_entry(&cursor, section, &entry)) == NEXT_ENTRY && !error) {
		if (entry.is_common && pass == PASS_COMMONS)
			error = add_common(frames, index, &entry);
		if (!entry.is_common && pass == PASS_FUNCTIONS)
			error = add_function(frames, index, &entry);
	}
	if (error)
		return diag_set(diag, error, "%s: %s",
				section->is_debug ? SECTION_DEBUG : SECTION_EH, strerror(-error));
	if (next == NEXT_DAMAGED)
		return diag_set(diag, -EILSEQ, "%s is damaged at byte %#llx",
				section->is_debug ? SECTION_DEBUG : SECTION_EH,
				(unsigned long long)entry.offset);
	return 0;
}

/*
 * Reads the bytes of a section from the file, and adds the section. The caller has set the other
 * members of `section`.
 */
static int add_section(struct code_frames *frames, struct code_frames_section section,
		       uint64_t offset, uint64_t nr_bytes, struct diag *diag)
{
	int error;

	if (frames->nr_sections == CODE_FRAMES_SECTIONS_MAX)
		return diag_set(diag, -EFBIG, "more than %d sections of unwind tables",
				CODE_FRAMES_SECTIONS_MAX);
	error = code_elf_read(frames->elf, offset, nr_bytes, &section.bytes);
	if (error)
		return diag_set(diag, error, "%s: %s",
				section.is_debug ? SECTION_DEBUG : SECTION_EH,
				error == -EILSEQ ? "beyond the file" : strerror(-error));
	section.nr_bytes = (size_t)nr_bytes;
	frames->sections[frames->nr_sections++] = section;
	return 0;
}

static int add_named(struct code_frames *frames, const char *name, bool is_debug, struct diag *diag)
{
	const Elf64_Shdr *shdr;
	size_t index = 0;
	int error = 0;

	while (!error && (shdr = code_elf_section(frames->elf, name, &index)))
		if (shdr->sh_type != SHT_NOBITS && !(shdr->sh_flags & SHF_COMPRESSED))
			error = add_section(frames,
					    (struct code_frames_section){.address = shdr->sh_addr,
									 .is_debug = is_debug},
					    shdr->sh_offset, shdr->sh_size, diag);
	return error;
}

/*
 * Used if the section headers are stripped: .eh_frame_hdr has a segment of its own and contains
 * the address of .eh_frame.
 */
static int add_by_segment(struct code_frames *frames, const Elf64_Phdr *phdr, struct diag *diag)
{
	struct code_frames_section header = {.address = phdr->p_vaddr};
	const Elf64_Phdr *segment = NULL;
	struct cursor cursor;
	uint64_t address = 0;
	int error;

	if (phdr->p_filesz < 4)
		return diag_set(diag, -EILSEQ, ".eh_frame_hdr is cut");
	error = code_elf_read(frames->elf, phdr->p_offset, phdr->p_filesz, &header.bytes);
	if (error)
		return diag_set(diag, error, ".eh_frame_hdr: %s", strerror(-error));
	cursor = (struct cursor){.at = header.bytes + 4, .end = header.bytes + phdr->p_filesz};
	if (header.bytes[0] == 1)
		address = code_frames_pointer(&cursor, header.bytes[1], &header);
	if (header.bytes[0] == 1 && !cursor.failed)
		segment = code_elf_segment(frames->elf, address);
	free(header.bytes);
	if (!segment)
		return diag_set(diag, -EILSEQ, ".eh_frame_hdr has no valid address of .eh_frame");
	return add_section(frames,
			   (struct code_frames_section){.address = address, .ends_at_zero = true},
			   segment->p_offset + (address - segment->p_vaddr),
			   segment->p_filesz - (address - segment->p_vaddr), diag);
}

static int find_sections(struct code_frames *frames, struct diag *diag)
{
	const struct code_elf *elf = frames->elf;
	int error = add_named(frames, SECTION_EH, false, diag);

	for (size_t i = 0; !error && !frames->nr_sections && i < elf->nr_phdrs; i++)
		if (elf->phdrs[i].p_type == PT_GNU_EH_FRAME && elf->phdrs[i].p_filesz &&
		    !elf->nr_shdrs)
			error = add_by_segment(frames, &elf->phdrs[i], diag);
	if (!error)
		error = add_named(frames, SECTION_DEBUG, true, diag);
	if (!error && !frames->nr_sections)
		error = diag_set(diag, -ENODATA,
				 "it has neither " SECTION_EH " nor " SECTION_DEBUG);
	return error;
}

/* ---- order ---- */

/*
 * Sorts by start. If two starts are equal, a function of .eh_frame comes before a function of
 * .debug_frame. If both functions are of the same kind of section, the longer function comes first.
 */
static int compare_functions(const void *a, const void *b)
{
	const struct code_frames_function *one = a, *two = b;

	if (one->start != two->start)
		return one->start < two->start ? -1 : 1;
	if (one->is_debug != two->is_debug)
		return one->is_debug ? 1 : -1;
	if (one->end != two->end)
		return one->end > two->end ? -1 : 1;
	return (one->instructions > two->instructions) - (one->instructions < two->instructions);
}

/*
 * Removes overlaps, so that each byte of code belongs to at most one function: a function of
 * .eh_frame has precedence over a function of .debug_frame; otherwise the function that begins
 * later has precedence.
 */
static void keep_disjoint(struct code_frames *frames)
{
	struct code_frames_function *functions = frames->functions;
	size_t nr = 0;

	if (!frames->nr_functions)
		return;
	qsort(functions, frames->nr_functions, sizeof(*functions), compare_functions);
	for (size_t i = 0; i < frames->nr_functions; i++) {
		struct code_frames_function *last = nr ? &functions[nr - 1] : NULL;

		if (last && functions[i].start < last->end) {
			if (functions[i].start == last->start ||
			    (functions[i].is_debug && !last->is_debug))
				continue;
			last->end = functions[i].start;
		}
		functions[nr++] = functions[i];
	}
	frames->nr_functions = nr;
}

int code_frames_init(struct code_frames *frames, const struct code_elf *elf, struct diag *diag)
{
	int error;

	memset(frames, 0, sizeof(*frames));
	frames->elf = elf;
	error = find_sections(frames, diag);
	for (size_t i = 0; i < frames->nr_sections && !error; i++)
		error = read_entries(frames, i, PASS_COMMONS, diag);
	for (size_t i = 0; i < frames->nr_sections && !error; i++)
		error = read_entries(frames, i, PASS_FUNCTIONS, diag);
	if (!error)
		keep_disjoint(frames);
	return error;
}

void code_frames_deinit(struct code_frames *frames)
{
	for (size_t i = 0; i < frames->nr_sections; i++)
		free(frames->sections[i].bytes);
	free(frames->commons);
	free(frames->functions);
}
