// SPDX-License-Identifier: GPL-2.0-or-later
/* Archives: all entries come back unchanged, and an archive made by others may contain anything. */
#include "lib/file.h"
#include "libdb/slice/slice.h"
#include "pp/archive/archive_content.h"
#include "pp/session/archive_reader.h"
#include "pp/session/archive_unpack.h"
#include "pp/archive/archive_slices.h"
#include "pp/archive/archive_writer.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/test_folder.h"

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct diag diag;

static void add_text(struct archive_writer *writer, const char *name, const char *text)
{
	ck_assert_int_eq(archive_writer_add_bytes(writer, name, text, strlen(text), &diag), 0);
}

static void make_archive(const char *path, const char *manifest)
{
	struct archive_writer *writer;

	ck_assert_int_eq(archive_writer_open(&writer, path, &diag), 0);
	add_text(writer, "usr/bin/x", "a program");
	if (manifest)
		add_text(writer, ARCHIVE_MANIFEST, manifest);
	ck_assert_int_eq(archive_writer_finish(writer, &diag), 0);
	archive_writer_close(writer);
}

static void assert_text(const char *root, const char *name, const char *expected)
{
	char path[PATH_MAX];
	char *text;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	ck_assert_int_eq(file_read_text(path, 100, &text, NULL), 0);
	ck_assert_str_eq(text, expected);
	free(text);
}

static void assert_opens(const char *path, const char *below)
{
	struct archive_place place;

	ck_assert_int_eq(archive_place_open(&place, path, &diag), 0);
	assert_text(place.root, "usr/bin/x", "a program");
	ck_assert_ptr_nonnull(strstr(place.session_dir, "/var/lib/x"));
	ck_assert(!place.partial);
	ck_assert_ptr_eq(strstr(place.root, below), place.root);
	archive_place_deinit(&place);
}

static int unpack(const char *path, const char *folder)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const int error = archive_unpack(fd, path, folder, &archive_default_limits, &diag);

	ck_assert_int_eq(close(fd), 0);
	return error;
}

START_TEST(what_goes_in_comes_out_of_a_folder_and_of_a_file)
{
	static const char manifest[] = ARCHIVE_MANIFEST " 1\nsession_dir var/lib/x\nwhole 1\n";

	make_archive("folder", manifest);
	assert_opens("folder", "");
	make_archive("file.tar.zst", manifest);
	ck_assert_int_ne(access("file.tar.zst.tmp", F_OK), 0);
	ck_assert_int_eq(setenv("TMPDIR", "", 1), 0);
	assert_opens("file.tar.zst", "/tmp/");
	ck_assert_int_eq(unsetenv("TMPDIR"), 0);
	assert_opens("file.tar.zst", "/tmp/");
}
END_TEST

static int unpack_within(const struct archive_limits *limits)
{
	int fd = open("made.tar.zst", O_RDONLY | O_CLOEXEC);
	int error;

	ck_assert_int_eq(mkdir("in", 0700), 0);
	error = archive_unpack(fd, "made.tar.zst", "in", limits, &diag);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(file_remove_tree("in"), 0);
	return error;
}

static void assert_beyond(const struct archive_limits *limits, const struct archive_extent *extent)
{
	char what[ARCHIVE_EXCESS_BYTES];

	ck_assert(!archive_is_within(limits, extent, what));
	ck_assert_int_eq(unpack_within(limits), -EFBIG);
	ck_assert_ptr_nonnull(strstr(diag.text, what));
}

START_TEST(the_writer_counts_what_the_limits_of_reports_count)
{
	static const char *const names[] = {"top", "a/b/one", "a/c/d/two", "a/b/three"};
	struct archive_limits limits = archive_default_limits;
	struct archive_writer *writer;
	struct archive_extent extent;
	char what[ARCHIVE_EXCESS_BYTES];

	ck_assert_int_eq(archive_writer_open(&writer, "made.tar.zst", &diag), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_text(writer, names[i], "12345");
	ck_assert_int_eq(archive_writer_finish(writer, &diag), 0);
	ck_assert(archive_writer_extent(writer, &extent));
	archive_writer_close(writer);
	ck_assert_uint_eq(extent.nr, 8);
	limits.nr_max = extent.nr;
	limits.depth_max = extent.depth;
	limits.ratio = 1;
	limits.free_bytes = extent.nr_bytes - extent.compressed;
	ck_assert(archive_is_within(&limits, &extent, what));
	ck_assert_int_eq(unpack_within(&limits), 0);
	limits.nr_max--;
	assert_beyond(&limits, &extent);
	limits.nr_max++;
	limits.depth_max--;
	assert_beyond(&limits, &extent);
	limits.depth_max++;
	limits.free_bytes--;
	assert_beyond(&limits, &extent);
	ck_assert_int_eq(archive_writer_open(&writer, "folder", &diag), 0);
	ck_assert(!archive_writer_extent(writer, &extent));
	archive_writer_close(writer);
}
END_TEST

START_TEST(a_folder_that_holds_something_is_not_written_to)
{
	struct archive_writer *writer;

	ck_assert_int_eq(mkdir("full", 0700), 0);
	ck_assert_int_eq(mkdir("full/of", 0700), 0);
	ck_assert_int_eq(archive_writer_open(&writer, "full", &diag), -EEXIST);
	ck_assert_ptr_nonnull(strstr(diag.text, "not empty"));
	ck_assert_int_eq(access("full/of", F_OK), 0);
}
END_TEST

START_TEST(what_was_given_up_leaves_nothing)
{
	static const char *const paths[] = {"given-up", "given-up.tar.zst"};
	struct archive_writer *writer;
	glob_t left;

	for (size_t i = 0; i < 4; i++) {
		if (i == 2)
			(void)close(STDIN_FILENO); /* a file then gets its number */
		ck_assert_int_eq(archive_writer_open(&writer, paths[i % 2], &diag), 0);
		add_text(writer, "a/b", "text");
		archive_writer_close(writer);
		ck_assert_int_eq(glob("given-up*", 0, NULL, &left), GLOB_NOMATCH);
	}
}
END_TEST

START_TEST(what_was_given_up_leaves_folders_that_were_there_and_what_others_put_there)
{
	struct archive_writer *writer;

	ck_assert_int_eq(mkdir("there", 0700), 0);
	ck_assert_int_eq(archive_writer_open(&writer, "there", &diag), 0);
	add_text(writer, "a/b/c", "text");
	add_text(writer, "a/d", "text");
	ck_assert_int_eq(mkdir("there/other", 0700), 0);
	archive_writer_close(writer);
	ck_assert_int_ne(access("there/a", F_OK), 0);
	ck_assert_int_eq(access("there/other", F_OK), 0);

	ck_assert_int_eq(archive_writer_open(&writer, "there/x/y/z/", &diag), 0);
	add_text(writer, "a/b", "text");
	archive_writer_close(writer);
	ck_assert_int_ne(access("there/x", F_OK), 0);
	ck_assert_int_eq(rmdir("there/other"), 0);
	ck_assert_int_eq(archive_writer_open(&writer, "there", &diag), 0);
	archive_writer_close(writer);
	ck_assert_int_eq(access("there", F_OK), 0);
}
END_TEST

START_TEST(what_is_no_archive_is_refused_by_its_name)
{
	struct archive_place place;
	FILE *file = fopen("text", "we");

	ck_assert_ptr_nonnull(file);
	(void)fputs("no archive at all\n", file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(archive_place_open(&place, "text", &diag), -EILSEQ);
	ck_assert_str_eq(diag.file, "text");
	ck_assert_int_eq(archive_place_open(&place, "missing", &diag), -ENOENT);
	ck_assert_int_eq(mkdir("empty", 0700), 0);
	ck_assert_int_eq(archive_place_open(&place, "empty", &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, ARCHIVE_MANIFEST));
	make_archive("newer", ARCHIVE_MANIFEST " 2\nsession_dir x\n");
	ck_assert_int_eq(archive_place_open(&place, "newer", &diag), -EPROTONOSUPPORT);
	make_archive("odd", ARCHIVE_MANIFEST " one\n");
	ck_assert_int_eq(archive_place_open(&place, "odd", &diag), -EINVAL);
}
END_TEST

/* A tar with one entry, as another program may have made it. */
static void make_tar(const char *name, unsigned int type, const char *link)
{
	struct archive *tar = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	ck_assert_int_eq(archive_write_set_format_pax_restricted(tar), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open_filename(tar, "hostile.tar.zst"), ARCHIVE_OK);
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, 04755);
	archive_entry_set_size(entry, type == AE_IFREG && !link ? 4 : 0);
	if (link && type == AE_IFLNK)
		archive_entry_set_symlink(entry, link);
	else if (link)
		archive_entry_set_hardlink(entry, link);
	ck_assert_int_eq(archive_write_header(tar, entry), ARCHIVE_OK);
	if (type == AE_IFREG && !link)
		ck_assert_int_eq(archive_write_data(tar, "evil", 4), 4);
	archive_entry_free(entry);
	ck_assert_int_eq(archive_write_free(tar), ARCHIVE_OK);
}

START_TEST(entries_that_lead_out_of_it_are_refused)
{
	static const struct {
		const char *name;
		unsigned int type;
		const char *link;
	} entries[] = {
		{"../outside", AE_IFREG, NULL},	   {"a/../../outside", AE_IFREG, NULL},
		{"/outside", AE_IFREG, NULL},	   {"link", AE_IFLNK, "/etc/passwd"},
		{"hard", AE_IFREG, "/etc/passwd"}, {"fifo", AE_IFIFO, NULL},
		{"dev", AE_IFCHR, NULL},
	};

	ck_assert_int_eq(mkdir("in", 0700), 0);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		make_tar(entries[i].name, entries[i].type, entries[i].link);
		ck_assert_int_eq(unpack("hostile.tar.zst", "in"), -EILSEQ);
		ck_assert_int_eq(rmdir("in"), 0); /* "in" is empty */
		ck_assert_int_eq(mkdir("in", 0700), 0);
		ck_assert_int_ne(access("outside", F_OK), 0);
	}
	make_tar("harmless/..name", AE_IFREG, NULL);
	ck_assert_int_eq(unpack("hostile.tar.zst", "in"), 0);
	assert_text("in", "harmless/..name", "evil");
}
END_TEST

START_TEST(entries_with_names_that_no_file_may_have_are_refused_by_their_name)
{
	static char name[2 * PATH_MAX];

	ck_assert_int_eq(mkdir("in", 0700), 0);
	memset(name, 'n', NAME_MAX + 1);
	make_tar(name, AE_IFREG, NULL);
	ck_assert_int_eq(unpack("hostile.tar.zst", "in"), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag.text, "nnnnn"));
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = i % 100 ? 'n' : i ? '/' : 'm';
	make_tar(name, AE_IFREG, NULL);
	ck_assert_int_eq(unpack("hostile.tar.zst", "in"), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag.text, "mnnn"));
	ck_assert_int_eq(rmdir("in"), 0);
}
END_TEST

static int open_with_manifest(const char *manifest)
{
	struct archive_place place;
	int error;

	make_archive("archive", manifest);
	error = archive_place_open(&place, "archive", &diag);
	if (!error)
		archive_place_deinit(&place);
	ck_assert_int_eq(file_remove_tree("archive"), 0);
	return error;
}

START_TEST(a_manifest_that_leads_out_of_it_is_refused)
{
	static char text[2 * PATH_MAX] = ARCHIVE_MANIFEST " 1\nsession_dir ";
	size_t nr = strlen(text);

	ck_assert_int_eq(open_with_manifest(ARCHIVE_MANIFEST " 1\nsession_dir a..b/c\n"), 0);
	ck_assert_int_eq(open_with_manifest(ARCHIVE_MANIFEST " 1\nsession_dir ../x\n"), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag.text, "folder of sessions"));
	ck_assert_str_eq(diag.file, "archive");
	ck_assert_int_eq(open_with_manifest(ARCHIVE_MANIFEST " 1\nsession_dir a/..\n"), -EILSEQ);
	ck_assert_int_eq(open_with_manifest(ARCHIVE_MANIFEST " 1\nsession_dir /etc\n"), -EILSEQ);
	ck_assert_int_eq(open_with_manifest(ARCHIVE_MANIFEST " 1\n"), -EILSEQ);
	for (; nr < sizeof(text) - 2; nr++)
		text[nr] = nr % 100 ? 'd' : '/';
	ck_assert_int_eq(open_with_manifest(text), -EILSEQ);
}
END_TEST

START_TEST(a_folder_with_links_or_pipes_is_refused_by_their_name)
{
	static const char manifest[] = ARCHIVE_MANIFEST " 1\nsession_dir var/lib/x\nwhole 1\n";
	struct archive_place place;

	make_archive("folder", manifest);
	ck_assert_int_eq(symlink("folder", "link"), 0);
	assert_opens("link", ""); /* links on the user's path to the archive are followed */
	ck_assert_int_eq(symlink("/etc/passwd", "folder/usr/bin/y"), 0);
	ck_assert_int_eq(archive_place_open(&place, "folder", &diag), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag.text, "/usr/bin/y"));
	ck_assert_int_eq(unlink("folder/usr/bin/y"), 0);
	ck_assert_int_eq(symlink("nowhere", "folder/usr/lib"), 0);
	ck_assert_int_eq(archive_place_open(&place, "folder", &diag), -EILSEQ);
	ck_assert_int_eq(unlink("folder/usr/lib"), 0);
	ck_assert_int_eq(mkfifo("folder/usr/pipe", 0600), 0);
	ck_assert_int_eq(archive_place_open(&place, "folder", &diag), -EILSEQ);
	ck_assert_int_eq(unlink("folder/usr/pipe"), 0);
	assert_opens("folder", "");
	ck_assert_int_eq(unlink("folder/" ARCHIVE_MANIFEST), 0);
	ck_assert_int_eq(mkfifo("folder/" ARCHIVE_MANIFEST, 0600), 0);
	ck_assert_int_eq(archive_place_open(&place, "folder", &diag), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag.text, ARCHIVE_MANIFEST));
}
END_TEST

/* Called through the linker's --wrap. */
static bool no_pipe, no_fork;

int __real_pipe2(int ends[2], int flags);
int __wrap_pipe2(int ends[2], int flags);
pid_t __real_fork(void);
pid_t __wrap_fork(void);

int __wrap_pipe2(int ends[2], int flags)
{
	if (!no_pipe)
		return __real_pipe2(ends, flags);
	errno = EMFILE;
	return -1;
}

pid_t __wrap_fork(void)
{
	if (!no_fork)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

START_TEST(an_archive_whose_folder_nobody_would_remove_is_not_unpacked)
{
	char *before = strdup(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	struct archive_place place;

	make_archive("file.tar.zst", ARCHIVE_MANIFEST " 1\nsession_dir var/lib/x\n");
	ck_assert_int_eq(mkdir("tmp", 0700), 0);
	ck_assert_int_eq(setenv("TMPDIR", "tmp", 1), 0);
	no_pipe = true;
	ck_assert_int_eq(archive_place_open(&place, "file.tar.zst", &diag), -EMFILE);
	ck_assert_ptr_nonnull(strstr(diag.text, "cannot start the process that removes"));
	no_pipe = false;
	no_fork = true;
	ck_assert_int_eq(archive_place_open(&place, "file.tar.zst", &diag), -EAGAIN);
	ck_assert_ptr_nonnull(strstr(diag.text, "cannot start the process that removes"));
	no_fork = false;
	ck_assert_int_eq(rmdir("tmp"), 0);
	ck_assert_int_eq(archive_place_open(&place, "file.tar.zst", &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "cannot unpack the archive here"));
	ck_assert_int_eq(setenv("TMPDIR", before, 1), 0);
	free(before);
}
END_TEST

START_TEST(names_of_any_bytes_come_back)
{
	static const char name[] = "usr/bin/\xc3\xa4 \xff\t";
	struct archive_writer *writer;

	ck_assert_int_eq(archive_writer_open(&writer, "bytes.tar.zst", &diag), 0);
	add_text(writer, name, "a program");
	ck_assert_int_eq(archive_writer_finish(writer, &diag), 0);
	archive_writer_close(writer);
	ck_assert_int_eq(mkdir("in", 0700), 0);
	ck_assert_int_eq(unpack("bytes.tar.zst", "in"), 0);
	assert_text("in", name, "a program");
}
END_TEST

START_TEST(modes_of_others_are_not_taken)
{
	struct stat st;

	ck_assert_int_eq(mkdir("in", 0700), 0);
	make_tar("program", AE_IFREG, NULL);
	ck_assert_int_eq(unpack("hostile.tar.zst", "in"), 0);
	ck_assert_int_eq(stat("in/program", &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

/* The mode of the archive's first entry. */
static unsigned int mode_in_tar(const char *path)
{
	struct archive *tar = archive_read_new();
	struct archive_entry *entry;
	unsigned int mode;

	ck_assert_ptr_nonnull(tar);
	ck_assert_int_eq(archive_read_support_format_tar(tar), ARCHIVE_OK);
	ck_assert_int_eq(archive_read_support_filter_zstd(tar), ARCHIVE_OK);
	ck_assert_int_eq(archive_read_open_filename(tar, path, 512), ARCHIVE_OK);
	ck_assert_int_eq(archive_read_next_header(tar, &entry), ARCHIVE_OK);
	mode = archive_entry_perm(entry);
	(void)archive_read_free(tar);
	return mode;
}

START_TEST(nobody_else_may_change_what_goes_in)
{
	static const char *const archives[] = {"modes", "modes.tar.zst"};
	struct archive_writer *writer;
	struct stat st;
	int fd = open("open_to_all", O_RDWR | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fchmod(fd, 0777), 0);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(archive_writer_open(&writer, archives[i], &diag), 0);
		ck_assert_int_eq(archive_writer_add_fd(writer, "program", fd, &diag), 0);
		ck_assert_int_eq(archive_writer_finish(writer, &diag), 0);
		archive_writer_close(writer);
	}
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(stat("modes/program", &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
	ck_assert_uint_eq(mode_in_tar("modes.tar.zst"), 0755);
}
END_TEST

/* ---- slices of a selection ---- */

#define SECOND_NS INT64_C(1000000000)

struct sum {
	uint64_t nr_samples;
	unsigned int nr_slices;
};

static int add_up(void *context, const char *name, int fd, struct diag *why)
{
	struct sum *sum = context;
	struct slice *slice;
	struct stat st;

	ck_assert_ptr_nonnull(strstr(name, ".slice"));
	ck_assert_int_eq(fstat(fd, &st), 0);
	/* Only the owner may access it, and it is not executable. */
	ck_assert_uint_eq(st.st_mode & 0177, 0);
	ck_assert_int_eq(slice_open_fd(&slice, dup(fd), name, why), 0);
	sum->nr_samples += slice_header(slice)->nr_samples + slice_header(slice)->nr_idle;
	sum->nr_slices++;
	slice_close(slice);
	return 0;
}

static void skip(const char *path, const struct diag *why)
{
	ck_abort_msg("%s: %s", path, why->text);
}

static struct sum sum_of(const struct make_session *session, const char *word)
{
	const struct selection_options options = {.session_dir = session->dir, .merge = MERGE_ALL};
	struct selection selection;
	struct sum sum = {0};
	struct spec spec;

	ck_assert_int_eq(spec_parse(&spec, &word, word ? 1 : 0, 0, &diag), 0);
	ck_assert_int_eq(selection_make(&selection, &spec, 1, &options, skip, &diag), 0);
	ck_assert_int_eq(archive_slices_make(&selection, 0, add_up, &sum, skip, &diag), 0);
	selection_deinit(&selection);
	spec_deinit(&spec);
	return sum;
}

START_TEST(slices_hold_what_was_selected_and_no_more)
{
	struct make_session session;
	const struct make_slice_head head = {
		.epoch_first = 1, .epoch_last = 1, .begin_ns = SECOND_NS, .end_ns = 2 * SECOND_NS};
	const struct make_slice_part parts[] = {
		{.file = {.app = "/bin/x"}, .key = 16, .nr_samples = 3},
		{.file = {.app = "/bin/y"}, .key = 16, .nr_samples = 40},
	};
	const struct make_file live = {.app = "/bin/x", .epoch = 2, .flags = OPROF_SDB_EPOCHS};
	struct sum sum;

	make_session_init(&session);
	make_session_slice(&session, &head, parts, 2, NULL);
	make_session_add_one(&session, &live, 32, 500);
	sum = sum_of(&session, NULL);
	ck_assert_uint_eq(sum.nr_samples, 543);
	ck_assert_uint_eq(sum.nr_slices, 2);
	sum = sum_of(&session, "image:/bin/x");
	ck_assert_uint_eq(sum.nr_samples, 503);
	sum = sum_of(&session, "image:/bin/y");
	ck_assert_uint_eq(sum.nr_samples, 40);
	ck_assert_uint_eq(sum.nr_slices, 1);
	make_session_deinit(&session);
}
END_TEST

static int take_live_info(void *context, const char *name, int fd, struct diag *why)
{
	const char *const *host = context;
	struct slice *slice;

	ck_assert_int_eq(slice_open_fd(&slice, dup(fd), name, why), 0);
	ck_assert_str_eq(slice_info(slice)->host, *host);
	ck_assert_str_ne(slice_info(slice)->cpu_type, "");
	ck_assert_int_eq(slice_info(slice)->first_sample_ns, SECOND_NS);
	ck_assert_int_eq(slice_info(slice)->last_sample_ns, 9 * SECOND_NS);
	slice_close(slice);
	return 0;
}

/* The slice names the machine, and its time is from the first to the last sample of all files. */
START_TEST(the_slice_of_live_files_says_whence_and_of_when_they_are)
{
	static const struct make_file files[] = {
		{.app = "/bin/x",
		 .host = "there",
		 .start_time_ns = 2 * SECOND_NS,
		 .end_time_ns = 9 * SECOND_NS},
		{.app = "/bin/y",
		 .host = "there",
		 .start_time_ns = SECOND_NS,
		 .end_time_ns = 3 * SECOND_NS},
		{.app = "/bin/z",
		 .host = "there",
		 .start_time_ns = 4 * SECOND_NS,
		 .end_time_ns = 5 * SECOND_NS},
	};
	const char *word = NULL, *host = "there";
	struct selection_options options = {.merge = MERGE_ALL};
	struct make_session session;
	struct selection selection;
	struct spec spec;

	make_session_init(&session);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_session_add_one(&session, &files[i], 32, 5);
	options.session_dir = session.dir;
	ck_assert_int_eq(spec_parse(&spec, &word, 0, 0, &diag), 0);
	ck_assert_int_eq(selection_make(&selection, &spec, 1, &options, skip, &diag), 0);
	ck_assert_int_eq(archive_slices_make(&selection, 0, take_live_info, &host, skip, &diag), 0);
	selection_deinit(&selection);
	spec_deinit(&spec);
	make_session_deinit(&session);
}
END_TEST

/* ---- stacks ---- */

/* Stacks of a library and of the kernel below it on behalf of x, filed under these images. */
static void make_kernel_stacks(struct stack_tree *tree)
{
	const struct slice_section root = {.app = {.path = "/bin/x"},
					   .event = "cpu-clock",
					   .period_or_hz = 1000000,
					   .flags = OPROF_STACK_BY_IMAGE,
					   .tgid = SAMPLE_NAME_ALL,
					   .tid = SAMPLE_NAME_ALL,
					   .cpu = SAMPLE_NAME_ALL};
	const struct stack_image kernel = {.path = {.kind = SAMPLE_PATH_KERN, .path = "vmlinux"},
					   .kind = OPROF_IMAGE_KERNEL};
	const struct stack_image library = {.path = {.path = "/lib/z.so"},
					    .kind = OPROF_IMAGE_FILE};
	int64_t top = stack_tree_root(tree, &root);
	int64_t image = stack_tree_image(tree, &library);
	int64_t outer = stack_tree_child(tree, (uint32_t)top, (uint32_t)image, 24);
	int64_t node;

	image = stack_tree_image(tree, &kernel);
	node = stack_tree_child(tree, (uint32_t)outer, (uint32_t)image, 8);
	ck_assert(node >= 0);
	stack_tree_add(tree, (uint32_t)outer, 7000, 7000 * UINT64_C(1000000));
	stack_tree_add(tree, (uint32_t)node, 500, 500 * UINT64_C(1000000));
}

static void make_stacks(struct stack_tree *tree)
{
	static const char *const apps[] = {"/bin/x", "/bin/y"};

	ck_assert_int_eq(stack_tree_init(tree), 0);
	make_kernel_stacks(tree);
	for (unsigned int i = 0; i < 2; i++) {
		const struct slice_section root = {.app = {.path = apps[i]},
						   .event = "cpu-clock",
						   .period_or_hz = 1000000,
						   .tgid = SAMPLE_NAME_ALL,
						   .tid = SAMPLE_NAME_ALL,
						   .cpu = SAMPLE_NAME_ALL};
		const struct stack_image image = {.path = {.path = apps[i]},
						  .kind = OPROF_IMAGE_FILE};
		int64_t top = stack_tree_root(tree, &root);
		int64_t file = stack_tree_image(tree, &image);
		int64_t outer = stack_tree_child(tree, (uint32_t)top, (uint32_t)file, 8);
		int64_t inner = stack_tree_child(tree, (uint32_t)outer, (uint32_t)file, 16);

		ck_assert(inner >= 0);
		stack_tree_add(tree, (uint32_t)inner, i ? 40 : 3, (i ? 40 : 3) * UINT64_C(1000000));
	}
}

/* Replace the slice by one with stacks. */
static void put_stacks(const char *path)
{
	struct slice_builder *builder;
	struct stack_tree tree;
	struct sdb_entry entries[4];
	struct slice *slice;
	size_t nr_sections;
	uint64_t nr_bytes;
	FILE *file;

	ck_assert_int_eq(slice_open(&slice, path, &diag), 0);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	(void)slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++) {
		const struct slice_section *section = &slice_sections(slice, &nr_sections)[i];
		int64_t number = slice_builder_section(builder, section);

		ck_assert_uint_le(section->nr_keys, 4);
		ck_assert_int_eq(slice_read_section(slice, entries, &diag), 0);
		ck_assert_int_eq(
			slice_builder_add_entries(builder, number, entries, section->nr_keys), 0);
	}
	make_stacks(&tree);
	slice_builder_stacks(builder, &tree);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(slice_builder_write(builder, slice_info(slice), fileno(file), &nr_bytes),
			 0);
	ck_assert_int_eq(fclose(file), 0);
	stack_tree_deinit(&tree);
	slice_builder_destroy(builder);
	slice_close(slice);
}

static int add_up_stacks(void *context, const char *name, int fd, struct diag *why)
{
	struct sum *sum = context;
	struct stack_tree tree;
	struct slice *slice;

	failing_pause();
	ck_assert_int_eq(slice_open_fd(&slice, dup(fd), name, why), 0);
	ck_assert_int_eq(slice_read_stacks(slice, &tree, why), 0);
	for (uint32_t i = 0; i < tree.nr_roots; i++)
		sum->nr_samples += tree.roots[i].nr_samples;
	sum->nr_slices++;
	stack_tree_deinit(&tree);
	slice_close(slice);
	failing_go_on();
	return 0;
}

static uint64_t stacks_of(const struct make_session *session, const char *word)
{
	const struct selection_options options = {
		.session_dir = session->dir, .merge = MERGE_ALL, .stacks = true};
	struct selection selection;
	struct sum sum = {0};
	struct spec spec;

	ck_assert_int_eq(spec_parse(&spec, &word, word ? 1 : 0, 0, &diag), 0);
	ck_assert_int_eq(selection_make(&selection, &spec, 1, &options, skip, &diag), 0);
	ck_assert_int_eq(archive_slices_make(&selection, 0, add_up_stacks, &sum, skip, &diag), 0);
	selection_deinit(&selection);
	spec_deinit(&spec);
	return sum.nr_samples;
}

/* Makes a slice of four applications with stacks. */
static void make_slice_with_stacks(struct make_session *session)
{
	const struct make_slice_head head = {
		.epoch_first = 1, .epoch_last = 1, .begin_ns = SECOND_NS, .end_ns = 2 * SECOND_NS};
	const struct make_slice_part parts[] = {
		{.file = {.app = "/bin/x"}, .key = 16, .nr_samples = 3},
		{.file = {.app = "/bin/y"}, .key = 16, .nr_samples = 40},
		{.file = {.app = "vmlinux"}, .key = 8, .nr_samples = 500},
		{.file = {.app = "/lib/z.so"}, .key = 24, .nr_samples = 7000},
	};
	char path[PATH_MAX];

	make_session_init(session);
	make_session_slice(session, &head, parts, 4, path);
	put_stacks(path);
}

START_TEST(stacks_go_with_their_applications)
{
	struct make_session session;

	make_slice_with_stacks(&session);
	ck_assert_uint_eq(stacks_of(&session, NULL), 7543);
	/* Not the samples in the library, which is only a caller here. */
	ck_assert_uint_eq(stacks_of(&session, "image:vmlinux"), 500);
	ck_assert_uint_eq(stacks_of(&session, "image:/lib/z.so"), 7000);
	ck_assert_uint_eq(stacks_of(&session, "image:/bin/x"), 3);
	ck_assert_uint_eq(stacks_of(&session, "image:/bin/y"), 40);
	ck_assert_uint_eq(stacks_of(&session, "lib-image:/bin/y"), 0);
	make_session_deinit(&session);
}
END_TEST

START_TEST(a_slice_that_no_memory_is_left_for_is_an_error_with_a_text)
{
	const char *word = "image:/bin/x";
	struct selection_options options = {.merge = MERGE_ALL, .stacks = true};
	struct make_session session;
	struct selection selection;
	unsigned long nth = 0;
	struct sum sum;
	struct spec spec;
	int error;

	make_slice_with_stacks(&session);
	options.session_dir = session.dir;
	ck_assert_int_eq(spec_parse(&spec, &word, 1, 0, &diag), 0);
	do {
		sum = (struct sum){0};
		ck_assert_int_eq(selection_make(&selection, &spec, 1, &options, skip, &diag), 0);
		diag_clear(&diag);
		failing_begin(FAILING_MEMORY, ++nth, 0);
		error = archive_slices_make(&selection, 0, add_up_stacks, &sum, skip, &diag);
		(void)failing_end();
		ck_assert(!error || error == -ENOMEM);
		ck_assert_msg(!error || diag.text[0], "allocation %lu has no text", nth);
		selection_deinit(&selection);
	} while (error);
	ck_assert_uint_eq(sum.nr_samples, 3);
	ck_assert_uint_gt(nth, 10);
	spec_deinit(&spec);
	make_session_deinit(&session);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("archive");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, what_goes_in_comes_out_of_a_folder_and_of_a_file);
	tcase_add_test(tc, the_writer_counts_what_the_limits_of_reports_count);
	tcase_add_test(tc, a_folder_that_holds_something_is_not_written_to);
	tcase_add_test(tc, what_was_given_up_leaves_nothing);
	tcase_add_test(tc,
		       what_was_given_up_leaves_folders_that_were_there_and_what_others_put_there);
	tcase_add_test(tc, what_is_no_archive_is_refused_by_its_name);
	tcase_add_test(tc, entries_that_lead_out_of_it_are_refused);
	tcase_add_test(tc, entries_with_names_that_no_file_may_have_are_refused_by_their_name);
	tcase_add_test(tc, a_manifest_that_leads_out_of_it_is_refused);
	tcase_add_test(tc, a_folder_with_links_or_pipes_is_refused_by_their_name);
	tcase_add_test(tc, an_archive_whose_folder_nobody_would_remove_is_not_unpacked);
	tcase_add_test(tc, names_of_any_bytes_come_back);
	tcase_add_test(tc, modes_of_others_are_not_taken);
	tcase_add_test(tc, nobody_else_may_change_what_goes_in);
	tcase_add_test(tc, slices_hold_what_was_selected_and_no_more);
	tcase_add_test(tc, the_slice_of_live_files_says_whence_and_of_when_they_are);
	tcase_add_test(tc, stacks_go_with_their_applications);
	tcase_add_test(tc, a_slice_that_no_memory_is_left_for_is_an_error_with_a_text);
	return test_run(tc);
}
