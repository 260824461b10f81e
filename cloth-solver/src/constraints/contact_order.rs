//! The order in which the contacts of cloth are projected: by parts of space that share few contacts, so that
//! threads work side by side.
//!
//! ```text
//!      leaf 0     leaf 1  |  leaf 2     leaf 3      the vertices, cut in half and in half again
//!    . . . . .|. . . . .  |  . . . . .|. . . . .
//!    =======  |  =======  |  =======  |  =======    first: contacts within a leaf
//!           =====         |         =====           then those across the cuts of halves
//!                       =====                       at last those across the first cut
//! ```
//!
//! Each thread has some leaves, with all that lies between them, in every pass; it waits twice in a pass, and
//! not once a colour (`docs/design/solver-threads.md`). Within a leaf, and within a cut, contacts keep their
//! canonical order. The cuts depend on positions and contacts alone: no bit depends on the number of threads.

use cloth_contacts::Contacts;
use cloth_disjoint::{Groups, Parts};
use cloth_geom::MapInline;

use super::contact::{ContactConstraint, vertices};
use crate::bodies::Bodies;

/// Most cuts on top of each other: 16 leaves, for as many threads.
const MOST_CUTS: u32 = 4;

/// Least number of contacts in a leaf on average: a pass over fewer takes less time than a thread waits.
const LEAST_OF_LEAF: usize = 512;

/// Contacts whose positions decide the cuts: some of each place are enough.
const SAMPLES: usize = 1024;

/// Where a part of space is cut: what has a larger coordinate lies on the other side.
#[derive(Clone, Copy, Debug, Default)]
struct Cut {
    axis: usize,
    /// In m.
    at: f32,
}

/// The order of contacts, and memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactOrder {
    /// The leaf of each slot.
    parts: Parts,
    /// The cuts as a heap: those of the halves of 1 are 2 and 3.
    cuts: Vec<Cut>,
    samples: Vec<[f32; 3]>,
    /// The slots of the vertices of each contact.
    slots: Vec<[u32; 4]>,
    /// The place in the heap of each contact; the contacts by that place, the last first.
    places: Vec<u8>,
    order: Vec<u32>,
}

impl ContactOrder {
    /// Stores the contacts in solving order.
    pub(crate) fn store(
        &mut self,
        contacts: &Contacts,
        bodies: &Bodies<'_>,
        constraints: &mut Groups<ContactConstraint, 4, 1>,
    ) {
        let depth = (contacts.len() / LEAST_OF_LEAF).checked_ilog2().unwrap_or(0).min(MOST_CUTS);
        self.cut(contacts, bodies, depth);
        let Self { parts, cuts, slots, places, order, .. } = self;
        let leaves = 1 << depth;
        let leaf = |x: &[f32]| {
            let place = (0..depth).fold(1, |place, _| {
                let Cut { axis, at } = cuts[place];
                2 * place + usize::from(x[axis] > at)
            });
            (place - leaves) as u8
        };
        let of_slots = parts.update(|of| {
            of.clear();
            of.extend(bodies.x.in_slots.iter().map(|x| leaf(x.as_slice())));
        });
        of_slots.expect("a leaf for each slot");
        let slot = |v: u32| bodies.x.slot(v as usize) as u32;
        slots.clear();
        slots.extend(contacts.point_triangles.iter().map(|contact| contact.vertices().map_inline(slot)));
        slots.extend(contacts.edge_edges.iter().map(|contact| contact.vertices().map_inline(slot)));
        // Where the ways from the leaves of all vertices to the first cut meet.
        let place = |slots: &[u32; 4]| {
            let [a, b, c, d] = slots.map_inline(|slot| parts.of_items()[slot as usize]);
            let apart = (a ^ b) | (a ^ c) | (a ^ d);
            (a | leaves as u8) >> (u8::BITS - apart.leading_zeros())
        };
        places.clear();
        places.extend(slots.iter().map(place));
        // By counting: contacts of a place keep their order.
        let mut ends = [0_usize; 2 << MOST_CUTS];
        places.iter().for_each(|&place| ends[usize::from(place)] += 1);
        let mut before = 0;
        for end in ends.iter_mut().rev() {
            before += std::mem::replace(end, before);
        }
        order.clear();
        order.resize(places.len(), 0);
        for (number, &place) in (0..).zip(&*places) {
            let end = &mut ends[usize::from(place)];
            order[*end] = number;
            *end += 1;
        }
        let mut fill = constraints.refill(parts);
        for task in order.chunk_by(|a, b| places[*a as usize] == places[*b as usize]) {
            let added = task.iter().map(|&number| {
                (slots[number as usize].map_inline(|slot| [slot]), ContactConstraint::new(number))
            });
            fill.task(added).expect("contacts of four vertices");
        }
    }

    /// Cuts space so that about as many contacts are on both sides of each cut.
    fn cut(&mut self, contacts: &Contacts, bodies: &Bodies<'_>, depth: u32) {
        let Self { cuts, samples, .. } = self;
        let step = (contacts.len() / SAMPLES).max(1);
        samples.clear();
        samples.extend((0..contacts.len()).step_by(step).map(|number| {
            let x = bodies.x[vertices(contacts, number as u32)[0] as usize];
            [x.x, x.y, x.z]
        }));
        cuts.clear();
        cuts.resize(1 << depth, Cut::default());
        halve(cuts, 1, samples);
    }
}

/// Decides the cut of a place and those of its halves, by positions (m) in it.
fn halve(cuts: &mut [Cut], place: usize, samples: &mut [[f32; 3]]) {
    if place >= cuts.len() || samples.is_empty() {
        return;
    }
    let length = |axis: usize| {
        let of = || samples.iter().map(|x| x[axis]);
        of().fold(f32::NEG_INFINITY, f32::max) - of().fold(f32::INFINITY, f32::min)
    };
    let lengths = [length(0), length(1), length(2)];
    let axis = (0..3).fold(0, |longest, axis| if lengths[axis] > lengths[longest] { axis } else { longest });
    let middle = samples.len() / 2;
    samples.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    cuts[place] = Cut { axis, at: samples[middle][axis] };
    let (below, above) = samples.split_at_mut(middle);
    halve(cuts, 2 * place, below);
    halve(cuts, 2 * place + 1, above);
}

#[cfg(test)]
mod tests {
    use cloth_contacts::EdgeEdge;
    use nalgebra::Vector3;

    use super::*;
    use crate::bodies::Packed;

    /// Contacts of each two neighbours of a row of points with those of the next row, and where the points are.
    fn rows(count: u32) -> (Contacts, Vec<Packed>) {
        let contact = |i: u32| EdgeEdge {
            edges: [i, i + count],
            a: [i, i + 1],
            b: [i + count, i + count + 1],
            s: 0.5,
            t: 0.5,
            normal: Vector3::y(),
            gap: 0.1,
            distance: 0.1,
        };
        let contacts = Contacts { edge_edges: (0..count - 1).map(contact).collect(), ..Contacts::default() };
        let at = |v: u32| Packed::new((v % count) as f32, (v / count) as f32, 0.0, 1.0);
        (contacts, (0..2 * count).map(at).collect())
    }

    /// The contacts in solving order, by number.
    fn order(contacts: &Contacts, x: &mut [Packed]) -> Vec<u32> {
        let (x_t0, w) = (x.to_vec(), vec![1.0; x.len()]);
        let bodies = Bodies::without_chunks(x, &x_t0, &w, 1e-3);
        let (mut order, mut constraints) = (ContactOrder::default(), Groups::default());
        order.store(contacts, &bodies, &mut constraints);
        constraints.iter_mut().map(|(ids, _)| ids[0][0]).collect()
    }

    #[test]
    fn few_contacts_keep_their_canonical_order() {
        for count in [2, 500, 2 * LEAST_OF_LEAF as u32] {
            let (contacts, mut x) = rows(count);
            assert!(order(&contacts, &mut x).into_iter().eq(0..count - 1));
        }
    }

    #[test]
    fn contacts_across_cuts_come_last_and_each_comes_once() {
        let (contacts, mut x) = rows(4097);
        let order = order(&contacts, &mut x);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..4096));
        // Seven contacts lie across the cuts of eight leaves: that of the first cut is the last.
        let cuts: Vec<u32> = order[4096 - 7..].to_vec();
        assert_eq!(cuts.len(), 7);
        let halves = |contact: u32| (f64::from(contact) / 512.0).round() as u32;
        assert_eq!(cuts.iter().map(|&c| halves(c)).collect::<Vec<_>>(), [7, 5, 3, 1, 6, 2, 4]);
        assert!(
            order[..4089].chunks(511).all(|leaf| leaf.windows(2).filter(|w| w[1] != w[0] + 1).count() <= 1)
        );
    }

    #[test]
    fn points_in_one_place_or_no_numbers_have_an_order() {
        for place in [Packed::zeros(), Packed::new(f32::NAN, f32::INFINITY, 0.0, 1.0)] {
            let (contacts, mut x) = rows(3000);
            x.fill(place);
            let mut order = order(&contacts, &mut x);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..2999));
        }
    }
}
