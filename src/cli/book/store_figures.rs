//! `emilia book stats --store`: what a book's database says about itself.

use super::super::output::{grouped, table};
use crate::book::Store;
use crate::view::StoreView;
use anyhow::Result;
use serde_json::to_string;
use std::io::{Write, stdout};

pub fn print(store: &Store, as_json: bool) -> Result<()> {
    let view = StoreView::from(&store.figures()?);
    let mut out = stdout().lock();
    if as_json {
        writeln!(out, "{}", to_string(&view)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "{}: {} bytes on disk\n",
        store.path().display(),
        grouped(view.bytes)
    )?;
    let header = [
        "table",
        "records (about)",
        "files",
        "bytes on disk",
        "not in files yet",
        "index in memory",
        "to compact",
    ];
    let mut rows = table(&header, &[1, 2, 3, 4, 5, 6]);
    for table in &view.tables {
        let numbers = [
            table.records,
            table.files,
            table.bytes,
            table.bytes_unwritten,
            table.bytes_of_index,
            table.bytes_to_compact,
        ];
        rows.add_row([table.name.clone()].into_iter().chain(numbers.map(grouped)));
    }
    writeln!(out, "{rows}\n")?;
    let index: u64 = view.tables.iter().map(|table| table.bytes_of_index).sum();
    writeln!(
        out,
        "memory: {} bytes of filters and indices, {} of {} bytes of cache in use",
        grouped(index),
        grouped(view.cache_used),
        grouped(view.cache_capacity)
    )?;
    writeln!(
        out,
        "tables to be compacted: {}{}",
        view.compactions_pending,
        if view.compactions_pending > 0 {
            " (the next command that writes begins with it; emilia book compact does it at once)"
        } else {
            ""
        }
    )?;
    writeln!(
        out,
        "What a running service reads, writes and waits for is at its /metrics."
    )?;
    Ok(())
}
