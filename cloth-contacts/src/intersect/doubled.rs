//! Faces that lie on others: of the same three points, whether they share their vertices or not.
//!
//! Faces that share three vertices never meet by the definition of an intersection, and of those that share
//! two with their third in one place no edge meets the other face either. Copies with vertices of their own
//! meet edge by edge, in dozens of places each. All are the same fault, and are found by their points alone.

use cloth_geom::Topology;
use cloth_geom::exact::is_flat_fold;
use nalgebra::Point3;

use super::{IntersectError, validate};

/// The points of a face, in an order that does not depend on that of its corners.
type Place = [[u64; 3]; 3];

/// The faces that lie on another, of the same three points: `[face, first]`, where `first` is the first face
/// that is there. Ascending.
///
/// Exact; faces without area lie on none. Linear in the faces, up to sorting.
///
/// ```
/// use cloth_contacts::intersect::doubled_faces;
/// use cloth_geom::Topology;
/// use nalgebra::Point3;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
/// let topology = Topology::new(6, &[[0, 1, 2], [5, 4, 3]])?;
/// assert_eq!(doubled_faces(&[corners, corners].concat(), &topology)?, [[1, 0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`find`](super::find).
pub fn doubled_faces(
    positions: &[Point3<f64>],
    topology: &Topology,
) -> Result<Vec<[u32; 2]>, IntersectError> {
    validate(positions, topology)?;
    let mut found = Vec::new();
    let all = 0..topology.faces().len() as u32;
    DoubledFinder::default().find_into(all, positions, topology, &mut found);
    Ok(found)
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct DoubledFinder {
    /// A hash of the points of each face, which is equal for faces of the same points.
    hashed: Vec<(u64, u32)>,
    /// Faces of one hash.
    places: Vec<(Place, u32)>,
}

impl DoubledFinder {
    /// Finds the doubled ones among some faces, each named once; positions are finite, one per vertex.
    pub(super) fn find_into(
        &mut self,
        faces: impl Iterator<Item = u32>,
        positions: &[Point3<f64>],
        topology: &Topology,
        found: &mut Vec<[u32; 2]>,
    ) {
        let Self { hashed, places } = self;
        let corners = |f: u32| topology.faces()[f as usize].map(|v| &positions[v as usize]);
        hashed.clear();
        hashed.extend(faces.map(|f| (hash(corners(f)), f)));
        hashed.sort_unstable();
        for alike in hashed.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            places.clear();
            places.extend(alike.iter().map(|&(_, f)| (place(corners(f)), f)));
            places.sort_unstable();
            for same in places.chunk_by(|a, b| a.0 == b.0) {
                let first = same[0].1;
                if has_area(corners(first)) {
                    found.extend(same[1..].iter().map(|&(_, face)| [face, first]));
                }
            }
        }
        found.sort_unstable();
    }
}

/// Whether the corners are not on one line, exactly.
pub(super) fn has_area([a, b, c]: [&Point3<f64>; 3]) -> bool {
    is_flat_fold([a, b], c, c)
}

/// Equal bits for equal points: adding zero makes the two zeros one.
fn bits(p: &Point3<f64>) -> [u64; 3] {
    [p.x, p.y, p.z].map(|c| (c + 0.0).to_bits())
}

fn place(corners: [&Point3<f64>; 3]) -> Place {
    let mut place = corners.map(bits);
    place.sort_unstable();
    place
}

/// A sum over the corners, so that their order does not matter.
fn hash(corners: [&Point3<f64>; 3]) -> u64 {
    /// The golden ratio in 64 bits, as in splitmix64.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = |h: u64, bits: u64| {
        let h = (h ^ bits).wrapping_mul(MIX);
        h ^ h >> 32
    };
    corners.iter().fold(0, |sum, p| sum.wrapping_add(bits(p).into_iter().fold(MIX, mixed)))
}
