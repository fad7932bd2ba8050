//! The name of a position in the database: 17 bytes, the same for all eight symmetric images.
//!
//! | bytes | |
//! |---|---|
//! | 0 | disc count: the layer |
//! | 1–8 | occupied squares, big-endian |
//! | 9–16 | the mover's discs, big-endian |
//!
//! Occupied squares come before the mover's discs, and the canonical image is the smallest in that
//! order, so that all positions on the same squares are neighbours. That is how parents are found
//! without a stored link: a parent's occupied squares are the child's without the last move's, so
//! one short look per disc finds them all. Trying every way to un-turn discs instead takes
//! thousands of looks where one player owns most of the board.

use crate::othello::{Bitboard, Board, Symmetry};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// A canonical board. Ordered as its bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct NodeKey(Board);

impl From<NodeKey> for Vec<u8> {
    fn from(key: NodeKey) -> Vec<u8> {
        key.to_bytes().into()
    }
}

impl TryFrom<Vec<u8>> for NodeKey {
    type Error = KeyError;

    fn try_from(bytes: Vec<u8>) -> Result<NodeKey, KeyError> {
        NodeKey::from_bytes(&bytes)
    }
}

/// Bytes that are no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("a key has {expected} bytes, this one {0}", expected = NodeKey::BYTES)]
    Length(usize),
    #[error("the mover has discs on squares that are not occupied")]
    Discs,
    #[error("the key says {said} discs, the board has {found}")]
    Layer { said: u8, found: u8 },
    #[error("the board is not the canonical one of its eight images")]
    NotCanonical,
}

impl NodeKey {
    pub const BYTES: usize = 17;
    /// The bytes that all positions on the same squares share.
    pub const SHAPE_BYTES: usize = 9;

    #[inline]
    pub fn of(board: Board) -> NodeKey {
        NodeKey::with_symmetry(board).0
    }

    /// The key, and the symmetry that turns `board` into the key's board.
    #[inline]
    pub fn with_symmetry(board: Board) -> (NodeKey, Symmetry) {
        let (occupied, mover) = (board.occupied(), board.mover());
        let mut best = (occupied, mover, Symmetry::IDENTITY);
        for symmetry in Symmetry::all().skip(1) {
            let squares = symmetry.apply(occupied);
            if squares > best.0 {
                continue;
            }
            let discs = symmetry.apply(mover);
            if squares < best.0 || discs < best.1 {
                best = (squares, discs, symmetry);
            }
        }
        let (occupied, mover, symmetry) = best;
        // A symmetry moves squares one to one, so the discs stay apart.
        let canonical = Board::new(mover, occupied ^ mover).unwrap_or(board);
        (NodeKey(canonical), symmetry)
    }

    #[inline]
    pub const fn board(self) -> Board {
        self.0
    }

    pub const fn layer(self) -> Layer {
        // A board has 64 squares.
        Layer(self.0.disc_count() as u8)
    }

    pub fn to_bytes(self) -> [u8; NodeKey::BYTES] {
        let mut bytes = [0; NodeKey::BYTES];
        let (shape, mover) = bytes.split_at_mut(NodeKey::SHAPE_BYTES);
        shape.copy_from_slice(&shape_bytes(self.0.occupied()));
        mover.copy_from_slice(&self.0.mover().0.to_be_bytes());
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<NodeKey, KeyError> {
        let bytes: &[u8; NodeKey::BYTES] = bytes
            .try_into()
            .map_err(|_| KeyError::Length(bytes.len()))?;
        let &[said, a, b, c, d, e, f, g, h, rest @ ..] = bytes;
        let occupied = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        let mover = u64::from_be_bytes(rest);
        let board =
            Board::new(Bitboard(mover), Bitboard(occupied ^ mover)).ok_or(KeyError::Discs)?;
        let found = board.disc_count() as u8;
        if said != found {
            return Err(KeyError::Layer { said, found });
        }
        let key = NodeKey::of(board);
        if key.0 != board {
            return Err(KeyError::NotCanonical);
        }
        Ok(key)
    }

    fn order(self) -> (u32, Bitboard, Bitboard) {
        let board = self.0;
        (board.disc_count(), board.occupied(), board.mover())
    }
}

impl Ord for NodeKey {
    fn cmp(&self, other: &NodeKey) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for NodeKey {
    fn partial_cmp(&self, other: &NodeKey) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The canonical board as people read it: X is the player to move.
impl fmt::Display for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = crate::othello::Position {
            board: self.0,
            turn: crate::othello::Color::Black,
        };
        fmt::Display::fmt(&position, f)
    }
}

impl fmt::Debug for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The first bytes of all keys whose canonical board occupies these squares.
pub(in crate::book) fn shape_bytes(occupied: Bitboard) -> [u8; NodeKey::SHAPE_BYTES] {
    let mut bytes = [0; NodeKey::SHAPE_BYTES];
    let (layer, squares) = bytes.split_at_mut(1);
    layer.fill(occupied.count() as u8);
    squares.copy_from_slice(&occupied.0.to_be_bytes());
    bytes
}

/// The canonical image of a set of occupied squares: what a key's board occupies.
pub(in crate::book) fn canonical_shape(occupied: Bitboard) -> Bitboard {
    Symmetry::all()
        .map(|symmetry| symmetry.apply(occupied))
        .min()
        .unwrap_or(occupied)
}

/// All positions with the same number of discs. Every edge leads to the next layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Layer(u8);

impl Layer {
    /// Of the board without a disc.
    pub const EMPTY: Layer = Layer(0);
    /// The start position's.
    pub const FIRST: Layer = Layer(4);

    /// The layer of this many discs, up to a full board.
    pub const fn of_discs(discs: u8) -> Option<Layer> {
        if discs <= 64 {
            Some(Layer(discs))
        } else {
            None
        }
    }

    /// All layers, the emptiest board first.
    pub fn all() -> impl DoubleEndedIterator<Item = Layer> {
        (0..=64).map(Layer)
    }

    pub const fn discs(self) -> u8 {
        self.0
    }

    /// Moves since the start; 0 before it.
    pub const fn plies(self) -> u8 {
        self.0.saturating_sub(Layer::FIRST.0)
    }

    /// Where every move leads; none from a full board.
    pub const fn next(self) -> Option<Layer> {
        Layer::of_discs(self.0 + 1)
    }

    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The keys of the layer begin here …
    pub const fn first_bytes(self) -> [u8; 1] {
        [self.0]
    }

    /// … and end before this.
    pub const fn end_bytes(self) -> [u8; 1] {
        [self.0 + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_board() -> impl Strategy<Value = Board> {
        (any::<u64>(), any::<u64>()).prop_map(|(discs, colours)| {
            Board::new(Bitboard(discs & colours), Bitboard(discs & !colours)).unwrap()
        })
    }

    #[test]
    fn the_start_has_these_bytes() {
        let bytes = NodeKey::of(Board::START).to_bytes();
        let expected = [
            4, 0, 0, 0, 0x18, 0x18, 0, 0, 0, 0, 0, 0, 0x08, 0x10, 0, 0, 0,
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn what_is_no_key_is_told_why() {
        let good = NodeKey::of(Board::START.play("f5".parse().unwrap()).unwrap());
        let changed = |change: fn(&mut Vec<u8>)| {
            let mut bytes = good.to_bytes().to_vec();
            change(&mut bytes);
            NodeKey::from_bytes(&bytes)
        };
        assert_eq!(changed(|_| ()), Ok(good));
        assert_eq!(changed(|b| b.truncate(16)), Err(KeyError::Length(16)));
        let layer = KeyError::Layer { said: 9, found: 5 };
        assert_eq!(changed(|b| b[0] = 9), Err(layer));
        assert_eq!(changed(|b| b[9] = 0xff), Err(KeyError::Discs));
        assert_eq!(
            changed(|b| {
                b[1..9].reverse();
                b[9..].reverse();
            }),
            Err(KeyError::NotCanonical)
        );
    }

    proptest! {
        #[test]
        fn all_images_of_a_board_share_one_key(board in any_board()) {
            let key = NodeKey::of(board);
            for symmetry in Symmetry::all() {
                let image = board.under(symmetry);
                let (found, path) = NodeKey::with_symmetry(image);
                prop_assert_eq!(found, key);
                prop_assert_eq!(image.under(path), key.board());
            }
            prop_assert_eq!(canonical_shape(board.occupied()), key.board().occupied());
        }

        #[test]
        fn keys_read_back_and_are_ordered_as_their_bytes(a in any_board(), b in any_board()) {
            let (a, b) = (NodeKey::of(a), NodeKey::of(b));
            prop_assert_eq!(NodeKey::from_bytes(&a.to_bytes()), Ok(a));
            prop_assert_eq!(a.cmp(&b), a.to_bytes().cmp(&b.to_bytes()));
            prop_assert!(a.to_bytes().starts_with(&shape_bytes(a.board().occupied())));
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            let _ = NodeKey::from_bytes(&bytes);
        }
    }
}
