//! What is to be said of the start of a run besides its intersections: seams that are not joined, and folds.

use cloth_scene::build::{PlacedGarment, repair_mesh};

use super::observe::Observation;
use super::prepared::Prepared;
use crate::check::{StateCounts, UnweldedSeams};

/// Notes each garment that starts with seams that are not joined, if welding joins them.
pub(super) fn note_seams(prepared: &mut Prepared, start: &Observation) -> Vec<String> {
    let (mut first, mut hints) = (0, Vec::new());
    for garment in &prepared.scene.garments {
        let seams = unwelded_seams(prepared, start, garment, first);
        first += garment.mesh.positions.len();
        let Some(seams) = seams else { continue };
        let Ok(welded) = repair_mesh(&garment.mesh, Some(seams.distance)) else { continue };
        let welded = welded.mesh.mapped(|p| p.map(|c| f64::from(c as f32)));
        if seams.are_joined_in(&welded, garment.mesh.faces.len()) {
            let option = prepared.source.weld_option(seams.distance);
            hints.push(format!("{}: {}", garment.name, seams.hint(&option)));
        }
    }
    prepared.scene.notes.extend(hints.iter().cloned());
    hints
}

/// The seams of a garment alone, whose first vertex has this number: welding joins no others.
fn unwelded_seams(
    prepared: &Prepared,
    start: &Observation,
    garment: &PlacedGarment,
    first: usize,
) -> Option<UnweldedSeams> {
    let topology = prepared.simulation.surface().topology();
    let own = first..first + garment.mesh.positions.len();
    let has = |v: u32| own.contains(&(v as usize));
    let has_edge = |e: u32| has(topology.edges()[e as usize][0]);
    let mut found = start.found.clone();
    found.retain(|[e, f]| has_edge(e) && has(topology.faces()[f as usize][0]));
    found.flat_folds.retain(|&e| has_edge(e));
    found.doubled_faces.retain(|[f, _]| has(topology.faces()[*f as usize][0]));
    UnweldedSeams::find(&found, &start.positions, topology, &garment.mesh.face_bounds())
}

/// Names the flat folds of the start, and its faces on others.
pub(super) fn note_folds(prepared: &mut Prepared, start: &StateCounts) -> Vec<String> {
    let faces = prepared.cloth_faces().len();
    let folds = start.folds_in_words(faces, "`cloth check --remove-doubled`");
    prepared.scene.notes.extend(folds.iter().map(|fold| format!("start: {fold}")));
    folds
}
