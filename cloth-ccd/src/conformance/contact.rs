//! Construction of queries in which two primitives touch exactly at one instant; random motions never do.
//!
//! The contact point of each primitive is a fixed combination of its corners. Corners are drawn freely, then
//! shifted so that the contact points coincide; velocities likewise. With integer weights `w` of sum `W`, a
//! vector `y` per corner becomes `r = W y - sum(w y)`, for which `sum(w r) = 0`.
//!
//! ```text
//!   t = 0                       t = m / n: the contact points coincide             t = 1
//!   corner - m velocity  -----  corner = at + r  -----------------------  corner + (n - m) velocity
//! ```
//!
//! All numbers are integers, so the query is exact in `f64`, and it collides at `m / n` at the latest, unless
//! the primitives are separated on purpose, or a weight is negative and the contact point is outside of the
//! primitive.

use super::QueryKind;
use super::choices::ChoiceSequence;
use super::lattice::{Lattice, combine, cross, minus};

/// The directions in which vectors are drawn: all, those of a plane, or those of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame([Lattice; 3]);

impl Frame {
    pub(super) const SPACE: Self = Self([[1, 0, 0], [0, 1, 0], [0, 0, 1]]);

    /// A plane of two of the axes, or a tilted one.
    pub(super) fn plane(choices: &mut ChoiceSequence) -> Self {
        let axes = [[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]], [[0, 0, 1], [1, 0, 0]]];
        let [u, v] = match choices.below(6) {
            k @ 0..3 => axes[k],
            _ => [small(choices), small(choices)],
        };
        Self([u, v, [0; 3]])
    }

    /// A line along an axis, or a tilted one.
    pub(super) fn line(choices: &mut ChoiceSequence) -> Self {
        let Self([u, ..]) = Self::plane(choices);
        Self([u, [0; 3], [0; 3]])
    }

    pub(super) fn draw(&self, choices: &mut ChoiceSequence, size: i64) -> Lattice {
        let Self([u, v, w]) = *self;
        combine([(choices.signed(size), u), (choices.signed(size), v), (choices.signed(size), w)])
    }
}

/// A vector from -2 to 2 in each direction.
pub(super) fn small(choices: &mut ChoiceSequence) -> Lattice {
    Frame::SPACE.draw(choices, 2)
}

/// A primitive about its point of contact. Of the arrays the first `corners` entries count.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingPrimitive {
    pub(super) corners: usize,
    /// Where the corners are at the instant, before the shift.
    pub(super) places: [Lattice; 3],
    /// Their velocities, before the shift.
    pub(super) spins: [Lattice; 3],
    /// How much each corner counts at the point of contact: all positive inside, one of them zero on a
    /// border.
    pub(super) weights: [i64; 3],
}

impl MovingPrimitive {
    fn draw(choices: &mut ChoiceSequence, corners: usize, frame: &Frame, size: i64) -> Self {
        let weights = weights(choices, corners);
        let mut vectors =
            || std::array::from_fn(|i| if i < corners { frame.draw(choices, size) } else { [0; 3] });
        Self { corners, places: vectors(), spins: vectors(), weights }
    }

    fn about_contact(&self, vectors: &[Lattice; 3]) -> [Lattice; 3] {
        let whole = self.weights.iter().sum();
        let mean = combine([0, 1, 2].map(|k| (self.weights[k], vectors[k])));
        vectors.map(|v| combine([(whole, v), (-1, mean)]))
    }
}

/// Inside, on a border, at a corner, or a little outside.
fn weights(choices: &mut ChoiceSequence, corners: usize) -> [i64; 3] {
    let whole = choices.pick(&[4, 3, 8, 1024]);
    let mut share = |most: i64| 1 + choices.below(most as usize) as i64;
    let inside = match corners {
        1 => return [1, 0, 0],
        2 => share(whole - 1),
        _ => share(whole - 2),
    };
    let rest = whole - inside;
    let on_border = [inside, rest, 0];
    let mut weights = match choices.below(8) {
        0..3 if corners == 3 => {
            let second = 1 + choices.below((rest - 1) as usize) as i64;
            [inside, second, rest - second]
        }
        0..5 => on_border,
        5 | 6 => [whole, 0, 0],
        _ => [whole + 1, -1, 0],
    };
    weights[..corners].rotate_right(choices.below(corners));
    weights
}

/// How the relative velocity of the two points of contact lies to the surfaces, when it does not cross them:
/// the multiplicity of the root there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Approach {
    /// Within the plane of contact: a double root, touch and go back.
    Grazing,
    /// Along the line about which that plane turns: a triple root.
    Osculating,
    /// None: once they touch, they touch for ever.
    Resting,
}

/// Two primitives whose points of contact meet at the instant `instant[0] / instant[1]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) kind: QueryKind,
    pub(super) parts: [MovingPrimitive; 2],
    pub(super) at: Lattice,
    pub(super) instant: [i64; 2],
    /// Velocity of the second point of contact; a step lasts `instant[1]` units of time.
    pub(super) velocity: Lattice,
    /// Velocity of the first relative to the second.
    pub(super) relative: Lattice,
    /// How far the first is held apart.
    pub(super) gap: Lattice,
}

/// The instants of contact, from which the numbers follow that the positions at the ends must be shifted by.
const INSTANTS: [[i64; 2]; 9] = [[1, 2], [0, 1], [1, 1], [1, 4], [3, 4], [3, 8], [1, 3], [2, 5], [6, 7]];

impl Contact {
    /// A contact whose vectors are at most `size` long in each direction of a frame.
    pub(super) fn draw(kind: QueryKind, choices: &mut ChoiceSequence, frame: &Frame, size: i64) -> Self {
        let instant = choices.pick(&INSTANTS);
        let parts = kind.corners().map(|corners| MovingPrimitive::draw(choices, corners, frame, size));
        let mut vector = || frame.draw(choices, size);
        Self { kind, parts, at: vector(), instant, velocity: vector(), relative: vector(), gap: [0; 3] }
    }

    /// The two directions that the surfaces span at the contact, and how they change in a unit of time; zero
    /// where there are none.
    fn directions(&self) -> [[Lattice; 2]; 2] {
        let [first, second] = self.parts;
        let along = |vectors: &[Lattice; 3], k: usize| minus(vectors[k], vectors[0]);
        match self.kind {
            QueryKind::PointPoint => [[[0; 3]; 2]; 2],
            QueryKind::PointEdge => [&second.places, &second.spins].map(|v| [along(v, 1), [0; 3]]),
            QueryKind::PointTriangle => [&second.places, &second.spins].map(|v| [along(v, 1), along(v, 2)]),
            QueryKind::EdgeEdge => [(&first.places, &second.places), (&first.spins, &second.spins)]
                .map(|(a, b)| [along(a, 1), along(b, 1)]),
        }
    }

    /// The normal at the time `s` after the instant, as the coefficients of `s^0`, `s^1`, `s^2`.
    ///
    /// The surfaces' distance along it is `s relative.normal(s)`, from which the multiplicities of
    /// [`Approach`] follow.
    pub(super) fn normal(&self) -> [Lattice; 3] {
        let [[e, f], [de, df]] = self.directions();
        [cross(e, f), combine([(1, cross(e, df)), (1, cross(de, f))]), cross(de, df)]
    }

    /// Chooses a relative velocity of the kind asked for. Sizes up to 30 keep the third kind within `f64`.
    pub(super) fn approach(&mut self, choices: &mut ChoiceSequence, how: Approach) {
        let [[e, f], _] = self.directions();
        let [normal, turning, _] = self.normal();
        self.relative = match how {
            Approach::Grazing => combine([(choices.signed(3), e), (choices.signed(3), f)]),
            Approach::Osculating => super::lattice::reduced(cross(normal, turning)),
            Approach::Resting => [0; 3],
        };
    }

    /// Multiplies all lengths by a factor.
    pub(super) fn enlarge(&mut self, factor: i64) {
        let enlarged = |v: Lattice| v.map(|c| c * factor);
        for part in &mut self.parts {
            part.places = part.places.map(enlarged);
            part.spins = part.spins.map(enlarged);
        }
        for vector in [&mut self.at, &mut self.velocity, &mut self.relative, &mut self.gap] {
            *vector = enlarged(*vector);
        }
    }

    /// The positions of the corners at the start and at the end.
    pub(super) fn ends(&self) -> [[Lattice; 4]; 2] {
        let [m, n] = self.instant;
        let mut ends = [[[0; 3]; 4]; 2];
        let mut corner = 0;
        let motions = [(self.gap, self.relative), ([0; 3], [0; 3])];
        for (part, (gap, relative)) in self.parts.iter().zip(motions) {
            let (places, spins) = (part.about_contact(&part.places), part.about_contact(&part.spins));
            for k in 0..part.corners {
                let place = combine([(1, self.at), (1, gap), (1, places[k])]);
                let velocity = combine([(1, self.velocity), (1, relative), (1, spins[k])]);
                ends[0][corner] = combine([(1, place), (-m, velocity)]);
                ends[1][corner] = combine([(1, place), (n - m, velocity)]);
                corner += 1;
            }
        }
        ends
    }

    /// Whether the points of contact meet and belong to the primitives: then the query collides, at the
    /// instant at the latest.
    pub(super) fn is_made(&self) -> bool {
        self.gap == [0; 3] && self.parts.iter().all(|part| part.weights.iter().all(|&w| w >= 0))
    }
}
