//! What a scene must be like: checked before anything is written.

use cloth_character::Pose;

use super::{GlbGarment, GlbOptions, GlbScene};

/// Returns the number of frames, or what is wrong.
pub(super) fn check(scene: &GlbScene<'_>, options: &GlbOptions) -> Result<usize, String> {
    if !(scene.dt > 0.0 && scene.dt.is_finite()) {
        return Err(format!("the time between frames is {} s; it must be positive and finite", scene.dt));
    }
    if options.max_keys < 2 {
        return Err(format!("at most {} key frames are asked for; at least 2 are needed", options.max_keys));
    }
    let poses = scene.character.as_ref().map(|c| ("the character", c.poses.len()));
    let mut counts = poses.into_iter().chain(scene.garments.iter().map(|g| (g.name, g.frames.len())));
    let Some((first, frames)) = counts.next() else {
        return Err("there is neither a character nor a garment to write".into());
    };
    if frames == 0 {
        return Err(format!("{first:?} has no frame; at least 1 is needed"));
    }
    if let Some((name, count)) = counts.find(|&(_, count)| count != frames) {
        return Err(format!("{name:?} has {count} frames and {first:?} has {frames}: they must agree"));
    }
    let time = |k: usize| (k as f64 * scene.dt) as f32;
    if !time(frames - 1).is_finite() || (1..frames).any(|k| time(k) <= time(k - 1)) {
        return Err(format!("{frames} frames {} s apart have times that f32 cannot tell apart", scene.dt));
    }
    if let Some(character) = &scene.character {
        if !character.placement.is_finite() {
            return Err("the placement of the character is not finite".into());
        }
        if let Some(frame) = character.poses.iter().position(|pose| !fits_f32(pose)) {
            return Err(format!("the pose of the character in frame {frame} is not finite"));
        }
    }
    scene.garments.iter().try_for_each(check_garment)?;
    let cuts =
        scene.garments.iter().flat_map(|garment| garment.cuts.iter().map(move |cut| (garment.name, cut)));
    if let Some((name, cut)) = cuts.into_iter().find(|(_, cut)| !(1..frames).contains(*cut)) {
        return Err(format!(
            "garment {name:?} has a cut at frame {cut}; there are frames 1 to {}",
            frames - 1
        ));
    }
    Ok(frames)
}

/// Whether every number stays finite as `f32`.
fn fits_f32(pose: &Pose) -> bool {
    let is_small = |x: &f64| (*x as f32).is_finite();
    pose.locals
        .iter()
        .all(|t| t.translation.iter().chain(&t.scale).chain(t.rotation.coords.iter()).all(is_small))
}

fn check_garment(garment: &GlbGarment<'_>) -> Result<(), String> {
    let name = garment.name;
    let vertices = garment.frames[0].len();
    if vertices == 0 || garment.faces.is_empty() {
        return Err(format!("garment {name:?} has no vertex or no triangle"));
    }
    if let Some(face) = garment.faces.iter().position(|f| f.iter().any(|&v| v as usize >= vertices)) {
        return Err(format!("triangle {face} of garment {name:?} has a vertex beyond its {vertices}"));
    }
    if !garment.uvs.is_empty() && garment.uvs.len() != vertices {
        let count = garment.uvs.len();
        return Err(format!("garment {name:?} has {count} texture coordinates for {vertices} vertices"));
    }
    if !garment.uvs.iter().flatten().chain(&garment.color).all(|x| x.is_finite()) {
        return Err(format!("the colour or a texture coordinate of garment {name:?} is not finite"));
    }
    for (frame, positions) in garment.frames.iter().enumerate() {
        if positions.len() != vertices {
            let count = positions.len();
            return Err(format!("garment {name:?} has {count} vertices in frame {frame}, not {vertices}"));
        }
        // Half of the range, so that differences are finite as well.
        let is_fine = |x: &f32| x.abs() <= f32::MAX / 2.0;
        if let Some(vertex) = positions.iter().position(|p| !p.iter().all(is_fine)) {
            return Err(format!("vertex {vertex} of garment {name:?} is not finite in frame {frame}"));
        }
    }
    Ok(())
}
