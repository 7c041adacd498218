// SPDX-License-Identifier: GPL-2.0
//! crossbeam-deque behind C calls, with the measured loop on this side of them.
//!
//! The loop is that of owner.h: one increment and one compiler barrier per
//! operation, two stores per pass.

use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering};
use crossbeam_deque::{Steal, Stealer, Worker};

type Task = usize;

pub struct Deque {
    worker: Worker<Task>,
    stealer: Stealer<Task>,
}

/// struct bench_count of bench.h.
#[repr(C)]
pub struct Count {
    puts: AtomicU64,
    gets: u64,
    total: u64,
    odds: u64,
    slack: u64,
    most: u64,
    steals: Line,
}

#[repr(C, align(64))]
struct Line(AtomicU64);

// Without nomem, an empty asm is a compiler barrier.
#[inline(always)]
fn barrier() {
    unsafe { asm!("", options(nostack, preserves_flags)) }
}

#[inline(always)]
fn use_task(v: Task) {
    unsafe { asm!("/* {0} */", in(reg) v, options(nostack, preserves_flags)) }
}

#[no_mangle]
pub extern "C" fn xb_create(fifo: bool) -> *mut Deque {
    let worker = if fifo { Worker::new_fifo() } else { Worker::new_lifo() };
    let stealer = worker.stealer();

    Box::into_raw(Box::new(Deque { worker, stealer }))
}

/// # Safety
/// `q` comes from xb_create() and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn xb_destroy(q: *mut Deque) {
    drop(Box::from_raw(q));
}

/// # Safety
/// `q` comes from xb_create(); one owner at a time.
#[no_mangle]
pub unsafe extern "C" fn xb_put(q: *const Deque, task: Task) {
    (*q).worker.push(task);
}

/// # Safety
/// As xb_put().
#[no_mangle]
pub unsafe extern "C" fn xb_get(q: *const Deque) -> Task {
    (*q).worker.pop().unwrap_or(0)
}

/// # Safety
/// As xb_put(), and `count` points to a struct bench_count.
#[no_mangle]
pub unsafe extern "C" fn xb_pass(
    q: *const Deque,
    passes: u64,
    capacity: u64,
    count: *mut Count,
) {
    let worker = &(*q).worker;
    let mut puts = 0u64;
    let mut gets = 0u64;

    for _ in 0..passes {
        let full = puts + capacity;

        while puts != full {
            worker.push((puts + 1) as Task);
            puts += 1;
            barrier();
        }
        (*count).puts.store(puts, Ordering::Relaxed);
        while let Some(task) = worker.pop() {
            gets += 1;
            use_task(task);
        }
    }
    (*count).gets = gets;
}

/// The loop beside a thief, BENCH_BESIDE_THIEF of owner.h.
///
/// # Safety
/// As xb_pass().
#[no_mangle]
pub unsafe extern "C" fn xb_beside_thief(q: *const Deque, capacity: u64, count: *mut Count) {
    let worker = &(*q).worker;
    let shared = &*count;
    let mut puts = shared.puts.load(Ordering::Relaxed);
    let mut gets = shared.gets;

    while puts < shared.total {
        let full = gets + shared.steals.0.load(Ordering::Relaxed) + capacity;

        while puts != full {
            worker.push((puts + 1) as Task);
            puts += 1;
            barrier();
        }
        shared.puts.store(puts, Ordering::Relaxed);
        let steals = shared.steals.0.load(Ordering::Relaxed);
        let limit = shared.slack + steals * shared.odds / 1024;
        while gets < limit {
            match worker.pop() {
                Some(task) => use_task(task),
                None => break,
            }
            gets += 1;
        }
    }
    (*count).gets = gets;
}

/// # Safety
/// `q` comes from xb_create().
#[no_mangle]
pub unsafe extern "C" fn xb_steal(q: *const Deque) -> u32 {
    match (*q).stealer.steal() {
        Steal::Success(task) => {
            use_task(task);
            1
        }
        _ => 0,
    }
}
