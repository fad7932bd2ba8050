//! Paths in JSON: text where they are, and their bytes where they are none.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum AnyPath {
    Text(String),
    #[cfg(unix)]
    Bytes(Vec<u8>),
}

pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    let path = match path.to_str() {
        Some(text) => AnyPath::Text(text.to_owned()),
        #[cfg(unix)]
        None => AnyPath::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        #[cfg(not(unix))]
        None => AnyPath::Text(path.display().to_string()),
    };
    path.serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(match AnyPath::deserialize(deserializer)? {
        AnyPath::Text(text) => text.into(),
        #[cfg(unix)]
        AnyPath::Bytes(bytes) => {
            use std::os::unix::ffi::OsStringExt;
            std::ffi::OsString::from_vec(bytes).into()
        }
    })
}
