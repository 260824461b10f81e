//! A pointer that holds a few vertices and pulls with limited force.
//!
//! Each vertex hangs on a spring whose target follows the pointer. A target is never farther from its vertex
//! than the spring needs for the full force, so that a fast hand pulls no harder than a slow one. Springs are
//! projected before contacts and the gate, as all constraints are: cloth that is pulled is as safe as any
//! other.

use cloth_geom::sorted_unique;
use cloth_solver::{Attachment, BuildError, ClothId, Simulation, StepError};
use nalgebra::{Point3, Vector3};

/// The greatest force of a hand (N): six times the weight of a square metre of cotton.
const FORCE: f32 = 10.0;
/// Stiffness of all springs together (N/m): at the full force the cloth is 0.1 m behind the pointer.
const STIFFNESS: f32 = 100.0;

/// Vertices that are held, and where they were relative to the pointer.
#[derive(Clone, Debug)]
pub(crate) struct Drag {
    held: Vec<Held>,
}

/// A vertex that is held.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// The index of its attachment.
    attachment: usize,
    /// The index of the vertex among all.
    vertex: usize,
    /// From the pointer to the vertex (m) when it was taken.
    offset: Vector3<f32>,
}

impl Drag {
    /// Holds the corners of a face of a cloth, and of all vertices next to them, at a pointer (m). Pinned
    /// vertices stay pinned. The simulation is rebuilt with the springs.
    pub(crate) fn start(
        sim: &mut Simulation,
        face: usize,
        pointer: Point3<f32>,
    ) -> Result<Option<Self>, BuildError> {
        let corners = sim.faces()[face];
        let Some((number, cloth, first)) = cloth_of(sim, corners[0]) else { return Ok(None) };
        let vertices = around(sim, corners);
        let attached = |sim: &Simulation, n: usize| {
            let cloth = sim.cloth_id(n).ok().and_then(|id| sim.scene().cloth(id));
            cloth.map_or(0, |cloth| cloth.attachments.len())
        };
        // They are numbered over all cloths, behind those that the cloth has.
        let next: usize = (0..=number).map(|n| attached(sim, n)).sum();
        let positions = sim.positions();
        let held: Vec<Held> = vertices
            .iter()
            .zip(next..)
            .map(|(&v, attachment)| {
                let vertex = v as usize;
                Held { attachment, vertex, offset: positions[vertex] - pointer }
            })
            .collect();
        let compliance = vertices.len() as f32 / STIFFNESS;
        let attachments: Vec<Attachment> = vertices
            .iter()
            .map(|&v| Attachment { vertex: v - first, target: positions[v as usize], compliance })
            .collect();
        sim.edit(|scene| {
            if let Some(cloth) = scene.cloth_mut(cloth) {
                cloth.attachments.extend(attachments);
            }
            Ok(())
        })?;
        Ok(Some(Self { held }))
    }

    /// Moves the targets to where the pointer takes them by the end of the next frame.
    pub(crate) fn pull(&self, sim: &mut Simulation, pointer: Point3<f32>) -> Result<(), StepError> {
        for held in &self.held {
            let at = sim.positions()[held.vertex];
            let way = pointer + held.offset - at;
            let most = FORCE / STIFFNESS;
            let share = (most / way.norm()).min(1.0);
            // 1 for a way of zero length.
            let target = if share < 1.0 { at + way * share } else { at + way };
            sim.move_attachment(held.attachment, target)?;
        }
        Ok(())
    }

    /// Releases the vertices. The simulation is rebuilt without the springs.
    pub(crate) fn end(self, sim: &mut Simulation) -> Result<(), BuildError> {
        let Some(first) = self.held.first() else { return Ok(()) };
        let Some((_, cloth, _)) = cloth_of(sim, first.vertex as u32) else { return Ok(()) };
        let count = self.held.len();
        sim.edit(|scene| {
            if let Some(cloth) = scene.cloth_mut(cloth) {
                cloth.attachments.truncate(cloth.attachments.len() - count);
            }
            Ok(())
        })
    }
}

/// The number and id of the cloth of a vertex, and its first vertex; none if the vertex is of a body.
fn cloth_of(sim: &Simulation, vertex: u32) -> Option<(usize, ClothId, u32)> {
    (0..sim.cloth_count()).find_map(|number| {
        let cloth = sim.cloth_id(number).ok()?;
        let vertices = sim.cloth_vertices(cloth)?;
        vertices.contains(&(vertex as usize)).then_some((number, cloth, vertices.start as u32))
    })
}

/// The corners of a face and their neighbours, ascending.
fn around(sim: &Simulation, corners: [u32; 3]) -> Vec<u32> {
    let touching = sim.faces().iter().filter(|face| face.iter().any(|v| corners.contains(v)));
    sorted_unique(touching.flatten().copied())
}

#[cfg(test)]
mod tests {
    use crate::{Choice, Playback, Ray, find};
    use nalgebra::{Point3, Vector3};

    /// The three curtains, and a ray at the middle of the first.
    fn curtains() -> (Playback, Ray) {
        let choice = Choice { size: "small".into(), ..Choice::default() };
        let playback = Playback::new(find("push").expect("a scene"), &choice).expect("a simulation");
        (playback, Ray { origin: Point3::new(0.0, 0.8, 3.0), direction: -Vector3::z() })
    }

    fn springs(playback: &Playback) -> usize {
        let sim = playback.simulation();
        let cloths = (0..sim.cloth_count()).filter_map(|n| sim.scene().cloth(sim.cloth_id(n).ok()?));
        cloths.map(|cloth| cloth.attachments.len()).sum()
    }

    #[test]
    fn a_hand_holds_a_face_and_its_neighbours_until_released() {
        let (mut playback, ray) = curtains();
        let hit = playback.pick(&ray).expect("a curtain");
        playback.grab(&hit).expect("a rebuilt simulation");
        assert!((8..=16).contains(&springs(&playback)), "{}", springs(&playback));
        playback.grab(&hit).expect("another hand");
        assert!((8..=16).contains(&springs(&playback)), "the first one is released");
        playback.release().expect("a rebuilt simulation");
        assert_eq!((springs(&playback), playback.is_held()), (0, false));
    }

    #[test]
    fn a_far_hand_pulls_no_harder_than_a_near_one() {
        let pulled = |distance: f32| {
            let (mut playback, ray) = curtains();
            let hit = playback.pick(&ray).expect("a curtain");
            playback.grab(&hit).expect("a rebuilt simulation");
            playback.drag_to(hit.point + Vector3::z() * distance);
            playback.step().expect("a step");
            playback.simulation().state_hash()
        };
        // Full force from a tenth of a metre on, whatever the distance; the direction is the same in every
        // bit.
        assert_eq!(pulled(2.0), pulled(4.0));
        assert_ne!(pulled(2.0), pulled(0.05));
    }

    #[test]
    fn a_hand_that_is_nowhere_changes_nothing() {
        let (mut playback, ray) = curtains();
        let hit = playback.pick(&ray).expect("a curtain");
        playback.grab(&hit).expect("a rebuilt simulation");
        let mut still = curtains().0;
        still.grab(&hit).expect("a rebuilt simulation");
        playback.drag_to(Point3::new(f32::NAN, 0.0, 0.0));
        assert_eq!(playback.step().expect("a step").substeps, playback.simulation().settings().substeps);
        still.step().expect("a step");
        assert_eq!(playback.simulation().state_hash(), still.simulation().state_hash());
        playback.drag_to(hit.point);
        playback.step().expect("a hand at the place of the cloth");
    }
}
