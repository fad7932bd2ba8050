//! What is missing on a machine, and where that must not be.

/// Says why a test does not run here. Where nothing may be skipped (CI sets EMILIA_NO_SKIPS) that is
/// its failure.
pub fn skipped(why: &str) {
    assert!(
        std::env::var_os("EMILIA_NO_SKIPS").is_none(),
        "skipped, which EMILIA_NO_SKIPS forbids: {why}"
    );
    eprintln!("skipped: {why}");
}
