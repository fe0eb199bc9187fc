// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/control_message.h"

#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char bytes[CONTROL_MESSAGE_BYTES_MAX + 1];
static struct control_request request;
static struct control_answer answer;

/* Makes a packet with this text and returns its size. */
static size_t packet(const char *text, size_t nr_bytes)
{
	struct oprof_message head = {
		.magic = OPROF_CONTROL_MAGIC,
		.version = OPROF_CONTROL_VERSION,
		.request = OPROF_REQUEST_SAVE,
		.size_bytes = (uint32_t)nr_bytes,
	};

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), text, nr_bytes);
	return sizeof(head) + nr_bytes;
}

static int parse(const char *text)
{
	return control_message_parse(bytes, packet(text, strlen(text)), &request);
}

START_TEST(a_name_is_read_and_other_keys_are_skipped)
{
	ck_assert_int_eq(parse("colour red\nname a b\n\nnamed x\n"), 0);
	ck_assert_uint_eq(request.request, OPROF_REQUEST_SAVE);
	ck_assert_str_eq(request.name, "a b");
	ck_assert_int_eq(parse("name end"), 0);
	ck_assert_str_eq(request.name, "end");
	ck_assert_int_eq(parse(""), 0);
	ck_assert_str_eq(request.name, "");
}
END_TEST

START_TEST(how_far_to_reach_back_and_how_apart_are_read)
{
	ck_assert_int_eq(parse("last_ns 60000000000\nseparate all\n"), 0);
	ck_assert_uint_eq(request.last_ns, UINT64_C(60000000000));
	ck_assert(request.separate_all);
	ck_assert_uint_eq(request.until_ns, 0);
	ck_assert_int_eq(parse("last_ns 7\nuntil_ns 5\n"), 0);
	ck_assert_uint_eq(request.until_ns, 5);
	ck_assert_int_eq(parse("last_ns 18446744073709551615"), 0);
	ck_assert_uint_eq(request.last_ns, UINT64_MAX);
	ck_assert_int_eq(parse("name x\n"), 0);
	ck_assert_uint_eq(request.last_ns, 0);
	ck_assert(!request.separate_all);
}
END_TEST

START_TEST(what_is_no_number_or_no_separation_is_refused)
{
	static const char *const bad[] = {
		"last_ns \n",
		"last_ns -1\n",
		"until_ns x\n",
		"last_ns 1s\n",
		"last_ns 18446744073709551616\n",
		"separate lib\n",
		"separate \n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(parse(bad[i]), -EBADMSG);
}
END_TEST

START_TEST(strangers_are_none_of_ours)
{
	size_t nr_bytes = packet("", 0);

	ck_assert_int_eq(control_message_parse(bytes, nr_bytes - 1, &request), -EPROTO);
	ck_assert_int_eq(control_message_parse(bytes, 0, &request), -EPROTO);
	bytes[0] ^= 1;
	ck_assert_int_eq(control_message_parse(bytes, nr_bytes, &request), -EPROTO);
}
END_TEST

START_TEST(another_version_is_told_apart_with_its_request)
{
	struct oprof_message head;
	size_t nr_bytes = packet("xyz", 3);

	memcpy(&head, bytes, sizeof(head));
	head.version = 99;
	head.size_bytes = 12345; /* the field may mean something else in another version */
	memcpy(bytes, &head, sizeof(head));
	ck_assert_int_eq(control_message_parse(bytes, nr_bytes, &request), -EPROTONOSUPPORT);
	ck_assert_uint_eq(request.request, OPROF_REQUEST_SAVE);
}
END_TEST

START_TEST(sizes_that_contradict_the_packet_are_refused)
{
	size_t nr_bytes = packet("name a\n", 7);

	ck_assert_int_eq(control_message_parse(bytes, nr_bytes - 1, &request), -EBADMSG);
	ck_assert_int_eq(control_message_parse(bytes, nr_bytes + 1, &request), -EBADMSG);
	memset(bytes, 0, sizeof(bytes));
	nr_bytes = packet("", 0);
	((struct oprof_message *)(void *)bytes)->size_bytes = OPROF_CONTROL_TEXT_MAX + 1;
	ck_assert_int_eq(control_message_parse(bytes, sizeof(bytes), &request), -EBADMSG);
	ck_assert_uint_eq(nr_bytes, sizeof(struct oprof_message));
}
END_TEST

START_TEST(a_nul_or_an_endless_name_is_refused)
{
	char text[400] = "name ";

	ck_assert_int_eq(control_message_parse(bytes, packet("name a\0b\n", 9), &request),
			 -EBADMSG);
	memset(text + 5, 'a', 300);
	ck_assert_int_eq(parse(text), -EBADMSG);
}
END_TEST

START_TEST(an_answer_is_lines_behind_a_header)
{
	struct oprof_message head;
	size_t nr_bytes;

	control_answer_init(&answer);
	control_answer_add(&answer, "seen", "%d", 12);
	control_answer_fail(&answer, -EEXIST, "two\nlines");
	nr_bytes = control_message_format(&answer, OPROF_REQUEST_SAVE, bytes);
	memcpy(&head, bytes, sizeof(head));
	ck_assert_uint_eq(head.magic, OPROF_CONTROL_MAGIC);
	ck_assert_uint_eq(head.version, OPROF_CONTROL_VERSION);
	ck_assert_uint_eq(head.request, OPROF_REQUEST_SAVE);
	ck_assert_int_eq(head.status, -EEXIST);
	ck_assert_uint_eq(head.size_bytes + sizeof(head), nr_bytes);
	bytes[nr_bytes] = '\0';
	ck_assert_str_eq(bytes + sizeof(head), "seen 12\nerror two lines\n");
}
END_TEST

START_TEST(lines_that_do_not_fit_are_left_out_whole)
{
	control_answer_init(&answer);
	for (unsigned int i = 0; i < 100000; i++)
		control_answer_add(&answer, "key", "%u", i);
	ck_assert_uint_le(answer.nr_bytes, sizeof(answer.text));
	ck_assert_int_eq(answer.text[answer.nr_bytes - 1], '\n');
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("control_message");

	tcase_add_test(tc, a_name_is_read_and_other_keys_are_skipped);
	tcase_add_test(tc, how_far_to_reach_back_and_how_apart_are_read);
	tcase_add_test(tc, what_is_no_number_or_no_separation_is_refused);
	tcase_add_test(tc, strangers_are_none_of_ours);
	tcase_add_test(tc, another_version_is_told_apart_with_its_request);
	tcase_add_test(tc, sizes_that_contradict_the_packet_are_refused);
	tcase_add_test(tc, a_nul_or_an_endless_name_is_refused);
	tcase_add_test(tc, an_answer_is_lines_behind_a_header);
	tcase_add_test(tc, lines_that_do_not_fit_are_left_out_whole);
	return test_run(tc);
}
