//! What the lists see of `f64` positions, at the tightest cases.

use nalgebra::Vector3;

use super::*;
use crate::lists::tests::Parts;
use cloth_testing::Dice;

/// A surface of points alone.
fn points(count: usize) -> Surface {
    let mut parts = Parts::default();
    parts.add(vec![Point3::origin(); count], []);
    parts.surface(0.01, 0.0)
}

/// By how much (m) the lists see each vertex elsewhere, at the worse end.
fn off(rounded: &RoundedMotion, [start, end]: [&[Point3<f64>]; 2]) -> Vec<f64> {
    let off = |seen: &Point3<f32>, p: &Point3<f64>| (seen.cast::<f64>() - (p - rounded.origin)).coords.norm();
    let ends = start.iter().zip(end).zip(rounded.start.iter().zip(&rounded.end));
    ends.map(|((from, to), (a, b))| off(a, from).max(off(b, to))).collect()
}

#[test]
fn vertices_are_seen_within_their_rounding_wherever_they_go() {
    let (count, mut dice) = (40, Dice::new(4));
    let surface = points(count);
    let mut rounded = RoundedMotion::default();
    let mut at: Vec<Point3<f64>> = (0..count).map(|_| dice.vector(1.0).cast().into()).collect();
    let mut begun = 0;
    for motion in 0..600 {
        let end: Vec<Point3<f64>> = at
            .iter()
            .map(|p| match dice.below(60) {
                // Now and then one goes far away, or comes back.
                0 => Point3::from(dice.vector(1.0).cast::<f64>() * 10.0_f64.powi(motion % 12 - 3)),
                _ => p + dice.vector(0.02).cast::<f64>(),
            })
            .collect();
        let before = rounded.surface.as_ref().map(|surface| surface.rounding.clone());
        rounded.round(&surface, &at, &end);
        let roundings = &rounded.surface.as_ref().unwrap().rounding;
        begun += usize::from(before.as_ref() != Some(roundings));
        for (v, off) in off(&rounded, [&at, &end]).into_iter().enumerate() {
            let most = f64::from(roundings[v]);
            assert!(off <= most, "motion {motion}, vertex {v}: {off} of {most}");
        }
        at = end;
    }
    assert!((50..500).contains(&begun), "{begun}");
}

/// The tightest case: along all three axes halfway between two numbers, as far away as there is room for.
#[test]
fn a_vertex_at_the_end_of_its_room_needs_all_its_rounding() {
    let surface = points(8);
    for exponent in [-20, 0, 9, 30] {
        let far = 2.0_f64.powi(exponent) * (1.0 + U32);
        let mut rounded = RoundedMotion::default();
        let with_last = |last: f64| {
            let mut at = [Point3::origin(); 8];
            at[7] = Point3::new(last, -last, last);
            at
        };
        let [near, far] = [0.5 * far, far].map(with_last);
        rounded.round(&surface, &near, &near);
        let before = rounded.surface.as_ref().unwrap().rounding.clone();
        rounded.round(&surface, &near, &far);
        let roundings = &rounded.surface.as_ref().unwrap().rounding;
        assert_eq!(*roundings, before, "there was room");
        let share = off(&rounded, [&near, &far])[7] / f64::from(roundings[7]);
        assert!((0.999_99..=1.0).contains(&share), "{share} at 2^{exponent}");
    }
}

#[test]
fn a_far_vertex_rounds_no_other() {
    let surface = points(40);
    let mut dice = Dice::new(5);
    let mut at: Vec<Point3<f64>> = (0..40).map(|_| dice.vector(1.0).cast().into()).collect();
    at[17].x = 1e9;
    let mut rounded = RoundedMotion::default();
    let roundings = rounded.round(&surface, &at, &at).surface.rounding.clone();
    assert!(roundings.iter().enumerate().all(|(v, &rounding)| (rounding > 1e-6) == (v == 17)));
    // It comes back, and they all move on.
    let mut end: Vec<Point3<f64>> = at.iter().map(|p| p + Vector3::new(5.0, 0.0, 0.0)).collect();
    end[17].x = 1.0;
    rounded.round(&surface, &end, &end);
    let roundings = &rounded.surface.as_ref().unwrap().rounding;
    assert!(roundings.iter().all(|&rounding| rounding < 1e-6), "{roundings:?}");
}

#[test]
fn lists_see_the_surface_as_it_is_now() {
    let mut parts = Parts::default();
    parts.add_sheet(3, 1.0, |p| p);
    let at: Vec<Point3<f64>> = parts.rest.iter().map(|p| p.cast()).collect();
    let first = parts.surface(0.01, 0.02);
    let (mut wider, mut nearer) = (first.clone(), first.clone());
    wider.radius[8] = 0.03;
    nearer.half_scr[8] = 0.01;
    let mut rounded = RoundedMotion::default();
    for surface in [&first, &wider, &first, &nearer, &first, &parts.surface(0.01, 0.02)] {
        let seen = rounded.round(surface, &at, &at).surface;
        assert!(Arc::ptr_eq(&seen.leaves, &surface.leaves));
        assert_eq!([&seen.radius, &seen.half_scr], [&surface.radius, &surface.half_scr]);
        assert!(seen.rounding.iter().all(|&rounding| rounding > 0.0));
    }
}
