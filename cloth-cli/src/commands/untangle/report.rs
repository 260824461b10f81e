//! What `cloth untangle` found, as JSON and in words.

use std::fmt::Write;

use cloth_contacts::intersect::Checker;
use cloth_io::FileError;
use cloth_show::check::{PreparedMesh, SCHEMA_VERSION, StateCounts};
use cloth_show::program::console::{count, counted};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::report::IntersectionsByParts;
use cloth_solver::{EdgeStrain, LayerSides, RemainingContour, UntangleAttempt, Untangled};
use nalgebra::Point3;
use serde::Serialize;

use super::layers::TriedOrder;
use super::{Garment, Outfit, is_written};

/// Contours that are listed on a terminal; the JSON has all.
const MAX_CONTOURS: usize = 8;

/// What was done, as JSON. Lengths are in the unit of the input.
#[derive(Debug, Serialize)]
pub(super) struct UntangleReport {
    schema_version: u32,
    input: String,
    out: String,
    /// Whether all files OUT were written: not if no state has fewer intersections than the input.
    written: bool,
    /// Vertices and faces of all garments.
    vertices: usize,
    triangles: usize,
    /// Intersections of the cloth with itself, with other cloth and with the bodies, in the input.
    before: usize,
    /// Intersections that remain.
    after: usize,
    before_by_kind: IntersectionsByParts,
    after_by_kind: IntersectionsByParts,
    /// Edges on which two faces lie flat on each other in the end; none if a signal left no time to count.
    flat_folds: Option<usize>,
    /// Faces that lie on others in the end, which no motion parts; none as for `flat_folds`.
    doubled_faces: Option<usize>,
    /// Faces that were left out: they are no triangles, or welding made them degenerate.
    left_out_faces: usize,
    /// Whether nothing remains, and of no garment more than 1 % of the faces were left out; without what the
    /// options allow.
    pub(super) clean: bool,
    /// Steps of 1/60 s that were simulated, of all attempts.
    steps: u32,
    /// The step whose state was written, 0 for the input rounded to `f32`; none for the input itself.
    best_step: Option<u32>,
    /// The thickness of the attempt whose state was written; none for the input itself.
    thickness: Option<f64>,
    attempts: Vec<UntangleAttempt>,
    /// Wall-clock time (s), without reading and writing.
    wall_seconds: f64,
    /// The largest displacement of a vertex.
    max_displacement: f64,
    /// The change of length of edges against the input, relative to it, in the end.
    stretch: EdgeStrain,
    /// Of `--layers`: which garments lay on which side of each other in the input.
    layers: Vec<SidesReport>,
    /// Without `--layers`, where garments intersect each other in the end: an order that leaves fewer.
    better_order: Option<TriedOrder>,
    /// Of each garment, in the order of the command line.
    garments: Vec<GarmentReport>,
    /// What remains, the longest first.
    contours: Vec<ContourReport>,
    notes: Vec<String>,
    /// Whether a signal ended the work early.
    pub(super) interrupted: bool,
    /// What the bodies and garments of the run can do to each other.
    #[serde(skip)]
    has_kinds: bool,
    #[serde(skip)]
    is_default_thickness: bool,
}

/// Of two garments, vertices of either that are near the other and face the same way.
#[derive(Debug, Serialize)]
struct SidesReport {
    inner: String,
    outer: String,
    /// Vertices on the side where their layer belongs.
    right: usize,
    /// Vertices on the other side.
    wrong: usize,
    /// Whether two thirds are on the wrong side: the order is reversed, or the faces point inward.
    is_reversed: bool,
}

#[derive(Debug, Serialize)]
struct GarmentReport {
    input: String,
    out: String,
    vertices: usize,
    triangles: usize,
    flat_folds: Option<usize>,
    doubled_faces: Option<usize>,
    left_out_faces: usize,
    max_displacement: f64,
}

/// A curve along which the cloth still intersects.
#[derive(Debug, Serialize)]
struct ContourReport {
    intersections: usize,
    length: f64,
    center: [f64; 3],
    /// Whether one side of it is a body.
    with_body: bool,
    /// The garments on its sides; one if it is of a garment with itself, or with a body.
    garments: Vec<String>,
}

impl UntangleReport {
    /// Of what was found; without time only what is known already.
    pub(super) fn new(outfit: &Outfit, found: &Untangled, has_time: bool) -> Result<Self, FileError> {
        let wall_seconds = outfit.start.elapsed().as_secs_f64();
        let better_order = outfit.better_order(found);
        let garments = outfit.ranges().map(|(garment, own)| {
            GarmentReport::new(garment, &found.positions[own], has_time)
                .map_err(|e| FileError::new(&garment.input, e))
        });
        let garments: Vec<_> = garments.collect::<Result<_, _>>()?;
        let sum = |of: fn(&GarmentReport) -> usize| garments.iter().map(of).sum::<usize>();
        let flat_folds = garments.iter().map(|g| g.flat_folds).sum::<Option<usize>>();
        let doubled_faces = garments.iter().map(|g| g.doubled_faces).sum::<Option<usize>>();
        let lies_on_none = flat_folds == Some(0) && doubled_faces == Some(0);
        let args = &outfit.args;
        let is_whole = args.allow_left_out || !outfit.garments.iter().any(|g| g.sound.leaves_out_many());
        let notes = outfit.garments.iter().flat_map(|garment| {
            let of = if outfit.garments.len() > 1 { format!("{}: ", garment.name()) } else { String::new() };
            garment.notes.iter().map(move |note| format!("{of}{note}"))
        });
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            input: args.input.display().to_string(),
            out: args.out.display().to_string(),
            written: is_written(found),
            vertices: sum(|g| g.vertices),
            triangles: sum(|g| g.triangles),
            before: found.before,
            after: found.after,
            before_by_kind: found.before_by_parts.into(),
            after_by_kind: found.after_by_parts.into(),
            flat_folds,
            doubled_faces,
            left_out_faces: sum(|g| g.left_out_faces),
            clean: found.after == 0 && (args.allow_folds || lies_on_none) && is_whole,
            steps: found.steps,
            best_step: found.best_step,
            thickness: found.thickness(),
            attempts: found.attempts.clone(),
            wall_seconds,
            max_displacement: garments.iter().map(|g| g.max_displacement).fold(0.0, f64::max),
            stretch: found.after_strain,
            layers: found.layer_sides.iter().map(|sides| SidesReport::new(sides, outfit)).collect(),
            better_order,
            contours: found.contours.iter().map(|contour| ContourReport::new(contour, outfit)).collect(),
            notes: notes.collect(),
            interrupted: INTERRUPT.is_requested(),
            has_kinds: garments.len() + args.bodies.len() > 1,
            is_default_thickness: args.thickness.is_none(),
            garments,
        })
    }

    /// What keeps garments without intersections from being clean.
    fn others_in_words(&self) -> Vec<String> {
        let [flat_folds, doubled_faces] =
            [self.flat_folds, self.doubled_faces].map(Option::unwrap_or_default);
        let lying = StateCounts { flat_folds, doubled_faces, ..StateCounts::default() };
        let mut found = lying.folds_in_words(self.triangles, "`cloth check --remove-doubled`");
        if self.left_out_faces > 0 {
            let all = counted(self.triangles, "face");
            found.push(format!("{} of {all} left out (--allow-left-out)", count(self.left_out_faces)));
        }
        found
    }

    pub(super) fn text(&self) -> String {
        let left = match (self.after, self.clean) {
            (0, true) => "clean".to_owned(),
            (0, false) => self.others_in_words().join("; "),
            (after, _) => counted(after, "intersection"),
        };
        let verdict = match self.best_step {
            _ if self.before == 0 => format!("{left}; nothing was changed"),
            None => format!("{left}; no state with fewer was found, and OUT is not written"),
            Some(step) => format!("{left} after step {step}, {} before", count(self.before)),
        };
        let inputs: Vec<&str> = self.garments.iter().map(|garment| garment.input.as_str()).collect();
        let interrupted = if self.interrupted { "; interrupted" } else { "" };
        let mut text = format!("{}: {verdict}{interrupted}\n", inputs.join(", "));
        let mut line = |label: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {label:<34}{value}");
        };
        line("steps of 1/60 s", format!("{}, {:.1} s", count(self.steps as usize), self.wall_seconds));
        line("largest displacement", format!("{:.3e}", self.max_displacement));
        let EdgeStrain { p99, max } = self.stretch;
        line("change of edges", format!("p99 {:.1} %, largest {:.1} %", 100.0 * p99, 100.0 * max));
        if self.has_kinds && self.before > 0 {
            line("before", kinds_in_words(&self.before_by_kind));
            line("after", kinds_in_words(&self.after_by_kind));
        }
        for c in self.contours.iter().take(MAX_CONTOURS) {
            let [x, y, z] = c.center;
            let body = if c.with_body { " with a body" } else { "" };
            let of = if self.garments.len() > 1 {
                format!(" of {}", c.garments.join(" and "))
            } else {
                String::new()
            };
            line(
                "remains",
                format!(
                    "{}{of}{body} around ({x:.4}, {y:.4}, {z:.4}), over a length of {:.3e}",
                    counted(c.intersections, "intersection"),
                    c.length
                ),
            );
        }
        if self.contours.len() > MAX_CONTOURS {
            line("remains", format!("{} more, see --json", self.contours.len() - MAX_CONTOURS));
        }
        self.notes.iter().for_each(|note| line("note", note.clone()));
        self.layers.iter().filter(|sides| sides.is_reversed).for_each(|sides| line("note", sides.in_words()));
        self.better_order.iter().for_each(|order| line("note", order.in_words()));
        if let Some(worked) = self.thickness_in_words() {
            line("thickness", worked);
        }
        text
    }

    /// Which thickness worked; none for an input that was clean.
    fn thickness_in_words(&self) -> Option<String> {
        let first = self.attempts.first()?.thickness;
        Some(match self.thickness {
            Some(worked) if !self.is_default_thickness => format!("{worked}, as given"),
            Some(worked) if worked == first => format!("{worked:.3e}, the default"),
            Some(worked) => format!("{worked:.3e}, {} times the default of {first:.3e}", worked / first),
            None => {
                let tried: Vec<_> = self.attempts.iter().map(|a| format!("{:.3e}", a.thickness)).collect();
                format!("none of {} found fewer", tried.join(", "))
            }
        })
    }
}

fn kinds_in_words(found: &IntersectionsByParts) -> String {
    let kinds = [
        (found.cloth_with_itself, "cloth with itself"),
        (found.cloth_with_cloth, "cloth with cloth"),
        (found.cloth_with_body, "cloth with a body"),
    ];
    kinds.map(|(found, kind)| format!("{} of {kind}", count(found as usize))).join(", ")
}

impl GarmentReport {
    fn new(garment: &Garment, x: &[Point3<f64>], has_time: bool) -> Result<Self, String> {
        let sound = &garment.sound;
        let lying = has_time.then(|| lying(sound, x)).transpose()?;
        let moved = garment.mesh.positions.iter().zip(x).map(|(a, b)| (b - a).norm());
        Ok(Self {
            input: garment.input.display().to_string(),
            out: garment.out.display().to_string(),
            vertices: garment.at.len(),
            triangles: garment.triangles,
            flat_folds: lying.map(|[folds, _]| folds),
            doubled_faces: lying.map(|[_, doubled]| doubled),
            left_out_faces: sound.left_out,
            max_displacement: moved.fold(0.0, f64::max),
        })
    }
}

/// Flat folds and faces on others, without intersections.
fn lying(sound: &PreparedMesh, x: &[Point3<f64>]) -> Result<[usize; 2], String> {
    let (doubled, single) = sound.without_doubled(x, None)?;
    let topology = &single.as_ref().unwrap_or(sound).topology;
    let found = Checker::default().check(x, topology).map_err(|e| e.to_string())?;
    Ok([found.flat_folds.len(), doubled.len()])
}

impl SidesReport {
    fn new(sides: &LayerSides, outfit: &Outfit) -> Self {
        let name = |garment: usize| outfit.garments[garment].name();
        let LayerSides { inner, outer, right, wrong } = *sides;
        let is_reversed = sides.is_reversed();
        Self { inner: name(inner), outer: name(outer), right, wrong, is_reversed }
    }

    fn in_words(&self) -> String {
        let Self { inner, outer, right, wrong, .. } = self;
        format!(
            "--layers has {inner} inside of {outer}, but of {} vertices where they are near each \
             other, {} are on the other side: the order seems reversed, or their faces point inward",
            count(right + wrong),
            count(*wrong)
        )
    }
}

impl ContourReport {
    fn new(contour: &RemainingContour, outfit: &Outfit) -> Self {
        let mut garments: Vec<usize> = contour.between.into_iter().flatten().collect();
        garments.dedup();
        Self {
            intersections: contour.intersections,
            length: contour.length,
            center: contour.center.into(),
            with_body: contour.with_body,
            garments: garments.into_iter().map(|garment| outfit.garments[garment].name()).collect(),
        }
    }
}
