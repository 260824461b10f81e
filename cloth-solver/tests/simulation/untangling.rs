//! Meshes that intersect themselves or a body are worked free, and never come out worse than they went in.

use std::ops::ControlFlow;

use cloth_contacts::intersect::{Seam, Seams, find_brute_force};
use cloth_geom::fixtures::{icosphere, sheet};
use cloth_geom::{Topology, TriMesh};
use cloth_solver::{
    ByParts, EdgeStrain, Thickness, UntangleAttempt, UntangleError, UntangleGarment, UntangleOptions,
    UntangleStep, Untangled, untangle, untangle_outfit,
};
use nalgebra::{Point3, Vector3};

fn flat(n: usize, side: f64) -> TriMesh {
    sheet(n, n, [side, side]).expect("a sheet").mesh
}

/// A flat sheet with a bump of another one through it; no coordinate of the bump is an `f32`.
fn pushed_through() -> TriMesh {
    let mut mesh = flat(12, 0.3);
    mesh.append(&flat(12, 0.3).mapped(|p| {
        let bump = (-((p.x - 0.01).powi(2) + p.z.powi(2)) / 0.003).exp();
        Point3::new(p.x + 0.0031, 0.03 - 0.06 * bump, p.z + 0.0047)
    }));
    mesh
}

/// A tube around the x axis.
fn sleeve(radius: f64) -> TriMesh {
    let (around, along) = (16, 16);
    let at = |k: usize| {
        let (angle, x) = (std::f64::consts::TAU * (k % around) as f64 / around as f64, k / around);
        Point3::new(0.02 * x as f64 - 0.15, radius * angle.cos(), radius * angle.sin())
    };
    let mut faces = Vec::new();
    for (row, k) in (0..along - 1).flat_map(|row| (0..around).map(move |k| (row, k))) {
        let [a, b] = [k, (k + 1) % around].map(|k| (row * around + k) as u32);
        let [c, d] = [a, b].map(|v| v + around as u32);
        faces.extend([[a, c, b], [b, c, d]]);
    }
    TriMesh::new((0..around * along).map(at).collect(), faces)
}

/// The intersections of a cloth with itself and with a body, by a test of all pairs.
fn intersections(cloth: &TriMesh, x: &[Point3<f64>], body: &TriMesh) -> usize {
    let mut all = TriMesh::new(x.to_vec(), cloth.faces.clone());
    all.append(body);
    let topology = Topology::of_mesh(&all).expect("valid faces");
    let mut found = find_brute_force(&all.positions, &topology).expect("finite");
    let count = x.len() as u32;
    found.retain(|[e, f]| topology.edges()[e as usize][0] < count || topology.faces()[f as usize][0] < count);
    found.count()
}

fn run(mesh: &TriMesh, options: UntangleOptions<'_>) -> Untangled {
    untangle(mesh, &mesh.positions, options).expect("a mesh that can be simulated")
}

/// The greatest relative change of the length of an edge.
fn strain(mesh: &TriMesh, x: &[Point3<f64>]) -> f64 {
    let topology = Topology::of_mesh(mesh).expect("valid faces");
    let length = |x: &[Point3<f64>], [a, b]: [u32; 2]| (x[a as usize] - x[b as usize]).norm();
    let change = |&e: &[u32; 2]| (length(x, e) / length(&mesh.positions, e) - 1.0).abs();
    topology.edges().iter().map(change).fold(0.0, f64::max)
}

#[test]
fn a_sheet_pushed_through_another_is_untangled() {
    let mesh = pushed_through();
    let found = run(&mesh, UntangleOptions::default());
    let none = TriMesh::default();
    assert!(found.before > 20 && found.before == intersections(&mesh, &mesh.positions, &none), "{found:?}");
    assert_eq!((found.after, intersections(&mesh, &found.positions, &none)), (0, 0));
    assert!(found.contours.is_empty() && found.best_step == Some(found.steps), "{found:?}");
    let strain = strain(&mesh, &found.positions);
    assert!(strain < 0.25, "{strain}");
}

#[test]
fn a_sleeve_through_a_body_comes_off_it_and_the_body_stays() {
    // A ball that bulges out of the tube all around.
    let (cloth, body) = (sleeve(0.05), icosphere(3, 0.055).expect("a radius"));
    let bodies = [body.clone()];
    let found = run(&cloth, UntangleOptions { bodies: &bodies, ..UntangleOptions::default() });
    assert_eq!(found.before, intersections(&cloth, &cloth.positions, &body));
    assert!(found.before > 20, "{}", found.before);
    assert_eq!((found.after, intersections(&cloth, &found.positions, &body)), (0, 0));
}

#[test]
fn a_body_that_intersects_itself_does_not_count() {
    let mut body = icosphere(2, 0.05).expect("a radius");
    body.append(&body.clone().translated(Vector3::new(0.031, 0.002, 0.001)));
    let cloth = flat(6, 0.1).translated(Vector3::y());
    let found = run(&cloth, UntangleOptions { bodies: &[body], ..UntangleOptions::default() });
    assert_eq!((found.before, found.steps), (0, 0));
}

#[test]
fn a_clean_input_is_returned_bit_for_bit() {
    let mesh = flat(6, 1.0 / 3.0);
    let mut calls = 0;
    let mut count = |_: UntangleStep<'_>| {
        calls += 1;
        ControlFlow::Continue(())
    };
    let found = run(&mesh, UntangleOptions { on_step: Some(&mut count), ..UntangleOptions::default() });
    assert_eq!((found.positions, found.before, found.after), (mesh.positions, 0, 0));
    assert_eq!((found.steps, found.best_step, calls), (0, None, 0));
}

#[test]
fn an_input_that_is_not_improved_is_returned_bit_for_bit() {
    let mesh = pushed_through();
    // Rounded to `f32`, it has as many intersections.
    let mut stop = |step: UntangleStep<'_>| {
        assert_eq!((step.step, step.intersections), (0, step.fewest));
        ControlFlow::Break(())
    };
    let found = run(&mesh, UntangleOptions { on_step: Some(&mut stop), ..UntangleOptions::default() });
    assert!(mesh.positions.iter().any(|p| p.x != f64::from(p.x as f32)));
    assert_eq!((&found.positions, found.best_step), (&mesh.positions, None));
    assert!(found.after == found.before && found.before > 0);
    let contour = found.contours.first().expect("a contour");
    assert_eq!((found.contours.len(), contour.intersections, contour.with_body), (1, found.before, false));
    assert!((contour.center - Point3::new(0.013, 0.0, 0.0047)).norm() < 0.01, "{contour:?}");
    assert!(contour.length > 0.1 && contour.length < 0.5, "{contour:?}");
}

#[test]
fn the_state_with_the_fewest_intersections_is_returned() {
    let mesh = pushed_through();
    let (mut all, mut fewest) = (Vec::new(), usize::MAX);
    let mut watch = |step: UntangleStep<'_>| {
        all.push(step.intersections);
        fewest = step.fewest;
        // Before it is clean.
        if step.intersections < 60 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = run(&mesh, UntangleOptions { on_step: Some(&mut watch), ..UntangleOptions::default() });
    let least = all.iter().copied().min().expect("steps").min(found.before);
    assert_eq!((found.after, fewest), (least, least));
    assert_eq!(intersections(&mesh, &found.positions, &TriMesh::default()), found.after);
    let first = all.iter().position(|&n| n == least).filter(|_| least < found.before);
    assert_eq!(found.best_step, first.map(|step| step as u32));
    assert_eq!(found.contours.iter().map(|c| c.intersections).sum::<usize>(), found.after);
}

#[test]
fn units_that_differ_by_a_power_of_two_give_the_same_bits() {
    let mesh = pushed_through();
    let large = mesh.clone().mapped(|p| p * 1024.0);
    let [small, large] = [mesh, large].map(|mesh| run(&mesh, UntangleOptions::default()));
    assert_eq!(small.positions.iter().map(|p| p * 1024.0).collect::<Vec<_>>(), large.positions);
}

#[test]
fn what_closed_seams_join_does_not_count() {
    let mut mesh = flat(5, 0.1);
    let seam = mesh.positions.len() as u32;
    mesh.append(&flat(5, 0.1).translated(Vector3::x() * 0.1));
    let pair = |a: u32| {
        let at = mesh.positions[a as usize];
        let twin = (seam..2 * seam).find(|&b| (mesh.positions[b as usize] - at).norm() < 1e-9)?;
        Some(Seam::between(a, twin))
    };
    let pairs: Vec<Seam> = (0..seam).filter_map(pair).collect();
    assert_eq!(pairs.len(), 5);
    let seams = Seams::new(pairs, mesh.positions.len(), 1e-6).expect("vertices");
    let found = run(&mesh, UntangleOptions { seams: Some(&seams), ..UntangleOptions::default() });
    assert_eq!(found.before, 0);
    let error = untangle(&mesh, &mesh.positions, UntangleOptions::default()).expect_err("split along a seam");
    assert!(error.to_string().contains("lie exactly on others"), "{error}");
}

#[test]
fn bad_input_is_an_error() {
    let mesh = pushed_through();
    let error = |x: &[Point3<f64>], options| untangle(&mesh, x, options).expect_err("bad input").to_string();
    let text = error(&mesh.positions[1..], UntangleOptions::default());
    assert!(text.contains("287 positions for a mesh of 288 vertices"), "{text}");
    let mut nan = mesh.positions.clone();
    nan[7].y = f64::NAN;
    assert!(error(&nan, UntangleOptions::default()).contains("vertex 7"));
    for seconds in [-1.0, f32::NAN, f32::INFINITY] {
        let options = UntangleOptions { seconds, ..UntangleOptions::default() };
        let found = untangle(&mesh, &mesh.positions, options);
        assert!(matches!(found, Err(UntangleError::Seconds(_))));
    }
    let beyond = TriMesh::new(mesh.positions.clone(), vec![[0, 1, 999]]);
    assert!(untangle(&beyond, &beyond.positions, UntangleOptions::default()).is_err());
}

/// Two sheets that lie on each other, of which the second, the upper one, has a bump through the first; as
/// garments of their own.
fn two_sheets() -> [TriMesh; 2] {
    let both = pushed_through();
    let (faces, half) = (both.faces.len() / 2, both.positions.len() / 2);
    let upper = both.faces[faces..].iter().map(|face| face.map(|v| v - half as u32));
    [
        TriMesh::new(both.positions[..half].to_vec(), both.faces[..faces].to_vec()),
        TriMesh::new(both.positions[half..].to_vec(), upper.collect()),
    ]
}

fn run_outfit(meshes: &[TriMesh], layers: &[Option<u16>], options: UntangleOptions<'_>) -> Untangled {
    let garment = |(mesh, &layer)| -> UntangleGarment<'_> {
        let mesh: &TriMesh = mesh;
        UntangleGarment { mesh, x: &mesh.positions, layer }
    };
    let garments: Vec<_> = meshes.iter().zip(layers).map(garment).collect();
    untangle_outfit(&garments, options).expect("garments that can be simulated")
}

#[test]
fn garments_of_an_outfit_are_counted_by_kind_and_untangled() {
    let [lower, upper] = two_sheets();
    let mut all = lower.clone();
    all.append(&upper);
    let body = icosphere(3, 0.03).expect("a radius").translated(Vector3::new(0.1, 0.0, 0.1));
    let options = UntangleOptions { bodies: std::slice::from_ref(&body), ..UntangleOptions::default() };
    let found = run_outfit(&[lower, upper], &[None, None], options);
    let of_cloth = intersections(&all, &all.positions, &TriMesh::default());
    let of_all = intersections(&all, &all.positions, &body);
    let kinds = found.before_by_parts;
    assert_eq!((kinds.cloth_with_itself, kinds.cloth_with_cloth), (0, of_cloth), "{kinds:?}");
    assert!(kinds.cloth_with_body > 0 && kinds.cloth_with_body == of_all - of_cloth, "{kinds:?}");
    assert_eq!((found.before, found.after), (of_all, 0));
    assert_eq!(found.after_by_parts, ByParts::default());
    assert_eq!(intersections(&all, &found.positions, &body), 0);
    assert_eq!(found.before_strain, EdgeStrain::default());
    assert!((found.after_strain.max - strain(&all, &found.positions)).abs() < 1e-12, "{found:?}");
    assert!(found.after_strain.p99 > 0.0 && found.after_strain.p99 < found.after_strain.max);
}

#[test]
fn contours_name_the_garments_on_their_sides() {
    let [lower, upper] = two_sheets();
    let body = icosphere(3, 0.03).expect("a radius").translated(Vector3::new(0.1, 0.0, 0.1));
    let mut stop = |_: UntangleStep<'_>| ControlFlow::Break(());
    let options = UntangleOptions { bodies: &[body], on_step: Some(&mut stop), ..UntangleOptions::default() };
    let found = run_outfit(&[lower, upper], &[None, None], options);
    let mut between: Vec<_> = found.contours.iter().map(|c| (c.between, c.with_body)).collect();
    between.sort_unstable();
    between.dedup();
    assert_eq!(between.first(), Some(&([None, Some(0)], true)), "{between:?}");
    assert_eq!(between.last(), Some(&([Some(0), Some(1)], false)), "{between:?}");
}

/// Sheets on each other, the first wholly below the second but for its middle row: which is outside is only
/// known from the order.
#[test]
fn layers_decide_which_garment_ends_outside() {
    let slope = |p: &Point3<f64>| Point3::new(p.x + 0.0031, 0.008 * (p.x / 0.15), p.z + 0.0047);
    let sheets = [flat(12, 0.3), flat(12, 0.3).mapped(|p| slope(&p))];
    let up = sheets[0].faces.iter().all(|face| {
        let [a, b, c] = face.map(|v| sheets[0].positions[v as usize]);
        (b - a).cross(&(c - a)).y > 0.0
    });
    assert!(up, "faces point outward");
    let middle = |found: &Untangled| {
        let mean = |x: &[Point3<f64>]| x.iter().map(|p| p.y).sum::<f64>() / x.len() as f64;
        let (first, second) = found.positions.split_at(144);
        mean(second) - mean(first)
    };
    let [in_order, reversed] = [[Some(1), Some(2)], [Some(2), Some(1)]]
        .map(|layers| run_outfit(&sheets, &layers, UntangleOptions::default()));
    assert_eq!((in_order.after, reversed.after), (0, 0));
    assert!(middle(&in_order) > 0.001 && middle(&reversed) < -0.001, "{in_order:?}");
}

#[test]
fn an_order_against_where_the_garments_lie_is_reported() {
    let [lower, upper] = two_sheets();
    let outfit = [lower, upper];
    let sides = |layers: [Option<u16>; 2]| {
        let found =
            run_outfit(&outfit, &layers, UntangleOptions { seconds: 0.0, ..UntangleOptions::default() });
        found.layer_sides
    };
    let [right, reversed] = [[Some(0), Some(1)], [Some(1), Some(0)]].map(sides);
    let [right, reversed] = [right, reversed].map(|sides| *sides.first().expect("near each other"));
    assert_eq!((right.inner, right.outer, reversed.inner, reversed.outer), (0, 1, 1, 0));
    assert!(right.right > 4 * right.wrong && !right.is_reversed(), "{right:?}");
    assert_eq!((reversed.right, reversed.wrong), (right.wrong, right.right));
    assert!(reversed.is_reversed());
    assert_eq!(sides([None, Some(0)]), sides([Some(3), Some(3)]));
    assert!(sides([None, None]).is_empty());
}

#[test]
fn one_garment_is_untangled_as_an_outfit_of_one() {
    let mesh = pushed_through();
    let alone = run(&mesh, UntangleOptions::default());
    assert_eq!(alone, run_outfit(&[mesh], &[None], UntangleOptions::default()));
}

#[test]
fn faces_of_a_garment_name_no_vertex_of_the_next() {
    let [mut lower, upper] = two_sheets();
    lower.faces[0] = [0, 1, lower.positions.len() as u32];
    let garments = [&lower, &upper].map(|mesh| UntangleGarment { mesh, x: &mesh.positions, layer: None });
    let refused = untangle_outfit(&garments, UntangleOptions::default()).expect_err("no such vertex");
    assert!(matches!(refused, UntangleError::Build(_)), "{refused}");
    let bodies = [upper];
    let options = UntangleOptions { bodies: &bodies, ..UntangleOptions::default() };
    assert!(untangle(&lower, &lower.positions, options).is_err());
    let short = [UntangleGarment { mesh: &bodies[0], x: &bodies[0].positions[1..], layer: None }; 2];
    let refused = untangle_outfit(&short, UntangleOptions::default()).expect_err("one is missing");
    assert!(refused.to_string().contains("143 positions for a mesh of 144 vertices"), "{refused}");
    assert_eq!(untangle_outfit(&[], UntangleOptions::default()).expect("nothing to do").positions, []);
}

/// A band of 24 x 4 vertices, wound up irregularly through itself, in a unit of about a metre.
fn wound_band(seed: f64) -> TriMesh {
    let at = |k: usize| {
        let (i, j) = ((k / 4) as f64, (k % 4) as f64);
        let angle = 0.9 * i * (1.0 + 0.1 * seed.sin());
        let radius = 1.0 + 0.35 * (1.7 * i + seed).sin();
        let wave = 0.3 * (2.3 * i + 1.3 * seed).sin();
        let height = 0.9 * j * (1.0 + 0.3 * (0.7 * seed).sin()) + wave;
        Point3::new(radius * angle.cos() + 0.05 * j * (3.1 * i + seed).sin(), height, radius * angle.sin())
    };
    let corners = (0..23).flat_map(|i| (0..3).map(move |j| 4 * i + j));
    let faces = corners.flat_map(|p| [[p, p + 1, p + 5], [p, p + 5, p + 4]]);
    TriMesh::new((0..96).map(at).collect(), faces.collect())
}

#[test]
fn a_run_that_finds_nothing_better_goes_on_thinner() {
    let mesh = wound_band(17.0);
    let usual = f64::from(Thickness::for_mesh(&mesh).total());
    let mut told: Vec<(u32, usize, usize)> = Vec::new();
    let mut watch = |step: UntangleStep<'_>| {
        told.push((step.step, step.intersections, step.best.attempts.len()));
        assert_eq!(step.fewest, step.best.after);
        ControlFlow::Continue(())
    };
    let found = run(&mesh, UntangleOptions { on_step: Some(&mut watch), ..UntangleOptions::default() });
    assert_eq!(
        (found.after, intersections(&mesh, &found.positions, &TriMesh::default())),
        (0, 0),
        "{found:?}"
    );
    assert!(found.attempts.len() > 1, "{found:?}");
    let parts: Vec<f64> = found.attempts.iter().map(|attempt| attempt.thickness / usual).collect();
    // Sixteen times it is too much for the mesh.
    for (part, expected) in parts.iter().zip([1.0, 0.25, 0.0625, 0.25]) {
        assert!((part / expected - 1.0).abs() < 1e-6, "{parts:?}");
    }
    assert_eq!(found.best_attempt, Some(parts.len() - 1));
    assert_eq!(found.thickness(), Some(found.attempts[parts.len() - 1].thickness));
    // Steps are counted through all attempts, each told once, and an attempt ends 30 after its best.
    assert_eq!(told.iter().map(|t| t.0).collect::<Vec<_>>(), (0..=found.steps).collect::<Vec<_>>());
    assert_eq!(found.attempts.iter().map(|attempt| attempt.steps).sum::<u32>(), found.steps);
    let first: Vec<usize> = told.iter().filter(|t| t.2 == 1).map(|t| t.1).collect();
    let least = first.iter().min().expect("steps");
    assert_eq!(first.iter().position(|n| n == least), Some(first.len() - 31));
}

#[test]
fn a_given_thickness_is_the_only_one() {
    let mesh = wound_band(17.0);
    let thickness = f64::from(Thickness::for_mesh(&mesh).total());
    let options = UntangleOptions { thickness: Some(thickness), seconds: 1.0, ..UntangleOptions::default() };
    let found = run(&mesh, options);
    assert!(found.after > 0 && found.steps == 60, "{}", found.after);
    let attempt = UntangleAttempt { thickness, steps: 60 };
    assert_eq!((found.attempts.as_slice(), found.thickness()), (&[attempt][..], Some(thickness)));
}

#[test]
fn all_attempts_share_the_time() {
    let mesh = wound_band(17.0);
    let found = run(&mesh, UntangleOptions { seconds: 0.7, ..UntangleOptions::default() });
    assert!(found.steps <= 42 && found.attempts.len() == 2, "{:?}", found.attempts);
}
