// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/mini_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_MAX ((uint64_t)256 << 20) /* limit of the decoder's memory */
#define BYTES_MAX  ((size_t)512 << 20)	 /* limit of the decompressed file's size */

static Elf_Data *find_data(const struct symbol_file *image)
{
	for (size_t i = 1; i < image->nr_sections; i++) {
		Elf_Scn *section = elf_getscn(image->elf, i);
		GElf_Shdr header;

		if (!strcmp(image->sections[i].name, ".gnu_debugdata") && section &&
		    gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS)
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

/* Doubles *room, the size of *bytes. */
static int grow(lzma_stream *stream, uint8_t **bytes, size_t *room)
{
	size_t nr_done = stream->next_out ? (size_t)(stream->next_out - *bytes) : 0;
	size_t wanted = *room ? 2 * *room : (size_t)1 << 18;
	uint8_t *larger;

	if (wanted > BYTES_MAX)
		return -EILSEQ;
	larger = realloc(*bytes, wanted);
	if (!larger)
		return -ENOMEM;
	*bytes = larger;
	*room = wanted;
	stream->next_out = larger + nr_done;
	stream->avail_out = wanted - nr_done;
	return 0;
}

static int run(lzma_stream *stream, uint8_t **bytes)
{
	size_t room = 0;

	for (;;) {
		int error = stream->avail_out ? 0 : grow(stream, bytes, &room);
		lzma_ret result;

		if (error)
			return error;
		result = lzma_code(stream, LZMA_FINISH);
		if (result == LZMA_STREAM_END)
			return 0;
		if (result == LZMA_MEM_ERROR)
			return -ENOMEM;
		if (result != LZMA_OK)
			return -EILSEQ;
	}
}

/* *bytes is malloc'ed. */
static int decompress(const Elf_Data *data, uint8_t **bytes, size_t *nr_bytes)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int error = 0;

	*bytes = NULL;
	if (lzma_stream_decoder(&stream, MEMORY_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	error = run(&stream, bytes);
	*nr_bytes = (size_t)stream.total_out;
	lzma_end(&stream);
	if (error) {
		free(*bytes);
		*bytes = NULL;
	}
	return error;
}

int mini_symbols_open(struct symbol_file *mini, const struct symbol_file *image)
{
	Elf_Data *data = find_data(image);
	uint8_t *bytes;
	size_t nr_bytes;
	int error;

	if (!data || !data->d_buf)
		return -ENOENT;
	error = decompress(data, &bytes, &nr_bytes);
	if (error)
		return error;
	error = symbol_file_open_memory(mini, bytes, nr_bytes, image->path);
	return error == -ENOEXEC ? -EILSEQ : error;
}
