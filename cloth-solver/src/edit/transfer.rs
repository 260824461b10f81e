//! Transfer of the dynamic state from a simulation to its rebuilt successor.
//!
//! A checkpoint of the old simulation is renumbered: cloths, bodies and colliders are matched by id, vertices
//! and faces by their index within them.

use std::ops::Range;

use cloth_contacts::Contacts;
use cloth_contacts::gate::Admission;

use crate::ClothDesc;
use crate::assets::Part;
use crate::constraints::ElasticConstraints;
use crate::gate_state::GateCheckpoint;
use crate::recovery::TrackedContours;
use crate::simulation::Simulation;
use crate::state::State;

/// A cloth, body or axis that is in both scenes.
struct RetainedPart<'a> {
    old: &'a Part,
    new: &'a Part,
    /// Its descriptions, before and now; a body has none.
    descs: Option<[&'a ClothDesc; 2]>,
}

/// Copies the dynamic state of retained parts into the new simulation.
pub(super) fn transfer(new: &mut Simulation, old: &Simulation) {
    let (mut to, mut from) = (new.checkpoint(), old.checkpoint());
    from.state.wake_all();
    to.state.time = from.state.time;
    to.state.user_data.clone_from(&from.state.user_data);
    let retained = retained(new, old);
    for part in &retained {
        transfer_state(&mut to.state, &from.state, part);
        transfer_masses(&mut to.state, &from.state, part);
        transfer_controls(&mut to.state, &from.state, part, new, old);
    }
    for (to, (id, _)) in to.colliders.iter_mut().zip(new.scene.colliders.iter()) {
        if let Some(index) = old.scene.colliders.index(id) {
            *to = from.colliders[index];
        }
    }
    for (index, (id, _)) in new.scene.cloths.iter().enumerate() {
        if let Some(before) = old.scene.cloths.index(id) {
            to.state.was_cut[index] = from.state.was_cut[before];
            to.state.carried_before[index] = from.state.carried_before[before];
        }
    }
    for (index, goal) in &from.state.collider_goals {
        let id = old.scene.colliders.iter().nth(*index).map(|(id, _)| id);
        let slot = id.and_then(|id| new.scene.colliders.index(id));
        to.state.collider_goals.extend(slot.map(|slot| (slot, *goal)));
    }
    for (slot, body) in new.assets.rigid_bodies.iter().enumerate() {
        let before = old.assets.rigid_bodies.iter().position(|other| other.collider == body.collider);
        if let Some(before) = before {
            to.state.rigid[slot] = from.state.rigid[before];
        }
    }
    to.history = history(&from.history, &retained, new, old);
    to.state.sleep.inv_mass.clone_from(&to.state.inv_mass);
    let is_same = retained.len() == old.assets.parts.len() && retained.len() == new.assets.parts.len();
    if is_same && to.cached_faces.len() == from.cached_faces.len() {
        to.cached_faces = from.cached_faces;
    }
    // What was exempt may be guarded now, and new parts may intersect old ones.
    let is_guarded_alike =
        is_same && fault!(EditAdmitsNothing, new.assets.surface.guards_same_pairs(&old.assets.surface));
    to.state.tracked_contours =
        if is_guarded_alike { from.state.tracked_contours } else { TrackedContours::default() };
    // Tangles are sets of vertices: what was outside of them stays certified. A gate that was off has none.
    let kept = from.gate.filter(|_| is_same);
    to.gate = to.gate.map(|_| match kept {
        Some(gate) if is_guarded_alike => gate,
        Some(gate) => GateCheckpoint { pending: Admission::All, ..gate },
        None => GateCheckpoint::unknown(),
    });
    new.restore_checkpoint(&to);
    new.report = old.report;
    new.runtime.records_examined = old.runtime.records_examined;
    new.runtime.clock = old.runtime.clock;
    new.runtime.stage = old.runtime.stage.clone();
}

/// The parts of both scenes that have the same vertices and faces.
fn retained<'a>(new: &'a Simulation, old: &'a Simulation) -> Vec<RetainedPart<'a>> {
    let cloths = new.scene.cloths.iter().zip(&new.assets.parts).filter_map(|((id, desc), part)| {
        let index = old.scene.cloths.index(id)?;
        let before = &old.scene.cloths.items()[index];
        let same = before.mesh.faces == desc.mesh.faces;
        same.then(|| RetainedPart { old: &old.assets.parts[index], new: part, descs: Some([before, desc]) })
    });
    let bodies = new.scene.bodies.iter().zip(&new.assets.parts[new.scene.cloths.len()..]);
    let bodies = bodies.filter_map(|((id, desc), part)| {
        let index = old.scene.bodies.index(id)?;
        let same = old.scene.bodies.items()[index].mesh.faces == desc.mesh.faces;
        same.then(|| RetainedPart {
            old: &old.assets.parts[old.scene.cloths.len() + index],
            new: part,
            descs: None,
        })
    });
    let first_axis = |sim: &Simulation| sim.scene.cloths.len() + sim.scene.bodies.len();
    let axes = new.assets.axes.iter().zip(&new.assets.parts[first_axis(new)..]);
    let axes = axes.filter_map(|(axis, part)| {
        let index = old.assets.axes.iter().position(|other| other.collider == axis.collider)?;
        Some(RetainedPart { old: &old.assets.parts[first_axis(old) + index], new: part, descs: None })
    });
    cloths
        .chain(bodies)
        .chain(axes)
        .filter(|part| part.old.vertices.len() == part.new.vertices.len())
        .collect()
}

fn transfer_state(to: &mut State, from: &State, part: &RetainedPart<'_>) {
    let [new, old] = [part.new, part.old].map(|part| part.vertices.clone());
    to.x[new.clone()].copy_from_slice(&from.x[old.clone()]);
    to.v[new.clone()].copy_from_slice(&from.v[old.clone()]);
    let frames = (to.frame_velocities.get_mut(new.clone()), from.frame_velocities.get(old.clone()));
    if let (Some(to), Some(from)) = frames {
        to.copy_from_slice(from);
    }
    to.kinematic_t0[new.clone()].copy_from_slice(&from.kinematic_t0[old.clone()]);
    to.kinematic_t1[new].copy_from_slice(&from.kinematic_t1[old]);
}

/// The density (kg/m2) of each face, as far as the description says it.
fn densities(desc: &ClothDesc) -> (f32, Vec<(&[u32], f32)>) {
    let others = desc.face_materials.iter().map(|entry| (&entry.faces[..], entry.material.density));
    (desc.material.density, others.collect())
}

/// Keeps pins and masses, unless the description of the pin or the mass has changed.
fn transfer_masses(to: &mut State, from: &State, part: &RetainedPart<'_>) {
    let Some([before, now]) = part.descs else { return };
    let same_masses = (&before.masses, densities(before), &before.rest, &before.mesh)
        == (&now.masses, densities(now), &now.rest, &now.mesh);
    let (old, new) = (part.old.vertices.clone(), part.new.vertices.clone());
    let mut pins = vec![[false; 2]; new.len()];
    before.pins.iter().for_each(|&v| pins[v as usize][0] = true);
    now.pins.iter().for_each(|&v| pins[v as usize][1] = true);
    for ((to, &from), [pinned, pins]) in to.inv_mass[new].iter_mut().zip(&from.inv_mass[old]).zip(pins) {
        if pinned == pins && (same_masses || from == 0.0) {
            *to = from;
        }
    }
}

/// Copies the attachments, the drive pose and the local frame where the new description has the same.
fn transfer_controls(
    to: &mut State,
    from: &State,
    part: &RetainedPart<'_>,
    new: &Simulation,
    old: &Simulation,
) {
    let (of_new, of_old) = (attachments(&new.constraints, part.new), attachments(&old.constraints, part.old));
    if let Some([before, now]) = part.descs {
        let pairs = before.attachments.iter().zip(&now.attachments);
        let kept = pairs.take_while(|(before, now)| before == now).count();
        to.attachments[of_new][..kept].copy_from_slice(&from.attachments[of_old][..kept]);
    }
    let drive = |elastic: &ElasticConstraints, part: &Part| {
        elastic.drives.iter().position(|drive| drive.cloth() == part.vertices)
    };
    if let (Some(now), Some(before)) = (drive(&new.constraints, part.new), drive(&old.constraints, part.old))
    {
        to.drive_poses[now].clone_from(&from.drive_poses[before]);
    }
    let local_frame = |sim: &Simulation, part: &Part| {
        sim.assets.local_frames.iter().position(|c| c.vertices == part.vertices)
    };
    if let (Some(now), Some(before)) = (local_frame(new, part.new), local_frame(old, part.old)) {
        to.frame_poses[now] = from.frame_poses[before];
    }
}

/// The range of a cloth's attachments, which are contiguous.
fn attachments(elastic: &ElasticConstraints, part: &Part) -> Range<usize> {
    let all = &elastic.attachments;
    let first = all.partition_point(|a| (a.vertex as usize) < part.vertices.start);
    first..all.partition_point(|a| (a.vertex as usize) < part.vertices.end)
}

/// The contacts between retained parts, renumbered. Their order stays canonical because the order of parts
/// does.
fn history(
    old_contacts: &Contacts,
    retained: &[RetainedPart<'_>],
    new: &Simulation,
    old: &Simulation,
) -> Contacts {
    let find = |v: u32| retained.iter().find(|part| part.old.vertices.contains(&(v as usize)));
    let vertex = |v: u32| find(v).map(|p| (v as usize - p.old.vertices.start + p.new.vertices.start) as u32);
    let face = |f: u32| {
        let part = retained.iter().find(|part| part.old.faces.contains(&(f as usize)))?;
        Some((f as usize - part.old.faces.start + part.new.faces.start) as u32)
    };
    let edge = |e: u32| {
        let [a, b] = old.assets.surface.topology().edges()[e as usize];
        new.assets.surface.topology().edge_between(vertex(a)?, vertex(b)?)
    };
    let all = |v: &[u32]| v.iter().map(|&v| vertex(v)).collect::<Option<Vec<u32>>>();
    let mut contacts = Contacts::default();
    contacts.point_triangles.extend(old_contacts.point_triangles.iter().filter_map(|contact| {
        let mut moved = *contact;
        moved.vertex = vertex(contact.vertex)?;
        moved.face = face(contact.face)?;
        moved.corners.copy_from_slice(&all(&contact.corners)?);
        Some(moved)
    }));
    contacts.edge_edges.extend(old_contacts.edge_edges.iter().filter_map(|contact| {
        let mut moved = *contact;
        moved.edges = [edge(contact.edges[0])?, edge(contact.edges[1])?];
        moved.a.copy_from_slice(&all(&contact.a)?);
        moved.b.copy_from_slice(&all(&contact.b)?);
        Some(moved)
    }));
    contacts
}
