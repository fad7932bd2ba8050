//! How to get to a position of the book.

use crate::book::edge::{Destination, edges};
use crate::book::key::NodeKey;
use crate::book::parents::ParentFinder;
use crate::book::store::{Reader, StoreError};
use crate::othello::{Position, Square};

/// One way from the start to a position, along positions of the book. None where the first parents
/// that are found do not lead up to the start, as for what came in from another start.
pub fn way_to(reader: &Reader<'_>, key: NodeKey) -> Result<Option<Vec<Square>>, StoreError> {
    let start = NodeKey::of(Position::START.board);
    let mut finder = ParentFinder::new(reader)?;
    let mut up = vec![key];
    let mut at = key;
    while at != start {
        let Some(&parent) = finder.find(at)?.first() else {
            return Ok(None);
        };
        up.push(parent);
        at = parent;
    }
    let mut position = Position::START;
    let mut moves = Vec::with_capacity(up.len());
    for &next in up.iter().rev().skip(1) {
        let leads =
            |to: Destination| matches!(to, Destination::Position { key, .. } if key == next);
        let mut ways = edges(position.board).into_iter();
        let edge = ways.find(|edge| leads(edge.to));
        let after = edge.and_then(|edge| Some((edge.square, position.play(edge.square).ok()?)));
        let Some((square, after)) = after else {
            return Ok(None);
        };
        moves.push(square);
        position = after;
    }
    Ok(Some(moves))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::tests::{learn_all, new_store};
    use crate::games::SampleGames;

    #[test]
    fn a_way_leads_to_its_position_and_to_no_stranger() {
        let (_folder, store) = new_store();
        let game = SampleGames::new(7).next().unwrap();
        learn_all(&store, std::slice::from_ref(&game), 20, 1);
        let reader = store.reader();
        let mut position = Position::START;
        for &square in game.moves().iter().take(20) {
            position = position.play(square).unwrap();
            let key = NodeKey::of(position.board);
            let way = way_to(&reader, key).unwrap().unwrap();
            let end = way
                .iter()
                .fold(Position::START, |at, &square| at.play(square).unwrap());
            assert_eq!(NodeKey::of(end.board), key);
        }
        let stranger: Position =
            "-OX-----------------------------------------------------XO------ X"
                .parse()
                .unwrap();
        assert_eq!(way_to(&reader, NodeKey::of(stranger.board)).unwrap(), None);
    }
}
