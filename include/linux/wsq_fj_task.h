/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lists of which DEFINE_WSQ_TASKn() of <linux/wsq_fj.h> is made: a task's
 * arguments as parameters, as names, as members, stored and loaded, as
 * <linux/syscalls.h> makes them for system calls. Not to be used directly.
 */
#ifndef _LINUX_WSQ_FJ_TASK_H
#define _LINUX_WSQ_FJ_TASK_H

#define __WSQ_TASK_PARAMS0()
#define __WSQ_TASK_PARAMS1(t1, a1)			, t1 a1
#define __WSQ_TASK_PARAMS2(t1, a1, ...)			\
	, t1 a1 __WSQ_TASK_PARAMS1(__VA_ARGS__)
#define __WSQ_TASK_PARAMS3(t1, a1, ...)			\
	, t1 a1 __WSQ_TASK_PARAMS2(__VA_ARGS__)
#define __WSQ_TASK_PARAMS4(t1, a1, ...)			\
	, t1 a1 __WSQ_TASK_PARAMS3(__VA_ARGS__)
#define __WSQ_TASK_NAMES0()
#define __WSQ_TASK_NAMES1(t1, a1)			, a1
#define __WSQ_TASK_NAMES2(t1, a1, ...)			\
	, a1 __WSQ_TASK_NAMES1(__VA_ARGS__)
#define __WSQ_TASK_NAMES3(t1, a1, ...)			\
	, a1 __WSQ_TASK_NAMES2(__VA_ARGS__)
#define __WSQ_TASK_NAMES4(t1, a1, ...)			\
	, a1 __WSQ_TASK_NAMES3(__VA_ARGS__)
#define __WSQ_TASK_MEMBERS0()
#define __WSQ_TASK_MEMBERS1(t1, a1)			t1 a1;
#define __WSQ_TASK_MEMBERS2(t1, a1, ...)		\
	t1 a1; __WSQ_TASK_MEMBERS1(__VA_ARGS__)
#define __WSQ_TASK_MEMBERS3(t1, a1, ...)		\
	t1 a1; __WSQ_TASK_MEMBERS2(__VA_ARGS__)
#define __WSQ_TASK_MEMBERS4(t1, a1, ...)		\
	t1 a1; __WSQ_TASK_MEMBERS3(__VA_ARGS__)
#define __WSQ_TASK_STORE0()
#define __WSQ_TASK_STORE1(t1, a1)			__args->a1 = a1;
#define __WSQ_TASK_STORE2(t1, a1, ...)			\
	__args->a1 = a1; __WSQ_TASK_STORE1(__VA_ARGS__)
#define __WSQ_TASK_STORE3(t1, a1, ...)			\
	__args->a1 = a1; __WSQ_TASK_STORE2(__VA_ARGS__)
#define __WSQ_TASK_STORE4(t1, a1, ...)			\
	__args->a1 = a1; __WSQ_TASK_STORE3(__VA_ARGS__)
#define __WSQ_TASK_LOAD0()
#define __WSQ_TASK_LOAD1(t1, a1)			, __args->a1
#define __WSQ_TASK_LOAD2(t1, a1, ...)			\
	, __args->a1 __WSQ_TASK_LOAD1(__VA_ARGS__)
#define __WSQ_TASK_LOAD3(t1, a1, ...)			\
	, __args->a1 __WSQ_TASK_LOAD2(__VA_ARGS__)
#define __WSQ_TASK_LOAD4(t1, a1, ...)			\
	, __args->a1 __WSQ_TASK_LOAD3(__VA_ARGS__)

#endif /* _LINUX_WSQ_FJ_TASK_H */
