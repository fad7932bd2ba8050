//! Counters for Prometheus at `/metrics`.

use super::cluster::ClusterWatch;
use super::jobs::Jobs;
use super::problem::Problem;
use super::shared::Shared;
use super::store_metrics::StoreMetrics;
use crate::book::Table;
use crate::view::{ClusterView, StoreView};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use prometheus::core::Collector;
use prometheus::{
    Encoder, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry, TextEncoder,
};
use std::sync::Arc;
use std::time::Duration;

/// Seconds; a look into the book takes well below one of its thousandths.
const BUCKETS: [f64; 12] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0,
];

pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: HistogramVec,
    pub connections: IntGauge,
    /// Connections closed to make room, and those there was no room for.
    pub evicted: IntCounter,
    pub refused: IntCounter,
    jobs: IntGauge,
    /// Work in the background, by kind.
    work: IntGaugeVec,
    searches: IntGauge,
    positions: IntGauge,
    /// What a cluster counts, by name.
    cluster: IntGaugeVec,
    store: StoreMetrics,
}

impl Metrics {
    pub fn new() -> Result<Metrics, prometheus::Error> {
        let opts = |name: &str, help: &str| Opts::new(name, help).namespace("emilia");
        let gauge = |name, help| IntGauge::with_opts(opts(name, help));
        let counter = |name, help| IntCounter::with_opts(opts(name, help));
        let time = HistogramOpts::from(opts("http_request_seconds", "Time to an answer's head"))
            .buckets(BUCKETS.into());
        let registry = Registry::new();
        let metrics = Metrics {
            store: StoreMetrics::register_in(&registry)?,
            registry,
            requests: IntCounterVec::new(
                opts("http_requests_total", "Requests answered"),
                &["route", "status"],
            )?,
            seconds: HistogramVec::new(time, &["route"])?,
            connections: gauge("http_connections", "Connections that are open")?,
            evicted: counter(
                "http_connections_evicted_total",
                "Connections that were closed to make room for others",
            )?,
            refused: counter(
                "http_connections_refused_total",
                "Connections that there was no room for",
            )?,
            jobs: gauge("jobs_running", "Jobs that are running")?,
            work: IntGaugeVec::new(
                opts("work", "Work in the background, what waits included"),
                &["kind"],
            )?,
            searches: gauge("searches_running", "Searches that are running")?,
            positions: gauge("book_positions", "Positions of the book, about")?,
            cluster: IntGaugeVec::new(
                opts(
                    "cluster",
                    "What the machines that search for the book are doing",
                ),
                &["count"],
            )?,
        };
        let all: [Box<dyn Collector>; 10] = [
            Box::new(metrics.requests.clone()),
            Box::new(metrics.seconds.clone()),
            Box::new(metrics.connections.clone()),
            Box::new(metrics.evicted.clone()),
            Box::new(metrics.refused.clone()),
            Box::new(metrics.jobs.clone()),
            Box::new(metrics.work.clone()),
            Box::new(metrics.searches.clone()),
            Box::new(metrics.positions.clone()),
            Box::new(metrics.cluster.clone()),
        ];
        for collector in all {
            metrics.registry.register(collector)?;
        }
        Ok(metrics)
    }

    /// Takes over what was seen of a cluster, this book's figures among it.
    fn see(&self, cluster: &ClusterView, book: &str) {
        let set = |count: &str, value: u64| {
            self.cluster.with_label_values(&[count]).set(value as i64);
        };
        let alive = || cluster.workers.iter().filter(|worker| worker.alive);
        set("workers", alive().count() as u64);
        set(
            "threads",
            alive().map(|worker| u64::from(worker.threads)).sum(),
        );
        set("waiting", cluster.queue.waiting);
        set("in_flight", cluster.queue.in_flight);
        set("quarantined", cluster.quarantined.len() as u64);
        if let Some(book) = cluster.books.iter().find(|one| one.id == book) {
            let figures = &book.figures;
            set("open", figures.open);
            set("answered", figures.answered);
            set("delivered_again", figures.delivered_again);
            set("sent_again", figures.sent_again);
            set("checked", figures.checked);
            set("disagreements", figures.disagreements);
            set("dead", figures.dead);
            set("refused", figures.refused);
            set("unwanted", figures.unwanted);
        }
    }

    pub fn answered(&self, route: &str, status: u16, time: Duration) {
        let mut digits = [0; 3];
        let status = three_digits(status, &mut digits);
        self.requests.with_label_values(&[route, status]).inc();
        self.seconds
            .with_label_values(&[route])
            .observe(time.as_secs_f64());
    }
}

/// Statuses have three digits; no allocation on the way of every request.
fn three_digits(status: u16, digits: &mut [u8; 3]) -> &str {
    for (place, digit) in digits.iter_mut().rev().enumerate() {
        *digit = b'0' + (status / 10u16.pow(place as u32) % 10) as u8;
    }
    std::str::from_utf8(digits).unwrap_or("000")
}

/// Counters in the text format of Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn metrics(State(shared): State<Arc<Shared>>) -> Result<impl IntoResponse, Problem> {
    shared.catch_up().await?;
    let metrics = &shared.metrics;
    metrics.searches.set(shared.searches.running() as i64);
    let at_work = shared.jobs.as_ref().is_some_and(Jobs::is_running);
    metrics.jobs.set(at_work.into());
    for (kind, background) in [
        ("batches", &shared.batches),
        ("scans", &shared.scans),
        ("reading", &shared.reading),
    ] {
        let under_way = background.under_way() as i64;
        metrics.work.with_label_values(&[kind]).set(under_way);
    }
    let positions = match shared.counted.positions() {
        Some(positions) => positions,
        None => shared.store.estimated_records(Table::Nodes)?,
    };
    metrics.positions.set(positions as i64);
    metrics
        .store
        .see(&StoreView::from(&shared.store.figures()?));
    if let Some(Ok(cluster)) = shared.cluster.as_ref().and_then(ClusterWatch::seen)
        && let Some(book) = shared.store.reader().identity()?
    {
        metrics.see(&cluster, &book.to_string());
    }
    let mut text = Vec::new();
    TextEncoder::new()
        .encode(&metrics.registry.gather(), &mut text)
        .map_err(|error| {
            tracing::error!(%error, "the counters cannot be written");
            Problem::Internal
        })?;
    let kind = [(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)];
    Ok((kind, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_a_valid_name() {
        let metrics = Metrics::new().unwrap();
        metrics.answered("/health", 200, Duration::from_millis(1));
        let families = metrics.registry.gather();
        let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
        // Those with labels of their own appear with the first look at them.
        let of_service = names.iter().filter(|name| !name.contains("_store_"));
        assert_eq!(of_service.count(), 8, "{names:?}");
        assert!(names.contains(&"emilia_http_requests_total"), "{names:?}");
    }

    #[test]
    fn a_status_is_written_with_three_digits() {
        let mut digits = [0; 3];
        assert_eq!(three_digits(200, &mut digits), "200");
        assert_eq!(three_digits(429, &mut digits), "429");
    }
}
