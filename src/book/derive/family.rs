//! A position's moves with what the book has where they lead, read once: what the rule derives
//! from, and what a search need not look at.

use crate::book::edge::{Destination, Edge, edges};
use crate::book::key::NodeKey;
use crate::book::node::{Derived, Node, Told, Value};
use crate::book::rule::derive;
use crate::book::store::{Reader, StoreError};
use crate::othello::{Bitboard, Square};

/// The legal moves of a position, each with the book's knowledge of what comes after.
pub struct Family {
    key: NodeKey,
    moves: Vec<(Edge, Option<Told>)>,
}

impl Family {
    pub fn read(reader: &Reader<'_>, key: NodeKey) -> Result<Family, StoreError> {
        let edges = edges(key.board());
        let children: Vec<NodeKey> = edges.iter().filter_map(Edge::child).collect();
        let mut found = reader.nodes(&children)?.into_iter();
        let moves = edges
            .into_iter()
            .map(|edge| {
                let node = edge.child().and_then(|_| found.next().flatten());
                (edge, node.map(|node| node.derived.told()))
            })
            .collect();
        Ok(Family { key, moves })
    }

    /// From what somebody remembers of the positions below.
    pub fn remembered(key: NodeKey, below: impl Fn(NodeKey) -> Option<Told>) -> Family {
        Family::of_edges(key, &edges(key.board()), below)
    }

    /// The same from who remembers the legal moves as well.
    pub fn of_edges(
        key: NodeKey,
        edges: &[Edge],
        below: impl Fn(NodeKey) -> Option<Told>,
    ) -> Family {
        let known = |edge: &Edge| (*edge, edge.child().and_then(&below));
        Family {
            key,
            moves: edges.iter().map(known).collect(),
        }
    }

    pub fn key(&self) -> NodeKey {
        self.key
    }

    /// The derived part of the position's node.
    pub fn derive(&self, node: &Node) -> Derived {
        derive(self.key, node, |child| {
            let mut moves = self.moves.iter();
            moves.find(|(edge, _)| edge.child() == Some(child))?.1
        })
    }

    /// The moves that have a value: the book's, or the end of the game.
    pub fn valued(&self) -> Bitboard {
        let valued = self.moves.iter().filter(|one| worth(one).is_some());
        valued.map(|(edge, _)| edge.square).collect()
    }

    /// The moves that nothing but a search can tell about: those that lead out of the book, or to
    /// a position of it that has no value.
    pub fn open(&self) -> Bitboard {
        self.key.board().legal_moves() & !self.valued()
    }

    /// The moves that lead out of the book.
    pub fn outside(&self) -> Bitboard {
        let outside =
            |(edge, told): &&(Edge, Option<Told>)| edge.child().is_some() && told.is_none();
        let moves = self.moves.iter().filter(outside);
        moves.map(|(edge, _)| edge.square).collect()
    }

    /// The positions of the book that moves lead to, with what the moves are worth as far as it is
    /// known.
    pub fn children(&self) -> impl Iterator<Item = (NodeKey, Option<Value>)> {
        self.moves.iter().filter_map(|one| {
            let (edge, told) = one;
            Some((edge.child()?, told.as_ref().map(|_| worth(one))?))
        })
    }

    /// Where a move leads, unless it ends the game or is illegal.
    pub fn after(&self, square: Square) -> Option<NodeKey> {
        let mut moves = self.moves.iter();
        moves.find(|(edge, _)| edge.square == square)?.0.child()
    }

    /// What the best of the moves is worth that have a value.
    pub fn best_valued(&self) -> Option<Value> {
        self.moves.iter().filter_map(worth).max()
    }
}

/// What a move is worth without any search, if that is known.
fn worth((edge, told): &(Edge, Option<Told>)) -> Option<Value> {
    match edge.to {
        Destination::End(score) => Some(Value::of_score(score)),
        Destination::Position { sign, .. } => {
            let value = told.as_ref().and_then(|told| told.value);
            value.map(|value| sign.value(value))
        }
    }
}
