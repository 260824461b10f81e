//! What a run says at its end: the verdict in a line of at most twelve words, as `cloth check` gives one, and
//! the figures behind it below.

use std::fmt::Write;

use crate::report::CutFigures;
use cloth_scene::words::{count, counted};

use super::path::PathCheck;
use super::report::{SimulationReport, is_depth, place};
use super::stretch::is_torn;

/// Cuts that the verdict names by their frames.
const NAMED_CUTS: usize = 3;

impl SimulationReport {
    /// A block of lines, each ended: the verdict, and the figures, of which a start alone has none.
    #[must_use]
    pub fn text(&self) -> String {
        let s = &self.run;
        let mut text = format!("{}: {}\n", s.name, self.verdict());
        let mut line = |label: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {label:<34}{value}");
        };
        if s.failures.len() > 1 || s.failures.iter().any(|failure| headline(failure) != failure) {
            s.failures.iter().for_each(|failure| line("failed", failure));
        }
        if s.frames == 0 {
            return text;
        }
        let number = |figure: Option<f64>, scale: f64, unit: &str| {
            figure.map_or("not finite".to_owned(), |f| format!("{:.2} {unit}", f * scale))
        };
        let i = &s.intersections;
        let [with, frames, start, worst, last] =
            [i.frames_with, s.frames as u64, i.initial, i.max, i.last].map(|n| count(n as usize));
        line(
            "frames with intersections",
            &format!(
                "{with} of {frames} (intersections: {start} at the start, {worst} in the worst frame, {last} \
                 in the last)"
            ),
        );
        if let Some(seams) = &self.seams {
            let left_out = seams.raw_intersections.max.saturating_sub(i.max) as usize;
            let (closed, all) = (count(seams.closed), count(seams.declared));
            line("closed seams", &format!("{closed} of {all}, where at most {} more touch", count(left_out)));
        }
        line("motion", &self.motion());
        let chords = s.frame_chords.unwrap_or_default();
        let between = match chords.pairs {
            0 => "0".to_owned(),
            pairs => format!(
                "{}, in the motion to {}; more frames a second bring them nearer to the substeps",
                counted(pairs as usize, "pair"),
                counted(chords.frames_with as usize, "frame")
            ),
        };
        line("pass-through between frames", &between);
        if let Some(released) = self.released_in_words() {
            line("released from bodies", &released);
        }
        if let Some((body, figures)) = self.character.as_ref().map(super::skin::SkinReport::in_words) {
            line(&format!("on {body}"), &figures);
        }
        let stretch = match (s.stretch.p99.get(), s.stretch.max.get()) {
            (None, None) => "not measured".to_owned(),
            (p99, max) => format!("p99 {}, largest {}", number(p99, 100.0, "%"), number(max, 100.0, "%")),
        };
        line("stretch", &stretch);
        let face = s.deepest_face.as_ref().filter(|_| s.deepest_penetration_m.get().is_some_and(is_depth));
        let depth = face.map_or(String::new(), |face| format!(" ({})", place(face)));
        line("deepest in a collider", &(number(s.deepest_penetration_m.get(), 1e3, "mm") + &depth));
        line("time of a frame, median", &number(s.ms_per_frame.median.get(), 1.0, "ms"));
        text
    }

    /// The run in at most twelve words, those of `cloth check` where the fact is the same.
    #[must_use]
    pub fn verdict(&self) -> String {
        let s = &self.run;
        let i = &s.intersections;
        if !s.pass {
            return format!("failed: {}", s.failures.first().map_or("", |failure| headline(failure)));
        }
        let frames = counted(s.frames, "frame");
        match (i.initial + i.frames_with, s.frame_chords.map_or(0, |chords| chords.pairs)) {
            (0, _) if s.frames == 0 => "clean".to_owned(),
            (0, 0) => format!("clean in {frames}{}", self.cuts_in_verdict()),
            (0, pairs) => {
                let pairs = counted(pairs as usize, "pair");
                format!("clean in {frames}, but not between them: {pairs} crossed")
            }
            _ if i.last > 0 => {
                format!("accepted with {} by --allow", counted(i.last as usize, "intersection"))
            }
            _ => format!("clean at the end, {} of {frames} intersect", count(i.frames_with as usize)),
        }
    }

    fn cuts_in_verdict(&self) -> String {
        let cuts = &self.run.cuts;
        match cuts.len() {
            0 => String::new(),
            1..=NAMED_CUTS => format!(", teleported at {}", CutFigures::frames_in_words(cuts)),
            many => format!(", with {}", counted(many, "teleport")),
        }
    }

    /// How much cloth was released from bodies, and where first; none if none was.
    fn released_in_words(&self) -> Option<String> {
        let first = self.released.first()?;
        let pairs = self.released.iter().map(|r| r.pairs).sum();
        let vertex =
            first.vertices.iter().find_map(|(name, v)| Some(format!("{name} at vertex {}", v.first()?)));
        Some(format!(
            "{} in {}, first in frame {}{}",
            counted(pairs, "pair"),
            counted(self.released.len(), "frame"),
            first.frame,
            vertex.map_or(String::new(), |vertex| format!(": {vertex}")),
        ))
    }

    /// What is known of the path of the substeps.
    fn motion(&self) -> String {
        let stretch = &self.run.stretch;
        if self.path.checked_by == PathCheck::Gate && is_torn([stretch.p99.get(), stretch.max.get()]) {
            return "the substeps are no motion of cloth, which is stretched by more than 1,000 %".to_owned();
        }
        // What leads to a cut is no motion, and is not among what was certified or searched.
        let (certified, teleported) = match CutFigures::frames_in_words(&self.run.cuts) {
            cuts if cuts.is_empty() => ("every substep certified".to_owned(), String::new()),
            cuts => (
                format!("teleported at {cuts}: the motions before and after are certified"),
                format!("teleported at {cuts}: before and after "),
            ),
        };
        match (self.path.checked_by, self.path.pairs, self.path.tangled_frames) {
            (PathCheck::Gate, _, 0) => certified,
            (PathCheck::Gate, _, frames) => {
                format!("{certified} except tangles in {}", counted(frames as usize, "frame"))
            }
            (PathCheck::Search, 0, _) => format!("{teleported}no crossing in any substep"),
            (PathCheck::Search, pairs, _) => format!(
                "{teleported}{} crossed in the substeps of {}",
                counted(pairs as usize, "pair"),
                counted(self.path.frames_with as usize, "frame")
            ),
        }
    }
}

/// What fails, without what follows from it and where.
fn headline(failure: &str) -> &str {
    let ends = [", ", ": ", "; "].iter().filter_map(|end| failure.find(end));
    &failure[..ends.min().unwrap_or(failure.len())]
}

#[cfg(test)]
mod tests {
    use super::headline;

    #[test]
    fn a_headline_ends_where_the_details_begin() {
        for (failure, expected) in [
            ("the last frame has 1,234 intersections", "the last frame has 1,234 intersections"),
            ("frame 7 failed: pin 3 is not finite; use another", "frame 7 failed"),
            ("a face is 7.21 mm deep in a collider, at most 6.00 mm", "a face is 7.21 mm deep in a collider"),
        ] {
            assert_eq!(headline(failure), expected);
        }
    }
}
