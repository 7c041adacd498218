// SPDX-License-Identifier: GPL-2.0
// What is mechanical in porting a driver from workqueue to wsq: types, initializers and
// calls with the same arguments. Documentation/migration.rst has the table that this
// follows. What needs thought (flags of queues, system queues) is not here.

@@ @@
- struct work_struct
+ struct wsq_work

@@ @@
- struct delayed_work
+ struct wsq_delayed_work

@@ @@
- struct workqueue_struct
+ struct wsq

@@ typedef work_func_t, wsq_func_t; @@
- work_func_t
+ wsq_func_t

@@ expression W, F; @@
- INIT_WORK(W, F)
+ INIT_WSQ_WORK(W, F)

@@ expression W, F; @@
- INIT_DELAYED_WORK(W, F)
+ INIT_WSQ_DELAYED_WORK(W, F)

@@ declarer name DECLARE_WORK, DECLARE_WSQ_WORK; identifier W, F; @@
- DECLARE_WORK(W, F);
+ DECLARE_WSQ_WORK(W, F);

@@
expression list ES;
@@
(
- queue_work(ES)
+ wsq_queue_work(ES)
|
- queue_work_on(ES)
+ wsq_queue_work_on(ES)
|
- work_pending(ES)
+ wsq_work_pending(ES)
|
- flush_work(ES)
+ wsq_flush_work(ES)
|
- cancel_work_sync(ES)
+ wsq_cancel_work_sync(ES)
|
- flush_workqueue(ES)
+ wsq_flush(ES)
|
- drain_workqueue(ES)
+ wsq_drain(ES)
|
- destroy_workqueue(ES)
+ wsq_destroy(ES)
)
