//! Whether cloth was stretched beyond all use, from which frame on, and what to do about it.

use crate::invariants::Strain;
use cloth_scene::{BuiltScene, SceneSource};
use cloth_solver::Settings;
use nalgebra::Point3;

/// Stretch (99th percentile) above which a run is no picture of cloth: denim tears at 0.2, knitwear at 0.5.
const MOST: f64 = 0.5;

/// Stretch above which what was certified is of no cloth.
const TORN: f64 = 10.0;

/// Pins that move farther than this part of the garments' longest side in a frame have no path that cloth
/// could follow: of a shirt, 4 m/s at 60 frames a second.
const JUMP: f64 = 0.1;

/// Watches the stretch of a run, and how far its pins move.
pub(crate) struct StretchObserver {
    /// Vertices that are pinned, over all cloths.
    pinned: Vec<u32>,
    /// Their positions in the last frame (m).
    before: Vec<Point3<f64>>,
    /// The longest side (m) of the garments.
    size: f64,
    found: Overstretch,
}

/// What is known of a run that stretches its cloth too far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overstretch {
    /// Whether the start is stretched so, against its rest shape.
    at_start: bool,
    /// The first frame in which it is.
    frame: Option<usize>,
    /// The farthest that a pin moved in one frame (m), until then, and to which frame.
    jump: (f64, usize),
    /// Whether that is a jump.
    is_jump: bool,
}

impl StretchObserver {
    pub(crate) fn new(scene: &BuiltScene) -> Self {
        let (mut pinned, mut first, mut size) = (Vec::new(), 0, 0.0_f64);
        for (garment, cloth) in scene.garments.iter().zip(&scene.desc.cloths) {
            pinned.extend(cloth.pins.iter().map(|v| first + v));
            first += garment.mesh.positions.len() as u32;
            let bounds = garment.mesh.face_bounds();
            size = size.max((bounds.max - bounds.min).max());
        }
        Self { pinned, before: Vec::new(), size, found: Overstretch::default() }
    }

    /// Takes the state of a frame, of all vertices (m); after a cut (`is_cut`) no pin has moved to it.
    pub(crate) fn observe(
        &mut self,
        (frame, is_cut): (usize, bool),
        positions: &[Point3<f64>],
        strain: Option<Strain>,
    ) {
        let now: Vec<Point3<f64>> = self.pinned.iter().map(|&v| positions[v as usize]).collect();
        let moved = now.iter().zip(&self.before).map(|(now, before)| (now - before).norm());
        let farthest = moved.fold(0.0, f64::max);
        self.before = now;
        if self.found.frame.is_some() {
            return;
        }
        if farthest > self.found.jump.0 && !is_cut {
            self.found.jump = (farthest, frame);
            self.found.is_jump = farthest > JUMP * self.size;
        }
        let is_stretched = strain.is_some_and(|strain| strain.p99 > MOST);
        if frame == 0 {
            self.found.at_start = is_stretched;
        } else if is_stretched {
            self.found.frame = Some(frame);
        }
    }

    /// What was found so far.
    pub(crate) fn found(&self) -> Overstretch {
        self.found
    }
}

impl Overstretch {
    /// What is to be said of it, with what would help as far as it is known; none if cloth is not stretched
    /// so. `tangled` is whether the start has intersections; `settings` are those of the run.
    pub(crate) fn note(
        &self,
        p99: Option<f64>,
        tangled: bool,
        settings: &Settings,
        source: &SceneSource,
    ) -> Option<String> {
        let (frame, p99) = self.frame.zip(p99.filter(|p99| *p99 > MOST))?;
        let (jump, at) = self.jump;
        let remedy = if self.at_start {
            "it starts so; is its rest shape in its unit?".to_owned()
        } else if self.is_jump {
            let option = match settings.teleport {
                None => format!("{} teleports the cloth", source.teleport_option()),
                Some(_) => "a lower distance in `teleport` of [settings] teleports the cloth".to_owned(),
            };
            format!(
                "its pins move {jump:.2} m to frame {at}; if that is a cut, {option}, else spread it over \
                 more frames"
            )
        } else if tangled {
            "the start has intersections, and cloth is pulled out of them; resolve those first".to_owned()
        } else {
            let option = source.substeps_option(2 * settings.substeps);
            format!("{option} may be enough for its load, or a stiffer fabric, or a coarser mesh")
        };
        Some(format!(
            "stretch p99 is {:.0} %, above {:.0} % from frame {frame} on: {remedy}",
            100.0 * p99,
            100.0 * MOST
        ))
    }
}

/// Whether a figure of stretch leaves no cloth of which a certificate could be said.
pub(crate) fn is_torn(figures: [Option<f64>; 2]) -> bool {
    figures.into_iter().flatten().any(|figure| figure > TORN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observer() -> StretchObserver {
        StretchObserver { pinned: vec![1], before: Vec::new(), size: 1.0, found: Overstretch::default() }
    }

    /// What is said of frames with these places of the pin and these stretches.
    fn said(frames: &[(f64, f64)], tangled: bool) -> Option<String> {
        let mut observer = observer();
        for (frame, &(x, p99)) in frames.iter().enumerate() {
            let positions = [Point3::origin(), Point3::new(x, 0.0, 0.0)];
            observer.observe((frame, false), &positions, Some(Strain { p99, max: p99 }));
        }
        let worst = frames.iter().skip(1).map(|frame| frame.1).fold(0.0, f64::max);
        let settings = Settings { substeps: 20, ..Settings::default() };
        observer.found().note(Some(worst), tangled, &settings, &SceneSource::Flags("g.obj".into()))
    }

    #[test]
    fn names_what_is_known_of_a_stretch_that_is_too_large() {
        assert_eq!(said(&[(0.0, 0.0), (0.01, 0.3), (0.02, 0.5)], false), None);
        let slow = said(&[(0.0, 0.0), (0.01, 0.3), (0.02, 0.7), (0.03, 0.9)], false).unwrap();
        assert!(slow.starts_with("stretch p99 is 90 %, above 50 % from frame 2 on: --substeps 40"), "{slow}");
        let jump = said(&[(0.0, 0.0), (20.0, 0.1), (20.0, 9.0), (99.0, 9.0)], false).unwrap();
        assert!(
            jump.contains("from frame 2 on: its pins move 20.00 m to frame 1; if that is a cut"),
            "{jump}"
        );
        assert!(jump.contains("if that is a cut, --teleport on teleports the cloth"), "{jump}");
        assert!(said(&[(0.0, 2.0), (0.0, 2.0)], false).unwrap().contains("is its rest shape in its unit?"));
        assert!(said(&[(0.0, 0.0), (0.0, 2.0)], true).unwrap().contains("resolve those first"));
    }

    #[test]
    fn cloth_is_torn_if_either_figure_says_so() {
        assert!(is_torn([Some(0.1), Some(10.5)]) && is_torn([Some(11.0), None]));
        assert!(!is_torn([Some(9.0), Some(10.0)]) && !is_torn([None, None]));
    }

    #[test]
    fn a_cut_is_no_motion_of_pins() {
        let mut observer = observer();
        let place = |x| [Point3::origin(), Point3::new(x, 0.0, 0.0)];
        observer.observe((0, false), &place(0.0), None);
        observer.observe((1, true), &place(20.0), None);
        assert!(!observer.found().is_jump);
        observer.observe((2, false), &place(40.0), None);
        assert_eq!(observer.found().jump, (20.0, 2));
    }
}
