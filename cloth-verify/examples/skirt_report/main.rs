//! Tables about the skirt of three layers: what a cache spares, what regions spare, what representative
//! triangles spare, and how long layers that start swapped take to come right. Times are of one thread.
//!
//! `cargo run --release -p cloth-verify --example skirt_report -- [SIZE]`

mod features;
mod runs;
mod swap;

use cloth_scene::RegionInteraction;
use cloth_solver::{ContactSource, Interaction, RegionDesc};
use cloth_verify::scenario::{Setup, SetupError};
use cloth_verify::{Size, scenarios};

use runs::Run;
use swap::Keeping;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let size: Size = std::env::args().nth(1).map_or(Ok(Size::Medium), |word| word.parse())?;
    let skirt = scenarios::all().iter().find(|s| s.name == "layered-skirt").ok_or("there is no skirt")?;
    let scene = || (skirt.build)(size);
    let count = scene()?.scene.vertex_count();
    println!("# layered-skirt, {size}: {count} particles");
    let middle = sources(&scene)?;
    regions(&scene)?;
    let thickness = f64::from(scene()?.scene.thinnest().map_or(0.0, |thickness| thickness.total()));
    println!("\n## Representative triangles, in the middle of the kicks\n");
    features::print(&middle.middle, thickness);
    println!("\nThe same with three times the reach, as a substep of fast motion has\n");
    features::print(&middle.middle, 3.0 * thickness);
    swapped(&scene)?;
    Ok(())
}

type Scene<'a> = &'a dyn Fn() -> Result<Setup, SetupError>;

/// Where contacts come from; returns the run of the scene as it is.
fn sources(scene: Scene<'_>) -> Result<Run, SetupError> {
    println!("\n## Where contacts come from\n\n| source |{}", Run::HEADING);
    let mut as_it_is = None;
    let detected = ContactSource::Detected;
    let own = scene()?.scene.settings.contacts;
    for (name, contacts, order) in [
        ("order, computed once", own, true),
        ("order, detected", detected, true),
        ("no order, detected", detected, false),
    ] {
        let mut setup = scene()?;
        setup.scene.settings.contacts = contacts;
        setup.scene.settings.layer_order = order;
        let run = runs::run(setup);
        println!("{}", run.row(name));
        as_it_is = as_it_is.or(Some(run));
    }
    Ok(as_it_is.unwrap_or(runs::run(scene()?)))
}

/// Each setting of the table of regions, where contacts are detected and layers in order.
fn regions(scene: Scene<'_>) -> Result<(), SetupError> {
    println!("\n## Regions: between layers, within a layer\n\n| setting |{}", Run::HEADING);
    let settings = [Interaction::None, Interaction::Particles, Interaction::FullMesh];
    let name = |layer: usize| format!("layer {layer}");
    for (between, within) in settings.into_iter().flat_map(|a| settings.map(|b| (a, b))) {
        let mut setup = scene()?;
        setup.scene.settings.contacts = ContactSource::Detected;
        for (layer, cloth) in setup.scene.cloths.iter_mut().enumerate() {
            let all = (0..cloth.mesh.faces.len() as u32).collect();
            cloth.regions = vec![RegionDesc::from_faces(name(layer), all)];
        }
        let layers = setup.scene.cloths.len();
        let rule = |layer| RegionInteraction { between: [name(layer), name(layer)], kind: within };
        setup.scene.default_interaction = between;
        setup.scene.interactions = (0..layers).map(rule).collect();
        let run = runs::run(setup);
        println!("{}", run.row(&format!("{}, {}", word(between), word(within))));
    }
    Ok(())
}

fn word(interaction: Interaction) -> &'static str {
    match interaction {
        Interaction::None => "none",
        Interaction::Particles => "particles",
        Interaction::FullMesh => "full mesh",
    }
}

/// Layers that start swapped in a patch.
fn swapped(scene: Scene<'_>) -> Result<(), SetupError> {
    let faces = 2 * swap::CELLS[0] * swap::CELLS[1];
    println!("\n## Two layers swapped in a patch of {faces} triangles at the start\n");
    println!(
        "| kept apart by | legs | intersections at the start | first frame without | frames with | at the \
         end |"
    );
    println!("|---|---|---|---|---|---|");
    for keeping in [Keeping::Order, Keeping::DetectedOrder, Keeping::NoOrder] {
        for kick in [false, true] {
            let mut setups = [scene()?, scene()?];
            if !kick {
                setups.iter_mut().for_each(|setup| setup.driver = None);
            }
            let counts = swap::run(setups, keeping);
            let first = counts.first_clean().map_or("none".into(), |frame| frame.to_string());
            println!(
                "| {} | {} | {} | {first} | {} | {} |",
                keeping.name(),
                if kick { "kick" } else { "stand" },
                counts.at_the_start(),
                counts.frames_with(),
                counts.at_the_end()
            );
        }
    }
    Ok(())
}
