//! Positions of a file in the order of keys, however many there are: what does not fit into the
//! memory is sorted in parts, and these wait on the disk until they are read side by side.

use crate::book::absorb::Incoming;
use crate::book::codec;
use crate::book::key::{Layer, NodeKey};
use crate::book::knowledge::{join, larger_count};
use crate::games::ScratchFile;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// Positions that are sorted at once: some 60 MB.
const ROWS_AT_ONCE: usize = 1 << 19;
/// A part that is not larger stays in memory.
const BYTES_IN_MEMORY: usize = 4 << 20;
const BUFFER_BYTES: usize = 1 << 16;

/// A file for what is needed only now: in memory while it is small, then on a disk.
pub fn temporary() -> ScratchFile {
    ScratchFile::new(BYTES_IN_MEMORY)
}

/// Positions on the disk, those of a layer side by side.
pub struct Run {
    file: BufWriter<ScratchFile>,
    written: u64,
    /// Where the positions of each layer begin, and how many there are.
    layers: Vec<(u64, u64)>,
    last: Option<Layer>,
}

impl Run {
    pub fn new() -> Run {
        Run {
            file: BufWriter::with_capacity(BUFFER_BYTES, temporary()),
            written: 0,
            layers: vec![(0, 0); Layer::all().count()],
            last: None,
        }
    }

    /// Layers may come in any order, each of them whole, and its positions in order.
    pub fn push(&mut self, row: &Incoming) -> io::Result<()> {
        let layer = row.key.layer();
        let place = &mut self.layers[layer.index()];
        if self.last != Some(layer) {
            place.0 = self.written;
            self.last = Some(layer);
        }
        place.1 += 1;
        let node = codec::node_to_bytes(row.key, &row.node);
        let node = node.as_ref();
        let counted = row.counted.as_ref().map(codec::statistics_to_bytes);
        let counted = counted.as_ref().map_or(&[][..], |bytes| &bytes[..]);
        // Both are shorter than 64 bytes.
        self.file
            .write_all(&[node.len() as u8, counted.len() as u8])?;
        self.file.write_all(&row.key.to_bytes())?;
        self.file.write_all(node)?;
        self.file.write_all(counted)?;
        self.written += (2 + NodeKey::BYTES + node.len() + counted.len()) as u64;
        Ok(())
    }

    pub fn positions(&self) -> u64 {
        self.layers.iter().map(|(_, rows)| rows).sum()
    }

    pub fn rows(&mut self, layer: Layer) -> io::Result<RunRows<'_>> {
        let (begin, left) = self.layers[layer.index()];
        self.file.flush()?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(begin))?;
        // Nothing is pushed after this but what is pushed at its end.
        self.last = None;
        Ok(RunRows {
            input: BufReader::with_capacity(BUFFER_BYTES, file),
            left,
        })
    }
}

/// The positions of one layer, one after the other.
pub struct RunRows<'a> {
    input: BufReader<&'a mut ScratchFile>,
    left: u64,
}

impl RunRows<'_> {
    pub fn next(&mut self) -> io::Result<Option<Incoming>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut head = [0; 2 + NodeKey::BYTES];
        self.input.read_exact(&mut head)?;
        let [node, counted, key @ ..] = head;
        let mut bytes = [0; 2 * u8::MAX as usize];
        let bytes = &mut bytes[..usize::from(node) + usize::from(counted)];
        self.input.read_exact(bytes)?;
        let (node, counted) = bytes.split_at(node.into());
        let key = NodeKey::from_bytes(&key).map_err(io::Error::other)?;
        let statistics = codec::statistics_from_bytes;
        Ok(Some(Incoming {
            key,
            node: codec::node_from_bytes(key, node).map_err(io::Error::other)?,
            counted: match counted {
                [] => None,
                counted => Some(statistics(counted).map_err(io::Error::other)?),
            },
            linked: false,
        }))
    }

    /// Up to so many, in order; none after the last.
    pub fn next_chunk(&mut self, most: usize) -> io::Result<Vec<Incoming>> {
        let mut chunk = Vec::new();
        while chunk.len() < most
            && let Some(row) = self.next()?
        {
            chunk.push(row);
        }
        Ok(chunk)
    }
}

/// Puts positions in order that come in none.
#[derive(Default)]
pub struct Sorter {
    waiting: Vec<Incoming>,
    runs: Vec<Run>,
    /// How many are sorted at once, where that is not the usual number.
    at_once: Option<usize>,
}

impl Sorter {
    pub fn push(&mut self, row: Incoming) -> io::Result<()> {
        self.waiting.push(row);
        if self.waiting.len() >= self.at_once.unwrap_or(ROWS_AT_ONCE) {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        self.waiting.par_sort_unstable_by_key(|row| row.key);
        let mut run = Run::new();
        for row in self.waiting.drain(..) {
            run.push(&row)?;
        }
        self.runs.push(run);
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<Sorted> {
        self.write()?;
        Ok(Sorted { runs: self.runs })
    }
}

/// Positions in order.
pub struct Sorted {
    runs: Vec<Run>,
}

impl Sorted {
    /// Shows the positions of one layer in order, each once: what several records say of it is
    /// joined. `twice` hears of each record that is not the first.
    pub fn for_each(
        &mut self,
        layer: Layer,
        mut twice: impl FnMut(NodeKey),
        mut see: impl FnMut(Incoming) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut runs = Vec::new();
        let mut heads: BinaryHeap<Reverse<(NodeKey, usize)>> = BinaryHeap::new();
        for run in &mut self.runs {
            let mut rows = run.rows(layer)?;
            if let Some(row) = rows.next()? {
                heads.push(Reverse((row.key, runs.len())));
                runs.push((row, rows));
            }
        }
        let mut next: Option<Incoming> = None;
        while let Some(Reverse((key, place))) = heads.pop() {
            let (head, rows) = &mut runs[place];
            let row = *head;
            if let Some(following) = rows.next()? {
                heads.push(Reverse((following.key, place)));
                *head = following;
            }
            match &mut next {
                Some(known) if known.key == key => {
                    both(known, &row);
                    twice(key);
                }
                _ => {
                    if let Some(done) = next.replace(row) {
                        see(done)?;
                    }
                }
            }
        }
        next.map_or(Ok(()), see)
    }
}

/// What two records say of one position.
fn both(known: &mut Incoming, other: &Incoming) {
    known.node = join(&known.node, &other.node);
    known.counted = match (known.counted, other.counted) {
        (Some(one), Some(other)) => Some(larger_count(one, other)),
        (one, other) => one.or(other),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::node::{Evaluation, Node, Origin};
    use crate::book::statistics::Statistics;
    use crate::book::tests::{any_level, any_value};
    use crate::book::{EngineNumber, edges};
    use crate::othello::{Board, Random};
    use std::collections::BTreeMap;

    /// Records of positions near the start, some of them several times.
    fn records(count: u32, seed: u64) -> Vec<Incoming> {
        let mut random = Random::new(seed);
        let one = |_| {
            let mut key = NodeKey::of(Board::START);
            for _ in 0..1 + random.below(6) {
                let moves = edges(key.board());
                let edge = &moves[random.below(moves.len() as u64) as usize];
                key = edge.child().unwrap_or(key);
            }
            let mut node = Node::new(Origin::Import);
            node.evaluation = Some(Evaluation {
                value: any_value(&mut random),
                level: any_level(&mut random),
                engine: EngineNumber(1),
            });
            let counted = (random.below(2) == 0).then(|| Statistics {
                games: random.below(9) as u32,
                ..Statistics::default()
            });
            Incoming {
                key,
                node,
                counted,
                linked: false,
            }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn what_is_sorted_in_parts_comes_out_as_if_it_were_all_in_memory() {
        for at_once in [1, 7, 100, 5000] {
            let all = records(2000, at_once as u64);
            let mut simple: BTreeMap<NodeKey, Incoming> = BTreeMap::new();
            for row in &all {
                let known = simple.entry(row.key).or_insert(*row);
                both(known, row);
            }
            let mut sorter = Sorter {
                at_once: Some(at_once),
                ..Sorter::default()
            };
            for row in &all {
                sorter.push(*row).unwrap();
            }
            let mut sorted = sorter.finish().unwrap();
            let (mut seen, mut again) = (Vec::new(), 0);
            for layer in Layer::all() {
                let see = |row| {
                    seen.push(row);
                    Ok(())
                };
                sorted.for_each(layer, |_| again += 1, see).unwrap();
            }
            assert_eq!(seen.len() + again, all.len());
            assert!(seen == simple.into_values().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_run_gives_back_any_layer_at_any_time() {
        let mut rows = records(300, 3);
        rows.sort_by_key(|row| (Reverse(row.key.layer()), row.key));
        rows.dedup_by_key(|row| row.key);
        let mut run = Run::new();
        for row in &rows {
            run.push(row).unwrap();
        }
        assert_eq!(run.positions(), rows.len() as u64);
        for layer in Layer::all().chain(Layer::all()) {
            let here = rows.iter().filter(|row| row.key.layer() == layer);
            let here: Vec<Incoming> = here.copied().collect();
            let found = run.rows(layer).unwrap().next_chunk(usize::MAX).unwrap();
            assert_eq!(found, here);
        }
    }
}
