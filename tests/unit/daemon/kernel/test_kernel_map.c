// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel code from a made-up /proc and /sys, and what a session keeps of it. */
#include "daemon/kernel/kernel_idle.h"
#include "daemon/kernel/kernel_map.h"
#include "daemon/kernel/kernel_symbols.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fake_proc proc;
static struct image_table images;
static struct kernel_map map;

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t local_alias\n"
			       "ffffffff81000100 T global_alias\n"
			       "ffffffff810001f0 t __pfx_schedule\n"
			       "ffffffff81000200 T schedule\n"
			       "ffffffff81000300 t default_idle.cold\n"
			       "ffffffff81000340 T after_idle\n"
			       "ffffffff81000800 T __cpuidle_text_start\n"
			       "ffffffff81000810 t some_new_idle\n"
			       "ffffffff81000900 T __cpuidle_text_end\n"
			       "ffffffff81000a00 t __psci_enter_domain_idle_state\n"
			       "ffffffff81000a40 T after_psci\n"
			       "ffffffff81000a80 t pvm_safe_halt_hc\n"
			       "ffffffff81000ac0 T handle_softirqs\n"
			       "ffffffff81001000 T _etext\n"
			       "ffffffff82000000 D some_data\n"
			       "ffffffff83000000 t init_function\n"
			       "ffffffffc0100000 t ext4_first\t[ext4]\n"
			       "ffffffffc0100020 T ext4_second\t[ext4]\n"
			       "ffffffffc0180000 d ext4_data\t[ext4]\n"
			       "ffffffffc0102010 t only_in_kallsyms\t[hidden_module]\n"
			       "ffffffffc0200000 t bpf_prog_0123456789abcdef_first\t[bpf]\n"
			       "ffffffffc0200100 t bpf_prog_fedcba9876543210_second\t[bpf]\n"
			       "ffffffffc0300000 t ftrace_trampoline\t[__builtin__ftrace]\n";

/* A note with a build-id of 20 bytes whose first byte is first. */
static void write_notes(const char *path, uint8_t first)
{
	uint8_t note[36] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, first};

	fake_proc_write(&proc, path, note, sizeof(note));
}

static void setup(void)
{
	fake_proc_init(&proc);
	fake_proc_print(&proc, "kallsyms", "%s", kallsyms);
	fake_proc_print(&proc, "modules",
			"ext4 1052672 1 - Live 0xffffffffc0100000\n"
			"jbd2 8192 1 ext4, Live 0xffffffffc0101000 (OE)\n"
			"garbage\n");
	write_notes("kernel/notes", 0x11);
	write_notes("module/ext4/notes/.note.gnu.build-id", 0x22);
	ck_assert_int_eq(image_table_init(&images), 0);
	ck_assert_int_eq(kernel_map_init(&map, &images, proc.path, proc.path), 0);
}

static void teardown(void)
{
	kernel_map_deinit(&map);
	image_table_deinit(&images);
	fake_proc_deinit(&proc);
}

static void expect(uint64_t address, const char *path, uint64_t offset)
{
	const struct kernel_range *range = kernel_map_find(&map, address);

	if (!path) {
		ck_assert_ptr_null(range);
		return;
	}
	ck_assert_ptr_nonnull(range);
	ck_assert_str_eq(range->image->image.path, path);
	ck_assert_uint_eq(address - range->start, offset);
}

START_TEST(kernel_modules_and_programs_are_found_by_address)
{
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	ck_assert(!map.hidden);
	expect(0xffffffff80ffffff, NULL, 0);
	expect(0xffffffff81000000, "vmlinux", 0);
	expect(0xffffffff81000fff, "vmlinux", 0xfff);
	expect(0xffffffff81001000, NULL, 0);
	expect(0xffffffff83000000, NULL, 0);
	expect(0xffffffffc0100020, "ext4", 0x20);
	/* jbd2's size is the sum of sections that lie elsewhere: the next range ends it. */
	expect(0xffffffffc0101000, "jbd2", 0);
	expect(0xffffffffc0102010, "jbd2", 0x1010);
	expect(0xffffffffc0200010, "bpf_prog_0123456789abcdef_first", 0x10);
	expect(0xffffffffc0200100, "bpf_prog_fedcba9876543210_second", 0);
	expect(0xffffffffc0300001, "ftrace_trampoline", 1);
	expect(0x400000, NULL, 0);
	expect(UINT64_MAX, NULL, 0);
}
END_TEST

START_TEST(identities_are_read_from_notes)
{
	const struct image *image;

	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	image = &kernel_map_find(&map, 0xffffffff81000000)->image->image;
	ck_assert_int_eq(image->kind, OPROF_IMAGE_KERNEL);
	ck_assert_uint_eq(image->identity.nr_build_id, 20);
	ck_assert_uint_eq(image->identity.build_id[0], 0x11);
	ck_assert_mem_eq(&image->identity, &map.idle->image.identity, sizeof(image->identity));
	image = &kernel_map_find(&map, 0xffffffffc0100000)->image->image;
	ck_assert_int_eq(image->kind, OPROF_IMAGE_MODULE);
	ck_assert_uint_eq(image->identity.build_id[0], 0x22);
	image = &kernel_map_find(&map, 0xffffffffc0200000)->image->image;
	ck_assert_int_eq(image->kind, OPROF_IMAGE_BPF);
	ck_assert_str_eq(image->path, "bpf_prog_0123456789abcdef_first");
}
END_TEST

START_TEST(idle_routines_are_found_by_name_and_section)
{
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	ck_assert(!kernel_map_is_idle(&map, 0xffffffff81000200));
	ck_assert(!kernel_map_is_idle(&map, 0xffffffff810002ff));
	ck_assert(kernel_map_is_idle(&map, 0xffffffff81000300));
	ck_assert(kernel_map_is_idle(&map, 0xffffffff8100033f));
	ck_assert(!kernel_map_is_idle(&map, 0xffffffff81000340));
	ck_assert(kernel_map_is_idle(&map, 0xffffffff81000815));
	ck_assert(!kernel_map_is_idle(&map, 0xffffffff81000900));
	ck_assert(kernel_map_is_idle(&map, 0xffffffff81000a00));
	ck_assert(!kernel_map_is_idle(&map, 0xffffffff81000a40));
	ck_assert(kernel_map_is_idle(&map, 0xffffffff81000a80));
	ck_assert(!kernel_map_is_idle(&map, 0xffffffff81000ac0));
}
END_TEST

START_TEST(idle_routines_of_all_hypervisors_and_machines_are_idle)
{
	static const char *const bare[] = {
		"default_idle",	     "mwait_idle",	     "intel_idle_ibrs",
		"acpi_idle_enter",   "acpi_safe_halt",	     "poll_idle",
		"do_idle",	     "cpuidle_enter_state",  "cpu_idle_poll.isra.0",
		"io_idle",	     "default_idle_call",    "cpuidle_poll_time",
		"menu_select",	     "tick_nohz_idle_enter", "do_idle.cold",
		"cpu_startup_entry", "arch_cpu_idle_exit",   "sched_idle_set_state",
	};
	static const char *const kvm[] = {"pv_native_safe_halt", "native_safe_halt",
					  "kvm_safe_halt", "haltpoll_select", "default_enter_idle"};
	static const char *const xen[] = {"xen_safe_halt", "xen_hypercall_sched_op",
					  "xen_hypercall_pv"};
	static const char *const hyper_v[] = {"pv_native_safe_halt", "hv_safe_halt"};
	static const char *const pvm[] = {"pvm_safe_halt", "pvm_safe_halt_hc"};
	static const char *const tdx[] = {"tdx_safe_halt", "tdg_safe_halt", "tdx_halt"};
	static const char *const arm64[] = {
		"arch_cpu_idle",	  "cpu_do_idle",
		"psci_enter_idle_state",  "__psci_enter_domain_idle_state",
		"psci_cpu_suspend_enter", "default_idle_call"};
	static const char *const mips[] = {"r4k_wait", "__r4k_wait"};
	static const char *const power[] = {"plpar_hcall_norets_notrace", "snooze_loop",
					    "dedicated_cede_loop"};
#define TABLE(names)                                                                               \
	{                                                                                          \
#names, names, sizeof(names) / sizeof((names)[0])                                  \
	}
	static const struct {
		const char *machine;
		const char *const *names;
		size_t nr;
	} tables[] = {TABLE(bare), TABLE(kvm),	 TABLE(xen),  TABLE(hyper_v), TABLE(pvm),
		      TABLE(tdx),  TABLE(arm64), TABLE(mips), TABLE(power)};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (size_t j = 0; j < tables[i].nr; j++)
			ck_assert_msg(kernel_idle_is_routine(tables[i].names[j]), "%s: %s",
				      tables[i].machine, tables[i].names[j]);
}
END_TEST

START_TEST(interrupts_of_an_idle_cpu_are_work)
{
	static const char *const busy[] = {
		"",
		"_nohz_idle_balance.isra.0",
		"_raw_spin_unlock_irqrestore",
		"account_idle_ticks",
		"cpu_idle_read_s64",
		"handle_softirqs",
		"idle_cpu",
		"idle_cull_fn",
		"io_idle2",
		"kvm_emulate_mwait",
		"native_safe",
		"net_rx_action",
		"nohz_balance_exit_idle",
		"nohz_run_idle_balance",
		"schedule",
		"sched_balance_newidle",
		"select_idle_core.isra.0",
		"smp_call_function_many_cond",
		"sysvec_apic_timer_interrupt",
		"try_to_wake_up",
		"unsafe_halt",
		"virtnet_poll",
		"wake_up_if_idle",
		"xen_hypercall_event_channel_op",
	};

	for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++)
		ck_assert_msg(!kernel_idle_is_routine(busy[i]), "%s", busy[i]);
}
END_TEST

START_TEST(hidden_addresses_make_one_image_of_the_kernel)
{
	fake_proc_print(&proc, "kallsyms",
			"0000000000000000 T _stext\n0000000000000000 T schedule\n");
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	ck_assert(map.hidden);
	expect(0xffffffff81000200, "[kernel]", 0xffffffff81000200);
	expect(0x400000, NULL, 0);
	ck_assert(kernel_map_is_idle(&map, 0xffffffff81000200));
	ck_assert(!kernel_map_wants_load(&map, 1));
}
END_TEST

/* On arm64, Linux 6.12 has "D _etext". */
START_TEST(a_kernel_that_counts_the_end_of_its_code_as_data_is_not_hidden)
{
	fake_proc_print(&proc, "kallsyms",
			"ffffffc080000000 T _text\n"
			"ffffffc080010000 T _stext\n"
			"ffffffc080010100 T schedule\n"
			"ffffffc080359098 T __cpuidle_text_start\n"
			"ffffffc080359098 T cpu_do_idle\n"
			"ffffffc0803591c0 T __cpuidle_text_end\n"
			"ffffffc080370000 D _etext\n");
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	ck_assert(!map.hidden);
	expect(0xffffffc080010100, "vmlinux", 0x10100);
	expect(0xffffffc080370000, NULL, 0);
	ck_assert(kernel_map_is_idle(&map, 0xffffffc08035909c));
	ck_assert(!kernel_map_is_idle(&map, 0xffffffc080010100));
}
END_TEST

/* kallsyms does not give the size of its last program. */
START_TEST(a_program_stays_when_another_is_made_close_behind_it)
{
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	expect(0xffffffffc0200100, "bpf_prog_fedcba9876543210_second", 0);
	expect(0xffffffffc0200400, "bpf_prog_fedcba9876543210_second", 0x300);
	ck_assert_int_eq(kernel_map_add_made(&map, 0xffffffffc0200300, 0x80, "bpf_prog_1_x"), 0);
	expect(0xffffffffc0200100, "bpf_prog_fedcba9876543210_second", 0);
	expect(0xffffffffc02002ff, "bpf_prog_fedcba9876543210_second", 0x1ff);
	expect(0xffffffffc0200300, "bpf_prog_1_x", 0);
	expect(0xffffffffc0200400, NULL, 0);
	kernel_map_remove_made(&map, 0xffffffffc0200300);
	expect(0xffffffffc0200100, "bpf_prog_fedcba9876543210_second", 0);
}
END_TEST

START_TEST(programs_come_and_go_by_records)
{
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	ck_assert_int_eq(kernel_map_add_made(&map, 0xffffffffc0400000, 0x80, "bpf_prog_1_x"), 0);
	expect(0xffffffffc040007f, "bpf_prog_1_x", 0x7f);
	expect(0xffffffffc0400080, NULL, 0);
	/* Another program in its place; the record of the first one's removal was lost. */
	ck_assert_int_eq(kernel_map_add_made(&map, 0xffffffffc0400040, 0x80, "bpf_prog_2_y"), 0);
	expect(0xffffffffc0400000, NULL, 0);
	expect(0xffffffffc0400040, "bpf_prog_2_y", 0);
	/* Loading kallsyms again does not change it. */
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	expect(0xffffffffc0400040, "bpf_prog_2_y", 0);
	kernel_map_remove_made(&map, 0xffffffffc0400041);
	expect(0xffffffffc0400040, "bpf_prog_2_y", 0);
	kernel_map_remove_made(&map, 0xffffffffc0400040);
	expect(0xffffffffc0400040, NULL, 0);
	/* Invalid sizes. */
	ck_assert_int_eq(kernel_map_add_made(&map, UINT64_MAX - 1, 0x80, "wraps"), 0);
	ck_assert_int_eq(kernel_map_add_made(&map, 0xffffffffc0500000, 0, "empty"), 0);
	expect(UINT64_MAX - 1, NULL, 0);
	expect(0xffffffffc0500000, NULL, 0);
}
END_TEST

static void note_gone(const struct kernel_range *range, void *context)
{
	strcat(context, range->image->image.path);
	strcat(context, " ");
}

START_TEST(a_load_tells_which_modules_went)
{
	char gone[256] = "";

	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	ck_assert_int_eq(kernel_map_load(&map, note_gone, gone), 0);
	ck_assert_str_eq(gone, "");
	fake_proc_print(&proc, "modules", "jbd2 8192 1 ext4, Live 0xffffffffc0101000 (OE)\n");
	fake_proc_print(&proc, "kallsyms", "ffffffff81000000 T _text\nffffffff81001000 T _etext\n");
	ck_assert_int_eq(kernel_map_load(&map, note_gone, gone), 0);
	ck_assert_str_eq(gone, "ext4 ");
	expect(0xffffffffc0100020, NULL, 0);
	expect(0xffffffffc0101000, "jbd2", 0);
}
END_TEST

START_TEST(unknown_addresses_do_not_make_it_load_all_the_time)
{
	unsigned int nr = 0;

	ck_assert(kernel_map_wants_load(&map, 1000000000));
	ck_assert(!kernel_map_wants_load(&map, 1999999999));
	ck_assert(kernel_map_wants_load(&map, 2000000000));
	kernel_map_load_helped(&map);
	ck_assert(kernel_map_wants_load(&map, 3000000000));
	/* An hour of addresses that are in no known range. */
	for (uint64_t time = 3; time < 3603; time++)
		nr += kernel_map_wants_load(&map, time * 1000000000);
	ck_assert_uint_lt(nr, 70);
	ck_assert_uint_gt(nr, 50);
}
END_TEST

/* ---- symbols ---- */

static void tell(uint64_t address)
{
	ck_assert_uint_ne(image_tell(kernel_map_find(&map, address)->image), OPROF_IMAGE_NONE);
}

/* Returns the text of the session's file for the image at address, or NULL if there is no file. */
static char *saved_text(uint64_t address)
{
	const struct image *image = &kernel_map_find(&map, address)->image->image;
	char path[256];
	char *text = NULL;

	snprintf(path, sizeof(path), "%s/meta/symbols/%016" PRIx64, proc.path,
		 sample_identity(&image->identity));
	(void)file_read_text(path, 1 << 20, &text, NULL);
	return text;
}

static void save(const struct vdso *vdso)
{
	char meta[128];

	snprintf(meta, sizeof(meta), "%s/meta", proc.path);
	ck_assert_int_eq(kernel_symbols_save(&images, vdso, proc.path, meta), 0);
}

static void expect_saved(uint64_t address, const char *expected)
{
	char *text = saved_text(address);

	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, expected);
	free(text);
}

static const char symbols_of_kernel[] = "oprof-kernel-symbols 1\n"
					"0 100 T _stext\n"
					"100 100 T global_alias\n"
					"200 100 T schedule\n"
					"300 40 t default_idle.cold\n"
					"340 4c0 T after_idle\n"
					"800 10 T __cpuidle_text_start\n"
					"810 f0 t some_new_idle\n"
					"900 100 T __cpuidle_text_end\n"
					"a00 40 t __psci_enter_domain_idle_state\n"
					"a40 40 T after_psci\n"
					"a80 40 t pvm_safe_halt_hc\n"
					"ac0 540 T handle_softirqs\n";
static const char symbols_of_ext4[] = "oprof-kernel-symbols 1\n"
				      "0 20 t ext4_first\n"
				      "20 fe0 T ext4_second\n";

START_TEST(symbols_of_what_was_told_are_kept)
{
	struct vdso none = {.nr_bytes = 0};

	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	save(&none);
	ck_assert_ptr_null(saved_text(0xffffffff81000000));
	tell(0xffffffff81000000);
	tell(0xffffffffc0100000);
	tell(0xffffffffc0200000);
	image_tell(map.idle);
	save(&none);
	expect_saved(0xffffffff81000000, symbols_of_kernel);
	expect_saved(0xffffffffc0100000, symbols_of_ext4);
	/* Programs are known by their names: no symbols are kept. */
	ck_assert_ptr_null(saved_text(0xffffffffc0200000));
	/* The next run of the daemon finds the files of this one. */
	images.saved_inode = 0;
	save(&none);
	expect_saved(0xffffffff81000000, symbols_of_kernel);
	expect_saved(0xffffffffc0100000, symbols_of_ext4);
}
END_TEST

/* Makes kallsyms a pipe with its lines. A second reader would wait forever. */
static pid_t tell_kallsyms_once(void)
{
	char path[256];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/kallsyms", proc.path);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		FILE *file = fopen(path, "w");

		_exit(!file || fputs(kallsyms, file) < 0 || fclose(file));
	}
	return pid;
}

START_TEST(symbols_of_many_modules_take_one_reading_of_kallsyms)
{
	struct vdso none = {.nr_bytes = 0};
	pid_t pid;
	char *text;
	int status;

	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	tell(0xffffffff81000000);
	tell(0xffffffffc0100000);
	tell(0xffffffffc0101000);
	image_tell(map.idle);
	pid = tell_kallsyms_once();
	save(&none);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	text = saved_text(0xffffffff81000000);
	ck_assert_ptr_nonnull(strstr(text, "T schedule\n"));
	free(text);
	text = saved_text(0xffffffffc0100000);
	ck_assert_ptr_nonnull(strstr(text, "T ext4_second\n"));
	free(text);
	text = saved_text(0xffffffffc0101000);
	ck_assert_str_eq(text, "oprof-kernel-symbols 1\n0 2000 t jbd2\n");
	free(text);
}
END_TEST

START_TEST(modules_of_one_size_without_build_ids_keep_their_own_symbols)
{
	struct vdso none = {.nr_bytes = 0};
	char *text;

	fake_proc_print(&proc, "modules",
			"one 4096 0 - Live 0xffffffffc0400000\n"
			"two 4096 0 - Live 0xffffffffc0500000\n");
	fake_proc_print(&proc, "kallsyms", "%s%s", kallsyms,
			"ffffffffc0400000 t in_one\t[one]\n"
			"ffffffffc0500000 t in_two\t[two]\n");
	ck_assert_int_eq(kernel_map_load(&map, NULL, NULL), 0);
	tell(0xffffffffc0400000);
	tell(0xffffffffc0500000);
	save(&none);
	text = saved_text(0xffffffffc0400000);
	ck_assert_str_eq(text, "oprof-kernel-symbols 1\n0 1000 t in_one\n");
	free(text);
	text = saved_text(0xffffffffc0500000);
	ck_assert_str_eq(text, "oprof-kernel-symbols 1\n0 1000 t in_two\n");
	free(text);
}
END_TEST

START_TEST(the_vdso_is_kept_and_is_an_elf_file)
{
	struct image_key key = {.kind = OPROF_IMAGE_VDSO, .path = "[vdso]"};
	struct vdso vdso;
	char path[256];
	size_t nr_bytes;
	char *bytes;

	ck_assert_int_eq(vdso_init(&vdso), 0);
	ck_assert_ptr_nonnull(vdso.bytes);
	ck_assert_mem_eq(vdso.bytes, "\177ELF", 4);
	ck_assert_uint_gt(vdso.identity.nr_build_id, 0);
	key.identity = &vdso.identity;
	image_tell(image_table_get(&images, &key));
	save(&vdso);
	snprintf(path, sizeof(path), "%s/meta/images/%016" PRIx64, proc.path,
		 sample_identity(&vdso.identity));
	ck_assert_int_eq(file_read_text(path, 1 << 20, &bytes, &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, vdso.nr_bytes);
	ck_assert_mem_eq(bytes, vdso.bytes, nr_bytes);
	free(bytes);
	vdso_deinit(&vdso);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel_map");
	TCase *tests = tcase_create("kernel_map");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, kernel_modules_and_programs_are_found_by_address);
	tcase_add_test(tests, identities_are_read_from_notes);
	tcase_add_test(tests, idle_routines_are_found_by_name_and_section);
	tcase_add_test(tests, idle_routines_of_all_hypervisors_and_machines_are_idle);
	tcase_add_test(tests, interrupts_of_an_idle_cpu_are_work);
	tcase_add_test(tests, hidden_addresses_make_one_image_of_the_kernel);
	tcase_add_test(tests, a_kernel_that_counts_the_end_of_its_code_as_data_is_not_hidden);
	tcase_add_test(tests, programs_come_and_go_by_records);
	tcase_add_test(tests, a_program_stays_when_another_is_made_close_behind_it);
	tcase_add_test(tests, a_load_tells_which_modules_went);
	tcase_add_test(tests, unknown_addresses_do_not_make_it_load_all_the_time);
	tcase_add_test(tests, symbols_of_what_was_told_are_kept);
	tcase_add_test(tests, symbols_of_many_modules_take_one_reading_of_kallsyms);
	tcase_add_test(tests, modules_of_one_size_without_build_ids_keep_their_own_symbols);
	tcase_add_test(tests, the_vdso_is_kept_and_is_an_elf_file);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
