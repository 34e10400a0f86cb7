//! What the tests run under `mpirun`: the conformance suite, then every algorithm's bits.

#[cfg(not(feature = "mpi"))]
fn main() {}

#[cfg(feature = "mpi")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    checks::run()
}

#[cfg(feature = "mpi")]
mod checks {
    use base::line_to_stderr;
    use collective::{Choice, Cut, find};
    use exchange::{Config, Exchange};
    use std::sync::Arc;
    use transport::{Progress, conformance, mpi::Job};

    const NAMES: &[&str] = &[
        "direct",
        "halving-doubling",
        "hierarchical:2:direct+halving-doubling",
        "mpi",
        "multi-color",
        "parameter-server",
        "parameter-server:2",
        "reduction-tree",
        "ring",
    ];

    /// Values whose sum depends on the order of additions.
    fn touchy(rank: usize, index: usize) -> f32 {
        1.0 / (3 + rank * 7 + index % 101) as f32
    }

    fn canonical(values: &[f32]) -> f32 {
        match values {
            [only] => *only,
            _ => {
                let (left, right) = values.split_at(1 << (values.len() - 1).ilog2());
                canonical(left) + canonical(right)
            }
        }
    }

    pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
        let job = Job::start()?;
        let (me, world) = (job.rank().index(), job.rank().world());
        let mut link = job.link(Arc::new(Progress::default()))?;
        conformance::run_all(&mut link)?;
        let mut exchange = Exchange::new(Box::new(link), Config::MPI);
        for name in NAMES {
            let algorithm = find(name)?;
            let exact = algorithm.is_exact(world);
            let cut = Cut { segment: 999, lanes: 3 };
            let choice = Choice::Named(algorithm);
            exchange.configure(Config { choice, cut, ..Config::MPI });
            for len in [0, 1, world - 1, world + 1, 20_011] {
                let mut values: Vec<f32> = (0..len).map(|index| touchy(me, index)).collect();
                exchange.all_reduce(&mut values)?;
                for (index, &got) in values.iter().enumerate() {
                    let all: Vec<f32> = (0..world).map(|rank| touchy(rank, index)).collect();
                    let want = canonical(&all);
                    let right = if exact { got == want } else { (got - want).abs() <= 1e-5 * want };
                    assert!(right, "{name}: value {index} of {len} is {got}, not {want}");
                }
            }
        }
        line_to_stderr(&format!("rank {me} of {world} passes"));
        Ok(())
    }
}
