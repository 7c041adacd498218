// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/wsq: its content, and that no write does harm.
 *
 * wsq_sysfs_test.ko (kmod/tests/sysfs_test.c) makes the queues. It is looked
 * for in /lib/modules/wsq (the laboratory's) and beside wsq.ko, or named by
 * WSQ_SYSFS_TEST_KO. Loaded here, left loaded if a test dies, unloaded last.
 */
#include "wsq_test.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define CLASS		"/sys/class/wsq"
#define STEADY		CLASS "/sysfs-test"
#define FOLLOWS		CLASS "/sysfs-follows"
#define CHURN		CLASS "/sysfs-churn"
#define PARAMETERS	"/sys/module/wsq_sysfs_test/parameters"

static void expect_loaded(void)
{
	const char *path = getenv("WSQ_SYSFS_TEST_KO");
	int fd, err;

	if (!access(PARAMETERS, F_OK))
		return;
	if (!path)
		path = "/lib/modules/wsq/wsq_sysfs_test.ko";
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("no %s, WSQ_SYSFS_TEST_KO is not set", path);
	err = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	/* EIO: a name was wrongly refused or accepted. */
	EXPECT_EQ(err, 0);
	close(fd);
}

/* The content of a file, without the end of the line. */
static const char *get(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		FAIL("%s: %s", path, strerror(errno));
	n = read(fd, text, sizeof(text) - 1);
	EXPECT(n > 0);
	close(fd);
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return text;
}

static unsigned long long number(const char *path)
{
	return strtoull(get(path), NULL, 10);
}

/* A mask in words of 32 bits; here only the last one, of CPUs 0 to 31. */
static unsigned long mask_of(const char *path)
{
	const char *text = get(path), *last = strrchr(text, ',');

	return strtoul(last ? last + 1 : text, NULL, 16);
}

/* Returns 0 or the error of one write(). */
static int put(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY), err = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	n = write(fd, data, len);
	if (n < 0)
		err = errno;
	else if ((size_t)n != len)
		err = ENOSPC;
	close(fd);
	return err;
}

static int put_text(const char *path, const char *text)
{
	return put(path, text, strlen(text));
}

static void put_mask(unsigned long mask)
{
	char text[32];

	snprintf(text, sizeof(text), "%lx\n", mask);
	EXPECT_EQ(put_text(STEADY "/cpumask", text), 0);
	EXPECT_EQ(mask_of(STEADY "/cpumask"), mask);
}

static unsigned long online(void)
{
	unsigned long mask = 0;
	long cpu, nr = sysconf(_SC_NPROCESSORS_CONF);
	char path[64];

	for (cpu = 0; cpu < nr && cpu < 32; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%ld/online", cpu);
		if (access(path, F_OK) || number(path))
			mask |= 1UL << cpu;
	}
	return mask;
}

/* An item is counted after it has run. */
static void expect_executed(unsigned long long nr)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	while (number(STEADY "/executed") < nr && now_ns() < end)
		usleep(10000);
	EXPECT_EQ(number(STEADY "/executed"), nr);
}

static void files(void)
{
	unsigned long long before, used;

	expect_loaded();
	EXPECT_EQ(number(STEADY "/resident"), 1);
	EXPECT_EQ(number(STEADY "/mem_reclaim"), 0);
	EXPECT(mask_of(CLASS "/cpumask"));
	EXPECT_EQ(mask_of(STEADY "/cpumask") & online(), online());
	EXPECT_EQ(mask_of(STEADY "/cpumask_effective"), online());
	EXPECT(!strcmp(get(STEADY "/class"), "normal"));
	used = number(STEADY "/cpu_usec");
	before = number(STEADY "/queued");
	expect_executed(before);
	number(PARAMETERS "/ran_on");
	EXPECT_EQ(number(STEADY "/queued"), before + 1);
	expect_executed(before + 1);
	EXPECT(number(STEADY "/cpu_usec") >= used);
	/* Read-only files cannot be written, by root either. */
	EXPECT_EQ(put_text(CLASS "/cpumask", "1"), EACCES);
	EXPECT_EQ(put_text(STEADY "/cpumask_effective", "1"), EACCES);
	EXPECT_EQ(put_text(STEADY "/queued", "1"), EACCES);
	EXPECT_EQ(put_text(STEADY "/class", "high"), EACCES);
	EXPECT_EQ(put_text(STEADY "/cpu_usec", "1"), EACCES);
}

/* An item runs on a CPU of the mask right after the write. */
static void moves(void)
{
	unsigned long all;
	int cpu, i;

	expect_loaded();
	all = online();
	for (i = 0; i < 3; i++) {
		for (cpu = 0; cpu < 32; cpu++) {
			if (!(all & 1UL << cpu))
				continue;
			put_mask(1UL << cpu);
			EXPECT_EQ(mask_of(STEADY "/cpumask_effective"),
				  1UL << cpu);
			EXPECT_EQ(number(PARAMETERS "/ran_on"), cpu);
		}
	}
	put_mask(all);
}

static void wrong(void)
{
	static const struct {
		const char *text;
		int err;
	} rows[] = {
		{ "\n", EINVAL }, { "0", EINVAL }, { "0\n", EINVAL },
		{ " ", EINVAL },
		{ "x", EINVAL }, { "0x1", EINVAL }, { "-1", EINVAL },
		{ "0-1", EINVAL }, { "1;", EINVAL },
		{ "1\n2", EINVAL }, { "1\n\n", EINVAL }, { "%s%n", EINVAL },
		{ "1,00000000,00000000,00000000,00000000,00000000,00000000,"
		  "00000000,00000000,00000000,00000000,00000000,00000000,"
		  "00000000,00000000,00000000,00000000,00000000,00000000,"
		  "00000000,00000000,00000000,00000000,00000000,00000000,"
		  "00000000,00000000,00000000,00000000,00000000,00000000,"
		  "00000000,00000000,00000000,00000000,00000000,00000000\n",
		  EOVERFLOW },
	};
	static char large[3 * 4096];
	unsigned long before;
	uint64_t seed = 1;
	size_t i, k;

	expect_loaded();
	before = mask_of(STEADY "/cpumask");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_at("row", i);
		EXPECT_EQ(put_text(STEADY "/cpumask", rows[i].text),
			  rows[i].err);
		EXPECT_EQ(mask_of(STEADY "/cpumask"), before);
	}
	test_at(NULL, 0);
	/* A string ends at the end of the write, not at a zero. */
	EXPECT_EQ(put(STEADY "/cpumask", "1\0", 2), EINVAL);
	EXPECT_EQ(put(STEADY "/cpumask", "1\0junk", 6), EINVAL);
	EXPECT_EQ(put(STEADY "/cpumask", "\0", 1), EINVAL);
	/* Longer than a page, of valid characters. */
	for (i = 0; i < 2; i++) {
		memset(large, "1,"[i], sizeof(large));
		EXPECT(put(STEADY "/cpumask", large, sizeof(large)));
		EXPECT_EQ(mask_of(STEADY "/cpumask"), before);
	}
	/* Random bytes: accepted input names a CPU. */
	for (i = 0; i < 1000; i++) {
		static const char some[] = "0123456789abcdefABCDEF,,\n- x";
		size_t len = 1 + rnd(&seed) % 40;

		for (k = 0; k < len; k++)
			large[k] = i % 2 ? some[rnd(&seed) % sizeof(some)] :
					   (char)rnd(&seed);
		put(STEADY "/cpumask", large, len);
		EXPECT(mask_of(STEADY "/cpumask"));
	}
	number(PARAMETERS "/ran_on");
	put_mask(before);
}

/* Words of the files that root may change; the first is the default. */
static const struct {
	const char *path;
	const char *words[8];
} steal[] = {
	{ STEADY "/steal_policy",
	  { "numa+prob", "random", "sequential", "numa", "prob",
	    "randomized" } },
	{ STEADY "/steal_batch", { "few", "one", "half", "block" } },
};

/* Steal policies and amounts: any of the words, and items still run. */
static void steals(void)
{
	size_t i, k;
	char text[32];

	expect_loaded();
	for (i = 0; i < ARRAY_SIZE(steal); i++) {
		EXPECT(!strcmp(get(steal[i].path), steal[i].words[0]));
		for (k = 0; steal[i].words[k]; k++) {
			test_at("word", k);
			/* With and without the end of the line. */
			snprintf(text, sizeof(text), "%s%s", steal[i].words[k],
				 k % 2 ? "" : "\n");
			EXPECT_EQ(put_text(steal[i].path, text), 0);
			EXPECT(!strcmp(get(steal[i].path), steal[i].words[k]));
			number(PARAMETERS "/ran_on");
		}
		test_at(NULL, 0);
		EXPECT_EQ(put_text(steal[i].path, steal[i].words[0]), 0);
	}
}

static void wrong_steals(void)
{
	static const char *const wrong[] = {
		"\n", " ", "x", "0", "1", "nume", "num", "numa ", " numa",
		"NUMA", "numa+", "numa+prob+x", "random\nrandom", "one\n\n",
		"block;", "halfhalf", "default", "(null)", "%s%n",
	};
	size_t i, k;

	expect_loaded();
	for (i = 0; i < ARRAY_SIZE(steal); i++) {
		for (k = 0; k < ARRAY_SIZE(wrong); k++) {
			test_at("row", k);
			EXPECT_EQ(put_text(steal[i].path, wrong[k]), EINVAL);
			EXPECT(!strcmp(get(steal[i].path), steal[i].words[0]));
		}
		test_at(NULL, 0);
		/* The other file's words, and a truncated one. */
		EXPECT_EQ(put_text(steal[i].path, steal[!i].words[1]), EINVAL);
		EXPECT_EQ(put(steal[i].path, "one\0x", 5), EINVAL);
		EXPECT_EQ(put(steal[i].path, "numa\0", 5), EINVAL);
		EXPECT_EQ(put(steal[i].path, "\0", 1), EINVAL);
		EXPECT(!strcmp(get(steal[i].path), steal[i].words[0]));
	}
}

static const char cpu1[] = "/sys/devices/system/cpu/cpu1/online";

/* CPU 1 is the queue's only one, and offline: another runs its items. */
static void expect_substitute(void)
{
	unsigned long mask = mask_of(STEADY "/cpumask_effective");

	EXPECT_EQ(mask_of(STEADY "/cpumask"), 2);
	EXPECT(mask && !(mask & (mask - 1)));
	EXPECT_EQ(mask & online(), mask);
	EXPECT_EQ(1UL << number(PARAMETERS "/ran_on"), mask);
}

/* CPU 1 comes back, and soon no other runs the queue's items. */
static void expect_restored(void)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	EXPECT_EQ(put_text(cpu1, "1"), 0);
	while (mask_of(STEADY "/cpumask_effective") != 2 && now_ns() < end)
		usleep(10000);
	EXPECT_EQ(mask_of(STEADY "/cpumask_effective"), 2);
	EXPECT_EQ(mask_of(STEADY "/cpumask"), 2);
	EXPECT_EQ(number(PARAMETERS "/ran_on"), 1);
}

/*
 * Masks may include offline CPUs, which take part once they are online. If all
 * are offline, another CPU runs the items: the mask is written while they are, or
 * they go offline later.
 */
static void offline(void)
{
	unsigned long all;

	expect_loaded();
	all = online();
	if (access(cpu1, W_OK) || !(all & 2))
		SKIP("CPU 1 cannot be taken off");
	EXPECT_EQ(put_text(cpu1, "0"), 0);
	put_mask(2);
	expect_substitute();
	expect_restored();
	EXPECT_EQ(put_text(cpu1, "0"), 0);
	expect_substitute();
	/* Another mask, and the same again, meanwhile. */
	put_mask(all & ~2UL);
	EXPECT_EQ(mask_of(STEADY "/cpumask_effective"), all & ~2UL);
	put_mask(2);
	expect_substitute();
	expect_restored();
	put_mask(all);
	EXPECT_EQ(mask_of(STEADY "/cpumask_effective"), all);
}

/* Soon the queue that names no CPUs has those of @mask that are online. */
static void expect_follows(unsigned long mask)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	EXPECT_EQ(mask_of(CLASS "/cpumask") & online(), mask);
	/* The timer does not wake an idle CPU. */
	while ((mask_of(FOLLOWS "/cpumask") & online()) != mask &&
	       now_ns() < end)
		usleep(10000);
	EXPECT_EQ(mask_of(FOLLOWS "/cpumask") & online(), mask);
	EXPECT_EQ(mask_of(FOLLOWS "/cpumask_effective"), mask);
}

/* Queues that name no CPUs leave those that a cpuset partition isolates. */
static void partition(void)
{
	char top[] = "/tmp/wsq-cpuset.XXXXXX", path[100];
	unsigned long all, mine;
	unsigned long major, minor;
	struct utsname name;
	char *at;

	expect_loaded();
	EXPECT_ERR(uname(&name), 0);
	major = strtoul(name.release, &at, 10);
	EXPECT_EQ(*at, '.');
	minor = strtoul(at + 1, NULL, 10);
	if (major < 6 || (major == 6 && minor < 8))
		SKIP("before Linux 6.8 modules cannot ask for cpuset partitions");
	all = online();
	mine = mask_of(CLASS "/cpumask") & all;
	if (!(mine & 2) || mine == 2)
		SKIP("CPU 1 and another are needed");
	expect_follows(mine);
	EXPECT(mkdtemp(top));
	EXPECT_ERR(unshare(CLONE_NEWNS), 0);
	EXPECT_ERR(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	if (mount("none", top, "cgroup2", 0, NULL))
		SKIP("no cgroup v2: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/cgroup.controllers", top);
	if (!strstr(get(path), "cpuset"))
		SKIP("no cpuset controller in cgroup v2");
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", top);
	EXPECT_EQ(put_text(path, "+cpuset"), 0);
	snprintf(path, sizeof(path), "%s/wsq", top);
	EXPECT_ERR(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/wsq/cpuset.cpus", top);
	EXPECT_EQ(put_text(path, "1"), 0);
	snprintf(path, sizeof(path), "%s/wsq/cpuset.cpus.partition", top);
	EXPECT_EQ(put_text(path, "isolated"), 0);
	EXPECT(!strcmp(get(path), "isolated"));
	expect_follows(mine & ~2UL);
	snprintf(path, sizeof(path), "%s/wsq", top);
	EXPECT_ERR(rmdir(path), 0);
	expect_follows(mine);
	EXPECT_ERR(umount2(top, MNT_DETACH), 0);
	rmdir(top);
}

static void not_root(void)
{
	expect_loaded();
	if (geteuid())
		SKIP("not root");
	EXPECT_EQ(setuid(65534), 0);
	EXPECT(mask_of(STEADY "/cpumask"));
	EXPECT_EQ(put_text(STEADY "/cpumask", "1"), EACCES);
	EXPECT_EQ(put_text(STEADY "/steal_policy", "numa"), EACCES);
	EXPECT_EQ(put_text(STEADY "/steal_batch", "one"), EACCES);
	EXPECT_EQ(put_text(STEADY "/queued", "1"), EACCES);
	EXPECT_EQ(put_text(CLASS "/cpumask", "1"), EACCES);
}

static void __attribute__((noreturn)) writer(uint64_t seed)
{
	static const char *const names[] = {
		CHURN "/cpumask", CHURN "/cpumask_effective", CHURN "/queued",
		CHURN "/executed", CHURN "/mem_reclaim",
		CHURN "/steal_policy", CHURN "/steal_batch",
		CHURN "/class", CHURN "/cpu_usec",
	};
	unsigned int written = 0;

	for (;;) {
		char text[64];
		int fd, i;

		/* Opened once and used for long, beyond the queue's end. */
		fd = open(names[rnd(&seed) % ARRAY_SIZE(names)], O_RDWR);
		if (fd < 0)
			fd = open(CHURN "/cpumask", O_RDWR);
		if (fd < 0) {
			EXPECT(errno == ENOENT || errno == ENODEV);
			continue;
		}
		for (i = rnd(&seed) % 30; i >= 0; i--) {
			snprintf(text, sizeof(text), "%x",
				 1 + (int)(rnd(&seed) % 7));
			if (write(fd, text, strlen(text)) > 0)
				written++;
			else
				/* Some masks have impossible CPUs only. */
				EXPECT(errno == ENODEV || errno == EINVAL ||
				       errno == EOVERFLOW || errno == EBADF ||
				       errno == EIO);
			if (pread(fd, text, sizeof(text), 0) < 0)
				EXPECT(errno == ENODEV || errno == EBADF ||
				       errno == EIO);
		}
		close(fd);
	}
}

/* Writes race with the queue's destruction; no writer hangs. */
static void destroy(void)
{
	unsigned long long before;
	pid_t pids[3];
	int i;

	expect_loaded();
	before = number(PARAMETERS "/churned");
	for (i = 0; i < 3; i++) {
		pids[i] = fork();
		if (!pids[i])
			writer(i + 1);
	}
	while (number(PARAMETERS "/churned") - before < part_of(200)) {
		usleep(100000);
		for (i = 0; i < 3; i++)
			EXPECT_EQ(waitpid(pids[i], NULL, WNOHANG), 0);
	}
	for (i = 0; i < 3; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	before = number(PARAMETERS "/churned") - before;
	printf("# %llu queues gone under writers\n", before);
	fflush(stdout);
}

/* An open file does not keep the module, and fails afterwards. */
static void goes(void)
{
	int fd, err;
	char c;

	expect_loaded();
	fd = open(STEADY "/cpumask", O_RDWR);
	EXPECT(fd >= 0);
	err = syscall(SYS_delete_module, "wsq_sysfs_test", O_NONBLOCK) ?
	      errno : 0;
	EXPECT_EQ(err, 0);
	EXPECT_ERR(write(fd, "1", 1), ENODEV);
	EXPECT_ERR(read(fd, &c, 1), ENODEV);
	EXPECT_ERR(access(STEADY, F_OK), ENOENT);
	EXPECT_ERR(access(CHURN, F_OK), ENOENT);
	close(fd);
	EXPECT(mask_of(CLASS "/cpumask"));
	expect_loaded();
	EXPECT(mask_of(STEADY "/cpumask"));
	EXPECT_ERR(syscall(SYS_delete_module, "wsq_sysfs_test", O_NONBLOCK), 0);
}

static const struct test tests[] = {
	{ "files", files },
	{ "moves", moves },
	{ "wrong", wrong },
	{ "steals", steals },
	{ "wrong_steals", wrong_steals },
	{ "offline", offline },
	{ "partition", partition },
	{ "not_root", not_root },
	{ "destroy", destroy },
	{ "goes", goes },
};

TEST_MAIN(tests)
