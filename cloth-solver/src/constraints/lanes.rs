//! SIMD: eight constraints at a time, one per lane, in code that is compiled for each kind of instructions.
//!
//! The operations of a lane are those of the scalar code in the same order, so results are bitwise equal.

pub(crate) use cloth_geom::lanes::{
    Instructions, LANES8, Simd, chosen, cross, dispatch, divided, dot, greater, minus, norm, plus,
    plus_scaled, scaled, times,
};

use crate::bodies::Packed;

/// Minimum length (m) used as a divisor: its product with any weight is still a normal number.
pub(crate) const MIN_LENGTH: f32 = 1.0e-15;

/// A number of each of eight constraints, in memory.
pub(crate) type Numbers = [f32; LANES8];

/// A vertex of each of eight constraints.
pub(crate) type Ids = [u32; LANES8];

/// A vector of each constraint of a part.
pub(crate) type Vectors<S> = [<S as Instructions>::Lanes; 3];

/// Projects eight constraints in parts, given one vertex of each. Copies that fill up the last part of a
/// group are projected with what they copy, and never after it.
#[inline(always)]
pub(crate) fn in_parts<S: Instructions>(_: S, v: &Ids, mut project: impl FnMut(usize)) {
    // Not a loop: the places of a part are constants.
    project(0);
    if S::COUNT < LANES8 && v[S::COUNT] != v[S::COUNT - 1] {
        project(1);
    }
}

/// Zero vectors.
#[inline(always)]
pub(crate) fn zeros<S: Instructions>(simd: S) -> Vectors<S> {
    [simd.splat(0.0); 3]
}

/// The vectors of a part.
#[inline(always)]
pub(crate) fn load_vectors<S: Instructions>(simd: S, [x, y, z]: &[Numbers; 3], part: usize) -> Vectors<S> {
    [simd.load(x, part), simd.load(y, part), simd.load(z, part)]
}

/// The positions of the vertices of a part, given by the place of a constraint among eight, and their inverse
/// masses.
#[inline(always)]
pub(crate) fn gather<'a, S: Instructions>(
    simd: S,
    part: usize,
    position: impl Fn(usize) -> &'a Packed,
) -> (Vectors<S>, S::Lanes) {
    let [x, y, z, w] = simd.gather(|l| position(part * S::COUNT + l).as_ref());
    ([x, y, z], w)
}

/// Puts the positions of the vertices of a part, with their inverse masses; duplicates have equal ones.
#[inline(always)]
pub(crate) fn scatter<S: Instructions>(
    simd: S,
    part: usize,
    [px, py, pz]: Vectors<S>,
    w: S::Lanes,
    mut put: impl FnMut(usize, Packed),
) {
    simd.scatter([px, py, pz, w], |l, position| put(part * S::COUNT + l, position.into()));
}

/// Splits constraints in solving order into groups of up to eight that share no vertex, to be solved at once.
///
/// A shorter group repeats its last constraint. The copies write identical values.
pub(crate) fn eights<const N: usize>(
    count: usize,
    vertices: impl Fn(usize) -> [u32; N],
) -> Vec<[usize; LANES8]> {
    let mut groups = Vec::with_capacity(count.div_ceil(LANES8));
    let mut first = 0;
    while first < count {
        let fits = |i: &usize| {
            let own = vertices(*i);
            (first..*i).all(|before| vertices(before).iter().all(|v| !own.contains(v)))
        };
        let len = (first + 1..count.min(first + LANES8)).take_while(fits).count() + 1;
        groups.push(group(first, len));
        first += len;
    }
    groups
}

/// Indices in groups of eight; the last group repeats the last index.
pub(crate) fn octets(count: usize) -> impl Iterator<Item = [usize; LANES8]> {
    (0..count).step_by(LANES8).map(move |first| group(first, count - first))
}

/// The indices from `first` on; from `len` on the last one again.
fn group(first: usize, len: usize) -> [usize; LANES8] {
    std::array::from_fn(|l| first + l.min(len - 1))
}

/// Sum of the coordinates, as [`crate::bodies::sum`] adds them: with a fourth of zero, which makes a zero
/// positive.
#[inline(always)]
pub(crate) fn sum<S: Instructions>(simd: S, a: &Vectors<S>) -> S::Lanes {
    (a[0] + a[1]) + (a[2] + simd.splat(0.0))
}
