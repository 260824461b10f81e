//! The vertex animation of a mesh body: an OBJ sequence or a point cache, read as the run needs it.
//!
//! ```text
//! time     0     start                   frames i and i + 1                  last
//!          *-------*----*----*----*-----------*--^--*-----------*----*----*----*------->
//!           stands still                     interpolated                      stands still
//! ```
//!
//! Every frame that the run needs is read once when the animation is opened, so that a damaged one is refused
//! before the first step; after that two frames are in memory.

use std::path::{Path, PathBuf};

use cloth_geom::TriMesh;
use cloth_io::{ArrayNames, FileError, ObjSequence, PointCache, is_usd};
use cloth_solver::Teleport;
use nalgebra::Point3;

use super::cuts::{self, AnimationCut, CutFinder, CutRule, held_time};
use super::garment::{MAX_LENGTH, upright};
use crate::words::counted;
use crate::{DEFAULT_MOTION_FPS, SceneSource, Up, VertexAnimation};

/// A first frame that differs from the body's own file by more than this part of the body's size gets a note:
/// axes or unit may differ.
const OTHER_POSE: f64 = 0.25;

/// The positions of a body's vertices over time.
pub struct BodyAnimation {
    path: PathBuf,
    frames: FrameFiles,
    /// Metres in a unit of the files, and the axis that points up in them: those of the body.
    scale: f64,
    up: Up,
    /// Whether they are in metres, y up, all the same: USD that moves a mesh of another format.
    is_metric: bool,
    /// Time (s) of each frame, increasing.
    times: Vec<f64>,
    /// The cuts between frames that the run needs, if they are held.
    cuts: Vec<AnimationCut>,
    /// The frames in memory (m, y up), with their numbers; at most two.
    loaded: Vec<(usize, Vec<Point3<f64>>)>,
    /// The lowest point (m) of the frames that the run needs.
    pub lowest: f64,
    /// What it does, a sentence each.
    pub notes: Vec<String>,
}

/// A body that is to be animated.
#[derive(Clone, Copy, Debug)]
pub struct AnimatedBody<'a> {
    /// Its file.
    pub path: &'a Path,
    /// The arrays of its file, and of its animation, if they are NPZ.
    pub arrays: &'a ArrayNames,
    /// Metres in a unit of the file.
    pub scale: f64,
    /// The axis that points up in it.
    pub up: Up,
    /// Its mesh (m, y up), with all vertices of the file.
    pub mesh: &'a TriMesh,
}

enum FrameFiles {
    Sequence(ObjSequence),
    Cache(PointCache),
}

/// The files of an animation that exist; what cannot be listed is refused where it is opened.
#[must_use]
pub fn animation_files(path: &Path) -> Vec<PathBuf> {
    let sequence = match PathKind::from_path(path) {
        PathKind::Cache => None,
        PathKind::Pattern => ObjSequence::files(path).ok(),
        PathKind::First => ObjSequence::files_from(path).ok(),
    };
    sequence.unwrap_or_else(|| vec![path.to_path_buf()])
}

/// What a path names.
enum PathKind {
    Cache,
    Pattern,
    First,
}

impl PathKind {
    fn from_path(path: &Path) -> Self {
        let is_pattern = !path.is_file() && path.as_os_str().to_string_lossy().contains('*');
        let extension = path.extension().unwrap_or_default();
        match () {
            () if path.is_dir() || is_pattern => Self::Pattern,
            () if extension.eq_ignore_ascii_case("obj") => Self::First,
            () => Self::Cache,
        }
    }
}

impl BodyAnimation {
    /// Opens the animation of a body, and reads every frame that a run of `duration` (s) needs.
    ///
    /// With `teleport`, a cut between two frames is held: until the later one the body is where the earlier
    /// one has it, not between them.
    ///
    /// # Errors
    /// If a frame cannot be read, or has another number of vertices than the body.
    pub fn open(
        animation: &VertexAnimation,
        body: &AnimatedBody<'_>,
        duration: f64,
        teleport: Option<Teleport>,
        source: &SceneSource,
    ) -> Result<Self, FileError> {
        let path = source.resolve(&animation.path);
        let wanted = body.mesh.positions.len();
        let frames = FrameFiles::open(&path, body.arrays, wanted)?;
        let found = frames.vertex_count();
        if found != wanted {
            let body = body.path.display();
            return Err(FileError::new(
                &path,
                format!(
                    "has {found} vertices a frame, but the body {body} has {wanted}; give the mesh that it \
                     animates, with the order of its vertices kept",
                ),
            ));
        }
        let (rate, said_by) = match (animation.fps, frames.cache().and_then(PointCache::frames_per_second)) {
            (Some(rate), _) => (rate, String::new()),
            (None, Some(rate)) => (rate, ", as the file says".to_owned()),
            (None, None) => {
                (DEFAULT_MOTION_FPS, format!(" by default ({} sets it)", source.motion_fps_option()))
            }
        };
        let offsets = frames.offsets().map_err(|text| FileError::new(&path, text))?;
        let times: Vec<f64> = offsets.iter().map(|frame| animation.start + frame / rate).collect();
        let (scale, up, is_metric) = (body.scale, body.up, is_usd(&path) && !is_usd(body.path));
        let mut opened = Self {
            path,
            frames,
            scale,
            up,
            is_metric,
            times,
            cuts: Vec::new(),
            loaded: Vec::new(),
            lowest: f64::INFINITY,
            notes: Vec::new(),
        };
        let rule = CutRule::new(teleport);
        let found = opened.scan(duration, rule)?;
        opened.describe(body, &format!("{rate} a second{said_by}"))?;
        let number = |frame: usize| Some(opened.frames.number(frame));
        let name = body.path.display().to_string();
        opened.notes.extend(cuts::in_words(&name, &found, number, &rule, source));
        if rule.is_on {
            opened.cuts = found;
        }
        Ok(opened)
    }

    /// The positions (m) of all vertices at `time` (s).
    ///
    /// # Errors
    /// If a frame cannot be read.
    pub fn positions(&mut self, time: f64) -> Result<Vec<Point3<f64>>, FileError> {
        let time = held_time(&self.cuts, time);
        // The frames that start by then; before the first one it stands as in it.
        let after = self.times.partition_point(|&t| t <= time);
        let from = after.saturating_sub(1);
        let to = if after == 0 { 0 } else { after.min(self.times.len() - 1) };
        let share = match self.times[to] - self.times[from] {
            length if length > 0.0 => (time - self.times[from]) / length,
            _ => 0.0,
        };
        self.loaded.retain(|(frame, _)| [from, to].contains(frame));
        for frame in [from, to] {
            if self.loaded.iter().all(|loaded| loaded.0 != frame) {
                let positions = self.read(frame)?;
                self.loaded.push((frame, positions));
            }
        }
        let positions = |wanted: usize| self.loaded.iter().filter(move |l| l.0 == wanted).flat_map(|l| &l.1);
        if share == 0.0 {
            return Ok(positions(from).copied().collect());
        }
        Ok(positions(from).zip(positions(to)).map(|(a, b)| a + (b - a) * share).collect())
    }

    /// Reads what a run of `duration` (s) needs, to refuse what is damaged, and finds the lowest point and
    /// the cuts.
    fn scan(&mut self, duration: f64, rule: CutRule) -> Result<Vec<AnimationCut>, FileError> {
        let needed = (1 + self.times.partition_point(|&t| t < duration)).min(self.times.len());
        let mut finder = CutFinder::new(rule);
        for frame in 0..needed {
            let positions = self.read(frame)?;
            if self.frames.cache().is_some_and(|cache| cache.cuts().contains(&frame)) {
                finder.expect_cut();
            }
            finder.show(self.times[frame], &positions);
            for p in positions {
                self.lowest = self.lowest.min(p.y);
            }
        }
        Ok(finder.finish())
    }

    /// A frame in metres, y up.
    fn read(&mut self, frame: usize) -> Result<Vec<Point3<f64>>, FileError> {
        let mut positions = self.frames.read(frame)?;
        if !self.is_metric {
            positions.iter_mut().for_each(|p| *p = upright(self.up, p) * self.scale);
        }
        match positions.iter().flat_map(|p| p.iter()).find(|c| c.abs() > MAX_LENGTH) {
            Some(far) => {
                let text = format!(
                    "frame {frame} reaches {far:e} m from the origin; is the unit of the body right?"
                );
                Err(FileError::new(&self.path, text))
            }
            None => Ok(positions),
        }
    }

    fn describe(&mut self, body: &AnimatedBody<'_>, rate: &str) -> Result<(), FileError> {
        let first = self.positions(self.times[0])?;
        let (name, file) = (body.path.display(), self.path.display());
        let [start, end] = [self.times[0], self.times[self.times.len() - 1]];
        self.notes.push(format!(
            "{name}: animated by {} of {file}, {rate}, from {start:.3} s to {end:.3} s",
            counted(self.times.len(), "frame"),
        ));
        if let Some(cache) = self.frames.cache() {
            self.notes.extend(cache.notes().iter().map(|note| format!("{file}: {note}")));
        }
        let apart = first.iter().zip(&body.mesh.positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let bounds = body.mesh.bounds();
        if apart > OTHER_POSE * (bounds.max - bounds.min).norm() {
            self.notes.push(format!(
                "{name}: the first frame of {file} is another pose, with vertices up to {apart:.3} m away \
                 from those of the body; if that is not intended: does it have the same axes, unit and order \
                 of vertices?"
            ));
        }
        Ok(())
    }
}

impl FrameFiles {
    fn open(path: &Path, arrays: &ArrayNames, vertices: usize) -> Result<Self, FileError> {
        match PathKind::from_path(path) {
            PathKind::Pattern => ObjSequence::open(path).map(Self::Sequence),
            PathKind::First if path.is_file() => ObjSequence::open_from(path).map(Self::Sequence),
            PathKind::First => {
                Err(FileError::new(path, "does not exist; name the first file of an OBJ sequence"))
            }
            PathKind::Cache => PointCache::open(path, arrays, vertices).map(Self::Cache),
        }
    }

    fn vertex_count(&self) -> usize {
        match self {
            Self::Sequence(sequence) => sequence.first().mesh.positions.len(),
            Self::Cache(cache) => cache.point_count(),
        }
    }

    /// How many frames of the file's rate after the first each frame is. The error is a sentence.
    fn offsets(&self) -> Result<Vec<f64>, String> {
        match self {
            Self::Sequence(sequence) => {
                let first = sequence.frames().next().map_or(0, |f| f.0);
                Ok(sequence.frames().map(|(number, _)| (number - first) as f64).collect())
            }
            Self::Cache(cache) => {
                let offset = |k: usize| cache.number(k) - cache.number(0);
                let ascends = |k: usize| offset(k).is_finite() && (k == 0 || offset(k - 1) < offset(k));
                match (0..cache.frame_count()).find(|&k| !ascends(k)) {
                    None => Ok((0..cache.frame_count()).map(offset).collect()),
                    Some(k) => Err(format!(
                        "frame {k} has the number {}; numbers of frames must ascend, write it again",
                        cache.number(k)
                    )),
                }
            }
        }
    }

    fn cache(&self) -> Option<&PointCache> {
        match self {
            Self::Sequence(_) => None,
            Self::Cache(cache) => Some(cache),
        }
    }

    /// The number that a frame has in its sequence, or in its cache.
    fn number(&self, frame: usize) -> u64 {
        match self {
            Self::Sequence(sequence) => {
                sequence.frames().nth(frame).map_or(frame as u64, |(number, _)| number)
            }
            Self::Cache(_) => frame as u64,
        }
    }

    fn read(&mut self, frame: usize) -> Result<Vec<Point3<f64>>, FileError> {
        match self {
            Self::Sequence(sequence) => sequence.read_frame(frame),
            Self::Cache(cache) => cache.read_frame(frame),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_io::Pc2Writer;

    /// A triangle at these places along x, in a cache whose samples are `rate` frames apart.
    fn opened(
        folder: &Path,
        rate: f32,
        places: &[f32],
        (fps, teleport): (f64, Option<Teleport>),
    ) -> Result<BodyAnimation, FileError> {
        let path = folder.join("a.pc2");
        let corners = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
        let mut writer = Pc2Writer::create(&path, 3, 1.0, rate).unwrap();
        for x in places {
            writer.push(&corners.map(|p| Point3::new(p.x + x, p.y, p.z - x))).unwrap();
        }
        writer.finish().unwrap();
        let mesh = TriMesh::new(corners.map(|p| upright(Up::Z, &p.map(f64::from))).to_vec(), vec![[0, 1, 2]]);
        let body = AnimatedBody {
            path: Path::new("a.obj"),
            arrays: &ArrayNames::default(),
            scale: 1.0,
            up: Up::Z,
            mesh: &mesh,
        };
        let animation = VertexAnimation { path, fps: Some(fps), start: 0.5 };
        BodyAnimation::open(&animation, &body, 2.0, teleport, &SceneSource::Flags("g.obj".into()))
    }

    #[test]
    fn moves_linearly_between_frames_and_stands_still_before_and_after() {
        let dir = tempfile::tempdir().unwrap();
        // Samples at 0.5 s, 0.7 s and 0.9 s; out of order, as a placing and a run ask.
        let mut animation = opened(dir.path(), 2.0, &[0.0, 1.0, 3.0], (10.0, None)).unwrap();
        for (time, x) in
            [(0.8, 2.0), (0.0, 0.0), (0.5, 0.0), (0.6, 0.5), (0.7, 1.0), (0.9, 3.0), (7.0, 3.0), (0.55, 0.25)]
        {
            let found = animation.positions(time).unwrap();
            // The file's z axis points up.
            let expected = Point3::new(x, -x, 0.0);
            assert!((found[0] - expected).norm() < 1e-12, "{time} {}", found[0]);
            assert!(animation.loaded.len() <= 2);
        }
        assert_eq!(animation.lowest, -3.0);
        assert!(animation.notes[0].ends_with("from 0.500 s to 0.900 s"), "{:?}", animation.notes);
    }

    #[test]
    fn numbers_of_frames_that_do_not_ascend_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let rewritten = |start: f32, rate: f32, count: usize| {
            drop(opened(dir.path(), 1.0, &[0.0, 1.0, 2.0][..count], (30.0, None)));
            let path = dir.path().join("a.pc2");
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[20..24].copy_from_slice(&start.to_le_bytes());
            bytes[24..28].copy_from_slice(&rate.to_le_bytes());
            std::fs::write(&path, bytes).unwrap();
            let cache = PointCache::open(&path, &ArrayNames::default(), 3).unwrap();
            FrameFiles::Cache(cache).offsets()
        };
        assert_eq!(rewritten(1001.0, 0.5, 3), Ok(vec![0.0, 0.5, 1.0]));
        assert_eq!(rewritten(1.0, 0.0, 1), Ok(vec![0.0]), "a single frame has no other");
        for (start, rate) in [(1.0, 0.0), (1.0, -1.0), (1.0, f32::NAN), (1.0, f32::INFINITY), (1e30, 1.0)] {
            let refusal = rewritten(start, rate, 3).unwrap_err();
            assert!(refusal.contains(" has the number ") && refusal.ends_with("write it again"), "{refusal}");
        }
        assert!(rewritten(f32::NAN, 1.0, 1).unwrap_err().starts_with("frame 0 has the number NaN"));
    }

    #[test]
    fn a_cut_is_held_until_the_frame_that_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let of = |teleport| opened(dir.path(), 1.0, &[0.0, 0.1, 20.0, 20.1], (30.0, teleport)).unwrap();
        let between = |animation: &mut BodyAnimation| animation.positions(0.55).unwrap()[0].x;
        let (mut held, mut straight) = (of(Some(Teleport::default())), of(None));
        let places = [between(&mut held), between(&mut straight)];
        assert!((places[0] - 0.1).abs() < 1e-6 && (places[1] - 10.05).abs() < 1e-3, "{places:?}");
        // The end of the step at which the frame begins, rounded down.
        let end = held.positions(0.5 + 2.0 / 30.0 - 1e-12).unwrap()[0].x;
        assert!((end - 20.0).abs() < 1e-6, "{end}");
        let note = |animation: &BodyAnimation| animation.notes.iter().find(|n| n.contains("a cut?")).cloned();
        let said = note(&held).unwrap();
        assert!(said.starts_with("a.obj moves 28.1 m from frame 1 to 2 (844 m/s): a cut? cloth"), "{said}");
        assert!(note(&straight).unwrap().contains("a cut? --teleport on teleports cloth"));
    }
}
