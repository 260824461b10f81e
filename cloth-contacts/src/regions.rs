//! Regions of a surface and their interactions (Lewin 2018, section 4.6).
//!
//! A region is a set of faces. A symmetric table says how two regions interact:
//!
//! ```text
//!             rest        hem        lining
//!   rest      FullMesh
//!   hem       FullMesh    None
//!   lining    Particles   None       FullMesh
//! ```
//!
//! A vertex or an edge belongs to the regions of **all** its faces; a loose edge to those of its two ends.
//! Two primitives ignore each other only if all their regions do; otherwise they interact in every way in
//! which some pair of their regions does. The border of a region is therefore guarded like the adjacent
//! region, and no cloth can slide over the border into it. An edge and a face that must not intersect have no
//! exempt pair of features: an end of the edge has the regions of the edge, a side of the face has those of
//! the face. The paper assigns a primitive to the face that owns it (section 4.5); then the order of the
//! faces would decide what happens at a border.
//!
//! A *group* is a part and a set of regions. A leaf contains primitives of one group, as does a node of eight
//! leaves, so the table is evaluated for pairs of nodes, never for pairs of primitives.

use cloth_broadphase::GroupTable;
use cloth_geom::{Topology, sorted_unique};

use crate::SurfaceError;

/// What two regions, or a region and itself, do about each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Interaction {
    /// They pass through each other.
    None,
    /// Their vertices collide as balls. Cheap, but does not see what passes between the vertices.
    Particles,
    /// Their vertices and faces, and their edges, keep apart.
    #[default]
    FullMesh,
}

/// A symmetric table of interactions between regions; pairs that were not named have the one that it began
/// with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interactions {
    others: Interaction,
    /// Sorted pairs, smaller region first.
    named: Vec<([u16; 2], Interaction)>,
}

impl Interactions {
    /// A table in which every pair of regions, and every region with itself, interacts alike.
    #[must_use]
    pub fn all(interaction: Interaction) -> Self {
        Self { others: interaction, named: Vec::new() }
    }

    /// The same table with another interaction of regions `a` and `b`, in either order. The last call for a
    /// pair is effective.
    #[must_use]
    pub fn with(mut self, a: u16, b: u16, interaction: Interaction) -> Self {
        let pair = [a.min(b), a.max(b)];
        match self.named.binary_search_by_key(&pair, |entry| entry.0) {
            Ok(place) => self.named[place].1 = interaction,
            Err(place) => self.named.insert(place, (pair, interaction)),
        }
        self
    }

    /// How two regions interact.
    #[must_use]
    pub fn between(&self, a: u16, b: u16) -> Interaction {
        let place = self.named.binary_search_by_key(&[a.min(b), a.max(b)], |entry| entry.0);
        place.map_or(self.others, |place| self.named[place].1)
    }
}

/// The regions of a surface; by default it is all of region 0, which collides with itself in full.
#[derive(Clone, Copy, Debug, Default)]
pub struct Regions<'a> {
    /// The region of each face; empty if all are of region 0.
    pub of_face: &'a [u16],
    /// The region of each vertex, for those that no face uses; empty if all are of region 0.
    pub of_vertex: &'a [u16],
    /// The table; `None` if all regions collide in full.
    pub interactions: Option<&'a Interactions>,
}

/// Groups of primitives, each a part and a set of regions, and their interactions.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    pub(crate) of_face: Vec<u16>,
    pub(crate) of_edge: Vec<u16>,
    pub(crate) of_vertex: Vec<u16>,
    /// Groups whose primitives collide.
    pub(crate) full_mesh: GroupTable,
    /// Groups whose vertices collide as balls.
    pub(crate) particles: GroupTable,
    /// Groups whose primitives the gate guards: those that collide in any way.
    pub(crate) gated: GroupTable,
    any_full_mesh: bool,
    /// Whether only bodies ignore each other and themselves.
    guards_all_cloth: bool,
    /// By group: whether its vertices collide with those of any group, itself included.
    sees_particles: Vec<bool>,
}

impl Groups {
    /// `part` has one entry per vertex, `kinematic` one per part. Two kinematic parts do not collide.
    ///
    /// # Errors
    /// If a list of regions has the wrong length, or if parts and regions form too many groups.
    pub(crate) fn new(
        topology: &Topology,
        part: &[u16],
        kinematic: &[bool],
        regions: &Regions<'_>,
    ) -> Result<Self, SurfaceError> {
        let faces = topology.faces();
        check_length("regions.of_face", regions.of_face, faces.len(), "faces")?;
        check_length("regions.of_vertex", regions.of_vertex, part.len(), "vertices")?;
        let keys = Keys { topology, part, regions };
        let by_face: Vec<Key> = (0..faces.len() as u32).map(|f| keys.of_faces(&[f])).collect();
        let by_edge: Vec<Key> = (0..topology.edges().len()).map(|e| keys.of_edge(e)).collect();
        let by_vertex: Vec<Key> = (0..part.len()).map(|v| keys.of_vertex(v)).collect();
        let mut all: Vec<&Key> = by_face.iter().chain(&by_edge).chain(&by_vertex).collect();
        // Neighbours are mostly of one group.
        all.dedup();
        all.sort_unstable();
        all.dedup();
        if all.len() > usize::from(u16::MAX) {
            return Err(SurfaceError::TooManyGroups(all.len()));
        }
        // Every key is in the list.
        let number = |key: &Key| all.partition_point(|k| *k < key) as u16;
        Ok(Self {
            of_face: by_face.iter().map(number).collect(),
            of_edge: by_edge.iter().map(number).collect(),
            of_vertex: by_vertex.iter().map(number).collect(),
            ..Self::tables(&all, kinematic, regions.interactions)
        })
    }

    /// Whether the gate guards the same primitives of two surfaces, group by group.
    pub(crate) fn guard_same_pairs(&self, other: &Self) -> bool {
        let Self { of_face, of_edge, of_vertex, gated, .. } = self;
        *of_face == other.of_face
            && *of_edge == other.of_edge
            && *of_vertex == other.of_vertex
            && *gated == other.gated
    }

    /// Whether any two primitives may collide in full.
    pub(crate) fn any_full_mesh(&self) -> bool {
        self.any_full_mesh
    }

    /// Whether the gate guards all primitives but those of two bodies.
    pub(crate) fn guards_all_cloth(&self) -> bool {
        self.guards_all_cloth
    }

    /// Whether any two vertices may collide as balls.
    pub(crate) fn any_particles(&self) -> bool {
        self.sees_particles.contains(&true)
    }

    /// For each group, whether its vertices collide as balls with those of any group.
    pub(crate) fn groups_of_particles(&self) -> &[bool] {
        &self.sees_particles
    }
}

/// A part and its regions in ascending order.
type Key = (u16, RegionSet);

/// Regions in ascending order; nearly every primitive is of one, which needs no allocation.
#[derive(Clone, Debug)]
enum RegionSet {
    One([u16; 1]),
    Several(Vec<u16>),
}

impl RegionSet {
    fn as_slice(&self) -> &[u16] {
        match self {
            Self::One(region) => region,
            Self::Several(regions) => regions,
        }
    }
}

impl PartialEq for RegionSet {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for RegionSet {}

impl PartialOrd for RegionSet {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RegionSet {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

/// Computes the keys of the groups.
struct Keys<'a> {
    topology: &'a Topology,
    part: &'a [u16],
    regions: &'a Regions<'a>,
}

impl Keys<'_> {
    /// The key of a primitive with these faces; there must be at least one.
    fn of_faces(&self, faces: &[u32]) -> Key {
        let region = |f: &u32| self.regions.of_face.get(*f as usize).copied().unwrap_or(0);
        let first = self.topology.faces()[faces[0] as usize][0];
        let of_first = region(&faces[0]);
        let regions = if faces.iter().all(|f| region(f) == of_first) {
            RegionSet::One([of_first])
        } else {
            let regions = sorted_unique(faces.iter().map(region));
            RegionSet::Several(regions)
        };
        (self.part[first as usize], regions)
    }

    /// A loose edge has the regions of its ends.
    fn of_edge(&self, e: usize) -> Key {
        match self.topology.edge_faces(e) {
            [] => self.of_loose_edge(self.topology.edges()[e].map(|v| self.of_vertex(v as usize))),
            faces => self.of_faces(faces),
        }
    }

    fn of_loose_edge(&self, [(part, a), (_, b)]: [Key; 2]) -> Key {
        if a == b {
            return (part, a);
        }
        let regions = sorted_unique([a.as_slice(), b.as_slice()].concat());
        (part, RegionSet::Several(regions))
    }

    fn of_vertex(&self, v: usize) -> Key {
        match self.topology.vertex_faces(v) {
            [] => (self.part[v], RegionSet::One([self.regions.of_vertex.get(v).copied().unwrap_or(0)])),
            faces => self.of_faces(faces),
        }
    }
}

impl Groups {
    /// The tables of all groups, without any primitive.
    fn tables(keys: &[&Key], kinematic: &[bool], interactions: Option<&Interactions>) -> Self {
        let count = keys.len() as u16;
        let all = GroupTable::all_interact(count);
        let mut tables = Self {
            of_face: Vec::new(),
            of_edge: Vec::new(),
            of_vertex: Vec::new(),
            full_mesh: all.clone(),
            particles: all.clone(),
            gated: all,
            any_full_mesh: false,
            guards_all_cloth: true,
            sees_particles: vec![false; keys.len()],
        };
        for a in 0..count {
            for b in 0..=a {
                let [(part_a, of_a), (part_b, of_b)] = [a, b].map(|group| keys[usize::from(group)]);
                let still = kinematic[usize::from(*part_a)] && kinematic[usize::from(*part_b)];
                let has = |wanted: Interaction| {
                    !still && some_pair(of_a.as_slice(), of_b.as_slice(), interactions, wanted)
                };
                let [full_mesh, particles] = [Interaction::FullMesh, Interaction::Particles].map(has);
                tables.guards_all_cloth &= still || full_mesh || particles;
                tables.enter([a, b], full_mesh, particles);
            }
        }
        tables
    }

    /// Enters how two groups interact.
    fn enter(&mut self, [a, b]: [u16; 2], full_mesh: bool, particles: bool) {
        self.any_full_mesh |= full_mesh;
        if !full_mesh {
            self.full_mesh.ignore(a, b);
        }
        if particles {
            [a, b].iter().for_each(|&group| self.sees_particles[usize::from(group)] = true);
        } else {
            self.particles.ignore(a, b);
        }
        if !full_mesh && !particles {
            self.gated.ignore(a, b);
        }
    }
}

/// Whether some region of `a` interacts in this way with some region of `b`.
fn some_pair(a: &[u16], b: &[u16], interactions: Option<&Interactions>, wanted: Interaction) -> bool {
    let between = |a: u16, b: u16| interactions.map_or(Interaction::FullMesh, |table| table.between(a, b));
    a.iter().any(|&a| b.iter().any(|&b| between(a, b) == wanted))
}

fn check_length(
    name: &'static str,
    list: &[u16],
    expected: usize,
    of: &'static str,
) -> Result<(), SurfaceError> {
    let got = list.len();
    let fits = got == 0 || got == expected;
    if fits { Ok(()) } else { Err(SurfaceError::Regions { name, got, expected, of }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Interaction::{FullMesh, None as Nothing, Particles};

    #[test]
    fn the_table_is_symmetric_and_the_last_entry_of_a_pair_counts() {
        let table =
            Interactions::all(Particles).with(3, 1, Nothing).with(2, 2, FullMesh).with(1, 3, FullMesh);
        assert_eq!([table.between(1, 3), table.between(3, 1), table.between(2, 2)], [FullMesh; 3]);
        assert_eq!([table.between(0, 0), table.between(9, 1)], [Particles; 2]);
        assert_eq!(Interactions::default().between(4, 5), FullMesh);
    }

    #[test]
    fn vertices_and_edges_have_the_regions_of_all_faces_in_any_order() {
        let table = Interactions::all(Nothing).with(1, 7, Particles).with(7, 7, FullMesh);
        let groups = |faces: [[u32; 3]; 2], of_face: [u16; 2]| {
            let topology = Topology::new(5, &faces).unwrap();
            let regions =
                Regions { of_face: &of_face, of_vertex: &[1, 1, 1, 1, 9], interactions: Some(&table) };
            let edge = topology.edges().iter().position(|&e| e == [1, 2]).unwrap();
            (Groups::new(&topology, &[0; 5], &[false], &regions).unwrap(), edge)
        };
        let (first, border) = groups([[0, 1, 2], [2, 1, 3]], [7, 1]);
        let (second, other_border) = groups([[2, 1, 3], [0, 1, 2]], [1, 7]);
        assert_eq!(first.of_vertex, second.of_vertex);
        // Regions 1, 1 and 7 together, 7, 9.
        assert_eq!(first.of_vertex, [2, 1, 1, 0, 3]);
        assert_eq!((first.of_face, second.of_face), (vec![2, 0], vec![0, 2]));
        assert_eq!((first.of_edge[border], second.of_edge[other_border]), (1, 1));
        let (full, balls, gated) = (&first.full_mesh, &first.particles, &first.gated);
        assert!(full.interact(1, 2) && full.interact(1, 1) && !full.interact(1, 0));
        assert!(balls.interact(1, 0) && balls.interact(1, 1) && !balls.interact(0, 0));
        assert!(
            gated.interact(1, 0) && gated.interact(1, 2) && !gated.interact(0, 0) && !gated.interact(1, 3)
        );
    }

    #[test]
    fn two_kinematic_parts_never_interact() {
        let topology = Topology::new(2, &[]).unwrap();
        let table = Interactions::all(Particles);
        let regions = Regions { interactions: Some(&table), ..Regions::default() };
        let groups = Groups::new(&topology, &[0, 1], &[true, true], &regions).unwrap();
        assert!(!groups.any_particles() && !groups.any_full_mesh());
        let groups = Groups::new(&topology, &[0, 1], &[true, false], &regions).unwrap();
        assert!(groups.particles.interact(0, 1) && !groups.particles.interact(0, 0));
    }

    #[test]
    fn lists_that_do_not_fit_are_refused_by_name() {
        let topology = Topology::new(3, &[[0, 1, 2]]).unwrap();
        let error = |regions: Regions<'_>| {
            Groups::new(&topology, &[0; 3], &[false], &regions).unwrap_err().to_string()
        };
        let of_face = error(Regions { of_face: &[0, 0], ..Regions::default() });
        assert_eq!(
            of_face,
            "`regions.of_face` has 2 entries, but there are 1 faces; pass one entry each, or an empty slice"
        );
        let of_vertex = error(Regions { of_vertex: &[0], ..Regions::default() });
        assert!(
            of_vertex.contains("`regions.of_vertex` has 1 entries, but there are 3 vertices"),
            "{of_vertex}"
        );
    }
}
