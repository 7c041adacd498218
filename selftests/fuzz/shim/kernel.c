// SPDX-License-Identifier: GPL-2.0
/*
 * Memory, the process's memory, credentials, files, checksums.
 *
 * Every allocation has exactly the requested size, so that the address
 * sanitizer sees accesses beyond it, and is counted.
 */
#include <sanitizer/allocator_interface.h>

#include "shim.h"

struct shim_memory shim_memory;
struct shim_watch shim_watch;
struct miscdevice *shim_misc;
struct notifier_block *shim_notifier;

/* Memory */

static bool shim_charge(size_t size, gfp_t gfp)
{
	struct shim_memory *m = &shim_memory;

	might_sleep();
	if ((m->fail && !--m->fail) || size > m->room) {
		m->failed = true;
		return false;
	}
	m->room -= size;
	if (gfp & GFP_KERNEL_ACCOUNT)
		m->charged += size;
	return true;
}

void *shim_alloc(size_t size, gfp_t gfp)
{
	void *p;

	MUST(size);
	if (!shim_charge(roundup_pow_of_two(size), gfp))
		return NULL;
	if (posix_memalign(&p, size < 64 ? 16 : 64, size))
		FAIL("no memory for the fuzzer");
	shim_memory.live++;
	return memset(p, 0, size);
}

void kfree(const void *p)
{
	if (!p)
		return;
	shim_freed(p);
	shim_memory.live--;
	shim_memory.room += roundup_pow_of_two(__sanitizer_get_allocated_size(p));
	free((void *)p);
}

void *kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	MUST(!__builtin_mul_overflow(n, size, &bytes));
	return shim_alloc(bytes, gfp);
}

void *shim_percpu(size_t size, gfp_t gfp)
{
	const size_t all = SHIM_PERCPU * nr_cpu_ids;
	void *p = shim_alloc(all, gfp);

	MUST(size <= SHIM_PERCPU);
	/* It is charged for all possible CPUs. */
	if (p && gfp & GFP_KERNEL_ACCOUNT)
		shim_memory.charged += size * num_possible_cpus() -
				       roundup_pow_of_two(all);
	return p;
}

struct page *alloc_page(gfp_t gfp)
{
	struct page *page;

	if (!shim_charge(PAGE_SIZE, gfp))
		return NULL;
	page = malloc(sizeof(*page));
	page->refs = 1;
	shim_memory.pages++;
	return page;
}

void get_page(struct page *page)
{
	MUST(page->refs > 0);
	page->refs++;
}

void put_page(struct page *page)
{
	MUST(page->refs > 0);
	if (--page->refs)
		return;
	shim_memory.room += PAGE_SIZE;
	shim_memory.pages--;
	free(page);
}

/* The content of pages is here, for the process as well. */
void *vmap(struct page **pages, unsigned int nr, unsigned long flags, int prot)
{
	void *p;

	might_sleep();
	if (shim_memory.fail && !--shim_memory.fail) {
		shim_memory.failed = true;
		return NULL;
	}
	if (posix_memalign(&p, PAGE_SIZE, nr * PAGE_SIZE))
		FAIL("no memory for the fuzzer");
	shim_memory.live++;
	return memset(p, 0, nr * PAGE_SIZE);
}

void vunmap(const void *addr)
{
	might_sleep();
	if (addr)
		shim_memory.live--;
	free((void *)addr);
}

int percpu_ref_init(struct percpu_ref *ref, void (*release)(struct percpu_ref *ref),
		    unsigned int flags, gfp_t gfp)
{
	/* As much as the kernel's takes. */
	if (!shim_charge(sizeof(struct percpu_ref_data) +
			 num_possible_cpus() * sizeof(long), gfp))
		return -ENOMEM;
	shim_memory.room += sizeof(struct percpu_ref_data) +
			    num_possible_cpus() * sizeof(long);
	ref->count = 1;
	ref->dying = false;
	ref->release = release;
	return 0;
}

/* May be called twice, as in the kernel. */
void percpu_ref_exit(struct percpu_ref *ref)
{
	ref->release = NULL;
}

void percpu_ref_get_many(struct percpu_ref *ref, unsigned long n)
{
	shim_point();
	MUST(ref->release && ref->count > 0);
	ref->count += n;
}

void percpu_ref_put_many(struct percpu_ref *ref, unsigned long n)
{
	shim_point();
	MUST(ref->release && ref->count >= (long)n);
	ref->count -= n;
	if (!ref->count) {
		/* percpu_ref_kill() drops the first reference. */
		MUST(ref->dying);
		ref->release(ref);
	}
}

bool percpu_ref_tryget_live(struct percpu_ref *ref)
{
	shim_point();
	if (ref->dying)
		return false;
	ref->count++;
	return true;
}

void percpu_ref_kill(struct percpu_ref *ref)
{
	MUST(!ref->dying);
	ref->dying = true;
	percpu_ref_put_many(ref, 1);
}

/* The process' memory */

static struct {
	size_t len;
	u8 *data;
} shim_user[SHIM_USERS];

u64 shim_user_set(unsigned int i, void *data, size_t len)
{
	MUST(i < SHIM_USERS && len < SHIM_USER_STEP);
	shim_user[i].len = len;
	shim_user[i].data = data;
	return SHIM_USER + i * SHIM_USER_STEP;
}

/* Finds a byte of the process, and how many follow; NULL if not mapped. */
static u8 *shim_user_at(u64 addr, size_t *left)
{
	u64 i = (addr - SHIM_USER) / SHIM_USER_STEP;
	u64 off = (addr - SHIM_USER) % SHIM_USER_STEP;

	if (addr < SHIM_USER || i >= SHIM_USERS || off >= shim_user[i].len)
		return NULL;
	*left = shim_user[i].len - off;
	return shim_user[i].data + off;
}

/* Copies as far as possible. Returns how many bytes were left. */
static unsigned long shim_user_copy(u64 user, u8 *kernel, unsigned long n, int how)
{
	size_t left;
	u8 *at;

	might_sleep();
	if (!n)
		return 0;
	at = shim_user_at(user, &left);
	if (!at)
		return n;
	left = min(left, (size_t)n);
	if (how == 0)
		memcpy(kernel, at, left);
	else if (how == 1)
		memcpy(at, kernel, left);
	else
		memset(at, 0, left);
	return n - left;
}

unsigned long copy_from_user(void *to, const void *from, unsigned long n)
{
	unsigned long left = shim_user_copy((uintptr_t)from, to, n, 0);

	memset((u8 *)to + n - left, 0, left);
	return left;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long n)
{
	return shim_user_copy((uintptr_t)to, (u8 *)from, n, 1);
}

unsigned long clear_user(void *to, unsigned long n)
{
	return shim_user_copy((uintptr_t)to, NULL, n, 2);
}

int copy_struct_from_user(void *dst, size_t ksize, const void *src, size_t usize)
{
	size_t i, size = min(ksize, usize);
	u8 tail;

	for (i = size; i < usize; i++) {
		if (copy_from_user(&tail, (const u8 *)src + i, 1))
			return -EFAULT;
		if (tail)
			return -E2BIG;
	}
	memset((u8 *)dst + size, 0, ksize - size);
	return copy_from_user(dst, src, size) ? -EFAULT : 0;
}

/* Rights */

struct user_namespace init_user_ns = { .refs = 1 };

bool ns_capable(struct user_namespace *ns, int cap)
{
	MUST(cap_valid(cap));
	return current->cred->user_ns == ns && (current->cred->caps & BIT_ULL(cap));
}

const struct cred *get_cred(const struct cred *cred)
{
	MUST(cred->refs > 0);
	((struct cred *)cred)->refs++;
	return cred;
}

void put_cred(const struct cred *cred)
{
	MUST(cred->refs > 1);
	((struct cred *)cred)->refs--;
}

const struct cred *override_creds(const struct cred *cred)
{
	const struct cred *old = current->cred;

	current->cred = get_cred(cred);
	return old;
}

void revert_creds(const struct cred *old)
{
	put_cred(current->cred);
	current->cred = old;
}

struct user_namespace *get_user_ns(struct user_namespace *ns)
{
	MUST(ns->refs > 0);
	ns->refs++;
	return ns;
}

void put_user_ns(struct user_namespace *ns)
{
	MUST(ns->refs > 1);
	ns->refs--;
}

/* Files, modules */

int misc_register(struct miscdevice *misc)
{
	MUST(!shim_misc);
	shim_misc = misc;
	return 0;
}

void misc_deregister(struct miscdevice *misc)
{
	MUST(shim_misc == misc);
	shim_misc = NULL;
}

struct file *fget(unsigned int fd)
{
	struct file *file = shim_fd(fd);

	if (file)
		file->refs++;
	return file;
}

void fput(struct file *file)
{
	MUST(file->refs > 0);
	if (file->refs == 1)
		shim_file_closing(file);
	if (--file->refs)
		return;
	if (file->f_op == shim_misc->fops)
		file->f_op->release(NULL, file);
	put_cred(file->f_cred);
	free(file);
}

void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	m->len += vsnprintf(m->text + m->len, sizeof(m->text) - m->len, fmt, ap);
	va_end(ap);
	MUST(m->len < sizeof(m->text));
}

int register_module_notifier(struct notifier_block *nb)
{
	MUST(!shim_notifier);
	shim_notifier = nb;
	return 0;
}

int unregister_module_notifier(struct notifier_block *nb)
{
	MUST(shim_notifier == nb);
	shim_notifier = NULL;
	return 0;
}

int kstrtoull(const char *s, unsigned int base, unsigned long long *res)
{
	char *end;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	*res = strtoull(s, &end, base);
	if (errno)
		return -ERANGE;
	return *end && strcmp(end, "\n") ? -EINVAL : 0;
}

int kstrtouint(const char *s, unsigned int base, unsigned int *res)
{
	unsigned long long n;
	int ret = kstrtoull(s, base, &n);

	if (ret)
		return ret;
	if (n > UINT_MAX)
		return -ERANGE;
	*res = n;
	return 0;
}

/* Few entries, in order */

void *xa_load(struct xarray *xa, unsigned long index)
{
	unsigned long at = index;
	void *entry = xa_find(xa, &at);

	return at == index ? entry : NULL;
}

void *xa_find(struct xarray *xa, unsigned long *index)
{
	unsigned int i;

	for (i = 0; i < xa->nr; i++) {
		if (xa->at[i].index < *index)
			continue;
		*index = xa->at[i].index;
		return xa->at[i].entry;
	}
	return NULL;
}

/* Numbers only increase here. */
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	if (!shim_charge(0, gfp) || xa->nr == ARRAY_SIZE(xa->at))
		return ERR_PTR(-ENOMEM);
	MUST(!xa->nr || xa->at[xa->nr - 1].index < index);
	xa->at[xa->nr].index = index;
	xa->at[xa->nr++].entry = entry;
	return NULL;
}

void *xa_erase(struct xarray *xa, unsigned long index)
{
	unsigned int i;
	void *entry;

	for (i = 0; xa->at[i].index != index; i++)
		MUST(i < xa->nr);
	entry = xa->at[i].entry;
	memmove(&xa->at[i], &xa->at[i + 1], (--xa->nr - i) * sizeof(xa->at[0]));
	return entry;
}

/* Chance, checksums */

void get_random_bytes(void *buf, size_t n)
{
	u8 *p = buf;

	while (n--)
		*p++ = shim_random();
}

u32 hsiphash_2u32(u32 a, u32 b, const hsiphash_key_t *key)
{
	u64 x = (((u64)b << 32 | a) ^ key->key[0]) * 0xff51afd7ed558ccdULL;

	return (x ^ x >> 33) + key->key[1];
}

u32 crc32c(u32 crc, const void *data, unsigned int n)
{
	static u32 table[256];
	const u8 *p = data;
	u32 i, k;

	for (i = 0; !table[255] && i < 256; i++) {
		u32 c = i;

		for (k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0x82f63b78 : c >> 1;
		table[i] = c;
	}
	while (n--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
	return crc;
}

u64 shim_sum(u64 sum, const void *data, size_t n)
{
	const u8 *p = data;

	while (n--)
		sum = (sum ^ *p++) * 0x100000001b3ULL;
	return sum;
}

void shim_digest(u8 *out, u64 sum, unsigned int size)
{
	while (size--) {
		sum = sum * 0x5851f42d4c957f2dULL + 1;
		*out++ = sum >> 56;
	}
}

struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask)
{
	struct crypto_shash *tfm = shim_alloc(sizeof(*tfm), 0);

	if (!tfm)
		return ERR_PTR(-ENOMEM);
	tfm->size = strcmp(name, "sha256") ? SHA512_DIGEST_SIZE : SHA256_DIGEST_SIZE;
	return tfm;
}

void crypto_free_shash(struct crypto_shash *tfm)
{
	kfree(tfm);
}

int crypto_shash_init(struct shash_desc *desc)
{
	desc->sum = SHIM_SUM;
	return 0;
}

int crypto_shash_update(struct shash_desc *desc, const u8 *data, unsigned int n)
{
	desc->sum = shim_sum(desc->sum, data, n);
	return 0;
}

int crypto_shash_final(struct shash_desc *desc, u8 *out)
{
	shim_digest(out, desc->sum, desc->tfm->size);
	return 0;
}

int crypto_shash_export(struct shash_desc *desc, void *out)
{
	memcpy(out, &desc->sum, sizeof(desc->sum));
	/* The imported state must be the exported one. */
	desc->sum = ~desc->sum;
	return 0;
}

int crypto_shash_import(struct shash_desc *desc, const void *in)
{
	memcpy(&desc->sum, in, sizeof(desc->sum));
	return 0;
}
