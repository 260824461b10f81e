//! The header is what cbindgen makes of the sources: `CLOTH_BLESS=1 cargo test --test header` writes it.

use std::path::Path;

#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("a configuration");
    let made = cbindgen::Builder::new().with_config(config).with_crate(root).generate().expect("a header");
    let mut text = Vec::new();
    made.write(&mut text);
    let text = String::from_utf8(text).expect("UTF-8");
    let path = root.join("include/cloth.h");
    if std::env::var_os("CLOTH_BLESS").is_some() {
        std::fs::write(&path, &text).expect("the header is written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "include/cloth.h is not current: CLOTH_BLESS=1 cargo test --test header");
}
