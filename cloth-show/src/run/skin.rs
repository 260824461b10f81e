//! What is measured of cloth on a character, as whatever that collides: exact intersections with its skin,
//! and depth below it.

use crate::invariants::{SkinFaces, SkinFigures, SkinObserver};
use crate::report::Intersections;
use cloth_character::{BoneFit, FitFigures, FitReport};
use cloth_scene::build::{AnimatedCharacter, PlacedGarment};
use serde::Serialize;

use super::vertices::{NamedVertices, VertexNames};

/// A frame in which cloth intersects the skin.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SkinFrame {
    /// Its number; 0 is the start.
    frame: usize,
    /// Intersections of cloth with the skin.
    intersections: usize,
    /// The vertices of the edges and faces of cloth among them: by garment, in the numbers of its file,
    /// counted from 0.
    vertices: NamedVertices,
}

/// The figures of a run with a character.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SkinReport {
    /// As what the character collides: `proxies`, `skin` or `both`.
    pub(crate) body: String,
    /// Intersections of cloth with the skin, whether the skin is part of the simulation or not.
    pub(crate) cloth_skin: Intersections,
    /// Intersections of cloth with cloth.
    pub(crate) cloth_cloth: Intersections,
    /// Depth (m) of the deepest vertex of cloth below the skin, over all frames, and in the last.
    pub(crate) deepest_m: f64,
    pub(crate) last_deepest_m: f64,
    /// The frames with intersections of cloth with the skin.
    frames: Vec<SkinFrame>,
    /// How well the proxies fit; none without proxies.
    pub(crate) fit: Option<FitSummary>,
}

/// How well proxies fit the skin at the bind pose; lengths in mm.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FitSummary {
    #[serde(flatten)]
    pub(crate) total: SkinFit,
    /// The same of each bone.
    pub(crate) bones: Vec<BoneSummary>,
}

/// How well the proxies of one bone fit; lengths in mm.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct BoneSummary {
    pub(crate) bone: String,
    #[serde(flatten)]
    pub(crate) fit: SkinFit,
}

/// How well proxies fit their part of the skin; lengths in mm.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SkinFit {
    /// Number of proxies.
    pub(crate) proxies: usize,
    /// Share of the skin that is covered.
    pub(crate) coverage: f64,
    /// How far the proxies stand outside of the skin.
    pub(crate) mean_excess_mm: f64,
    pub(crate) max_excess_mm: f64,
    /// How far the skin stands outside of the proxies.
    pub(crate) mean_undercut_mm: f64,
    pub(crate) max_undercut_mm: f64,
}

/// An observer of garments on a character. The error is a sentence.
pub(crate) fn observer_of_garments(
    garments: &[PlacedGarment],
    character: &AnimatedCharacter,
) -> Result<SkinObserver, String> {
    let (mut faces, mut first) = (Vec::new(), 0);
    for garment in garments {
        faces.extend(garment.mesh.faces.iter().map(|face| face.map(|v| v + first)));
        first += garment.mesh.positions.len() as u32;
    }
    let skin = SkinFaces {
        vertex_count: character.positions().len(),
        colliding: character.faces(),
        all: character.body_faces(),
    };
    SkinObserver::new(faces, first as usize, skin).map_err(|e| e.to_string())
}

impl FitSummary {
    /// `scale` is metres in a unit of the report.
    fn new(report: &FitReport, scale: f64) -> Self {
        let mm = |length: f64| 1e3 * length * scale;
        let fit = |figures: &FitFigures| SkinFit {
            proxies: figures.proxies,
            coverage: figures.coverage(),
            mean_excess_mm: mm(figures.mean_excess),
            max_excess_mm: mm(figures.max_excess),
            mean_undercut_mm: mm(figures.mean_undercut),
            max_undercut_mm: mm(figures.max_undercut),
        };
        let bone = |bone: &BoneFit| BoneSummary { bone: bone.name.clone(), fit: fit(&bone.figures) };
        Self { total: fit(&report.total), bones: report.bones.iter().map(bone).collect() }
    }
}

impl SkinReport {
    /// From the figures of the start and of all frames.
    pub(crate) fn new(character: &AnimatedCharacter, figures: &[SkinFigures], names: &VertexNames) -> Self {
        let of = |pick: fn(&SkinFigures) -> usize| {
            let counts: Vec<u64> = figures.iter().map(|f| pick(f) as u64).collect();
            let (start, frames) = counts.split_first().map_or((0, &[][..]), |(start, rest)| (*start, rest));
            Intersections::from_frames(start, frames)
        };
        Self {
            body: character.body.name().to_owned(),
            cloth_skin: of(|f| f.intersections),
            cloth_cloth: of(|f| f.cloth_intersections),
            deepest_m: figures.iter().map(|f| f.depth).fold(0.0, f64::max),
            frames: figures
                .iter()
                .enumerate()
                .filter(|(_, f)| f.intersections > 0)
                .map(|(frame, f)| SkinFrame {
                    frame,
                    intersections: f.intersections,
                    vertices: names.name(f.vertices.iter().copied()),
                })
                .collect(),
            last_deepest_m: figures.last().map_or(0.0, |f| f.depth),
            fit: character.fit_report().map(|report| FitSummary::new(report, character.scale())),
        }
    }

    /// The figures in words.
    pub(crate) fn in_words(&self) -> (&'static str, String) {
        let of = |i: &Intersections| format!("start {}, worst {}, last {}", i.initial, i.max, i.last);
        let body = match self.body.as_str() {
            "both" => "proxies and skin",
            "proxies" => "the proxies",
            _ => "the skin",
        };
        let figures = format!(
            "intersections with the skin ({}), of cloth with cloth ({}), deepest below the skin {:.1} mm, at \
             the end {:.1} mm",
            of(&self.cloth_skin),
            of(&self.cloth_cloth),
            1e3 * self.deepest_m,
            1e3 * self.last_deepest_m,
        );
        (body, figures)
    }
}
