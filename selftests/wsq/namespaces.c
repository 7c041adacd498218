// SPDX-License-Identifier: GPL-2.0
/*
 * Rings in namespaces and containers: permission to open the device there, the
 * user that is charged, what ends with a namespace; filters of system calls and
 * devices that block everything not needed.
 *
 * Needs root, and user and pid namespaces; tests that need more are skipped
 * without it.
 */
#include "wsq_user.h"

#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define PAGE	4096UL

/* Users outside who are root inside. */
#define ALICE	7001
#define BOB	7002

static char dir[32];
static char node[100];

static void dir_make(void)
{
	snprintf(dir, sizeof(dir), "/tmp/wsq-ns.XXXXXX");
	EXPECT(mkdtemp(dir));
}

/* Makes a device node that belongs to a user, as container managers do. */
static void node_make(uid_t uid)
{
	struct stat st;

	EXPECT_ERR(stat(WSQ_DEVICE, &st), 0);
	dir_make();
	EXPECT_ERR(chmod(dir, 0755), 0);
	snprintf(node, sizeof(node), "%s/wsq", dir);
	EXPECT_ERR(mknod(node, S_IFCHR | 0600, st.st_rdev), 0);
	EXPECT_ERR(chown(node, uid, uid), 0);
}

static void node_remove(void)
{
	unlink(node);
	rmdir(dir);
}

static void expect_child(pid_t pid)
{
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* Number of users beside root inside. */
static unsigned int more_users;
/* The user that makes the namespace. */
static uid_t maker;

static void map_write(pid_t pid, const char *file, uid_t outside)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	if (more_users)
		snprintf(text, sizeof(text), "0 %u 1\n1 100000 %u\n", outside,
			 more_users);
	else
		snprintf(text, sizeof(text), "0 %u 1", outside);
	EXPECT_EQ(file_write(path, text), 0);
}

/*
 * A child that is root in its own user namespace, and is @uid outside. It calls
 * @fn there, with all capabilities of that namespace.
 */
static pid_t in_user_ns(uid_t uid, int flags, void (*fn)(void))
{
	int up[2], down[2];
	pid_t pid;
	char c;

	EXPECT_ERR(socketpair(AF_UNIX, SOCK_STREAM, 0, up), 0);
	EXPECT_ERR(socketpair(AF_UNIX, SOCK_STREAM, 0, down), 0);
	pid = fork();
	if (!pid) {
		close(up[0]);
		close(down[1]);
		EXPECT_ERR(setresuid(-1, maker, -1), 0);
		if (unshare(CLONE_NEWUSER | flags)) {
			/* Distributors of old kernels have a switch for it. */
			_exit(errno == EPERM || errno == ENOSPC ||
			      errno == EINVAL ? 77 : 1);
		}
		EXPECT_EQ(write(up[1], "u", 1), 1);
		if (read(down[0], &c, 1) != 1)
			_exit(1);
		EXPECT_ERR(setresgid(0, 0, 0), 0);
		EXPECT_ERR(setresuid(0, 0, 0), 0);
		fn();
		_exit(0);
	}
	close(up[1]);
	close(down[0]);
	if (read(up[0], &c, 1) != 1) {
		int status;

		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			SKIP("no user namespaces here");
		FAIL("the child ended with %d", status);
	}
	map_write(pid, "uid_map", uid);
	map_write(pid, "gid_map", uid);
	EXPECT_EQ(write(down[1], "d", 1), 1);
	close(up[0]);
	close(down[1]);
	return pid;
}

/* Root inside is not root outside: its capability does not count. */
static void root_inside(void)
{
	int fd = dev_open();

	EXPECT_EQ(try_setup(fd, 4, 0, 0), EDQUOT);
	EXPECT_EQ(query_of(fd, 0, 0, 0).max_user_rings, 0);
}

static void root_as_root(void)
{
	limits_set(0, DEF_TASKS, DEF_MEMORY);
	expect_child(in_user_ns(0, 0, root_inside));
	limits_default();
}

/* The device belongs to root outside. Nodes cannot be created here. */
static void nothing_inside(void)
{
	struct stat st;

	EXPECT_ERR(stat(WSQ_DEVICE, &st), 0);
	EXPECT_ERR(open(WSQ_DEVICE, O_RDWR), EACCES);
	EXPECT_ERR(open(WSQ_DEVICE, O_RDONLY), EACCES);
	EXPECT_ERR(chmod(WSQ_DEVICE, 0666), EPERM);
	EXPECT_ERR(mknod("/tmp/wsq-mine", S_IFCHR | 0600, st.st_rdev), EPERM);
	/* Nor in its own file system. */
	EXPECT_ERR(mount("none", "/tmp", "tmpfs", 0, NULL), 0);
	EXPECT_ERR(mknod("/tmp/wsq-mine", S_IFCHR | 0600, st.st_rdev), EPERM);
}

static void no_way_in(void)
{
	expect_child(in_user_ns(ALICE, CLONE_NEWNS, nothing_inside));
}

static void one_ring(void)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_CRC32C, .len = 9, .user_data = 7 };
	int fd = open(node, O_RDWR | O_CLOEXEC);
	struct ring r;

	if (fd < 0)
		FAIL("%s: %s", node, strerror(errno));
	ring_make(&r, fd, 4, 0, PAGE);
	memcpy(r.arena, "123456789", 9);
	EXPECT_EQ(ring_do(&r, &sqe), 0xe3069283LL);
	EXPECT_EQ(query_of(fd, 0, 0, 0).user_rings, 1);
	/* Its limit of one is reached, whatever the user is inside. */
	fd = open(node, O_RDWR | O_CLOEXEC);
	EXPECT(fd >= 0);
	EXPECT_EQ(try_setup(fd, 4, 0, 0), EDQUOT);
	ring_close(&r);
	EXPECT_EQ(try_setup(fd, 4, 0, 0), 0);
	close(fd);
}

/* The one ring belongs to another process of that user. */
static void none_left(void)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT_EQ(query_of(fd, 0, 0, 0).user_rings, 1);
	EXPECT_EQ(try_setup(fd, 4, 0, 0), EDQUOT);
}

/* A user outside, though root inside, is charged as that user. */
static void counted_outside(void)
{
	int fd;

	limits_set(1, DEF_TASKS, DEF_MEMORY);
	expect_no_use(ALICE);
	node_make(ALICE);
	expect_child(in_user_ns(ALICE, 0, one_ring));
	/* Two containers of one user share the limit, */
	expect_no_use(ALICE);
	fd = open_as(ALICE);
	EXPECT_EQ(try_setup(fd, 4, 0, 0), 0);
	act_as_root();
	expect_child(in_user_ns(ALICE, 0, none_left));
	/* those of two users do not. */
	EXPECT_ERR(chown(node, BOB, BOB), 0);
	expect_child(in_user_ns(BOB, 0, one_ring));
	close(fd);
	expect_no_use(ALICE);
	expect_no_use(BOB);
	node_remove();
	limits_default();
}

/* Five users of one namespace, each with a file of its own. */
static void five_users(int expected)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		int fd;

		EXPECT_ERR(setresuid(i, 0, 0), 0);
		fd = open(node, O_RDWR | O_CLOEXEC);
		EXPECT(fd >= 0);
		EXPECT_EQ(try_setup(fd, 1, 1, 0), i < 4 ? 0 : expected);
	}
}

/* A user of this namespace makes one that is deeper, and has no more there. */
static void none_deeper(void)
{
	pid_t pid = fork();
	int fd;

	if (!pid) {
		EXPECT_ERR(setresuid(5, 5, 5), 0);
		EXPECT_ERR(unshare(CLONE_NEWUSER), 0);
		fd = open(node, O_RDWR | O_CLOEXEC);
		EXPECT(fd >= 0);
		EXPECT_EQ(try_setup(fd, 1, 1, 0), EDQUOT);
		_exit(0);
	}
	expect_child(pid);
}

static int waits_at[2];

/* Then it keeps its rings, until its parent goes on. */
static void limited_users(void)
{
	char c;

	five_users(EDQUOT);
	none_deeper();
	EXPECT_EQ(write(waits_at[1], "x", 1), 1);
	EXPECT_EQ(read(waits_at[1], &c, 1), 1);
}

static void unlimited_users(void)
{
	five_users(0);
}

/* Begins limited_users() in a namespace, and waits until it has its rings. */
static pid_t limited_begin(uid_t uid)
{
	pid_t pid;
	char c;

	EXPECT_ERR(socketpair(AF_UNIX, SOCK_STREAM, 0, waits_at), 0);
	pid = in_user_ns(uid, 0, limited_users);
	close(waits_at[1]);
	EXPECT_EQ(read(waits_at[0], &c, 1), 1);
	return pid;
}

static void limited_end(pid_t pid)
{
	EXPECT_EQ(write(waits_at[0], "x", 1), 1);
	expect_child(pid);
	close(waits_at[0]);
}

/*
 * All users of the namespaces that a user has made are that user: they share
 * its limits, and have one queue.
 */
static void one_person(void)
{
	pid_t pid;
	int fd;

	expect_rings(0);
	node_make(ALICE);
	EXPECT_ERR(chmod(node, 0666), 0);
	limits_set(4, DEF_TASKS, DEF_MEMORY);
	maker = ALICE;
	more_users = 10;
	pid = limited_begin(ALICE);
	fd = open_as(ALICE);
	EXPECT_EQ(query_of(fd, 0, 0, 0).user_rings, 4);
	EXPECT_EQ(try_setup(fd, 1, 1, 0), EDQUOT);
	close(fd);
	fd = open_as(BOB);
	EXPECT_EQ(try_setup(fd, 1, 1, 0), 0);
	close(fd);
	act_as_root();
	limited_end(pid);
	expect_rings(0);
	limits_default();
	param_set_number("max_users", 1);
	expect_child(in_user_ns(ALICE, 0, unlimited_users));
	param_set_number("max_users", 511);
	maker = 0;
	more_users = 0;
	node_remove();
	expect_rings(0);
}

/* A namespace that root has made is a user, beside others that root has made. */
static void one_container(void)
{
	int first[2];
	pid_t pid;

	expect_rings(0);
	node_make(ALICE);
	EXPECT_ERR(chmod(node, 0666), 0);
	limits_set(4, DEF_TASKS, DEF_MEMORY);
	param_set_number("max_opener_users", 0);
	more_users = 10;
	pid = limited_begin(ALICE);
	memcpy(first, waits_at, sizeof(first));
	/* No uid of the first but those of 100000 and up, one ring each. */
	limited_end(limited_begin(BOB));
	memcpy(waits_at, first, sizeof(first));
	limited_end(pid);
	more_users = 0;
	param_set_number("max_opener_users", 64);
	limits_default();
	node_remove();
	expect_rings(0);
}

/* In the container's tree: all namespaces, a root directory, one device. */
static void container_inside(void)
{
	struct wsq_stats st = { .size = sizeof(st) };
	struct stat file;
	char to[100];
	int status, fd;
	pid_t pid;

	EXPECT_ERR(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	EXPECT_ERR(mount("none", "/mnt", "tmpfs", 0, "mode=755"), 0);
	EXPECT_ERR(mkdir("/mnt/dev", 0755), 0);
	snprintf(to, sizeof(to), "/mnt%s", WSQ_DEVICE);
	fd = open(to, O_CREAT | O_WRONLY, 0600);
	EXPECT(fd >= 0);
	close(fd);
	EXPECT_ERR(mount(node, to, NULL, MS_BIND, NULL), 0);

	/* The first process of a pid namespace. */
	pid = fork();
	if (!pid) {
		EXPECT_EQ(getpid(), 1);
		EXPECT_ERR(chroot("/mnt"), 0);
		EXPECT_ERR(chdir("/"), 0);
		EXPECT_ERR(stat("/proc", &file), ENOENT);
		EXPECT_ERR(stat(WSQ_DEVICE, &file), 0);
		EXPECT_EQ(file.st_uid, 0);
		snprintf(node, sizeof(node), "%s", WSQ_DEVICE);
		one_ring();
		/* Statistics of CPUs are shown to all that have the device. */
		fd = dev_open();
		EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), 0);
		EXPECT(st.workers > 0);
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

static void container(void)
{
	limits_set(1, DEF_TASKS, DEF_MEMORY);
	expect_no_use(ALICE);
	node_make(ALICE);
	expect_child(in_user_ns(ALICE, CLONE_NEWNS | CLONE_NEWPID |
				CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET,
				container_inside));
	expect_no_use(ALICE);
	node_remove();
	limits_default();
	expect_rings(0);
}

/* A container ends with work in flight, from inside and from outside. */
static void __attribute__((noreturn)) busy(void)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .len = 4 << 20, .dst = 4 << 20,
	};
	struct ring r;
	int i;

	ring_open(&r, 2048, 0, (4 << 20) + PAGE);
	for (;;) {
		for (i = 0; i < 2048; i++)
			ring_push(&r, &sqe);
		EXPECT_EQ(ring_enter(&r, 2048, 2048, WSQ_NO_TIMEOUT), 0);
		for (i = 0; i < 2048; i++)
			ring_take(&r);
	}
}

static void pid_ns_ends(void)
{
	uint64_t seed = 7, t;
	int i, status;

	for (i = 0; i < 6; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (unshare(CLONE_NEWPID))
				_exit(77);
			pid = fork();
			if (!pid) {
				int k;

				/* All others end with this one. */
				for (k = 0; k < 3; k++)
					if (!fork())
						busy();
				if (i % 2) {
					usleep(100000 + rnd(&seed) % 100000);
					_exit(0);
				}
				pause();
			}
			usleep(100000 + rnd(&seed) % 100000);
			if (!(i % 2))
				kill(pid, SIGKILL);
			t = now_ns();
			EXPECT_EQ(waitpid(pid, &status, 0), pid);
			printf("# ended %llu us later\n",
			       (unsigned long long)(now_ns() - t) / 1000);
			_exit(0);
		}
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			SKIP("no pid namespaces here");
		EXPECT_EQ(status, 0);
		expect_rings(0);
	}
	expect_usable();
}

/* Mounted with nodev. */
static void nodev(void)
{
	struct stat st;

	EXPECT_ERR(stat(WSQ_DEVICE, &st), 0);
	EXPECT_ERR(unshare(CLONE_NEWNS), 0);
	EXPECT_ERR(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	EXPECT_ERR(mount("none", "/mnt", "tmpfs", MS_NODEV, NULL), 0);
	EXPECT_ERR(mknod("/mnt/wsq", S_IFCHR | 0666, st.st_rdev), 0);
	EXPECT_ERR(open("/mnt/wsq", O_RDWR), EACCES);
	EXPECT_ERR(mount("none", "/mnt", NULL, MS_REMOUNT, NULL), 0);
	snprintf(node, sizeof(node), "/mnt/wsq");
	close(open(node, O_RDWR | O_CLOEXEC));
	EXPECT_EQ(try_setup(open(node, O_RDWR), 4, 0, 0), 0);
}

#if defined(__x86_64__)
#define ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH	AUDIT_ARCH_AARCH64
#endif

/* Of wsq's commands, ENTER only: enough for a process that was given a ring. */
static void filter_set(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		/* The kernel uses only these 32 bits, little-endian. */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WSQ_IOC_ENTER, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };

	EXPECT_ERR(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		SKIP("no filters of system calls: %s", strerror(errno));
}

static void filtered(void)
{
	/* As if all of these were allowed. */
	struct wsq_query q = { .size = sizeof(q) };
	struct wsq_setup s = { .size = sizeof(s), .sq_entries = 4 };
	struct wsq_stats st = { .size = sizeof(st) };
	struct wsq_cancel c = { .size = sizeof(c), .flags = WSQ_CANCEL_ALL };
	struct wsq_restrict rs = { .size = sizeof(rs) };
	struct wsq_ring_stats rst = { .size = sizeof(rst) };
	struct wsq_sqe sqe = { .op = WSQ_OP_CRC32C, .len = 9, .user_data = 7 };
	const struct {
		unsigned long cmd;
		void *arg;
	} calls[] = {
		{ WSQ_IOC_QUERY, &q }, { WSQ_IOC_SETUP, &s },
		{ WSQ_IOC_STATS, &st }, { WSQ_IOC_CANCEL, &c },
		{ WSQ_IOC_RESTRICT, &rs }, { WSQ_IOC_ENABLE, NULL },
		{ WSQ_IOC_RING_STATS, &rst },
	};
	int fd = dev_open();
	struct ring r;
	unsigned int i;

	ring_open(&r, 4, 0, PAGE);
	memcpy(r.arena, "123456789", 9);
	filter_set();
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		test_at("calls", i);
		EXPECT_ERR(syscall(SYS_ioctl, r.fd, calls[i].cmd, calls[i].arg),
			   EPERM);
		EXPECT_ERR(syscall(SYS_ioctl, fd, calls[i].cmd, calls[i].arg),
			   EPERM);
		/* Bits above the 32 do not bypass the filter. */
		EXPECT_ERR(syscall(SYS_ioctl, fd,
				   calls[i].cmd | 0xffffffff00000000UL,
				   calls[i].arg), EPERM);
	}
	EXPECT_EQ(ring_do(&r, &sqe), 0xe3069283LL);
	ring_close(&r);
}

/* r0 = 1 if the device is @major:@minor, or if there is no condition. */
static int device_filter(unsigned int major, unsigned int minor)
{
#define INSN(c, d, s, o, i)						\
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
			    .off = (o), .imm = (i) })
	struct bpf_insn code[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_W, 2, 1,
		     offsetof(struct bpf_cgroup_dev_ctx, major), 0),
		INSN(BPF_LDX | BPF_MEM | BPF_W, 3, 1,
		     offsetof(struct bpf_cgroup_dev_ctx, minor), 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 2, 0, 2, (int)major),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 3, 0, 1, (int)minor),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
#undef INSN
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = ARRAY_SIZE(code);
	attr.license = (uintptr_t)"GPL";
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static void filter_attach(int group, int prog)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.target_fd = group;
	attr.attach_bpf_fd = prog;
	attr.attach_type = BPF_CGROUP_DEVICE;
	if (syscall(SYS_bpf, BPF_PROG_ATTACH, &attr, sizeof(attr)))
		SKIP("no filters of devices: %s", strerror(errno));
}

/* Container managers' device rules: the node alone is not enough. */
static void device_rules(void)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	char path[200];
	struct stat st;
	int prog, fd;

	EXPECT_ERR(stat(WSQ_DEVICE, &st), 0);
	prog = device_filter(major(st.st_rdev), minor(st.st_rdev) + 1);
	if (prog < 0)
		SKIP("no filters of devices: %s", strerror(errno));
	dir_make();
	EXPECT_ERR(unshare(CLONE_NEWNS), 0);
	EXPECT_ERR(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	if (mount("none", dir, "cgroup2", 0, NULL))
		SKIP("no cgroup v2: %s", strerror(errno));
	snprintf(node, sizeof(node), "%s/wsq-%d", dir, getpid());
	EXPECT_ERR(mkdir(node, 0755), 0);
	fd = open(node, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	EXPECT(fd >= 0);
	filter_attach(fd, prog);
	snprintf(path, sizeof(path), "%s/cgroup.procs", node);
	EXPECT_EQ(file_write(path, "0"), 0);
	EXPECT_ERR(open(WSQ_DEVICE, O_RDWR), EPERM);
	/* Replace this program by another one. */
	prog = device_filter(major(st.st_rdev), minor(st.st_rdev));
	EXPECT(prog >= 0);
	filter_attach(fd, prog);
	expect_usable();
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	EXPECT_EQ(file_write(path, "0"), 0);
	/* This process may be counted there for another moment. */
	while (rmdir(node)) {
		EXPECT_EQ(errno, EBUSY);
		EXPECT(now_ns() < end);
		usleep(10000);
	}
}

/* Namespaces' files have ioctls, too. A filter for one must not let the other in. */
static void ioctls(void)
{
	static const char *const paths[] = { "pid", "user", "net" };
	unsigned long cmd;
	char path[40], arg[512] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		int fd;

		snprintf(path, sizeof(path), "/proc/self/ns/%s", paths[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		/* Not all kernels have all of them. */
		if (fd < 0 && errno == ENOENT)
			continue;
		EXPECT(fd >= 0);
		for (cmd = WSQ_IOC_QUERY; cmd <= WSQ_IOC_RING_STATS; cmd++)
			EXPECT_ERR(ioctl(fd, cmd, arg), ENOTTY);
		close(fd);
	}
}

static const struct test tests[] = {
	{ "root_as_root", root_as_root },
	{ "no_way_in", no_way_in },
	{ "counted_outside", counted_outside },
	{ "one_person", one_person },
	{ "one_container", one_container },
	{ "container", container },
	{ "pid_ns_ends", pid_ns_ends },
	{ "nodev", nodev },
	{ "filtered", filtered },
	{ "device_rules", device_rules },
	{ "ioctls", ioctls },
};

TEST_MAIN(tests)
