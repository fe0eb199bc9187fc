// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shows a trace folder, for tests and for looking at one by hand:
 *	trace_show records FOLDER	each record, as babeltrace2 --clock-cycles --no-delta does
 *	trace_show summary FOLDER	the counts of each stream and of the trace
 *	trace_show make FOLDER [SEED [PACKETS]]	writes a random one, by tests/fixture/make_trace.h
 * Errors go to stderr, and the exit status is then 1.
 */
#include "ctf/reader.h"
#include "tests/fixture/make_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_number(const struct ctf_field *field, uint64_t number)
{
	if (field->base == 16)
		printf("0x%" PRIX64,
		       field->bits == 64 ? number : number & (((uint64_t)1 << field->bits) - 1));
	else if (field->is_signed)
		printf("%" PRId64, (int64_t)number);
	else
		printf("%" PRIu64, number);
}

static void show_bytes(const uint8_t *bytes, size_t nr)
{
	putchar('"');
	for (size_t i = 0; i < nr; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			printf("\\%c", bytes[i]);
		else if (bytes[i] < ' ')
			printf("\\x%02x", bytes[i]);
		else
			putchar(bytes[i]);
	}
	putchar('"');
}

static void show_integer(const struct ctf_field *field, uint64_t number)
{
	const char *name = NULL;

	for (unsigned int i = 0; i < field->nr_labels; i++)
		if ((uint64_t)field->labels[i].value == number)
			name = field->labels[i].name;
	if (field->nr_labels) {
		printf("( ");
		if (name)
			show_bytes((const uint8_t *)name, strlen(name));
		else
			printf("<unknown>");
		printf(" : container = ");
	}
	show_number(field, number);
	if (field->nr_labels)
		printf(" )");
}

static void show_elements(const struct ctf_field *field, const struct ctf_value *value)
{
	printf("[ ");
	for (uint32_t i = 0; i < value->nr; i++) {
		printf("%s[%u] = ", i ? ", " : "", i);
		show_number(field, ctf_value_element(field, value, i));
	}
	printf(value->nr ? " ]" : "]");
}

static void show_field(const struct ctf_field *field, const struct ctf_value *value)
{
	if (field->kind == CTF_FIELD_SEQUENCE)
		printf("_%s_length = %u, ", field->name, value->nr);
	printf("%s = ", field->name);
	if (field->kind == CTF_FIELD_INTEGER)
		show_integer(field, value->number);
	else if (field->kind == CTF_FIELD_ARRAY || field->kind == CTF_FIELD_SEQUENCE)
		show_elements(field, value);
	else
		show_bytes(value->bytes, value->nr);
}

/* Prints the text "hostname" of the environment and a blank, or nothing. */
static void show_host(const struct ctf_trace *trace)
{
	for (unsigned int i = 0; i < trace->nr_envs; i++)
		if (!strcmp(trace->envs[i].name, "hostname") && trace->envs[i].text)
			printf("%s ", trace->envs[i].text);
}

static void show_record(const struct ctf_trace *trace, const struct ctf_record *record)
{
	const struct oprof_packet_header *packet = record->packet;
	const uint64_t *lost_by = packet->lost_by;

	printf("[%020" PRIu64 "] ", record->time);
	show_host(trace);
	printf("%s: { cpu_id = %u, nr_records = %u, lost_full = %" PRIu64 ", lost_nested = %" PRIu64
	       ", lost_too_big = %" PRIu64 ", lost_stopped = %" PRIu64 ", lost_killed = %" PRIu64
	       " }, { ",
	       record->event->name, packet->cpu_id, packet->nr_records, lost_by[0], lost_by[1],
	       lost_by[2], lost_by[3], lost_by[4]);
	for (unsigned int i = 0; i < record->event->nr_fields; i++) {
		printf("%s", i ? ", " : "");
		show_field(&record->event->fields[i], &record->values[i]);
	}
	printf(record->event->nr_fields ? " }\n" : "}\n");
}

static void show_counts(const char *name, const struct ctf_stream_counts *counts)
{
	printf("%s: packets %" PRIu64 ", records %" PRIu64 ", padding %" PRIu64 ", first %" PRIu64
	       ", last %" PRIu64 ", lost %" PRIu64 ", lost_before %" PRIu64
	       ", lost_overwritten %" PRIu64 " packets, damaged %" PRIu64 ", cut %" PRIu64
	       ", disordered %" PRIu64 "\n",
	       name, counts->nr_packets, counts->nr_records, counts->nr_padding, counts->time_first,
	       counts->time_last, counts->lost, counts->lost_before, counts->lost_overwritten,
	       counts->lost_damaged, counts->lost_cut, counts->nr_disordered);
}

static void add_counts(struct ctf_stream_counts *sum, const struct ctf_stream_counts *counts)
{
	if (counts->nr_records && (!sum->nr_records || counts->time_first < sum->time_first))
		sum->time_first = counts->time_first;
	if (counts->time_last > sum->time_last)
		sum->time_last = counts->time_last;
	sum->nr_packets += counts->nr_packets;
	sum->nr_records += counts->nr_records;
	sum->nr_padding += counts->nr_padding;
	sum->lost += counts->lost;
	sum->lost_before += counts->lost_before;
	sum->lost_overwritten += counts->lost_overwritten;
	sum->lost_damaged += counts->lost_damaged;
	sum->lost_cut += counts->lost_cut;
	sum->nr_disordered += counts->nr_disordered;
}

static void show_summary(const struct ctf_reader *reader)
{
	struct ctf_stream_counts sum = {0};

	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++) {
		const struct ctf_stream *stream = ctf_reader_stream(reader, i);
		const struct ctf_stream_counts counts = ctf_stream_counts(stream);

		show_counts(ctf_stream_name(stream), &counts);
		add_counts(&sum, &counts);
	}
	show_counts("all", &sum);
}

static int show(const char *folder, bool is_summary)
{
	struct ctf_reader *reader;
	struct ctf_record record;
	struct diag diag;
	bool is_sound = true;
	int result;

	if (ctf_reader_open(&reader, folder, &diag)) {
		fprintf(stderr, "trace_show: %s\n", diag_show(&diag));
		return EXIT_FAILURE;
	}
	while ((result = ctf_reader_next(reader, &record, &diag))) {
		if (result < 0) {
			fprintf(stderr, "trace_show: %s\n", diag_show(&diag));
			is_sound = false;
		} else if (!is_summary) {
			show_record(ctf_reader_trace(reader), &record);
		}
	}
	if (is_summary)
		show_summary(reader);
	ctf_reader_close(reader);
	return is_sound ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	static struct made_trace trace;

	if (argc == 3 && (!strcmp(argv[1], "records") || !strcmp(argv[1], "summary")))
		return show(argv[2], argv[1][0] == 's');
	if (argc < 3 || strcmp(argv[1], "make")) {
		fprintf(stderr, "usage: trace_show records|summary|make FOLDER [SEED [PACKETS]]\n");
		return 2;
	}
	trace.no_empty_text = true;
	make_trace(&trace, argv[2], argc > 3 ? strtoull(argv[3], NULL, 10) : 1,
		   argc > 4 ? (unsigned int)strtoul(argv[4], NULL, 10) : 50);
	make_trace_deinit(&trace);
	return EXIT_SUCCESS;
}
