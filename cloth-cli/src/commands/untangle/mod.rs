//! `cloth untangle`: a mesh as it stands is worked free of intersections and written, with what remains.

#[cfg_attr(not(feature = "pictures"), path = "no_picture.rs")]
mod picture;

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use cloth_contacts::intersect::Checker;
use cloth_geom::TriMesh;
use cloth_io::character::is_gltf;
use cloth_io::{FileError, ObjTemplate, is_npz, read_mesh};
use cloth_scene::remedy::{Change, Faults, RemedyJudge, Surroundings};
use cloth_show::check::{PreparedMesh, SCHEMA_VERSION, StateCounts, Subject, read_seams, welded_state};
use cloth_show::program::console::{self, Progress, count, counted};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, json};
use cloth_solver::{BuildError, UntangleError, UntangleOptions, Untangled, untangle};
use nalgebra::Point3;
use serde::Serialize;

use crate::args::UntangleArgs;
use crate::commands::meshes::{MeshOutput, check_mesh_format, has_extension, run_on_worker};
use crate::left_out::needs_pictures;

/// Contours that are listed on a terminal; the JSON has all.
const MAX_CONTOURS: usize = 8;

/// Steps a second of simulated time.
const STEPS_PER_SECOND: f64 = 60.0;

/// What was done, as JSON. Lengths are in the unit of the input.
#[derive(Debug, Serialize)]
struct UntangleReport {
    schema_version: u32,
    input: String,
    out: String,
    /// Whether `out` was written: not if no state has fewer intersections than the input.
    written: bool,
    vertices: usize,
    triangles: usize,
    /// Intersections of the cloth with itself and with the bodies, in the input.
    before: usize,
    /// Intersections that remain.
    after: usize,
    /// Edges on which two faces lie flat on each other in the end.
    flat_folds: usize,
    /// Faces that lie on others in the end, which no motion parts.
    doubled_faces: usize,
    /// Faces that were left out: they are no triangles, or welding made them degenerate.
    left_out_faces: usize,
    /// Whether nothing remains, and at most 1 % of the faces were left out; without what the options allow.
    clean: bool,
    /// Steps of 1/60 s that were simulated.
    steps: u32,
    /// The step whose state was written, 0 for the input rounded to `f32`; none for the input itself.
    best_step: Option<u32>,
    /// Wall-clock time (s), without reading and writing.
    wall_seconds: f64,
    /// The largest displacement of a vertex.
    max_displacement: f64,
    /// What remains, the longest first.
    contours: Vec<ContourReport>,
    notes: Vec<String>,
    /// Whether a signal ended the work early.
    interrupted: bool,
}

/// A curve along which the cloth still intersects.
#[derive(Debug, Serialize)]
struct ContourReport {
    intersections: usize,
    length: f64,
    center: [f64; 3],
    /// Whether one side of it is a body.
    with_body: bool,
}

/// Untangles the mesh, writes it, and prints what remains.
pub(crate) fn run(args: &UntangleArgs) -> Result<Status, Failure> {
    check_mesh_format(&args.out, "OUT")?;
    let files = files(args)?;
    let own = args.clone();
    let Work { report, positions, output, picture } =
        match run_on_worker(&args.input, move || rayon::scope(|_| work(&own))) {
            // Nothing was found within the time that a signal leaves.
            Err(error) if INTERRUPT.is_requested() => {
                console::error(error);
                return Ok(Status::Interrupted);
            }
            found => found?,
        };
    if report.written {
        files.confirm(&args.out, "OUT")?;
        output.write(&args.out, &positions)?;
    }
    if let Some((path, picture)) = args.picture.as_ref().zip(picture) {
        picture::write(path, &picture, &files)?;
    }
    console::out(report.text());
    json::write(args.json.as_deref(), &report, &files)?;
    Ok(Status::of_run(report.clean, report.interrupted))
}

/// What the run reads and writes, checked.
fn files(args: &UntangleArgs) -> Result<RunFiles, Failure> {
    args.picture.iter().try_for_each(|_| needs_pictures("--picture"))?;
    let mut files = RunFiles::default();
    files.reads(&args.input, "IN");
    files.reads_all(&args.bodies, "--body");
    files.reads_all(&args.stitches, "--stitches");
    files.writes(&args.out, "OUT");
    args.picture.iter().for_each(|path| files.writes(path, "--picture"));
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// What the run has to write.
struct Work {
    report: UntangleReport,
    /// Positions of the vertices of the file.
    positions: Vec<Point3<f64>>,
    output: MeshOutput,
    picture: Option<picture::Drawn>,
}

/// What is written of the input to the format of OUT.
fn output(args: &UntangleArgs, mesh: &TriMesh) -> Result<MeshOutput, FileError> {
    Ok(match () {
        () if !has_extension(&args.out, "obj") => MeshOutput::Faces(mesh.faces.clone()),
        () if is_gltf(&args.input) || is_npz(&args.input) => MeshOutput::Obj(ObjTemplate::from_mesh(mesh)),
        () => MeshOutput::Obj(ObjTemplate::read(&args.input)?),
    })
}

/// Untangles the mesh.
fn work(args: &UntangleArgs) -> Result<Work, FileError> {
    let refuse = |text: String| FileError::new(&args.input, text);
    let mut subject = Subject::open(&args.input, None)?;
    if subject.state_count() != 1 {
        return Err(refuse(format!("has {} states; give a mesh alone", subject.state_count())));
    }
    let at = subject.read(0)?;
    let output = output(args, &subject.mesh)?;
    let sound = PreparedMesh::new(&subject.mesh, args.weld).map_err(refuse)?;
    let mesh = TriMesh::new(sound.positions(&at), sound.topology.faces().to_vec());
    let seams = match (&args.stitches, args.seam_distance) {
        (Some(file), Some(distance)) => {
            Some(read_seams(file, distance, &sound.vertex_map, sound.sources.len())?)
        }
        _ => None,
    };
    let bodies = args.bodies.iter().map(|path| {
        let body = read_mesh(path)?.mesh;
        let sound = PreparedMesh::new(&body, None).map_err(|text| FileError::new(path, text))?;
        Ok(TriMesh::new(sound.positions(&body.positions), sound.topology.faces().to_vec()))
    });
    let bodies = bodies.collect::<Result<Vec<_>, FileError>>()?;
    let start = Instant::now();
    let steps = (args.seconds * STEPS_PER_SECOND).ceil() as usize;
    let mut progress = Progress::start(format!("untangle {}", args.input.display()), "step", steps);
    let found = untangle(
        &mesh,
        &mesh.positions,
        UntangleOptions {
            seconds: args.seconds as f32,
            bodies: &bodies,
            thickness: args.thickness,
            gate: args.gate.is_on(),
            seams: seams.as_ref(),
            on_step: Some(&mut |step| {
                progress.done(step.step as usize);
                if INTERRUPT.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }),
        },
    );
    drop(progress);
    let is_joined = || is_joined_by_welding(&subject.mesh, &mesh);
    let found = found.map_err(|error| refuse(in_words(&error, is_joined)))?;
    let lying = lying(&sound, &found.positions).map_err(refuse)?;
    let is_whole = args.allow_left_out || !sound.leaves_out_many();
    let moved = mesh.positions.iter().zip(&found.positions).map(|(a, b)| (b - a).norm());
    let rounding = has_extension(&args.out, "stl").then(|| {
        "OUT is STL, which rounds positions to `f32` and joins equal ones: check it again".to_owned()
    });
    let report = UntangleReport {
        schema_version: SCHEMA_VERSION,
        input: args.input.display().to_string(),
        out: args.out.display().to_string(),
        written: found.after == 0 || found.best_step.is_some(),
        vertices: at.len(),
        triangles: subject.mesh.faces.len(),
        before: found.before,
        after: found.after,
        flat_folds: lying.flat_folds,
        doubled_faces: lying.doubled_faces,
        left_out_faces: sound.left_out,
        clean: found.after == 0 && (args.allow_folds || lying.is_clean()) && is_whole,
        steps: found.steps,
        best_step: found.best_step,
        wall_seconds: start.elapsed().as_secs_f64(),
        max_displacement: moved.fold(0.0, f64::max),
        contours: contours(&found),
        notes: subject.notes.iter().chain(&sound.notes).cloned().chain(rounding).collect(),
        interrupted: INTERRUPT.is_requested(),
    };
    let draw = |_: &PathBuf| picture::draw(&mesh, &found.positions, &bodies, seams.as_ref());
    let picture = args.picture.as_ref().map(draw);
    // As they are where nothing was moved, welded vertices too.
    let place = |(old, new): (&Point3<f64>, &Option<u32>)| new.map_or(*old, |v| found.positions[v as usize]);
    let positions = match found.best_step {
        Some(_) => at.iter().zip(&sound.vertex_map).map(place).collect(),
        None => at,
    };
    Ok(Work { report, positions, output, picture })
}

/// The flat folds of a state of a mesh, and its faces on others, without its intersections.
fn lying(sound: &PreparedMesh, positions: &[Point3<f64>]) -> Result<StateCounts, String> {
    let (doubled, single) = sound.without_doubled(positions, None)?;
    let topology = &single.as_ref().unwrap_or(sound).topology;
    let found = Checker::default().check(positions, topology).map_err(|e| e.to_string())?;
    let (flat_folds, doubled_faces) = (found.flat_folds.len(), doubled.len());
    Ok(StateCounts { flat_folds, doubled_faces, ..StateCounts::default() })
}

fn contours(found: &Untangled) -> Vec<ContourReport> {
    let report = |c: &cloth_solver::RemainingContour| ContourReport {
        intersections: c.intersections,
        length: c.length,
        center: c.center.into(),
        with_body: c.with_body,
    };
    found.contours.iter().map(report).collect()
}

/// An error in the words of the command line.
fn in_words(error: &UntangleError, is_joined_by_welding: impl Fn() -> bool) -> String {
    match error {
        UntangleError::Build(BuildError::CoincidentBorders { vertices, .. }) => format!(
            "{} vertices of its border lie exactly on others, as in panels that are not joined; \
             {}--stitches declares seams",
            count(vertices.len()),
            if is_joined_by_welding() { "--weld 0 joins them, " } else { "" }
        ),
        other => other.to_string(),
    }
}

/// Whether welding equal positions of a file's mesh leaves fewer intersections than it has as it is taken.
fn is_joined_by_welding(file: &TriMesh, taken: &TriMesh) -> bool {
    let (mut judge, alone) = (RemedyJudge::new(), Surroundings::default());
    let before = judge.faults(taken, &alone);
    let welded = welded_state(file, &file.positions, 0.0);
    let after = welded.and_then(|welded| {
        let left_out = taken.faces.len().saturating_sub(welded.faces.len());
        Some(Faults { left_out, ..judge.faults(&welded, &alone)? })
    });
    before.zip(after).is_some_and(|(before, after)| Change::Moves.helps(&before, &after))
}

impl UntangleReport {
    /// What keeps a mesh without intersections from being clean.
    fn others_in_words(&self) -> Vec<String> {
        let (flat_folds, doubled_faces) = (self.flat_folds, self.doubled_faces);
        let lying = StateCounts { flat_folds, doubled_faces, ..StateCounts::default() };
        let mut found = lying.folds_in_words(self.triangles, "`cloth check --remove-doubled`");
        if self.left_out_faces > 0 {
            let all = counted(self.triangles, "face");
            found.push(format!("{} of {all} left out (--allow-left-out)", count(self.left_out_faces)));
        }
        found
    }

    fn text(&self) -> String {
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
        let mut text = format!("{}: {verdict}\n", self.input);
        let mut line = |label: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {label:<34}{value}");
        };
        line("steps of 1/60 s", format!("{}, {:.1} s", count(self.steps as usize), self.wall_seconds));
        line("largest displacement", format!("{:.3e}", self.max_displacement));
        for c in self.contours.iter().take(MAX_CONTOURS) {
            let [x, y, z] = c.center;
            let body = if c.with_body { " with a body" } else { "" };
            line(
                "remains",
                format!(
                    "{}{body} around ({x:.4}, {y:.4}, {z:.4}), over a length of {:.3e}",
                    counted(c.intersections, "intersection"),
                    c.length
                ),
            );
        }
        if self.contours.len() > MAX_CONTOURS {
            line("remains", format!("{} more, see --json", self.contours.len() - MAX_CONTOURS));
        }
        self.notes.iter().for_each(|note| line("note", note.clone()));
        text
    }
}
