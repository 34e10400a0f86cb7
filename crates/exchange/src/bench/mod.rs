//! Measures exchanges: `firecaffe bench allreduce`, `bench network` and `bench compression`.

pub mod allreduce;
mod check;
pub mod compression;
pub mod links;
pub mod network;
pub mod report;
pub mod work;
