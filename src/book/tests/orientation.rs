//! Answers come as they were asked for.

use super::*;

#[test]
fn an_answer_comes_in_the_orientation_of_the_question() {
    let games: Vec<_> = SampleGames::new(9).take(60).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 20, 1);
    // An alternative on the position after f5, best of all. Its move is in the book, unsearched.
    let key = key_after("f5");
    let mut node = store.reader().node(key).unwrap().unwrap();
    assert!(store.reader().node(key_after("f5d6")).unwrap().is_some());
    let level = Level {
        depth: 12,
        selectivity: 82,
        solved: false,
    };
    let found = Found::Move(canonical("f5", "d6"), value(300));
    node.alternative = Some(any_alternative(key, found, level));
    let mut batch = store.batch().unwrap();
    batch.put_node(key, &node);
    batch.mark(key, Mark::Changed, None);
    batch.commit().unwrap();
    settle_by_queue(&store, &()).unwrap();
    let in_book = |answer: &Answer, square: &str| {
        let square: Square = square.parse().unwrap();
        let found = answer.moves.iter().find(|m| m.square == square).unwrap();
        (found.known, found.value, found.level, found.statistics)
    };
    let reader = store.reader();
    let twins = [("f5", "d6"), ("c4", "e3"), ("e6", "f4"), ("d3", "c5")];
    let answers =
        twins.map(|(first, reply)| query(&reader, after(first)).map(|a| (a, reply)).unwrap());
    let facts = in_book(&answers[0].0, answers[0].1);
    assert_eq!(
        (facts.0, facts.1, facts.2),
        (Known::InBook, Some(value(300)), Some(level))
    );
    for (answer, reply) in &answers {
        assert_eq!(answer.moves.len(), 3);
        assert_eq!(in_book(answer, reply), facts);
        assert_eq!(answer.best, Some(reply.parse().unwrap()));
        assert_eq!(answer.node.unwrap().derived.value, Some(value(300)));
    }
    let start = query(&reader, Position::START).unwrap();
    assert_eq!(start.node.unwrap().derived.value, Some(value(-300)));
    let games: u32 = start.statistics.unwrap().games;
    assert_eq!(games, 60);
    assert!(
        start
            .moves
            .iter()
            .all(|m| m.statistics.unwrap().games == 60)
    );
    assert!(start.moves.iter().all(|m| m.ways_in == Some(1)));
    let wins = start.statistics.unwrap().wins;
    assert_eq!(start.moves[0].statistics.unwrap().wins, wins);
}
