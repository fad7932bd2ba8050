//! Flags of one name whose help differs in words and not in meaning.

/// A flag, and how its help begins wherever it stands.
pub type Agreed = (&'static str, &'static [&'static str]);

/// What all wordings of a flag have in common stands above it.
pub const AGREED: &[Agreed] = &[
    // Everything, where else the first few are shown.
    (
        "all",
        &[
            "List all bad games, not only the first ones",
            "List all violations that were kept (up to 1000), not only the first ones",
        ],
    ),
    // So many plies.
    (
        "depth",
        &[
            "Draw this many moves deep",
            "How deep middle-game positions are searched",
            "Look this many plies ahead",
            "Look this many plies ahead instead of solving, and measure how often that is right",
            "Depth of the searches for the examples of Chen's program",
            "Plies of the searches",
            "The deepest search",
        ],
    ),
    // Where training keeps what it makes on the way.
    (
        "directory",
        &[
            "The folder to work in (about a hundred megabytes)",
            "Where the held-out sets are, or are to be made",
        ],
    ),
    // What is written may replace what is there.
    (
        "force",
        &[
            "Replace pages that are there",
            "Replace the book that is there",
            "Replace the file if it exists",
            "Replace the picture if it exists",
            "Replace the tables that are there",
            "Write into a folder that is not empty",
        ],
    ),
    // Of what is written, whatever the name says.
    (
        "format",
        &[
            "Write this format (wthor, ggf, sgf, transcript), whatever the name says",
            "Write this format, whatever the name says",
        ],
    ),
    // The position to begin from.
    (
        "from",
        &[
            "Grow only below this position of the book",
            "Only lines below this position of the book",
            "Start here instead",
        ],
    ),
    // A number of games.
    (
        "games",
        &[
            "Games in a shard",
            "Games of each of the two rounds of Chen's program",
            "How many games",
        ],
    ),
    // Objects on lines of their own; how many.
    (
        "json",
        &[
            "Print JSON objects",
            "Print a JSON object whenever games were written, and one at the end",
            "Print a summary as one JSON object",
            "Print one JSON object",
            "Print one JSON object at the end",
            "Print one JSON object per backup, the oldest first",
            "Print one JSON object per book, and one at the end",
            "Print one JSON object per difference, and one with the counts at the end",
            "Print one JSON object per file",
            "Print one JSON object per file, and one at the end",
            "Print one JSON object per iteration, and a last one with the answer",
            "Print one JSON object per ply",
            "Print one JSON object per position, and one for the sum",
            "Print one JSON object, one a line with --watch",
            "Print one JSON object, the one that GET /api/v1/line answers with",
            "Print one JSON object, the one that GET /api/v1/position answers with",
        ],
    ),
    // A search level; who plays knows names of some, too.
    ("level", &["How hard to look", "How strong"]),
    // How many nodes are searched.
    (
        "nodes",
        &["Nodes for each move", "Search about this many nodes"],
    ),
    // Numbers in a file, counted from its first.
    (
        "only",
        &[
            "Of a file with several games, only those with these numbers, as in 3 or 1-5,9",
            "Only these numbers, as in 40-49,52 or 55-",
        ],
    ),
    // Where to write.
    (
        "output",
        &[
            "The collection to write",
            "The file to write",
            "The folder of the new book, which does not exist yet",
            "The folder of the shards",
            "The folder of the tables",
        ],
    ),
    // A player by name: one who plays now, or whose games are meant where games are looked for.
    (
        "player",
        &[
            "Only games of this player",
            "Who plays",
            "Who thinks about a position",
        ],
    ),
    // A number of positions.
    (
        "positions",
        &[
            "How many positions to judge",
            "Positions for each number of empty squares",
            "Stop when this many positions have come in",
        ],
    ),
    // What luck follows from: the same number gives the same again.
    (
        "seed",
        &[
            "Added to the seed of each game",
            "Another number draws other positions",
            "Choose by this number",
            "Everything random follows from this number",
            "The openings follow from this number",
            "Where the players' luck begins",
            "Which positions are drawn follows from this number",
        ],
    ),
    // A number of shards.
    (
        "shards",
        &[
            "How many shards to make",
            "Shards of 200 games in each round of games",
        ],
    ),
    // Where a picture goes.
    (
        "svg",
        &[
            "Also write a picture",
            "Draw the course of the game as SVG",
            "Write a picture instead",
        ],
    ),
    // How many cores are busy.
    (
        "threads",
        &[
            "Search this many questions at the same time",
            "Search with this many threads",
            "Work with this many threads",
        ],
    ),
    // A file of weights that are used instead of the built-in ones.
    (
        "weights",
        &[
            "Evaluate with the weights of this file instead of the built-in ones",
            "Look at the weights of this file instead of the built-in ones",
            "Weights to search with instead of the built-in ones",
            "Weights to search with, and to write again with another ProbCut section",
        ],
    ),
    // The book may take in more than it did so far.
    (
        "widen",
        &[
            "Let --plies and --min-games take in more than the book did so far, of its own games, too",
            "Take over how far the other books go and how few games they ask for, and bring in what \
             this one held back",
        ],
    ),
    // A folder with files of years.
    (
        "wthor",
        &[
            "A folder of WTHOR files",
            "A folder of WTHOR files to learn from as well",
        ],
    ),
    // Of games.
    ("years", &["Only games of these years", "Only these years"]),
];
