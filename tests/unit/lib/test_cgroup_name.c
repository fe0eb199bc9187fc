// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths as made by systemd and container engines, and their names. */
#include "lib/cgroup_name.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define ID   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2  "fedcba98765432100123456789abcdef0123456789abcdef0123456789abcdef"
#define POD  "1a2b3c4d-0000-1111-2222-333344445555"
#define POD_ "1a2b3c4d_0000_1111_2222_333344445555"
#define USER "/user.slice/user-1000.slice/user@1000.service"
#define KUBE "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice"

static const struct {
	const char *path, *text, *container;
} cases[] = {
	/* systemd */
	{"/", "/", ""},
	{"/init.scope", "init.scope", ""},
	{"/system.slice", "system.slice", ""},
	{"/system.slice/nginx.service", "nginx.service", ""},
	{"/system.slice/docker.service", "docker.service", ""},
	{"/system.slice/dev-hugepages.mount", "dev-hugepages.mount", ""},
	{"/system.slice/dbus.socket", "dbus.socket", ""},
	{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", ""},
	{"/system.slice/system-systemd\\x2dfsck.slice/systemd-fsck@dev-disk-by\\x2duuid-1.service",
	 "systemd-fsck@dev-disk-by-uuid-1.service", ""},
	{"/system.slice/systemd-udevd.service/udev", "systemd-udevd.service/udev", ""},
	{"/system.slice/run-r0123456789abcdef0123456789abcdef.scope",
	 "run-r0123456789abcdef0123456789abcdef.scope", ""},
	{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope", ""},
	{USER "/init.scope", "user@1000.service/init.scope", ""},
	{USER "/app.slice", "user@1000.service/app.slice", ""},
	{USER "/app.slice/app-gnome-firefox-12345.scope", "app-gnome-firefox-12345.scope", ""},
	{USER "/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1f.scope", "vte-spawn-1f.scope",
	 ""},
	{USER "/session.slice/pipewire.service", "pipewire.service", ""},
	/* docker, by systemd and by cgroupfs, rootless, in docker */
	{"/system.slice/docker-" ID ".scope", "docker:0123456789ab", ID},
	{"/docker/" ID, "docker:0123456789ab", ID},
	{USER "/user.slice/docker-" ID ".scope", "docker:0123456789ab", ID},
	{"/docker/" ID "/docker/" ID2, "docker:0123456789ab/docker:fedcba987654", ID2},
	{"/docker/" ID "/system.slice/nginx.service", "docker:0123456789ab/nginx.service", ID},
	{"/docker/" ID "/init", "docker:0123456789ab/init", ID},
	/* podman */
	{"/machine.slice/libpod-" ID ".scope", "podman:0123456789ab", ID},
	{"/machine.slice/libpod-" ID ".scope/container", "podman:0123456789ab", ID},
	{USER "/user.slice/libpod-" ID ".scope/container", "podman:0123456789ab", ID},
	{"/machine.slice/libpod-conmon-" ID ".scope", "podman-conmon:0123456789ab", ID},
	{"/machine.slice/machine-libpod_pod_" ID2 ".slice/libpod-" ID ".scope/container",
	 "podman:0123456789ab", ID},
	{"/libpod_parent/libpod-" ID, "podman:0123456789ab", ID},
	{"/libpod_parent/" ID2 "/libpod-" ID, "podman-pod:fedcba987654/podman:0123456789ab", ID},
	/* Kubernetes: containerd, cri-o, docker; systemd and cgroupfs; kind */
	{"/kubepods.slice", "kubepods.slice", ""},
	{KUBE, "k8s:1a2b3c4d", ""},
	{KUBE "/cri-containerd-" ID ".scope", "k8s:1a2b3c4d/0123456789ab", ID},
	{KUBE "/crio-" ID ".scope", "k8s:1a2b3c4d/0123456789ab", ID},
	{KUBE "/crio-" ID ".scope/container", "k8s:1a2b3c4d/0123456789ab", ID},
	{KUBE "/crio-conmon-" ID ".scope", "k8s:1a2b3c4d/conmon:0123456789ab", ID},
	{KUBE "/docker-" ID ".scope", "k8s:1a2b3c4d/0123456789ab", ID},
	{"/kubepods.slice/kubepods-pod" POD_ ".slice/cri-containerd-" ID ".scope",
	 "k8s:1a2b3c4d/0123456789ab", ID},
	{"/kubepods/besteffort/pod" POD "/" ID, "k8s:1a2b3c4d/0123456789ab", ID},
	{"/kubepods/pod" POD "/" ID, "k8s:1a2b3c4d/0123456789ab", ID},
	{"/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" ID2,
	 "k8s:01234567/fedcba987654", ID2},
	{"/docker/" ID2 "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
	 "kubelet-kubepods-besteffort-pod" POD_ ".slice/cri-containerd-" ID ".scope",
	 "docker:fedcba987654/k8s:1a2b3c4d/0123456789ab", ID},
	/* containerd alone, nerdctl, ECS, job runners */
	{"/default/" ID, "default:0123456789ab", ID},
	{"/system.slice/nerdctl-" ID ".scope", "nerdctl:0123456789ab", ID},
	{"/system.slice/cri-containerd-" ID ".scope", "containerd:0123456789ab", ID},
	{"/ecs/0123456789abcdef0123456789abcdef/" ID2, "container:fedcba987654", ID2},
	{"/actions_job/" ID, "actions_job:0123456789ab", ID},
	/* lxc */
	{"/lxc/web", "lxc:web", "web"},
	{"/lxc.payload/web", "lxc:web", "web"},
	{"/lxc.payload.web", "lxc:web", "web"},
	{"/lxc.monitor.web", "lxc-monitor:web", "web"},
	{"/lxc.payload.web/system.slice/nginx.service", "lxc:web/nginx.service", "web"},
	{"/lxc/web/init.scope", "lxc:web/init.scope", "web"},
	/* nspawn, machines */
	{"/machine.slice/systemd-nspawn@web.service/payload", "nspawn:web", "web"},
	{"/machine.slice/systemd-nspawn@debian\\x2dbook.service/payload/system.slice/ssh.service",
	 "nspawn:debian-book/ssh.service", "debian-book"},
	{"/machine.slice/systemd-nspawn@web.service/supervisor", "nspawn:web/supervisor", "web"},
	{"/machine.slice/machine-web.scope", "machine:web", "web"},
	{"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/emulator",
	 "machine:qemu-1-vm/libvirt/emulator", "qemu-1-vm"},
	/* others */
	{"/batch/job7", "/batch/job7", ""},
	{"/batch/docker-0123.scope", "docker-0123.scope", ""},
	{"/oprof\\x2g/a\\x", "/oprof\\x2g/a\\x", ""},
	{"unknown", "unknown", ""},
	{"", "", ""},
	{"//", "//", ""},
};

START_TEST(a_path_has_the_name_that_people_know)
{
	struct cgroup_name name;

	cgroup_name_parse(cases[_i].path, &name);
	ck_assert_str_eq(name.text, cases[_i].text);
	ck_assert_str_eq(name.container, cases[_i].container);
}
END_TEST

static bool glob(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text, 0);
}

static const struct {
	const char *path, *word;
	bool meant;
} words[] = {
	{"/system.slice/nginx.service", "/system.slice/nginx.service", true},
	{"/system.slice/nginx.service", "system.slice/nginx.service", true},
	{"/system.slice/nginx.service", "nginx.service", true},
	{"/system.slice/nginx.service", "nginx*", true},
	{"/system.slice/nginx.service", "*nginx*", true},
	{"/system.slice/nginx.service", "nginx", false},
	{"/system.slice/nginx.service", "system.slice", false},
	{"/docker/" ID, "docker:0123456789ab", true},
	{"/docker/" ID, "docker:*", true},
	{"/docker/" ID, "0123456789ab", true},
	{"/docker/" ID, "012345", true},
	{"/docker/" ID, ID, true},
	{"/docker/" ID, "01234", false},
	{"/docker/" ID, "0123457", false},
	{"/docker/" ID, ID "0", false},
	{KUBE "/crio-" ID ".scope", "k8s:1a2b3c4d/*", true},
	{KUBE "/crio-" ID ".scope", "1a2b3c4d", true},
	{KUBE "/crio-" ID ".scope", POD, true},
	{KUBE "/crio-" ID ".scope", "012345", true},
	{"/lxc.payload.webserver", "lxc:webserver", true},
	{"/lxc.payload.webserver", "webserver", true},
	{"/lxc.payload.webserver", "webser", false},
	{"/system.slice/a\\x2db.service", "a-b.service", true},
	{"/batch/job7", "batch/job7", true},
	{"/batch/job7", "/batch/*", true},
	{"/batch/job7", "job7", false},
	{"/", "/", true},
	{"/", "nginx", false},
};

START_TEST(a_group_is_meant_by_path_name_or_beginning_of_its_id)
{
	ck_assert_int_eq(cgroup_name_is_meant(words[_i].path, words[_i].word, glob),
			 words[_i].meant);
}
END_TEST

START_TEST(tails_grow_to_the_whole_path)
{
	static const char path[] = "/a.slice/b\\x2dc.slice/d.service";
	char text[64];

	ck_assert(!cgroup_name_tail(path, 1, text, sizeof(text)));
	ck_assert_str_eq(text, "/d.service");
	ck_assert(!cgroup_name_tail(path, 2, text, sizeof(text)));
	ck_assert_str_eq(text, "/b-c.slice/d.service");
	ck_assert(cgroup_name_tail(path, 3, text, sizeof(text)));
	ck_assert_str_eq(text, "/a.slice/b-c.slice/d.service");
	ck_assert(cgroup_name_tail(path, 4, text, sizeof(text)));
	ck_assert(cgroup_name_tail("x", 1, text, sizeof(text)));
	ck_assert_str_eq(text, "x");
	ck_assert(!cgroup_name_tail(path, 1, text, 4));
	ck_assert_str_eq(text, "/d.");
}
END_TEST

START_TEST(long_and_deep_paths_are_cut_and_no_more)
{
	char path[4096] = "";
	struct cgroup_name name;

	for (size_t i = 0; i < 50; i++)
		strcat(path, "/docker/" ID);
	cgroup_name_parse(path, &name);
	ck_assert_uint_lt(strlen(name.text), sizeof(name.text));
	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	cgroup_name_parse(path, &name);
	ck_assert_uint_eq(strlen(name.text), sizeof(name.text) - 1);
	cgroup_name_parse(
		"/lxc.payload.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		&name);
	ck_assert_uint_eq(strlen(name.container), sizeof(name.container) - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cgroup_name");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, a_path_has_the_name_that_people_know, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(all, a_group_is_meant_by_path_name_or_beginning_of_its_id, 0,
			    sizeof(words) / sizeof(words[0]));
	tcase_add_test(all, tails_grow_to_the_whole_path);
	tcase_add_test(all, long_and_deep_paths_are_cut_and_no_more);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
