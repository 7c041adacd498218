// SPDX-License-Identifier: GPL-2.0
/*
 * Freezable queues while the system is suspended, as far as devices
 * (/sys/power/pm_test): nothing is powered off, and it wakes up after a second.
 *
 * wsq_freeze_test.ko (kmod/tests/freeze_test.c) has the queues, and a device
 * whose callbacks check them while they are frozen. It is looked for in
 * /lib/modules/wsq (the laboratory's), or named by WSQ_FREEZE_TEST_KO.
 */
#include "wsq_module.h"

#define PARAMETERS	"/sys/module/wsq_freeze_test/parameters/"
#define ROUNDS		2

static long number(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		FAIL("%s: %s", path, strerror(errno));
	EXPECT(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strtol(text, NULL, 10);
}

/* Returns 0 or the error. */
static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static void load_test(void)
{
	const char *path = getenv("WSQ_FREEZE_TEST_KO");
	int fd, err;

	expect_loaded();
	if (!access(PARAMETERS, F_OK))
		return;
	if (!path)
		path = "/lib/modules/wsq/wsq_freeze_test.ko";
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("no %s, WSQ_FREEZE_TEST_KO is not set", path);
	err = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	EXPECT_EQ(err, 0);
}

static void unload_test(void)
{
	EXPECT_ERR(syscall(SYS_delete_module, "wsq_freeze_test", O_NONBLOCK), 0);
}

/* Everything but the hardware: user space, threads, devices. */
static void expect_pm_test(const char *level)
{
	if (access("/sys/power/state", W_OK) || access("/sys/power/pm_test", W_OK))
		SKIP("the kernel cannot be suspended, or has no CONFIG_PM_DEBUG");
	EXPECT_EQ(put("/sys/power/pm_test", level), 0);
	/* Seconds that it stays so. */
	put("/sys/module/suspend/parameters/pm_test_delay", "1");
}

/* Items go on after what was done. */
static void expect_running(void)
{
	long ran = number(PARAMETERS "ran");
	uint64_t end = now_ns() + TIMEOUT_S;

	while (number(PARAMETERS "ran") < ran + 100 && now_ns() < end)
		usleep(1000);
	EXPECT(number(PARAMETERS "ran") >= ran + 100);
}

static void suspend(void)
{
	int i;

	load_test();
	expect_pm_test("devices");
	EXPECT_EQ(threads("wsq-freezer"), 1);
	for (i = 0; i < ROUNDS; i++) {
		test_at("round", i);
		expect_running();
		EXPECT_EQ(put("/sys/power/state", "freeze"), 0);
		EXPECT_EQ(number(PARAMETERS "suspended"), i + 1);
		EXPECT_EQ(number(PARAMETERS "wrong"), 0);
	}
	test_at(NULL, 0);
	expect_running();
	put("/sys/power/pm_test", "none");
	unload_test();
}

/*
 * An item that does not end: the system is not suspended, and the queues work as
 * before.
 */
static void refused(void)
{
	long ms;

	load_test();
	expect_pm_test("freezer");
	ms = number("/sys/power/pm_freeze_timeout");
	EXPECT_EQ(put("/sys/power/pm_freeze_timeout", "1000"), 0);
	EXPECT_EQ(put(PARAMETERS "hold", "1"), 0);
	EXPECT_EQ(put("/sys/power/state", "freeze"), EBUSY);
	expect_running();
	EXPECT_EQ(put(PARAMETERS "hold", "0"), 0);
	EXPECT_EQ(put("/sys/power/state", "freeze"), 0);
	expect_running();
	EXPECT_EQ(number(PARAMETERS "wrong"), 0);
	put("/sys/power/pm_test", "none");
	EXPECT(ms > 0);
	EXPECT_EQ(put("/sys/power/pm_freeze_timeout", ms == 20000 ? "20000" : "1000"), 0);
	unload_test();
}

/* Without a freezable queue there is no thread. */
static void idle(void)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	load_test();
	EXPECT_EQ(threads("wsq-freezer"), 1);
	unload_test();
	while (threads("wsq-freezer") && now_ns() < end)
		usleep(1000);
	EXPECT_EQ(threads("wsq-freezer"), 0);
}

static const struct test tests[] = {
	{ "suspend", suspend },
	{ "refused", refused },
	{ "idle", idle },
};

TEST_MAIN(tests)
