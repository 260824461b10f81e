//! Which hits lie in which pairs of faces, and the other way round.

use cloth_geom::Topology;

/// A pair of faces, and the hits in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The lesser face first.
    pub(super) faces: [u32; 2],
    /// Ascending.
    pub(super) hits: Vec<u32>,
}

/// The pairs of faces behind hits, ascending; and of each hit its pairs, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    pub(super) links: Vec<Link>,
    pub(super) of_hit: Vec<Vec<u32>>,
}

impl Links {
    /// Every face on the edge of a hit forms a pair with the face of the hit.
    pub(super) fn new(hits: &[[u32; 2]], topology: &Topology) -> Self {
        let mut pairs: Vec<([u32; 2], u32)> = Vec::new();
        for (hit, &[e, f]) in hits.iter().enumerate() {
            let others = topology.edge_faces(e as usize).iter().filter(|&&g| g != f);
            pairs.extend(others.map(|&g| ([g.min(f), g.max(f)], hit as u32)));
        }
        pairs.sort_unstable();
        let (mut links, mut of_hit) = (Vec::<Link>::new(), vec![Vec::new(); hits.len()]);
        for (faces, hit) in pairs {
            if links.last().is_none_or(|last| last.faces != faces) {
                links.push(Link { faces, hits: Vec::new() });
            }
            of_hit[hit as usize].push(links.len() as u32 - 1);
            if let Some(last) = links.last_mut() {
                last.hits.push(hit);
            }
        }
        Self { links, of_hit }
    }

    /// The link itself.
    pub(super) fn link(&self, link: u32) -> &Link {
        &self.links[link as usize]
    }

    /// The pairs that a hit lies in.
    pub(super) fn of_hit(&self, hit: u32) -> &[u32] {
        &self.of_hit[hit as usize]
    }

    /// The hits that share a pair with this one, by that pair.
    pub(super) fn neighbours(&self, hit: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let of_link = move |&link: &u32| {
            self.link(link).hits.iter().filter(move |&&other| other != hit).map(move |&other| (link, other))
        };
        self.of_hit(hit).iter().flat_map(of_link)
    }
}
