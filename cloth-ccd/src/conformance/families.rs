//! Families of difficult queries: contact up to the last bit, in every degenerate configuration.
//!
//! A family draws integers ([`Contact`] and others), scales them by a power of two and perturbs some: some
//! queries touch exactly, some miss by the last bit. [`EXTREMES`] do so at the ends of the floating-point
//! range.

use nalgebra::Point3;

use super::QueryKind;
use super::choices::ChoiceSequence;
use super::contact::{Approach, Contact, Frame, small};
use super::lattice::{Lattice, combine, dot, reduced};
use super::placement::{Positions, exponents, nudge, place};
use crate::Query;

/// A method of generating queries.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// What it aims at.
    pub name: &'static str,
    draw: fn(QueryKind, &mut ChoiceSequence) -> Positions,
}

type Ends = [[Lattice; 4]; 2];

/// Coordinates of ordinary size.
pub const FAMILIES: [Family; 13] = [
    Family { name: "touching", draw: |kind, choices| nudged(kind, choices, touching) },
    Family { name: "at the ends", draw: |kind, choices| nudged(kind, choices, at_the_ends) },
    Family { name: "coplanar", draw: |kind, choices| nudged(kind, choices, coplanar) },
    Family { name: "grazing", draw: |kind, choices| nudged(kind, choices, grazing) },
    Family { name: "several roots", draw: |kind, choices| nudged(kind, choices, several_roots) },
    Family { name: "collapsing", draw: |kind, choices| nudged(kind, choices, collapsing) },
    Family { name: "degenerate", draw: |kind, choices| nudged(kind, choices, degenerate) },
    Family { name: "resting", draw: |kind, choices| nudged(kind, choices, resting) },
    Family { name: "turning plane", draw: |_, choices| place(&turning_plane(choices), [0; 3]) },
    Family { name: "lattice", draw: |_, choices| place(&lattice(choices), [0; 3]) },
    Family { name: "parted", draw: |kind, choices| place(&parted(kind, choices), [0; 3]) },
    Family { name: "rounded", draw: rounded },
    Family { name: "single precision", draw: single_precision },
];

/// Coordinates of any size, mixed: an exact method may need a thousand times as long.
pub const EXTREMES: [Family; 2] =
    [Family { name: "wide", draw: wide }, Family { name: "wild", draw: |_, choices| wild(choices) }];

/// The generators of contacts.
pub(super) const CONTACTS: [fn(QueryKind, &mut ChoiceSequence) -> Contact; 8] =
    [touching, at_the_ends, coplanar, grazing, several_roots, collapsing, degenerate, resting];

/// Lengths in lattice steps: from where coincidences abound to where a coordinate needs all bits.
const SIZES: [i64; 6] = [2, 3, 10, 1000, 1 << 20, 1 << 36];
/// Sizes of which products of four fit.
const SMALL: [i64; 4] = [2, 3, 10, 30];

impl Family {
    /// The query that this family makes of a tape.
    #[must_use]
    pub fn query(&self, kind: QueryKind, choices: &mut ChoiceSequence) -> Query {
        let [t0, t1] = (self.draw)(kind, choices);
        kind.query(&t0, &t1)
    }
}

fn nudged(
    kind: QueryKind,
    choices: &mut ChoiceSequence,
    contact: fn(QueryKind, &mut ChoiceSequence) -> Contact,
) -> Positions {
    let scale = choices.pick(&[0, -3, -10, -52]);
    let mut positions = place(&contact(kind, choices).ends(), [scale; 3]);
    nudge(choices, kind, &mut positions);
    positions
}

/// Whole numbers of any family.
fn ends(kind: QueryKind, choices: &mut ChoiceSequence) -> Ends {
    match choices.below(CONTACTS.len() + 2) {
        k if k < CONTACTS.len() => CONTACTS[k](kind, choices).ends(),
        8 => turning_plane(choices),
        _ => lattice(choices),
    }
}

/// Corners, borders and insides that meet in passing.
fn touching(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let size = choices.pick(&SIZES);
    Contact::draw(kind, choices, &Frame::SPACE, size)
}

/// Corners, borders and insides that meet at the very start or the very end.
fn at_the_ends(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let size = choices.pick(&SIZES);
    let mut contact = Contact::draw(kind, choices, &Frame::SPACE, size);
    contact.instant = choices.pick(&[[0, 1], [1, 1]]);
    contact
}

/// Contact within one plane, or on one line, which may travel.
fn coplanar(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let frame = if choices.once_in(3) { Frame::line(choices) } else { Frame::plane(choices) };
    let size = choices.pick(&SIZES);
    let mut contact = Contact::draw(kind, choices, &frame, size);
    if choices.once_in(2) {
        contact.velocity = combine([(1, contact.velocity), (1, small(choices))]);
    }
    contact
}

/// Touch and go back, touch and pass with a triple root, touch and stay; or nearly.
fn grazing(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let how = choices.pick(&[Approach::Grazing, Approach::Osculating, Approach::Resting]);
    let frame = if kind == QueryKind::PointEdge { Frame::plane(choices) } else { Frame::SPACE };
    let size = choices.pick(&SMALL);
    let mut contact = Contact::draw(kind, choices, &frame, size);
    contact.approach(choices, how);
    separate(&mut contact, choices);
    contact
}

/// Once in three times a step of the lattice apart along the normal, all else enlarged, so that the step is a
/// small one.
fn separate(contact: &mut Contact, choices: &mut ChoiceSequence) {
    if choices.once_in(3) {
        let [normal, ..] = contact.normal();
        let away = if normal == [0; 3] { small(choices) } else { reduced(normal) };
        contact.enlarge(choices.pick(&[1, 1 << 10, 1 << 20]));
        contact.gap = combine([(choices.pick(&[1, -1]), away)]);
    }
}

/// The surfaces pass through each other before they do so in contact.
fn several_roots(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let size = choices.pick(&SMALL);
    let mut contact = Contact::draw(kind, choices, &Frame::SPACE, size);
    for _ in 0..3 {
        let [a, b, c] = contact.normal().map(|n| dot(contact.relative, n));
        let before = -contact.instant[0];
        // The other roots are those of a + b s + c s^2.
        if a.signum() * (a + before * (b + before * c)).signum() < 0 {
            break;
        }
        contact.relative = Frame::SPACE.draw(choices, size);
    }
    contact
}

/// A face that falls flat, an edge that shrinks to a point, edges that become parallel: at the instant of
/// contact alone.
fn collapsing(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let size = choices.pick(&SMALL);
    let mut contact = Contact::draw(kind, choices, &Frame::SPACE, size);
    let along = Frame::SPACE.draw(choices, size);
    for part in &mut contact.parts {
        part.places = [(); 3].map(|()| combine([(choices.signed(2), along)]));
    }
    separate(&mut contact, choices);
    contact
}

/// Primitives that are degenerate throughout.
fn degenerate(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let size = choices.pick(&SMALL);
    let frame = if choices.once_in(3) { Frame::plane(choices) } else { Frame::SPACE };
    let mut contact = Contact::draw(kind, choices, &frame, size);
    let (along, turning) = (frame.draw(choices, size), frame.draw(choices, size));
    for part in &mut contact.parts {
        let steps = [(); 3].map(|()| choices.signed(1));
        part.places = steps.map(|k| combine([(k, along)]));
        part.spins = steps.map(|k| combine([(k, turning)]));
    }
    contact
}

/// One rigid motion, often none, of two primitives that touch or just do not.
fn resting(kind: QueryKind, choices: &mut ChoiceSequence) -> Contact {
    let size = choices.pick(&SMALL);
    let frame = if choices.once_in(2) { Frame::plane(choices) } else { Frame::SPACE };
    let mut contact = Contact::draw(kind, choices, &frame, size);
    contact.relative = [0; 3];
    contact.parts.iter_mut().for_each(|part| part.spins = [[0; 3]; 3]);
    if choices.once_in(2) {
        contact.velocity = [0; 3];
    }
    separate(&mut contact, choices);
    contact
}

/// All corners keep their place in a plane that turns, shears and may collapse: always coplanar, in no fixed
/// plane.
fn turning_plane(choices: &mut ChoiceSequence) -> Ends {
    let places: [[i64; 2]; 4] = std::array::from_fn(|_| [choices.signed(2), choices.signed(2)]);
    [(); 2].map(|()| {
        let [origin, u, v] = [(); 3].map(|()| small(choices));
        places.map(|[a, b]| combine([(1, origin), (a, u), (b, v)]))
    })
}

/// A plane parts the two at both ends, and so throughout, by one lattice step: those corners of a contact
/// that are beyond are moved onto it.
pub(super) fn parted(kind: QueryKind, choices: &mut ChoiceSequence) -> Ends {
    let size = choices.pick(&SMALL);
    let mut contact = Contact::draw(kind, choices, &Frame::SPACE, size);
    if choices.once_in(2) {
        contact.relative = [0; 3];
    }
    contact.enlarge(choices.pick(&[1, 1 << 20, 1 << 30]));
    let axis = choices.below(3);
    let mut normal = small(choices);
    normal[axis] = 1;
    let [m, n] = contact.instant;
    let mut ends = contact.ends();
    for (end, time) in ends.iter_mut().zip([-m, n - m]) {
        let plane = dot(normal, combine([(1, contact.at), (time, contact.velocity)]));
        for (i, corner) in end.iter_mut().enumerate() {
            let beyond = dot(normal, *corner) - plane;
            corner[axis] -= if i < kind.corners()[0] { beyond.max(0) } else { (beyond - 1).min(0) };
        }
    }
    ends
}

/// Whole numbers from -3 to 3, some corners at rest: nearly all of them are degenerate in some way.
fn lattice(choices: &mut ChoiceSequence) -> Ends {
    let size = choices.pick(&[1, 2, 3]);
    // In fewer dimensions there are more coincidences.
    let frame = match choices.below(4) {
        0 | 1 => Frame::SPACE,
        2 => Frame::plane(choices),
        _ => Frame::line(choices),
    };
    let t0: [Lattice; 4] = [(); 4].map(|()| frame.draw(choices, size));
    let t1 = t0.map(|corner| if choices.once_in(3) { corner } else { frame.draw(choices, size) });
    [t0, t1]
}

/// A contact whose coordinates are rounded: as far off as coordinates that were computed are.
fn rounded(kind: QueryKind, choices: &mut ChoiceSequence) -> Positions {
    let factor = choices.pick(&[0.1, 1.0 / 3.0, 1e-3, std::f64::consts::PI]);
    let ends = ends(kind, choices);
    place(&ends, [0; 3]).map(|end| end.map(|corner| corner * factor))
}

/// A contact in single precision: as a simulation has it.
fn single_precision(kind: QueryKind, choices: &mut ChoiceSequence) -> Positions {
    let factor = choices.pick(&[1.0, 0.125, 0.01]);
    let ends = ends(kind, choices);
    let mut positions = place(&ends, [0; 3]).map(|end| end.map(|c| c.map(|c| (c * factor) as f32)));
    if choices.once_in(2) {
        let c = &mut positions[choices.below(2)][choices.below(kind.count())][choices.below(3)];
        *c = if choices.once_in(2) { c.next_up() } else { c.next_down() };
    }
    positions.map(|end| end.map(|corner| corner.map(f64::from)))
}

/// A contact at the ends of the range, each axis scaled by itself, and then nudged: by subnormal steps, by
/// enormous ones.
fn wide(kind: QueryKind, choices: &mut ChoiceSequence) -> Positions {
    let ends = ends(kind, choices);
    let mut positions = place(&ends, exponents(choices, &ends));
    nudge(choices, kind, &mut positions);
    positions
}

/// Coordinates of any exponent and sign, from a pool of a few, so that they coincide.
fn wild(choices: &mut ChoiceSequence) -> Positions {
    let pool: [f64; 4] = [(); 4].map(|()| {
        let exponent = choices.pick(&[0, 1, -1, -20, 60, -300, 300, 971, -1074]);
        super::placement::times_power(choices.signed((1 << 53) - 1) as f64, exponent)
    });
    let mut coordinate = || match choices.below(6) {
        k @ 0..4 => pool[k],
        4 => 0.0,
        _ => -pool[0],
    };
    [(); 2].map(|()| [(); 4].map(|()| Point3::from([(); 3].map(|()| coordinate()))))
}
