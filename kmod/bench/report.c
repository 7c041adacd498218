// SPDX-License-Identifier: GPL-2.0
/*
 * Samples as JSON lines for tools/bench/collect (its format is in
 * tools/bench/README.md). Kernel messages are cut at some 900 bytes, so samples
 * are spread over lines.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/printk.h>

#include "bench.h"

#define BENCH_PER_LINE		20

/**
 * bench_report() - print samples
 * @service: what was measured
 * @metric: what was counted
 * @unit: in what
 * @samples: hundredths of @unit, in the order of rounds
 * @nr: how many
 * @run: which boot they are of
 */
void bench_report(const char *service, const char *metric, const char *unit,
		  const u64 *samples, unsigned int nr, unsigned int run)
{
	char text[BENCH_PER_LINE * 16];
	unsigned int i, k, len;

	for (i = 0; i < nr; i += BENCH_PER_LINE) {
		len = 0;
		for (k = i; k < min(nr, i + BENCH_PER_LINE); k++) {
			u32 part;
			u64 whole = div_u64_rem(samples[k], 100, &part);

			len += scnprintf(text + len, sizeof(text) - len,
					 "%s%llu.%02u", k == i ? "" : ",",
					 whole, part);
		}
		pr_info("{\"suite\":\"kernel\",\"case\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"run\":%u,\"round\":%u,\"samples\":[%s]}\n",
			service, metric, unit, run, i, text);
	}
}

/**
 * bench_report_note() - say why there are no samples
 * @service: what was not measured
 * @metric: what was to be counted
 * @note: why
 * @run: of which boot
 */
void bench_report_note(const char *service, const char *metric,
		       const char *note, unsigned int run)
{
	pr_info("{\"suite\":\"kernel\",\"case\":\"%s\",\"metric\":\"%s\",\"run\":%u,\"note\":\"%s\"}\n",
		service, metric, run, note);
}
