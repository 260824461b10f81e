//! A sheet whose pins, with what wears it, are elsewhere in the next frame: what it does in the frames after.

use cloth_geom::{Topology, TriMesh};
use cloth_scene::ColliderProxies;
use cloth_show::human::human;
use cloth_solver::{
    ClothDesc, Collider, IntersectionFilter, Material, MeshBodyDesc, Settings, Simulation, SimulationBuilder,
    Thickness,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

/// Frames before the jump, and after the lag is over.
const BEFORE: usize = 20;
const AFTER: usize = 60;
/// Duration of a frame (s).
const DT: f32 = 1.0 / 60.0;

/// What the sheet hangs behind.
pub(crate) enum Wearer {
    Nobody,
    /// A box of 0.4 x 1.5 x 0.24 m, as a mesh body.
    Box,
    /// The proxies of a character, facing z, as colliders.
    Character(Vec<Collider>),
}

/// A jump between two frames.
pub(crate) struct Jump {
    pub(crate) metres: f32,
    /// Of a turn about y, through the origin.
    pub(crate) degrees: f32,
    /// Vertices across and down.
    pub(crate) grid: [usize; 2],
}

/// What was seen of a jump.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Stretch, the 99th percentile over the edges, before the jump, in the frame after it, and 60 frames
    /// after the lag is over.
    pub(crate) stretch: [f64; 3],
    /// The largest, of any edge and frame after the jump.
    pub(crate) worst_stretch: f64,
    /// By frame after the jump (m).
    pub(crate) lag: Vec<f32>,
    /// The farthest that a vertex ever was from the nearest place of a pin, in longest sides.
    pub(crate) farthest: f64,
    /// Vertices that were frozen, in the frame with the most, and in the last.
    pub(crate) frozen: [usize; 2],
    /// Intersections of cloth with cloth in the worst frame.
    pub(crate) intersections: usize,
    /// Rounds and proofs of the gate in a frame, before the jump and after it, the most.
    pub(crate) rounds: [u32; 2],
    pub(crate) proofs: [usize; 2],
    /// Cuts in the frame of the jump.
    pub(crate) cuts: usize,
    pub(crate) error: Option<String>,
}

/// The sheet: 0.44 m across and 0.9 m down, its upper row pinned at the height of the shoulders.
fn sheet([n, m]: [usize; 2]) -> (ClothDesc, Vec<u32>) {
    let at = |k: usize| {
        let (i, j) = ((k % n) as f64, (k / n) as f64);
        Point3::new(-0.22 + 0.44 * i / (n - 1) as f64, 1.42 - 0.9 * j / (m - 1) as f64, -0.15)
    };
    let first = |k: usize| (k / (n - 1) * n + k % (n - 1)) as u32;
    let width = n as u32;
    let faces = (0..(n - 1) * (m - 1)).map(first);
    let faces = faces.flat_map(|a| [[a, a + width, a + width + 1], [a, a + width + 1, a + 1]]).collect();
    let mesh = TriMesh::new((0..n * m).map(at).collect(), faces);
    let thickness = Thickness::for_mesh(&mesh);
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, thickness);
    cloth.pins = (0..width).collect();
    let pins = cloth.pins.clone();
    (cloth, pins)
}

/// The sheet alone, and its pins.
pub(crate) fn hanging(grid: [usize; 2], settings: Settings) -> (Simulation, Vec<u32>) {
    let mut builder = SimulationBuilder::new(settings);
    let (cloth, pins) = sheet(grid);
    builder.add_cloth(cloth);
    (builder.build().expect("a sheet"), pins)
}

fn cuboid() -> TriMesh {
    let corner = |k: u32| {
        let side = |bit: u32, half: f64| if k >> bit & 1 == 0 { -half } else { half };
        Point3::new(side(0, 0.2), 0.75 + side(1, 0.75), side(2, 0.12))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), faces)
}

/// The proxies of the built-in character at its bind pose.
pub(crate) fn character() -> Wearer {
    let human = human().expect("the built-in character");
    let mut world = Vec::new();
    human.character.skeleton.compute_world(&human.character.bind_pose(), &mut world);
    let proxies = ColliderProxies::new(human.fitted.proxies.clone(), &world, 1.0);
    Wearer::Character(proxies.colliders(&world, 0.3, true).expect("proxies"))
}

impl Jump {
    /// Lets the sheet hang, makes the jump, and goes on until 60 frames after the lag is over.
    pub(crate) fn run(&self, wearer: Wearer, settings: Settings) -> Seen {
        let mut builder = SimulationBuilder::new(settings);
        let (cloth, pins) = sheet(self.grid);
        let edges = Topology::of_mesh(&cloth.mesh).expect("a sheet").edges().to_vec();
        let rest: Vec<Point3<f64>> = cloth.mesh.positions.clone();
        let id = builder.add_cloth(cloth);
        let mut body = None;
        let mut colliders = Vec::new();
        match wearer {
            Wearer::Nobody => {}
            Wearer::Box => {
                let (mesh, thickness) = (cuboid(), Thickness::from_total(0.002, 0.4));
                body = Some((builder.add_mesh_body(MeshBodyDesc { mesh: mesh.clone(), thickness }), mesh));
            }
            Wearer::Character(proxies) => {
                colliders.extend(proxies.into_iter().map(|c| (builder.add_collider(c.clone()), c.pose_t0)));
            }
        }
        let mut sim = builder.build().expect("a scene");
        let mut seen = Seen::default();
        for _ in 0..BEFORE {
            sim.step(DT).expect("a sheet that hangs");
            let gate = sim.report().gate;
            seen.rounds[0] = seen.rounds[0].max(gate.rounds);
            seen.proofs[0] = seen.proofs[0].max(gate.proofs);
        }
        let stretch = |sim: &Simulation| stretch(sim, &edges, &rest);
        seen.stretch[0] = stretch(&sim)[0];
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), self.degrees.to_radians());
        let motion = Isometry3::from_parts(Vector3::new(self.metres, 0.0, 0.0).into(), turn);
        for &v in &pins {
            let target = motion * rest[v as usize].cast::<f32>();
            sim.move_pin(id, v, target).expect("a pin");
        }
        if let Some((body, mesh)) = &body {
            let places: Vec<_> = mesh.positions.iter().map(|p| motion * p.cast::<f32>()).collect();
            sim.move_mesh_body(*body, &places).expect("the body");
        }
        for (collider, pose) in &colliders {
            sim.move_collider(*collider, motion * pose).expect("a collider");
        }
        let mut left = AFTER;
        while left > 0 && seen.lag.len() < 600 {
            if let Err(error) = sim.step(DT) {
                seen.error = Some(error.to_string());
                break;
            }
            let (gate, first) = (sim.report().gate, seen.lag.is_empty());
            if first {
                seen.cuts = sim.report().cuts;
            }
            let [p99, worst] = stretch(&sim);
            if first {
                seen.stretch[1] = p99;
            }
            seen.stretch[2] = p99;
            seen.worst_stretch = seen.worst_stretch.max(worst);
            seen.lag.push(gate.pin_lag_m);
            seen.farthest = seen.farthest.max(farthest(&sim, &pins, rest.len()) / 0.9);
            seen.frozen = [seen.frozen[0].max(gate.frozen_vertices), gate.frozen_vertices];
            let found = sim.intersections(IntersectionFilter::CLOTH).expect("finite positions");
            seen.intersections = seen.intersections.max(found.edge_faces.len());
            seen.rounds[1] = seen.rounds[1].max(gate.rounds);
            seen.proofs[1] = seen.proofs[1].max(gate.proofs);
            if gate.pin_lag_m == 0.0 {
                left -= 1;
            }
        }
        seen
    }
}

/// Stretch of the edges: the 99th percentile, and the largest.
fn stretch(sim: &Simulation, edges: &[[u32; 2]], rest: &[Point3<f64>]) -> [f64; 2] {
    let of = |&[a, b]: &[u32; 2]| {
        let [p, q] = [a, b].map(|v| sim.positions()[v as usize].cast::<f64>());
        ((p - q).norm() / (rest[a as usize] - rest[b as usize]).norm() - 1.0).abs()
    };
    let mut all: Vec<f64> = edges.iter().map(of).collect();
    all.sort_by(f64::total_cmp);
    [all[all.len() * 99 / 100], all[all.len() - 1]]
}

/// How far (m) a vertex is from the nearest pin at most.
fn farthest(sim: &Simulation, pins: &[u32], count: usize) -> f64 {
    let x = &sim.positions()[..count];
    let nearest = |p: &Point3<f32>| pins.iter().map(|&v| (p - x[v as usize]).norm()).fold(f32::MAX, f32::min);
    x.iter().map(nearest).fold(0.0, f32::max).into()
}
