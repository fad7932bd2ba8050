//! Bytes of a collection, unpacked when they are packed.

use flate2::read::MultiGzDecoder;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a stream is followed whose sender nobody knows: a small file can unpack to a huge one,
/// and whoever sent it may be gone before it is read.
pub struct Leash {
    /// Not more than so many bytes, unpacked.
    pub unpacked: u64,
    /// No further once this says so.
    pub is_over: Box<dyn Fn() -> bool + Send>,
}

/// A stream on a leash. Checked after unpacking, where a bomb is as large as it gets.
pub(super) struct Leashed<R> {
    pub inner: R,
    pub leash: Leash,
}

impl<R: Read> Read for Leashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.leash.is_over)() {
            return Err(io::Error::other("reading was stopped"));
        }
        let read = self.inner.read(buffer)?;
        self.leash.unpacked = (self.leash.unpacked)
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other("it unpacks to more than is taken"))?;
        Ok(read)
    }
}

/// A stream whose first bytes can be looked at. Unpacking goes along with the reading, so that a
/// small file that unpacks to a huge one takes time but no memory.
pub(super) struct Input {
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
    pub packed: bool,
}

/// How much is looked at to recognise a format.
const HEAD: u64 = 1 << 16;

/// The largest window that zstd uses up to level 19: 8 MiB. A frame may ask for gigabytes.
const ZSTD_WINDOW_LOG: u32 = 23;

impl Input {
    pub fn new(raw: impl Read + Send + 'static) -> io::Result<Input> {
        let mut raw = raw;
        let magic = read_head(&mut raw, 4)?;
        let gz = magic.starts_with(&[0x1f, 0x8b]);
        let zst = magic == [0x28, 0xb5, 0x2f, 0xfd];
        let whole = Cursor::new(magic).chain(raw);
        let mut rest: Box<dyn Read + Send> = if gz {
            Box::new(MultiGzDecoder::new(BufReader::new(whole)))
        } else if zst {
            let mut decoder = zstd::Decoder::new(whole)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        } else {
            Box::new(whole)
        };
        let head = read_head(&mut rest, HEAD)?;
        Ok(Input {
            head,
            rest,
            packed: gz || zst,
        })
    }

    /// Goes no further than the leash allows.
    pub fn on(self, leash: Leash) -> Input {
        let inner = self.rest;
        Input {
            rest: Box::new(Leashed { inner, leash }),
            ..self
        }
    }

    /// The first bytes, all of them if the stream is short.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The whole stream, from its first byte on.
    pub fn into_read(self) -> impl Read + Send + 'static {
        Cursor::new(self.head).chain(self.rest)
    }
}

/// As many bytes as asked for, or all there are; an error that comes after some bytes is met
/// again by whoever reads on.
fn read_head(input: &mut impl Read, wanted: u64) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    match input.take(wanted).read_to_end(&mut head) {
        Err(error) if head.is_empty() => Err(error),
        _ => Ok(head),
    }
}

/// Counts the bytes that pass, for a progress bar on another thread.
pub(super) struct Counted<R> {
    pub inner: R,
    pub count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Input::new(Cursor::new(bytes))?
            .into_read()
            .read_to_end(&mut all)?;
        Ok(all)
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn packed_bytes_are_unpacked_whatever_their_name() {
        let text = b"f5d6c3\n".repeat(20_000);
        assert_eq!(read(text.clone()).unwrap(), text);
        assert_eq!(read(gz(&text)).unwrap(), text);
        assert_eq!(read(zstd::encode_all(&text[..], 3).unwrap()).unwrap(), text);
        assert_eq!(read([gz(b"a"), gz(b"b")].concat()).unwrap(), b"ab");
        assert_eq!(read(Vec::new()).unwrap(), b"");
    }

    #[test]
    fn a_damaged_archive_is_an_error_and_not_an_end() {
        let mut state = 1u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 56) as u8
        })
        .take(300_000)
        .collect();
        for packed in [gz(&noise), zstd::encode_all(&noise[..], 3).unwrap()] {
            assert!(read(packed[..packed.len() / 2].to_vec()).is_err());
        }
    }

    #[test]
    fn a_zstd_frame_may_not_ask_for_gigabytes() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(27).unwrap();
        encoder.include_contentsize(false).unwrap();
        encoder.write_all(b"f5d6").unwrap();
        let bytes = encoder.finish().unwrap();
        assert!(Input::new(Cursor::new(bytes)).is_err());
    }

    #[test]
    fn a_leash_ends_a_bomb_by_its_size_or_from_outside() {
        use std::sync::atomic::AtomicBool;
        let bomb = zstd::encode_all(io::repeat(b' ').take(64 << 20), 3).unwrap();
        let read = |unpacked, stop: &Arc<AtomicBool>| {
            let stop = stop.clone();
            let is_over = Box::new(move || stop.load(Ordering::Relaxed));
            let input = Input::new(Cursor::new(bomb.clone())).unwrap();
            io::copy(
                &mut input.on(Leash { unpacked, is_over }).into_read(),
                &mut io::sink(),
            )
        };
        let stop = Arc::new(AtomicBool::new(false));
        assert_eq!(read(64 << 20, &stop).unwrap(), 64 << 20);
        assert!(read(32 << 20, &stop).is_err());
        stop.store(true, Ordering::Relaxed);
        assert!(read(64 << 20, &stop).is_err());
    }

    #[test]
    fn a_bomb_takes_no_memory() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        let zeros = vec![0; 1 << 20];
        for _ in 0..64 {
            encoder.write_all(&zeros).unwrap();
        }
        let input = Input::new(Cursor::new(encoder.finish().unwrap())).unwrap();
        assert_eq!(input.head().len(), HEAD as usize);
        let count = Arc::new(AtomicU64::new(0));
        let mut counted = Counted {
            inner: input.into_read(),
            count: count.clone(),
        };
        io::copy(&mut counted, &mut io::sink()).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 64 << 20);
    }
}
