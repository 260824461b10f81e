//! The verdict of the start, before the first frame: what intersects, what to do about it, and a picture.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloth_show::invariants::DeepFace;
use cloth_show::program::console::{self, count, counted};
use cloth_show::program::{Failure, RunFiles};
use cloth_solver::{ByParts, IntersectionFilter, UntangleGarment, UntangleOptions, untangle_outfit};

use super::output::OutputPlan;
use super::report::{deepest_face, is_depth, place};
use super::run::Still;
use super::{Prepared, pictures};
use crate::args::SimulateArgs;

/// With more intersections of cloth with a body than this, and than this part of the edges, a garment is not
/// on its body: no run is begun that nobody has asked for.
const HOPELESS: usize = 200;
const HOPELESS_SHARE: usize = 100;

/// The most faces of two garments whose order is tried before the first frame, and the simulated time (s) of
/// a trial: about a second each.
const MAX_TRIED: usize = 20_000;
const TRIAL: f32 = 0.1;

/// What the flags say about the start and the end of a run.
pub(super) struct Limits {
    /// Intersections of cloth up to which the last frame is accepted.
    pub(super) end: u64,
    /// Those up to which there is a first frame; none: unless the start is hopeless.
    start: Option<u64>,
    /// Depth (m) of a face in a collider that is accepted.
    pub(super) depth: f64,
    /// Where the picture of the start goes if nothing else is wanted.
    pub(super) preview: Option<PathBuf>,
}

impl Limits {
    /// `thickness` (m) is that of the thinnest garment.
    pub(super) fn new(args: &SimulateArgs, thickness: f64) -> Self {
        let SimulateArgs { allow, allow_start, preview, .. } = args;
        // A preview has no frame that could untangle anything.
        let start = allow_start.or_else(|| preview.as_ref().map(|_| 0));
        let end = if preview.is_some() { start.unwrap_or_default() } else { *allow };
        Self { end, start, depth: args.max_depth.unwrap_or(thickness), preview: preview.clone() }
    }

    /// Why there is no first frame, if the start has so many intersections of cloth; `edges` are all edges of
    /// the scene.
    pub(super) fn refuse_start(&self, parts: &ByParts<usize>, edges: usize) -> Option<String> {
        let ByParts { cloth_with_itself, cloth_with_cloth, cloth_with_body, body_with_itself: _ } = *parts;
        let all = cloth_with_itself + cloth_with_cloth + cloth_with_body;
        let found = counted(all, "intersection");
        match (self.start, &self.preview) {
            (Some(most), _) if all as u64 <= most => None,
            (Some(_), Some(_)) => Some(format!("the start has {found}")),
            (Some(most), None) => {
                Some(format!("the start has {found}, more than the {most} of --allow-start"))
            }
            (None, _) if cloth_with_body <= HOPELESS.max(edges / HOPELESS_SHARE) => None,
            (None, _) => Some(format!(
                "the start has {} with a body, which a run rarely untangles: --allow-start {all} runs all \
                 the same",
                counted(cloth_with_body, "intersection")
            )),
        }
    }
}

/// The start of a run as it was observed.
pub(super) struct Start {
    pub(super) parts: ByParts<usize>,
    /// Flat folds and faces on others, in words.
    pub(super) folds: Vec<String>,
    /// The deepest face in a collider, if one is in it.
    pub(super) deepest: Option<DeepFace>,
    pub(super) still: Still,
}

impl Start {
    /// Prints the verdict of the start, and draws it at once where pictures are wanted.
    pub(super) fn report(
        &self,
        prepared: &Prepared,
        plan: &OutputPlan,
        files: &RunFiles,
    ) -> Result<(), Failure> {
        let recovers = prepared.simulation.settings().recovery;
        let order = if recovers && self.parts.cloth_with_cloth > 0 { better_order(prepared) } else { None };
        for line in in_words(&self.parts, recovers, order) {
            console::out(format!("{line}\n"));
        }
        self.folds.iter().for_each(|line| console::out(format!("  {line}\n")));
        if let Some(found) = self.deepest.filter(|found| is_depth(found.depth)) {
            let face = deepest_face(prepared, found);
            console::out(format!("  {:.2} mm deep in a collider: {}\n", 1e3 * found.depth, place(&face)));
        }
        picture(prepared.limits.preview.as_deref(), plan)
            .map_or(Ok(()), |path| self.draw(&path, prepared, plan, files))
    }

    /// Draws a hopeless start, where no picture was asked for: next to the first cache, or here.
    pub(super) fn draw_refused(
        &self,
        prepared: &Prepared,
        plan: &OutputPlan,
        files: &RunFiles,
    ) -> Result<(), Failure> {
        let wanted = picture(prepared.limits.preview.as_deref(), plan).is_some();
        if prepared.limits.start.is_some() || wanted || !cfg!(feature = "pictures") {
            return Ok(());
        }
        let name = format!("{}-start.png", prepared.name);
        self.draw(&plan.beside_caches(&name), prepared, plan, files)
    }

    fn draw(
        &self,
        path: &Path,
        prepared: &Prepared,
        plan: &OutputPlan,
        files: &RunFiles,
    ) -> Result<(), Failure> {
        pictures::write_one(path, prepared, &self.still, plan, files)?;
        console::out(format!("wrote {}: the start\n", path.display()));
        Ok(())
    }
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

    #[test]
    fn a_preview_allows_nothing_and_a_run_no_hopeless_start() {
        let limits = |start, preview: Option<&str>| Limits {
            end: 0,
            start,
            depth: 0.0,
            preview: preview.map(PathBuf::from),
        };
        let with_body = |n| ByParts { cloth_with_itself: 5, cloth_with_body: n, ..ByParts::default() };
        let refused = |limits: Limits, n, edges| limits.refuse_start(&with_body(n), edges);
        assert_eq!(refused(limits(None, None), 200, 9000), None);
        assert_eq!(refused(limits(None, None), 300, 30_000), None, "a part of a large mesh");
        let why = refused(limits(None, None), 201, 9000).unwrap();
        assert!(
            why.starts_with("the start has 201 intersections with a body, ")
                && why.contains("--allow-start 206")
        );
        assert_eq!(refused(limits(Some(206), None), 201, 9000), None);
        assert!(refused(limits(Some(205), None), 201, 9000).unwrap().contains("the 205 of --allow-start"));
        assert!(refused(limits(Some(0), Some("a.png")), 0, 9000).is_some());
    }
}
