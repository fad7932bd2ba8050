//! The `emilia` binary: everything is in [`emilia::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    emilia::cli::main()
}
