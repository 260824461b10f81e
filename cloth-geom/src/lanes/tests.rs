//! Lanes against nalgebra's vectors, one by one.

use nalgebra::Vector3;
use proptest::prelude::*;

use super::*;

fn vectors() -> impl Strategy<Value = [Vector3<f32>; LANES8]> {
    let coordinate = || prop_oneof![any::<f32>(), -1.0f32..1.0, Just(-0.0), Just(0.0)];
    prop::array::uniform8(prop::array::uniform3(coordinate()).prop_map(Vector3::from))
}

/// Not a number is not a number, whichever bits it has.
fn bits(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
}

fn lane_bits(lanes: impl Simd) -> Vec<u32> {
    let mut all = Vec::new();
    lanes.fold(0.0, |_, x| {
        all.push(bits(x));
        0.0
    });
    all
}

fn same<L: Simd>(lanes: &[L; 3], one: &[Vector3<f32>]) -> Result<(), TestCaseError> {
    for (k, lanes) in lanes.iter().enumerate() {
        prop_assert_eq!(lane_bits(*lanes), one.iter().map(|v| bits(v[k])).collect::<Vec<_>>());
    }
    Ok(())
}

/// Every function against the vectors one by one.
fn check<L: Simd>([p, q]: [[L; 3]; 2], a: &[Vector3<f32>], b: &[Vector3<f32>]) -> Result<(), TestCaseError> {
    let each = |f: fn(&Vector3<f32>, &Vector3<f32>) -> Vector3<f32>| -> Vec<_> {
        a.iter().zip(b).map(|(a, b)| f(a, b)).collect()
    };
    let numbers = |f: fn(&Vector3<f32>, &Vector3<f32>) -> f32| -> Vec<_> {
        a.iter().zip(b).map(|(a, b)| bits(f(a, b))).collect()
    };
    same(&plus(&p, &q), &each(|a, b| a + b))?;
    same(&minus(&p, &q), &each(|a, b| a - b))?;
    same(&cross(&p, &q), &each(Vector3::cross))?;
    same(&times(&p, &q), &each(Vector3::component_mul))?;
    same(&scaled(&p, q[0]), &each(|a, b| a * b.x))?;
    same(&divided(&p, q[0]), &each(|a, b| a / b.x))?;
    same(&plus_scaled(&p, &q, q[1]), &each(|a, b| a + b * b.y))?;
    prop_assert_eq!(lane_bits(dot(&p, &q)), numbers(Vector3::dot));
    prop_assert_eq!(lane_bits(norm(&p)), numbers(|a, _| a.norm()));
    let mask = p[0].is_less(q[0]);
    let lanes = |holds: fn(f32, f32) -> bool| {
        a.iter().zip(b).enumerate().fold(0, |bits, (l, (a, b))| bits | u32::from(holds(a.x, b.x)) << l)
    };
    let equal = p[0].is_equal(q[0]);
    prop_assert_eq!((L::bits(mask), L::bits(equal)), (lanes(|a, b| a < b), lanes(|a, b| a == b)));
    prop_assert_eq!(
        (L::any(mask), L::all(mask)),
        (lanes(|a, b| a < b) != 0, L::bits(mask) + 1 == 1 << a.len())
    );
    prop_assert_eq!(lane_bits(p[0].magnitude()), numbers(|a, _| a.x.abs()));
    prop_assert_eq!(lane_bits(p[0].like(b[0].x)), vec![bits(b[0].x); a.len()]);
    same(&chosen(mask, &p, &q), &each(|a, b| if a.x < b.x { *a } else { *b }))?;
    prop_assert_eq!(lane_bits(lesser(p[0], q[0])), numbers(|a, b| if a.x < b.x { a.x } else { b.x }));
    prop_assert_eq!(lane_bits(greater(p[0], q[0])), numbers(|a, b| if a.x > b.x { a.x } else { b.x }));
    let x = || a.iter().map(|v| v.x);
    // Equal zeros may differ in their sign.
    prop_assert_eq!(least_lane(p[0]), x().fold(f32::INFINITY, f32::min));
    prop_assert_eq!(greatest_lane(p[0]), x().fold(f32::NEG_INFINITY, f32::max));
    Ok(())
}

proptest! {
    #[test]
    fn four_and_eight_at_once_give_the_bits_that_vectors_give(a in vectors(), b in vectors()) {
        let four = [&a, &b].map(|v| gather(v, [0, 1, 2, 3]));
        check(four, &a[..LANES], &b[..LANES])?;
        prop_assert_eq!(lane_bits(splat(b[0].x)), [bits(b[0].x); LANES]);
        for level in available().into_iter().filter_map(level_named) {
            dispatch!(level, simd => {
                let eight = [&a, &b].map(|v| gather_wide(simd, v, [0, 1, 2, 3, 4, 5, 6, 7]));
                check(eight, &a, &b)?;
                let blocks = [&a, &b].map(|v| Block::gather(v, &[0, 1, 2, 3, 4, 5, 6, 7]));
                check(blocks.map(|block| block.wide_vectors(simd, 0)), &a, &b)
            })?;
        }
    }
}

#[test]
fn every_instruction_set_transposes_items_and_back() {
    fn check<S: Instructions>(simd: S) {
        let items: [[f32; 4]; LANES8] = std::array::from_fn(|i| [0, 1, 2, 3].map(|k| (10 * i + k) as f32));
        let numbers = simd.gather(|i| &items[i]);
        for k in 0..4 {
            let mut stored = [f32::NAN; LANES8];
            simd.store(numbers[k], &mut stored, 0);
            assert!((0..S::COUNT).all(|i| stored[i] == items[i][k]), "{}: {stored:?}", simd.name());
        }
        let mut count = 0;
        simd.scatter(numbers, |i, numbers| {
            assert_eq!(numbers, items[i], "{}", simd.name());
            count += 1;
        });
        assert_eq!(count, S::COUNT);
    }
    for level in available().into_iter().filter_map(level_named) {
        dispatch!(level, simd => check(simd));
    }
}
