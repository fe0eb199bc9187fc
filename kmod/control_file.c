// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kmod/control_file.h"
#include "kmod/counters.h"
#include "kmod/event_buffer.h"
#include "kmod/image.h"
#include "kmod/run.h"
#include "kmod/settings.h"
#include "kmod/stamp.h"
#include "kmod/unmapped.h"
#include "oprof/kmod_trace.h"

static DEFINE_MUTEX(settings_mutex);
static struct settings control_settings;

/* ---- common parts ---- */

static int control_file_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return simple_open(inode, file); /* sets file->private_data to the inode's data */
}

static ssize_t read_text(const char *text, char __user *to, size_t nr_bytes, loff_t *offset)
{
	char line[64];
	int line_bytes = scnprintf(line, sizeof(line), "%s\n", text);

	return simple_read_from_buffer(to, nr_bytes, offset, line, line_bytes);
}

static ssize_t read_number(u64 value, char __user *to, size_t nr_bytes, loff_t *offset)
{
	char text[24];

	scnprintf(text, sizeof(text), "%llu", value);
	return read_text(text, to, nr_bytes, offset);
}

/*
 * Parses a decimal number, or a hexadecimal number after 0x. Refuses signs and
 * any other text except a final newline. A leading 0 does not mean octal.
 */
static int parse_number(char *text, size_t nr_bytes, u64 *value)
{
	unsigned int base = 10;

	if (nr_bytes && text[nr_bytes - 1] == '\n')
		nr_bytes--;
	text[nr_bytes] = '\0';
	if (strlen(text) != nr_bytes)
		return -EINVAL;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	/* kstrtoull() would accept a sign, a newline, and a second 0x. */
	if (text[strspn(text, "0123456789abcdefABCDEF")] || kstrtoull(text, base, value))
		return -EINVAL;
	return 0;
}

/* Parses the number that a program writes to a file. */
static int write_number(const char __user *from, size_t nr_bytes, loff_t offset, u64 *value)
{
	char text[32];

	if (offset || nr_bytes >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, nr_bytes))
		return -EFAULT;
	return parse_number(text, nr_bytes, value);
}

/* ---- numbers of the settings ---- */

struct number {
	const char *name;
	unsigned int at, bytes; /* offset and size in struct settings or struct settings_counter */
	u64 min, max;
};

#define NUMBER(structure, field, min, max)                                                         \
	{                                                                                          \
#field, offsetof(structure, field), sizeof_field(structure, field), min, max       \
	}

static const struct number top_numbers[] = {
	NUMBER(struct settings, buffer_size, 1024, 4194304),
	NUMBER(struct settings, buffer_watershed, 1, 4194304),
	NUMBER(struct settings, cpu_buffer_size, 128, 1048576),
	NUMBER(struct settings, backtrace_depth, 0, OPROF_KMOD_CHAIN_MAX),
	NUMBER(struct settings, switches, 0, 1),
	NUMBER(struct settings, cgroups, 0, 1),
};

static const struct number counter_numbers[] = {
	NUMBER(struct settings_counter, enabled, 0, 1),
	NUMBER(struct settings_counter, type, 0, U32_MAX),
	NUMBER(struct settings_counter, event, 0, U64_MAX),
	NUMBER(struct settings_counter, unit_mask, 0, 0xff),
	NUMBER(struct settings_counter, count, 1, U64_MAX),
	NUMBER(struct settings_counter, hz, 0, SETTINGS_HZ_MAX),
	NUMBER(struct settings_counter, kernel, 0, 1),
	NUMBER(struct settings_counter, user, 0, 1),
};

struct number_file {
	const struct number *number;
	void *field;
};

static struct number_file top_files[ARRAY_SIZE(top_numbers)];
static struct number_file counter_files[OPROF_KMOD_COUNTERS_MAX][ARRAY_SIZE(counter_numbers)];

static u64 number_get_locked(const struct number_file *file)
{
	switch (file->number->bytes) {
	case sizeof(bool):
		return *(bool *)file->field;
	case sizeof(u32):
		return *(u32 *)file->field;
	default:
		return *(u64 *)file->field;
	}
}

static void number_set_locked(const struct number_file *file, u64 value)
{
	switch (file->number->bytes) {
	case sizeof(bool):
		*(bool *)file->field = value;
		break;
	case sizeof(u32):
		*(u32 *)file->field = value;
		break;
	default:
		*(u64 *)file->field = value;
	}
}

/*
 * Checks the only rule that min and max do not express: the watershed must not
 * exceed the buffer.
 */
static bool number_fits_locked(const struct number_file *file, u64 value)
{
	if (file->field == &control_settings.buffer_size)
		return value >= control_settings.buffer_watershed;
	if (file->field == &control_settings.buffer_watershed)
		return value <= control_settings.buffer_size;
	return true;
}

static int number_change(const struct number_file *file, u64 value)
{
	int status = 0;

	if (value < file->number->min || value > file->number->max)
		return -EINVAL;
	mutex_lock(&settings_mutex);
	if (run_is_open())
		status = -EBUSY;
	else if (!number_fits_locked(file, value))
		status = -EINVAL;
	else
		number_set_locked(file, value);
	mutex_unlock(&settings_mutex);
	return status;
}

static ssize_t number_read(struct file *file, char __user *to, size_t nr_bytes, loff_t *offset)
{
	u64 value;

	mutex_lock(&settings_mutex);
	value = number_get_locked(file->private_data);
	mutex_unlock(&settings_mutex);
	return read_number(value, to, nr_bytes, offset);
}

static ssize_t number_write(struct file *file, const char __user *from, size_t nr_bytes,
			    loff_t *offset)
{
	u64 value;
	int status = write_number(from, nr_bytes, *offset, &value);

	if (!status)
		status = number_change(file->private_data, value);
	return status ?: nr_bytes;
}

static const struct file_operations number_operations = {
	.owner = THIS_MODULE,
	.open = control_file_open,
	.read = number_read,
	.write = number_write,
	.llseek = default_llseek,
};

/* ---- enable ---- */

static ssize_t enable_read(struct file *file, char __user *to, size_t nr_bytes, loff_t *offset)
{
	return read_number(run_is_enabled(), to, nr_bytes, offset);
}

static ssize_t enable_write(struct file *file, const char __user *from, size_t nr_bytes,
			    loff_t *offset)
{
	u64 value;
	int status = write_number(from, nr_bytes, *offset, &value);

	if (!status)
		status = value > 1 ? -EINVAL : run_enable(value);
	return status ?: nr_bytes;
}

static const struct file_operations enable_operations = {
	.owner = THIS_MODULE,
	.open = control_file_open,
	.read = enable_read,
	.write = enable_write,
	.llseek = default_llseek,
};

/* ---- thinning ---- */

static ssize_t thinning_read(struct file *file, char __user *to, size_t nr_bytes, loff_t *offset)
{
	return read_number(run_thinning(), to, nr_bytes, offset);
}

static ssize_t thinning_write(struct file *file, const char __user *from, size_t nr_bytes,
			      loff_t *offset)
{
	u64 value;
	int status = write_number(from, nr_bytes, *offset, &value);

	if (!status)
		status = !value || value > SETTINGS_THINNING_MAX ? -EINVAL : run_thin(value);
	return status ?: nr_bytes;
}

static const struct file_operations thinning_operations = {
	.owner = THIS_MODULE,
	.open = control_file_open,
	.read = thinning_read,
	.write = thinning_write,
	.llseek = default_llseek,
};

/* ---- dump ---- */

static ssize_t dump_write(struct file *file, const char __user *from, size_t nr_bytes,
			  loff_t *offset)
{
	return run_dump() ?: nr_bytes;
}

static const struct file_operations dump_operations = {
	.owner = THIS_MODULE,
	.open = control_file_open,
	.write = dump_write,
	.llseek = noop_llseek,
};

/* ---- the buffer ---- */

static int buffer_open(struct inode *inode, struct file *file)
{
	int status;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (file->f_mode & FMODE_WRITE)
		return -EINVAL;
	mutex_lock(&settings_mutex);
	status = run_open(&control_settings);
	mutex_unlock(&settings_mutex);
	return status ?: stream_open(inode, file); /* stream_open() cannot fail */
}

static int buffer_release(struct inode *inode, struct file *file)
{
	run_close();
	return 0;
}

static ssize_t buffer_read(struct file *file, char __user *to, size_t nr_bytes, loff_t *offset)
{
	return event_buffer_read(file, to, nr_bytes);
}

static long buffer_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct oprof_kmod_image_open __user *open = (void __user *)argument;
	u32 image;
	int fd;

	if (command != OPROF_KMOD_IMAGE_OPEN)
		return -ENOTTY;
	/*
	 * Check first that the result can be written: otherwise the new
	 * descriptor could not be returned.
	 */
	if (get_user(image, &open->image) || put_user(-1, &open->fd))
		return -EFAULT;
	fd = image_open_file(image);
	if (fd < 0)
		return fd;
	return put_user(fd, &open->fd);
}

static const struct file_operations buffer_operations = {
	.owner = THIS_MODULE,
	.open = buffer_open,
	.release = buffer_release,
	.read = buffer_read,
	.poll = event_buffer_poll,
	.unlocked_ioctl = buffer_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ---- read-only files ---- */

struct text {
	const char *name;
	const char *(*get)(void);
};

static const char *get_version(void)
{
	return __stringify(OPROF_KMOD_VERSION);
}

static const char *get_unmappings(void)
{
	return unmapped_works() ? "recorded" : "unknown";
}

static const struct text texts[] = {
	{"version", get_version},
	{"cpu_type", counters_cpu_type},
	{"clock", stamp_name},
	{"unmappings", get_unmappings},
};

static ssize_t text_read(struct file *file, char __user *to, size_t nr_bytes, loff_t *offset)
{
	const struct text *text = file->private_data;

	return read_text(text->get(), to, nr_bytes, offset);
}

static const struct file_operations text_operations = {
	.owner = THIS_MODULE,
	.open = control_file_open,
	.read = text_read,
	.llseek = default_llseek,
};

/*
 * The data pointer of a file in stats/ encodes the counter and the CPU; it is
 * never dereferenced.
 */
static void *stats_data(int cpu, enum stats_counter counter)
{
	return (void *)((unsigned long)(cpu + 1) * STATS_NR + counter);
}

static ssize_t stats_read(struct file *file, char __user *to, size_t nr_bytes, loff_t *offset)
{
	unsigned long data = (unsigned long)file->private_data;
	enum stats_counter counter = data % STATS_NR;
	int cpu = (int)(data / STATS_NR) - 1;

	return read_number(cpu < 0 ? stats_sum(counter) : stats_get(cpu, counter), to, nr_bytes,
			   offset);
}

static const struct file_operations stats_operations = {
	.owner = THIS_MODULE,
	.open = control_file_open,
	.read = stats_read,
	.llseek = default_llseek,
};

/* ---- lists of files ---- */

void control_file_init(void)
{
	unsigned int counter, i;

	settings_init(&control_settings);
	for (i = 0; i < ARRAY_SIZE(top_numbers); i++)
		top_files[i] = (struct number_file){&top_numbers[i],
						    (u8 *)&control_settings + top_numbers[i].at};
	for (counter = 0; counter < OPROF_KMOD_COUNTERS_MAX; counter++)
		for (i = 0; i < ARRAY_SIZE(counter_numbers); i++)
			counter_files[counter][i] = (struct number_file){
				&counter_numbers[i],
				(u8 *)&control_settings.counters[counter] + counter_numbers[i].at};
}

static struct control_file file_of_number(struct number_file *number)
{
	return (struct control_file){number->number->name, 0600, &number_operations, number};
}

bool control_file_top(unsigned int index, struct control_file *file)
{
	static const struct control_file others[] = {
		{"enable", 0600, &enable_operations, NULL},
		{"thinning", 0600, &thinning_operations, NULL},
		{"dump", 0200, &dump_operations, NULL},
		{"buffer", 0400, &buffer_operations, NULL},
		{OPROF_KTRACE_FILE, 0600, &trace_session_operations, NULL},
	};

	if (index < ARRAY_SIZE(others)) {
		*file = others[index];
		return true;
	}
	index -= ARRAY_SIZE(others);
	if (index < ARRAY_SIZE(texts)) {
		*file = (struct control_file){texts[index].name, 0400, &text_operations,
					      (void *)&texts[index]};
		return true;
	}
	index -= ARRAY_SIZE(texts);
	if (index >= ARRAY_SIZE(top_files))
		return false;
	*file = file_of_number(&top_files[index]);
	return true;
}

bool control_file_counter(unsigned int counter, unsigned int index, struct control_file *file)
{
	if (index >= ARRAY_SIZE(counter_numbers))
		return false;
	*file = file_of_number(&counter_files[counter][index]);
	return true;
}

bool control_file_stats(int cpu, unsigned int index, struct control_file *file)
{
	if (index >= STATS_NR)
		return false;
	*file = (struct control_file){stats_names[index], 0400, &stats_operations,
				      stats_data(cpu, index)};
	return true;
}
