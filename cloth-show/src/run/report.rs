//! The figures of a run, and its JSON: those of every run, and what was decided about the scene.

use std::collections::BTreeMap;

use crate::check::StateCounts;
use crate::invariants;
use crate::report::{
    Certification, Contacts, CutFigures, DeepestFace, Figure, Intersections, MsPerFrame, Peak, PerFrame,
    RigidBodyFigures, RunReport, Stretch, hex,
};
use cloth_scene::build::PlacedGarment;
use cloth_scene::words::counted;
use cloth_scene::{PinEvent, PinEventKind, PinRelease};
use serde::Serialize;

use super::caches::cut_option;
use super::frames::{Record, ReleasedPairs};
use super::path::PathReport;
use super::prepared::Prepared;
use super::skin::SkinReport;
use super::vertices::{NamedVertices, VertexNames};

/// Of the JSON of a run.
pub const SCHEMA_VERSION: u32 = 5;

/// The JSON of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationReport {
    schema_version: u32,
    threads: usize,
    /// What was decided about garments and bodies, a sentence each.
    notes: Vec<String>,
    /// Whether the run came to its end, or broke: false in what is written while it goes on, every 5 s, and
    /// in what is left of one that was interrupted.
    complete: bool,
    /// Whether a signal ended the run early: figures are those of the frames until then.
    interrupted: bool,
    /// Frames of the whole run.
    planned_frames: usize,
    /// Seams: none if the scene has no stitches.
    pub(crate) seams: Option<SeamsReport>,
    /// Depth (m) of a face in a collider beyond which the run fails: `--max-depth`, or the thickness of the
    /// thinnest garment.
    max_depth_m: Figure,
    /// Crossings on the path of the substeps.
    pub(crate) path: PathReport,
    /// The frames in which the gate released cloth from a body that left it no space.
    pub(crate) released: Vec<ReleasedFrame>,
    /// What happened to the pins that have a time, in order.
    pins: Vec<PinFigures>,
    /// Of each garment that was teleported, the option of `cloth check` for caches and OBJ files of it,
    /// which cannot say where that was; GLB and USD do.
    cut_options: BTreeMap<String, String>,
    /// Cloth against the skin of a character: none without one.
    pub(crate) character: Option<SkinReport>,
    /// Of cloth that is stretched beyond use; the last of the notes.
    #[serde(skip)]
    pub overstretch: Option<String>,
    #[serde(flatten)]
    /// What every run has.
    pub run: RunReport,
    /// Figures of each frame.
    per_frame: PerFrame,
}

/// How many teleports, and events of pins, are put in words.
const NAMED: usize = 8;

/// A frame in which the gate released pairs of cloth and body.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ReleasedFrame {
    /// Its number, from 1.
    pub(crate) frame: usize,
    /// Pairs of an edge or a vertex with its counterpart, one of cloth and one of a body, over the substeps.
    pub(crate) pairs: usize,
    /// A vertex of cloth of each: by garment, in the numbers of its file, counted from 0.
    pub(crate) vertices: NamedVertices,
}

/// A timed pin that took its vertices, ended or was released.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PinFigures {
    /// The first frame, from 1, in which the pin holds, or holds no more.
    frame: usize,
    /// The start (s) of that frame.
    time_s: Figure,
    /// Its garment.
    garment: String,
    /// Its number among the pins of the garment, from 0.
    pin: usize,
    /// Its vertices, in the numbers of the garment's file, counted from 0.
    vertices: Vec<u32>,
    /// `taken`, `ended` or `released`.
    event: &'static str,
    /// How far (m) a vertex was from where it was to be, if the pin was released for that.
    distance_m: Figure,
    /// What it bore (N), the mean of a frame, if it was released for that.
    force_n: Figure,
}

impl PinFigures {
    fn new(frame: usize, event: &PinEvent, garments: &[PlacedGarment]) -> Self {
        let (kind, distance, force) = match event.kind {
            PinEventKind::Taken => ("taken", None, None),
            PinEventKind::Ended => ("ended", None, None),
            PinEventKind::Released(PinRelease::Distance(metres)) => ("released", Some(metres), None),
            PinEventKind::Released(PinRelease::Force(newtons)) => ("released", None, Some(newtons)),
        };
        Self {
            frame,
            time_s: event.time.into(),
            garment: garments.get(event.garment).map(|garment| garment.name.clone()).unwrap_or_default(),
            pin: event.pin,
            vertices: event.vertices.clone(),
            event: kind,
            distance_m: distance.into(),
            force_n: force.into(),
        }
    }

    fn in_words(&self) -> String {
        let why = match (self.distance_m.get(), self.force_n.get()) {
            (Some(metres), _) => format!(": {metres:.3} m from where it was to be"),
            (_, Some(newtons)) => format!(": it bore {newtons:.3} N"),
            _ => String::new(),
        };
        let Self { garment, pin, event, frame, .. } = self;
        let (held, time) = (self.vertices.len(), self.time_s.get().unwrap_or_default());
        let held = if held == 1 { "1 vertex".to_owned() } else { format!("{held} vertices") };
        format!("{garment}: pin {pin} of {held} {event} at {time:.3} s, before frame {frame}{why}")
    }
}

/// The seams of a run. Pairs that a closed seam joins are left out of `intersections`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SeamsReport {
    /// Stitches.
    pub(crate) declared: usize,
    /// Those that are closed in the last frame.
    pub(crate) closed: usize,
    /// How far (m) the ends of a closed stitch may be apart.
    distance_m: f64,
    /// Intersections with the pairs that closed seams join.
    pub(crate) raw_intersections: Intersections,
}

impl SimulationReport {
    /// From what was measured. There is no control: a user's scene need not prove anything.
    pub(crate) fn new(prepared: &Prepared, record: &Record) -> Self {
        let of = |pick: fn(&StateCounts) -> usize| -> Vec<u64> {
            record.counts.iter().map(|c| pick(c) as u64).collect()
        };
        let all = of(|c| c.intersections);
        let (initial, per_frame) = all.split_first().map_or((0, &[][..]), |(i, rest)| (*i, rest));
        let peak = |pick| {
            let all = of(pick);
            all.split_first().map_or(Peak::default(), |(initial, frames)| Peak::from_frames(*initial, frames))
        };
        let frames = record.ms.len();
        let mean = |sum: f64| sum / frames.max(1) as f64;
        let settings = prepared.simulation.settings();
        let cloth_faces = prepared.scene.garments.iter().map(|g| g.mesh.faces.len());
        let intersections = Intersections::from_frames(initial, per_frame);
        let mut failures = failures(record, &intersections, prepared.limits.end, settings.gate);
        let max_depth = prepared.max_depth();
        let deepest_face = record.deepest_face.map(|found| deepest_face(prepared, found));
        let depth = record.deepest_face.map_or(0.0, |found| found.depth);
        failures.extend(deepest_face.as_ref().filter(|_| depth > max_depth).map(|face| {
            format!(
                "a face is {:.2} mm deep in a collider, at most {:.2} mm expected (--max-depth): {}",
                1e3 * depth,
                1e3 * max_depth,
                place(face)
            )
        }));
        let seams = (prepared.seams.count() > 0).then(|| {
            let raw: Vec<u64> = record.raw.iter().map(|&n| n as u64).collect();
            let (start, frames) = raw.split_first().map_or((0, &[][..]), |(start, frames)| (*start, frames));
            SeamsReport {
                declared: prepared.seams.count(),
                closed: record.closed_seams,
                distance_m: prepared.seams.distance(),
                raw_intersections: Intersections::from_frames(start, frames),
            }
        });
        let run = RunReport {
            name: prepared.name.clone(),
            gate: settings.gate,
            elastic_model: settings.model.name().into(),
            self_collision: if settings.self_collision { "full" } else { "off" }.into(),
            particles: prepared.scene.garments.iter().map(|g| g.mesh.positions.len()).sum(),
            triangles: cloth_faces.sum(),
            frames,
            substeps: settings.substeps as usize,
            dt_s: prepared.scene.dt.into(),
            thickness_m: prepared.scene.thickness().into(),
            friction: prepared.scene.friction.into(),
            friction_cloth: f64::from(settings.self_friction).into(),
            intersections,
            start: record.parts[0].into(),
            end: record.parts[1].into(),
            intersecting_triangle_pairs: peak(|c| c.intersecting_triangle_pairs),
            flat_folds: peak(|c| c.flat_folds),
            certification: certification(prepared, record),
            frame_chords: Some(record.chords),
            cuts: record.cuts.clone(),
            contacts: Contacts {
                mean: mean(record.contacts.iter().sum::<usize>() as f64).into(),
                max: record.contacts.iter().copied().max().unwrap_or(0) as u64,
            },
            // A mesh of any origin does not distinguish threads from diagonals: all edges count.
            stretch: Stretch {
                p99: record.strain.map(|strain| strain.p99).into(),
                max: record.strain.map(|strain| strain.max).into(),
                diagonal_p99: None.into(),
                diagonal_max: None.into(),
            },
            deepest_penetration_m: depth.into(),
            deepest_face,
            deepest_vertex_m: record.vertex_depth.into(),
            rigid_bodies: rigid_bodies(prepared, record),
            ms_per_frame: MsPerFrame::from_frames(&record.ms),
            stage_ms: record.stage_ms.iter().map(|(&s, &ms)| (s.to_owned(), mean(ms).into())).collect(),
            state_hash: record.hashes.last().copied().map(hex).unwrap_or_default(),
            frame_hashes: record.hashes.iter().copied().map(hex).collect(),
            pass: failures.is_empty(),
            failures,
        };
        let interrupted = record.interrupted;
        let names = VertexNames::new(&prepared.scene.garments);
        let released = |r: &ReleasedPairs| ReleasedFrame {
            frame: r.frame,
            pairs: r.count,
            vertices: names.name(r.vertices.iter().copied()),
        };
        let garments = &prepared.scene.garments;
        let pins = record.pins.iter().map(|(frame, event)| PinFigures::new(*frame, event, garments));
        let tangled = initial > 0;
        let p99 = record.strain.map(|strain| strain.p99);
        let overstretch = record.overstretch.note(p99, tangled, settings, &prepared.source);
        Self {
            schema_version: SCHEMA_VERSION,
            threads: prepared.threads,
            notes: prepared.scene.notes.iter().chain(&overstretch).cloned().collect(),
            overstretch,
            complete: record.is_complete && !interrupted,
            interrupted,
            planned_frames: prepared.scene.frames,
            seams,
            max_depth_m: max_depth.into(),
            path: record.path,
            released: record.released.iter().map(released).collect(),
            pins: pins.collect(),
            cut_options: cut_options(prepared, record),
            character: prepared.scene.bodies.character().map(|c| SkinReport::new(c, &record.skin, &names)),
            run,
            per_frame: PerFrame {
                intersections: per_frame.to_vec(),
                ms: record.ms.iter().map(|&ms| ms.into()).collect(),
            },
        }
    }

    /// Says that a signal has ended the run, which had not come to its end by itself.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
        let failures = &mut self.run.failures;
        failures.retain(|failure| !failure.starts_with(GOES_ON));
        failures.insert(0, interrupted_after(self.run.frames, self.planned_frames));
    }

    /// The garments that were teleported, a sentence each; of many the first.
    pub fn cuts_in_words(&self) -> impl Iterator<Item = String> {
        let cuts = &self.run.cuts;
        let sentence = |cut: &CutFigures| {
            let name = cut.name.clone().unwrap_or_else(|| format!("garment {}", cut.cloth));
            let [metres, degrees] = [cut.metres, cut.degrees].map(|figure| figure.get().unwrap_or_default());
            format!(
                "{name}: teleported at frame {} with what it is fixed to, by {metres:.2} m and {degrees:.0} \
                 degrees",
                cut.frame
            )
        };
        let more = cuts.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| format!("{} more", counted(more, "teleport")));
        cuts.iter().take(NAMED).map(sentence).chain(more)
    }

    /// What happened to timed pins, a sentence each; of many the first.
    pub fn pins_in_words(&self) -> impl Iterator<Item = String> {
        let more = self.pins.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| format!("{} more", counted(more, "pin event")));
        self.pins.iter().take(NAMED).map(PinFigures::in_words).chain(more)
    }

    /// Where each rigid body is at the end, a sentence each.
    pub fn rigid_bodies_in_words(&self) -> impl Iterator<Item = String> {
        let length = |v: &[f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        self.run.rigid_bodies.iter().enumerate().filter_map(move |(number, body)| {
            let ([x, y, z], velocity) = (body.centre_m.last()?, body.velocity_m_s.last()?);
            let name = body.name.clone().unwrap_or_else(|| format!("rigid body {number}"));
            let nearest = body.least_distance_m.get();
            let nearest =
                nearest.map_or(String::new(), |d| format!(", least distance to cloth {:.2} mm", 1e3 * d));
            Some(format!(
                "{name}: ends at ({x:.3}, {y:.3}, {z:.3}) m with {:.3} m/s{nearest}",
                length(velocity)
            ))
        })
    }
}

/// The deepest face in the numbers of its file, and the name of the body.
pub fn deepest_face(prepared: &Prepared, found: invariants::DeepFace) -> DeepestFace {
    let mut face = DeepestFace::from(found);
    face.body = prepared.scene.bodies.name(found.collider).map(str::to_owned);
    let named = VertexNames::new(&prepared.scene.garments).name(found.corners);
    for garment in &prepared.scene.garments {
        if face.face < garment.mesh.faces.len() {
            face.vertices = named.get(&garment.name).cloned().unwrap_or_default();
            face.cloth = Some(garment.name.clone());
            break;
        }
        face.face -= garment.mesh.faces.len();
    }
    face
}

/// Whether a depth (m) is one in hundredths of a millimetre: what touches by construction has none.
pub fn is_depth(depth: f64) -> bool {
    depth >= 5e-6
}

/// Where a face was deepest, in words.
pub fn place(face: &DeepestFace) -> String {
    let vertices: Vec<String> = face.vertices.iter().map(u32::to_string).collect();
    let cloth = face.cloth.as_ref().map_or(String::new(), |cloth| format!(" of {cloth}"));
    let body = face.body.as_ref().map_or(String::new(), |body| format!(", {body}"));
    format!(
        "face {} with vertices {}{cloth} in collider {}{body}, frame {}",
        face.face,
        vertices.join(", "),
        face.collider,
        face.frame
    )
}

fn rigid_bodies(prepared: &Prepared, record: &Record) -> Vec<RigidBodyFigures> {
    let gravity = &prepared.simulation.settings().gravity;
    let scene = &prepared.scene;
    let figures = scene.desc.rigid_bodies().zip(&record.rigid).map(|((id, body), track)| RigidBodyFigures {
        name: scene.bodies.name(id).map(str::to_owned),
        ..track.figures(body, gravity)
    });
    figures.collect()
}

/// Of each garment that was teleported, what a check of its cache needs.
fn cut_options(prepared: &Prepared, record: &Record) -> BTreeMap<String, String> {
    let option = |(k, garment): (usize, &PlacedGarment)| {
        Some((garment.name.clone(), cut_option(record.cuts.iter().filter(|cut| cut.cloth == k))?))
    };
    prepared.scene.garments.iter().enumerate().filter_map(option).collect()
}

fn certification(prepared: &Prepared, record: &Record) -> Certification {
    let vertices = prepared.simulation.positions().len();
    Certification::from_frames(record.tangled_at_start as u64, &record.gated, vertices)
}

/// How the failure of a report begins that is written while the run goes on.
const GOES_ON: &str = "the run has not come to its end";

/// The failure of a run that a signal has ended.
pub(crate) fn interrupted_after(frames: usize, planned: usize) -> String {
    format!("interrupted after frame {frames} of {planned}")
}

fn failures(record: &Record, intersections: &Intersections, most: u64, gate: bool) -> Vec<String> {
    let mut failures: Vec<String> = record.broken.iter().cloned().collect();
    if !record.is_complete && !record.interrupted {
        failures.push(GOES_ON.to_owned());
    }
    let stopped_at_start = record.ms.is_empty() && record.broken.is_some();
    if intersections.last > most && !stopped_at_start {
        failures.push(format!("the last frame has {}", counted(intersections.last as usize, "intersection")));
    }
    if let Some(frame) = record.path.first_pass_through {
        let pairs = counted(record.path.pairs as usize, "pair");
        failures.push(format!(
            "cloth passed through cloth between clean frames, first before frame {frame}: {pairs} crossed in \
             total; run with --gate on"
        ));
    }
    if let Some(frame) = record.gated.iter().position(|f| gate && f.certified > 0) {
        let found = counted(record.gated[frame].certified as usize, "intersection");
        failures.push(format!("frame {} has {found} of certified pairs", frame + 1));
    }
    failures
}
