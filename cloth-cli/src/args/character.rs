//! The arguments of `cloth simulate` that name a character and what it plays.

use std::path::PathBuf;

use clap::Args;
use cloth_scene::{Character, CharacterBody, ClipChoice, RootMotion};
use cloth_show::program::Failure;

use super::BodyChoice;
use super::number::non_negative;
use super::words::{ROOT_MOTION, words};

/// A skinned, animated body.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Character, instead of a scene")]
pub(crate) struct CharacterArgs {
    /// Dress a character from a glTF (.glb, .gltf, .vrm) or BVH file; --body says as what it collides: skin
    /// (the default), proxies or both.
    ///
    /// The garment is authored on its bind pose. The run starts there, fades to the first frame within
    /// --pre-roll, and plays the clips.
    #[arg(long, value_name = "FILE", conflicts_with = "scene")]
    pub(crate) character: Option<PathBuf>,
    /// Play a clip of the character for one cycle, or for a time: `Walk`, `Walk:2s`; may be repeated; the
    /// bind pose by default.
    #[arg(long, value_name = "NAME[:Ns]", requires = "character", conflicts_with = "scene")]
    pub(crate) clip: Vec<ClipChoice>,
    /// Print the clips, joints and meshes of the character, with --exclude-mesh which of them collide, and
    /// simulate nothing.
    #[arg(long, requires = "character")]
    pub(crate) list: bool,
    /// Set the time from the bind pose to the first frame (s); 1 by default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = non_negative,
          requires = "character")]
    pub(crate) pre_roll: Option<f64>,
    /// Set the time for which the first frame is held before the clip starts (s); 0 by default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = non_negative,
          requires = "character")]
    pub(crate) settle: Option<f64>,
    /// Set the transition from the end of a clip to its beginning (s); 0, for clips authored as loops, by
    /// default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = non_negative,
          requires = "character")]
    pub(crate) loop_transition: Option<f64>,
    /// Set what becomes of the horizontal displacement in clips; keep by default.
    #[arg(long, value_name = "MOTION", value_parser = words(ROOT_MOTION), requires = "character")]
    pub(crate) root_motion: Option<RootMotion>,
    /// Leave a bone and what hangs on it out of what cloth collides with, as its skin and as proxies; may be
    /// repeated.
    ///
    /// For hands that enter the belly and heads under a hood: a skin that intersects itself leaves no space
    /// for cloth.
    #[arg(long, value_name = "JOINT", requires = "character")]
    pub(crate) exclude_bone: Vec<String>,
    /// Leave a mesh of the character out of what cloth collides with, such as hair or clothes of its own; may
    /// be repeated. It is drawn all the same.
    #[arg(long, value_name = "NAME", requires = "character")]
    pub(crate) exclude_mesh: Vec<String>,
    /// Give fingers and other small joints proxies.
    #[arg(long, requires = "character")]
    pub(crate) fingers: bool,
}

impl CharacterArgs {
    /// The character as a scene has it; none without --character. `unit` is metres in a unit of its file.
    ///
    /// # Errors
    /// If --body does not go with it.
    pub(crate) fn to_scene(
        &self,
        body: Option<&BodyChoice>,
        unit: Option<f64>,
    ) -> Result<Option<Character>, Failure> {
        let body = match (&self.character, body) {
            (None, Some(BodyChoice::Character(_))) => {
                return Err(Failure::new(
                    "--body skin, proxies and both are those of a character; give --character FILE",
                ));
            }
            (None, _) => return Ok(None),
            (Some(_), None) => CharacterBody::default(),
            (Some(_), Some(BodyChoice::Character(body))) => *body,
            (Some(_), Some(_)) => {
                return Err(Failure::new("--body must be skin, proxies or both with --character"));
            }
        };
        let path = self.character.clone().unwrap_or_default();
        let default = Character::new(path);
        Ok(Some(Character {
            body,
            scale: unit.unwrap_or(default.scale),
            clips: self.clip.clone(),
            pre_roll: self.pre_roll.unwrap_or(default.pre_roll),
            settle: self.settle.unwrap_or(default.settle),
            loop_transition: self.loop_transition.unwrap_or(default.loop_transition),
            root_motion: self.root_motion.unwrap_or_default(),
            fingers: self.fingers,
            exclude_bones: self.exclude_bone.clone(),
            exclude_meshes: self.exclude_mesh.clone(),
            ..default
        }))
    }
}
