//! Friction of the pairs that a scene names.

use cloth_scene::Scene;
use cloth_solver::{ClothId, FrictionPart, SimulationBuilder};

use super::bodies::Bodies;
use super::source::Source;
use crate::failure::Failure;

/// Sets the friction of the pairs of `[[friction]]`; garments and bodies have been added in the order of the
/// scene.
pub(super) fn set_pairs(
    scene: &Scene,
    bodies: &Bodies,
    builder: &mut SimulationBuilder,
    source: &Source,
) -> Result<(), Failure> {
    for pair in &scene.pair_friction {
        let [a, b] = [
            parts(scene, bodies, &pair.between[0], source)?,
            parts(scene, bodies, &pair.between[1], source)?,
        ];
        let has_garment = a.iter().chain(&b).any(|part| matches!(part, FrictionPart::Cloth(_)));
        if !has_garment {
            return Err(source.fail("friction.between", "the coefficient of two bodies is the geometric mean of theirs; name a garment, or give the bodies `friction`"));
        }
        for (&a, &b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
            builder
                .set_pair_friction(a, b, pair.coefficient as f32)
                .map_err(|e| source.fail("friction.coefficient", e.to_string()))?;
        }
    }
    Ok(())
}

fn parts(scene: &Scene, bodies: &Bodies, name: &str, source: &Source) -> Result<Vec<FrictionPart>, Failure> {
    let garments = scene.garments.iter().enumerate();
    let named = garments.filter(|(_, garment)| garment.name.as_deref() == Some(name));
    let mut parts: Vec<FrictionPart> = named.map(|(i, _)| FrictionPart::Cloth(ClothId(i))).collect();
    parts.extend(bodies.named(name));
    if parts.is_empty() {
        let text = format!("there is no garment or body with `name = \"{name}\"`");
        return Err(source.fail("friction.between", text));
    }
    Ok(parts)
}
