// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged streams. The first two bytes of the input, little-endian, say where the rest is split
 * into two stream files of a trace with the events of tests/fixture/make_trace.h. For any content
 * the reader ends, its time stamps never decrease, everything that it points to is readable, and
 * its counts equal the records that it returned.
 */
#include "ctf/reader.h"
#include "ctf/writer.h"
#include "lib/file.h"
#include "tests/fixture/make_trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];
static int fds[2];

static void must(bool held)
{
	if (!held)
		abort();
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

static void make_folder(void)
{
	struct ctf_writer *writer;
	struct diag diag;

	(void)snprintf(folder, sizeof(folder), "%s/oprof-fuzz-XXXXXX",
		       access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	must(mkdtemp(folder) && !atexit(remove_folder));
	must(!ctf_writer_open(&writer, folder, &made_trace, &diag));
	for (unsigned int i = 0; i < 2; i++) {
		char path[96];
		unsigned int file;

		must(!ctf_writer_add_file(writer, i ? "b" : "a", 0, &file, &diag));
		(void)snprintf(path, sizeof(path), "%s/%s", folder, i ? "b" : "a");
		fds[i] = open(path, O_RDWR | O_CLOEXEC);
		must(fds[i] >= 0);
	}
	must(!ctf_writer_close(writer, &diag));
}

static void put_file(int fd, const uint8_t *data, size_t size)
{
	must(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
}

/* Reads all that the record points to, and returns a sum over it. */
static uint64_t touch(const struct ctf_record *record)
{
	uint64_t sum = record->packet->seq;

	for (unsigned int i = 0; i < record->event->nr_fields; i++) {
		const struct ctf_field *field = &record->event->fields[i];
		const struct ctf_value *value = &record->values[i];
		const bool is_bytes =
			field->kind == CTF_FIELD_TEXT || field->kind == CTF_FIELD_STRING;

		for (uint32_t j = 0; j < value->nr; j++)
			sum += is_bytes ? value->bytes[j] : ctf_value_element(field, value, j);
		sum += value->number;
	}
	return sum;
}

static void read_folder(size_t size)
{
	static volatile uint64_t sum;
	struct ctf_reader *reader;
	struct ctf_record record;
	uint64_t time = 0, nr_records = 0, nr_errors = 0, nr_counted = 0, nr_told = 0;
	struct diag diag;
	int result;

	must(!ctf_reader_open(&reader, folder, &diag));
	while ((result = ctf_reader_next(reader, &record, &diag))) {
		nr_records += result > 0;
		nr_errors += result < 0;
		must(nr_records + nr_errors <= size + 2);
		if (result < 0)
			continue;
		must(record.time >= time);
		time = record.time;
		sum += touch(&record);
	}
	for (unsigned int i = 0; i < 2; i++) {
		const struct ctf_stream_counts counts =
			ctf_stream_counts(ctf_reader_stream(reader, i));

		nr_counted += counts.nr_records;
		nr_told += counts.lost_damaged + counts.lost_cut + counts.nr_disordered;
	}
	must(nr_counted == nr_records && nr_told == nr_errors);
	ctf_reader_close(reader);
}

/* Reads stretches backwards: each ends before the one read previously. */
static void read_backwards(size_t size)
{
	static volatile uint64_t sum;
	uint64_t before = UINT64_MAX, nr_stretches = 0;
	struct ctf_reader *reader;
	struct diag diag;

	must(!ctf_reader_open(&reader, folder, &diag));
	while (before) {
		struct ctf_record record;
		uint64_t begin, nr = 0;
		int result;

		must(!ctf_reader_stretch(reader, before, 4096, &begin) && begin < before);
		must(++nr_stretches <= size / 128 + 2);
		(void)ctf_reader_seek(reader, begin, &diag);
		while ((result = ctf_reader_next(reader, &record, &diag))) {
			must(++nr <= size + 2);
			if (result > 0)
				sum += touch(&record);
		}
		before = begin;
	}
	ctf_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t cut = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8);

	if (!folder[0])
		make_folder();
	if (size >= 2) {
		data += 2;
		size -= 2;
	}
	cut = cut > size ? size : cut;
	put_file(fds[0], data, cut);
	put_file(fds[1], data + cut, size - cut);
	read_folder(size);
	read_backwards(size);
	return 0;
}
