use std::sync::Arc;

use cloth_geom::Topology;
use cloth_geom::fixtures::sheet;
use cloth_geom::lanes::Level;
use rayon::ThreadPoolBuilder;

use super::*;
use crate::colouring::coloured;

/// Constraints whose result depends on the order in which they are projected.
#[derive(Clone, Debug)]
struct Chain {
    number: [f32; LANES8],
}

impl Chain {
    fn new(eight: [(f32, [u32; 4]); 8]) -> Self {
        Self { number: eight.map(|(number, _)| number) }
    }
}

impl ConstraintBlock<4> for Chain {
    type Pass = f32;

    #[inline(always)]
    fn project<S: Instructions>(
        &mut self,
        _: S,
        part: usize,
        positions: &mut BlockPositions<'_, 4>,
        pass: f32,
    ) {
        let lanes = part * S::COUNT..(part + 1) * S::COUNT;
        for l in lanes.filter(|&l| l == 0 || self.number[l] != self.number[l - 1]) {
            let sum = (0..4).map(|k| positions.get(k, l).x + positions.start(k, l).x).sum::<f32>();
            for k in 0..4 {
                let mut x = *positions.get(k, l);
                x.x = 0.5 * x.x + 0.1 * sum + pass;
                x.y += 1.0;
                positions.set(k, l, x);
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
                let pair = Slices { items: &mut fast, starts: &x_t0 };
                pool.install(|| all.project(Level::new(), pair, passes, 0.25));
                assert!(fast == x, "{side}, {count} workers, {threads} threads");
            }
        }
    }
}

#[test]
fn no_constraints_are_fine() {
    let nothing = Slices { items: &mut [], starts: &[] };
    Chunked::<Chain, 4>::default().project(Level::baseline(), nothing, 2, 1.0);
}

#[test]
fn what_cannot_move_is_left_out() {
    let (chunks, hinges) = hinges(40, 3);
    let mut all = Chunked::new(&chunks, &hinges, |(_, v)| *v, Chain::new);
    let mut inv_mass = vec![0.0; 1600];
    inv_mass[820] = 1.0;
    all.update_masses(&inv_mass);
    let [mut x, x_t0] = positions(&chunks);
    all.project(Level::new(), Slices { items: &mut x, starts: &x_t0 }, 1, 0.25);
    let active = all.active_vertices();
    assert!(active[820] && active.contains(&false));
    let is_touched = |v: u32| x[chunks.slots()[v as usize] as usize].y > 0.0;
    assert!((0..).zip(active).all(|(v, active)| is_touched(v) == active));
}
