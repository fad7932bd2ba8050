//! The steps of `tools/scale`: which commands are measured, and on what.

/// One command, or what this tool measures inside one process. In the words, `@book`, `@games` and the like are files of the size's folder; `@n`
/// and `@tenth` are numbers of games, and `@line` is the beginning of a game of the book.
pub struct Step {
    pub name: &'static str,
    pub words: &'static str,
    /// `@work` is the book itself, unchanged by the steps before.
    pub fresh: bool,
    /// It reads or writes every position: how many a second is told.
    pub whole: bool,
    /// What the step makes: its size is told.
    pub made: Option<&'static str>,
    /// No step after this one needs it.
    pub remove: &'static [&'static str],
}

const fn step(name: &'static str, words: &'static str) -> Step {
    Step {
        name,
        words,
        fresh: false,
        whole: false,
        made: None,
        remove: &[],
    }
}

impl Step {
    const fn fresh(self) -> Step {
        Step {
            fresh: true,
            remove: &["work"],
            ..self
        }
    }

    const fn whole(self) -> Step {
        Step {
            whole: true,
            ..self
        }
    }

    const fn makes(self, made: &'static str) -> Step {
        Step {
            made: Some(made),
            ..self
        }
    }

    const fn removes(self, remove: &'static [&'static str]) -> Step {
        Step { remove, ..self }
    }
}

/// Making the book comes first, then whoever reads it, then whoever changes a copy of it. Work that
/// grows with the time it gets has a fixed amount to do.
pub const STEPS: [Step; 52] = [
    step(
        "games sample",
        "games sample -o @games.txt --games @n --seed @seed",
    )
    .makes("games.txt"),
    step(
        "games sample, a tenth",
        "games sample -o @others.txt --games @tenth --seed 1001 --force",
    ),
    step(
        "games sample, one",
        "games sample -o @one.txt --games 1 --seed 1002 --force",
    ),
    step(
        "build",
        "book build @games.txt --level 0 --plies 60 --correct 0 --book @book",
    )
    .whole()
    .makes("book"),
    step(
        "build, a tenth",
        "book build @others.txt --level 0 --plies 60 --correct 0 --book @other",
    ),
    step("compact", "book compact --book @book")
        .whole()
        .makes("book"),
    step("query, start", "book query --book @book"),
    step("query, 20 moves deep", "book query @line --book @book"),
    step("queries, open book", "--inside query @book @seed"),
    step("explain", "book explain --book @book"),
    step("tree", "book tree --depth 4 --book @book"),
    step("games, all", "book games --book @book"),
    step("games, 2 moves deep", "book games f5d6 --book @book"),
    step("games, 20 moves deep", "book games @line --book @book"),
    step("stats --store", "book stats --store --book @book"),
    step("stats", "book stats --book @book").whole(),
    step("check", "book check --book @book").whole(),
    step(
        "audit, 20 positions",
        "book audit --positions 20 --level 2 --book @book",
    ),
    step("export compact", "book export -o @book.emb --book @book")
        .whole()
        .makes("book.emb"),
    step("import compact", "book import @book.emb --book @in")
        .whole()
        .makes("in")
        .removes(&["in", "book.emb"]),
    step("export edax", "book export -o @book.dat --book @book")
        .whole()
        .makes("book.dat"),
    step("import edax", "book import @book.dat --book @in")
        .whole()
        .makes("in")
        .removes(&["in", "book.dat"]),
    step(
        "export egaroucid",
        "book export -o @book.egbk3 --book @book",
    )
    .whole()
    .makes("book.egbk3"),
    step("import egaroucid", "book import @book.egbk3 --book @in")
        .whole()
        .makes("in")
        .removes(&["in", "book.egbk3"]),
    step("export csv", "book export -o @book.csv --book @book")
        .whole()
        .makes("book.csv")
        .removes(&["book.csv"]),
    step("export jsonl", "book export -o @book.jsonl --book @book")
        .whole()
        .makes("book.jsonl")
        .removes(&["book.jsonl"]),
    step(
        "export lines",
        "book export --force --format lines -o @lines.txt --book @book",
    )
    .removes(&["lines.txt"]),
    step(
        "build, one game at level 4",
        "book build @one.txt --level 4 --correct 0 --book @work",
    )
    .fresh(),
    step(
        "learn, one game at level 4",
        "book learn @game --level 4 --book @work",
    )
    .fresh(),
    step(
        "expand, 20 positions at level 4",
        "book expand --positions 20 --level 4 --book @work",
    )
    .fresh(),
    step(
        "expand, 2000 positions at level 1",
        "book expand --positions 2000 --level 1 --book @work",
    )
    .fresh(),
    step(
        "deviate, 20 positions at level 4",
        "book deviate 1 1 --plies 12 --positions 20 --level 4 --book @work",
    )
    .fresh(),
    step(
        "play-out, 20 s",
        "book play-out --level 1 --time 20 --book @work",
    )
    .fresh(),
    step(
        "deepen, 20 s",
        "book deepen --level 1 --time 20 --book @work",
    )
    .fresh(),
    step(
        "solve, 12 empties",
        "book solve @late --reach 12 --level 1 --book @work",
    )
    .fresh(),
    step(
        "updates of a leaf, open book",
        "--inside update @work @seed",
    )
    .fresh(),
    step("propagate, nothing to do", "book propagate --book @work").fresh(),
    step("propagate --full", "book propagate --full --book @work")
        .whole()
        .fresh(),
    step("forget", "book forget f5f4 --book @work").fresh(),
    step("forget-game", "book forget-game 1 --book @work").fresh(),
    step("index-games", "book index-games --book @work")
        .whole()
        .fresh(),
    step("prune", "book prune --loss 10 --book @work")
        .whole()
        .fresh(),
    step("merge, a tenth", "book merge @other --book @work").fresh(),
    step("merge into a tenth", "book merge @book --book @other")
        .whole()
        .makes("other")
        .removes(&["other"]),
    step("subtree", "book subtree f5d6 -o @sub --book @book")
        .makes("sub")
        .removes(&["sub"]),
    step("backup, the first", "book backup @backups --book @book").whole(),
    step("backup, nothing new", "book backup @backups --book @book").whole(),
    step("backups", "book backups @backups"),
    step("restore", "book restore @backups --book @restored")
        .whole()
        .makes("restored"),
    step("diff", "book diff @book @restored")
        .whole()
        .removes(&["restored"]),
    step(
        "games dedupe",
        "games dedupe @games.txt -o @distinct.txt --force",
    )
    .removes(&["distinct.txt", "backups"]),
    step("games stat", "games stat @games.txt"),
];
