//! What the book's database says about itself, as counters for Prometheus.

use crate::view::StoreView;
use prometheus::core::Collector;
use prometheus::{
    Counter, Gauge, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
};
use std::sync::{Mutex, PoisonError};

pub struct StoreMetrics {
    /// By table.
    records: IntGaugeVec,
    files: IntGaugeVec,
    bytes: IntGaugeVec,
    unwritten: IntGaugeVec,
    index: IntGaugeVec,
    to_compact: IntGaugeVec,
    cache_capacity: IntGauge,
    cache_used: IntGauge,
    /// By `result`: hit or miss.
    cache_looks: IntCounterVec,
    filter_hits: IntCounter,
    read: IntCounter,
    /// By `by`: whoever writes, the log, flushes, compactions.
    written: IntCounterVec,
    compactions_pending: IntGauge,
    /// By `kind`.
    running: IntGaugeVec,
    stalled: Counter,
    stopped: Gauge,
    /// Held by the one who sets the counters, which know only how to rise.
    turn: Mutex<()>,
}

impl StoreMetrics {
    pub fn register_in(registry: &Registry) -> Result<StoreMetrics, prometheus::Error> {
        let opts =
            |name: &str, help: &str| Opts::new(name, help).namespace("emilia").subsystem("store");
        let by_table = |name, help| {
            let gauges = IntGaugeVec::new(opts(name, help), &["table"])?;
            register(registry, gauges)
        };
        let gauge = |name, help| register(registry, IntGauge::with_opts(opts(name, help))?);
        let counter = |name, help| register(registry, IntCounter::with_opts(opts(name, help))?);
        let counters = |name, help, label: &str| {
            register(registry, IntCounterVec::new(opts(name, help), &[label])?)
        };
        Ok(StoreMetrics {
            records: by_table("records", "Records of a table, about")?,
            files: by_table("files", "Files of a table")?,
            bytes: by_table("bytes", "Bytes of a table on the disk")?,
            unwritten: by_table("unwritten_bytes", "Bytes that are not in a file yet")?,
            index: by_table("index_bytes", "Filters and indices in memory")?,
            to_compact: by_table("to_compact_bytes", "Bytes to be rewritten by compactions")?,
            cache_capacity: gauge("cache_capacity_bytes", "Size of the block cache")?,
            cache_used: gauge("cache_used_bytes", "Bytes in the block cache")?,
            cache_looks: counters("cache_looks_total", "Looks into the block cache", "result")?,
            filter_hits: counter("filter_hits_total", "Looks that a filter spared")?,
            read: counter("read_bytes_total", "Bytes read from files")?,
            written: counters("written_bytes_total", "Bytes written", "by")?,
            compactions_pending: gauge("compactions_pending", "Tables to be compacted")?,
            running: register(
                registry,
                IntGaugeVec::new(opts("running", "Background work at this moment"), &["kind"])?,
            )?,
            stalled: register(
                registry,
                Counter::with_opts(opts("stall_seconds_total", "Time that writers had to wait"))?,
            )?,
            stopped: register(
                registry,
                Gauge::with_opts(opts("writes_stopped", "1 while writers have to wait"))?,
            )?,
            turn: Mutex::new(()),
        })
    }

    /// Takes over what was seen of the database.
    pub fn see(&self, seen: &StoreView) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        for table in &seen.tables {
            let set = |gauges: &IntGaugeVec, value: u64| {
                gauges.with_label_values(&[&table.name]).set(value as i64);
            };
            set(&self.records, table.records);
            set(&self.files, table.files);
            set(&self.bytes, table.bytes);
            set(&self.unwritten, table.bytes_unwritten);
            set(&self.index, table.bytes_of_index);
            set(&self.to_compact, table.bytes_to_compact);
        }
        self.cache_capacity.set(seen.cache_capacity as i64);
        self.cache_used.set(seen.cache_used as i64);
        let looks = |result| self.cache_looks.with_label_values(&[result]);
        raise(&looks("hit"), seen.cache_hits);
        raise(&looks("miss"), seen.cache_misses);
        raise(&self.filter_hits, seen.filter_hits);
        raise(&self.read, seen.bytes_read);
        let written = |by| self.written.with_label_values(&[by]);
        raise(&written("writers"), seen.bytes_given);
        raise(&written("log"), seen.bytes_logged);
        raise(&written("flushes"), seen.bytes_flushed);
        raise(&written("compactions"), seen.bytes_compacted);
        self.compactions_pending
            .set(seen.compactions_pending as i64);
        let running = |kind, count: u64| self.running.with_label_values(&[kind]).set(count as i64);
        running("compactions", seen.compactions_running);
        running("flushes", seen.flushes_running);
        self.stalled
            .inc_by((seen.stalled_seconds - self.stalled.get()).max(0.0));
        self.stopped.set(f64::from(u8::from(seen.writes_stopped)));
    }
}

fn register<C: Collector + Clone + 'static>(
    registry: &Registry,
    collector: C,
) -> Result<C, prometheus::Error> {
    registry.register(Box::new(collector.clone()))?;
    Ok(collector)
}

fn raise(counter: &IntCounter, value: u64) {
    counter.inc_by(value.saturating_sub(counter.get()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Store;

    #[test]
    fn counters_follow_the_database_and_count_nothing_twice() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let registry = Registry::new();
        let metrics = StoreMetrics::register_in(&registry).unwrap();
        let seen = StoreView {
            cache_hits: 70,
            cache_misses: 5,
            stalled_seconds: 1.5,
            ..StoreView::from(&store.figures().unwrap())
        };
        metrics.see(&seen);
        metrics.see(&seen);
        let hits = metrics.cache_looks.with_label_values(&["hit"]);
        assert_eq!(hits.get(), 70);
        assert_eq!(metrics.stalled.get(), 1.5);
        let later = StoreView {
            cache_hits: 80,
            ..seen
        };
        metrics.see(&later);
        assert_eq!(hits.get(), 80);
        let families = registry.gather();
        let bytes = families.iter().find(|f| f.name() == "emilia_store_bytes");
        assert_eq!(bytes.unwrap().get_metric().len(), later.tables.len());
    }
}
