//! Vertices of a simulation by garment, in the numbers of its file: what a report names, a user finds in a
//! modeller.

use std::collections::BTreeMap;

use cloth_scene::build::PlacedGarment;

/// Vertices by the name of their garment, ascending, in the numbers of its file, counted from 0.
pub(crate) type NamedVertices = BTreeMap<String, Vec<u32>>;

/// Finds the garment and the file's number of a vertex.
pub(crate) struct VertexNames {
    /// Of each garment its name, and of each of its vertices the first of the file that became it.
    garments: Vec<(String, Vec<u32>)>,
}

impl VertexNames {
    /// The names of the vertices of garments, which are the first of the simulation in this order.
    pub(crate) fn new(garments: &[PlacedGarment]) -> Self {
        let names = |garment: &PlacedGarment| {
            let mut numbers = vec![0; garment.mesh.positions.len()];
            // In reverse, so that of welded vertices the first remains.
            for (number, &vertex) in garment.vertex_map.iter().enumerate().rev() {
                if let Some(of_vertex) = numbers.get_mut(vertex as usize) {
                    *of_vertex = number as u32;
                }
            }
            (garment.name.clone(), numbers)
        };
        Self { garments: garments.iter().map(names).collect() }
    }

    /// Names vertices, each once. Those of no garment are left out.
    pub(crate) fn name(&self, vertices: impl IntoIterator<Item = u32>) -> NamedVertices {
        let mut named = NamedVertices::new();
        for vertex in vertices {
            let mut rest = vertex as usize;
            for (name, numbers) in &self.garments {
                if let Some(&number) = numbers.get(rest) {
                    named.entry(name.clone()).or_default().push(number);
                    break;
                }
                rest -= numbers.len();
            }
        }
        for numbers in named.values_mut() {
            numbers.sort_unstable();
            numbers.dedup();
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_have_the_numbers_of_their_files() {
        // The file of the second garment has its vertices 0 and 2 welded.
        let names =
            VertexNames { garments: vec![("shirt".into(), vec![0, 1, 2]), ("skirt".into(), vec![0, 1, 3])] };
        let named = names.name([5, 1, 5, 3, 17]);
        assert_eq!(named, BTreeMap::from([("shirt".into(), vec![1]), ("skirt".into(), vec![0, 3])]));
        assert!(names.name([]).is_empty());
    }
}
