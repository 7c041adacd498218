// SPDX-License-Identifier: GPL-2.0
/*
 * The displacement fence of the simulated machine (shim/sim/wsq_fence.h):
 * smp_call_function_many(), by its costs. The handler is a full barrier.
 */
#include <wsq_fence.h>

unsigned int sim_fence_cpu[SIM_CPUS];
uint64_t sim_fence_sent;

void sim_fence_init(void)
{
	unsigned int i;

	for (i = 0; i < SIM_CPUS; i++)
		sim_fence_cpu[i] = i;
	sim_fence_sent = 0;
}

static void handler(void *arg)
{
	unsigned int *missing = arg;

	sim_mb();
	--*missing;
}

static void send(unsigned int id, unsigned int *missing)
{
	unsigned int cpu = sim_fence_cpu[id];

	if (cpu == sim_cpu()) {
		sim_mb();
		return;
	}
	sim_fence_sent++;
	++*missing;
	sim_charge(sim_config.costs.ipi_send);
	sim_raise(cpu, sim_now() + sim_config.costs.ipi_latency, handler, missing);
}

void wsq_fence_heavy(const u64 *ids, u32 nr_words)
{
	unsigned int missing = 0;
	u32 id;

	for (id = 0; id < nr_words * 64; id++) {
		if (ids[id / 64] >> id % 64 & 1)
			send(id, &missing);
	}
	while (missing)
		sim_relax();
	sim_mb();
}

static void call_handler(void *arg)
{
	struct wsq_fence_call *call = arg;

	sim_mb();
	call->done = true;
}

void wsq_fence_call_init(struct wsq_fence_call *call)
{
	call->done = true;
}

void wsq_fence_start(struct wsq_fence_call *call, unsigned int id)
{
	unsigned int cpu = sim_fence_cpu[id];

	sim_mb();
	call->done = cpu == sim_cpu();
	if (call->done)
		return;
	sim_fence_sent++;
	sim_charge(sim_config.costs.ipi_send);
	sim_raise(cpu, sim_now() + sim_config.costs.ipi_latency, call_handler, call);
}

bool wsq_fence_done(const struct wsq_fence_call *call)
{
	return call->done;
}
