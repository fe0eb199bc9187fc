// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/key_value.h"
#include "lib/log.h"
#include "oprof/session.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS UINT64_C(1000000000)

static const struct event_choice events[] = {
	{.name = "cpu-clock", .frequency = true, .period_or_hz = 99, .kernel = true, .user = true},
};

static struct session session;
static struct profiler profiler;
static struct service service;
static struct options options;
static struct control_answer answer;
static struct diag diag;
static char metrics[] = "figures.prom";
static int manager;
static char got[1024];

static void listen_as_manager(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char name[64];
	int nr = snprintf(name, sizeof(name), "@oprof-test-service-%d", (int)getpid());

	memcpy(address.sun_path, name, (size_t)nr);
	address.sun_path[0] = '\0';
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(manager, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)nr)),
			 0);
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", name, 1), 0);
	ck_assert_int_eq(setenv("WATCHDOG_USEC", "60000000", 1), 0);
}

static void setup(void)
{
	struct profiler_config config = {
		.ops = &source_fake,
		.source = {.events = events, .nr_events = 1, .target = SOURCE_SYSTEM},
	};

	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	fake_init(NULL);
	fake_image(1, OPROF_IMAGE_FILE, "/bin/true");
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
	ck_assert_int_eq(profiler_open(&profiler, &session, &config, &diag), 0);
	listen_as_manager();
	options = (struct options){.foreground = true, .metrics_file = metrics};
}

static void teardown(void)
{
	service_deinit(&service);
	profiler_close(&profiler);
	session_unlock(&session);
	(void)close(manager);
	test_folder_teardown();
}

/* The next message that contains part, or "" if there is none. */
static const char *hear(const char *part)
{
	ssize_t nr;

	while ((nr = recv(manager, got, sizeof(got) - 1, 0)) > 0) {
		got[nr] = '\0';
		if (strstr(got, part))
			return got;
	}
	return "";
}

static void begin(void)
{
	service_init(&service, &options, &profiler);
	ck_assert_int_eq(profiler_start(&profiler), 0);
	service_ready(&service);
}

static uint64_t now(void)
{
	return profiler.drained_ns;
}

static bool metrics_have(const char *line)
{
	char *text = NULL;
	bool found;

	ck_assert_int_eq(file_read_text(metrics, 1 << 16, &text, NULL), 0);
	found = strstr(text, line);
	free(text);
	return found;
}

START_TEST(being_ready_is_told_with_how_it_goes)
{
	begin();
	ck_assert_str_ne(hear("READY=1"), "");
	ck_assert_str_ne(hear("STATUS=sampling: "), "");
}
END_TEST

START_TEST(metrics_are_there_from_the_start_and_not_up_after_the_end)
{
	begin();
	ck_assert(metrics_have("\noprof_up 1\n"));
	service_stopping(&service);
	ck_assert(metrics_have("\noprof_up 0\n"));
	ck_assert_str_ne(hear("STOPPING=1"), "");
}
END_TEST

START_TEST(metrics_are_renewed_when_it_is_time)
{
	begin();
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	fake_sample(0, OPROF_MODE_USER, 1, 10, 5);
	profiler_round(&profiler, SOURCE_DRAIN_ALL);
	service_tick(&service, service.told_ns + SERVICE_METRICS_NS - 1);
	ck_assert(metrics_have("\noprof_samples_seen_total 0\n"));
	service_tick(&service, service.told_ns + SERVICE_METRICS_NS + COST_STEP_NS);
	ck_assert(metrics_have("\noprof_samples_seen_total 1\n"));
	ck_assert(metrics_have("\noprof_samples_total{result=\"stored\"} 1\n"));
}
END_TEST

START_TEST(metrics_say_at_once_that_sampling_was_stopped_and_goes_on)
{
	begin();
	ck_assert(metrics_have("\noprof_sampling 1\n"));
	ck_assert_int_eq(profiler_stop(&profiler), 0);
	service_tick(&service, service.told_ns + 1);
	ck_assert(metrics_have("\noprof_sampling 0\n"));
	ck_assert_int_eq(profiler_start(&profiler), 0);
	service_tick(&service, service.told_ns + 1);
	ck_assert(metrics_have("\noprof_sampling 1\n"));
}
END_TEST

START_TEST(metrics_that_cannot_be_written_stop_nothing_and_are_told)
{
	char nowhere[] = "nowhere/figures.prom";
	char value[256];

	options.metrics_file = nowhere;
	begin();
	control_answer_init(&answer);
	service_status(&service, &answer);
	answer.text[answer.nr_bytes] = '\0';
	ck_assert(key_value_find(answer.text, "warning", value, sizeof(value)));
	ck_assert_ptr_nonnull(strstr(value, "nowhere/figures.prom"));
}
END_TEST

START_TEST(the_watchdog_hears_while_samples_are_read)
{
	begin();
	service_tick(&service, now() + 15 * NS);
	ck_assert_str_ne(hear("WATCHDOG=1"), "");
	service_tick(&service, now() + 31 * NS); /* no round since */
	ck_assert_str_eq(hear("WATCHDOG=1"), "");
}
END_TEST

START_TEST(the_watchdog_hears_while_sampling_is_stopped)
{
	begin();
	ck_assert_int_eq(profiler_stop(&profiler), 0);
	service_tick(&service, now() + 3600 * NS);
	ck_assert_str_ne(hear("WATCHDOG=1"), "");
}
END_TEST

START_TEST(the_watchdog_counts_from_when_sampling_begins_again)
{
	uint64_t before_ns;

	begin();
	ck_assert_int_eq(profiler_stop(&profiler), 0);
	profiler.drained_ns = 0; /* long ago */
	before_ns = clock_monotonic_ns();
	ck_assert_int_eq(profiler_start(&profiler), 0);
	ck_assert_uint_ge(now(), before_ns);
	service_tick(&service, now() + 15 * NS);
	ck_assert_str_ne(hear("WATCHDOG=1"), "");
}
END_TEST

START_TEST(a_private_daemon_tells_no_manager)
{
	options.parent = getppid();
	begin();
	ck_assert_str_eq(hear("READY=1"), "");
}
END_TEST

START_TEST(a_daemon_without_a_manager_closes_nothing_of_others)
{
	(void)dup2(manager, STDIN_FILENO);
	options.foreground = false;
	begin();
	service_tick(&service, now() + NS);
	service_deinit(&service);
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	ck_assert_str_eq(hear(""), "");
}
END_TEST

/* Which of the service's folders another user owns; the last entry: none. */
static const char *const foreign[] = {
	".", OPROF_SAMPLES_NAME, "samples/current", "metrics", "logs", "other"};

START_TEST(the_folders_of_another_user_can_be_written_to_and_without_one_no_more_is_kept)
{
	const bool none = !strcmp(foreign[_i], "other");
	char metrics_file[] = "metrics/figures.prom", log_file[] = "logs/log";

	if (geteuid() != 0) {
		printf("# %s: not checked: only root has privileges\n", foreign[_i]);
		return;
	}
	for (size_t i = 3; i < 6; i++)
		ck_assert_int_eq(mkdir(foreign[i], 0700), 0);
	options.metrics_file = metrics_file;
	options.log_file = log_file;
	begin();
	/* There is no CAP_CHOWN, or the user namespace lacks this user. */
	if (chown(foreign[_i], 65534, 65534)) {
		ck_assert(errno == EPERM || errno == EINVAL);
		printf("# %s: not checked: cannot give it to user 65534: %s\n", foreign[_i],
		       strerror(errno));
		return;
	}
	ck_assert_int_eq(service_settle(&service, &diag), 0);
	ck_assert_msg(privileges_has(&service.privileges, CAP_DAC_OVERRIDE) == !none, "%s",
		      foreign[_i]);
}
END_TEST

static bool log_has(const char *part)
{
	char *text = NULL;
	bool found;

	ck_assert_int_eq(file_read_text("log", 1 << 16, &text, NULL), 0);
	found = strstr(text, part);
	free(text);
	return found;
}

/* As in a container that withholds the capability. */
static void give_up(unsigned int capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	const uint32_t others = ~(UINT32_C(1) << (capability % 32));

	ck_assert_int_eq(syscall(SYS_capget, &header, data), 0);
	data[capability / 32].effective &= others;
	data[capability / 32].permitted &= others;
	data[capability / 32].inheritable &= others;
	ck_assert_int_eq(syscall(SYS_capset, &header, data), 0);
}

/* Bits of _i: without CAP_SYS_PTRACE; a single process. */
START_TEST(the_log_tells_what_the_kernel_demands_or_a_container_withholds_and_no_more)
{
	const bool withheld = _i & 1;
	const struct privileges *kept = &service.privileges;
	pid_t pid = getpid();

	log_init("test", LOG_LEVEL_INFO);
	options.nr_pids = _i & 2 ? 1 : 0;
	options.pids = &pid;
	begin();
	if (withheld)
		give_up(CAP_SYS_PTRACE);
	ck_assert_int_eq(service_settle(&service, &diag), 0);
	ck_assert_int_eq(log_has("requires CAP_SYS_ADMIN for performance events"),
			 kept->needs_admin && kept->kept);
	ck_assert_int_eq(log_has("without CAP_SYS_PTRACE"),
			 kept->kept && !options.nr_pids && !privileges_has(kept, CAP_SYS_PTRACE));
	if (withheld)
		ck_assert(!privileges_has(kept, CAP_SYS_PTRACE));
}
END_TEST

START_TEST(the_status_tells_cost_and_capabilities)
{
	static const char *const keys[] = {
		"version",     "up_since",    "capabilities",	    "cpus",	      "cpu_ns",
		"recent_seen", "recent_lost", "recent_cpu_percent", "resident_bytes",
	};
	char value[256];

	begin();
	ck_assert_int_eq(service_settle(&service, &diag), 0);
	control_answer_init(&answer);
	service_status(&service, &answer);
	answer.text[answer.nr_bytes] = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_msg(key_value_find(answer.text, keys[i], value, sizeof(value)) && *value,
			      "%s", keys[i]);
	ck_assert(!key_value_find(answer.text, "warning", value, sizeof(value)));
}
END_TEST

static uint64_t status_cpu_ns(void)
{
	char value[256];

	control_answer_init(&answer);
	service_status(&service, &answer);
	answer.text[answer.nr_bytes] = '\0';
	ck_assert(key_value_find(answer.text, "cpu_ns", value, sizeof(value)));
	return strtoull(value, NULL, 10);
}

/* It does not decrease while the time of a child is not known. */
START_TEST(the_cost_includes_the_source_s_children)
{
	const uint64_t children_ns = UINT64_C(1000000000000);

	begin();
	ck_assert_uint_lt(status_cpu_ns(), children_ns);
	fake.children_cpu_ns = children_ns;
	ck_assert_uint_ge(status_cpu_ns(), children_ns);
	service_tick(&service, service.cost.last.time_ns + COST_STEP_NS);
	fake.children_cpu_ns = 0;
	ck_assert_uint_ge(status_cpu_ns(), children_ns);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("service");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_cost_includes_the_source_s_children);
	tcase_add_test(tc, being_ready_is_told_with_how_it_goes);
	tcase_add_test(tc, metrics_are_there_from_the_start_and_not_up_after_the_end);
	tcase_add_test(tc, metrics_are_renewed_when_it_is_time);
	tcase_add_test(tc, metrics_say_at_once_that_sampling_was_stopped_and_goes_on);
	tcase_add_test(tc, metrics_that_cannot_be_written_stop_nothing_and_are_told);
	tcase_add_test(tc, the_watchdog_hears_while_samples_are_read);
	tcase_add_test(tc, the_watchdog_hears_while_sampling_is_stopped);
	tcase_add_test(tc, the_watchdog_counts_from_when_sampling_begins_again);
	tcase_add_test(tc, a_private_daemon_tells_no_manager);
	tcase_add_test(tc, a_daemon_without_a_manager_closes_nothing_of_others);
	tcase_add_loop_test(
		tc, the_folders_of_another_user_can_be_written_to_and_without_one_no_more_is_kept,
		0, sizeof(foreign) / sizeof(foreign[0]));
	tcase_add_loop_test(
		tc, the_log_tells_what_the_kernel_demands_or_a_container_withholds_and_no_more, 0,
		4);
	tcase_add_test(tc, the_status_tells_cost_and_capabilities);
	return test_run(tc);
}
