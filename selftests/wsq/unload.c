// SPDX-License-Identifier: GPL-2.0
/*
 * The module comes and goes: in a loop, while it is open, and the moment the
 * last process with work in flight has been killed.
 */
#include "wsq_module.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

/* Kernel threads that bear the module's name. */
static int threads(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int nr = 0;

	EXPECT(d);
	while ((e = readdir(d))) {
		char path[300], comm[64] = "", exe[8];
		int fd;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/exe", e->d_name);
		if (readlink(path, exe, sizeof(exe)) >= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, comm, sizeof(comm) - 1) > 0)
			nr += !strncmp(comm, "wsq", 3);
		close(fd);
	}
	closedir(d);
	return nr;
}

static void expect_unloaded(void)
{
	EXPECT(!module_loaded());
	EXPECT_ERR(open(WSQ_DEVICE, O_RDWR), ENOENT);
	EXPECT_EQ(threads(), 0);
}

static void loop(void)
{
	int i;

	expect_loaded();
	for (i = 0; i < 10; i++) {
		if (i % 2)
			expect_usable();
		EXPECT_EQ(module_unload(), 0);
		expect_unloaded();
		EXPECT_EQ(module_unload(), ENOENT);
		EXPECT_EQ(module_load(), 0);
		EXPECT_EQ(module_load(), EEXIST);
		expect_device();
	}
	expect_usable();
}

static void while_open(void)
{
	struct ring r;
	int fd;

	expect_loaded();
	fd = dev_open();
	/* The kernel's word for a module in use, EAGAIN by another name. */
	EXPECT_EQ(module_unload(), EWOULDBLOCK);
	close(fd);

	/* A mapping is as good. */
	ring_open(&r, 4, 0, 4096);
	close(r.fd);
	EXPECT_EQ(module_unload(), EWOULDBLOCK);
	r.arena[0] = 1;
	ring_unmap(&r);
	EXPECT_EQ(module_unload(), 0);
	expect_unloaded();
	EXPECT_EQ(module_load(), 0);
	expect_device();
	expect_usable();
}

static void __attribute__((noreturn)) worker(uint64_t seed)
{
	const uint64_t arena = 4 << 20;
	struct ring r;

	ring_open(&r, 256, 0, arena);
	for (;;) {
		int n;

		for (n = 0; n < 200 && r.tail - r.page->sq_head < 256; n++) {
			struct wsq_sqe sqe = { .op = WSQ_OP_NOP };

			if (rnd(&seed) % 8 == 0) {
				sqe.op = WSQ_OP_CRC32C;
				sqe.len = 1 + rnd(&seed) % arena;
			}
			ring_push(&r, &sqe);
		}
		ring_enter(&r, -1, rnd(&seed) % 100, MSEC);
		while (ring_peek(&r))
			ring_seen(&r);
	}
}

/* Gone as soon as the last file is, whatever its ring still has in flight. */
static void under_load(void)
{
	uint64_t seed = 1, slowest = 0;
	int i, k;

	expect_loaded();
	for (i = 0; i < 10; i++) {
		pid_t pids[4];
		uint64_t end, t;
		int ret;

		for (k = 0; k < 4; k++) {
			pids[k] = fork();
			if (!pids[k])
				worker(1 + 4 * i + k);
		}
		usleep(20000 + rnd(&seed) % 100000);
		EXPECT_EQ(module_unload(), EWOULDBLOCK);
		for (k = 0; k < 4; k++)
			kill(pids[k], SIGKILL);
		/* At once: exit() may close files after it is waited for. */
		end = now_ns() + 10 * SEC;
		do {
			t = now_ns();
			ret = module_unload();
			t = now_ns() - t;
		} while (ret == EWOULDBLOCK && now_ns() < end);
		EXPECT_EQ(ret, 0);
		if (t > slowest)
			slowest = t;
		expect_unloaded();
		for (k = 0; k < 4; k++)
			EXPECT_EQ(waitpid(pids[k], NULL, 0), pids[k]);
		EXPECT_EQ(module_load(), 0);
		expect_device();
	}
	expect_usable();
	printf("# slowest unload %llu ms\n",
	       (unsigned long long)(slowest / MSEC));
	fflush(stdout);
}

/* open() and unload at the same time: either the one or the other. */
static void race(void)
{
	uint64_t end = now_ns() + 3 * SEC;
	pid_t pids[2];
	int i, loads = 0;

	expect_loaded();
	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			for (;;) {
				int fd = open(WSQ_DEVICE, O_RDWR);
				struct ring r;

				if (fd < 0)
					continue;
				ring_make(&r, fd, 8, 0, 0);
				ring_push_nop(&r, 0);
				ring_enter(&r, 1, 0, 0);
				ring_close(&r);
			}
		}
	}
	while (now_ns() < end) {
		if (!module_unload()) {
			EXPECT_EQ(module_load(), 0);
			loads++;
		}
	}
	for (i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	printf("# %d unloads\n", loads);
	fflush(stdout);
	expect_usable();
}

/* The parameter as sysfs shows it, which lets nobody write it. */
static void expect_fence(const char *want)
{
	static const char path[] = "/sys/module/wsq/parameters/fence";
	char buf[16] = "";
	struct stat st;
	int fd = open(path, O_RDONLY);

	EXPECT(fd >= 0);
	EXPECT(read(fd, buf, sizeof(buf) - 1) > 0);
	close(fd);
	buf[strcspn(buf, "\n")] = 0;
	EXPECT(!strcmp(buf, want));
	EXPECT_ERR(stat(path, &st), 0);
	EXPECT_EQ(st.st_mode & 0777, 0444);
}

static void fence_mode(void)
{
	static const char *const bad[] = {
		"fence", "fence=", "fence=CAS", "fence=ipi,cas", "fence=1",
	};
	unsigned int i;

	expect_loaded();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!i)
			EXPECT_EQ(module_unload(), 0);
		EXPECT_EQ(module_load_with(bad[i]), EINVAL);
		expect_unloaded();
	}
	EXPECT_EQ(module_load_with("fence=cas"), 0);
	expect_device();
	expect_fence("cas");
	expect_usable();
	EXPECT_EQ(module_unload(), 0);
	EXPECT_EQ(module_load_with("fence=ipi"), 0);
	expect_device();
	expect_fence("ipi");
	EXPECT_EQ(module_unload(), 0);
	EXPECT_EQ(module_load(), 0);
	expect_device();
	expect_fence("ipi");
	expect_usable();
}

static const struct test tests[] = {
	{ "loop", loop, 40 },
	{ "fence_mode", fence_mode, 40 },
	{ "while_open", while_open },
	{ "under_load", under_load, 60 },
	{ "race", race, 30 },
};

TEST_MAIN(tests)
