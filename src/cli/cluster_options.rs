//! Where the NATS server of a cluster is, and how to be let in.

use crate::cluster::Address;
use anyhow::{Context, Result, anyhow};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterOptions {
    /// Search on other machines, through this NATS server: nats://HOST:PORT, several with commas,
    /// tls:// for an encrypted way (emilia worker runs there)
    #[arg(long, value_name = "URL")]
    cluster: Option<String>,

    /// A file of NATS credentials
    #[arg(long, value_name = "FILE", requires = "cluster")]
    cluster_credentials: Option<PathBuf>,

    /// A file with the server's token
    #[arg(long, value_name = "FILE", requires = "cluster")]
    cluster_token_file: Option<PathBuf>,

    /// Certificates to trust besides the system's
    #[arg(long, value_name = "FILE", requires = "cluster")]
    cluster_ca: Option<PathBuf>,

    /// This machine's own certificate, where the server asks for one
    #[arg(long, value_name = "FILE", requires = "cluster_key")]
    cluster_certificate: Option<PathBuf>,

    /// The key of the certificate
    #[arg(long, value_name = "FILE", requires = "cluster_certificate")]
    cluster_key: Option<PathBuf>,
}

impl ClusterOptions {
    /// None where this machine searches by itself.
    pub fn address(&self) -> Result<Option<Address>> {
        let Some(servers) = self.cluster.clone() else {
            return Ok(None);
        };
        let token = match &self.cluster_token_file {
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                Some(text.trim().to_owned())
            }
            None => None,
        };
        Ok(Some(Address {
            servers,
            credentials: self.cluster_credentials.clone(),
            token,
            authorities: self.cluster_ca.clone(),
            certificate: self
                .cluster_certificate
                .clone()
                .zip(self.cluster_key.clone()),
        }))
    }

    /// For commands that are about a cluster.
    pub fn required(&self) -> Result<Address> {
        self.address()?
            .ok_or_else(|| anyhow!("name the NATS server: --cluster nats://HOST:4222"))
    }
}
