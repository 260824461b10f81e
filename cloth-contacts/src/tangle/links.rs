//! Which hits lie in which pairs of faces, and the other way round.

use cloth_geom::Topology;

/// A pair of faces, and the hits in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link<'a> {
    /// The lesser face first.
    pub(super) faces: [u32; 2],
    /// Ascending.
    pub(super) hits: &'a [u32],
}

/// The pairs of faces behind hits, ascending; and of each hit its pairs, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Each pair with each hit in it, ascending.
    entries: Vec<([u32; 2], u32)>,
    /// The faces of each pair.
    faces: Vec<[u32; 2]>,
    /// Where the hits of each pair begin, and where the last end.
    first_hits: Vec<u32>,
    hits: Vec<u32>,
    /// Where the pairs of each hit begin, and where the last end.
    first_links: Vec<u32>,
    links: Vec<u32>,
}

impl Links {
    /// Finds the pairs behind hits: every face on the edge of a hit forms one with the face of the hit.
    pub(super) fn find(&mut self, hits: &[[u32; 2]], topology: &Topology) {
        self.entries.clear();
        for (hit, &[e, f]) in hits.iter().enumerate() {
            let others = topology.edge_faces(e as usize).iter().filter(|&&g| g != f);
            self.entries.extend(others.map(|&g| ([g.min(f), g.max(f)], hit as u32)));
        }
        self.entries.sort_unstable();
        self.faces.clear();
        self.first_hits.clear();
        self.hits.clear();
        for &(faces, hit) in &self.entries {
            if self.faces.last() != Some(&faces) {
                self.faces.push(faces);
                self.first_hits.push(self.hits.len() as u32);
            }
            self.hits.push(hit);
        }
        self.first_hits.push(self.hits.len() as u32);
        self.invert(hits.len());
    }

    /// Lists the pairs of each of `count` hits.
    fn invert(&mut self, count: usize) {
        let Self { first_links, links, hits, .. } = self;
        first_links.clear();
        first_links.resize(count + 1, 0);
        hits.iter().for_each(|&hit| first_links[hit as usize] += 1);
        let mut sum = 0;
        for end in first_links.iter_mut() {
            sum += *end;
            *end = sum;
        }
        links.clear();
        links.resize(hits.len(), 0);
        // From the last pair to the first, so that each hit's end up ascending and its end at its beginning.
        for link in (0..self.faces.len()).rev() {
            for &hit in &hits[self.first_hits[link] as usize..self.first_hits[link + 1] as usize] {
                let place = &mut first_links[hit as usize];
                *place -= 1;
                links[*place as usize] = link as u32;
            }
        }
    }

    /// Number of hits.
    pub(super) fn hit_count(&self) -> usize {
        self.first_links.len().saturating_sub(1)
    }

    /// All pairs.
    pub(super) fn all(&self) -> impl Iterator<Item = Link<'_>> {
        (0..self.faces.len() as u32).map(|link| self.link(link))
    }

    /// The pair itself.
    pub(super) fn link(&self, link: u32) -> Link<'_> {
        let link = link as usize;
        let hits = self.first_hits[link] as usize..self.first_hits[link + 1] as usize;
        Link { faces: self.faces[link], hits: &self.hits[hits] }
    }

    /// The pairs that a hit lies in.
    pub(super) fn of_hit(&self, hit: u32) -> &[u32] {
        let hit = hit as usize;
        &self.links[self.first_links[hit] as usize..self.first_links[hit + 1] as usize]
    }

    /// The hits that share a pair with this one, by that pair.
    pub(super) fn neighbours(&self, hit: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let of_link = move |&link: &u32| {
            self.link(link).hits.iter().filter(move |&&other| other != hit).map(move |&other| (link, other))
        };
        self.of_hit(hit).iter().flat_map(of_link)
    }
}
