// SPDX-License-Identifier: GPL-2.0
/*
 * All interfaces that show rings, read while rings come and go, while their
 * processes are killed and while the module is unloaded: fdinfo, debugfs if
 * present, sysfs, QUERY, STATS, RING_STATS. A read returns an answer or an
 * errno that says that the object has gone; an unload succeeds or says that the
 * module is in use.
 *
 * debugfs.c checks the values; lifecycle.c and unload.c test each of these
 * alone.
 */
#include "wsq_left.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define ROUNDS		60	/* victims killed */
#define UNLOADS		16
#define VICTIMS		3
#define FDS		16

static struct shared {
	pid_t victims[VICTIMS];		/* 0 while there is none */
	uint64_t files;			/* read, with something in it */
	uint64_t fdinfos;
	uint64_t stats;			/* of rings of others */
	uint64_t asked;			/* QUERY and STATS */
	uint64_t gone;			/* by a clean errno */
	bool unloading;
} *shared;

static void counted(uint64_t *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* It does not exist, no longer exists, or is busy. */
static void expect_gone(const char *what, int err)
{
	counted(&shared->gone);
	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case ESRCH:
		return;
	case EIO:
		/* debugfs's error for a file that is being removed. */
		return;
	}
	FAIL("%s: %s", what, strerror(err));
}

static void read_all(const char *path, uint64_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got, sum = 0;
	char text[4096];

	if (fd < 0) {
		expect_gone(path, errno);
		return;
	}
	while ((got = read(fd, text, sizeof(text))) > 0 && sum < 1 << 20)
		sum += got;
	if (got < 0)
		expect_gone(path, errno);
	else if (sum)
		counted(n);
	close(fd);
}

/* Reads everything below @path. */
static void read_tree(const char *path, unsigned int depth)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char name[600];
	struct stat st;

	if (!d) {
		expect_gone(path, errno);
		return;
	}
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (lstat(name, &st)) {
			expect_gone(name, errno);
			continue;
		}
		if (S_ISDIR(st.st_mode) && depth)
			read_tree(name, depth - 1);
		else if (S_ISREG(st.st_mode) && st.st_mode & 0444)
			read_all(name, &shared->files);
	}
	closedir(d);
}

static void trees(uint64_t unused)
{
	(void)unused;
	for (;;) {
		read_tree("/sys/module/wsq", 1);
		read_tree("/sys/class/wsq", 2);
		if (!access("/sys/kernel/debug", X_OK))
			read_tree("/sys/kernel/debug/wsq", 2);
	}
}

static void fdinfos(uint64_t seed)
{
	char path[64];

	for (;;) {
		pid_t pid = __atomic_load_n(&shared->victims[rnd(&seed) % VICTIMS],
					    __ATOMIC_RELAXED);
		int fd;

		for (fd = 3; pid && fd < FDS; fd++) {
			snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid,
				 fd);
			read_all(path, &shared->fdinfos);
		}
	}
}

/* Files of other processes: some are the last reference when we close them. */
static void stealer(uint64_t seed)
{
	for (;;) {
		pid_t pid = __atomic_load_n(&shared->victims[rnd(&seed) % VICTIMS],
					    __ATOMIC_RELAXED);
		int pidfd = pid ? syscall(SYS_pidfd_open, pid, 0) : -1, fd, n;

		for (n = 3; pidfd >= 0 && n < FDS; n++) {
			struct wsq_ring_stats st = { .size = sizeof(st) };

			fd = syscall(SYS_pidfd_getfd, pidfd, n, 0);
			if (fd < 0)
				continue;
			if (rnd(&seed) % 4 == 0)
				usleep(rnd(&seed) % 3000);
			if (!ioctl(fd, WSQ_IOC_RING_STATS, &st)) {
				EXPECT(st.completed <= st.submitted);
				EXPECT(st.failed + st.cancelled <=
				       st.completed);
				counted(&shared->stats);
			} else {
				/* A pipe, or a file without a ring. */
				EXPECT(errno == ENOTTY || errno == EINVAL);
			}
			close(fd);
		}
		if (pidfd >= 0)
			close(pidfd);
	}
}

static void asker(uint64_t seed)
{
	for (;;) {
		struct wsq_cpu_stats cpus[8];
		struct wsq_op_info ops[16];
		struct wsq_stats st = {
			.size = sizeof(st), .nr_cpus = ARRAY_SIZE(cpus),
			.cpus = (uintptr_t)cpus,
			.cpu_stats_size = sizeof(cpus[0]),
		};
		struct wsq_query q = {
			.size = sizeof(q), .nr_ops = ARRAY_SIZE(ops),
			.ops = (uintptr_t)ops,
		};
		int fd = open(WSQ_DEVICE, O_RDWR | O_CLOEXEC);

		if (fd < 0) {
			expect_gone(WSQ_DEVICE, errno);
			continue;
		}
		EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), 0);
		EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
		EXPECT(q.nr_ops > 0);
		close(fd);
		counted(&shared->asked);
		/* Otherwise the module would be in use all the time. */
		if (shared->unloading)
			usleep(rnd(&seed) % 3000);
	}
}

static pid_t reader(void (*fn)(uint64_t), uint64_t seed)
{
	pid_t pid = fork();

	EXPECT(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn(seed);
	}
	return pid;
}

static void (*const readers[])(uint64_t) = { trees, fdinfos, stealer, asker };

static void readers_start(pid_t *pids)
{
	unsigned int i;

	expect_loaded();
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT(shared != MAP_FAILED);
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		pids[i] = reader(readers[i], i + 1);
}

/* Readers end by themselves only if something is wrong. */
static void readers_stop(const pid_t *pids)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(readers); i++)
		expect_killed(pids[i]);
	printf("# %llu files, %llu fdinfos, %llu rings' stats, %llu times asked, %llu times gone\n",
	       (unsigned long long)shared->files,
	       (unsigned long long)shared->fdinfos,
	       (unsigned long long)shared->stats,
	       (unsigned long long)shared->asked,
	       (unsigned long long)shared->gone);
	fflush(stdout);
}

static void victim_start(struct party *p, unsigned int i, uint64_t *seed)
{
	party_start(p, load_run, rnd(seed));
	__atomic_store_n(&shared->victims[i], p->pid, __ATOMIC_RELAXED);
}

static void victim_kill(struct party *p, unsigned int i)
{
	expect_killed(p->pid);
	__atomic_store_n(&shared->victims[i], 0, __ATOMIC_RELAXED);
	party_over(p);
}

static void going(void)
{
	uint64_t seed = 6;
	pid_t pids[ARRAY_SIZE(readers)];
	struct party victims[VICTIMS];
	unsigned int i, n = 0;

	readers_start(pids);
	for (i = 0; i < VICTIMS; i++)
		victim_start(&victims[i], i, &seed);
	/* At least one of each, however slow the machine. */
	for (; n < part_of(ROUNDS) || !shared->fdinfos || !shared->stats ||
	     !shared->files || !shared->asked; n++) {
		i = rnd(&seed) % VICTIMS;
		usleep(rnd(&seed) % 20000);
		victim_kill(&victims[i], i);
		victim_start(&victims[i], i, &seed);
	}
	for (i = 0; i < VICTIMS; i++)
		victim_kill(&victims[i], i);
	readers_stop(pids);
	printf("# %u killed\n", n);
	expect_nothing();
}

static void unloading(void)
{
	uint64_t seed = 7;
	unsigned int unloads = 0, refused = 0;
	pid_t pids[ARRAY_SIZE(readers)];
	struct party p;

	readers_start(pids);
	shared->unloading = true;
	while (unloads < part_of(UNLOADS) || !refused || !shared->files ||
	       !shared->asked) {
		int ret;

		/* Rings are being destroyed when it begins. */
		victim_start(&p, 0, &seed);
		refused += module_unload() == EWOULDBLOCK;
		victim_kill(&p, 0);
		do {
			ret = module_unload();
		} while (ret == EWOULDBLOCK && ++refused);
		EXPECT_EQ(ret, 0);
		unloads++;
		EXPECT_EQ(module_load(), 0);
		expect_device();
	}
	readers_stop(pids);
	printf("# %u unloaded, %u refused\n", unloads, refused);
	expect_nothing_left();
}

static const struct test tests[] = {
	{ "going", going },
	{ "unloading", unloading },
};

TEST_MAIN(tests)
