//! What touched on the straight path from one frame to the next, or to it from where a cut took the vertices.

use cloth_contacts::impacts::{ImpactFinder, Impacts};
use cloth_geom::Topology;
use cloth_show::choice::BroadPhaseChoice;
use nalgebra::Point3;

/// Checks the chords between the states that it receives.
pub(super) struct ChordObserver {
    finder: ImpactFinder,
    /// The state that was shown last; empty before the first.
    before: Vec<Point3<f64>>,
}

impl ChordObserver {
    pub(super) fn new(broad_phase: BroadPhaseChoice) -> Self {
        Self { finder: ImpactFinder::with_broad_phase(broad_phase.broad_phase()), before: Vec::new() }
    }

    /// Vertices are here (m), where a cut took them from the state that was shown last: the next chord begins
    /// here.
    pub(super) fn cut(&mut self, positions: &[Point3<f32>]) {
        self.before.iter_mut().zip(positions).for_each(|(before, p)| *before = p.cast());
    }

    /// The pairs that touched since the state that was shown last, and none if this is the first.
    pub(super) fn show(&mut self, positions: &[Point3<f64>], topology: &Topology) -> Result<Impacts, String> {
        let found = match &self.before[..] {
            [] => Ok(Impacts::default()),
            before => self.finder.find(before, positions, topology).map_err(|e| e.to_string()),
        };
        self.before.clear();
        self.before.extend_from_slice(positions);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::sheet;
    use nalgebra::Vector3;

    #[test]
    fn the_chord_after_a_cut_begins_where_that_took_the_vertices() {
        let lower = sheet(2, 2, [1.0, 1.0]).expect("a sheet").mesh;
        let mut mesh = lower.clone();
        mesh.append(&lower.translated(Vector3::y() * 0.1));
        let topology = Topology::of_mesh(&mesh).expect("a surface");
        let mut observer = ChordObserver::new(BroadPhaseChoice::default());
        let mut counted = |cut: bool| {
            // The sheets are half turned: on the chords they pass through each other.
            let turned: Vec<Point3<f64>> =
                mesh.positions.iter().map(|p| Point3::new(p.x, 0.1 - p.y, -p.z)).collect();
            observer.show(&mesh.positions, &topology).expect("finite");
            if cut {
                observer.cut(&turned.iter().map(|p| p.cast()).collect::<Vec<_>>());
            }
            let found = observer.show(&turned, &topology).expect("finite").count();
            observer.before.clear();
            found
        };
        assert!(counted(false) > 0);
        assert_eq!(counted(true), 0);
    }
}
