//! The oldest Rust that compiles this, as Cargo.toml names it. Clippy holds our own code to it (its
//! `incompatible_msrv`); here are the dependencies.

use serde_json::Value;
use std::process::Command;

/// 1.89 and 1.89.0 are the same.
fn version(text: &str) -> Vec<u32> {
    let mut parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    parts.resize(3, 0);
    parts
}

#[test]
fn no_dependency_asks_for_a_newer_rust_than_we_do() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args([
            "--filter-platform",
            &format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ours = version(env!("CARGO_PKG_RUST_VERSION"));
    let name = |package: &Value| format!("{} {}", package["name"], package["version"]);
    assert!(packages.len() > 100, "{} packages", packages.len());
    for package in packages {
        let Some(wanted) = package["rust_version"].as_str() else {
            continue;
        };
        assert!(
            version(wanted) <= ours,
            "{} wants Rust {wanted}: raise rust-version in Cargo.toml or take an older one",
            name(package)
        );
    }
}
