//! `cloth simulate --character FILE --list`: what a character has.

use std::path::Path;

use cloth_io::read_character;
use cloth_show::program::console::{self, count, counted};
use cloth_show::program::{Failure, Status};

use crate::args::CharacterArgs;

/// Prints the clips, joints and meshes of a character.
pub(super) fn list(args: &CharacterArgs) -> Result<Status, Failure> {
    let path = args.character.as_deref().unwrap_or(Path::new(""));
    let loaded = read_character(path)?;
    let character = &loaded.character;
    let mut lines = vec![format!("{}:", path.display())];
    lines.extend(loaded.notes.iter().map(|note| format!("  note: {note}")));
    lines.push(counted(character.clips.len(), "clip"));
    lines.extend(character.clips.iter().map(|clip| {
        format!("  {}  {:.3} s, {}", clip.name(), clip.length(), counted(clip.channel_count(), "channel"))
    }));
    lines.push(counted(character.skeleton.len(), "joint"));
    let joints = character.skeleton.joints();
    let depth = |mut joint: usize| {
        let mut depth = 0;
        while let Some(parent) = joints[joint].parent {
            (joint, depth) = (parent, depth + 1);
        }
        depth
    };
    lines.extend(
        (0..joints.len()).map(|j| format!("  {}{}", "  ".repeat(depth(j)), character.skeleton.label(j))),
    );
    lines.push(counted(character.meshes.len(), "mesh").replace("meshs", "meshes"));
    let known = |name: &&String| character.meshes.iter().any(|mesh| mesh.name == **name);
    if let Some(name) = args.exclude_mesh.iter().find(|name| !known(name)) {
        return Err(Failure::new(format!("{}: --exclude-mesh: no mesh is named {name:?}", path.display())));
    }
    lines.extend(character.meshes.iter().map(|mesh| {
        let collides = if mesh.faces.is_empty() {
            "has no triangles"
        } else if args.exclude_mesh.contains(&mesh.name) {
            "excluded"
        } else {
            "collides"
        };
        let (vertices, faces) = (count(mesh.skin.len()), counted(mesh.faces.len(), "triangle"));
        format!(
            "  {}  {vertices} vertices, {faces}, {}, {collides}",
            mesh.name,
            counted(mesh.skin.joints().len(), "joint")
        )
    }));
    console::out(lines.join("\n") + "\n");
    Ok(Status::Clean)
}
