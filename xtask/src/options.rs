//! Reads command lines: `--name value`, `--name=value`, `--flag` and other words.

/// Options with their values, in the order of the line; flags have an empty value, and other words an empty
/// name.
pub(crate) fn words(arguments: &[String], flags: &[&str]) -> Result<Vec<(String, String)>, String> {
    let (mut found, mut rest) = (Vec::new(), arguments.iter());
    while let Some(word) = rest.next() {
        let Some(name) = word.strip_prefix("--") else {
            if word.starts_with('-') {
                return Err(format!("unknown option `{word}`"));
            }
            found.push((String::new(), word.clone()));
            continue;
        };
        found.push(match name.split_once('=') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None if flags.contains(&name) => (name.to_owned(), String::new()),
            None => {
                let value = rest.next().ok_or_else(|| format!("`--{name}` needs a value"))?;
                (name.to_owned(), value.clone())
            }
        });
    }
    Ok(found)
}

/// A value that must be one of some words.
pub(crate) fn one_of(name: &str, value: String, allowed: &[&str]) -> Result<String, String> {
    match allowed.contains(&value.as_str()) {
        true => Ok(value),
        false => Err(format!("`--{name}` is `{value}`; one of {} is allowed", allowed.join(", "))),
    }
}

/// The name of a size of scenarios.
pub(crate) fn size(value: String) -> Result<String, String> {
    one_of("size", value, &["small", "medium", "large"])
}

/// A number from 1 to `most`.
pub(crate) fn count(name: &str, value: &str, most: usize) -> Result<usize, String> {
    match value.parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(format!("`--{name}` is `{value}`; 1 to {most} is allowed")),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A command line as the shell divides it.
    pub(crate) fn line(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn takes_values_behind_a_blank_or_an_equals_sign() {
        let found = words(&line("a --size small --quick --runs=3 b"), &["quick"]).unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(found, [("", "a"), ("size", "small"), ("quick", ""), ("runs", "3"), ("", "b")]);
        assert_eq!(words(&line("--runs"), &[]).unwrap_err(), "`--runs` needs a value");
        assert_eq!(words(&line("-r 3"), &[]).unwrap_err(), "unknown option `-r`");
    }
}
