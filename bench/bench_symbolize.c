// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The line table of a C++ program with about 25 MB of debug information: the
 * time to make it in the helper, and to find lines and inlined functions in it.
 * Peers are addr2line and llvm-symbolizer, which are run with different numbers
 * of addresses, so that their start-up time can be subtracted.
 */
#include "bench/bench.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "pp/lines/line_table.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME	     "symbolize-25mb-2"
#define NR_UNITS     15
#define NR_ROUNDS    7
#define NR_FINDS     100000
#define NR_PEER_MANY 6000
#define NR_PEER_FEW  1000

static char folder[PATH_MAX / 2]; /* the cache folder; the next run uses it again */
static char path[PATH_MAX];
static struct oprof_image_identity identity;
static uint64_t text_address, text_offset, text_bytes, debug_bytes;

/* ---- the program ---- */

static const char source[] =
	"#include <algorithm>\n#include <iostream>\n#include <map>\n#include <memory>\n"
	"#include <regex>\n#include <set>\n#include <string>\n#include <unordered_map>\n"
	"#include <vector>\n"
	"namespace NS {\n"
	"struct P { int a; std::string s;\n"
	"  bool operator<(const P &o) const { return a < o.a || s < o.s; } };\n"
	"template <class T> static T sum(const std::vector<T> &v)\n"
	"{ T r{}; for (auto &x : v) r += x; return r; }\n"
	"int work(int n, char **w) {\n"
	"  std::map<std::string, std::vector<int>> m;\n"
	"  std::unordered_map<int, std::unique_ptr<P>> u;\n"
	"  for (int i = 0; i < n * 100; i++)\n"
	"    { m[w[i % n]].push_back(i); u[i] = std::make_unique<P>(P{i, w[0]}); }\n"
	"  std::vector<P> v; for (auto &k : u) v.push_back(*k.second);\n"
	"  std::sort(v.begin(), v.end()); std::set<P> s(v.begin(), v.end());\n"
	"  std::regex r(\"a(b|c)*d\"); std::cmatch c;\n"
	"  for (auto &k : m)\n"
	"    std::cout << k.first << sum(k.second) << std::regex_match(k.first.c_str(), c, r);\n"
	"  return (int)s.size(); } }\n";

static void write_sources(const char *where)
{
	char name[PATH_MAX];
	FILE *file;

	snprintf(name, sizeof(name), "%s/work.h", where);
	file = fopen(name, "w");
	if (!file || fputs(source, file) < 0 || fclose(file))
		bench_fail(name, errno);
	snprintf(name, sizeof(name), "%s/main.cc", where);
	file = fopen(name, "w");
	if (!file)
		bench_fail(name, errno);
	for (int i = 0; i < NR_UNITS; i++)
		fprintf(file, "namespace n%d { int work(int, char **); }\n", i);
	fputs("int main(int n, char **w) { return 0", file);
	for (int i = 0; i < NR_UNITS; i++)
		fprintf(file, " + n%d::work(n, w)", i);
	if (fputs("; }\n", file) < 0 || fclose(file))
		bench_fail(name, errno);
}

static void build(void)
{
	char where[PATH_MAX - 64], command[3 * PATH_MAX];

	fprintf(stderr, "# building a program with 25 MB of debug information, once: %s\n", path);
	snprintf(where, sizeof(where), "%s/build.XXXXXX", folder);
	if (!mkdtemp(where))
		bench_fail(where, errno);
	write_sources(where);
	snprintf(command, sizeof(command),
		 "cd '%s' && { seq 0 %d | xargs -P 2 -I @ ${CXX:-c++} -g -O2 -w -DNS=n@ -x c++ -c "
		 "work.h -o @.o; } && ${CXX:-c++} -g -O2 -Wl,--build-id main.cc *.o -o all && "
		 "mv all '%s'",
		 where, NR_UNITS - 1, path);
	if (system(command) != 0)
		bench_fail("compiling", EIO);
	(void)file_remove_tree(where);
}

static void measure_section(Elf *elf, const GElf_Shdr *header, size_t names)
{
	const char *name = elf_strptr(elf, names, header->sh_name);

	if (name && !strncmp(name, ".debug_", 7))
		debug_bytes += header->sh_size;
	if (!name || strcmp(name, ".text") != 0)
		return;
	text_address = header->sh_addr;
	text_offset = header->sh_offset;
	text_bytes = header->sh_size;
}

static void measure_program(void)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	struct buildid id;
	GElf_Shdr header;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (!elf || buildid_read_fd(fd, &id) || elf_getshdrstrndx(elf, &names))
		bench_fail(path, ENOEXEC);
	memcpy(identity.build_id, id.bytes, id.nr_bytes);
	identity.nr_build_id = id.nr_bytes;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header))
			measure_section(elf, &header, names);
	(void)elf_end(elf);
	(void)close(fd);
}

static void open_program(void)
{
	const char *top = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int error;

	if (top && top[0] == '/')
		snprintf(folder, sizeof(folder), "%s/oprof/bench", top);
	else
		snprintf(folder, sizeof(folder), "%s/.cache/oprof/bench", home ? home : "/tmp");
	error = file_make_dirs(folder, 0755);
	if (error)
		bench_fail(folder, error);
	snprintf(path, sizeof(path), "%s/" NAME, folder);
	if (access(path, R_OK))
		build();
	measure_program();
	printf("# program with %.1f MB of debug information, %.1f MB of code\n",
	       (double)debug_bytes / 1e6, (double)text_bytes / 1e6);
}

/* ---- ours ---- */

static void keep_minimum(double *minimum, double value)
{
	if (*minimum == 0 || value < *minimum)
		*minimum = value;
}

/* Loads the table. Returns the CPU time in ms, including the helper's. */
static double load(struct line_table *table, const char *cache_path)
{
	const struct symbol_search search = {.cache_path = cache_path};
	uint64_t before = bench_process_ns();
	int error = line_table_load(table, path, &identity, OPROF_IMAGE_FILE, &search);

	if (error || table->lack != SYMBOLS_FULL)
		bench_fail(table->note ? table->note : "no table", error ? error : EIO);
	return (double)(bench_process_ns() - before) / 1e6;
}

static void bench_build(void)
{
	char cache[PATH_MAX];
	struct line_table table;
	double cost = 0, cached = 0;

	snprintf(cache, sizeof(cache), "%s/cache.XXXXXX", folder);
	if (!mkdtemp(cache))
		bench_fail(cache, errno);
	(void)load(&table, cache);
	line_table_deinit(&table);
	for (int i = 0; i < NR_ROUNDS; i++) {
		keep_minimum(&cost, load(&table, NULL));
		line_table_deinit(&table);
		keep_minimum(&cached, load(&table, cache));
		line_table_deinit(&table);
	}
	(void)file_remove_tree(cache);
	if (bench_wanted("symbolize_build_25mb"))
		bench_print("symbolize_build_25mb", cost, "ms");
	if (bench_wanted("symbolize_build_25mb_cached"))
		bench_print("symbolize_build_25mb_cached", cached, "ms");
}

/* Looks up NR_FINDS addresses. Returns the CPU time per 1,000 addresses in ms. */
static double find_all(const struct line_table *table, uint64_t *nr_frames)
{
	static struct line_found found;
	uint64_t before = bench_thread_ns();
	size_t hint = 0;

	*nr_frames = 0;
	for (uint64_t i = 0; i < NR_FINDS; i++)
		if (!line_table_find(table, text_offset + i * text_bytes / NR_FINDS, &hint, &found))
			*nr_frames += 1 + found.nr_inlines;
	return (double)(bench_thread_ns() - before) / 1e6 * 1000 / NR_FINDS;
}

/* ---- peers ---- */

static void write_addresses(const char *name, unsigned int nr)
{
	FILE *file = fopen(name, "w");

	if (!file)
		bench_fail(name, errno);
	for (uint64_t i = 0; i < nr; i++)
		fprintf(file, "0x%" PRIx64 "\n", text_address + i * text_bytes / nr);
	if (fclose(file))
		bench_fail(name, errno);
}

/* Runs a command with nr addresses. Returns its CPU time in ms. */
static double run_peer(const char *command, unsigned int nr)
{
	char whole[3 * PATH_MAX], addresses[PATH_MAX];
	uint64_t before;

	snprintf(addresses, sizeof(addresses), "%s/addresses", folder);
	write_addresses(addresses, nr);
	snprintf(whole, sizeof(whole), "%s '%s' <'%s' >/dev/null", command, path, addresses);
	before = bench_process_ns();
	if (system(whole) != 0)
		bench_fail(command, EIO);
	(void)unlink(addresses);
	return (double)(bench_process_ns() - before) / 1e6;
}

static double peer_per_1000(const char *command)
{
	double many = 0, few = 0;

	for (int i = 0; i < 2; i++) {
		keep_minimum(&few, run_peer(command, NR_PEER_FEW));
		keep_minimum(&many, run_peer(command, NR_PEER_MANY));
	}
	return (many - few) * 1000 / (NR_PEER_MANY - NR_PEER_FEW);
}

static void bench_peer(const char *program, const char *command, const char *name, double ours)
{
	char line[128], probe[128];
	double cost;

	snprintf(probe, sizeof(probe), "command -v %s >/dev/null 2>&1", program);
	if (system(probe) != 0)
		return;
	cost = peer_per_1000(command);
	snprintf(line, sizeof(line), "peer_symbolize_per_1000_%s", name);
	bench_print(line, cost, "ms");
	snprintf(line, sizeof(line), "ratio_symbolize_per_1000_%s", name);
	if (cost > 0)
		bench_print(line, ours / cost, "x");
}

static void bench_find(void)
{
	struct line_table table;
	uint64_t nr_frames = 0;
	double cost = 0;

	if (!bench_wanted("symbolize_per_1000"))
		return;
	(void)load(&table, NULL);
	for (int i = 0; i < NR_ROUNDS; i++)
		keep_minimum(&cost, find_all(&table, &nr_frames));
	printf("# %.2f frames per address\n", (double)nr_frames / NR_FINDS);
	bench_print("symbolize_per_1000", cost, "ms");
	bench_peer("addr2line", "addr2line -fie", "addr2line", cost);
	bench_peer("llvm-symbolizer", "llvm-symbolizer --no-demangle -fie", "llvm", cost);
	line_table_deinit(&table);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);
	if (!bench_wanted("symbolize_build_25mb") && !bench_wanted("symbolize_build_25mb_cached") &&
	    !bench_wanted("symbolize_per_1000"))
		return 0;
	open_program();
	if (bench_wanted("symbolize_build_25mb") || bench_wanted("symbolize_build_25mb_cached"))
		bench_build();
	bench_find();
	return 0;
}
