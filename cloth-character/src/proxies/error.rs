//! Why proxies could not be fitted.

use thiserror::Error;

/// What is wrong with the options of a fit; prints as one line.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ProxyError {
    /// No joint has this name.
    #[error("no bone is named {name:?}{}; the bones are: {known}", suggest(.nearest))]
    UnknownBone {
        /// The name as given.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// The names of all bones.
        known: String,
    },
    /// No proxy and no bone with proxies has this name.
    #[error("no proxy is named {name:?}{}; the proxies are: {known}", suggest(.nearest))]
    UnknownProxy {
        /// The name as given.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
        /// The names of all proxies.
        known: String,
    },
    /// A number is outside its range.
    #[error("{what} is {value}; it must be {needed}")]
    Parameter {
        /// The parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        needed: &'static str,
    },
    /// The shape of an added proxy has a number that is not finite or a negative radius.
    #[error("the added proxy {name:?} has a number that is not finite or a negative radius")]
    InvalidShape {
        /// The name of the proxy.
        name: String,
    },
    /// The skin cannot be posed: a matrix of the skeleton or a position overflows.
    #[error("the skin is not finite at the bind pose: check the scales and bind matrices of the character")]
    NotFinite,
}

fn suggest(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(", did you mean {name:?}?"))
}

impl ProxyError {
    pub(super) fn unknown_bone(name: &str, known: &[String]) -> Self {
        Self::UnknownBone { name: name.to_owned(), nearest: nearest(name, known), known: known.join(", ") }
    }

    pub(super) fn unknown_proxy(name: &str, known: &[String]) -> Self {
        Self::UnknownProxy { name: name.to_owned(), nearest: nearest(name, known), known: known.join(", ") }
    }
}

/// The most similar of the known names, if one is similar.
fn nearest(name: &str, known: &[String]) -> Option<String> {
    let word = name.to_lowercase();
    let similarity = |known: &String| strsim::jaro_winkler(&known.to_lowercase(), &word);
    let best = known.iter().map(|k| (similarity(k), k)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    best.filter(|(likeness, _)| *likeness > 0.7).map(|(_, k)| k.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_bone_gets_a_suggestion_and_the_list() {
        let known = ["pelvis", "thigh_l"].map(String::from);
        let text = ProxyError::unknown_bone("Thigh.l", &known).to_string();
        assert_eq!(
            text,
            "no bone is named \"Thigh.l\", did you mean \"thigh_l\"?; the bones are: pelvis, thigh_l"
        );
        assert_eq!(
            ProxyError::unknown_proxy("zzz", &known).to_string(),
            "no proxy is named \"zzz\"; the proxies are: pelvis, thigh_l"
        );
    }
}
