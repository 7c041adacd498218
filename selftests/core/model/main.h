/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by all clients of the model checker: main().
 *
 * For: the .cpp files of this directory. Each is one program for Relacy: a
 * struct whose thread(i) calls kmod/core, compiled from its own files through
 * shim/relacy.
 *
 *	client [EXECUTIONS [FIRST]]	random executions FIRST, FIRST + 1, ...
 *	client bound SWITCHES [NUMBER]	all executions with at most so many
 *					preemptions, or the first NUMBER
 *
 * Exit status 0 if nothing was found; otherwise 1, and Relacy's report with the
 * history of the execution, which names the lines of kmod/core, on stdout.
 *
 * Cost: 100,000 to 400,000 executions a second. Limitations: random executions
 * are no proof, and a party that sleeps through many steps of another is rare
 * among them (2^-steps): clients that need a sleeper are run bounded. Relacy
 * has no load buffering, and a store that is executed later is later in
 * modification order; litmus/ has both.
 */
#ifndef _WSQ_MODEL_MAIN_H
#define _WSQ_MODEL_MAIN_H

#include <wsq_platform.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

/* Executions after which a bounded search ends; 0: when it is done. */
static long client_limit;

template <typename T>
struct client_limited : T {
	void after()
	{
		T::after();
		if (client_limit && !--client_limit) {
			std::puts("ended early, as asked");
			std::fflush(nullptr);
			/* On a thread of Relacy's, which exit() would wait for. */
			std::_Exit(0);
		}
	}
};

template <typename T>
static int client_main(int argc, char **argv)
{
	rl::test_params params;
	long first = argc > 2 ? std::atol(argv[2]) : 1;

	params.progress_output_period = 3600;
	params.execution_depth_limit = 4000;
	if (argc > 1 && !std::strcmp(argv[1], "bound")) {
		params.search_type = rl::sched_bound;
		params.context_bound = (unsigned)first;
		client_limit = argc > 3 ? std::atol(argv[3]) : 0;
	} else {
		params.iteration_count = argc > 1 ? std::atol(argv[1]) : 100000;
		params.iteration_count += first - 1;
		if (first > 1)
			params.initial_state = std::to_string(first).c_str();
	}
	return rl::simulate<client_limited<T>>(params) ? 0 : 1;
}

#define CLIENT_MAIN(type)			\
int main(int argc, char **argv)			\
{						\
	return client_main<type>(argc, argv);	\
}

#endif /* _WSQ_MODEL_MAIN_H */
