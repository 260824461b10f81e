//! `--schema`: the JSON schema of a run of scenarios.

use std::path::Path;

use cloth_show::program::schema::{Document, root, write};
use cloth_show::program::{Failure, Status};
use cloth_verify::report::{SCHEMA_VERSION, VerifyReport};

/// All documents.
fn documents() -> Vec<Document> {
    vec![Document {
        name: "verify",
        call: "cargo xtask verify --json FILE",
        version: SCHEMA_VERSION,
        schema: root::<VerifyReport>(),
    }]
}

/// Writes the documents.
pub(crate) fn run(folder: &Path) -> Result<Status, Failure> {
    write(documents(), folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_of_docs_schema_are_those_of_the_types() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
        let stale = cloth_show::program::schema::stale(documents(), &folder).expect("JSON");
        assert_eq!(stale, Vec::<String>::new(), "run `cargo xtask schema`");
    }
}
