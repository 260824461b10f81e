//! Reads command lines: `--name value`, `--name=value`, `--flag` and other words.

/// What is left of a command line, from which its reader takes one option after the other.
pub(crate) struct Line {
    /// With their values, which are empty for flags.
    options: Vec<(String, String)>,
    words: Vec<String>,
}

impl Line {
    /// Divides a line; options that are not among the flags have a value.
    pub(crate) fn read(arguments: &[String], flags: &[&str]) -> Result<Self, String> {
        let (mut line, mut rest) = (Self { options: Vec::new(), words: Vec::new() }, arguments.iter());
        while let Some(word) = rest.next() {
            let Some(name) = word.strip_prefix("--") else {
                if word.starts_with('-') {
                    return Err(format!("unknown option `{word}`"));
                }
                line.words.push(word.clone());
                continue;
            };
            let (name, value) = match name.split_once('=') {
                Some(both) => both,
                None if flags.contains(&name) => (name, ""),
                None => (name, rest.next().ok_or_else(|| format!("`--{name}` needs a value"))?.as_str()),
            };
            line.options.push((name.to_owned(), value.to_owned()));
        }
        Ok(line)
    }

    /// All values of an option.
    pub(crate) fn all(&mut self, name: &str) -> Vec<String> {
        self.options.extract_if(.., |(known, _)| known == name).map(|(_, value)| value).collect()
    }

    /// The last value of an option, if it is given; all of them must pass the check.
    pub(crate) fn last<T>(
        &mut self,
        name: &str,
        check: impl Fn(String) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        Ok(self.all(name).into_iter().map(check).collect::<Result<Vec<T>, String>>()?.pop())
    }

    /// The same of an option whose value is one of some words.
    pub(crate) fn one_of(&mut self, name: &str, allowed: &[&str]) -> Result<Option<String>, String> {
        self.last(name, |value| match allowed.contains(&value.as_str()) {
            true => Ok(value),
            false => Err(format!("`--{name}` is `{value}`; one of {} is allowed", allowed.join(", "))),
        })
    }

    /// The name of a size of scenarios.
    pub(crate) fn size(&mut self) -> Result<Option<String>, String> {
        self.one_of("size", &["small", "medium", "large"])
    }

    /// The words that are no options; an error if an option is left.
    pub(crate) fn words(self) -> Result<Vec<String>, String> {
        match self.options.first() {
            Some((name, _)) => Err(format!("unknown option `--{name}`")),
            None => Ok(self.words),
        }
    }

    /// An error if anything is left.
    pub(crate) fn end(self) -> Result<(), String> {
        self.words()?.first().map_or(Ok(()), |word| Err(format!("`{word}` is no option")))
    }
}

/// A number from 1 to `most`, the value of an option.
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
        let read = |text: &str| Line::read(&line(text), &["quick"]);
        let mut found = read("a --size small --quick --runs=3 b").unwrap();
        assert_eq!((found.all("size"), found.all("runs")), (line("small"), line("3")));
        assert_eq!((found.all("quick"), found.words().unwrap()), (vec![String::new()], line("a b")));
        assert_eq!(read("--runs").err().unwrap(), "`--runs` needs a value");
        assert_eq!(read("-r 3").err().unwrap(), "unknown option `-r`");
    }

    #[test]
    fn every_value_is_checked_and_nothing_may_be_left() {
        let read = |text: &str| Line::read(&line(text), &[]).unwrap();
        let number = |text: &str| read(text).last("n", |value| count("n", &value, 9));
        assert_eq!((number("--n 3 --n 4"), number("")), (Ok(Some(4)), Ok(None)));
        assert_eq!(number("--n 0 --n 4").unwrap_err(), "`--n` is `0`; 1 to 9 is allowed");
        assert_eq!(read("--speed 3").end().unwrap_err(), "unknown option `--speed`");
        assert_eq!(read("x").end().unwrap_err(), "`x` is no option");
    }
}
