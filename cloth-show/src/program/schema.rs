//! The JSON schemas (draft 2020-12) of what programs write with `--json`, generated from the types that are
//! written. docs/schema holds them; a test of each program compares its own with the types.

use std::io::Write;
use std::path::Path;

use cloth_io::write_atomically;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::{Failure, Status, console};

/// One document.
pub struct Document {
    /// Name of the file without its ending.
    pub name: &'static str,
    /// The call whose JSON it describes.
    pub call: &'static str,
    /// The version that the JSON carries as `schema_version`.
    pub version: u32,
    /// What [`root`] or [`json::schema`](super::json::schema) has made.
    pub schema: Schema,
}

/// The schema of what `T` serialises to.
#[must_use]
pub fn root<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

impl Document {
    /// The name of the file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.schema.json", self.name)
    }

    /// The text of the file.
    ///
    /// # Errors
    /// If it cannot be written as JSON, which no type known to us does.
    pub fn text(mut self) -> Result<String, serde_json::Error> {
        self.schema.insert("title".into(), format!("`{}`", self.call).into());
        if let Some(property) = self.schema.pointer_mut("/properties/schema_version") {
            let text = "Version of this format: adding a field keeps it, a changed meaning raises it.";
            *property = json!({"const": self.version, "description": text});
        }
        Ok(serde_json::to_string_pretty(&Value::from(self.schema))? + "\n")
    }
}

/// Writes documents to a folder, which is made if need be, and prints their names.
///
/// # Errors
/// If the folder or a file cannot be written.
pub fn write(documents: Vec<Document>, folder: &Path) -> Result<Status, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("{}: {e}; name a folder that can be made", folder.display())))?;
    for document in documents {
        let path = folder.join(document.file_name());
        let text = document
            .text()
            .map_err(|e| Failure::new(format!("{}: cannot be written as JSON: {e}", path.display())))?;
        write_atomically(&path, |w| w.write_all(text.as_bytes()))?;
        console::out(format!("{}\n", path.display()));
    }
    Ok(Status::Clean)
}

/// The documents whose file in a folder is another one, or missing, by name.
///
/// # Errors
/// As [`Document::text`].
pub fn stale(documents: Vec<Document>, folder: &Path) -> Result<Vec<String>, serde_json::Error> {
    let mut stale = Vec::new();
    for document in documents {
        let name = document.file_name();
        let kept = std::fs::read_to_string(folder.join(&name)).unwrap_or_default();
        if kept != document.text()? {
            stale.push(name);
        }
    }
    Ok(stale)
}
