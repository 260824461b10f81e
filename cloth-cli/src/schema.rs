//! `cloth schema`: the JSON schema (draft 2020-12) of every `--json`, generated from the types that are
//! written.
//!
//! docs/schema holds the documents; a test of this file compares them with the types.

use std::io::Write;

use cloth_io::write_atomically;
use cloth_verify::report::{SCHEMA_VERSION as VERIFY_VERSION, VerifyReport};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::args::SchemaArgs;
use crate::commands::{ccd, check, cull, fuzz, pairs, simulate, untangle};
use crate::console;
use crate::failure::{Failure, Status};
use crate::json::SCHEMA_VERSION;

/// One document.
struct Document {
    /// Name of the file without its ending.
    name: &'static str,
    /// The call whose JSON it describes.
    call: &'static str,
    /// The version that the JSON carries as `schema_version`; none where it carries none.
    version: Option<u32>,
    schema: Schema,
}

/// The schema of what `T` serialises to.
pub(crate) fn root<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// All documents.
fn documents() -> Vec<Document> {
    let document = |name, call, version, schema| Document { name, call, version, schema };
    let (own, verify) = (Some(SCHEMA_VERSION), Some(VERIFY_VERSION));
    vec![
        document("verify", "cloth verify --json FILE", verify, root::<VerifyReport>()),
        document("verify-fuzz", "cloth verify --fuzz N --json FILE", verify, fuzz::campaign_schema()),
        document("verify-replay", "cloth verify --replay SCENE --json FILE", None, fuzz::replay_schema()),
        document("check", "cloth check MESH... --json FILE", own, check::schema()),
        document(
            "check-outfit",
            "cloth check GARMENT... --body BODY --json FILE",
            own,
            check::outfit_schema(),
        ),
        document("ccd", "cloth ccd QUERIES... --json FILE", own, ccd::schema()),
        document("ccd-candidates", "cloth ccd --candidates --json FILE", own, ccd::candidates_schema()),
        document("cull", "cloth cull MESH... --json FILE", own, cull::schema()),
        document("pairs", "cloth pairs --json FILE", own, pairs::schema()),
        document("untangle", "cloth untangle IN OUT.obj --json FILE", own, untangle::schema()),
        document("simulate", "cloth simulate SCENE.toml --json FILE", verify, simulate::schema()),
    ]
}

impl Document {
    /// The text of the file.
    fn text(mut self) -> Result<String, serde_json::Error> {
        self.schema.insert("title".into(), format!("`{}`", self.call).into());
        if let (Some(version), Some(property)) =
            (self.version, self.schema.pointer_mut("/properties/schema_version"))
        {
            let text = "Version of this format: adding a field keeps it, a changed meaning raises it.";
            *property = json!({"const": version, "description": text});
        }
        Ok(serde_json::to_string_pretty(&Value::from(self.schema))? + "\n")
    }
}

/// Writes the documents.
pub(crate) fn run(args: &SchemaArgs) -> Result<Status, Failure> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("{}: {e}; name a folder that can be made", folder.display())))?;
    for document in documents() {
        let path = folder.join(format!("{}.schema.json", document.name));
        let text = document
            .text()
            .map_err(|e| Failure::new(format!("{}: cannot be written as JSON: {e}", path.display())))?;
        write_atomically(&path, |w| w.write_all(text.as_bytes()))?;
        console::out(format!("{}\n", path.display()));
    }
    Ok(Status::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_of_docs_schema_are_those_of_the_types() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
        for document in documents() {
            let path = folder.join(format!("{}.schema.json", document.name));
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            let stale = format!("{}: run `cargo xtask schema`", path.display());
            assert!(kept == document.text().expect("JSON"), "{stale}");
        }
    }
}
