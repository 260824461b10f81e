//! Writes `examples/scene.toml` and the files that it names to a folder, to try them:
//!
//! ```sh
//! cargo run -p cloth-scene --example write_scene -- FOLDER
//! cloth simulate FOLDER/scene.toml
//! ```

mod files;

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: write_scene FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    files::write_all(&folder)?;
    println!("{}: now `cloth simulate` it", folder.join("scene.toml").display());
    Ok(())
}
