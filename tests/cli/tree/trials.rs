//! What is tried of each command.

/// What is tried of a command. Words are separated by spaces; SERVER stands for a NATS server.
#[derive(Default)]
pub struct Trial {
    pub name: &'static str,
    /// It ends with 0.
    pub done: &'static str,
    /// The answer is no: it ends with 1.
    pub no: &'static str,
    /// Besides an unknown flag, which every command refuses: it ends with 2.
    pub wrong: &'static str,
    /// Why a script would not read it as JSON, where it has no such output.
    pub no_json: &'static str,
    /// It writes to a file that is there, and is refused with 2; with --force it does.
    pub replaces: &'static str,
    /// The same, and nothing makes it.
    pub keeps: &'static str,
    /// It is at work until somebody stops it, with 130.
    pub endless: &'static str,
}

const PROTOCOL: &str = "it speaks a protocol";

/// All that is not said is as in the default: nothing is tried.
pub fn trials() -> Vec<Trial> {
    let trial = |name| Trial {
        name,
        ..Trial::default()
    };
    vec![
        Trial {
            done: "analyse f5 --depth 3 --hash 4",
            wrong: "analyse f5f5",
            replaces: "analyse games.txt --only 1 --level 1 --hash 4 --svg there.svg",
            endless: "analyse start --time 8h --hash 4",
            ..trial("analyse")
        },
        Trial {
            done: "bench --quick",
            wrong: "bench --depth 99",
            endless: "bench --depth 22",
            ..trial("bench")
        },
        Trial {
            done: "book audit --positions 2 --plies 4-6 --level 2",
            wrong: "book audit --level 0",
            endless: "book audit --positions 1000000 --level 20 --plies 1-9",
            ..trial("book audit")
        },
        Trial {
            done: "book backup kept",
            wrong: "book backup book",
            ..trial("book backup")
        },
        Trial {
            done: "book backups backups",
            no: "book backups nowhere",
            ..trial("book backups")
        },
        Trial {
            done: "book build games.txt --level 0 --book new",
            wrong: "book build none.txt",
            endless: "book build games.txt --level 22 --plies 20 --book new",
            ..trial("book build")
        },
        Trial {
            done: "book check",
            no: "book check --book broken",
            wrong: "book check --book none",
            ..trial("book check")
        },
        Trial {
            done: "book compact",
            wrong: "book compact --book none",
            ..trial("book compact")
        },
        Trial {
            done: "book deepen --level 1 --time 0.1",
            no: "book deepen --loss 1 --from f5f4e3f2",
            wrong: "book deepen --level 0",
            endless: "book deepen --level 22",
            ..trial("book deepen")
        },
        Trial {
            done: "book deviate 0 0 --level 1 --positions 1",
            no: "book deviate 0 0 --from f5f4e3f2",
            wrong: "book deviate 1",
            endless: "book deviate 9 9 --level 20",
            ..trial("book deviate")
        },
        Trial {
            done: "book diff book book",
            no: "book diff book other",
            wrong: "book diff book none",
            ..trial("book diff")
        },
        Trial {
            done: "book expand --positions 1 --level 1",
            no: "book expand --positions 1 --from f5f4e3f2",
            wrong: "book expand",
            endless: "book expand --time 8h --level 20",
            ..trial("book expand")
        },
        Trial {
            done: "book explain",
            no: "book explain f5f4e3f2",
            wrong: "book explain f5f5",
            ..trial("book explain")
        },
        Trial {
            done: "book export -o new.emb",
            wrong: "book export -o new.xyz",
            replaces: "book export -o there.emb",
            ..trial("book export")
        },
        Trial {
            done: "book forget f5d6",
            no: "book forget f5f4e3f2",
            wrong: "book forget start",
            ..trial("book forget")
        },
        Trial {
            done: "book forget-game 1",
            no: "book forget-game 999999",
            wrong: "book forget-game one",
            ..trial("book forget-game")
        },
        Trial {
            done: "book games",
            no: "book games --years 1850",
            wrong: "book games --years soon",
            ..trial("book games")
        },
        Trial {
            done: "book import kept.emb --book new",
            wrong: "book import games.txt",
            ..trial("book import")
        },
        Trial {
            done: "book index-games",
            wrong: "book index-games --book none",
            ..trial("book index-games")
        },
        Trial {
            done: "book learn f5d6c3 --level 1",
            wrong: "book learn f5f5",
            endless: "book learn f5d6c3d3c4 --level 26",
            ..trial("book learn")
        },
        Trial {
            done: "book merge other",
            wrong: "book merge book",
            ..trial("book merge")
        },
        Trial {
            done: "book note --set text",
            no: "book note",
            wrong: "book note --book none",
            ..trial("book note")
        },
        Trial {
            done: "book openings rose",
            no: "book openings nonsense",
            ..trial("book openings")
        },
        Trial {
            done: "book play-out --level 1 --time 0.1",
            no: "book play-out --from f5f4e3f2",
            wrong: "book play-out --level 0",
            endless: "book play-out --level 22 --loss 9",
            ..trial("book play-out")
        },
        Trial {
            done: "book propagate --full",
            wrong: "book propagate --book none",
            ..trial("book propagate")
        },
        Trial {
            done: "book prune --loss 64",
            wrong: "book prune --loss 129",
            ..trial("book prune")
        },
        Trial {
            done: "book query --search 1 --hash 4",
            no: "book query f5f4e3f2",
            wrong: "book query f5f5",
            endless: "book query --search 40 --hash 4",
            ..trial("book query")
        },
        Trial {
            done: "book restore backups --book new",
            wrong: "book restore nowhere --book new",
            replaces: "book restore backups",
            ..trial("book restore")
        },
        Trial {
            done: "book solve start --level 1 --time 0.1",
            no: "book solve f5f4e3f2",
            wrong: "book solve",
            ..trial("book solve")
        },
        Trial {
            done: "book stats",
            wrong: "book stats --book none",
            replaces: "book stats --svg there.svg",
            ..trial("book stats")
        },
        Trial {
            done: "book subtree f5d6 -o new",
            no: "book subtree f5f4e3f2 -o new",
            wrong: "book subtree f5d6c3d3d3 -o new",
            keeps: "book subtree f5d6 -o other",
            ..trial("book subtree")
        },
        Trial {
            done: "book tree",
            no: "book tree f5f4e3f2",
            wrong: "book tree f5f5",
            replaces: "book tree --svg there.svg",
            ..trial("book tree")
        },
        Trial {
            no: "cluster pardon x --cluster nats://SERVER",
            wrong: "cluster pardon x --cluster nats://127.0.0.1:1",
            ..trial("cluster pardon")
        },
        Trial {
            done: "cluster setup --cluster nats://SERVER",
            wrong: "cluster setup --cluster nats://127.0.0.1:1",
            ..trial("cluster setup")
        },
        Trial {
            done: "cluster status --cluster nats://SERVER",
            wrong: "cluster status --cluster nats://127.0.0.1:1",
            endless: "cluster status --watch --cluster nats://SERVER",
            ..trial("cluster status")
        },
        Trial {
            done: "completions bash",
            wrong: "completions csh",
            no_json: "it writes a script for a shell",
            ..trial("completions")
        },
        Trial {
            done: "console --no-book --hash 4",
            wrong: "console --level godlike",
            no_json: PROTOCOL,
            endless: "console --no-book --hash 4",
            ..trial("console")
        },
        Trial {
            done: "doctor",
            no: "doctor --book none",
            ..trial("doctor")
        },
        Trial {
            done: "export-site site",
            wrong: "export-site site --book none",
            replaces: "export-site there",
            ..trial("export-site")
        },
        Trial {
            done: "games convert games.txt -o new.ggf",
            wrong: "games convert none.txt -o new.ggf",
            replaces: "games convert games.txt -o there.txt",
            ..trial("games convert")
        },
        Trial {
            done: "games dedupe games.txt -o new.ggf",
            wrong: "games dedupe none.txt -o new.ggf",
            replaces: "games dedupe games.txt -o there.txt",
            ..trial("games dedupe")
        },
        Trial {
            done: "games sample --games 2 -o new.txt",
            wrong: "games sample -o new.xyz",
            replaces: "games sample --games 2 -o there.txt",
            endless: "games sample --games 1000000000 -o new.txt",
            ..trial("games sample")
        },
        Trial {
            done: "games selfplay --games 1 --level 1 -o new.txt",
            wrong: "games selfplay -o new.xyz",
            replaces: "games selfplay --games 1 --level 1 -o there.txt",
            endless: "games selfplay --games 1000000 -o new.txt",
            ..trial("games selfplay")
        },
        Trial {
            done: "games stat games.txt",
            wrong: "games stat none.txt",
            ..trial("games stat")
        },
        Trial {
            done: "gtp --no-book --hash 4",
            wrong: "gtp --level godlike",
            no_json: PROTOCOL,
            endless: "gtp --no-book --hash 4",
            ..trial("gtp")
        },
        Trial {
            done: "manual pages",
            wrong: "manual games.txt",
            replaces: "manual there",
            ..trial("manual")
        },
        Trial {
            done: "match iago othellus-corners --games 2 --clock 1",
            no: "match othellus-corners othellus-corners --games 2 --sprt 100,200",
            wrong: "match emilia edax",
            replaces: "match othellus-corners othellus-corners --games 2 --save there.txt",
            endless: "match emilia emilia --games 1000",
            ..trial("match")
        },
        Trial {
            done: "nboard --no-book --hash 4",
            wrong: "nboard --level godlike",
            no_json: PROTOCOL,
            endless: "nboard --no-book --hash 4",
            ..trial("nboard")
        },
        Trial {
            done: "perft 3",
            wrong: "perft 99",
            endless: "perft 20",
            ..trial("perft")
        },
        Trial {
            done: "play --plain --no-book --hash 4",
            wrong: "play --load none.txt",
            no_json: "a person plays",
            endless: "play --plain --no-book --hash 4",
            ..trial("play")
        },
        Trial {
            done: "serve --new-token new.token",
            wrong: "serve --listen nowhere",
            keeps: "serve --new-token there.txt",
            no_json: "it says its address in one line, and the rest over HTTP",
            endless: "serve --listen 127.0.0.1:0",
            ..trial("serve")
        },
        Trial {
            done: "solve --obf right.obf --hash 4",
            no: "solve --obf wrong.obf --hash 4",
            wrong: "solve --obf none.obf",
            endless: "solve d3c5b6d2e6f7c4f5f6g6g7b4d6c6c7e7b5g8d7d8 --hash 4",
            ..trial("solve")
        },
        Trial {
            wrong: "train all --seed 1 --directory work --wthor none -o new.emw",
            replaces: "train all --seed 1 --directory work -o there.emw",
            endless: "train all --seed 1 --directory work -o new.emw",
            ..trial("train all")
        },
        Trial {
            done: "train calibrate shards --weights small.emw -o new.emw --positions 1 --depth 2 --solve-from 4",
            wrong: "train calibrate none --weights small.emw -o new.emw",
            replaces: "train calibrate shards --weights small.emw -o there.emw",
            endless: "train calibrate shards --weights small.emw -o new.emw --depth 16",
            ..trial("train calibrate")
        },
        Trial {
            no: "train duel small small --pairs 2 --depth 1 --solve-from 4",
            wrong: "train duel none.emw",
            endless: "train duel small --pairs 1000000",
            ..trial("train duel")
        },
        Trial {
            wrong: "train endings none -o new --seed 1",
            endless: "train endings years -o new --seed 1",
            ..trial("train endings")
        },
        Trial {
            wrong: "train fit none -o new.emw",
            replaces: "train fit shards -o there.emw --iterations 1",
            endless: "train fit shards -o new.emw --iterations 100000",
            ..trial("train fit")
        },
        Trial {
            done: "train import years -o new",
            wrong: "train import none -o new",
            ..trial("train import")
        },
        Trial {
            done: "train lean years --games 2 --depth 1 --solve-from 4",
            wrong: "train lean none",
            endless: "train lean years",
            ..trial("train lean")
        },
        Trial {
            done: "train manifest",
            wrong: "train manifest games.txt",
            ..trial("train manifest")
        },
        Trial {
            replaces: "train players --seed 1 -o there",
            endless: "train players --seed 1 -o new",
            ..trial("train players")
        },
        Trial {
            done: "train report shards",
            wrong: "train report none",
            ..trial("train report")
        },
        Trial {
            done: "train selfplay -o new --seed 1 --shards 1 --games 1 --depth 1 --solve-from 4",
            wrong: "train selfplay -o games.txt --seed 1 --shards 1 --games 1",
            endless: "train selfplay -o new --seed 1",
            ..trial("train selfplay")
        },
        Trial {
            wrong: "train small games.txt -o new.emw",
            replaces: "train small -o there.emw",
            endless: "train small -o new.emw",
            ..trial("train small")
        },
        Trial {
            wrong: "worker",
            endless: "worker --cluster nats://127.0.0.1:1",
            ..trial("worker")
        },
    ]
}
