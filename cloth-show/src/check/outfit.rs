//! Garments judged together with the bodies that wear them: what `cloth check GARMENT --body BODY` finds, as
//! JSON and as a block of text.

use cloth_certify::{BodySurface, Deepest, KindCounts, PairKind};
use cloth_geom::{Topology, TriMesh, is_closed};
use cloth_io::FileError;
use cloth_scene::words::{count, counted};
use nalgebra::Vector3;
use serde::Serialize;

use super::ensemble::Ensemble;
use super::hints::BoundsReport;
use super::pass_through::PassThrough;
use super::prepare::is_many;
use super::report::{
    Line, ProblemReport, block, closing_lines, cut_frames, first_crossing_motion, frames_in_words,
    problem_reports, teleports_in_words,
};
use super::seams::SeamCounts;
use super::states::{Example, OutfitFrame, Tally, judge_states};
use super::{CheckEvent, CheckOptions, Subject};

/// Garments and bodies; for several states, the figures are those of the worst.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutfitStatesReport {
    /// Whether nothing was found with cloth in it: no state has an intersection, a flat fold or a face on
    /// another, no vertex of cloth is inside of a body, no pair crosses between states, and at most 1 % of
    /// the faces of each mesh were left out. What bodies do among themselves does not count.
    clean: bool,
    /// Whether flat folds and faces on others were allowed, and do not count.
    allow_folds: bool,
    /// Whether any number of faces was allowed to be left out.
    allow_left_out: bool,
    garments: Vec<PartReport>,
    bodies: Vec<BodyReport>,
    /// The worst of the frames; none if there is one state.
    worst_frame: Option<f64>,
    #[serde(flatten)]
    counts: OutfitCounts,
    /// Seams of the first garment in the worst frame; none unless stitches were declared.
    seams: Option<SeamCounts>,
    /// The frames that a cut leads to: the motion to them was not judged.
    cuts: Vec<f64>,
    /// Pairs that cross between the frames, summed; none if there is one state or that was not asked for.
    crossings: Option<KindCounts>,
    examples: Vec<OutfitExample>,
    notes: Vec<String>,
    /// Each frame; empty if there is one state.
    frames: Vec<OutfitFrameReport>,
    /// Pairs of triangles after which the check of the last state was stopped: its figures are lower bounds.
    stopped_after_pairs: Option<u64>,
    /// States left unchecked because of a signal, or because the check of a state was stopped.
    unchecked_states: usize,
}

/// A garment or a body.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PartReport {
    path: String,
    /// The file that moves it.
    cache: Option<String>,
    vertices: usize,
    triangles: usize,
    /// Parts of it that share no vertex.
    pieces: usize,
    /// Faces that were not checked.
    left_out_faces: usize,
    /// Bounding box (m) of the mesh as read.
    bounds: Option<BoundsReport>,
    problems: Vec<ProblemReport>,
    notes: Vec<String>,
}

/// A body.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BodyReport {
    #[serde(flatten)]
    part: PartReport,
    /// Whether its surface is closed, vertices at one place taken as one. Of an open one, inside is where the
    /// winding number is above one half.
    closed: bool,
    /// Whether its faces point inward; they are taken the other way round.
    turned: bool,
    /// Closed pieces that point the other way than the body as a whole: hollows in it, or pieces that are
    /// turned inside out, of which the inside counts as outside.
    turned_pieces: usize,
    /// Whether bodies intersect themselves in some frame. Inside is then inside of any of their parts.
    self_intersecting: bool,
}

/// Figures of one state.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OutfitCounts {
    /// Pairs of an edge and a face that share no vertex and have a point in common.
    intersections: KindCounts,
    /// Flat folds and faces that lie on others.
    folds: KindCounts,
    /// Vertices of cloth inside of a body.
    vertices_inside: usize,
    deepest_vertex: Option<DeepestReport>,
    deepest_face: Option<DeepestReport>,
    /// Share of the area of cloth that is inside of a body, 0 to 1.
    share_inside: f64,
}

/// The vertex or the face that is deepest in a body.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct DeepestReport {
    /// The garment.
    path: String,
    /// Both in short.
    #[serde(skip)]
    labels: [String; 2],
    /// The vertex or the face, in the numbers of its file.
    number: u32,
    /// The body.
    body: String,
    /// Distance (m) from the nearest face of the body.
    depth: f64,
    /// Where (m).
    position: [f64; 3],
}

/// One frame.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OutfitFrameReport {
    frame: f64,
    #[serde(flatten)]
    counts: OutfitCounts,
    /// Pairs that crossed in the motion from the previous frame; none for the first frame, after a cut, or if
    /// motion was not checked.
    crossings: Option<KindCounts>,
}

/// An intersection or a crossing, each primitive in the numbers of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OutfitExample {
    /// Both primitives, and how they meet, in words.
    text: String,
    /// The meshes that they are of, as the text names them.
    meshes: [String; 2],
}

/// Judges garments together with the bodies that wear them, in all states: intersections and crossings by
/// what they belong to, and what of cloth is inside of a body. What has one state stands still. The worst
/// state is the first of those with the most intersections with cloth and vertices inside.
///
/// # Errors
/// If there is no garment, two have different numbers of states, or as [`super::check_states`].
pub fn check_outfit(
    garments: &mut [Subject],
    bodies: &mut [Subject],
    options: &CheckOptions,
    on_event: &mut dyn FnMut(CheckEvent),
) -> Result<OutfitStatesReport, FileError> {
    if garments.is_empty() {
        return Err(FileError::new("".as_ref(), "there is no garment; name one"));
    }
    let mut ensemble = Ensemble::outfit(garments, bodies, options.weld)?;
    let tally = judge_states(&mut ensemble, options, on_event)?;
    Ok(OutfitStatesReport::new(&ensemble, tally, options))
}

/// A depth in words.
fn depth_in_words(depth: f64) -> String {
    let millimetres = 1e3 * depth;
    if millimetres < 0.005 { "less than 0.01 mm".to_owned() } else { format!("{millimetres:.2} mm") }
}

impl OutfitStatesReport {
    fn new(ensemble: &Ensemble<'_>, tally: Tally, options: &CheckOptions) -> Self {
        let worst = tally.worst.unwrap_or_default();
        let (garments, bodies) = part_reports(ensemble, &tally.outfits, &tally.bodies);
        let counts = |outfit: &OutfitFrame| OutfitCounts::new(ensemble, outfit);
        let frames = tally.frames.iter().zip(&tally.outfits).map(|(frame, outfit)| OutfitFrameReport {
            frame: frame.frame,
            counts: counts(outfit),
            crossings: outfit.crossings,
        });
        let between = tally.outfits.iter().filter_map(|outfit| outfit.crossings).reduce(|a, b| a + b);
        let mut examples: Vec<OutfitExample> =
            worst.examples.iter().map(|example| OutfitExample::of_state(ensemble, example)).collect();
        let motion = first_crossing_motion(&tally.frames);
        let of_motion = tally.between.iter().flat_map(|between| &between.examples);
        examples.extend(of_motion.map(|pair| OutfitExample::of_motion(ensemble, pair, &motion)));
        let mut report = Self {
            clean: false,
            allow_folds: options.allow_folds,
            allow_left_out: options.allow_left_out,
            worst_frame: tally.frames.get(worst.state).map(|frame| frame.frame),
            counts: tally.outfits.get(worst.state).map(counts).unwrap_or_default(),
            seams: worst.seams,
            cuts: cut_frames(&tally.frames),
            crossings: between,
            examples,
            notes: body_notes(&bodies),
            frames: frames.collect(),
            stopped_after_pairs: tally.stopped_after,
            unchecked_states: ensemble.state_count - tally.judged,
            garments,
            bodies,
        };
        let is_clean = |counts: &OutfitCounts| counts.is_clean(options.allow_folds);
        let states_clean = is_clean(&report.counts) && report.frames.iter().all(|f| is_clean(&f.counts));
        report.clean = states_clean && report.crossings_with_cloth() == 0 && report.leaves_out().is_none();
        report
    }

    /// Whether nothing was found with cloth in it.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.clean
    }

    /// Whether no signal kept a state from being judged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.unchecked_states == 0 || self.stopped_after_pairs.is_some()
    }

    /// The names of the garments, and those of the bodies.
    #[must_use]
    pub fn name(&self) -> String {
        let names = |paths: &mut dyn Iterator<Item = &String>| paths.cloned().collect::<Vec<_>>().join(", ");
        let garments = names(&mut self.garments.iter().map(|part| &part.path));
        match self.bodies.is_empty() {
            true => garments,
            false => format!("{garments} on {}", names(&mut self.bodies.iter().map(|body| &body.part.path))),
        }
    }

    fn crossings_with_cloth(&self) -> usize {
        self.crossings.map_or(0, |c| c.with_cloth())
    }

    /// The first mesh of which many faces were left out.
    fn leaves_out(&self) -> Option<&PartReport> {
        let mut parts = self.parts().filter(|_| !self.allow_left_out);
        parts.find(|part| is_many(part.left_out_faces, part.triangles))
    }

    /// The verdict in words, as the block begins: it begins with `clean` if and only if nothing was found in
    /// the states.
    #[must_use]
    pub fn verdict(&self) -> String {
        let mut found = Vec::new();
        found.extend(self.leaves_out().map(|part| {
            format!(
                "{} of {} of {} left out of the check; --allow-left-out accepts that",
                count(part.left_out_faces),
                counted(part.triangles, "face"),
                part.path
            )
        }));
        let with = self.frames.iter().filter(|frame| !frame.counts.is_clean(self.allow_folds)).count();
        let frames = self.frames.len();
        if !self.counts.is_clean(self.allow_folds) {
            let worst = self.counts.in_words(self.allow_folds, self.stopped_after_pairs.is_some());
            found.push(match self.worst_frame {
                Some(frame) if frames > 1 => format!(
                    "{} of {} not clean; the worst is frame {frame} with {worst}",
                    count(with),
                    counted(frames, "frame")
                ),
                _ => worst,
            });
        } else if self.crossings_with_cloth() > 0 {
            found.push(format!(
                "clean in {}, but not between them: {} crossed",
                counted(frames, "frame"),
                counted(self.crossings_with_cloth(), "pair")
            ));
        } else if found.is_empty() {
            found.push(match frames {
                0 => "clean".to_owned(),
                _ => format!("clean in {}{}", counted(frames, "frame"), teleports_in_words(&self.cuts)),
            });
        }
        found.join("; ")
    }

    /// A block of lines, each ended: the verdict, the figures, and the first examples, problems and notes.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = [self.part_lines(), self.figure_lines(), self.further_lines()].concat();
        block(&self.name(), &self.verdict(), lines)
    }

    fn parts(&self) -> impl Iterator<Item = &PartReport> {
        self.garments.iter().chain(self.bodies.iter().map(|body| &body.part))
    }

    /// What is judged.
    fn part_lines(&self) -> Vec<Line> {
        let garments = self.garments.iter().map(|part| ("garment".to_owned(), part.in_words()));
        let bodies = self.bodies.iter().map(|body| {
            let turned = if body.turned { ", its faces point inward" } else { "" };
            let closed = if body.closed { "closed" } else { "open" };
            ("body".to_owned(), format!("{}, {closed}{turned}", body.part.in_words()))
        });
        garments.chain(bodies).collect()
    }

    /// The figures of the worst state, and those between the frames.
    fn figure_lines(&self) -> Vec<Line> {
        let c = &self.counts;
        let mut lines: Vec<Line> = PairKind::ALL
            .iter()
            .map(|&kind| {
                let number = c.intersections.of(kind);
                let not_counted = if number > 0 && !kind.has_cloth() { ", does not count" } else { "" };
                (format!("intersections, {}", kind.in_words()), format!("{}{not_counted}", count(number)))
            })
            .collect();
        let mut line = |label: &str, value: String| lines.push((label.to_owned(), value));
        self.seams.iter().flat_map(SeamCounts::lines).for_each(|(label, value)| line(label, value));
        line("flat folds, faces on others", count(c.folds.with_cloth()));
        line("vertices inside of a body", count(c.vertices_inside));
        for (what, deepest) in [("vertex", &c.deepest_vertex), ("face", &c.deepest_face)] {
            deepest.iter().for_each(|deepest| line(&format!("deepest {what}"), deepest.in_words(what)));
        }
        line("area inside of a body", share_in_words(c.share_inside));
        if !self.frames.is_empty() {
            line("pass-through between frames", self.between());
        }
        if !self.cuts.is_empty() {
            let cuts = frames_in_words(&self.cuts);
            line("cuts", format!("{cuts}: no motion leads there, none was checked"));
        }
        lines
    }

    /// Examples, problems, what was not checked, and notes.
    fn further_lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut line = |label: &str, value: String| lines.push((label.to_owned(), value));
        self.examples.iter().for_each(|example| line("for example", example.text.clone()));
        for part in self.parts() {
            part.problems.iter().for_each(|p| line("problem", format!("{}: {}", part.path, p.in_words())));
        }
        let of_parts =
            self.parts().flat_map(|part| part.notes.iter().map(|note| format!("{}: {note}", part.path)));
        let notes: Vec<String> = self.notes.iter().cloned().chain(of_parts).collect();
        lines.extend(closing_lines(self.stopped_after_pairs, self.unchecked_states, &notes));
        lines
    }

    fn between(&self) -> String {
        match self.crossings {
            None => "not checked".to_owned(),
            Some(KindCounts { body_self: 0, body_body: 0, .. }) if self.crossings_with_cloth() == 0 => {
                "0".into()
            }
            Some(c) => {
                let bodies = c.body_self + c.body_body;
                let of_bodies = if bodies > 0 {
                    format!(", and {} of bodies, not counted", count(bodies))
                } else {
                    String::new()
                };
                format!("{} with cloth{of_bodies}", counted(self.crossings_with_cloth(), "pair"))
            }
        }
    }
}

/// The garments and the bodies, of whose surfaces this is known.
fn part_reports(
    ensemble: &Ensemble<'_>,
    outfits: &[OutfitFrame],
    surfaces: &[BodySurface],
) -> (Vec<PartReport>, Vec<BodyReport>) {
    let self_intersecting = outfits.iter().any(|outfit| outfit.intersections.body_self > 0);
    let (mut garments, mut bodies) = (Vec::new(), Vec::new());
    for number in 0..ensemble.parts.len() {
        let part = PartReport::new(ensemble, number);
        if ensemble.roles.as_ref().is_some_and(|roles| roles.is_body()[number]) {
            let surface = surfaces.iter().find(|surface| usize::from(surface.part) == number);
            let closed = surface.is_some_and(|surface| surface.is_closed);
            let turned = surface.is_some_and(|surface| surface.is_turned);
            let turned_pieces = count_turned_pieces(&ensemble.parts[number].subject.mesh);
            bodies.push(BodyReport { part, closed, turned, turned_pieces, self_intersecting });
        } else {
            garments.push(part);
        }
    }
    (garments, bodies)
}

/// How many closed pieces of a mesh point the other way than all of it.
fn count_turned_pieces(mesh: &TriMesh) -> usize {
    let Ok(topology) = Topology::of_mesh(mesh) else { return 0 };
    let components = topology.components();
    let mut pieces = vec![Vec::new(); components.count];
    mesh.faces.iter().zip(&components.of_face).for_each(|(face, piece)| pieces[*piece as usize].push(*face));
    let origin = mesh.positions.first().map_or_else(Vector3::zeros, |p| p.coords);
    let volume = |faces: &[[u32; 3]]| -> f64 {
        let part = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| mesh.positions[v as usize].coords - origin);
            a.dot(&b.cross(&c))
        };
        faces.iter().map(part).sum()
    };
    let all = volume(&mesh.faces);
    pieces.iter().filter(|faces| is_closed(faces) && volume(faces) * all < 0.0).count()
}

/// What *inside* means where a body is not closed or intersects itself, a sentence each.
fn body_notes(bodies: &[BodyReport]) -> Vec<String> {
    let mut notes = Vec::new();
    for BodyReport { part, closed, turned_pieces, self_intersecting, .. } in bodies {
        if *turned_pieces > 0 {
            notes.push(format!(
                "{}: {} of {} the other way than the rest: what is inside of it alone counts as outside; \
                 turn its faces unless it is a hollow",
                part.path,
                count(*turned_pieces),
                counted(part.pieces, "piece") + if *turned_pieces == 1 { " points" } else { " point" }
            ));
        }
        if !closed {
            notes.push(format!(
                "{} is open, or its faces disagree on their outside: inside is where its winding number is \
                 above one half, so near a hole it ends where the hole covers half of the view",
                part.path
            ));
        }
        if *self_intersecting {
            notes.push(format!(
                "{} may intersect itself: inside is inside of any of its parts, and depths are distances \
                 from the nearest face, inner ones too",
                part.path
            ));
        }
    }
    notes
}

fn share_in_words(share: f64) -> String {
    match share {
        0.0 => "0 %".to_owned(),
        share if share < 5e-5 => "less than 0.01 %".to_owned(),
        share => format!("{:.2} %", 1e2 * share),
    }
}

impl PartReport {
    fn new(ensemble: &Ensemble<'_>, number: usize) -> Self {
        let part = &ensemble.parts[number];
        let subject = &part.subject;
        let bounds = BoundsReport::of_faces(&subject.mesh.positions, &subject.mesh.faces);
        let mut notes = subject.notes.clone();
        notes.extend(subject.states_in_words());
        notes.extend(part.notes.iter().cloned());
        notes.extend(bounds.and_then(|bounds| bounds.unit_hint()));
        let has_cache = subject.states_path() != subject.path;
        Self {
            path: subject.path.display().to_string(),
            cache: has_cache.then(|| subject.states_path().display().to_string()),
            vertices: subject.mesh.positions.len(),
            triangles: subject.mesh.faces.len(),
            pieces: part.pieces,
            left_out_faces: part.left_out,
            bounds,
            problems: problem_reports(&part.problems),
            notes,
        }
    }

    fn in_words(&self) -> String {
        let Self { path, cache, vertices, triangles, pieces, .. } = self;
        let moved = cache.as_ref().map_or(String::new(), |cache| format!(" moved by {cache}"));
        let [vertices, triangles, pieces] =
            [(*vertices, "vertex"), (*triangles, "triangle"), (*pieces, "piece")].map(|(n, noun)| {
                match (n, noun) {
                    (n, "vertex") if n != 1 => format!("{} vertices", count(n)),
                    (n, noun) => counted(n, noun),
                }
            });
        format!("{path}{moved}: {vertices}, {triangles}, {pieces}")
    }
}

impl OutfitCounts {
    fn new(ensemble: &Ensemble<'_>, outfit: &OutfitFrame) -> Self {
        let mesh = &ensemble.mesh;
        let path = |part: usize| ensemble.parts[part].subject.path.display().to_string();
        let named = |deepest: &Deepest, (part, number): (usize, u32)| DeepestReport {
            path: path(part),
            labels: [part, usize::from(deepest.body)].map(|part| ensemble.label(part)),
            number,
            body: path(usize::from(deepest.body)),
            depth: deepest.depth,
            position: deepest.position,
        };
        let vertex = |d: &Deepest| named(d, ensemble.vertex(mesh.sources[d.index as usize]));
        let face = |d: &Deepest| named(d, ensemble.face(mesh.face_ids[d.index as usize]));
        Self {
            intersections: outfit.intersections,
            folds: outfit.folds,
            vertices_inside: outfit.vertices_inside,
            deepest_vertex: outfit.deepest_vertex.as_ref().map(vertex),
            deepest_face: outfit.deepest_face.as_ref().map(face),
            share_inside: outfit.share_inside,
        }
    }

    fn is_clean(&self, allow_folds: bool) -> bool {
        let folds = if allow_folds { 0 } else { self.folds.with_cloth() };
        self.intersections.with_cloth() + folds + self.vertices_inside == 0
    }

    /// What is wrong with cloth.
    fn in_words(&self, allow_folds: bool, is_partial: bool) -> String {
        let at_least = if is_partial { "at least " } else { "" };
        let kinds = PairKind::ALL.iter().filter(|kind| kind.has_cloth());
        let kinds = kinds.map(|&kind| (self.intersections.of(kind), kind)).filter(|(number, _)| *number > 0);
        let mut found: Vec<String> = kinds
            .map(|(number, kind)| {
                format!("{at_least}{} of {}", counted(number, "intersection"), kind.in_words())
            })
            .collect();
        if self.folds.with_cloth() > 0 && !allow_folds {
            found.push(format!("{} or faces on others", counted(self.folds.with_cloth(), "flat fold")));
        }
        if self.vertices_inside > 0 {
            let noun = if self.vertices_inside == 1 { "vertex" } else { "vertices" };
            found.push(format!("{} {noun} inside", count(self.vertices_inside)));
        }
        let deepest = self.deepest_face.as_ref().or(self.deepest_vertex.as_ref());
        found.extend(deepest.map(|deepest| format!("deepest {}", depth_in_words(deepest.depth))));
        found.join(", ")
    }
}

impl DeepestReport {
    fn in_words(&self, what: &str) -> String {
        let Self { labels: [cloth, body], number, depth, .. } = self;
        format!("{}: {what} {number} of {cloth} in {body}", depth_in_words(*depth))
    }
}

impl OutfitExample {
    fn of_state(ensemble: &Ensemble<'_>, example: &Example) -> Self {
        let Example { edge, face, proper } = example;
        let verb = if *proper { "crosses" } else { "touches" };
        Self::new(ensemble, Primitive::Edge(*edge), verb, Primitive::Face(*face), "")
    }

    fn of_motion(ensemble: &Ensemble<'_>, pair: &PassThrough, motion: &str) -> Self {
        let (a, b) = match *pair {
            PassThrough::VertexFace { vertex, face } => (Primitive::Vertex(vertex), Primitive::Face(face)),
            PassThrough::EdgeEdge { edges: [a, b] } => (Primitive::Edge(a), Primitive::Edge(b)),
        };
        Self::new(ensemble, a, "crosses", b, motion)
    }

    fn new(ensemble: &Ensemble<'_>, a: Primitive, verb: &str, b: Primitive, end: &str) -> Self {
        let ([a, first], [b, second]) = (a.in_words(ensemble), b.in_words(ensemble));
        Self { text: format!("{a} of {first} {verb} {b} of {second}{end}"), meshes: [first, second] }
    }
}

/// A vertex, an edge or a face in the numbers of the files one after another.
enum Primitive {
    Vertex(u32),
    Edge([u32; 2]),
    Face(u32),
}

impl Primitive {
    /// What it is in the numbers of its file, and the file.
    fn in_words(&self, ensemble: &Ensemble<'_>) -> [String; 2] {
        let (part, text) = match *self {
            Self::Vertex(v) => {
                let (part, v) = ensemble.vertex(v);
                (part, format!("vertex {v}"))
            }
            Self::Edge(ends) => {
                let [(part, a), (_, b)] = ends.map(|v| ensemble.vertex(v));
                (part, format!("edge {a}-{b}"))
            }
            Self::Face(f) => {
                let (part, f) = ensemble.face(f);
                (part, format!("face {f}"))
            }
        };
        [text, ensemble.label(part)]
    }
}
