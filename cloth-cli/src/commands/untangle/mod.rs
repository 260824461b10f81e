//! `cloth untangle`: garments as they stand are worked free of intersections and written, with what remains.
//!
//! ```text
//! files --Outfit::read--> Outfit --untangle_outfit--> Untangled --> UntangleReport, OUT files
//!                            \--each better state--> slot, for a signal in the midst of a step
//! ```

mod layers;
#[cfg_attr(not(feature = "pictures"), path = "no_picture.rs")]
mod picture;
mod report;

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cloth_contacts::intersect::Seams;
use cloth_geom::TriMesh;
use cloth_io::character::is_gltf;
use cloth_io::{FileError, ObjTemplate, is_npz, is_usd, read_mesh};
use cloth_scene::remedy::{Change, Faults, RemedyJudge, Surroundings};
use cloth_show::check::{PreparedMesh, Subject, read_seams, welded_state};
use cloth_show::program::console::{self, Progress, count};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, json};
use cloth_solver::{BuildError, UntangleError, UntangleGarment, UntangleOptions, Untangled, untangle_outfit};
use nalgebra::Point3;

use crate::args::UntangleArgs;
use crate::commands::meshes::{MeshOutput, check_mesh_format, has_extension, run_on_worker};
use crate::left_out::needs_pictures;
use report::UntangleReport;

/// Steps a second of simulated time.
const STEPS_PER_SECOND: f64 = 60.0;

/// How long a step may take to end after a signal: what is written then takes time, too.
const GRACE: Duration = Duration::from_millis(200);

/// A garment as it was read.
struct Garment {
    input: PathBuf,
    out: PathBuf,
    /// Faces of the file.
    triangles: usize,
    /// Positions of the vertices of the file.
    at: Vec<Point3<f64>>,
    sound: PreparedMesh,
    mesh: TriMesh,
    output: MeshOutput,
    /// Its place in `--layers`.
    layer: Option<u16>,
    notes: Vec<String>,
}

/// All that was read.
struct Outfit {
    args: UntangleArgs,
    garments: Vec<Garment>,
    bodies: Vec<TriMesh>,
    seams: Option<Seams>,
    start: Instant,
}

/// The best state so far, for a signal in the midst of a step.
type Slot = Arc<Mutex<Option<(Arc<Outfit>, Untangled)>>>;

/// Untangles the garments, writes them, and prints what remains.
pub(crate) fn run(args: &UntangleArgs) -> Result<Status, Failure> {
    let files = files(args)?;
    let (slot, own) = (Slot::default(), args.clone());
    let best = Arc::clone(&slot);
    let work = move || {
        let outfit = Arc::new(Outfit::read(own)?);
        let found = outfit.untangle(&slot)?;
        let report = UntangleReport::new(&outfit, &found, true)?;
        Ok((outfit, found, report))
    };
    let (outfit, found, report) = match run_on_worker(&args.input, GRACE, move || rayon::scope(|_| work())) {
        Ok(done) => {
            done.0.write(&done.1, &files)?;
            done
        }
        Err(error) if INTERRUPT.is_requested() => {
            let Some((outfit, found)) = best.lock().unwrap_or_else(PoisonError::into_inner).take() else {
                console::error(error);
                return Ok(Status::Interrupted);
            };
            // At once: the process ends soon.
            outfit.write(&found, &files)?;
            let report = UntangleReport::new(&outfit, &found, false)?;
            (outfit, found, report)
        }
        Err(error) => return Err(error.into()),
    };
    console::out(report.text());
    json::write(args.json.as_deref(), &report, &files)?;
    if let Some(path) = &args.picture {
        let drawn = picture::draw(&outfit.mesh(), &found.positions, &outfit.bodies, outfit.seams.as_ref());
        picture::write(path, &drawn, &files)?;
    }
    Ok(Status::of_run(report.clean, report.interrupted))
}

/// IN and OUT of each garment.
fn garment_files(args: &UntangleArgs) -> impl Iterator<Item = [&Path; 2]> {
    let others = args.garments.chunks_exact(2).map(|pair| [pair[0].as_path(), pair[1].as_path()]);
    std::iter::once([args.input.as_path(), args.out.as_path()]).chain(others)
}

/// What the run reads and writes, checked.
fn files(args: &UntangleArgs) -> Result<RunFiles, Failure> {
    args.picture.iter().try_for_each(|_| needs_pictures("--picture"))?;
    let mut files = RunFiles::default();
    let mut seen = cloth_io::FileMap::default();
    for [input, out] in garment_files(args) {
        check_mesh_format(out, "OUT")?;
        if seen.get(input).is_some() {
            let text = format!("{}: is given as two garments; give each once", input.display());
            return Err(Failure::new(text));
        }
        seen.insert(input, ());
        files.reads(input, "IN");
        files.writes(out, "OUT");
    }
    files.reads_all(&args.bodies, "--body");
    files.reads_all(&args.stitches, "--stitches");
    args.picture.iter().for_each(|path| files.writes(path, "--picture"));
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// What is written of a garment to the format of OUT.
fn output(input: &Path, out: &Path, mesh: &TriMesh) -> Result<MeshOutput, FileError> {
    Ok(match () {
        () if is_usd(out) && !is_gltf(input) => {
            MeshOutput::Usd(mesh.faces.clone(), read_mesh(input)?.rest_uv)
        }
        () if !has_extension(out, "obj") => MeshOutput::Faces(mesh.faces.clone()),
        () if is_gltf(input) || is_npz(input) || is_usd(input) => {
            MeshOutput::Obj(ObjTemplate::from_mesh(mesh))
        }
        () => MeshOutput::Obj(ObjTemplate::read(input)?),
    })
}

impl Garment {
    /// Its file, as the command line names it.
    fn name(&self) -> String {
        self.input.display().to_string()
    }

    fn read([input, out]: [&Path; 2], weld: Option<f64>, layer: Option<u16>) -> Result<Self, FileError> {
        let refuse = |text: String| FileError::new(input, text);
        let mut subject = Subject::open(input, None)?;
        if subject.state_count() != 1 {
            return Err(refuse(format!("has {} states; give a mesh alone", subject.state_count())));
        }
        let at = subject.read(0)?;
        let output = output(input, out, &subject.mesh)?;
        let sound = PreparedMesh::new(&subject.mesh, weld).map_err(refuse)?;
        let mesh = TriMesh::new(sound.positions(&at), sound.topology.faces().to_vec());
        let rounding = match () {
            () if has_extension(out, "stl") => {
                Some("STL, which rounds positions to `f32` and joins equal ones")
            }
            () if is_usd(out) => Some("USD, which rounds positions to `f32`"),
            () => None,
        };
        let rounding = rounding.map(|what| format!("OUT is {what}: check it again"));
        Ok(Self {
            input: input.to_owned(),
            out: out.to_owned(),
            triangles: subject.mesh.faces.len(),
            notes: subject.notes.iter().chain(&sound.notes).cloned().chain(rounding).collect(),
            at,
            sound,
            mesh,
            output,
            layer,
        })
    }

    /// Whether welding equal positions leaves fewer intersections than the garment has as it is taken.
    fn is_joined_by_welding(&self) -> bool {
        let (mut judge, alone) = (RemedyJudge::new(), Surroundings::default());
        let before = judge.faults(&self.mesh, &alone);
        let after = welded_state(&self.mesh, &self.mesh.positions, 0.0).and_then(|welded| {
            let left_out = self.mesh.faces.len().saturating_sub(welded.faces.len());
            Some(Faults { left_out, ..judge.faults(&welded, &alone)? })
        });
        before.zip(after).is_some_and(|(before, after)| Change::Moves.helps(&before, &after))
    }
}

impl Outfit {
    fn read(args: UntangleArgs) -> Result<Self, FileError> {
        let inputs: Vec<[&Path; 2]> = garment_files(&args).collect();
        let layers = layers::by_garment(&args.layers, &inputs)?;
        let garments = inputs.into_iter().zip(layers);
        let garments: Vec<Garment> = garments
            .map(|(paths, layer)| Garment::read(paths, args.weld, layer))
            .collect::<Result<_, _>>()?;
        let seams = match (&args.stitches, args.seam_distance) {
            (Some(file), Some(distance)) => {
                let sound = &garments[0].sound;
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
        Ok(Self { args, garments, bodies, seams, start: Instant::now() })
    }

    fn untangle(self: &Arc<Self>, slot: &Slot) -> Result<Untangled, FileError> {
        let Self { args, garments, .. } = &**self;
        let steps = (args.seconds * STEPS_PER_SECOND).ceil() as usize;
        let others =
            if garments.len() > 1 { format!(" and {} more", garments.len() - 1) } else { String::new() };
        let title = format!("untangle {}{others}", args.input.display());
        let mut progress = Progress::start(title, "step", steps);
        let layers: Vec<_> = garments.iter().map(|garment| garment.layer).collect();
        let found = self.run(&layers, args.seconds as f32, |step| {
            progress.done(step.step as usize);
            let mut kept = slot.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut *kept {
                Some((_, best)) if step.best.best_step != Some(step.step) => {
                    (best.steps, best.attempts) = (step.step, step.best.attempts.clone());
                }
                kept => *kept = Some((Arc::clone(self), step.best.clone())),
            }
        });
        drop(progress);
        found.map_err(|error| self.in_words(&error))
    }

    /// Untangles with some layers.
    fn run(
        &self,
        layers: &[Option<u16>],
        seconds: f32,
        mut see: impl FnMut(cloth_solver::UntangleStep<'_>),
    ) -> Result<Untangled, UntangleError> {
        let meshes = self.garments.iter().map(|garment| &garment.mesh).zip(layers);
        let garments: Vec<_> =
            meshes.map(|(mesh, &layer)| UntangleGarment { mesh, x: &mesh.positions, layer }).collect();
        let options = UntangleOptions {
            seconds,
            bodies: &self.bodies,
            thickness: self.args.thickness,
            gate: self.args.gate,
            seams: self.seams.as_ref(),
            on_step: Some(&mut |step| {
                see(step);
                if INTERRUPT.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }),
        };
        untangle_outfit(&garments, options)
    }

    /// Where the vertices of each garment are among all.
    fn ranges(&self) -> impl Iterator<Item = (&Garment, Range<usize>)> {
        let mut first = 0;
        self.garments.iter().map(move |garment| {
            let own = first..first + garment.mesh.positions.len();
            first = own.end;
            (garment, own)
        })
    }

    /// All garments as one mesh.
    fn mesh(&self) -> TriMesh {
        let mut all = TriMesh::default();
        for garment in &self.garments {
            all.append(&garment.mesh);
        }
        all
    }

    /// Writes what was found to the files OUT.
    fn write(&self, found: &Untangled, files: &RunFiles) -> Result<(), Failure> {
        for (garment, own) in self.ranges().filter(|_| is_written(found)) {
            // As they are where nothing was moved, welded vertices too.
            let moved = |v: u32| found.positions[own.start + v as usize];
            let place = |(old, new): (&Point3<f64>, &Option<u32>)| new.map_or(*old, moved);
            let positions: Vec<_> = match found.best_step {
                Some(_) => garment.at.iter().zip(&garment.sound.vertex_map).map(place).collect(),
                None => garment.at.clone(),
            };
            files.confirm(&garment.out, "OUT")?;
            garment.output.write(&garment.out, &positions)?;
        }
        Ok(())
    }

    /// An error in the words of the command line.
    fn in_words(&self, error: &UntangleError) -> FileError {
        let UntangleError::Build(BuildError::CoincidentBorders { cloth, vertices, .. }) = error else {
            return FileError::new(&self.args.input, error.to_string());
        };
        let garment = &self.garments[*cloth];
        let joined = if garment.is_joined_by_welding() { "--weld 0 joins them, " } else { "" };
        let vertices = count(vertices.len());
        let text = format!(
            "{vertices} vertices of its border lie exactly on others, as in panels that are not joined; \
             {joined}--stitches declares seams"
        );
        FileError::new(&garment.input, text)
    }
}

/// Whether the files OUT are written: not if no state has fewer intersections than the input.
fn is_written(found: &Untangled) -> bool {
    found.after == 0 || found.best_step.is_some()
}
