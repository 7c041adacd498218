// SPDX-License-Identifier: GPL-2.0
//! The jobs of the fork-join benchmark (fj.h) by rayon: join() where a task has
//! two parts, a parallel iterator where it has any number.

use rayon::prelude::*;
use rayon::ThreadPool;

const QUEENS_MAX: usize = 16;
const MATMUL_BASE: i32 = 64;

#[repr(C)]
pub struct Tree {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Node {
    state: [u32; 5],
    height: u32,
}

/// struct fj_product of fj.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Product {
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    m: i32,
    n: i32,
    p: i32,
    stride: i32,
    add: i32,
}

// Halves that run at the same time write to different parts of c.
unsafe impl Send for Product {}

/// struct fj_job of fj.h.
#[repr(C)]
pub struct Job {
    work: u32,
    n: i32,
    tree: *const Tree,
    product: Product,
}

#[derive(Clone, Copy)]
struct TreeRef(*const Tree);
unsafe impl Send for TreeRef {}
unsafe impl Sync for TreeRef {}

extern "C" {
    fn uts_root(tree: *const Tree) -> Node;
    fn uts_children(tree: *const Tree, node: *const Node) -> u32;
    fn uts_child(node: *const Node, nr: u32) -> Node;
    fn fj_product_base(x: *const Product);
}

fn fib(n: i32) -> u64 {
    if n < 2 {
        return n as u64;
    }
    let (a, b) = rayon::join(|| fib(n - 2), || fib(n - 1));
    a + b
}

fn tree(n: i32) -> u64 {
    if n == 0 {
        return 1;
    }
    let (a, b) = rayon::join(|| tree(n - 1), || tree(n - 1));
    a + b
}

fn fits(board: &[u8; QUEENS_MAX], row: i32, column: i32) -> bool {
    for i in 0..row {
        let off = board[i as usize] as i32 - column;
        if off == 0 || off == row - i || off == i - row {
            return false;
        }
    }
    true
}

fn queens(board: [u8; QUEENS_MAX], n: i32, row: i32) -> u64 {
    if row == n {
        return 1;
    }
    (0..n)
        .into_par_iter()
        .filter(|&i| fits(&board, row, i))
        .map(|i| {
            let mut next = board;
            next[row as usize] = i as u8;
            queens(next, n, row + 1)
        })
        .sum()
}

fn uts(tree: TreeRef, node: Node) -> u64 {
    let nr = unsafe { uts_children(tree.0, &node) };
    1 + (0..nr)
        .into_par_iter()
        .map(|i| {
            let of = tree;
            uts(of, unsafe { uts_child(&node, i) })
        })
        .sum::<u64>()
}

fn matmul(mut x: Product) {
    if x.m + x.n + x.p <= MATMUL_BASE {
        unsafe { fj_product_base(&x) };
        return;
    }
    let mut y = x;
    if x.m >= x.n && x.m >= x.p {
        let first = x.m / 2;
        x.m = first;
        y.m -= first;
        y.a = y.a.wrapping_offset(first as isize * x.stride as isize);
        y.c = y.c.wrapping_offset(first as isize * x.stride as isize);
    } else if x.n >= x.p {
        let first = x.n / 2;
        x.n = first;
        y.n -= first;
        y.a = y.a.wrapping_offset(first as isize);
        y.b = y.b.wrapping_offset(first as isize * x.stride as isize);
        y.add = 1;
        matmul(x);
        matmul(y);
        return;
    } else {
        let first = x.p / 2;
        x.p = first;
        y.p -= first;
        y.b = y.b.wrapping_offset(first as isize);
        y.c = y.c.wrapping_offset(first as isize);
    }
    rayon::join(
        move || {
            let half = x;
            matmul(half)
        },
        move || {
            let half = y;
            matmul(half)
        },
    );
}

#[no_mangle]
pub extern "C" fn rayon_start(workers: u32) -> *mut ThreadPool {
    match rayon::ThreadPoolBuilder::new()
        .num_threads(workers as usize)
        .stack_size(64 << 20)
        .build()
    {
        Ok(pool) => Box::into_raw(Box::new(pool)),
        Err(_) => core::ptr::null_mut(),
    }
}

/// # Safety
/// `pool` comes from rayon_start() and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn rayon_stop(pool: *mut ThreadPool) {
    drop(Box::from_raw(pool));
}

/// # Safety
/// `pool` comes from rayon_start(), and `job` points to a struct fj_job.
#[no_mangle]
pub unsafe extern "C" fn rayon_run(pool: *const ThreadPool, job: *const Job) -> u64 {
    let n = (*job).n;
    let of = TreeRef((*job).tree);
    let product = (*job).product;

    match (*job).work {
        0 => (*pool).install(|| fib(n)),
        1 => (*pool).install(|| queens([0; QUEENS_MAX], n, 0)),
        2 => (*pool).install(move || {
            let tree = of;
            uts(tree, uts_root(tree.0))
        }),
        3 => {
            (*pool).install(move || {
                let whole = product;
                matmul(whole)
            });
            0
        }
        4 => (*pool).install(|| tree(n)),
        _ => 0,
    }
}
