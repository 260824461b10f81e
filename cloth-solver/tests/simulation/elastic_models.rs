//! Elastic models: each moves cloth under the same contacts, gate and controls, and keeps the promises of the
//! interface.

use cloth_geom::fixtures;
use cloth_solver::fem::{
    Assembly, FemSettings, Integrator, Stiffening, StiffeningCurve, StrainLimit, StrainMeasure,
};
use cloth_solver::{
    ClothDesc, ElasticModel, IntersectionFilter, MassSpringSettings, Material, Settings, Simulation,
    StepError, Thickness,
};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{airless, alone, cotton, drape_with, greatest_strain, last_corners, run, upright};

fn fem(settings: FemSettings) -> ElasticModel {
    ElasticModel::Fem(settings)
}

/// Every model, and finite elements with each measure, assembly and integrator.
fn models() -> Vec<ElasticModel> {
    let default = FemSettings::default();
    vec![
        ElasticModel::Xpbd,
        ElasticModel::MassSpring(MassSpringSettings::default()),
        fem(default),
        fem(FemSettings { strain: StrainMeasure::Green, ..default }),
        fem(FemSettings { assembly: Assembly::Global, ..default }),
        fem(FemSettings { integrator: Integrator::Explicit, ..default }),
        fem(FemSettings { newton_iterations: 10, ..default }),
    ]
}

/// A sheet of 12 x 12 vertices and 0.4 m, hung by two corners.
fn hung(model: ElasticModel) -> Simulation {
    let mut cloth = cotton(upright(12, 0.4));
    cloth.pins = last_corners(12);
    alone(Settings { model, sleep: None, ..Settings::default() }, cloth)
}

#[test]
fn a_sheet_hung_by_two_corners_stretches_little_in_each_model() {
    for model in models() {
        let rest = upright(12, 0.4);
        let mut sim = hung(model);
        for _ in 0..60 {
            run(&mut sim, 1);
            assert!(sim.intersections(IntersectionFilter::CLOTH).unwrap().edge_faces.is_empty(), "{model:?}");
        }
        // Along the threads alone: cotton of 6 kN/m gives little there, and much on the bias.
        let edges = rest.faces.iter().flat_map(|f| (0..3).map(|k| [f[k] as usize, f[(k + 1) % 3] as usize]));
        let strain = |[a, b]: [usize; 2]| {
            let apart = rest.positions[a] - rest.positions[b];
            let now = (sim.positions()[a] - sim.positions()[b]).norm();
            (apart.x * apart.y == 0.0).then(|| now / apart.norm() as f32 - 1.0)
        };
        let worst = edges.filter_map(strain).fold(0.0, f32::max);
        assert!(worst > 0.0 && worst < 0.03, "{model:?}: {worst}");
        let low = sim.positions().iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        assert!((-0.35..-0.15).contains(&low), "{model:?} hangs down to {low} m");
        let elastic = sim.report().elastic;
        match model {
            ElasticModel::Xpbd => assert_eq!(elastic, Default::default()),
            ElasticModel::MassSpring(_) => assert!(elastic.explicit_steps >= 16),
            ElasticModel::Fem(fem) if fem.integrator == Integrator::Explicit => {
                assert!(elastic.explicit_steps >= 16);
            }
            ElasticModel::Fem(fem) => {
                assert!(elastic.solver_iterations > 0 && elastic.residual <= f64::from(fem.tolerance));
                assert!(elastic.newton_iterations >= 16);
            }
        }
    }
}

#[test]
fn each_model_drapes_clean_with_the_same_bits_on_any_threads() {
    for model in models() {
        let settings = |threads| Settings { model, threads, ..Settings::default() };
        let [mut one, mut three] = [1, 3].map(|threads| drape_with(12, settings(threads)));
        for frame in 0..40 {
            run(&mut one, 1);
            run(&mut three, 1);
            assert_eq!(one.state_hash(), three.state_hash(), "{model:?}, frame {frame}");
            assert!(
                one.intersections(IntersectionFilter::CLOTH).unwrap().edge_faces.is_empty(),
                "{model:?}, frame {frame}"
            );
        }
        assert!(one.report().collider_contacts > 10, "{model:?}");
    }
}

#[test]
fn a_snapshot_continues_bit_for_bit_and_fits_no_other_model() {
    let mut before: Option<Simulation> = None;
    for model in models() {
        let mut sim = hung(model);
        run(&mut sim, 5);
        let snapshot = sim.snapshot();
        run(&mut sim, 5);
        let expected = sim.state_hash();
        sim.restore(&snapshot).unwrap();
        run(&mut sim, 5);
        assert_eq!(sim.state_hash(), expected, "{model:?}");
        if let Some(other) = &mut before {
            let refused = other.restore(&snapshot).unwrap_err().to_string();
            assert!(refused.contains("setting `model`"), "{refused}");
        }
        before = Some(sim);
    }
}

#[test]
fn the_model_changes_between_steps_and_the_cloth_stays_where_it_is() {
    let mut sim = hung(ElasticModel::Xpbd);
    for model in models() {
        run(&mut sim, 3);
        let before = (sim.positions().to_vec(), sim.velocities().to_vec());
        sim.set_settings(Settings { model, ..*sim.settings() }).unwrap();
        assert_eq!((sim.positions().to_vec(), sim.velocities().to_vec()), before);
        run(&mut sim, 1);
        assert_eq!(sim.report().elastic != Default::default(), model != ElasticModel::Xpbd);
    }
}

#[test]
fn a_step_that_is_too_stiff_for_the_explicit_integrator_changes_nothing() {
    let explicit =
        FemSettings { integrator: Integrator::Explicit, explicit_steps: 2, ..FemSettings::default() };
    let springs = MassSpringSettings { explicit_steps: 2, ..MassSpringSettings::default() };
    for model in [fem(explicit), ElasticModel::MassSpring(springs)] {
        let mut sim = hung(model);
        let before = sim.state_hash();
        assert_eq!(sim.step(1.0 / 60.0).unwrap_err(), StepError::ExplicitSteps);
        assert_eq!(sim.state_hash(), before);
        // Short enough, it succeeds.
        sim.step(1e-4).unwrap();
    }
}

#[test]
fn settings_of_a_model_that_are_out_of_range_are_refused() {
    let default = FemSettings::default();
    let wrong = [
        fem(FemSettings { poisson: 1.0, ..default }),
        fem(FemSettings { poisson: f32::NAN, ..default }),
        fem(FemSettings { tolerance: 0.0, ..default }),
        fem(FemSettings { newton_iterations: 0, ..default }),
        fem(FemSettings { stretch_damping: -1.0, ..default }),
        ElasticModel::MassSpring(MassSpringSettings { explicit_steps: 0, stretch_damping: 0.0 }),
        ElasticModel::MassSpring(MassSpringSettings { explicit_steps: 9, stretch_damping: f32::NAN }),
    ];
    let mut sim = hung(ElasticModel::Xpbd);
    for model in wrong {
        let refused = sim.set_settings(Settings { model, ..Settings::default() }).unwrap_err();
        assert!(refused.to_string().contains("model."), "{refused}");
    }
}

#[test]
fn attachments_tethers_and_moved_pins_act_on_finite_elements() {
    let mut cloth = cotton(upright(12, 0.4));
    cloth.pins = last_corners(12);
    cloth.tethers = Some(cloth_solver::Tethers::default());
    let lowest = cloth.mesh.positions[0].cast::<f32>();
    let target = lowest + Vector3::new(0.0, 0.05, 0.1);
    cloth.attachments = vec![cloth_solver::Attachment { vertex: 0, target, compliance: 0.0 }];
    let mut sim = alone(Settings { model: fem(FemSettings::default()), ..Settings::default() }, cloth);
    let pin = last_corners(12)[0];
    let to = sim.positions()[pin as usize] + Vector3::new(0.02, 0.0, 0.03);
    for frame in 1..=30 {
        let from = sim.positions()[pin as usize];
        let rest = (31 - frame) as f32;
        sim.move_pin(cloth_id(0), pin, from + (to - from) / rest).unwrap();
        run(&mut sim, 1);
    }
    assert!((sim.positions()[pin as usize] - to).norm() < 1e-6);
    assert!((sim.positions()[0] - target).norm() < 2e-3, "{}", sim.positions()[0]);
    let rest = upright(12, 0.4);
    assert!(greatest_strain(sim.faces(), sim.positions(), &rest.positions) < 0.5);
}

/// The sag (m) of the free end of a strip of cells of length `a`, clamped at its first cell, under the load
/// `q` (N/m2) and the bending rigidity `b` (N m): rigid cells joined by hinges of `b / a` per width, at any
/// angle. The elastica, in as many cells.
fn sag_of_chain(cells: usize, length: f64, q: f64, b: f64) -> f64 {
    let a = length / cells as f64;
    let mut angles = vec![0.0; cells];
    let mut points = vec![[0.0; 2]; cells + 1];
    // Fixed-point iteration with half of each change, from the straight strip.
    for _ in 0..20_000 {
        let mut slope = 0.0_f64;
        for i in 0..cells {
            slope += angles[i];
            points[i + 1] = [points[i][0] + a * slope.cos(), points[i][1] - a * slope.sin()];
        }
        // Hinge i is at point i; the first cell is clamped, and the last column has half a cell of weight.
        for i in 1..cells {
            let moment: f64 = (i + 1..=cells)
                .map(|j| q * a * if j == cells { 0.5 } else { 1.0 } * (points[j][0] - points[i][0]))
                .sum();
            angles[i] += 0.2 * (moment * a / b - angles[i]);
        }
    }
    -points[cells][1]
}

/// How far (m) the free end of a strip of 0.2 m sags with a model.
fn sag(model: ElasticModel, cells: usize, bending: f32, gravity: f32) -> f64 {
    let mesh = fixtures::sheet(cells + 1, 3, [0.2, 0.05]).unwrap().mesh;
    let material = Material { bend: bending, shear: 2_000.0, damping: 5e-3, ..Material::COTTON };
    let mut cloth = ClothDesc::new(mesh, material, Thickness { radius: 0.002, scr: 0.002 });
    let row = cells as u32 + 1;
    cloth.pins = (0..3).flat_map(|j| [j * row, j * row + 1]).collect();
    let gravity = Vector3::new(0.0, -gravity, 0.0);
    let settings = Settings {
        model,
        substeps: 80,
        relaxation: 1.0,
        air_damping: 5.0,
        gravity,
        self_collision: false,
        ..airless()
    };
    let mut sim = alone(settings, cloth);
    run(&mut sim, 360);
    -f64::from(sim.positions()[2 * cells + 1].y)
}

#[test]
fn a_clamped_strip_of_elements_sags_as_the_elastica_at_large_angles() {
    // q L^3 / B is 4: a beam of small angles would sag by half of its length.
    let (cells, bending, gravity) = (8, 3e-4, 1.0);
    let q = f64::from(Material::COTTON.density * gravity);
    let expected = sag_of_chain(cells, 0.2, q, f64::from(bending));
    let found = sag(fem(FemSettings::default()), cells, bending, gravity);
    assert!(
        expected > 0.05 && (0.85..1.1).contains(&(found / expected)),
        "{found} m, as a chain {expected} m"
    );
}

#[test]
fn stiffening_and_a_strain_limit_bound_strain_under_own_weight() {
    let (n, modulus, density) = (13, 12.0, 0.15);
    let fabric = Material {
        density,
        stretch_warp: modulus,
        stretch_weft: modulus,
        shear: 0.1 * modulus,
        damping: 0.02,
        ..Material::COTTON
    };
    let strain = |curve: StiffeningCurve, strain_limit: Option<StrainLimit>| {
        let mesh = upright(n, 1.0);
        let thickness = Thickness::for_mesh(&mesh);
        let mut cloth = ClothDesc::new(mesh, fabric, thickness);
        cloth.pins = (n * (n - 1)..n * n).map(|v| v as u32).collect();
        let default = FemSettings { stretch_damping: 0.02, ..FemSettings::default() };
        let stiffening = Stiffening { weft: curve, warp: curve };
        let model = fem(FemSettings { stiffening, strain_limit, ..default });
        let mut sim = alone(Settings { model, ..airless() }, cloth);
        let rest = sim.positions().to_vec();
        run(&mut sim, 240);
        // The mean over the threads below the pinned row; those at its ends hold half as much cloth.
        let mean = (0..n).map(|i| {
            let (below, above) = (n * (n - 2) + i, n * (n - 1) + i);
            let length = |x: &[Point3<f32>]| f64::from((x[below] - x[above]).norm());
            let share = if i == 0 || i == n - 1 { 0.5 } else { 1.0 };
            share * (length(sim.positions()) / length(&rest) - 1.0)
        });
        mean.sum::<f64>() / (n - 1) as f64
    };
    // The weight below the middle of the first row of faces, in N/m. The rest of the swing and `f32` leave
    // 2e-4.
    let load = f64::from(density) * 9.81 * (1.0 - 0.5 / 12.0);
    let constant = load / f64::from(modulus);
    let threshold = f64::from(0.03_f32);
    let curve = StiffeningCurve::with_threshold(0.03, 20.0);
    let limit = Some(StrainLimit { stretch: 0.05, ..StrainLimit::default() });
    approx::assert_relative_eq!(strain(StiffeningCurve::CONSTANT, None), constant, max_relative = 1e-3);
    let stiffened = threshold + (load - f64::from(modulus) * threshold) / (20.0 * f64::from(modulus));
    approx::assert_relative_eq!(strain(curve, None), stiffened, max_relative = 1e-3);
    let limited = strain(StiffeningCurve::CONSTANT, limit);
    assert!(limited > 0.03 && limited <= 0.05 * 1.02, "{limited}");
    let both = strain(curve, limit);
    approx::assert_relative_eq!(both, stiffened, max_relative = 1e-3);
}

#[test]
fn conjugate_gradients_take_few_iterations_on_a_mesh_without_order() {
    let shirt = fixtures::tshirt(fixtures::TshirtShape { spacing: 0.036, ..Default::default() }).unwrap();
    let settings = Settings { model: fem(FemSettings::default()), substeps: 16, ..airless() };
    let mut sim = alone(settings, cotton(shirt));
    for _ in 0..10 {
        let elastic = sim.step(1.0 / 60.0).unwrap().elastic;
        assert!(elastic.residual <= 1e-6, "{elastic:?}");
        // In a fall of 16 substeps.
        assert!(elastic.solver_iterations < 16 * 50, "{elastic:?}");
    }
}
