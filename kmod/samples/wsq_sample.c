// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_sample.ko: how another module uses wsq. Counts the primes below a limit,
 * with a work item for each range of numbers, using only <linux/wsq.h>, and
 * prints the result on load.
 *
 *	insmod wsq_sample.ko limit=2000000 grain=1000
 *
 * In the namespace WSQ; depends on wsq.ko.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wsq.h>
#include <linux/wsq_version.h>

static unsigned int limit = 200000;
module_param(limit, uint, 0444);
MODULE_PARM_DESC(limit, "count the primes below this (default 200000)");

static unsigned int grain = 500;
module_param(grain, uint, 0444);
MODULE_PARM_DESC(grain, "numbers for each work item (default 500)");

static atomic_t primes = ATOMIC_INIT(0);

/* A range of numbers. The work item is embedded in its data. */
struct sample_range {
	struct wsq_work work;
	unsigned int from;
	unsigned int to;
};

static bool is_prime(unsigned int n)
{
	unsigned int i;

	for (i = 2; i <= n / i; i++)
		if (n % i == 0)
			return false;
	return n > 1;
}

static void count_range(struct wsq_work *work)
{
	struct sample_range *r = container_of(work, struct sample_range, work);
	unsigned int n, found = 0;

	for (n = r->from; n < r->to; n++)
		found += is_prime(n);
	atomic_add(found, &primes);
	kfree(r);	/* wsq does not touch an item whose function runs */
}

static int __init sample_init(void)
{
	unsigned int from, items = 0;
	ktime_t start;
	struct wsq *q;
	int ret = 0;

	if (!grain || limit > INT_MAX)
		return -EINVAL;
	q = wsq_create(NULL, "sample");
	if (IS_ERR(q))
		return PTR_ERR(q);

	start = ktime_get();
	for (from = 0; from < limit; from += min(grain, limit - from)) {
		struct sample_range *r = kmalloc(sizeof(*r), GFP_KERNEL);

		if (!r) {
			ret = -ENOMEM;
			break;
		}
		r->from = from;
		r->to = from + min(grain, limit - from);
		INIT_WSQ_WORK(&r->work, count_range);
		wsq_queue_work(q, &r->work);
		items++;
	}
	wsq_flush(q);
	if (!ret)
		pr_info("wsq_sample: %d primes below %u, %u items, %lld us\n",
			atomic_read(&primes), limit, items,
			ktime_us_delta(ktime_get(), start));
	wsq_destroy(q);
	return ret;
}

static void __exit sample_exit(void)
{
}

module_init(sample_init);
module_exit(sample_exit);

MODULE_DESCRIPTION("Sample user of wsq");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
