//! `--schema`: the JSON schema of every `--json` of this program.

use std::path::Path;

use cloth_show::program::schema::{Document, root, write};
use cloth_show::program::{Failure, Status};
use cloth_verify::report::{SCHEMA_VERSION, VerifyReport};

use crate::campaign;

/// All documents.
fn documents() -> Vec<Document> {
    let document = |name, call, version, schema| Document { name, call, version, schema };
    let version = Some(SCHEMA_VERSION);
    vec![
        document("verify", "cargo xtask verify --json FILE", version, root::<VerifyReport>()),
        document(
            "verify-fuzz",
            "cargo xtask verify --fuzz N --json FILE",
            version,
            campaign::campaign_schema(),
        ),
        document(
            "verify-replay",
            "cargo xtask verify --replay SCENE --json FILE",
            None,
            campaign::replay_schema(),
        ),
    ]
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
