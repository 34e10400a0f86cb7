//! What is told besides gradients: losses, outputs and requests of all who ran, in fixed places.
//!
//! One row a replica (or test iteration) and one of requests. Everyone fills rows of its own and leaves
//! zeros elsewhere, so the sum over ranks is what each has said, to the bit. In training the news follow
//! the last bucket: all ranks see the same, and stop, snapshot or fail in the same iteration.
//!
//! ```text
//!   stops  snapshots | loss  outputs.. | loss  outputs.. | ..
//!                      replica 0         replica 1
//! ```

use net::Output;

use crate::Request;

/// Places before the first row.
const REQUESTS: usize = 2;

/// The table.
#[derive(Debug, Clone)]
pub(crate) struct News {
    /// Values of a row: the loss and all outputs.
    width: usize,
    values: Vec<f32>,
}

impl News {
    /// Nothing told yet of `rows` rows with `outputs` output values each.
    pub(crate) fn new(rows: usize, outputs: usize) -> Self {
        let width = 1 + outputs;
        Self { width, values: vec![0.0; REQUESTS + rows * width] }
    }

    /// Enters a request.
    pub(crate) fn ask(&mut self, request: Request) {
        match request {
            Request::None => {}
            Request::Stop => self.values[0] = 1.0,
            Request::Snapshot => self.values[1] = 1.0,
        }
    }

    /// What anyone has asked for; a stop before a snapshot, which it includes.
    pub(crate) fn request(&self) -> Request {
        match self.values[..REQUESTS] {
            [stops, _] if stops > 0.0 => Request::Stop,
            [_, snapshots] if snapshots > 0.0 => Request::Snapshot,
            _ => Request::None,
        }
    }

    /// Fills row `row`. Outputs whose number has changed since the table was made are cut.
    pub(crate) fn tell(&mut self, row: usize, loss: f32, outputs: &[Output]) {
        let start = REQUESTS + row * self.width;
        let values = outputs.iter().flat_map(|output| &output.values);
        let places = &mut self.values[start..start + self.width];
        places[0] = loss;
        places[1..].iter_mut().zip(values).for_each(|(place, value)| *place = *value);
    }

    /// All losses, in order of rows.
    pub(crate) fn losses(&self) -> impl Iterator<Item = f32> + '_ {
        self.rows().map(|row| row[0])
    }

    /// The mean loss, added in order of rows.
    pub(crate) fn mean_loss(&self) -> f32 {
        let (sum, count) = self.losses().fold((0.0, 0.0), |(sum, n), loss| (sum + loss, n + 1.0));
        sum / count
    }

    /// Puts the means over rows, added in order, into `outputs`.
    pub(crate) fn mean_outputs(&self, outputs: &mut [Output]) {
        let count = self.rows().len() as f32;
        let places = outputs.iter_mut().flat_map(|output| &mut output.values);
        for (index, place) in places.enumerate().take(self.width - 1) {
            let mut column = self.rows().map(|row| row[1 + index]);
            let first = column.next().unwrap_or(0.0);
            *place = column.fold(first, |sum, value| sum + value) / count;
        }
    }

    /// Everything, to be summed over ranks.
    pub(crate) fn values(&mut self) -> &mut [f32] {
        &mut self.values
    }

    fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.values[REQUESTS..].chunks_exact(self.width)
    }
}

#[cfg(test)]
mod tests {
    use net::Output;

    use super::News;
    use crate::Request;

    fn output(values: &[f32]) -> Output {
        Output { name: "o".into(), loss_weight: 0.0, values: values.to_vec() }
    }

    #[test]
    fn the_sum_of_what_ranks_say_is_what_each_has_said() {
        let mut ranks = [News::new(3, 2), News::new(3, 2)];
        ranks[0].tell(0, 1.0, &[output(&[10.0]), output(&[0.1])]);
        ranks[0].tell(1, 2.0, &[output(&[20.0]), output(&[0.2])]);
        ranks[1].tell(2, 6.0, &[output(&[60.0]), output(&[0.3])]);
        ranks[1].ask(Request::Snapshot);
        let [mut all, mut other] = ranks;
        all.values().iter_mut().zip(other.values()).for_each(|(sum, value)| *sum += *value);
        assert_eq!(all.losses().collect::<Vec<_>>(), [1.0, 2.0, 6.0]);
        assert_eq!(all.mean_loss(), 3.0);
        assert_eq!(all.request(), Request::Snapshot);
        all.ask(Request::Stop);
        assert_eq!(all.request(), Request::Stop);
        let mut means = [output(&[0.0]), output(&[0.0])];
        all.mean_outputs(&mut means);
        assert_eq!([means[0].values[0], means[1].values[0]], [30.0, (0.1 + 0.2 + 0.3_f32) / 3.0]);
    }

    /// As many outputs as there are places, and a loss that is not a number.
    #[test]
    fn odd_rows_are_told_too() {
        let mut news = News::new(2, 1);
        news.tell(0, f32::NAN, &[output(&[1.0, 2.0, 3.0])]);
        news.tell(1, 0.0, &[]);
        assert!(news.mean_loss().is_nan());
        let mut means = [output(&[9.0, 9.0])];
        news.mean_outputs(&mut means);
        assert_eq!(means[0].values, [0.5, 9.0]);
    }
}
