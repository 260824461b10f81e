//! What did not hold, as sentences with figures.

use cloth_show::invariants::RigidTrack;
use cloth_show::report::{Intersections, Peak};

use super::audited::AuditResult;
use super::observe::Frame;
use super::{ControlRun, Observation};
use crate::scenario::{Cloths, ControlKind, EndCheck, Expectations, Setup};

/// Every expectation of a scenario, and of its control if it was run, that did not hold.
/// `max_exempt_pair_substeps` says how many pair-substeps a tangle may exempt at most, if that is known.
pub(super) fn failures(
    setup: &Setup,
    main: &Observation,
    control: Option<&ControlRun>,
    max_exempt_pair_substeps: Option<u64>,
) -> Vec<String> {
    let mut failures: Vec<String> = main.error.iter().map(|e| format!("it stopped: {e}")).collect();
    // Cloth that is not kept from meeting itself may do so.
    if setup.scene.settings.self_collision {
        failures.extend(intersections(main, setup.expectations.starts_tangled));
        if setup.scene.settings.gate {
            failures.extend(certified(main));
            failures.extend(certified_chords(main));
            failures.extend((!setup.expectations.starts_tangled).then(|| in_any_frame(main)).flatten());
        }
        failures.extend(setup.expectations.clean_from.and_then(|frame| late(main, frame)));
    }
    failures.extend(axis_crossings(main));
    failures.extend(setup.wearer.as_ref().and_then(|_| releases(main)));
    failures.extend(limits(setup, main));
    failures.extend(main.sides.failures(
        &setup.cells,
        &setup.expectations.failed_cells,
        main.error.is_none(),
    ));
    failures.extend(main.audit.iter().flat_map(|seen| audit(seen, max_exempt_pair_substeps)));
    failures.extend(body_distances(setup, main));
    if main.error.is_none() {
        failures.extend(setup.expectations.rigid_bodies.iter().filter_map(|check| check(&main.rigid).err()));
        failures.extend(at_the_end(setup, &setup.expectations.at_the_end, main));
    }
    failures.extend(control.into_iter().flat_map(|control| of_control(setup, control)));
    failures
}

/// What a control did not show.
fn of_control(setup: &Setup, control: &ControlRun) -> Vec<String> {
    let ControlRun { kind, seen } = control;
    let mut failures: Vec<String> = seen.error.iter().map(|e| format!("its control stopped: {e}")).collect();
    if seen.error.is_none() {
        let found = at_the_end(setup, &setup.expectations.control_at_the_end, seen);
        failures.extend(found.into_iter().map(|failure| format!("its control: {failure}")));
    }
    failures.extend(control_proves_nothing(setup, *kind, seen));
    failures
}

/// A scene starts and ends clean, or starts tangled.
fn intersections(main: &Observation, starts_tangled: bool) -> Vec<String> {
    let found = Intersections::from_frames(main.start.intersections, &main.counts(|c| c.intersections));
    let pairs = Peak::from_frames(main.start.face_pairs, &main.counts(|c| c.face_pairs));
    let mut failures = Vec::new();
    if starts_tangled && found.initial == 0 {
        failures.push("starts without an intersection, so that there is nothing to undo".into());
    }
    if found.initial > 0 && !starts_tangled {
        failures.push(format!("starts with {}, expected none", plural(found.initial)));
    }
    if found.last > 0 {
        failures.push(format!(
            "ends with {} ({} pairs of faces), expected none; {} in the worst frame, {} of {} frames with \
             any",
            plural(found.last),
            pairs.last,
            found.max,
            found.frames_with,
            main.frames.len(),
        ));
    }
    failures
}

/// Nothing touches on a chord that is certified.
fn certified_chords(main: &Observation) -> Option<String> {
    let is_false = |(_, frame): &(usize, &Frame)| frame.step.gate.certified_chord && frame.on_chord > 0;
    let (before, frame) = main.frames.iter().enumerate().find(is_false)?;
    let (number, pairs) = (before + 1, frame.on_chord);
    Some(format!("{pairs} pairs touch on the chord to frame {number}, which is certified, expected none"))
}

/// Pairs of cloth and a body that the gate released.
fn released(main: &Observation) -> usize {
    main.frames.iter().map(|frame| frame.step.gate.released).sum()
}

/// Nothing is released from a character.
fn releases(main: &Observation) -> Option<String> {
    let released = released(main);
    (released > 0).then(|| format!("{released} releases of cloth from the character, expected none"))
}

/// No axis of a guarded collider crosses cloth, and nothing is released from one.
fn axis_crossings(main: &Observation) -> Option<String> {
    let crossings = main.axis_crossings?;
    let released = released(main);
    (crossings > 0 || released > 0).then(|| {
        format!(
            "{crossings} crossings of the axes of guarded colliders and {released} releases, expected none"
        )
    })
}

/// No face of cloth is deeper in a rigid ball than allowed.
fn body_distances(setup: &Setup, main: &Observation) -> Vec<String> {
    let Some(limit) = setup.expectations.body_distance else { return Vec::new() };
    let near = main.rigid.iter().enumerate().filter(|(_, track)| track.least_distance < limit);
    let say = |(body, track): (usize, &RigidTrack)| {
        let [found, limit] = [track.least_distance, limit].map(|d| d * 1000.0);
        format!(
            "cloth is {found:.3} mm from the surface of rigid body {body}, expected at least {limit:.3} mm"
        )
    };
    near.map(say).collect()
}

/// Certified pairs do not intersect in any frame.
fn certified(main: &Observation) -> Option<String> {
    let counts = main.counts(|c| c.certified);
    let first = counts.iter().position(|&n| n > 0)?;
    let (with, most) = (counts.iter().filter(|&&n| n > 0).count(), counts.iter().max()?);
    Some(format!(
        "{} of certified pairs in frame {first}, expected none in any; {most} in the worst frame, {with} of \
         {} frames with any",
        plural(counts[first]),
        main.frames.len(),
    ))
}

/// Cloth that starts clean is so in every frame: no scene has a body from which the gate has to release it.
fn in_any_frame(main: &Observation) -> Option<String> {
    let counts = main.counts(|c| c.intersections);
    let first = counts.iter().position(|&n| n > 0).filter(|_| main.start.intersections == 0)?;
    Some(format!(
        "{} in frame {} of {} with the gate on, expected none in any",
        plural(counts[first]),
        first + 1,
        main.frames.len()
    ))
}

/// What an audit found.
pub(super) fn audit(seen: &AuditResult, max_exempt_pair_substeps: Option<u64>) -> Vec<String> {
    let mut failures: Vec<String> = seen
        .findings
        .iter()
        .map(|f| format!("audit, frame {}, substep {}: {}", f.step + 1, f.substep, f.what))
        .collect();
    if seen.figures.failures > failures.len() as u64 {
        failures.push(format!("audit: {} failures in all", seen.figures.failures));
    }
    let exempt = seen.figures.exempt_pair_substeps;
    if let Some(most) = max_exempt_pair_substeps.filter(|&most| exempt > most) {
        failures.push(format!("audit: exempt pair-substeps rose from {most} to {exempt}"));
    }
    failures
}

/// What is wrong with a scene that has to be clean from the frame `from` on.
fn late(main: &Observation, from: usize) -> Option<String> {
    let counts = main.counts(|c| c.intersections);
    let last = counts.iter().rposition(|&n| n > 0).filter(|&frame| frame >= from)?;
    let with = counts[from..].iter().filter(|&&n| n > 0).count();
    Some(format!(
        "{with} frames have intersections from frame {from} on, where none may; the last is frame {last}"
    ))
}

fn plural(count: u64) -> String {
    if count == 1 { "1 intersection".into() } else { format!("{count} intersections") }
}

fn limits(setup: &Setup, main: &Observation) -> Vec<String> {
    let worst = main.worst();
    let mut failures = Vec::new();
    if let Some(limit) = setup.stretch_limit() {
        let found = worst.threads.map(|strain| strain.p99);
        if found.is_none_or(|found| exceeds(found, limit)) {
            let found = found.map_or("an amount that was not measured".into(), percent);
            failures.push(format!(
                "its threads stretch by {found} (p99 of the worst frame), at most {} expected",
                percent(limit)
            ));
        }
    }
    let Expectations { penetration, skin_depth, .. } = &setup.expectations;
    let depths = [
        (worst.vertex_depth, penetration, "deep in a collider"),
        (main.skin_depth(), skin_depth, "below the skin"),
    ];
    for (found, limit, place) in depths {
        if let Some(limit) = limit.filter(|&limit| exceeds(found, limit)) {
            let (found, limit) = (found * 1000.0, limit * 1000.0);
            failures.push(format!("a vertex stands {found:.2} mm {place}, at most {limit:.2} mm expected"));
        }
    }
    failures
}

/// What is not a number exceeds every limit.
fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit
}

fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
}

fn at_the_end(setup: &Setup, checks: &[EndCheck], seen: &Observation) -> Vec<String> {
    let faces = setup.scene.faces_by_cloth();
    let faces: Vec<&[[u32; 3]]> = faces.iter().map(Vec::as_slice).collect();
    let cloths = Cloths { positions: &seen.last, faces: &faces };
    checks.iter().filter_map(|check| check(&cloths).err()).collect()
}

/// What is missing of the run without the gate; its intersections are no failure either way.
pub(super) fn ungated(seen: &Observation) -> Option<String> {
    seen.error.as_ref().map(|error| format!("without the gate it stopped: {error}"))
}

/// Layers that do not get lost without their order have no need of it.
pub(super) fn without_layer_order(seen: &Observation) -> Option<String> {
    if let Some(error) = &seen.error {
        return Some(format!("without the order of its layers it stopped: {error}"));
    }
    let clean = seen.frames.iter().all(|frame| frame.counts.intersections == 0);
    clean.then(|| "its layers do not cross without their order either: the order proves nothing".into())
}

/// A control that does as well as the scenario shows that the scenario proves nothing.
fn control_proves_nothing(setup: &Setup, kind: ControlKind, control: &Observation) -> Option<String> {
    let what = match kind {
        ControlKind::NoSelfCollision => {
            let is_clean = control.counts(|c| c.intersections).iter().all(|&n| n == 0);
            is_clean.then(|| "has no intersection in any frame".into())
        }
        ControlKind::DiscreteColliders => {
            let cases = control.sides.cases(&setup.cells).unwrap_or_default();
            let held = |(_, share): &(&String, &crate::report::Share)| share.passed == share.total;
            match cases.by_case.iter().find(held) {
                Some((case, share)) => Some(format!("passes all {} cells of case {case}", share.total)),
                None => cases.by_case.is_empty().then(|| "has no cells to fail".into()),
            }
        }
        ControlKind::UnguardedColliders => {
            (control.axis_crossings.unwrap_or(0) == 0).then(|| "has no crossing of an axis".into())
        }
        ControlKind::NoColliders => {
            let [found, limit] = [control.skin_depth(), setup.expectations.skin_depth.unwrap_or(0.0)];
            let [found_mm, limit_mm] = [found, limit].map(|depth| depth * 1000.0);
            (!exceeds(found, limit))
                .then(|| format!("is {found_mm:.2} mm below the skin, within the limit of {limit_mm:.2} mm"))
        }
        ControlKind::Substeps(_) | ControlKind::UncorrectedStrain | ControlKind::SoftFabric(_) => {
            let limit = setup.stretch_limit().unwrap_or(0.0);
            let found = control.worst().threads.map(|strain| strain.p99);
            (!found.is_some_and(|found| exceeds(found, limit))).then(|| {
                let found = found.map_or("an amount that was not measured".into(), percent);
                format!("stretches by {found}, within the limit of {}", percent(limit))
            })
        }
    };
    what.map(|what| format!("its control ({}) {what}: it proves nothing", kind.name()))
}
