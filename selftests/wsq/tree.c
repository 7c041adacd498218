// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_tree.ko (kmod/samples): a recursive job on queues of each kind and on
 * graphs of extreme shapes, parameters that it must refuse, and a signal during
 * the job. The module compares its result with one thread's and does not load
 * if it is wrong.
 *
 * Looked for in /lib/modules/wsq (the laboratory's), or named by WSQ_TREE_KO.
 * Needs root. For the full size, see tools/check/tree.
 */
#include "wsq_test.h"

#include <stdbool.h>
#include <sys/syscall.h>

static const char *tree_path(void)
{
	const char *path = getenv("WSQ_TREE_KO");

	if (!path)
		path = "/lib/modules/wsq/wsq_tree.ko";
	if (access(path, R_OK))
		SKIP("no %s, WSQ_TREE_KO is not set", path);
	if (access("/sys/module/wsq/initstate", F_OK))
		SKIP("wsq is not loaded");
	return path;
}

static int tree_loaded(void)
{
	return !access("/sys/module/wsq_tree", F_OK);
}

static int tree_unload(void)
{
	return syscall(SYS_delete_module, "wsq_tree", O_NONBLOCK) ? errno : 0;
}

static int tree_load(const char *parameters)
{
	int fd = open(tree_path(), O_RDONLY | O_CLOEXEC), err;

	EXPECT(fd >= 0);
	if (tree_loaded())
		tree_unload();
	err = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return err;
}

/* Memory areas that the loaded module still has. */
static int tree_areas(void)
{
	FILE *f = fopen("/proc/vmallocinfo", "r");
	char line[512];
	int nr = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		nr += !!strstr(line, "[wsq_tree]");
	fclose(f);
	return nr;
}

/* A line of /proc/meminfo, in bytes. */
static unsigned long long meminfo(const char *name)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long long kb = 0;
	char line[128];

	EXPECT(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), ": %llu kB", &kb) == 1)
			break;
	fclose(f);
	return kb << 10;
}

/* It builds its tree, and frees everything. */
static void expect_tree(const char *parameters)
{
	int err = tree_load(parameters);

	if (err)
		FAIL("%s: %s", parameters, strerror(err));
	EXPECT_EQ(tree_areas(), 0);
	EXPECT_EQ(tree_unload(), 0);
}

static void engines(void)
{
	static const char *const names[] = { "default", "bwos_fifo", "salsa", "bwos_lifo" };
	char text[200];
	unsigned int i;
	int seed;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (seed = 1; seed <= (int)part_of(2); seed++) {
			snprintf(text, sizeof(text),
				 "vertices=20000 engine=%s seed=%d", names[i],
				 seed);
			expect_tree(text);
			/* Nothing stays in the engine: two blocks of two. */
			snprintf(text, sizeof(text),
				 "vertices=5000 engine=%s seed=%d blocks=2 block_size=2",
				 names[i], seed);
			expect_tree(text);
		}
	}
}

static void policies(void)
{
	static const char *const names[] = {
		"random", "sequential", "numa", "prob", "randomized",
		"numa+prob",
	};
	static const char *const batches[] = { "one", "few", "half", "block" };
	char text[200];
	const unsigned int all = ARRAY_SIZE(names) * ARRAY_SIZE(batches);
	unsigned int i, k;

	/* Each policy and each batch, if not each pair. */
	for (i = 0; i < all && (parts() == 1 || i < ARRAY_SIZE(names)); i++) {
		k = (i + i / ARRAY_SIZE(names)) % ARRAY_SIZE(batches);
		snprintf(text, sizeof(text),
			 "vertices=5000 policy=%s batch=%s block_size=32",
			 names[i % ARRAY_SIZE(names)], batches[k]);
		expect_tree(text);
	}
}

static void shapes(void)
{
	static const char *const rows[] = {
		"vertices=2 degree=2",
		"vertices=2 degree=64 reach=1",
		"vertices=3 degree=3 reach=2",
		/* A path: never more than one item. */
		"vertices=5000 degree=2 reach=1",
		"vertices=5001 degree=3 reach=1",
		"vertices=20000 degree=4 reach=16",
		"vertices=20000 degree=3 reach=20000",
		/* Little more than a tree, and many times more. */
		"vertices=20000 degree=2",
		"vertices=4000 degree=64",
		"vertices=20000 seed=18446744073709551615 blocks=64 block_size=4096",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		expect_tree(rows[i]);
}

static void wrong(void)
{
	static const struct {
		const char *text;
		int err;
	} rows[] = {
		{ "vertices=0", EINVAL }, { "vertices=1", EINVAL },
		{ "vertices=16777217", EINVAL },
		{ "vertices=4294967295", EINVAL },
		{ "vertices=4294967296", ERANGE },
		{ "vertices=-1", EINVAL }, { "vertices=", EINVAL },
		{ "vertices=many", EINVAL },
		{ "degree=0", EINVAL }, { "degree=1", EINVAL },
		{ "degree=65", EINVAL }, { "degree=4294967295", EINVAL },
		{ "vertices=100 reach=101", EINVAL },
		{ "reach=4294967295", EINVAL },
		{ "seed=-1", EINVAL }, { "seed=x", EINVAL },
		{ "seed=18446744073709551616", ERANGE },
		{ "engine=", EINVAL }, { "engine=BWOS", EINVAL },
		{ "engine=bwosx", EINVAL }, { "engine=%s%n", EINVAL },
		{ "policy=", EINVAL }, { "policy=numa+probe", EINVAL },
		{ "batch=", EINVAL }, { "batch=-1", EINVAL },
		{ "blocks=1", EINVAL }, { "blocks=65", EINVAL },
		{ "blocks=4294967295", EINVAL },
		{ "block_size=1", EINVAL }, { "block_size=4097", EINVAL },
		{ "block_size=4294967295", EINVAL },
	};
	char text[200];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_at("row", i);
		snprintf(text, sizeof(text), "%s%s",
			 strstr(rows[i].text, "vertices") ? "" :
							    "vertices=100 ",
			 rows[i].text);
		EXPECT_EQ(tree_load(text), rows[i].err);
		EXPECT(!tree_loaded());
	}
	test_at(NULL, 0);
	expect_tree("vertices=100");
}

/* More than half of the memory: refused, and no process is killed. */
static void memory(void)
{
	if (meminfo("MemAvailable") > 10ULL << 30)
		SKIP("too much memory here");
	EXPECT_EQ(tree_load("vertices=16777216 degree=64"), ENOMEM);
	EXPECT(!tree_loaded());
	expect_tree("vertices=1000");
}

/* Items that all CPUs have run, over all queues. */
static unsigned long long ran(void)
{
	static struct wsq_cpu_stats cpus[1024];
	struct wsq_stats st = {
		.size = sizeof(st), .nr_cpus = ARRAY_SIZE(cpus),
		.cpus = (uintptr_t)cpus, .cpu_stats_size = sizeof(cpus[0]),
	};
	unsigned long long sum = 0;
	int fd = open(WSQ_DEVICE, O_RDWR | O_CLOEXEC);
	unsigned int i;

	EXPECT(fd >= 0);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), 0);
	close(fd);
	for (i = 0; i < st.nr_cpus && i < ARRAY_SIZE(cpus); i++)
		sum += cpus[i].gets;
	return sum;
}

static void on_signal(int sig)
{
	(void)sig;
}

static pid_t load_beside(const char *parameters)
{
	struct sigaction sa = { .sa_handler = on_signal };
	pid_t pid;

	sigaction(SIGINT, &sa, NULL);
	pid = fork();
	if (!pid)
		_exit(tree_load(parameters));
	return pid;
}

/*
 * A signal after so many items, or so many microseconds: the load fails soon,
 * and nothing is left.
 */
static bool interrupt_after(unsigned long long items, unsigned int us)
{
	unsigned long long used = meminfo("VmallocUsed"), before = ran();
	pid_t pid, over = 0;
	uint64_t start;
	int status;

	/* 76 MB. */
	pid = load_beside("vertices=1000000 degree=4");
	while (!over && (items ? ran() - before < items : !tree_loaded())) {
		usleep(1000);
		over = waitpid(pid, &status, WNOHANG);
	}
	usleep(us);
	start = now_ns();
	if (!over) {
		kill(pid, SIGINT);
		over = waitpid(pid, &status, 0);
	}
	EXPECT_EQ(over, pid);
	EXPECT(WIFEXITED(status));
	start = now_ns() - start;
	printf("# over %llu ms after the signal\n",
	       (unsigned long long)(start / MSEC));
	fflush(stdout);
	if (!WEXITSTATUS(status)) {
		tree_unload();
		return false;
	}
	EXPECT_EQ(WEXITSTATUS(status), EINTR);
	EXPECT(!tree_loaded());
	EXPECT(meminfo("VmallocUsed") < used + (4 << 20));
	/* No further items. */
	before = ran();
	usleep(10000);
	EXPECT_EQ(ran(), before);
	return true;
}

static void interrupted(void)
{
	static const struct { unsigned int items, us; } when[] = {
		{ 0, 20000 }, { 1, 0 }, { 100, 0 },
	};
	unsigned int i, turn;

	tree_path();
	/* While the graph is made; while items run. It may come too late. */
	for (i = 0; i < ARRAY_SIZE(when); i++) {
		test_at("when", i);
		for (turn = 0; turn < TRIES; turn++)
			if (interrupt_after(when[i].items, when[i].us))
				break;
		if (turn == TRIES)
			SKIP("the signal came too late each time");
	}
	test_at(NULL, 0);
	expect_tree("vertices=1000");
}

static const struct test tests[] = {
	{ "engines", engines },
	{ "policies", policies },
	{ "shapes", shapes },
	{ "wrong", wrong },
	{ "memory", memory },
	{ "interrupted", interrupted },
};

TEST_MAIN(tests)
