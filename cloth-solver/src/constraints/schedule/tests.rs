use std::ops::{Index, IndexMut};
use std::sync::{Arc, mpsc};

use cloth_geom::Topology;
use cloth_geom::fixtures::sheet;
use cloth_geom::lanes::Level;
use rayon::ThreadPoolBuilder;

use super::*;
use crate::colouring::coloured;

/// Constraints whose result depends on the order in which they are projected.
#[derive(Clone, Debug)]
struct Chain {
    v: [LocalIds; 4],
    number: [f32; LANES8],
    panics: bool,
}

impl Chain {
    fn new(eight: [(f32, [u32; 4]); 8], local: &dyn Fn(u32) -> u32) -> Self {
        let v = [0, 1, 2, 3].map(|k| eight.map(|(_, v)| local(v[k])));
        Self { v, number: eight.map(|(number, _)| number), panics: false }
    }
}

impl ConstraintBlock for Chain {
    type Pass = f32;

    #[inline(always)]
    fn corners(&self) -> &[LocalIds] {
        &self.v
    }

    #[inline(always)]
    fn project<S: Instructions, X, X0>(
        &mut self,
        _: S,
        part: usize,
        positions: PositionPair<'_, X, X0>,
        pass: f32,
    ) where
        X: IndexMut<usize, Output = Packed> + ?Sized,
        X0: Index<usize, Output = Packed> + ?Sized,
    {
        let PositionPair { x, x_t0 } = positions;
        assert!(!self.panics, "on purpose");
        let lanes = part * S::COUNT..(part + 1) * S::COUNT;
        for l in lanes.filter(|&l| l == 0 || self.number[l] != self.number[l - 1]) {
            let v = self.v.map(|v| v[l] as usize);
            let sum = v.map(|v| x[v].x + x_t0[v].x).iter().sum::<f32>();
            for v in v {
                x[v].x = 0.5 * x[v].x + 0.1 * sum + pass;
                x[v].y += 1.0;
            }
        }
    }
}

/// The hinges of a sheet in the chunks of its vertices.
fn hinges(side: usize, workers: usize) -> (Arc<Chunks>, Vec<(f32, [u32; 4])>) {
    let mesh = sheet(side, side, [1.0, 1.0]).unwrap().mesh;
    let topology = Topology::of_mesh(&mesh).unwrap();
    let rest = mesh.positions_f32();
    let vertices = |hinge: &cloth_geom::Hinge| {
        let ([a, b], [c, d]) = (hinge.edge, hinge.apexes);
        [a, b, c, d]
    };
    let hinges = topology.hinges().into_iter().enumerate().map(|(i, hinge)| (i as f32, vertices(&hinge)));
    let links = topology.edges().iter().copied();
    (Arc::new(Chunks::new(&rest, std::iter::once(0..rest.len()), links, workers)), hinges.collect())
}

/// Positions of all slots, and others.
fn positions(chunks: &Chunks) -> [Vec<Packed>; 2] {
    let at = |i: usize| ((i * 7919) % 101) as f32 * 0.01;
    let slots = chunks.slots().len();
    [1, 3].map(|k| (0..slots).map(|i| Packed::new(at(k * i), 0.0, 0.0, 1.0)).collect())
}

#[test]
fn chunks_and_threads_change_no_bit_of_the_reference() {
    for (side, count) in [(9, 1), (40, 1), (40, 3), (70, 2), (70, 5), (130, 16)] {
        let (chunks, hinges) = hinges(side, count);
        assert_eq!(chunks.workers(), count);
        for passes in [1, 3] {
            // One by one, colour by colour.
            let [mut x, x_t0] = positions(&chunks);
            for (_, v) in (0..passes).flat_map(|_| coloured(side * side, &hinges, |(_, v)| *v)) {
                let slots = v.map(|v| chunks.slots()[v as usize] as usize);
                let sum = slots.map(|v| x[v].x + x_t0[v].x).iter().sum::<f32>();
                for v in slots {
                    x[v] = Packed::new(0.5 * x[v].x + 0.1 * sum + 0.25, x[v].y + 1.0, 0.0, 1.0);
                }
            }
            let mut all = Chunked::new(&chunks, &hinges, |(_, v)| *v, Chain::new);
            for threads in [1, 2, 3, 16] {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let [mut fast, x_t0] = positions(&chunks);
                let pair = PositionPair { x: &mut fast[..], x_t0: &x_t0[..] };
                pool.install(|| all.project(pair, Level::new(), passes, 0.25));
                assert!(fast == x, "{side}, {count} workers, {threads} threads");
            }
        }
    }
}

#[test]
fn no_constraints_are_fine() {
    let nothing = PositionPair { x: &mut [][..], x_t0: &[][..] };
    Chunked::<Chain>::default().project(nothing, Level::baseline(), 2, 1.0);
}

#[test]
fn what_cannot_move_is_left_out() {
    let (chunks, hinges) = hinges(40, 3);
    let mut all = Chunked::new(&chunks, &hinges, |(_, v)| *v, Chain::new);
    let mut inv_mass = vec![0.0; 1600];
    inv_mass[820] = 1.0;
    all.update_masses(&inv_mass);
    let [mut x, x_t0] = positions(&chunks);
    all.project(PositionPair { x: &mut x[..], x_t0: &x_t0[..] }, Level::new(), 1, 0.25);
    let active = all.active_vertices();
    assert!(active[820] && active.contains(&false));
    let is_touched = |v: u32| x[chunks.slots()[v as usize] as usize].y > 0.0;
    assert!((0..).zip(active).all(|(v, active)| is_touched(v) == active));
}

#[test]
fn threads_that_are_busy_with_something_else_are_not_waited_for() {
    let (chunks, hinges) = hinges(70, 3);
    let mut all = Chunked::new(&chunks, &hinges, |(_, v)| *v, Chain::new);
    let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let (release, held) = (mpsc::channel::<()>(), mpsc::channel());
    let gate = Mutex::new(release.1);
    pool.in_place_scope(|scope| {
        for _ in 0..2 {
            let (gate, held) = (&gate, held.0.clone());
            scope.spawn(move |_| {
                held.send(()).unwrap();
                // Until the sender is dropped.
                let _ = gate.lock().unwrap().recv();
            });
        }
        (0..2).for_each(|_| held.1.recv().unwrap());
        let [mut x, x_t0] = positions(&chunks);
        pool.install(|| all.project(PositionPair { x: &mut x[..], x_t0: &x_t0[..] }, Level::new(), 2, 0.25));
        let touched: f32 = x.iter().map(|x| x.y).sum();
        assert_eq!(touched, 8.0 * hinges.len() as f32, "four vertices in two passes");
        drop(release.0);
    });
}

#[test]
fn a_panic_on_a_thread_ends_all_of_them() {
    let (chunks, hinges) = hinges(70, 3);
    let mut all = Chunked::new(&chunks, &hinges, |(_, v)| *v, Chain::new);
    all.blocks.last_mut().unwrap().panics = true;
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let work = || {
        let [mut x, x_t0] = positions(&chunks);
        pool.install(|| all.project(PositionPair { x: &mut x[..], x_t0: &x_t0[..] }, Level::new(), 3, 0.25));
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
}
