// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sample_name.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 24;
}

static void set_path(struct sample_path *path, enum sample_path_kind kind, const char *text)
{
	memset(path, 0, sizeof(*path));
	path->kind = kind;
	(void)strcpy(path->path, text);
	if (kind == SAMPLE_PATH_ANON) {
		path->tgid = 17;
		path->start = 0x1000;
		path->end = 0x3000;
	}
}

static struct sample_name plain_name(void)
{
	struct sample_name name = {.event = "cpu-clock",
				   .period_or_hz = 100000,
				   .tgid = SAMPLE_NAME_ALL,
				   .tid = SAMPLE_NAME_ALL,
				   .cpu = SAMPLE_NAME_ALL,
				   .cgroup = SAMPLE_NAME_ALL,
				   .identity = 0x0123456789abcdef};

	set_path(&name.app, SAMPLE_PATH_ROOT, "/usr/bin/app");
	set_path(&name.image, SAMPLE_PATH_ROOT, "/usr/lib/libc.so.6");
	return name;
}

static void same_path(const struct sample_path *a, const struct sample_path *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_str_eq(a->path, b->path);
	if (a->kind != SAMPLE_PATH_ANON)
		return;
	ck_assert_int_eq(a->tgid, b->tgid);
	ck_assert_uint_eq(a->start, b->start);
	ck_assert_uint_eq(a->end, b->end);
}

static void same_name(const struct sample_name *a, const struct sample_name *b)
{
	same_path(&a->app, &b->app);
	same_path(&a->image, &b->image);
	ck_assert_str_eq(a->event, b->event);
	ck_assert_uint_eq(a->period_or_hz, b->period_or_hz);
	ck_assert_int_eq(a->frequency, b->frequency);
	ck_assert_uint_eq(a->unit_mask, b->unit_mask);
	ck_assert_int_eq(a->tgid, b->tgid);
	ck_assert_int_eq(a->tid, b->tid);
	ck_assert_int_eq(a->cpu, b->cpu);
	ck_assert_int_eq(a->cgroup, b->cgroup);
	ck_assert_uint_eq(a->identity, b->identity);
}

/* Writes a name, reads it back and compares; each component must be a valid file name. */
static void round_trip(const struct sample_name *name)
{
	char text[3 * PATH_MAX];
	struct sample_name back;
	struct diag diag;

	ck_assert_int_eq(sample_name_format(name, text, sizeof(text)), 0);
	ck_assert_msg(!sample_name_parse(text, &back, &diag), "%s", diag_show(&diag));
	same_name(name, &back);
	ck_assert(!back.app.hashed && !back.image.hashed);
	for (char *part = strtok(text, "/"); part; part = strtok(NULL, "/")) {
		ck_assert_uint_le(strlen(part), 255);
		ck_assert_str_ne(part, ".");
		ck_assert_str_ne(part, "..");
	}
}

static void formats_to(const struct sample_name *name, const char *wanted)
{
	char text[3 * PATH_MAX];

	ck_assert_int_eq(sample_name_format(name, text, sizeof(text)), 0);
	ck_assert_str_eq(text, wanted);
	round_trip(name);
}

START_TEST(names_look_as_the_header_says)
{
	struct sample_name name = plain_name();

	formats_to(&name, "{root}/usr/bin/app/{dep}/{root}/usr/lib/libc.so.6/"
			  "cpu-clock.100000.0.all.all.all.all.0123456789abcdef");
	name.frequency = true;
	name.period_or_hz = 997;
	name.unit_mask = 15;
	name.tgid = 1;
	name.tid = 2;
	name.cpu = 3;
	name.cgroup = 4;
	formats_to(&name, "{root}/usr/bin/app/{dep}/{root}/usr/lib/libc.so.6/"
			  "cpu-clock.997Hz.15.1.2.3.4.0123456789abcdef");
	set_path(&name.app, SAMPLE_PATH_KERN, "vmlinux");
	set_path(&name.image, SAMPLE_PATH_ANON, "[heap]");
	formats_to(&name, "{kern}/vmlinux/{dep}/{anon:[heap]}/17.0x1000.0x3000/"
			  "cpu-clock.997Hz.15.1.2.3.4.0123456789abcdef");
}
END_TEST

START_TEST(what_would_not_parse_back_is_escaped)
{
	struct sample_name name = plain_name();

	set_path(&name.app, SAMPLE_PATH_ROOT, "/a/{root}/100%/x\ny/{dep}/b{");
	set_path(&name.image, SAMPLE_PATH_KERN, "{idle}");
	(void)strcpy(name.event, "a.b");
	formats_to(&name, "{root}/a/%7Broot}/100%25/x%0Ay/%7Bdep}/b{/{dep}/{kern}/%7Bidle}/"
			  "a%2Eb.100000.0.all.all.all.all.0123456789abcdef");
	set_path(&name.image, SAMPLE_PATH_KERN, "..");
	round_trip(&name);
	set_path(&name.image, SAMPLE_PATH_ANON, "/memfd:{x}} (deleted)/%2F");
	round_trip(&name);
	set_path(&name.image, SAMPLE_PATH_ANON, "");
	round_trip(&name);
}
END_TEST

/* Makes a text of special and other bytes. */
static void random_text(char *text, size_t nr_max)
{
	static const char special[] = "{}%./~:a0\n\x7f\xff";
	const size_t nr = next_random() % nr_max;

	for (size_t i = 0; i < nr; i++) {
		if (next_random() % 2)
			text[i] = special[next_random() % (sizeof(special) - 1)];
		else
			text[i] = (char)(1 + next_random() % 255);
	}
	text[nr] = '\0';
}

/* Makes a possible path: without empty, "." or ".." components. */
static void random_root_path(char *path)
{
	size_t used = 0;

	for (uint64_t left = 1 + next_random() % 5; left; left--) {
		char part[40];

		random_text(part, sizeof(part));
		for (char *c = part; *c; c++)
			*c = *c == '/' ? 'x' : *c;
		if (!part[0] || !strcmp(part, ".") || !strcmp(part, ".."))
			(void)strcpy(part, "p");
		path[used++] = '/';
		(void)strcpy(path + used, part);
		used += strlen(part);
	}
}

static void random_path(struct sample_path *path)
{
	memset(path, 0, sizeof(*path));
	path->kind = (enum sample_path_kind)(next_random() % 3);
	if (path->kind == SAMPLE_PATH_ROOT) {
		random_root_path(path->path);
		return;
	}
	random_text(path->path, 60);
	if (path->kind == SAMPLE_PATH_KERN && !path->path[0])
		(void)strcpy(path->path, "k");
	if (path->kind == SAMPLE_PATH_KERN)
		return;
	path->tgid = next_random() % 3 ? (int64_t)next_random() : SAMPLE_NAME_ALL;
	path->start = next_random();
	path->end = path->start + 1 + next_random();
}

START_TEST(any_bytes_in_names_come_back)
{
	for (int round = 0; round < 20000; round++) {
		struct sample_name name = {.period_or_hz = next_random(),
					   .frequency = next_random() % 2,
					   .unit_mask = (uint32_t)next_random(),
					   .tgid = SAMPLE_NAME_ALL,
					   .tid = (int64_t)next_random(),
					   .cpu = (int64_t)next_random() % 64,
					   .cgroup = SAMPLE_NAME_ALL,
					   .identity = next_random() * next_random()};

		random_path(&name.app);
		random_path(&name.image);
		random_text(name.event, 20);
		if (!name.event[0])
			(void)strcpy(name.event, "e");
		round_trip(&name);
	}
}
END_TEST

START_TEST(long_components_are_cut_told_and_written_the_same_again)
{
	struct sample_name name = plain_name(), other, back;
	char text[3 * PATH_MAX], again[3 * PATH_MAX];
	char component[700];

	memset(component, _i % 2 ? '%' : 'n',
	       sizeof(component)); /* three bytes each when escaped, or one */
	component[_i] = '\0';
	if (_i / 2 % 3 == 0) {
		set_path(&name.image, SAMPLE_PATH_ROOT, "/usr/");
		(void)strcat(name.image.path, component);
		(void)strcat(name.image.path, "/short");
	} else {
		set_path(&name.image, _i / 2 % 3 == 1 ? SAMPLE_PATH_KERN : SAMPLE_PATH_ANON,
			 component);
	}
	ck_assert_int_eq(sample_name_format(&name, text, sizeof(text)), 0);
	ck_assert_int_eq(sample_name_parse(text, &back, NULL), 0);
	ck_assert(back.image.hashed == (strcmp(back.image.path, name.image.path) != 0));
	ck_assert_int_eq(sample_name_format(&back, again, sizeof(again)), 0);
	ck_assert_str_eq(text, again);
	/* Another name with the same beginning must get another file. */
	other = name;
	other.image.path[strlen(other.image.path) - 1] ^= 1;
	ck_assert_int_eq(sample_name_format(&other, again, sizeof(again)), 0);
	ck_assert_str_ne(text, again);
	for (char *part = strtok(text, "/"); part; part = strtok(NULL, "/"))
		ck_assert_uint_le(strlen(part), 255);
}
END_TEST

START_TEST(paths_that_cannot_be_are_not_written)
{
	static const char *const bad[] = {"",	   "relative", "/",	"//a", "/a/",
					  "/a//b", "/a/./b",   "/a/..", "/."};
	char text[3 * PATH_MAX];
	struct sample_name name = plain_name();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set_path(&name.app, SAMPLE_PATH_ROOT, bad[i]);
		ck_assert_int_eq(sample_name_format(&name, text, sizeof(text)), -EINVAL);
	}
	name = plain_name();
	set_path(&name.image, SAMPLE_PATH_KERN, "");
	ck_assert_int_eq(sample_name_format(&name, text, sizeof(text)), -EINVAL);
	set_path(&name.image, SAMPLE_PATH_ANON, "x");
	name.image.end = name.image.start;
	ck_assert_int_eq(sample_name_format(&name, text, sizeof(text)), -EINVAL);
	name = plain_name();
	name.tgid = -2;
	ck_assert_int_eq(sample_name_format(&name, text, sizeof(text)), -EINVAL);
	name = plain_name();
	name.event[0] = '\0';
	ck_assert_int_eq(sample_name_format(&name, text, sizeof(text)), -EINVAL);
}
END_TEST

START_TEST(too_little_room_is_told_at_every_size)
{
	struct sample_name name = plain_name();
	char text[PATH_MAX];
	size_t nr_bytes;

	ck_assert_int_eq(sample_name_format(&name, text, sizeof(text)), 0);
	nr_bytes = strlen(text) + 1;
	ck_assert_int_eq(sample_name_format(&name, text, nr_bytes), 0);
	for (size_t room = 0; room < nr_bytes; room++)
		ck_assert_int_eq(sample_name_format(&name, text, room), -ENAMETOOLONG);
}
END_TEST

#define TAIL "/e.1.0.all.all.all.all.0123456789abcdef"
static const struct {
	const char *text, *says;
} refused[] = {
	{"", "only one part"},
	{"e.1.0.all.all.all.all.0123456789abcdef", "only one part"},
	{"{root}" TAIL, "no path"},
	{"{root}/a" TAIL, "expected {dep}"},
	{"{root}/a/{dep}" TAIL, "expected"},
	{"{root}/a/{dep}/{root}" TAIL, "no path"},
	{"/{root}/a/{dep}/{root}/b" TAIL, "expected"},
	{"{root}/a/{dep}/{root}/b/{dep}/{root}/c" TAIL, "one part too many"},
	{"{root}/a/{dep}/{kern}/b/c" TAIL, "one part too many"},
	{"{cg}/a/{dep}/{root}/b" TAIL, "{cg}"},
	{"{root}/a/{dep}/{anon:x}/1.0x1.0x2/y" TAIL, "one part too many"},
	{"{root}/a/{dep}/{anon:x}/1.0x1" TAIL, "end of an anonymous region"},
	{"{root}/a/{dep}/{anon:x}/q.0x1.0x2" TAIL, "tgid of an anonymous region"},
	{"{root}/a/{dep}/{anon:x}/1.0x2.0x1" TAIL, "not in the form"},
	{"{root}/a/{dep}/{anon:x/1.0x1.0x2" TAIL, "'}'"},
	{"{root}/a/{dep}/{root}/b/e.1.0.all.all.all.0123456789abcdef", "7 fields"},
	{"{root}/a/{dep}/{root}/b/e.1.0.all.all.all.all.all.0123456789abcdef", "9 fields"},
	{"{root}/a/{dep}/{root}/b/.1.0.all.all.all.all.0123456789abcdef", "no event"},
	{"{root}/a/{dep}/{root}/b/e.x.0.all.all.all.all.0123456789abcdef", "count"},
	{"{root}/a/{dep}/{root}/b/e.-1.0.all.all.all.all.0123456789abcdef", "count"},
	{"{root}/a/{dep}/{root}/b/e.1.4294967296.all.all.all.all.0123456789abcdef", "unit mask"},
	{"{root}/a/{dep}/{root}/b/e.1.0.ALL.all.all.all.0123456789abcdef", "tgid"},
	{"{root}/a/{dep}/{root}/b/e.1.0.all..all.all.0123456789abcdef", "tid"},
	{"{root}/a/{dep}/{root}/b/e.1.0.all.all.-1.all.0123456789abcdef", "CPU"},
	{"{root}/a/{dep}/{root}/b/e.1.0.all.all.all.1x.0123456789abcdef", "cgroup"},
	{"{root}/a/{dep}/{root}/b/e.1.0.all.all.all.all.0123456789abcdeg", "identity"},
	{"{root}/a/{dep}/{root}/b/e.1.0.all.all.all.all.123456789abcdef", "not in the form"},
	{"{root}/a/{dep}/{root}/b/e.01.0.all.all.all.all.0123456789abcdef", "not in the form"},
	{"{root}/a/{dep}/{root}/b/e. 1.0.all.all.all.all.0123456789abcdef", "not in the form"},
	{"{root}/a/{dep}/{root}/b%" TAIL, "escape"},
	{"{root}/a/{dep}/{root}/b%2" TAIL, "escape"},
	{"{root}/a/{dep}/{root}/b%00" TAIL, "escape"},
	{"{root}/a/{dep}/{root}/b%2f" TAIL, "escape"},
	{"{root}/a/{dep}/{root}/b%2F" TAIL, "not in the form"},
	{"{root}/a/{dep}/{root}/%41" TAIL, "not in the form"},
	{"{root}/a/{dep}/{root}/b\n" TAIL, "not in the form"},
	{"{root}/a//b/{dep}/{root}/b" TAIL, "not in the form"},
	{"{root}/../{dep}/{root}/b" TAIL, "not in the form"},
};

START_TEST(what_is_not_as_we_write_it_is_refused_and_named)
{
	struct sample_name name;
	struct diag diag;

	diag_clear(&diag);
	ck_assert_int_eq(sample_name_parse(refused[_i].text, &name, &diag), -EINVAL);
	ck_assert_str_eq(diag.file, refused[_i].text);
	ck_assert_msg(strstr(diag.text, refused[_i].says), "\"%s\" lacks \"%s\"", diag.text,
		      refused[_i].says);
}
END_TEST

START_TEST(paths_longer_than_a_struct_are_refused)
{
	char *text = malloc(20000);
	struct sample_name name;

	ck_assert_ptr_nonnull(text);
	(void)strcpy(text, "{root}");
	for (int i = 0; i < 3000; i++)
		(void)strcat(text, "/xyz");
	(void)strcat(text, "/{dep}/{root}/b" TAIL);
	ck_assert_int_eq(sample_name_parse(text, &name, NULL), -EINVAL);
	free(text);
}
END_TEST

START_TEST(an_identity_is_the_build_id_people_see_or_of_every_part_of_a_file)
{
	struct oprof_image_identity image = {.build_id = {0xab, 0xcd, 0xef, 1, 2, 3, 4, 5, 6},
					     .nr_build_id = 20};
	uint64_t identity;

	ck_assert_uint_eq(sample_identity(&image), 0xabcdef0102030405);
	image.nr_build_id = 3;
	ck_assert_uint_eq(sample_identity(&image), 0xabcdef0000000000);
	image = (struct oprof_image_identity){.dev = 1, .inode = 2};
	identity = sample_identity(&image);
	image.inode_generation = 1;
	ck_assert_uint_ne(sample_identity(&image), identity);
	image = (struct oprof_image_identity){.dev = 2, .inode = 1};
	ck_assert_uint_ne(sample_identity(&image), identity);
	image = (struct oprof_image_identity){.dev = 1, .inode = 2, .mtime_ns = 1};
	ck_assert_uint_ne(sample_identity(&image), identity);
	image = (struct oprof_image_identity){.dev = 1, .inode = 2, .size_bytes = 1};
	ck_assert_uint_ne(sample_identity(&image), identity);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sample_name");
	TCase *tests = tcase_create("name");

	tcase_add_test(tests, names_look_as_the_header_says);
	tcase_add_test(tests, what_would_not_parse_back_is_escaped);
	tcase_add_test(tests, any_bytes_in_names_come_back);
	tcase_add_loop_test(tests, long_components_are_cut_told_and_written_the_same_again, 70, 86);
	tcase_add_loop_test(tests, long_components_are_cut_told_and_written_the_same_again, 230,
			    260);
	tcase_add_loop_test(tests, long_components_are_cut_told_and_written_the_same_again, 600,
			    606);
	tcase_add_test(tests, paths_that_cannot_be_are_not_written);
	tcase_add_test(tests, too_little_room_is_told_at_every_size);
	tcase_add_loop_test(tests, what_is_not_as_we_write_it_is_refused_and_named, 0,
			    sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tests, paths_longer_than_a_struct_are_refused);
	tcase_add_test(tests, an_identity_is_the_build_id_people_see_or_of_every_part_of_a_file);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
