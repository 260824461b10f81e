//! A map without one of its keys: what a table says of itself, its kind or its version, is put aside, and all
//! other keys are read by the type that they belong to, with their places in the file.

use std::fmt::{self, Display};

use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess,
    value::StringDeserializer,
};

/// Hands out the entries of a map but one.
pub(super) struct WithoutKey<A, T> {
    map: A,
    aside: &'static str,
    /// The value of that one, if it was there.
    pub(super) value: Option<T>,
    /// The keys of the others.
    pub(super) keys: Vec<String>,
}

impl<A, T> WithoutKey<A, T> {
    pub(super) fn new(map: A, aside: &'static str) -> Self {
        Self { map, aside, value: None, keys: Vec::new() }
    }
}

impl<'de, A: MapAccess<'de>, T: Deserialize<'de>> MapAccess<'de> for &mut WithoutKey<A, T> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, mut seed: K) -> Result<Option<K::Value>, A::Error> {
        loop {
            let key = KeySeed { seed, aside: self.aside, keys: &mut self.keys };
            match self.map.next_key_seed(key)? {
                None => return Ok(None),
                Some(Key::Other(key)) => return Ok(Some(key)),
                Some(Key::Aside(unused)) => {
                    self.value = Some(self.map.next_value()?);
                    seed = unused;
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// A key, or the unused seed of the key that is put aside.
enum Key<S, K> {
    Aside(S),
    Other(K),
}

struct KeySeed<'a, S> {
    seed: S,
    aside: &'static str,
    keys: &'a mut Vec<String>,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<'_, S> {
    type Value = Key<S, S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(d)?;
        if key == self.aside {
            return Ok(Key::Aside(self.seed));
        }
        self.keys.push(key.clone());
        let name: StringDeserializer<UnknownKey> = key.clone().into_deserializer();
        self.seed.deserialize(name).map(Key::Other).map_err(|UnknownKey(known)| {
            let known = known.iter().map(|known| format!(", `{known}`")).collect::<String>();
            D::Error::custom(format!("unknown field `{key}`, expected one of `{}`{known}", self.aside))
        })
    }
}

/// The keys that are known instead of an unknown one.
#[derive(Debug)]
struct UnknownKey(&'static [&'static str]);

impl Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown key")
    }
}

impl std::error::Error for UnknownKey {}

impl de::Error for UnknownKey {
    fn custom<M: Display>(_: M) -> Self {
        Self(&[])
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self(known)
    }
}
