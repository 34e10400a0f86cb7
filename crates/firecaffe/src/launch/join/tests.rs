use super::report_waits;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[test]
fn a_start_that_waits_says_where_until_it_is_over() {
    let (ends_watch, ended) = channel::<()>();
    let (lines, said) = sync_channel(0); // a line is taken before the next is made
    let stage = Arc::new(Mutex::new("in MPI_Init_thread of libmpi.so.40".to_owned()));
    let seen = Arc::clone(&stage);
    let watch = std::thread::spawn(move || {
        let report = |line: &str| drop(lines.send(line.to_owned()));
        report_waits(&ended, "process 7 on host a", &seen, &report, Duration::from_millis(1));
    });
    let line = said.recv().unwrap();
    assert!(line.starts_with("process 7 on host a has waited 0 s in MPI_Init_thread of"), "{line}");
    "in MPI_Comm_dup".clone_into(&mut stage.lock().unwrap());
    assert!(said.iter().any(|line| line.contains("in MPI_Comm_dup")), "the stage is followed");
    drop((ends_watch, said));
    watch.join().unwrap();
}
