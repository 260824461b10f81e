//! Friction of the pairs that a scene names.

use cloth_io::FileError;

use super::bodies::Bodies;
use crate::{Scene, ScenePart, SceneSource};

/// The friction of the pairs of `[[friction]]`.
pub(crate) fn pairs(
    scene: &Scene,
    bodies: &Bodies,
    source: &SceneSource,
) -> Result<Vec<([ScenePart; 2], f32)>, FileError> {
    let mut found = Vec::new();
    for pair in &scene.pair_friction {
        let [a, b] = [
            parts(scene, bodies, &pair.between[0], source)?,
            parts(scene, bodies, &pair.between[1], source)?,
        ];
        let has_garment = a.iter().chain(&b).any(|part| matches!(part, ScenePart::Cloth(_)));
        if !has_garment {
            return Err(source.fail(
                "friction.between",
                "the coefficient of two bodies is the geometric mean \
                                                        of theirs; name a garment, or give the bodies \
                                                        `friction`",
            ));
        }
        let coefficient = pair.coefficient as f32;
        found.extend(a.iter().flat_map(|&a| b.iter().map(move |&b| ([a, b], coefficient))));
    }
    Ok(found)
}

fn parts(
    scene: &Scene,
    bodies: &Bodies,
    name: &str,
    source: &SceneSource,
) -> Result<Vec<ScenePart>, FileError> {
    let garments = scene.garments.iter().enumerate();
    let named = garments.filter(|(_, garment)| garment.name.as_deref() == Some(name));
    let mut parts: Vec<ScenePart> = named.map(|(i, _)| ScenePart::Cloth(i)).collect();
    parts.extend(bodies.named(name));
    if parts.is_empty() {
        let text = format!("there is no garment or body with `name = \"{name}\"`");
        return Err(source.fail("friction.between", text));
    }
    Ok(parts)
}
