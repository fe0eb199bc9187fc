// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf_load NAME SECONDS: makes the kernel run a BPF program of that name for some seconds of CPU
 * time and prints how often it ran. Exit status 77: this kernel does not allow it, or not for this
 * user.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NR_LOOPS 10000

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static struct bpf_insn insn(uint8_t code, uint8_t to, uint8_t from, int16_t offset, int32_t value)
{
	return (struct bpf_insn){
		.code = code, .dst_reg = to, .src_reg = from, .off = offset, .imm = value};
}

static int load(const char *name)
{
	/* r0 = 1; r1 = loops; do r0 = r0 * 31 + r1; while (--r1); return r0 */
	const struct bpf_insn program[] = {
		insn(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		insn(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, NR_LOOPS),
		insn(BPF_ALU64 | BPF_MUL | BPF_K, 0, 0, 0, 31),
		insn(BPF_ALU64 | BPF_ADD | BPF_X, 0, 1, 0, 0),
		insn(BPF_ALU64 | BPF_SUB | BPF_K, 1, 0, 0, 1),
		insn(BPF_JMP | BPF_JNE | BPF_K, 1, 0, -4, 0),
		insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uint64_t)(uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uint64_t)(uintptr_t) "GPL";
	(void)snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return (int)bpf(BPF_PROG_LOAD, &attr);
}

static int run(int program)
{
	static uint8_t packet[64];
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)program;
	attr.test.data_in = (uint64_t)(uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = 1000;
	return (int)bpf(BPF_PROG_TEST_RUN, &attr);
}

int main(int argc, char **argv)
{
	clock_t end;
	unsigned long nr_runs = 0;
	int program;

	if (argc < 3)
		return EXIT_FAILURE;
	program = load(argv[1]);
	if (program < 0) {
		perror("bpf");
		return 77;
	}
	end = clock() + (clock_t)atoi(argv[2]) * CLOCKS_PER_SEC;
	while (clock() < end) {
		if (run(program) && errno != EINTR) {
			perror("run");
			return 77;
		}
		nr_runs += 1000;
	}
	printf("%lu\n", nr_runs);
	return EXIT_SUCCESS;
}
