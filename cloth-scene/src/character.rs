//! The character of a scene: its file, what it plays, and as what it collides.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::number;

/// `[character]`: a skinned, animated body.
///
/// Garments are authored on its bind pose. The run starts there, fades to the first frame of the first clip
/// within [`pre_roll`](Self::pre_roll), holds it for [`settle`](Self::settle), and then plays the clips one
/// after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Character {
    /// Its file, glTF (`.glb`, `.gltf`) or BVH.
    pub path: PathBuf,
    /// Metres in a unit of the file; 1 by default.
    #[serde(default = "one", deserialize_with = "number::positive")]
    pub scale: f64,
    /// The clips in their order; without any it stays in its bind pose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<ClipChoice>,
    /// As what it collides; `"skin"` by default.
    #[serde(default)]
    pub body: CharacterBody,
    /// Time (s) from the bind pose to the first frame; 1 by default.
    #[serde(default = "one", deserialize_with = "number::non_negative")]
    pub pre_roll: f64,
    /// Time (s) for which the first frame is held after it; 0 by default.
    #[serde(default, deserialize_with = "number::non_negative")]
    pub settle: f64,
    /// Seconds of a clip per second; 1 by default.
    #[serde(default = "one", deserialize_with = "number::positive")]
    pub speed: f64,
    /// Duration (s) of the cross-fade from clip to clip; 0.3 by default.
    #[serde(default = "default_fade", deserialize_with = "number::non_negative")]
    pub fade: f64,
    /// Duration (s) of the transition from the end of a clip to its beginning; 0, the default, for clips that
    /// are authored as loops.
    #[serde(default, deserialize_with = "number::non_negative")]
    pub loop_transition: f64,
    /// What becomes of the horizontal displacement in clips; `"keep"` by default.
    #[serde(default)]
    pub root_motion: RootMotion,
    /// Friction coefficient, instead of that of `[settings]`.
    #[serde(default, deserialize_with = "number::non_negative")]
    pub friction: Option<f64>,
    /// Whether fingers and other small joints get proxies; no by default.
    #[serde(default)]
    pub fingers: bool,
    /// Bones that cloth does not collide with, neither with their skin nor with proxies, by the name of the
    /// joint. Joints below them are excluded from the skin as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_bones: Vec<String>,
    /// Meshes that are drawn and that cloth does not collide with, by name: hair, or clothes that belong to
    /// the character. Neither the skin nor the proxies take account of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_meshes: Vec<String>,
    /// Proxies that the fit makes and the scene removes, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop_proxies: Vec<String>,
    /// Proxies with other radii.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resize_proxies: Vec<ResizedProxy>,
    /// Proxies that the fit does not make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_proxies: Vec<AddedProxy>,
}

/// A fitted proxy whose radii are multiplied by a factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResizedProxy {
    /// The name of the proxy, or of a bone for all of its proxies.
    pub proxy: String,
    /// The factor.
    #[serde(deserialize_with = "number::positive")]
    pub factor: f64,
}

/// A capsule that moves with a bone, in the space of its joint: the unit of the file, divided by the scale of
/// the joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedProxy {
    /// What to call it.
    pub name: String,
    /// The joint with which it moves.
    pub bone: String,
    /// One end of its axis.
    #[serde(deserialize_with = "number::finite")]
    pub start: [f64; 3],
    /// The other end; that of a sphere is the same.
    #[serde(deserialize_with = "number::finite")]
    pub end: [f64; 3],
    /// The radii at both ends.
    pub radii: [f64; 2],
}

/// A clip and how long it is played: `"Walk"` for one cycle, `"Walk:2s"` for two seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClipChoice {
    /// The name of the clip.
    pub name: String,
    /// For how long (s) it is played; one cycle if `None`.
    pub seconds: Option<f64>,
}

impl FromStr for ClipChoice {
    type Err = String;

    /// A colon belongs to the name unless a number of seconds follows it.
    fn from_str(text: &str) -> Result<Self, String> {
        let timed = text.rsplit_once(':').and_then(|(name, time)| Some((name, time.strip_suffix('s')?)));
        let (name, seconds) = match timed.map(|(name, number)| (name, number.parse::<f64>())) {
            Some((name, Ok(seconds))) => (name, Some(seconds)),
            _ => (text, None),
        };
        match seconds {
            _ if name.is_empty() => Err("must be the name of a clip, such as Walk, or Walk:2s".to_owned()),
            Some(s) if !(s.is_finite() && s > 0.0) => Err(format!("must play longer than 0 s, found {s}")),
            _ => Ok(Self { name: name.to_owned(), seconds }),
        }
    }
}

impl TryFrom<String> for ClipChoice {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ClipChoice> for String {
    fn from(choice: ClipChoice) -> Self {
        choice.to_string()
    }
}

impl fmt::Display for ClipChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds {
            Some(seconds) => write!(f, "{}:{seconds}s", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// As what a character collides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CharacterBody {
    /// Spheres and tapered capsules fitted to the skin: fast, without proof about the skin.
    Proxies,
    /// The skinned mesh: behind the gate, nothing goes through it.
    #[default]
    Skin,
    /// Both: proxies that keep the cloth off, and the skin behind the gate.
    Both,
}

impl CharacterBody {
    /// Its word in scene files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Proxies => "proxies",
            Self::Skin => "skin",
            Self::Both => "both",
        }
    }

    /// Whether the skin is part of the collision surface.
    #[must_use]
    pub fn has_skin(self) -> bool {
        matches!(self, Self::Skin | Self::Both)
    }

    /// Whether there are proxies.
    #[must_use]
    pub fn has_proxies(self) -> bool {
        matches!(self, Self::Proxies | Self::Both)
    }
}

/// What becomes of the horizontal displacement in clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RootMotion {
    /// As in the clips: at the end of a loop the character returns to where it began.
    #[default]
    Keep,
    /// Each cycle begins where the one before ended.
    Accumulate,
    /// The character stays in place.
    Remove,
}

fn one() -> f64 {
    1.0
}

fn default_fade() -> f64 {
    0.3
}

impl Character {
    /// A character with the defaults of all keys.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            scale: 1.0,
            clips: Vec::new(),
            body: CharacterBody::default(),
            pre_roll: 1.0,
            settle: 0.0,
            speed: 1.0,
            fade: default_fade(),
            loop_transition: 0.0,
            root_motion: RootMotion::default(),
            friction: None,
            fingers: false,
            exclude_bones: Vec::new(),
            exclude_meshes: Vec::new(),
            drop_proxies: Vec::new(),
            resize_proxies: Vec::new(),
            add_proxies: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_may_have_a_time_and_a_colon_in_its_name() {
        let parse = |text: &str| text.parse::<ClipChoice>().map(|c| (c.name, c.seconds));
        assert_eq!(parse("Walk"), Ok(("Walk".into(), None)));
        assert_eq!(parse("Walk:1.5s"), Ok(("Walk".into(), Some(1.5))));
        assert_eq!(parse("rig:Walk"), Ok(("rig:Walk".into(), None)));
        assert_eq!(parse("rig:Walk:2s"), Ok(("rig:Walk".into(), Some(2.0))));
        for text in ["", ":2s", "Walk:0s", "Walk:-1s", "Walk:infs"] {
            assert!(parse(text).is_err(), "{text}");
        }
        let choice: ClipChoice = "Dance Charleston:4s".parse().unwrap();
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }

    #[test]
    fn a_table_with_a_path_alone_has_the_defaults() {
        let read: Character = toml::from_str("path = \"a.glb\"").unwrap();
        assert_eq!(read, Character::new("a.glb".into()));
        let text = "path = \"a.glb\"\nclips = [\"Walk:2s\", \"Idle\"]\nbody = \"both\"\nadd_proxies = \
            [{ name = \"belly\", bone = \"hips\", start = [0, 0, 0], end = [0, 0.1, 0], \
            radii = [0.1, 0.12] }]";
        let read: Character = toml::from_str(text).unwrap();
        assert!(read.body.has_skin() && read.body.has_proxies() && read.clips.len() == 2);
        assert_eq!(toml::from_str::<Character>(&toml::to_string(&read).unwrap()), Ok(read));
        assert!(toml::from_str::<Character>("path = \"a\"\npre_roll = -1").is_err());
    }
}
