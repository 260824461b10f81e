//! The verdict of the start, before the first frame: what intersects, what to do about it, and a picture.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloth_show::program::console::{self, count, counted};
use cloth_show::program::{Failure, RunFiles};
use cloth_show::run::{Limits, Observation, Prepared, Run, deepest_face, is_depth, place};
use cloth_solver::{ByParts, IntersectionFilter, UntangleGarment, UntangleOptions, untangle_outfit};

use super::output::OutputPlan;
use super::pictures;
use super::run::Still;
use crate::args::SimulateArgs;

/// The most faces of two garments whose order is tried before the first frame, and the simulated time (s) of
/// a trial: about a second each.
const MAX_TRIED: usize = 20_000;
const TRIAL: f32 = 0.1;

/// What the flags say about the start and the end of a run.
pub(super) fn limits(args: &SimulateArgs) -> Limits {
    let SimulateArgs { allow, allow_start, preview, max_depth, .. } = args;
    // A preview has no frame that could untangle anything.
    let start = allow_start.or_else(|| preview.as_ref().map(|_| 0));
    let end = if preview.is_some() { start.unwrap_or_default() } else { *allow };
    Limits { end, start, depth: *max_depth, only_start: preview.is_some() }
}

/// Prints the verdict of the start, and draws it at once where pictures are wanted; if it is hopeless, next
/// to the first cache, or here.
pub(super) fn report(
    run: &Run,
    seen: &Observation,
    args: &SimulateArgs,
    plan: &OutputPlan,
    files: &RunFiles,
) -> Result<(), Failure> {
    let Run { prepared, start, record, .. } = run;
    console::lines(&start.hints);
    let recovers = prepared.simulation.settings().recovery;
    let order = if recovers && seen.parts.cloth_with_cloth > 0 { better_order(prepared) } else { None };
    console::lines(in_words(&seen.parts, recovers, order));
    console::lines(start.folds.iter().map(|line| format!("  {line}")));
    if let Some(found) = start.deepest.filter(|found| is_depth(found.depth)) {
        let face = deepest_face(prepared, found);
        console::out(format!("  {:.2} mm deep in a collider: {}\n", 1e3 * found.depth, place(&face)));
    }
    let is_hopeless = record.broken.is_some() && prepared.limits.start.is_none();
    let beside = (is_hopeless && cfg!(feature = "pictures"))
        .then(|| plan.beside_caches(&format!("{}-start.png", prepared.name)));
    let Some(path) = picture(args.preview.as_deref(), plan).or(beside) else { return Ok(()) };
    pictures::write_one(&path, prepared, &Still::new(0, seen, prepared), plan, files)?;
    console::out(format!("wrote {}: the start\n", path.display()));
    Ok(())
}

/// The file of the picture of the start, if one is wanted.
pub(super) fn picture(preview: Option<&Path>, plan: &OutputPlan) -> Option<PathBuf> {
    let in_folder = || plan.pictures.as_ref().map(|(folder, _)| folder.join("start.png"));
    preview.map(Path::to_path_buf).or_else(in_folder)
}

/// Which order of layers helps the two garments without one that intersect each other most: both are tried,
/// and one is advised that leaves fewer intersections between them than none. Of two that leave as many it is
/// the one that stretches them less.
fn better_order(prepared: &Prepared) -> Option<String> {
    let Prepared { simulation, scene, .. } = prepared;
    let cloths = &scene.desc.cloths;
    let ends: Vec<usize> = (0..cloths.len())
        .map(|cloth| Some(simulation.cloth_vertices(simulation.cloth_id(cloth).ok()?)?.end))
        .collect::<Option<_>>()?;
    let topology = simulation.surface().topology();
    let mut meet: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for &[edge, face] in &simulation.intersections(IntersectionFilter::CLOTH).ok()?.edge_faces {
        let first = [topology.edges()[edge as usize][0], topology.faces()[face as usize][0]];
        let mut both = first.map(|v| ends.partition_point(|&end| end <= v as usize));
        both.sort_unstable();
        if both[0] < both[1] && both[1] < cloths.len() {
            *meet.entry(both).or_default() += 1;
        }
    }
    let (&pair, &before) = meet.iter().max_by_key(|&(_, found)| found)?;
    let [a, b] = pair.map(|cloth| &cloths[cloth]);
    if a.layer.or(b.layer).is_some() || a.mesh.faces.len() + b.mesh.faces.len() > MAX_TRIED {
        return None;
    }
    let left = |layers: [Option<u16>; 2]| {
        let garments = [(a, layers[0]), (b, layers[1])].map(|(cloth, layer)| UntangleGarment {
            mesh: &cloth.mesh,
            x: &cloth.mesh.positions,
            layer,
        });
        let options = UntangleOptions { seconds: TRIAL, ..UntangleOptions::default() };
        let found = untangle_outfit(&garments, options).ok()?;
        Some((found.after_by_parts.cloth_with_cloth, found.after_strain.p99))
    };
    let [none, in_order, reversed] = [[None, None], [Some(0), Some(1)], [Some(1), Some(0)]].map(left);
    let (none, mut tried) = (none?.0, [(in_order?, pair), (reversed?, [pair[1], pair[0]])]);
    tried.sort_by(|a, b| a.0.0.cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)));
    let [((best, stretch), [inner, outer]), (other, _)] = tried;
    let name = |cloth: usize| &scene.garments[cloth].name;
    ((best, stretch) != other && best < none).then(|| {
        format!(
            "number {} by a lower `layer` than {}: tried alone for {TRIAL} s, that leaves {} of {}, stretched by \
             {:.1} % (p99), the other order {}, by {:.1} %, and none {}",
            name(inner),
            name(outer),
            count(best),
            count(before),
            1e2 * stretch,
            count(other.0),
            1e2 * other.1,
            count(none)
        )
    })
}

/// The verdict of the start, and what to do about each kind of intersection; `recovers` is whether the
/// simulation untangles, `order` what to do about the layers of garments.
fn in_words(parts: &ByParts<usize>, recovers: bool, order: Option<String>) -> Vec<String> {
    let order = order.unwrap_or_else(|| "move a garment apart".to_owned());
    let ByParts { cloth_with_itself, cloth_with_cloth, cloth_with_body, body_with_itself } = *parts;
    let kinds = [
        (cloth_with_itself, "of cloth with itself", "`cloth check` of the mesh names the faces"),
        (cloth_with_cloth, "of cloth with cloth", order.as_str()),
        (
            cloth_with_body,
            "of cloth with a body",
            "move, turn or scale the garment until it is outside, or pose the body",
        ),
    ];
    let cloth = cloth_with_itself + cloth_with_cloth + cloth_with_body;
    let fate =
        if recovers { "untangled while it runs where possible" } else { "which stay: `recovery` is off" };
    let mut lines = match cloth {
        0 => vec!["start: no intersections".to_owned()],
        _ => vec![format!("start: {}, {fate}", counted(cloth, "intersection"))],
    };
    let found = kinds.into_iter().filter(|(found, ..)| *found > 0);
    lines.extend(found.map(|(found, what, advice)| format!("  {} {what}: {advice}", count(found))));
    if body_with_itself > 0 {
        let found = count(body_with_itself);
        lines.push(format!("  {found} of bodies with themselves or each other, which no verdict counts"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_reported_by_kind_with_advice() {
        assert_eq!(in_words(&ByParts::default(), true, None), ["start: no intersections"]);
        let parts = ByParts {
            cloth_with_itself: 3,
            cloth_with_body: 2,
            body_with_itself: 16205,
            ..ByParts::default()
        };
        let lines = in_words(&parts, false, None);
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("start: 5 intersections, which stay"), "{lines:?}");
        assert!(lines[1].contains("3 of cloth with itself: `cloth check`"), "{lines:?}");
        assert!(lines[2].contains("2 of cloth with a body"), "{lines:?}");
        assert!(lines[3].contains("16,205 of bodies"), "{lines:?}");
    }
}
