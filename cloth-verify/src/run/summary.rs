//! From what was seen to the figures of a report.

use std::collections::BTreeMap;
use std::time::Duration;

use cloth_scene::ColliderDesc;
use cloth_show::invariants::ColliderCell;
use cloth_show::report::{
    Certification, Contacts, DeepestFace, Figure, FrameChords, GatedFrame, Intersections, MsPerFrame, Peak,
    PerFrame, RigidBodyFigures, RunReport, Stretch, hex,
};
use cloth_solver::Interaction;

use super::observe::Frame;
use super::{ControlRun, Job, Observation};
use crate::report::{Audit, AxisCrossings, Control, ControlledFrames, ScenarioReport, SkinContact};
use crate::scenario::{ControlKind, NoControl, Setup};
use crate::{SelfCollision, Wearer};

/// A report that says what was run, and nothing of what was found.
pub(super) fn heading(job: &Job<'_>) -> ScenarioReport {
    ScenarioReport {
        run: RunReport { name: job.scenario.name.into(), gate: job.options.gate, ..RunReport::default() },
        size: job.size.name().into(),
        broadphase: job.options.broadphase.name().into(),
        ..ScenarioReport::default()
    }
}

/// The figures of a scenario, and of its control if it was run; the verdict is still missing.
pub(super) fn report(
    job: &Job<'_>,
    setup: &Setup,
    main: &Observation,
    control_run: Option<&ControlRun>,
) -> ScenarioReport {
    let control = control_run.map(|control| &control.seen);
    let ms: Vec<f64> = main.frames.iter().map(|f| milliseconds(f.step.times.total())).collect();
    let worst = main.worst();
    let colliders = setup.scene.colliders.iter().map(ColliderDesc::collider);
    let friction = colliders.map(|c| f64::from(c.friction)).fold(0.0, f64::max);
    let heading = heading(job);
    ScenarioReport {
        run: RunReport {
            particles: setup.scene.vertex_count(),
            triangles: setup.scene.cloths.iter().map(|c| c.mesh.faces.len()).sum(),
            frames: main.frames.len(),
            substeps: setup.scene.settings.substeps as usize,
            // Where cloth does not collide with itself there is nothing to certify.
            gate: setup.scene.settings.gate && setup.scene.settings.self_collision,
            elastic_model: setup.scene.settings.model.name().into(),
            self_collision: match setup.scene.default_interaction {
                Interaction::None => "off",
                Interaction::Particles => SelfCollision::Particles.name(),
                Interaction::FullMesh => SelfCollision::Full.name(),
            }
            .into(),
            dt_s: f64::from(setup.dt).into(),
            thickness_m: setup.scene.thinnest().map(|t| f64::from(t.total())).into(),
            friction: friction.into(),
            friction_cloth: f64::from(setup.scene.settings.self_friction).into(),
            intersections: intersections(main),
            start: main.start.parts.into(),
            end: main.frames.last().map_or(main.start, |frame| frame.counts).parts.into(),
            intersecting_triangle_pairs: Peak::from_frames(
                main.start.face_pairs,
                &main.counts(|c| c.face_pairs),
            ),
            flat_folds: Peak::from_frames(main.start.flat_folds, &main.counts(|c| c.flat_folds)),
            certification: certification(setup, main),
            cuts: main.cuts.clone(),
            frame_chords: Some(frame_chords(main)),
            contacts: contacts(main),
            stretch: Stretch {
                p99: worst.threads.map(|strain| strain.p99).into(),
                max: worst.threads.map(|strain| strain.max).into(),
                diagonal_p99: worst.diagonals.map(|strain| strain.p99).into(),
                diagonal_max: worst.diagonals.map(|strain| strain.max).into(),
            },
            deepest_penetration_m: main.deepest_face.map_or(0.0, |face| face.depth).into(),
            deepest_face: main.deepest_face.map(DeepestFace::from),
            deepest_vertex_m: worst.vertex_depth.into(),
            ms_per_frame: MsPerFrame::from_frames(&ms),
            stage_ms: stage_ms(setup, main),
            rigid_bodies: rigid_bodies(setup, main),
            state_hash: hex(main.state_hash),
            frame_hashes: main.frames.iter().map(|f| hex(f.hash)).collect(),
            ..heading.run
        },
        face_contacts: setup.scene.settings.face_contacts.name().into(),
        audit: main.audit.as_ref().map(|seen| {
            Audit::from_figures(&seen.figures, seen.steps.as_secs_f64(), job.max_exempt_pair_substeps())
        }),
        axis_crossings: main
            .axis_crossings
            .map(|run| AxisCrossings { run, control: control.and_then(|control| control.axis_crossings) }),
        skin: setup.wearer.as_ref().map(|wearer| skin_contact(wearer, main, control)),
        cases: main.sides.cases(&setup.cells),
        failed_cells: main.sides.lost(&setup.cells).map(ColliderCell::key).collect(),
        control: Control {
            absence: setup.control_kind().err().map(|NoControl(reason)| reason.into()),
            ..control_run.map(|control| of_control(setup, control)).unwrap_or_default()
        },
        per_frame: ControlledFrames {
            run: PerFrame {
                intersections: main.counts(|c| c.intersections),
                ms: ms.into_iter().map(Figure::from).collect(),
            },
            control_intersections: control
                .map_or_else(Vec::new, |control| control.counts(|c| c.intersections)),
        },
        ..heading
    }
}

fn of_control(setup: &Setup, control: &ControlRun) -> Control {
    let ControlRun { kind, seen } = control;
    let found = intersections(seen);
    Control {
        name: kind.name(),
        absence: None,
        max_intersections: found.max,
        final_intersections: found.last,
        expected_to_intersect: *kind == ControlKind::NoSelfCollision,
        stretch_p99: seen.worst().threads.map(|strain| strain.p99).into(),
        cases: seen.sides.cases(&setup.cells),
    }
}

/// The intersections over all frames.
pub(super) fn intersections(seen: &Observation) -> Intersections {
    Intersections::from_frames(seen.start.intersections, &seen.counts(|c| c.intersections))
}

fn certification(setup: &Setup, main: &Observation) -> Certification {
    let frame = |f: &Frame| GatedFrame {
        certified: f.counts.certified,
        tangled: f.counts.tangled,
        gate: f.step.gate,
        ms: [f.step.times.gate, f.step.times.total()].map(milliseconds),
    };
    let frames: Vec<GatedFrame> = main.frames.iter().map(frame).collect();
    let vertices = setup.scene.vertex_count();
    Certification::from_frames(main.start.tangled, &frames, vertices)
}

fn frame_chords(main: &Observation) -> FrameChords {
    let counts = || main.frames.iter().map(|f| f.on_chord);
    FrameChords { pairs: counts().sum(), frames_with: counts().filter(|&n| n > 0).count() as u64 }
}

fn contacts(main: &Observation) -> Contacts {
    let counts = main.frames.iter().map(|f| (f.step.contacts + f.step.particle_contacts) as u64);
    let frames = main.frames.len().max(1) as f64;
    Contacts { mean: (counts.clone().sum::<u64>() as f64 / frames).into(), max: counts.max().unwrap_or(0) }
}

fn rigid_bodies(setup: &Setup, main: &Observation) -> Vec<RigidBodyFigures> {
    let bodies = setup.scene.rigid_bodies().zip(&main.rigid);
    bodies.map(|((_, desc), track)| track.figures(desc, &setup.scene.settings.gravity)).collect()
}

/// Cloth against the skin of the wearer.
fn skin_contact(wearer: &Wearer, main: &Observation, control: Option<&Observation>) -> SkinContact {
    let counts: Vec<u64> = main.skin.iter().map(|figures| figures.intersections as u64).collect();
    let (start, frames) = counts.split_first().map_or((0, &[][..]), |(start, frames)| (*start, frames));
    SkinContact {
        body: wearer.kind().name().into(),
        cloth_skin: Intersections::from_frames(start, frames),
        deepest_m: main.skin_depth().into(),
        control_deepest_m: control.filter(|c| !c.skin.is_empty()).map(|c| c.skin_depth().into()),
        last_deepest_m: main.skin.last().map_or(0.0, |figures| figures.depth).into(),
    }
}

fn stage_ms(setup: &Setup, main: &Observation) -> BTreeMap<String, Figure> {
    let mut sums: BTreeMap<&str, Duration> = BTreeMap::new();
    for (stage, time) in main.frames.iter().flat_map(|f| f.step.times.named()) {
        *sums.entry(stage).or_default() += time;
    }
    if setup.wearer.is_some() {
        sums.insert("character", main.frames.iter().map(|f| f.character).sum());
    }
    let frames = main.frames.len().max(1) as f64;
    sums.into_iter().map(|(stage, sum)| (stage.to_owned(), (milliseconds(sum) / frames).into())).collect()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
