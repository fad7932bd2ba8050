//! A position's moves with what the book has where they lead, read once: what the rule derives
//! from, and what a search need not look at.

use crate::book::edge::{Destination, Edge, edges};
use crate::book::key::NodeKey;
use crate::book::node::{Derived, Node, Value};
use crate::book::rule::{Below, derive};
use crate::book::store::{Reader, StoreError};
use crate::othello::{Bitboard, Square};

/// The legal moves of a position, each with the book's knowledge of what comes after.
pub struct Family {
    key: NodeKey,
    moves: Vec<(Edge, Option<Below>)>,
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
                (edge, node.map(|node| Below::from(&node.derived)))
            })
            .collect();
        Ok(Family { key, moves })
    }

    /// From what somebody remembers of the positions below.
    pub fn remembered(key: NodeKey, below: impl Fn(NodeKey) -> Option<Below>) -> Family {
        let known = |edge: Edge| (edge, edge.child().and_then(&below));
        Family {
            key,
            moves: edges(key.board()).into_iter().map(known).collect(),
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

    /// The moves that the book or the end of the game answers for.
    pub fn settled(&self) -> Bitboard {
        let settled = |(edge, below): &&(Edge, Option<Below>)| {
            below.is_some() || matches!(edge.to, Destination::End(_))
        };
        let moves = self.moves.iter().filter(settled);
        moves.map(|(edge, _)| edge.square).collect()
    }

    /// The moves that nothing answers for.
    pub fn outside(&self) -> Bitboard {
        self.key.board().legal_moves() & !self.settled()
    }

    /// The positions of the book that moves lead to, with what the moves are worth as far as it is
    /// known.
    pub fn children(&self) -> impl Iterator<Item = (NodeKey, Option<Value>)> {
        self.moves.iter().filter_map(|(edge, below)| {
            let Destination::Position { key, sign } = edge.to else {
                return None;
            };
            below.map(|below| (key, below.value.map(|value| sign.value(value))))
        })
    }

    /// Where a move leads, unless it ends the game or is illegal.
    pub fn after(&self, square: Square) -> Option<NodeKey> {
        let mut moves = self.moves.iter();
        moves.find(|(edge, _)| edge.square == square)?.0.child()
    }

    /// What the best of the settled moves is worth, as far as values are known.
    pub fn best_settled(&self) -> Option<Value> {
        let value = |(edge, below): &(Edge, Option<Below>)| match edge.to {
            Destination::End(score) => Some(Value::of_score(score)),
            Destination::Position { sign, .. } => below
                .and_then(|below| below.value)
                .map(|value| sign.value(value)),
        };
        self.moves.iter().filter_map(value).max()
    }
}
