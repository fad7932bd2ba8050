//! Answers come as they were asked for.

use super::*;

#[test]
fn an_answer_comes_in_the_orientation_of_the_question() {
    let games: Vec<_> = SampleGames::new(9).take(60).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 20, 1);
    // An alternative on the position after f5, best of all.
    let after = |square: &str| Position::START.play(square.parse().unwrap()).unwrap();
    let key = NodeKey::of(after("f5").board);
    let mut node = store.reader().node(key).unwrap().unwrap();
    let d6 = NodeKey::with_symmetry(after("f5").board)
        .1
        .apply_to_square("d6".parse().unwrap());
    node.evaluation = None;
    node.alternative = Some(Alternative {
        found: Found::Move(d6, Value::new(300).unwrap()),
        level: Level {
            depth: 12,
            selectivity: 82,
            solved: false,
        },
    });
    let mut batch = store.batch().unwrap();
    batch.put_node(key, &node);
    batch.mark(key, Mark::Changed);
    batch.commit().unwrap();
    settle_by_queue(&store, &()).unwrap();
    let in_book = |answer: &Answer, square: &str| {
        let square: Square = square.parse().unwrap();
        let found = answer.moves.iter().find(|m| m.square == square).unwrap();
        (found.known, found.statistics, found.lines)
    };
    let reader = store.reader();
    let twins = [("f5", "d6"), ("c4", "e3"), ("e6", "f4"), ("d3", "c5")];
    let answers = twins.map(|(first, reply)| {
        let answer = query(&reader, after(first)).unwrap();
        assert_eq!(answer.moves.len(), 3);
        (
            in_book(&answer, reply),
            answer.best.map(|s| s.to_string()),
            reply,
        )
    });
    for (facts, best, reply) in &answers {
        assert_eq!(*facts, answers[0].0);
        if let Some(best) = best {
            assert_eq!(best, reply);
        }
    }
    let start = query(&reader, Position::START).unwrap();
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
