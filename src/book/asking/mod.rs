//! What is asked: what positions want to know, who answers, and the one driver between them.

pub mod analyst;
pub mod wanted;
