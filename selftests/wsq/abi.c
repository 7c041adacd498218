// SPDX-License-Identifier: GPL-2.0
/*
 * Every ioctl, mmap and submission entry that /dev/wsq refuses, with its errno,
 * and the nearest ones that it accepts.
 */
#include "wsq_test.h"

#include <grp.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#define PAGE		4096UL

/* Every ioctl takes a struct that begins with its size. */
static const struct {
	const char *name;
	unsigned long cmd;
	unsigned int first;	/* size of the first version */
	unsigned int size;
	int ok;			/* result for zeros, on a file without a ring */
} ioctls[] = {
	{ "QUERY", WSQ_IOC_QUERY, 72, sizeof(struct wsq_query), 0 },
	{ "SETUP", WSQ_IOC_SETUP, 56, sizeof(struct wsq_setup), EINVAL },
	{ "ENTER", WSQ_IOC_ENTER, sizeof(struct wsq_enter),
	  sizeof(struct wsq_enter), EINVAL },
	{ "STATS", WSQ_IOC_STATS, sizeof(struct wsq_stats),
	  sizeof(struct wsq_stats), 0 },
	{ "CANCEL", WSQ_IOC_CANCEL, sizeof(struct wsq_cancel),
	  sizeof(struct wsq_cancel), EINVAL },
	{ "RESTRICT", WSQ_IOC_RESTRICT, sizeof(struct wsq_restrict),
	  sizeof(struct wsq_restrict), EINVAL },
	{ "RING_STATS", WSQ_IOC_RING_STATS, sizeof(struct wsq_ring_stats),
	  sizeof(struct wsq_ring_stats), EINVAL },
};

static void sizes(void)
{
	uint8_t *buf = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *wall;
	unsigned int i;
	int fd = dev_open();

	EXPECT(buf != MAP_FAILED);
	/* A page, then an unmapped one. */
	wall = buf + PAGE;
	EXPECT_ERR(munmap(wall, PAGE), 0);
	for (i = 0; i < ARRAY_SIZE(ioctls); i++) {
		unsigned long cmd = ioctls[i].cmd;
		unsigned int n = ioctls[i].size;
		uint32_t *size = (uint32_t *)buf;

		test_at(ioctls[i].name, 0);
		EXPECT_ERR(ioctl(fd, cmd, NULL), EFAULT);
		EXPECT_ERR(ioctl(fd, cmd, (void *)1), EFAULT);
		EXPECT_ERR(ioctl(fd, cmd, (void *)-1L), EFAULT);
		EXPECT_ERR(ioctl(fd, cmd, (void *)(1UL << 63)), EFAULT);
		EXPECT_ERR(ioctl(fd, cmd, wall), EFAULT);

		memset(buf, 0, PAGE);
		*size = 0;
		EXPECT_ERR(ioctl(fd, cmd, buf), EINVAL);
		*size = 4;
		EXPECT_ERR(ioctl(fd, cmd, buf), EINVAL);
		*size = ioctls[i].first - 1;
		EXPECT_ERR(ioctl(fd, cmd, buf), EINVAL);
		*size = ioctls[i].first;
		EXPECT_ERR(ioctl(fd, cmd, buf), ioctls[i].ok);
		memset(buf, 0, PAGE);
		*size = n;
		EXPECT_ERR(ioctl(fd, cmd, buf), ioctls[i].ok);

		/* Longer, as from a future program. */
		memset(buf, 0, PAGE);
		*size = n + 8;
		EXPECT_ERR(ioctl(fd, cmd, buf), ioctls[i].ok);
		memset(buf, 0, PAGE);
		*size = PAGE;
		EXPECT_ERR(ioctl(fd, cmd, buf), ioctls[i].ok);
		buf[n] = 1;
		*size = n;
		EXPECT_ERR(ioctl(fd, cmd, buf), ioctls[i].ok);
		memset(buf, 0, PAGE);
		buf[n] = 1;
		*size = n + 8;
		EXPECT_ERR(ioctl(fd, cmd, buf), E2BIG);
		memset(buf, 0, PAGE);
		buf[PAGE - 1] = 1;
		*size = PAGE;
		EXPECT_ERR(ioctl(fd, cmd, buf), E2BIG);
		*size = PAGE + 1;
		EXPECT_ERR(ioctl(fd, cmd, buf), E2BIG);
		*size = -1;
		EXPECT_ERR(ioctl(fd, cmd, buf), E2BIG);

		/* Its end is not mapped. */
		size = (uint32_t *)(wall - n + 8);
		memset(size, 0, n - 8);
		*size = n;
		EXPECT_ERR(ioctl(fd, cmd, size), EFAULT);
	}
}

static void unknown(void)
{
	struct wsq_query q = { .size = sizeof(q) };
	int fd = dev_open(), nr;
	char c;

	for (nr = 8; nr < 256; nr++)
		EXPECT_ERR(ioctl(fd, _IO(WSQ_IOC_MAGIC, nr), &q), ENOTTY);
	EXPECT_ERR(ioctl(fd, _IO(0, 0), &q), ENOTTY);
	EXPECT_ERR(ioctl(fd, _IOWR(WSQ_IOC_MAGIC, 0, q), &q), ENOTTY);
	EXPECT_ERR(ioctl(fd, 0x100000000ULL | WSQ_IOC_QUERY, &q), 0);
	EXPECT_ERR(read(fd, &c, 1), EINVAL);
	EXPECT_ERR(write(fd, &c, 1), EINVAL);
	EXPECT_ERR(lseek(fd, 0, SEEK_SET), ESPIPE);
}

static void query(void)
{
	static const char *const names[] = {
		"nop", "copy", "crc32c", "sha256", "fill", "compare", "xor",
		"xxhash64", "sha512", "fsverity", "sort64", "gzip",
	};
	struct wsq_query q = { .size = sizeof(q) };
	struct wsq_op_info ops[WSQ_OP_NR + 4];
	int fd = dev_open(), i, known = 0;

	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT_EQ(q.size, sizeof(q));
	EXPECT_EQ(q.nr_ops, WSQ_OP_NR);
	EXPECT_EQ(q.ops, 0);
	EXPECT(q.features & WSQ_FEAT_TIMEOUT);
	EXPECT(q.features & WSQ_FEAT_STATS);
	EXPECT(q.features & WSQ_FEAT_VEC);
	EXPECT_EQ(q.max_sq_entries, 32768);
	EXPECT_EQ(q.max_cq_entries, 65536);
	EXPECT(q.max_arena > 0);
	EXPECT(q.nr_cpus >= (unsigned int)get_nprocs());
	EXPECT(q.nr_nodes >= 1);
	EXPECT_EQ(q.memory, 0);

	/* Space for two: two are returned, and the number of all. */
	memset(ops, 0x55, sizeof(ops));
	q.ops = (uintptr_t)ops;
	q.nr_ops = 2;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT_EQ(q.nr_ops, WSQ_OP_NR);
	EXPECT_EQ(ops[2].op, 0x55555555);

	q.nr_ops = ARRAY_SIZE(ops);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT_EQ(ops[WSQ_OP_NR].op, 0x55555555);
	for (i = 0; i < WSQ_OP_NR; i++) {
		EXPECT_EQ(ops[i].op, i);
		EXPECT_EQ(ops[i].flags, i != WSQ_OP_NOP &&
			  i < WSQ_OP_FSVERITY ? WSQ_OPF_VEC : 0);
		EXPECT_EQ(ops[i].cap, 0);
		EXPECT(!strcmp(ops[i].name, names[i]));
		EXPECT_EQ(ops[i].max_len != 0, i != WSQ_OP_NOP);
		EXPECT_EQ(ops[i].rsv[0] | ops[i].rsv[1] | ops[i].rsv[2], 0);
		known++;
	}
	EXPECT_EQ(known, WSQ_OP_NR);

	/* Addresses that are not mapped. */
	q.ops = 1;
	q.nr_ops = 1;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), EFAULT);
	q.ops = 1ULL << 63;
	q.nr_ops = -1;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), EFAULT);
	q.nr_ops = 0;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);

	/* The memory that the ring would take. */
	q = (struct wsq_query) {
		.size = sizeof(q), .sq_entries = 256, .arena_size = 1 << 20,
	};
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT(q.memory > (1 << 20) + 256 * 64 + 512 * 32 &&
	       q.memory < 2 << 20);
	q.sq_entries = 255;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT_EQ(q.memory, 0);
}

static const struct {
	int err;
	unsigned int flags, sq, cq, ids_off;
	unsigned long long arena;	/* above 1 << 60: max_arena + ... */
} setups[] = {
	{ EINVAL, .flags = 1U << 8, .sq = 4 },
	{ EINVAL, .flags = 1U << 8 | WSQ_SETUP_DISABLED, .sq = 4 },
	{ EINVAL, .flags = WSQ_SETUP_POLL_SHARE, .sq = 4 },
	{ EINVAL, .flags = 1U << 31, .sq = 4 },
	{ EINVAL, .ids_off = 1, .sq = 4 },
	{ EINVAL, .sq = 0 },
	{ EINVAL, .sq = 0, .cq = 4 },
	{ EINVAL, .sq = 3 },
	{ EINVAL, .sq = 4, .cq = 2 },
	{ EINVAL, .sq = 4, .cq = 6 },
	{ EINVAL, .sq = 65536 },
	{ EINVAL, .sq = 65536, .cq = 65536 },
	{ EINVAL, .sq = 1U << 31 },
	{ EINVAL, .sq = -1U },
	{ EINVAL, .sq = 32768, .cq = 131072 },
	{ EINVAL, .sq = 4, .cq = 1U << 31 },
	{ EINVAL, .sq = 4, .arena = (1ULL << 60) + 1 },
	{ EINVAL, .sq = 4, .arena = -1ULL },
	{ 0, .sq = 1 },
	{ 0, .sq = 1, .cq = 1 },
	{ 0, .sq = 4, .cq = 4 },
	{ 0, .sq = 1, .cq = 65536 },
	{ 0, .sq = 32768 },
	{ 0, .sq = 32768, .cq = 32768 },
	{ 0, .sq = 4, .arena = 1 },
	{ 0, .sq = 4, .arena = PAGE },
	{ 0, .sq = 4, .arena = PAGE + 1 },
	{ 0, .sq = 4, .arena = 1ULL << 60 },
};

static void setup(void)
{
	struct wsq_query q = { .size = sizeof(q) };
	unsigned int i;
	int fd;

	fd = dev_open();
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	close(fd);

	for (i = 0; i < ARRAY_SIZE(setups); i++) {
		struct wsq_setup s = {
			.size = sizeof(s),
			.flags = setups[i].flags,
			.sq_entries = setups[i].sq,
			.cq_entries = setups[i].cq,
			.arena_size = setups[i].arena,
			.ids_off = setups[i].ids_off,
		};

		if (s.arena_size >> 60 == 1)
			s.arena_size += q.max_arena - (1ULL << 60);
		test_at("setup", i);
		fd = dev_open();
		EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), setups[i].err);
		if (setups[i].err) {
		/* A failed SETUP changes nothing, so it may be repeated. */
			s = (struct wsq_setup) {
				.size = sizeof(s), .sq_entries = 1,
			};
			EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), 0);
		} else {
			unsigned int cq = setups[i].cq ?: 2 * setups[i].sq;

			EXPECT_EQ(s.sq_entries, setups[i].sq);
			EXPECT_EQ(s.cq_entries, cq);
			EXPECT(s.rings_bytes >= s.cqes_off + 32ULL * cq);
			EXPECT(s.sqes_bytes >= 64ULL * s.sq_entries);
			EXPECT_EQ(s.arena_bytes,
				  (s.arena_size + PAGE - 1) & ~(PAGE - 1));
			EXPECT_EQ((s.rings_bytes | s.sqes_bytes) % PAGE, 0);
			EXPECT_EQ(s.cqes_off % 64, 0);
		}
		EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), EBUSY);
		close(fd);
	}
}

static void setup_file(void)
{
	struct wsq_setup s = { .size = sizeof(s), .sq_entries = 4 };
	struct wsq_setup *ro;
	struct ring r;
	int fd;

	fd = open(WSQ_DEVICE, O_RDONLY);
	EXPECT(fd >= 0);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), EBADF);
	close(fd);
	fd = open(WSQ_DEVICE, O_WRONLY);
	EXPECT(fd >= 0);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), EBADF);
	close(fd);

	/* A result that cannot be stored leaves no ring behind. */
	ro = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(ro != MAP_FAILED);
	*ro = s;
	EXPECT_ERR(mprotect(ro, PAGE, PROT_READ), 0);
	fd = dev_open();
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, ro), EFAULT);
	ring_make(&r, fd, 4, 0, 0);
	ring_close(&r);
}

static void device(void)
{
	struct stat st;
	pid_t pid;
	int status;

	EXPECT_ERR(stat(WSQ_DEVICE, &st), 0);
	EXPECT(S_ISCHR(st.st_mode));
	EXPECT_EQ(st.st_mode & 07777, 0600);
	EXPECT_EQ(st.st_uid, 0);
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			FAIL("cannot change the user");
		EXPECT_ERR(open(WSQ_DEVICE, O_RDWR), EACCES);
		EXPECT_ERR(open(WSQ_DEVICE, O_RDONLY), EACCES);
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

static void enter(void)
{
	struct wsq_enter e = { .size = sizeof(e) }, *ro;
	int fd = dev_open();
	struct ring r;
	uint64_t i;

	EXPECT_ERR(ioctl(fd, WSQ_IOC_ENTER, &e), EINVAL);
	ring_make(&r, fd, 4, 8, 0);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_ENTER, &e), 0);
	e.flags = 1;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_ENTER, &e), EINVAL);
	e.flags = 1U << 31;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_ENTER, &e), EINVAL);
	EXPECT_EQ(ring_enter(&r, 0, 9, 0), -EINVAL);
	EXPECT_EQ(ring_enter(&r, 0, -1, 0), -EINVAL);
	EXPECT_EQ(ring_enter(&r, 0, 8, 0), -ETIME);
	EXPECT_EQ(ring_enter(&r, -1, 0, 0), 0);
	EXPECT_EQ(r.e.submitted, 0);

	/* Invalid tails, then the right one. */
	for (i = 0; i < 4; i++)
		ring_push_nop(&r, i);
	r.tail = 5;
	EXPECT_EQ(ring_enter(&r, 5, 0, 0), -EINVAL);
	r.tail = -1;
	EXPECT_EQ(ring_enter(&r, 1, 0, 0), -EINVAL);
	r.tail = 1ULL << 63;
	EXPECT_EQ(ring_enter(&r, 1, 0, 0), -EINVAL);
	EXPECT_EQ(r.e.submitted, 0);
	/* sq_tail is not checked if nothing is submitted. */
	EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);
	r.tail = 4;
	EXPECT_EQ(ring_enter(&r, 9, 4, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, 4);
	EXPECT_EQ(r.e.completed, 4);

	/* The same for heads. */
	for (i = 5; i; i <<= 1) {
		r.page->cq_head = i;
		EXPECT_EQ(ring_enter(&r, 0, 0, 0), -EINVAL);
		EXPECT_EQ(r.e.completed, 4);
	}
	r.page->cq_head = 2;
	EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);
	EXPECT_EQ(r.e.completed, 2);
	r.page->cq_head = 1;
	EXPECT_EQ(ring_enter(&r, 0, 0, 0), -EINVAL);
	r.page->cq_head = 0;
	EXPECT_EQ(ring_enter(&r, 0, 0, 0), -EINVAL);
	EXPECT_EQ(r.e.completed, 2);
	r.page->cq_head = 2;
	r.head = 2;
	EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);

	/* The kernel does not use its cursors in the shared page. */
	r.page->sq_head = 77;
	r.page->cq_tail = 77;
	ring_push_nop(&r, 1);
	EXPECT_EQ(ring_enter(&r, 1, 3, TIMEOUT_S), 0);
	EXPECT_EQ(r.page->sq_head, 5);
	EXPECT_EQ(r.page->cq_tail, 5);

	/* A result that cannot be stored: the entry has been taken. */
	ro = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(ro != MAP_FAILED);
	ring_push_nop(&r, 1);
	__atomic_store_n(&r.page->sq_tail, r.tail, __ATOMIC_RELEASE);
	*ro = (struct wsq_enter) { .size = sizeof(*ro), .to_submit = 1 };
	EXPECT_ERR(mprotect(ro, PAGE, PROT_READ), 0);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_ENTER, ro), EFAULT);
	EXPECT_EQ(ring_enter(&r, 1, 4, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, 0);
	ring_close(&r);
}

#define RW	(PROT_READ | PROT_WRITE)

static const struct {
	int err;
	unsigned long long off;
	unsigned long pages;
	int prot, flags;
} maps[] = {
	{ EINVAL, WSQ_OFF_RINGS, 2, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_RINGS, 1UL << 20, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_RINGS, 1, RW, MAP_PRIVATE },
	{ EINVAL, WSQ_OFF_RINGS, 1, PROT_READ, MAP_PRIVATE },
	{ EACCES, WSQ_OFF_RINGS, 1, RW | PROT_EXEC, MAP_SHARED },
	{ EACCES, WSQ_OFF_SQES, 1, PROT_READ | PROT_EXEC, MAP_SHARED },
	{ EACCES, WSQ_OFF_ARENA, 4, PROT_EXEC, MAP_SHARED },
	{ EINVAL, WSQ_OFF_RINGS + PAGE, 1, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_SQES - PAGE, 1, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_SQES - PAGE, 2, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_SQES, 2, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_SQES + PAGE, 1, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_ARENA, 3, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_ARENA, 5, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_ARENA + PAGE, 3, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_ARENA + PAGE, 4, RW, MAP_SHARED },
	{ EINVAL, 1ULL << 40, 1, RW, MAP_SHARED },
	{ EINVAL, 0x7ffffffffffff000ULL, 1, RW, MAP_SHARED },
	{ EINVAL, WSQ_OFF_SQES + 1, 1, RW, MAP_SHARED },
	{ 0, WSQ_OFF_RINGS, 1, RW, MAP_SHARED },
	{ 0, WSQ_OFF_RINGS, 1, PROT_READ, MAP_SHARED },
	{ 0, WSQ_OFF_SQES, 1, RW, MAP_SHARED },
	{ 0, WSQ_OFF_ARENA, 4, RW, MAP_SHARED | MAP_POPULATE },
	{ 0, WSQ_OFF_ARENA, 4, PROT_NONE, MAP_SHARED },
	{ 0, WSQ_OFF_ARENA, 4, RW, MAP_SHARED_VALIDATE },
};

static void mappings(void)
{
	struct wsq_setup s = {
		.size = sizeof(s), .sq_entries = 4, .arena_size = 4 * PAGE,
	};
	int fd = dev_open(), i, ro;
	uint8_t *p;

	/* No ring yet. */
	EXPECT_ERR(mmap(NULL, PAGE, RW, MAP_SHARED, fd, 0), EINVAL);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), 0);
	EXPECT_EQ(s.rings_bytes, PAGE);
	for (i = 0; i < (int)ARRAY_SIZE(maps); i++) {
		test_at("map", i);
		EXPECT_ERR(mmap(NULL, maps[i].pages * PAGE, maps[i].prot,
				maps[i].flags, fd, maps[i].off), maps[i].err);
	}

	test_at(NULL, 0);

	/* Operations on a mapping. */
	p = ring_mmap(fd, WSQ_OFF_ARENA, 4 * PAGE);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(p[i * PAGE + 5], 0);
		p[i * PAGE + 5] = i + 1;
	}
	EXPECT_ERR(mprotect(p, 4 * PAGE, RW | PROT_EXEC), EACCES);
	EXPECT_ERR(mprotect(p, PAGE, PROT_EXEC), EACCES);
	EXPECT_ERR(mremap(p, 4 * PAGE, 5 * PAGE, MREMAP_MAYMOVE), EFAULT);
	EXPECT_ERR(mremap(p, 0, 8 * PAGE, MREMAP_MAYMOVE), EFAULT);
	EXPECT_EQ(madvise(p, 4 * PAGE, MADV_REMOVE), -1);
	/* Discarded pages come back with their content. */
	EXPECT_ERR(madvise(p, 4 * PAGE, MADV_DONTNEED), 0);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(p[i * PAGE + 5], i + 1);
	/* Split, move and shrink it; each page remains itself. */
	EXPECT_ERR(mprotect(p + PAGE, PAGE, PROT_READ), 0);
	EXPECT_ERR(munmap(p, PAGE), 0);
	EXPECT_EQ(p[PAGE + 5], 2);
	p = mremap(p + 2 * PAGE, 2 * PAGE, PAGE, MREMAP_MAYMOVE);
	EXPECT(p != MAP_FAILED);
	EXPECT_ERR(madvise(p, PAGE, MADV_DONTNEED), 0);
	EXPECT_EQ(p[5], 3);

	/* A file opened for reading has no ring. */
	ro = open(WSQ_DEVICE, O_RDONLY);
	EXPECT_ERR(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro, 0), EINVAL);
	EXPECT_ERR(mmap(NULL, PAGE, RW, MAP_SHARED, ro, 0), EACCES);
	close(fd);

	/* A ring without arena. */
	fd = dev_open();
	s = (struct wsq_setup) { .size = sizeof(s), .sq_entries = 4 };
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), 0);
	EXPECT_ERR(mmap(NULL, PAGE, RW, MAP_SHARED, fd, WSQ_OFF_ARENA),
		   EINVAL);
}

/* The mode of a mapping in /proc/PID/maps: rw-s. */
static void expect_mode(const void *at, const char *want)
{
	char line[256], mode[8] = "";
	unsigned long begin = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	EXPECT(f);
	while (begin != (unsigned long)at) {
		int nr;

		EXPECT(fgets(line, sizeof(line), f));
		nr = sscanf(line, "%lx-%*x %4s", &begin, mode);
		EXPECT_EQ(nr, 2);
	}
	fclose(f);
	if (strcmp(mode, want))
		FAIL("mode %s, not %s", mode, want);
}

/* For programs whose readable mappings are all executable, a ring's are not. */
static void implies_exec(void)
{
	struct ring r;

	EXPECT(personality(READ_IMPLIES_EXEC) >= 0);
	EXPECT(personality(0xffffffff) & READ_IMPLIES_EXEC);
	ring_open(&r, 4, 0, PAGE);
	expect_mode(r.page, "rw-s");
	expect_mode(r.sqes, "rw-s");
	expect_mode(r.arena, "rw-s");
	EXPECT_ERR(mprotect(r.arena, PAGE, RW | PROT_EXEC), EACCES);
	EXPECT_ERR(mprotect(r.arena, PAGE, PROT_READ), 0);
	expect_mode(r.arena, "r--s");
	ring_close(&r);
	EXPECT(personality(0) >= 0);
}

#define ARENA	(20ULL << 20)
#define MAX	(16ULL << 20)

static const struct {
	long long res;
	struct wsq_sqe sqe;
} sqes[] = {
	{ -EOPNOTSUPP, { .op = WSQ_OP_NR } },
	{ -EOPNOTSUPP, { .op = 255 } },
	{ -EOPNOTSUPP, { .op = 256 } },
	{ -EOPNOTSUPP, { .op = 0xffff } },
	{ -EOPNOTSUPP, { .op = 0xffff, .flags = 1 } },

	{ 0, { .op = WSQ_OP_NOP } },
	{ 0, { .op = WSQ_OP_NOP, .user_data = -1ULL } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .flags = 0x100 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .flags = 0x8000 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .hint = 1 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .hint = 1U << 31 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .key = 1 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .deadline = 1ULL << 63 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .src = 1 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .len = 1 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .dst = 1 } },
	{ -EINVAL, { .op = WSQ_OP_NOP, .arg = 1 } },

	{ 1, { .op = WSQ_OP_COPY, .len = 1, .dst = 1 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .dst = 1 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .len = 1, .dst = 1, .arg = 1 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .len = 1, .dst = 1, .flags = 0x100 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .len = 1, .dst = 1, .hint = 1 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .len = 1, .dst = 1, .key = 1 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .len = 1 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .len = 64, .src = 63 } },
	{ -EINVAL, { .op = WSQ_OP_COPY, .len = 64, .dst = 63 } },
	{ 64, { .op = WSQ_OP_COPY, .len = 64, .src = 64 } },
	{ 64, { .op = WSQ_OP_COPY, .len = 64, .dst = 64 } },
	{ -E2BIG, { .op = WSQ_OP_COPY, .len = MAX + 1, .dst = MAX + 1 } },
	{ -E2BIG, { .op = WSQ_OP_COPY, .len = -1ULL, .dst = 1 } },
	{ -EFAULT, { .op = WSQ_OP_COPY, .len = 2, .src = ARENA - 1 } },
	{ -EFAULT, { .op = WSQ_OP_COPY, .len = 2, .dst = ARENA - 1 } },
	{ 2, { .op = WSQ_OP_COPY, .len = 2, .src = ARENA - 2 } },
	{ 2, { .op = WSQ_OP_COPY, .len = 2, .dst = ARENA - 2 } },
	{ -EFAULT, { .op = WSQ_OP_COPY, .len = 2, .src = -1ULL } },
	{ -EFAULT, { .op = WSQ_OP_COPY, .len = 2, .dst = -1ULL } },
	{ -EFAULT, { .op = WSQ_OP_COPY, .len = 2, .src = -2ULL } },
	{ -EFAULT, { .op = WSQ_OP_COPY, .len = 1, .src = ARENA } },

	{ 0x527d5351, { .op = WSQ_OP_CRC32C, .len = 1 } },
	{ -EINVAL, { .op = WSQ_OP_CRC32C } },
	{ -EINVAL, { .op = WSQ_OP_CRC32C, .len = 1, .dst = 1 } },
	{ -EINVAL, { .op = WSQ_OP_CRC32C, .len = 1, .arg = 1ULL << 32 } },
	{ -EINVAL, { .op = WSQ_OP_CRC32C, .len = 1, .arg = -1ULL } },
	{ -EINVAL, { .op = WSQ_OP_CRC32C, .len = 1, .flags = 0x200 } },
	{ -EINVAL, { .op = WSQ_OP_CRC32C, .len = 1, .hint = 2 } },
	{ -EINVAL, { .op = WSQ_OP_CRC32C, .len = 1, .deadline = 1 } },
	{ -E2BIG, { .op = WSQ_OP_CRC32C, .len = MAX + 1 } },
	{ -EFAULT, { .op = WSQ_OP_CRC32C, .len = 1, .src = ARENA } },
	{ -EFAULT, { .op = WSQ_OP_CRC32C, .len = MAX, .src = ARENA - MAX + 1 } },
	{ -EFAULT, { .op = WSQ_OP_CRC32C, .len = 2, .src = -1ULL } },

	{ 32, { .op = WSQ_OP_SHA256, .len = 1 } },
	{ 32, { .op = WSQ_OP_SHA256, .len = 1, .dst = ARENA - 32 } },
	{ -EINVAL, { .op = WSQ_OP_SHA256 } },
	{ -EINVAL, { .op = WSQ_OP_SHA256, .len = 1, .arg = 1 } },
	{ -EINVAL, { .op = WSQ_OP_SHA256, .len = 1, .flags = 0x400 } },
	{ -EINVAL, { .op = WSQ_OP_SHA256, .len = 1, .hint = 4 } },
	{ -EINVAL, { .op = WSQ_OP_SHA256, .len = 1, .key = 4 } },
	{ -E2BIG, { .op = WSQ_OP_SHA256, .len = MAX + 1 } },
	{ -EFAULT, { .op = WSQ_OP_SHA256, .len = 1, .src = ARENA } },
	{ -EFAULT, { .op = WSQ_OP_SHA256, .len = 1, .dst = ARENA - 31 } },
	{ -EFAULT, { .op = WSQ_OP_SHA256, .len = 1, .dst = -1ULL } },
	{ -EFAULT, { .op = WSQ_OP_SHA256, .len = 1, .dst = -32ULL } },
};

static void entries(void)
{
	struct wsq_sqe sqe;
	struct ring r;
	unsigned int i;

	ring_open(&r, 64, 64, ARENA);
	for (i = 0; i < ARRAY_SIZE(sqes); i++) {
		long long res;

		sqe = sqes[i].sqe;
		if (!sqe.user_data)
			sqe.user_data = 1000 + i;
		/* Checksums need a range. */
		if (sqe.op == WSQ_OP_CRC32C)
			r.arena[0] = 0;
		res = ring_do(&r, &sqe);
		if (res != sqes[i].res)
			FAIL("entry %u: %lld, not %lld", i, res, sqes[i].res);
	}
	/* The longest lengths accepted. */
	sqe = (struct wsq_sqe) { .op = WSQ_OP_CRC32C, .len = MAX,
				 .src = ARENA - MAX };
	EXPECT(ring_do(&r, &sqe) >= 0);
	ring_close(&r);

	/* A refused entry does not stop those behind it. */
	ring_open(&r, 8, 8, 0);
	for (i = 0; i < 8; i++) {
		sqe = (struct wsq_sqe) { .user_data = i,
					.flags = i % 2 ? 0x100 : 0 };
		ring_push(&r, &sqe);
	}
	EXPECT_EQ(ring_enter(&r, 8, 8, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, 8);
	for (i = 0; i < 8; i++) {
		struct wsq_cqe cqe = ring_take(&r);

		EXPECT_EQ(cqe.res, cqe.user_data % 2 ? -EINVAL : 0);
	}
	/* Without an arena, every range is outside. */
	sqe = (struct wsq_sqe) { .op = WSQ_OP_CRC32C, .len = 1 };
	EXPECT_EQ(ring_do(&r, &sqe), -EFAULT);
	ring_close(&r);
}

/* The first version of struct wsq_cpu_stats, which ends before standbys. */
#define CPU_STATS_V0	88
/* The second, which ends before fences. */
#define CPU_STATS_V1	96

static void stats(void)
{
	uint8_t buf[8][128];
	struct wsq_cpu_stats *c = (void *)buf[0];
	struct wsq_stats st = { .size = sizeof(st) };
	int fd = dev_open();
	unsigned int nr;

	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), 0);
	nr = st.nr_cpus;
	EXPECT(nr >= (unsigned int)get_nprocs());
	st.rsv = 1;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EINVAL);
	st.rsv = 0;

	st.cpus = (uintptr_t)buf;
	st.nr_cpus = 1;
	st.cpu_stats_size = 0;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EINVAL);
	st.cpu_stats_size = CPU_STATS_V0 - 8;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EINVAL);
	st.cpu_stats_size = CPU_STATS_V0 + 4;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EINVAL);
	st.cpu_stats_size = sizeof(*c) + 4;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EINVAL);
	st.cpu_stats_size = 8192;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EINVAL);
	st.cpu_stats_size = sizeof(*c);
	st.cpus = 1;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EFAULT);
	st.cpus = 1ULL << 63;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), EFAULT);

	/* A longer entry ends in zeros, and one is asked for. */
	memset(buf, 0x55, sizeof(buf));
	st.cpus = (uintptr_t)buf;
	st.nr_cpus = 1;
	st.cpu_stats_size = 128;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), 0);
	EXPECT_EQ(st.nr_cpus, nr);
	EXPECT_EQ(c->cpu, 0);
	EXPECT(c->flags & WSQ_CPU_ONLINE);
	EXPECT_EQ(buf[0][sizeof(*c)] | buf[0][127], 0);
	EXPECT_EQ(buf[1][0], 0x55);
	close(fd);
}

/*
 * Callers compiled with any version of the struct: each entry is filled up to
 * the caller's size, entries are that far apart, and nothing behind the last
 * one is written. Members that the module does not know come back as zeros,
 * whatever was there.
 */
static void stats_sizes(void)
{
	static const unsigned int sizes[] = {
		CPU_STATS_V0, CPU_STATS_V1, sizeof(struct wsq_cpu_stats),
		sizeof(struct wsq_cpu_stats) + 8, 4096,
	};
	static uint8_t buf[3 * 4096];
	struct wsq_stats st;
	int fd = dev_open();
	unsigned int i, k, nr;

	EXPECT_EQ(sizeof(struct wsq_cpu_stats), 104);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int size = sizes[i], known = sizeof(struct wsq_cpu_stats);
		struct wsq_cpu_stats c[2];

		test_at("size", size);
		if (known > size)
			known = size;
		memset(buf, 0x55, sizeof(buf));
		memset(c, 0, sizeof(c));
		memset(&st, 0, sizeof(st));
		st.size = sizeof(st);
		st.cpus = (uintptr_t)buf;
		st.nr_cpus = 2;
		st.cpu_stats_size = size;
		EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), 0);
		nr = st.nr_cpus < 2 ? st.nr_cpus : 2;
		for (k = 0; k < nr; k++) {
			memcpy(&c[k], &buf[k * size], known);
			EXPECT_EQ(c[k].cpu, k);
			EXPECT_EQ(c[k].rsv, 0);
			/* Bytes that were not written would make it huge. */
			EXPECT(c[k].inbox <= c[k].puts);
			EXPECT(c[k].standbys < 0x5555555555ULL);
			EXPECT(c[k].fences < 0x5555555555ULL);
		}
		for (k = known; k < size; k++)
			EXPECT_EQ(buf[k] | buf[(nr - 1) * size + k], 0);
		for (k = nr * size; k < sizeof(buf); k++)
			EXPECT_EQ(buf[k], 0x55);
	}
	close(fd);
}

static void fdinfo(void)
{
	char buf[1024];
	int fd = dev_open();
	struct ring r;

	fdinfo_of(fd, buf, sizeof(buf));
	EXPECT(strstr(buf, "wsq_state:\tnew\n"));
	ring_make(&r, fd, 4, 0, PAGE);
	ring_push_nop(&r, 0);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	fdinfo_of(fd, buf, sizeof(buf));
	EXPECT(strstr(buf, "wsq_state:\tlive\n"));
	EXPECT(strstr(buf, "wsq_sq_entries:\t4\n"));
	EXPECT(strstr(buf, "wsq_cq_entries:\t8\n"));
	EXPECT(strstr(buf, "wsq_arena:\t4096\n"));
	EXPECT(strstr(buf, "wsq_submitted:\t1\n"));
	EXPECT(strstr(buf, "wsq_completed:\t1\n"));
	EXPECT(strstr(buf, "wsq_read:\t0\n"));
	EXPECT(strstr(buf, "wsq_in_flight:\t0\n"));
	ring_close(&r);
}

#define PARAM	"/sys/module/wsq/parameters/arena_max"

static int param_write(const char *val)
{
	int fd = open(PARAM, O_WRONLY), ret;

	EXPECT(fd >= 0);
	ret = write(fd, val, strlen(val)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static void arena_max(void)
{
	static const struct {
		const char *val;
		int ret;
		unsigned long long max;
	} rows[] = {
		{ "x", -EINVAL, 8192 },
		{ "-1", -EINVAL, 8192 },
		{ "549755813889", -EINVAL, 8192 },
		{ "99999999999999999999", -ERANGE, 8192 },
		{ "549755813888", 0, 549755813888ULL },
		{ "8193", 0, 8192 },
		{ "0", 0, 0 },
	};
	char was[32] = "";
	unsigned int i;
	int fd;

	fd = open(PARAM, O_RDONLY);
	EXPECT(fd >= 0);
	EXPECT(read(fd, was, sizeof(was) - 1) > 0);
	close(fd);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wsq_query q = { .size = sizeof(q) };
		int ret, got;

		EXPECT_EQ(param_write("8192"), 0);
		ret = param_write(rows[i].val);
		fd = dev_open();
		got = ioctl(fd, WSQ_IOC_QUERY, &q);
		close(fd);
		param_write(was);
		EXPECT_EQ(ret, rows[i].ret);
		EXPECT_EQ(got, 0);
		EXPECT_EQ(q.max_arena, rows[i].max);
	}
}

#ifdef __x86_64__
static int syscall32(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}
#endif

/* The same ioctls as a 32-bit program makes them. */
static void compat(void)
{
#ifdef __x86_64__
	struct wsq_query *q = mmap(NULL, PAGE, RW, MAP_PRIVATE |
				   MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	int fd = dev_open(), ret, status;
	pid_t pid;

	EXPECT(q != MAP_FAILED);
	q->size = sizeof(*q);
	/* 20 is getpid there, something else elsewhere, and fatal in UML. */
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid)
		_exit(syscall32(20, 0, 0, 0) != getpid());
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	if (status)
		SKIP("no 32-bit system calls in this kernel");
	ret = syscall32(54, fd, WSQ_IOC_QUERY, (long)q);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(q->nr_ops, WSQ_OP_NR);
#else
	SKIP("knows x86 only");
#endif
}

static const struct test tests[] = {
	{ "device", device },
	{ "struct_sizes", sizes },
	{ "unknown_ioctls", unknown },
	{ "query", query },
	{ "setup", setup },
	{ "setup_file", setup_file },
	{ "enter", enter },
	{ "mappings", mappings },
	{ "implies_exec", implies_exec },
	{ "entries", entries },
	{ "stats", stats },
	{ "stats_sizes", stats_sizes },
	{ "fdinfo", fdinfo },
	{ "arena_max", arena_max },
	{ "compat", compat },
};

TEST_MAIN(tests)
