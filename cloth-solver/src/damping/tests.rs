use cloth_geom::fixtures::{jitter, sheet};

use super::*;

/// A number in (-0.5, 0.5) for each index, without pattern.
fn number(i: usize) -> f32 {
    ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32 - 0.5
}

fn any_vector(i: usize) -> Vector3<f32> {
    Vector3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2))
}

struct DampedSheet {
    x: Vec<Point3<f32>>,
    v: Vec<Vector3<f32>>,
    w: Vec<f32>,
    topology: Topology,
}

/// A crumpled sheet of 6 x 6 vertices of unequal masses, with velocities without pattern.
fn scene() -> DampedSheet {
    let mesh = jitter(&sheet(6, 6, [0.5, 0.5]).unwrap().mesh, 0.03, 5).unwrap();
    DampedSheet {
        x: mesh.positions_f32(),
        v: (0..36).map(any_vector).collect(),
        w: (0..36).map(|i| 100.0 + 30.0 * (i % 5) as f32).collect(),
        topology: Topology::of_mesh(&mesh).unwrap(),
    }
}

impl DampedSheet {
    fn damp(&mut self, rates: Damping, h: f32, times: usize) {
        let damped = ClothDamping::new(rates, &self.topology, 0).unwrap();
        let mut motion = VelocityView { x: &self.x, v: &mut self.v, w: &self.w };
        (0..times).for_each(|_| damped.damp(&mut motion, h));
    }

    /// Momentum (kg m/s) and angular momentum (kg m2/s), and the sums of their amounts.
    fn momenta(&self) -> [(Vector3<f64>, f64); 2] {
        let linear = |i: usize| self.v[i].cast::<f64>() / f64::from(self.w[i]);
        let angular = |i: usize| self.x[i].coords.cast::<f64>().cross(&linear(i));
        let sum = |of: &dyn Fn(usize) -> Vector3<f64>| {
            (0..36).fold((Vector3::zeros(), 0.0), |(s, a), i| (s + of(i), a + of(i).norm()))
        };
        [sum(&linear), sum(&angular)]
    }

    fn energy(&self) -> f64 {
        (0..36).map(|i| f64::from(self.v[i].norm_squared()) / f64::from(self.w[i])).sum()
    }
}

const KINDS: [Damping; 3] = [
    Damping { stretch: 20.0, bending: 0.0, global: 0.0 },
    Damping { stretch: 0.0, bending: 20.0, global: 0.0 },
    Damping { stretch: 0.0, bending: 0.0, global: 20.0 },
];

#[test]
fn every_kind_conserves_both_momenta_and_takes_energy() {
    for rates in KINDS {
        let mut scene = scene();
        let (before, energy) = (scene.momenta(), scene.energy());
        scene.damp(rates, 0.01, 20);
        for ((now, amount), (then, _)) in scene.momenta().into_iter().zip(before) {
            // Some thousand impulses, each rounded.
            assert!((now - then).norm() < 1e-5 * amount, "{rates:?}: {now} was {then}");
        }
        assert!(scene.energy() < 0.95 * energy, "{rates:?}: {} of {energy}", scene.energy());
    }
}

#[test]
fn no_kind_slows_a_cloth_that_moves_rigidly() {
    let all = Damping { stretch: 50.0, bending: 50.0, global: 50.0 };
    let mut scene = scene();
    let rigid =
        |p: &Point3<f32>| Vector3::new(0.3, -1.0, 0.2) + Vector3::new(1.0, 2.0, -0.5).cross(&p.coords);
    scene.v = scene.x.iter().map(rigid).collect();
    let before = scene.v.clone();
    scene.damp(all, 0.01, 50);
    let changed = scene.v.iter().zip(&before).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max);
    assert!(changed < 1e-4, "{changed} m/s");
}

#[test]
fn stretch_speed_of_an_edge_decays_at_its_rate_for_any_substep() {
    for times in [1, 7, 100] {
        let (x, w) = ([Point3::origin(), Point3::new(0.0, 0.2, 0.1)], [3.0, 8.0]);
        let mut v = [Vector3::new(0.1, 0.2, -0.3), Vector3::new(0.4, 1.0, 0.0)];
        let along = |v: &[Vector3<f32>; 2]| (v[1] - v[0]).dot(&(x[1] - x[0]).normalize());
        let before = along(&v);
        for _ in 0..times {
            let share = -libm::expm1f(-1.0 / times as f32);
            damp_stretch(&[[0, 1]], &mut VelocityView { x: &x, v: &mut v, w: &w }, share);
        }
        assert!((along(&v) / before - libm::expf(-1.0)).abs() < 1e-5, "{times}: {}", along(&v) / before);
    }
}

/// The angle between the faces of a hinge, about its edge.
fn angle(x: &[Point3<f32>; 4]) -> f64 {
    let [x0, x1, x2, x3] = x.map(Point3::cast::<f64>);
    let e = (x1 - x0).normalize();
    let (a, b) = ((x1 - x0).cross(&(x2 - x0)), (x3 - x0).cross(&(x1 - x0)));
    b.cross(&a).dot(&e).atan2(a.dot(&b))
}

#[test]
fn angular_speed_of_a_hinge_decays_at_its_rate_for_any_substep() {
    let x = [[0.0, 0.0, 0.0], [0.3, 0.02, 0.0], [0.1, 0.05, 0.2], [0.17, 0.1, -0.25]].map(Point3::from);
    let w = [2.0, 5.0, 1.0, 3.0];
    // The angle's speed from finite differences of the angle itself, not from its gradient.
    let speed = |v: &[Vector3<f32>; 4]| {
        let moved = |s: f32| angle(&[0, 1, 2, 3].map(|i| x[i] + v[i] * s));
        (moved(5e-3) - moved(-5e-3)) / 1e-2
    };
    for times in [1, 7, 100] {
        let mut v = [0, 1, 2, 3].map(|i| any_vector(i + 5));
        let before = speed(&v);
        for _ in 0..times {
            let share = -libm::expm1f(-1.0 / times as f32);
            bending::damp(&[[0, 1, 2, 3]], &mut VelocityView { x: &x, v: &mut v, w: &w }, share);
        }
        assert!(before.abs() > 0.5, "{before}");
        assert!((speed(&v) / before - (-1f64).exp()).abs() < 1e-3, "{times}: {} of {before}", speed(&v));
    }
}

#[test]
fn global_damping_takes_all_that_is_not_rigid_at_its_rate() {
    let mut scenes = [1, 10].map(|times| {
        let mut scene = scene();
        scene.damp(KINDS[2], 0.05 / times as f32, times);
        scene.v
    });
    let apart = scenes[0].iter().zip(&scenes[1]).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max);
    assert!(apart < 1e-5, "one substep and ten differ by {apart} m/s");
    // Without end it leaves the rigid motion, which damping again does not change.
    let mut scene = scene();
    scene.damp(KINDS[2], 10.0, 1);
    let rigid = scene.v.clone();
    scene.damp(KINDS[2], 10.0, 1);
    let changed = scene.v.iter().zip(&rigid).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max);
    assert!(changed < 1e-6, "{changed}");
    // After the time of its rate 1/e of the deviation is left.
    let left = (0..36).map(|i| (scenes[0][i] - rigid[i]).norm()).sum::<f32>();
    let before = (0..36).map(|i| (any_vector(i) - rigid[i]).norm()).sum::<f32>();
    assert!((left / before - libm::expf(-1.0)).abs() < 1e-4, "{left} of {before}");
    scenes[0].clear();
}

#[test]
fn pins_and_collapsed_faces_make_no_nan() {
    let all = Damping { stretch: 50.0, bending: 50.0, global: 50.0 };
    let mut pinned = scene();
    pinned.w = vec![0.0; 36];
    let before = pinned.v.clone();
    pinned.damp(all, 0.01, 1);
    assert_eq!(pinned.v, before, "all pinned");
    let mut flat = scene();
    flat.x.iter_mut().for_each(|p| *p = Point3::new(p.x, 0.0, 0.0));
    flat.damp(all, 0.01, 3);
    assert!(flat.v.iter().all(|v| v.iter().all(|c| c.is_finite())), "all on one line");
    let mut point = scene();
    point.x.fill(Point3::new(1.0, 2.0, 3.0));
    point.damp(all, 0.01, 3);
    assert_eq!(point.v, scene().v, "all in one point");
}
