// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_machine.h"

#include "daemon/import/import_interrupt.h"
#include "daemon/kernel/kallsyms.h"
#include "daemon/import/perf_normal.h"
#include "lib/buildid.h"
#include "lib/file.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define NOTES_BYTES_MAX	  65536u
#define NAME_BYTES	  256
#define MODULES_BYTES_MAX (4u << 20)
#define NR_MODULES_MAX	  4096 /* a running kernel has fewer; a damaged file may have more */

/*
 * The kernel code that the recording describes. symbols, modules: streams to which replacements for
 * /proc/kallsyms and /proc/modules are written.
 */
struct kernel_told {
	FILE *symbols, *modules;
	uint64_t text_start, text_end;
	char *running_modules; /* contents of /proc/modules; NULL: it cannot be read */
	size_t nr_modules;
	/*
	 * A module now has another address, so the recording was made before the last boot. Also
	 * true if the file has too many modules.
	 */
	bool elsewhere;
};

static const struct perf_file_build_id *kernel_id(const struct perf_file *file)
{
	for (size_t i = 0; i < file->nr_build_ids; i++)
		if (!strncmp(file->build_ids[i].path, "[kernel.", strlen("[kernel.")))
			return &file->build_ids[i];
	return NULL;
}

/*
 * Writes the kernel's name of the module at path to `name`: "ext4" for "[ext4]" or
 * ".../ext4.ko.xz", with '-' replaced by '_'. Returns false if path is not the path of a module.
 */
static bool module_name(const char *path, char name[NAME_BYTES])
{
	const char *slash = strrchr(path, '/');
	const char *end;

	path = slash ? slash + 1 : path;
	if (*path == '[')
		end = strchr(++path, ']');
	else
		end = strstr(path, ".ko");
	if (!end || end == path || end - path >= NAME_BYTES)
		return false;
	memcpy(name, path, (size_t)(end - path));
	name[end - path] = '\0';
	for (char *next = name; *next; next++) {
		if (*next == '-')
			*next = '_';
		if ((unsigned char)*next <= ' ')
			return false;
	}
	return true;
}

/*
 * Returns whether the module is loaded now, but at another address. Each line of `modules` is "NAME
 * BYTES USERS NAMES STATE ADDRESS".
 */
static bool lies_elsewhere(const char *modules, const char *name, uint64_t address)
{
	size_t nr = strlen(name);

	for (const char *line = modules; line && *line; line = strchr(line, '\n')) {
		const char *told;

		line += *line == '\n';
		if (strncmp(line, name, nr) != 0 || line[nr] != ' ')
			continue;
		told = strstr(line, " 0x");
		return !told || strtoull(told + 1, NULL, 16) != address;
	}
	return false;
}

static void take_module(struct kernel_told *told, const char *name, uint64_t start,
			uint64_t nr_bytes)
{
	(void)fprintf(told->modules, "%s %" PRIu64 " 0 - Live 0x%" PRIx64 "\n", name, nr_bytes,
		      start);
	if (!told->elsewhere)
		told->elsewhere = ++told->nr_modules > NR_MODULES_MAX ||
				  lies_elsewhere(told->running_modules, name, start);
}

static void take_map(struct kernel_told *told, const struct perf_item *item)
{
	const char *path = item->u.mmap.path;
	char name[NAME_BYTES];

	if (item->pid != -1 && item->pid != 0)
		return;
	if (!strncmp(path, "[kernel.kallsyms]", strlen("[kernel.kallsyms]"))) {
		if (told->text_end)
			return;
		/*
		 * In the record of the kernel's mapping, the offset is the address of _text or
		 * _stext. The mapping may begin below this address.
		 */
		told->text_start = item->u.mmap.file_offset > item->u.mmap.start
					   ? item->u.mmap.file_offset
					   : item->u.mmap.start;
		told->text_end = item->u.mmap.start + item->u.mmap.nr_bytes;
	} else if (item->pid == -1 && module_name(path, name)) {
		take_module(told, name, item->u.mmap.start, item->u.mmap.nr_bytes);
	}
}

static void take_time(struct import_machine *machine, uint64_t time_ns)
{
	machine->nr_records++;
	if (!time_ns)
		return;
	if (!machine->first_ns || time_ns < machine->first_ns)
		machine->first_ns = time_ns;
	if (time_ns > machine->last_ns)
		machine->last_ns = time_ns;
}

static int look_through(struct import_machine *machine, struct perf_file *file,
			struct kernel_told *told, struct diag *diag)
{
	const struct perf_event_header *record, *made;
	struct perf_normal normal;
	struct perf_layout layout;
	int error = perf_normal_init(&normal, file, diag);
	uint64_t time_ns;

	if (error)
		return error;
	layout = (struct perf_layout){.sample_type = normal.sample_type,
				      .regs_mask = normal.regs_mask,
				      .ids = &normal.ids};
	while (!(error = perf_file_next(file, &record, diag))) {
		struct perf_item item;

		if (import_interrupted()) {
			error = import_interrupt_tell(diag);
			break;
		}
		if (perf_normal_record(&normal, record, &made, &time_ns))
			continue;
		take_time(machine, time_ns);
		if ((made->type == PERF_RECORD_MMAP || made->type == PERF_RECORD_MMAP2) &&
		    !perf_parse(&layout, made, &item))
			take_map(told, &item);
	}
	perf_normal_deinit(&normal);
	/* A file that is cut is imported up to the cut. The import later reports the cut. */
	return error == -ENOMEM || error == -EINTR ? error : perf_file_rewind(file);
}

/* ---- the folder ---- */

static int write_text(const struct import_machine *machine, const char *name, const void *text,
		      size_t nr_bytes)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", machine->path, name);
	return file_make_parent_dirs(path, 0700) ? -EIO : file_replace(path, text, nr_bytes, 0600);
}

/* Writes the kernel's build-id in the format of /sys/kernel/notes. */
static int write_notes(const struct import_machine *machine, const struct perf_file_build_id *id)
{
	const Elf64_Nhdr head = {
		.n_namesz = 4, .n_descsz = id->nr_bytes, .n_type = NT_GNU_BUILD_ID};
	uint8_t note[sizeof(head) + 4 + OPROF_BUILD_ID_BYTES_MAX] = {0};

	memcpy(note, &head, sizeof(head));
	memcpy(note + sizeof(head), "GNU", 4);
	memcpy(note + sizeof(head) + 4, id->id, id->nr_bytes);
	return write_text(machine, "sys/kernel/notes", note,
			  sizeof(head) + 4 + ((id->nr_bytes + 3) & ~3u));
}

static int find_text(const struct kallsym *symbol, void *context)
{
	uint64_t *address = context;

	if (strcmp(symbol->name, "_text") != 0)
		return 0;
	*address = symbol->address;
	return 1;
}

/* Returns the address of the running kernel's _text; 0: the address is not known. */
static uint64_t running_text(void)
{
	uint64_t address = 0;

	(void)kallsyms_walk("/proc", find_text, &address);
	return address;
}

static bool is_running_build(const struct perf_file_build_id *id)
{
	struct buildid running = {.nr_bytes = 0};
	char *notes = NULL;
	size_t nr_bytes;

	if (!id || file_read_text("/sys/kernel/notes", NOTES_BYTES_MAX, &notes, &nr_bytes))
		return false;
	(void)buildid_parse_notes(notes, nr_bytes, &running);
	free(notes);
	return running.nr_bytes == id->nr_bytes && !memcmp(running.bytes, id->id, id->nr_bytes);
}

static int64_t booted_ns(void)
{
	struct timespec wall, since;

	if (clock_gettime(CLOCK_REALTIME, &wall) || clock_gettime(CLOCK_BOOTTIME, &since))
		return INT64_MAX;
	return (wall.tv_sec - since.tv_sec) * INT64_C(1000000000) + wall.tv_nsec - since.tv_nsec;
}

/*
 * For files without build-ids (perf record -B): returns whether host, kernel release and
 * architecture agree, and the file was written since the last boot.
 */
static bool is_of_this_boot(const struct perf_file *file)
{
	struct utsname here;

	return file->host && file->release && file->arch && !uname(&here) &&
	       !strcmp(file->host, here.nodename) && !strcmp(file->release, here.release) &&
	       !strcmp(file->arch, here.machine) && file->mtime_ns >= booted_ns();
}

/*
 * Returns whether the recording was made with the kernel that runs now, since its last boot. After
 * another boot, the same kernel, or at least its modules, has other addresses.
 */
static bool runs_here(const struct perf_file *file, const struct kernel_told *told)
{
	const struct perf_file_build_id *id = kernel_id(file);

	return (id ? is_running_build(id) : is_of_this_boot(file)) && told->text_start &&
	       !told->elsewhere && told->text_start == running_text();
}

static int link_here(const struct import_machine *machine, const char *from, const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", machine->path, name);
	return symlink(from, path) ? -errno : 0;
}

/* Makes links to the running kernel's files, which have all symbols. */
static int use_running(struct import_machine *machine)
{
	int error = write_text(machine, "proc/mounts", "", 0);

	machine->same_kernel = true;
	if (!error)
		error = link_here(machine, "/proc/kallsyms", "proc/kallsyms");
	if (!error)
		error = link_here(machine, "/proc/modules", "proc/modules");
	return error ? error : link_here(machine, "/sys", "sys");
}

static int write_told(struct import_machine *machine, struct kernel_told *told, const char *symbols,
		      size_t nr_symbols, const char *modules, size_t nr_modules,
		      const struct perf_file_build_id *id)
{
	int error = write_text(machine, "proc/modules", modules, nr_modules);

	if (!error && told->text_end > told->text_start)
		error = write_text(machine, "proc/kallsyms", symbols, nr_symbols);
	if (!error && id)
		error = write_notes(machine, id);
	return error;
}

static int fill(struct import_machine *machine, struct perf_file *file, struct diag *diag)
{
	char *symbols = NULL, *modules = NULL;
	size_t nr_symbols = 0, nr_modules = 0;
	struct kernel_told told = {
		.symbols = open_memstream(&symbols, &nr_symbols),
		.modules = open_memstream(&modules, &nr_modules),
	};
	int error = -ENOMEM;

	(void)file_read_text("/proc/modules", MODULES_BYTES_MAX, &told.running_modules, NULL);
	if (told.symbols && told.modules)
		error = look_through(machine, file, &told, diag);
	if (!error)
		(void)fprintf(told.symbols, "%016" PRIx64 " T _text\n%016" PRIx64 " T _etext\n",
			      told.text_start, told.text_end);
	if ((told.symbols && fclose(told.symbols)) | (told.modules && fclose(told.modules)))
		error = -ENOMEM;
	if (error) {
		if (error == -ENOMEM)
			diag_set(diag, error, "out of memory");
	} else {
		machine->kernel_told = told.text_start != 0;
		machine->kernel_build_told = kernel_id(file) != NULL;
		error = runs_here(file, &told) ? use_running(machine)
					       : write_told(machine, &told, symbols, nr_symbols,
							    modules, nr_modules, kernel_id(file));
		if (error)
			diag_set_at(diag, error, machine->path, 0, "cannot be written: %s",
				    strerror(-error));
	}
	free(told.running_modules);
	free(symbols);
	free(modules);
	return error;
}

int import_machine_make(struct import_machine *machine, struct perf_file *file, struct diag *diag)
{
	const char *tmp = getenv("TMPDIR");
	int error;

	*machine = (struct import_machine){.nr_records = 0};
	if (snprintf(machine->path, sizeof(machine->path), "%s/oprof-import.XXXXXX",
		     tmp && *tmp ? tmp : "/tmp") >= (int)sizeof(machine->path))
		(void)snprintf(machine->path, sizeof(machine->path), "/tmp/oprof-import.XXXXXX");
	if (!mkdtemp(machine->path))
		return diag_set_at(diag, -errno, machine->path, 0, "cannot be created: %s",
				   strerror(errno));
	error = fill(machine, file, diag);
	if (error)
		import_machine_remove(machine);
	return error;
}

void import_machine_remove(struct import_machine *machine)
{
	if (machine->path[0])
		(void)file_remove_tree(machine->path);
	machine->path[0] = '\0';
}
