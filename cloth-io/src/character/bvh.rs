//! BVH in: a hierarchy of joints, and one clip of Euler angles in degrees.
//!
//! No parser of crates.io for this format is kept up (the last release of `bvh_anim` is of 2019), and the
//! format is a page long.

use std::path::Path;

use cloth_character::{
    Affine, ChannelDescription, ChannelValues, Character, Clip, Interpolation, Joint, Skeleton, Transform,
};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::LoadedCharacter;
use crate::{FileError, error::quoted, read_file};

/// How the numbers of a BVH file are meant; the format does not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BvhOptions {
    /// The length of one unit of the file, m; by default 1. MakeHuman writes units of 0.1 m, most motion
    /// capture 0.01 m.
    pub unit: f64,
    /// Whether z is up in the file and y is to be up in the character; by default not.
    pub z_up: bool,
    /// Whether position channels replace the offset of their joint. By default they are added to it, as in
    /// MakeHuman's files. For files whose root has the offset 0, as most have, both are the same.
    pub absolute_positions: bool,
}

impl Default for BvhOptions {
    fn default() -> Self {
        Self { unit: 1.0, z_up: false, absolute_positions: false }
    }
}

/// Reads a BVH file: a character without meshes, whose only clip has the name of the file.
///
/// End sites become joints named after their parent with " end" behind it. Frames become keys of linear
/// channels.
///
/// # Errors
/// If the file cannot be read or is not valid, or `options.unit` is not positive and finite.
pub fn read_bvh(path: &Path, options: &BvhOptions) -> Result<LoadedCharacter, FileError> {
    let bytes = read_file(path)?;
    parse_bvh(path, &bytes, options)
}

/// Reads the bytes of a BVH file; `path` names it in errors and names the clip.
///
/// # Errors
/// Those of [`read_bvh`].
pub fn parse_bvh(path: &Path, bytes: &[u8], options: &BvhOptions) -> Result<LoadedCharacter, FileError> {
    if !(options.unit > 0.0 && options.unit.is_finite()) {
        return Err(FileError::new(path, format!("the unit is {} m; it must be positive", options.unit)));
    }
    let text = String::from_utf8_lossy(bytes);
    let mut words = Words { lines: text.lines().enumerate(), line: 0, rest: "" };
    let build = |words: &mut Words<'_>| {
        let hierarchy = BvhHierarchy::read(words, options.unit)?;
        let motion = Motion::read(words, hierarchy.channel_count())?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        hierarchy.into_character(&motion, name, options)
    };
    let character = build(&mut words).map_err(|e| FileError::at_line(path, words.line.max(1), e))?;
    Ok(LoadedCharacter { character, notes: Vec::new() })
}

/// The words of a text, with the number of their line.
struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str, String> {
        loop {
            let trimmed = self.rest.trim_start();
            if !trimmed.is_empty() {
                let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
                self.rest = &trimmed[end..];
                return Ok(&trimmed[..end]);
            }
            let (number, line) = self.lines.next().ok_or("the file ends too early: export it again")?;
            (self.line, self.rest) = (number + 1, line);
        }
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        let found = self.next()?;
        if found.eq_ignore_ascii_case(word) {
            Ok(())
        } else {
            Err(format!("expected {word}, found {}", quoted(found)))
        }
    }

    /// The rest of the line, up to a brace: names may contain blanks.
    fn name(&mut self) -> String {
        let line = std::mem::take(&mut self.rest);
        let end = line.find('{').unwrap_or(line.len());
        self.rest = &line[end..];
        line[..end].trim().to_owned()
    }

    fn number(&mut self) -> Result<f64, String> {
        let word = self.next()?;
        let value: Option<f64> = word.parse().ok();
        value.filter(|x| x.is_finite()).ok_or_else(|| format!("expected a number, found {}", quoted(word)))
    }

    fn count(&mut self) -> Result<usize, String> {
        let word = self.next()?;
        word.parse().map_err(|_| format!("expected a count, found {}", quoted(word)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Axis {
    Position(usize),
    Rotation(usize),
}

struct BvhNode {
    name: String,
    parent: Option<usize>,
    offset: Vector3<f64>,
    channels: Vec<Axis>,
}

struct BvhHierarchy {
    nodes: Vec<BvhNode>,
}

impl BvhHierarchy {
    fn read(words: &mut Words<'_>, unit: f64) -> Result<Self, String> {
        words.expect("HIERARCHY")?;
        let (mut nodes, mut open) = (Vec::<BvhNode>::new(), Vec::new());
        loop {
            match words.next()?.to_ascii_uppercase().as_str() {
                "ROOT" if open.is_empty() => Self::open(words, &mut nodes, &mut open, None)?,
                "JOINT" if !open.is_empty() => Self::open(words, &mut nodes, &mut open, None)?,
                "END" if !open.is_empty() => {
                    words.expect("Site")?;
                    let name = open.last().map(|&parent: &usize| format!("{} end", nodes[parent].name));
                    Self::open(words, &mut nodes, &mut open, name)?;
                }
                "OFFSET" if let Some(&node) = open.last() => {
                    let offset = Vector3::new(words.number()?, words.number()?, words.number()?);
                    nodes[node].offset = offset * unit;
                }
                "CHANNELS" if let Some(&node) = open.last() => nodes[node].channels = Self::channels(words)?,
                "}" if open.pop().is_some() => {}
                "MOTION" if open.is_empty() && !nodes.is_empty() => return Ok(Self { nodes }),
                other => return Err(format!("{} does not belong here", quoted(other))),
            }
        }
    }

    fn open(
        words: &mut Words<'_>,
        nodes: &mut Vec<BvhNode>,
        open: &mut Vec<usize>,
        name: Option<String>,
    ) -> Result<(), String> {
        let name = name.unwrap_or_else(|| words.name());
        words.expect("{")?;
        nodes.push(BvhNode {
            name,
            parent: open.last().copied(),
            offset: Vector3::zeros(),
            channels: Vec::new(),
        });
        open.push(nodes.len() - 1);
        Ok(())
    }

    fn channels(words: &mut Words<'_>) -> Result<Vec<Axis>, String> {
        let count = words.count()?;
        if count > 6 {
            return Err(format!("{count} channels; a joint has at most 6"));
        }
        let channel = |word: &str| match word.to_ascii_lowercase().as_str() {
            "xposition" => Some(Axis::Position(0)),
            "yposition" => Some(Axis::Position(1)),
            "zposition" => Some(Axis::Position(2)),
            "xrotation" => Some(Axis::Rotation(0)),
            "yrotation" => Some(Axis::Rotation(1)),
            "zrotation" => Some(Axis::Rotation(2)),
            _ => None,
        };
        let read = |_| {
            let word = words.next()?;
            channel(word).ok_or_else(|| format!("the channel {} is not known", quoted(word)))
        };
        (0..count).map(read).collect()
    }

    fn channel_count(&self) -> usize {
        self.nodes.iter().map(|node| node.channels.len()).sum()
    }

    fn into_character(
        self,
        motion: &Motion,
        name: String,
        options: &BvhOptions,
    ) -> Result<Character, String> {
        let times: Vec<f64> = (0..motion.frames).map(|k| k as f64 * motion.frame_time).collect();
        let (mut channels, mut at) = (Vec::new(), 0);
        for (joint, node) in self.nodes.iter().enumerate() {
            let values = |k: usize| &motion.values[k * motion.width + at..][..node.channels.len()];
            let mut push = |values| {
                let interpolation = Interpolation::Linear;
                channels.push(ChannelDescription { joint, interpolation, times: times.clone(), values });
            };
            if node.channels.iter().any(|c| matches!(c, Axis::Rotation(_))) {
                push(ChannelValues::Rotation((0..motion.frames).map(|k| node.rotation(values(k))).collect()));
            }
            if node.channels.iter().any(|c| matches!(c, Axis::Position(_))) {
                let position = |k| node.position(values(k), options);
                push(ChannelValues::Translation((0..motion.frames).map(position).collect()));
            }
            at += node.channels.len();
        }
        let count = self.nodes.len();
        let roots: Vec<usize> = (0..count).filter(|&n| self.nodes[n].parent.is_none()).collect();
        let joint = |node: BvhNode| {
            let rest = Transform::from_translation(node.offset);
            Joint { name: node.name, parent: node.parent, rest }
        };
        let mut skeleton =
            Skeleton::new(self.nodes.into_iter().map(joint).collect()).map_err(|e| e.to_string())?;
        if options.z_up {
            // z goes to y and y to -z.
            let linear = nalgebra::Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0);
            let upright = Affine { linear, ..Affine::IDENTITY };
            roots
                .into_iter()
                .try_for_each(|root| skeleton.set_root_map(root, upright))
                .map_err(|e| e.to_string())?;
        }
        let clips = match Clip::new(name, channels, count) {
            Ok(clip) if motion.frames > 0 => vec![clip],
            Ok(_) => Vec::new(),
            Err(e) => return Err(e.to_string()),
        };
        Ok(Character { skeleton, meshes: Vec::new(), clips })
    }
}

impl BvhNode {
    /// The product of the rotations about the axes, in the order of the channels: the last is applied first.
    fn rotation(&self, values: &[f64]) -> Quaternion<f64> {
        let mut rotation = UnitQuaternion::identity();
        for (channel, degrees) in self.channels.iter().zip(values) {
            if let Axis::Rotation(axis) = channel {
                let half = degrees.to_radians() / 2.0;
                let mut q = Quaternion::new(libm::cos(half), 0.0, 0.0, 0.0);
                q.coords[*axis] = libm::sin(half);
                rotation *= UnitQuaternion::new_unchecked(q);
            }
        }
        rotation.into_inner()
    }

    fn position(&self, values: &[f64], options: &BvhOptions) -> Vector3<f64> {
        let mut position = self.offset;
        for (channel, value) in self.channels.iter().zip(values) {
            if let Axis::Position(axis) = channel {
                let base = if options.absolute_positions { 0.0 } else { self.offset[*axis] };
                position[*axis] = base + value * options.unit;
            }
        }
        position
    }
}

struct Motion {
    frames: usize,
    frame_time: f64,
    /// Channels per frame.
    width: usize,
    values: Vec<f64>,
}

impl Motion {
    fn read(words: &mut Words<'_>, width: usize) -> Result<Self, String> {
        words.expect("Frames:")?;
        let frames = words.count()?;
        words.expect("Frame")?;
        words.expect("Time:")?;
        let frame_time = words.number()?;
        if frames > 1 && frame_time <= 0.0 {
            return Err(format!("the frame time is {frame_time} s; it must be positive"));
        }
        let mut values = Vec::new();
        // A count that the file does not hold fails at its end, before memory is taken for it.
        for _ in 0..frames.checked_mul(width).ok_or("the number of frames is too large")? {
            values.push(words.number()?);
        }
        let frames = if width == 0 { 0 } else { frames };
        Ok(Self { frames, frame_time, width, values })
    }
}

#[cfg(test)]
mod tests {
    use cloth_character::Pose;
    use nalgebra::Point3;

    use super::*;

    const ARM: &str = "HIERARCHY\nROOT upper arm\n{\n OFFSET 1 2 3\n CHANNELS 6 Zposition Xposition \
        Yposition Zrotation Xrotation Yrotation\n JOINT fore {\n OFFSET 0 10 0\n CHANNELS 1 \
        Zrotation\n End Site\n {\n OFFSET 0 5 0\n }\n }\n}\nMOTION\n\
        Frames: 2\nFrame Time: 0.5\n0 0 0 0 0 0 0\n30 10 20 90 0 90 -90\n";

    fn arm(options: &BvhOptions) -> Character {
        parse_bvh(Path::new("arm.bvh"), ARM.as_bytes(), options).unwrap().character
    }

    fn positions(character: &Character, time: f64) -> Vec<Point3<f64>> {
        let (mut pose, mut world) = (Pose::default(), Vec::new());
        character.clips[0].sample(&character.skeleton, time, &mut pose);
        character.skeleton.compute_world(&pose, &mut world);
        world.iter().map(Affine::origin).collect()
    }

    #[test]
    fn applies_channels_in_the_order_of_the_file() {
        let character = arm(&BvhOptions::default());
        let names: Vec<&str> = character.skeleton.joints().iter().map(|j| j.name.as_str()).collect();
        assert_eq!(names, ["upper arm", "fore", "fore end"]);
        assert_eq!((character.clips[0].name(), character.clips[0].duration()), ("arm", 0.5));
        assert_eq!(positions(&character, 0.0)[2], Point3::new(1.0, 17.0, 3.0));
        // Rotated by y, then by z: y stays along the upper arm and becomes -x; the forearm turns back.
        let [root, fore, end] = positions(&character, 0.5)[..] else { unreachable!("three joints") };
        assert!((root - Point3::new(11.0, 22.0, 33.0)).norm() < 1e-12);
        assert!((fore - Point3::new(1.0, 22.0, 33.0)).norm() < 1e-12);
        // The forearm's own turn takes y to x; that of the upper arm about y takes x to -z, and its turn
        // about z keeps it.
        assert!((end - Point3::new(1.0, 22.0, 28.0)).norm() < 1e-12, "{end}");
    }

    #[test]
    fn options_set_the_unit_the_axes_and_the_meaning_of_positions() {
        let scaled = positions(&arm(&BvhOptions { unit: 0.1, ..BvhOptions::default() }), 0.5)[0];
        assert!((scaled - Point3::new(1.1, 2.2, 3.3)).norm() < 1e-12);
        let absolute =
            positions(&arm(&BvhOptions { absolute_positions: true, ..BvhOptions::default() }), 0.5)[0];
        assert!((absolute - Point3::new(10.0, 20.0, 30.0)).norm() < 1e-12);
        let upright = positions(&arm(&BvhOptions { z_up: true, ..BvhOptions::default() }), 0.5)[0];
        assert!((upright - Point3::new(11.0, 33.0, -22.0)).norm() < 1e-12);
        for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                parse_bvh(Path::new("a"), ARM.as_bytes(), &BvhOptions { unit, ..BvhOptions::default() })
                    .is_err()
            );
        }
    }

    #[test]
    fn rejects_every_truncation_and_names_the_line() {
        let body = ARM.trim_end();
        for n in (0..body.len())
            .filter(|&n| !body[n..].starts_with(|c: char| c.is_ascii_digit()) || n + 3 < body.len())
        {
            let result = parse_bvh(Path::new("arm.bvh"), &body.as_bytes()[..n], &BvhOptions::default());
            assert!(result.is_err(), "{n}");
        }
        let wrong = ARM.replace("Zrotation\n End", "Wrotation\n End");
        let error = parse_bvh(Path::new("a.bvh"), wrong.as_bytes(), &BvhOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "a.bvh:8: the channel `Wrotation` is not known");
    }

    #[test]
    fn a_promise_of_many_frames_takes_no_memory() {
        let greedy = ARM.replace("Frames: 2", "Frames: 1000000000000000");
        assert!(parse_bvh(Path::new("a.bvh"), greedy.as_bytes(), &BvhOptions::default()).is_err());
    }
}
