// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a trace: statistics and a text list of 5 million records, such as
 * those of a busy machine: system calls, switches, wake-ups, interrupts.
 */
#include "bench/bench.h"

#include "ctf/writer.h"
#include "lib/file.h"
#include "tests/fixture/make_packet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_RECORDS   5000000u
#define NR_CPUS	     4u
#define NR_CALLS     40u
#define NR_THREADS   200u
#define NR_ROUNDS    5
#define PEER_ROUNDS  2
#define PACKET_BYTES 65536u
#define FIRST_CALL   40u /* first event id of a system call; too large for a compact header */
#define NR_EVENTS    (CALL_ENTRY + 2 * NR_CALLS)

enum { SWITCH, WAKEUP, IRQ_ENTRY, IRQ_EXIT, SOFTIRQ_ENTRY, SOFTIRQ_EXIT, CALL_ENTRY };

#define NUMBER(field_name, nr_bits, in_base, with_sign)                                            \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = (nr_bits),                \
		.base = (in_base), .is_signed = (with_sign)                                        \
	}
#define TEXT(field_name)                                                                           \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_TEXT, .bits = 8, .base = 10, .nr = 16      \
	}
#define NR(of) (sizeof(of) / sizeof((of)[0]))

static const struct ctf_field switch_fields[] = {TEXT("prev_comm"),
						 NUMBER("prev_tid", 32, 10, true),
						 NUMBER("prev_prio", 32, 10, true),
						 NUMBER("prev_state", 64, 10, true),
						 TEXT("next_comm"),
						 NUMBER("next_tid", 32, 10, true),
						 NUMBER("next_prio", 32, 10, true)};
static const struct ctf_field wakeup_fields[] = {TEXT("comm"), NUMBER("tid", 32, 10, true),
						 NUMBER("prio", 32, 10, true),
						 NUMBER("target_cpu", 32, 10, true)};
static const struct ctf_field irq_fields[] = {
	NUMBER("irq", 32, 10, true),
	{.name = "name", .kind = CTF_FIELD_STRING, .bits = 8, .base = 10}};
static const struct ctf_field irq_exit_fields[] = {NUMBER("irq", 32, 10, true),
						   NUMBER("ret", 32, 10, true)};
static const struct ctf_field softirq_fields[] = {NUMBER("vec", 32, 10, false)};
static const struct ctf_field entry_fields[] = {
	NUMBER("fd", 64, 10, false), NUMBER("buf", 64, 16, false), NUMBER("count", 64, 10, false)};
static const struct ctf_field exit_fields[] = {NUMBER("ret", 64, 10, true)};

static struct ctf_event events[NR_EVENTS];
static char names[2 * NR_CALLS][40];
static const uint32_t streams[] = {0};
static struct ctf_trace trace = {.uuid = {4, 2},
				 .clock = {.name = "monotonic",
					   .description = "",
					   .freq_hz = 1000000000,
					   .offset_s = 1700000000},
				 .nr_streams = 1,
				 .streams = streams,
				 .nr_events = NR_EVENTS,
				 .events = events};

static void describe(uint32_t event, uint32_t id, const char *name, const struct ctf_field *fields,
		     unsigned int nr_fields)
{
	events[event] = (struct ctf_event){
		.id = id, .name = name, .alignment = 1, .nr_fields = nr_fields, .fields = fields};
}

static void describe_all(void)
{
	describe(SWITCH, SWITCH, "sched_switch", switch_fields, NR(switch_fields));
	describe(WAKEUP, WAKEUP, "sched_wakeup", wakeup_fields, NR(wakeup_fields));
	describe(IRQ_ENTRY, IRQ_ENTRY, "irq_handler_entry", irq_fields, NR(irq_fields));
	describe(IRQ_EXIT, IRQ_EXIT, "irq_handler_exit", irq_exit_fields, NR(irq_exit_fields));
	describe(SOFTIRQ_ENTRY, SOFTIRQ_ENTRY, "irq_softirq_entry", softirq_fields, 1);
	describe(SOFTIRQ_EXIT, SOFTIRQ_EXIT, "irq_softirq_exit", softirq_fields, 1);
	for (unsigned int i = 0; i < NR_CALLS; i++) {
		(void)snprintf(names[2 * i], sizeof(names[0]), "syscall_entry_call%u", i);
		(void)snprintf(names[2 * i + 1], sizeof(names[0]), "syscall_exit_call%u", i);
		describe(CALL_ENTRY + 2 * i, FIRST_CALL + 2 * i, names[2 * i], entry_fields,
			 NR(entry_fields));
		describe(CALL_ENTRY + 2 * i + 1, FIRST_CALL + 2 * i + 1, names[2 * i + 1],
			 exit_fields, NR(exit_fields));
	}
}

/* ---- records ---- */

struct cpu {
	unsigned int file;
	uint32_t nr, thread;
	uint64_t time, seq, nr_records;
	struct make_packet packet;
};

static struct cpu cpus[NR_CPUS];
static struct ctf_writer *writer;
static uint64_t random_state = 1;
static uint8_t payload[128];
static size_t nr_payload;

static void put(const void *bytes, size_t nr_bytes)
{
	memcpy(payload + nr_payload, bytes, nr_bytes);
	nr_payload += nr_bytes;
}

static void put32(uint32_t number)
{
	put(&number, sizeof(number));
}

static void put64(uint64_t number)
{
	put(&number, sizeof(number));
}

static void put_name(uint32_t thread)
{
	char name[16] = "";

	(void)snprintf(name, sizeof(name), "worker/%u", thread);
	put(name, sizeof(name));
}

static void end_packet(struct cpu *cpu)
{
	struct diag diag;

	make_packet_end(&cpu->packet, cpu->time);
	if (ctf_writer_append(writer, cpu->file, cpu->packet.bytes, cpu->packet.nr_bytes, &diag))
		bench_fail(diag_show(&diag), EIO);
}

static void add(struct cpu *cpu, uint32_t event, uint64_t after_ns)
{
	cpu->time += after_ns;
	if (!make_packet_add(&cpu->packet, events[event].id, cpu->time, 1, payload, nr_payload)) {
		end_packet(cpu);
		make_packet_begin(&cpu->packet, trace.uuid, cpu->nr, ++cpu->seq, cpu->time,
				  PACKET_BYTES);
		if (!make_packet_add(&cpu->packet, events[event].id, cpu->time, 1, payload,
				     nr_payload))
			bench_fail("a record", EMSGSIZE);
	}
	cpu->nr_records++;
	nr_payload = 0;
}

static void add_call(struct cpu *cpu)
{
	const uint32_t call = (uint32_t)(bench_random(&random_state) % NR_CALLS);

	put64(call);
	put64(0x7fff00000000 + call);
	put64(4096);
	add(cpu, CALL_ENTRY + 2 * call, 400);
	put64(call % 5 ? call : (uint64_t)-11);
	add(cpu, CALL_ENTRY + 2 * call + 1, 700 + bench_random(&random_state) % 4000);
}

static void add_interrupt(struct cpu *cpu)
{
	put32(36);
	put("virtio1-req.0", 14);
	add(cpu, IRQ_ENTRY, 300);
	put32(36);
	put32(1);
	add(cpu, IRQ_EXIT, 1500);
	put32(4);
	add(cpu, SOFTIRQ_ENTRY, 100);
	put32(4);
	add(cpu, SOFTIRQ_EXIT, 5000);
}

static void add_switch(struct cpu *cpu)
{
	const uint32_t next =
		1000 + cpu->nr * NR_THREADS + (uint32_t)(bench_random(&random_state) % NR_THREADS);

	put_name(next);
	put32(next);
	put32(120);
	put32(cpu->nr);
	add(cpu, WAKEUP, 500);
	put_name(cpu->thread);
	put32(cpu->thread);
	put32(120);
	put64(1);
	put_name(next);
	put32(next);
	put32(120);
	add(cpu, SWITCH, 900);
	cpu->thread = next;
}

static void fill(struct cpu *cpu)
{
	while (cpu->nr_records < NR_RECORDS / NR_CPUS) {
		for (uint64_t nr = bench_random(&random_state) % 12; nr; nr--)
			add_call(cpu);
		if (bench_random(&random_state) % 4 == 0)
			add_interrupt(cpu);
		add_switch(cpu);
	}
	end_packet(cpu);
}

static uint64_t make_folder(const char *folder)
{
	struct diag diag;
	uint64_t nr = 0;

	describe_all();
	if (ctf_writer_open(&writer, folder, &trace, &diag))
		bench_fail(diag_show(&diag), EIO);
	for (uint32_t i = 0; i < NR_CPUS; i++) {
		char name[32];

		cpus[i].nr = i;
		cpus[i].time = 1000000;
		(void)snprintf(name, sizeof(name), "channel_%u", i);
		if (ctf_writer_add_file(writer, name, 0, &cpus[i].file, &diag))
			bench_fail(diag_show(&diag), EIO);
		make_packet_begin(&cpus[i].packet, trace.uuid, i, 0, cpus[i].time, PACKET_BYTES);
		fill(&cpus[i]);
		nr += cpus[i].nr_records;
	}
	if (ctf_writer_close(writer, &diag))
		bench_fail(diag_show(&diag), EIO);
	return nr;
}

/* ---- readers ---- */

static void become(const char *program, const char *const *words)
{
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(126);
	(void)execvp(program, (char **)(uintptr_t)words);
	_exit(127);
}

/*
 * Runs a program with its output discarded and returns its CPU seconds, or a negative number if
 * there is no such program.
 */
static double run(const char *program, const char *const *words)
{
	const uint64_t before = bench_process_ns();
	const pid_t pid = fork();
	int status;

	if (!pid)
		become(program, words);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		bench_fail(program, errno);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return -1;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bench_fail(program, EIO);
	return (double)(bench_process_ns() - before) / 1e9;
}

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

static const char *reader(void)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/optrace-read", top ? top : ".");
	return path;
}

/* The peer also writes all fields of the same records as text. */
static void measure(const char *folder, uint64_t nr_records)
{
	const char *const stats[] = {"optrace-read", "stats", folder, NULL};
	const char *const list[] = {"optrace-read", "events", folder, NULL};
	const char *const last[] = {"optrace-read", "events", "-l", "100", folder, NULL};
	const char *const peer[] = {"babeltrace2", folder, NULL};
	double stats_s = 0, list_s = 0, last_s = 0, peer_s = 0;

	for (int i = 0; i < NR_ROUNDS; i++) {
		keep_minimum(&stats_s, run(reader(), stats));
		keep_minimum(&list_s, run(reader(), list));
		keep_minimum(&last_s, run(reader(), last));
		if (i < PEER_ROUNDS && bench_wanted("trace_list_rate"))
			keep_minimum(&peer_s, run("babeltrace2", peer));
	}
	if (bench_wanted("trace_stats_rate"))
		bench_print("trace_stats_rate", (double)nr_records / stats_s / 1e6, "M/s");
	if (bench_wanted("trace_list_rate"))
		bench_print("trace_list_rate", (double)nr_records / list_s / 1e6, "M/s");
	if (peer_s > 0) {
		bench_print("peer_trace_list_rate", (double)nr_records / peer_s / 1e6, "M/s");
		bench_print("ratio_trace_list_rate", peer_s / list_s, "x");
	}
	if (bench_wanted("trace_last_100"))
		bench_print("trace_last_100", last_s * 1e3, "ms");
}

static char top_folder[PATH_MAX / 2];

static void remove_folder(void)
{
	(void)file_remove_tree(top_folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");
	char folder[PATH_MAX];
	uint64_t nr_records;

	bench_init(argc, argv);
	if (!bench_wanted("trace_stats_rate") && !bench_wanted("trace_list_rate") &&
	    !bench_wanted("trace_last_100"))
		return EXIT_SUCCESS;
	(void)snprintf(top_folder, sizeof(top_folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(top_folder) || atexit(remove_folder))
		bench_fail(top_folder, errno);
	(void)snprintf(folder, sizeof(folder), "%s/trace", top_folder);
	nr_records = make_folder(folder);
	printf("# %llu records\n", (unsigned long long)nr_records);
	(void)fflush(stdout);
	measure(folder, nr_records);
	return EXIT_SUCCESS;
}
