//! The weights file: named sections, each compressed, under one checksum.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic `EMILIAWT` |
//! | 4 | format version |
//! | 4 | number of sections |
//! | 8 | XXH3 of everything after this field |
//! | 32 each | section: name (24, padded with zeros), size (4), stored size (4) |
//! | | the sections, Zstandard |
//!
//! All numbers are little-endian. What a section means is for its owner: `model` reads the
//! patterns, `pairs` their pairs, the search its ProbCut table.

use std::io;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"EMILIAWT";
const VERSION: u32 = 1;
const HEADER: usize = 24;
const NAME: usize = 24;
const ENTRY: usize = NAME + 8;

/// A file that claims more is broken: the largest honest section is a tenth of this.
const MAX_SECTION: usize = 1 << 28;
const MAX_SECTIONS: usize = 16;

/// What is wrong with a weights file.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error("cannot read the weights file {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("this is no weights file: it does not start with EMILIAWT")]
    Magic,
    #[error("weights format {found} is unknown here (this program reads {VERSION})")]
    Version { found: u32 },
    #[error("the weights file ends too early: {needed} bytes needed, {found} there")]
    Truncated { needed: usize, found: usize },
    #[error("the weights file is damaged: its checksum does not match")]
    Checksum,
    #[error("the weights file lists {0} sections; no more than {MAX_SECTIONS} make sense")]
    TooManySections(usize),
    #[error("section {name} claims {size} bytes; no more than {MAX_SECTION} make sense")]
    TooLarge { name: String, size: usize },
    #[error("section {0} does not unpack to its stated size")]
    Unpack(String),
    #[error("the weights file has no section {0}")]
    Missing(&'static str),
    #[error("the ProbCut section is damaged: run `emilia train calibrate` on these weights")]
    Calibration,
    #[error(
        "the patterns or their pairs are for other shapes or stages: train them again with this \
         program"
    )]
    OtherShapes,
}

/// Sections by name, unpacked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    sections: Vec<(String, Vec<u8>)>,
}

impl Container {
    /// The bytes of a section.
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.sections
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, bytes)| &bytes[..])
    }

    /// Puts a section in, in place of one of the same name. A name longer than the format allows
    /// is cut.
    pub fn set(&mut self, name: &str, bytes: Vec<u8>) {
        let mut end = name.len().min(NAME);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        let name = &name[..end];
        match self.sections.iter_mut().find(|(known, _)| known == name) {
            Some(section) => section.1 = bytes,
            None => self.sections.push((name.to_owned(), bytes)),
        }
    }

    /// Takes a section out.
    pub fn take(&mut self, name: &str) -> Option<Vec<u8>> {
        let place = self.sections.iter().position(|(known, _)| known == name)?;
        Some(self.sections.remove(place).1)
    }

    /// The file of these sections. The same sections give the same bytes.
    #[cfg(not(target_family = "wasm"))]
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        self.packed(19)
    }

    /// The same for who comes next on this machine: made in a moment, and larger.
    #[cfg(not(target_family = "wasm"))]
    pub fn encode_quickly(&self) -> io::Result<Vec<u8>> {
        self.packed(1)
    }

    #[cfg(not(target_family = "wasm"))]
    fn packed(&self, level: i32) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        let mut stored = Vec::new();
        for (name, bytes) in &self.sections {
            let mut packer = zstd::bulk::Compressor::new(level)?;
            // A window as large as the section: rows of weights repeat a stage later.
            packer.window_log(25)?;
            let packed = packer.compress(bytes)?;
            let mut entry = [0; ENTRY];
            entry[..name.len()].copy_from_slice(name.as_bytes());
            entry[NAME..NAME + 4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            entry[NAME + 4..].copy_from_slice(&(packed.len() as u32).to_le_bytes());
            body.extend_from_slice(&entry);
            stored.extend_from_slice(&packed);
        }
        body.append(&mut stored);
        let mut file = Vec::with_capacity(HEADER + body.len());
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        file.extend_from_slice(&xxh3_64(&body).to_le_bytes());
        file.append(&mut body);
        Ok(file)
    }

    /// Reads a file, checking everything it says before believing it.
    pub fn decode(file: &[u8]) -> Result<Container, WeightsError> {
        let bytes = |at: usize, len: usize| {
            file.get(at..at + len).ok_or(WeightsError::Truncated {
                needed: at + len,
                found: file.len(),
            })
        };
        let number =
            |at: usize| bytes(at, 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
        if bytes(0, 8)? != MAGIC {
            return Err(WeightsError::Magic);
        }
        let version = number(8)? as u32;
        if version != VERSION {
            return Err(WeightsError::Version { found: version });
        }
        let count = number(12)?;
        if count > MAX_SECTIONS {
            return Err(WeightsError::TooManySections(count));
        }
        let checksum = bytes(16, 8)?;
        if xxh3_64(&file[HEADER..]).to_le_bytes() != checksum {
            return Err(WeightsError::Checksum);
        }
        let mut container = Container::default();
        let mut at = HEADER + count * ENTRY;
        for i in 0..count {
            let entry = HEADER + i * ENTRY;
            let name = bytes(entry, NAME)?;
            let end = name.iter().position(|&b| b == 0).unwrap_or(NAME);
            let name = String::from_utf8_lossy(&name[..end]).into_owned();
            let (size, stored) = (number(entry + NAME)?, number(entry + NAME + 4)?);
            if size > MAX_SECTION {
                return Err(WeightsError::TooLarge { name, size });
            }
            let packed = bytes(at, stored)?;
            at += stored;
            // A frame may announce its content's size: no memory is taken for a lie.
            match unpack(packed, size).filter(|bytes| bytes.len() == size) {
                Some(unpacked) => container.set(&name, unpacked),
                None => return Err(WeightsError::Unpack(name)),
            }
        }
        Ok(container)
    }
}

/// Unpacks no more than a section's stated size.
#[cfg(not(target_family = "wasm"))]
fn unpack(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    zstd::bulk::decompress(packed, size).ok()
}

/// The same without a library in C, which would need a compiler for WebAssembly.
#[cfg(target_family = "wasm")]
fn unpack(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    use io::Read;
    let mut bytes = Vec::with_capacity(size);
    let unpacker = ruzstd::decoding::StreamingDecoder::new(packed).ok()?;
    unpacker
        .take(size as u64 + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Container {
        let mut container = Container::default();
        container.set(
            "patterns",
            (0..20_000u32).map(|i| (i % 251) as u8).collect(),
        );
        container.set("manifest", b"seed 1".to_vec());
        container
    }

    /// The file with its checksum made good again, as a forger would.
    fn resealed(mut file: Vec<u8>) -> Vec<u8> {
        if file.len() > HEADER {
            let sum = xxh3_64(&file[HEADER..]);
            file[16..24].copy_from_slice(&sum.to_le_bytes());
        }
        file
    }

    #[test]
    fn sections_come_back_as_they_went_in() {
        let file = sample().encode().unwrap();
        assert_eq!(Container::decode(&file).unwrap(), sample());
        assert_eq!(file, sample().encode().unwrap());
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error_that_says_so() {
        let file = sample().encode().unwrap();
        for len in 0..file.len() {
            assert!(Container::decode(&file[..len]).is_err(), "cut at {len}");
        }
        let error = Container::decode(&file[..20]).unwrap_err();
        assert!(error.to_string().contains("ends too early"));
    }

    #[test]
    fn a_changed_byte_is_an_error_even_under_a_good_checksum() {
        let file = sample().encode().unwrap();
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 0x55;
            assert!(Container::decode(&damaged).is_err(), "byte {at}");
            // Resealed, it may decode to other sections, but it must not panic.
            let _ = Container::decode(&resealed(damaged));
        }
    }

    #[test]
    fn a_section_that_claims_gigabytes_is_refused_before_memory_is_taken() {
        let mut file = sample().encode().unwrap();
        file[HEADER + NAME..HEADER + NAME + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = Container::decode(&resealed(file)).unwrap_err();
        assert!(matches!(error, WeightsError::TooLarge { .. }), "{error}");
    }
}
