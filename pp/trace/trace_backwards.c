// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_backwards.h"

#include <errno.h>
#include <stdbool.h>

/*
 * How many bytes of packets a stretch may have: the first stretch, and any later stretch. The
 * first stretch is small, because users usually request few records. Large stretches need much
 * memory, because the lines made from the packets are about ten times as long as the packets.
 */
#define STRETCH_BYTES_FIRST ((uint64_t)64 << 10)
#define STRETCH_BYTES_MAX   ((uint64_t)2 << 20)

struct backward_stretch {
	struct ctf_reader *reader;
	struct trace_who *who;
	const struct trace_backwards *wanted;
	uint64_t from, to;
};

/*
 * Reads the stretch's next record. Returns 1; 0 at the stretch's end; or -ENOMEM. Reports damage
 * only if `tell` is true: each stretch is read twice, and damage must be reported only once.
 */
static int next(const struct backward_stretch *stretch, struct ctf_record *record, bool tell)
{
	struct diag diag;
	int more;

	while ((more = ctf_reader_next(stretch->reader, record, &diag))) {
		if (more == -ENOMEM)
			return more;
		if (more < 0 && tell && stretch->wanted->damage)
			stretch->wanted->damage(stretch->wanted->context, &diag);
		if (more < 0 || record->time < stretch->from)
			continue;
		return record->time < stretch->to;
	}
	return 0;
}

/*
 * Seeks to the stretch. Ignores streams that cannot be read, because they are reported elsewhere.
 */
static int seek(const struct backward_stretch *stretch)
{
	struct diag diag;
	const int error = ctf_reader_seek(stretch->reader, stretch->from, &diag);

	return error == -ENOMEM ? error : 0;
}

static int look(const struct backward_stretch *stretch)
{
	struct ctf_record record;
	int more = seek(stretch);

	if (more)
		return more;
	trace_who_begin_look(stretch->who);
	while ((more = next(stretch, &record, false)) > 0) {
		const int error = trace_who_look(stretch->who, &record);

		if (error)
			return error;
	}
	trace_who_end_look(stretch->who);
	return more;
}

static int take(const struct backward_stretch *stretch)
{
	struct ctf_record record;
	int more = seek(stretch);

	if (more)
		return more;
	while ((more = next(stretch, &record, true)) > 0) {
		const struct trace_runner *who = trace_who_at(stretch->who, &record);
		const int result =
			who ? stretch->wanted->take(stretch->wanted->context, &record, who)
			    : -ENOMEM;

		if (result)
			return result;
	}
	return more ? more : stretch->wanted->end(stretch->wanted->context);
}

int trace_backwards(struct ctf_reader *reader, struct trace_who *who, uint64_t from, uint64_t to,
		    const struct trace_backwards *wanted)
{
	struct backward_stretch stretch = {
		.reader = reader, .who = who, .wanted = wanted, .from = to};
	uint64_t nr_bytes = STRETCH_BYTES_FIRST;
	int result = 0;

	while (!result && stretch.from > from) {
		stretch.to = stretch.from;
		result = ctf_reader_stretch(reader, stretch.to, nr_bytes, &stretch.from);
		nr_bytes = nr_bytes < STRETCH_BYTES_MAX ? 2 * nr_bytes : nr_bytes;
		if (stretch.from < from)
			stretch.from = from;
		if (!result)
			result = look(&stretch);
		if (!result)
			result = take(&stretch);
	}
	return result < 0 ? result : 0;
}
