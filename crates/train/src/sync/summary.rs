//! What a step reports besides gradients: losses, outputs and requests of all ranks.
//!
//! One row per replica (in a test phase: per test iteration), after two values for requests.
//! Everyone fills its own rows and leaves zeros elsewhere, so the sum over ranks is what each has
//! entered, to the bit.
//!
//! ```text
//!   stops  snapshots | loss  outputs.. | loss  outputs.. | ..
//!                      replica 0         replica 1
//! ```

use net::Output;

use crate::Request;

/// Values before the first row.
const REQUESTS: usize = 2;

/// The rows of all replicas, as one list of values.
#[derive(Debug, Clone)]
pub(crate) struct StepSummary {
    /// Values per row: the loss and all outputs.
    width: usize,
    values: Vec<f32>,
}

impl StepSummary {
    /// All zeros, for `rows` rows of a loss and `outputs` output values.
    pub(crate) fn new(rows: usize, outputs: usize) -> Self {
        let width = 1 + outputs;
        Self { width, values: vec![0.0; REQUESTS + rows * width] }
    }

    /// Enters what was asked of this rank.
    pub(crate) fn add_request(&mut self, request: Request) {
        match request {
            Request::None => {}
            Request::Stop => self.values[0] = 1.0,
            Request::Snapshot => self.values[1] = 1.0,
        }
    }

    /// What was asked of any rank; a stop includes a snapshot.
    pub(crate) fn request(&self) -> Request {
        match self.values[..REQUESTS] {
            [stops, _] if stops > 0.0 => Request::Stop,
            [_, snapshots] if snapshots > 0.0 => Request::Snapshot,
            _ => Request::None,
        }
    }

    /// Fills row `row`. Output values beyond the row's width are dropped: their number can change
    /// with the batch.
    pub(crate) fn set_row(&mut self, row: usize, loss: f32, outputs: &[Output]) {
        let start = REQUESTS + row * self.width;
        let values = outputs.iter().flat_map(|output| &output.values);
        let row = &mut self.values[start..start + self.width];
        row[0] = loss;
        row[1..].iter_mut().zip(values).for_each(|(entry, value)| *entry = *value);
    }

    /// The first row whose loss is not finite.
    pub(crate) fn first_bad_loss(&self) -> Option<usize> {
        self.losses().position(|loss| !loss.is_finite())
    }

    /// In order of rows.
    fn losses(&self) -> impl Iterator<Item = f32> + '_ {
        self.rows().map(|row| row[0])
    }

    /// The mean loss, added in order of rows.
    pub(crate) fn mean_loss(&self) -> f32 {
        let (sum, count) = self.losses().fold((0.0, 0.0), |(sum, n), loss| (sum + loss, n + 1.0));
        sum / count
    }

    /// Replaces the values of `outputs` by their means over rows, added in order.
    pub(crate) fn mean_outputs(&self, outputs: &mut [Output]) {
        let count = self.rows().len() as f32;
        let values = outputs.iter_mut().flat_map(|output| &mut output.values);
        for (index, value) in values.enumerate().take(self.width - 1) {
            let mut column = self.rows().map(|row| row[1 + index]);
            let first = column.next().unwrap_or(0.0);
            *value = column.fold(first, |sum, entry| sum + entry) / count;
        }
    }

    /// All values, to be summed over ranks.
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

    use super::StepSummary;
    use crate::Request;

    fn output(values: &[f32]) -> Output {
        Output { name: "o".into(), loss_weight: 0.0, values: values.to_vec() }
    }

    #[test]
    fn the_sum_over_ranks_is_what_each_has_entered() {
        let mut ranks = [StepSummary::new(3, 2), StepSummary::new(3, 2)];
        ranks[0].set_row(0, 1.0, &[output(&[10.0]), output(&[0.1])]);
        ranks[0].set_row(1, 2.0, &[output(&[20.0]), output(&[0.2])]);
        ranks[1].set_row(2, 6.0, &[output(&[60.0]), output(&[0.3])]);
        ranks[1].add_request(Request::Snapshot);
        let [mut all, mut other] = ranks;
        all.values().iter_mut().zip(other.values()).for_each(|(sum, value)| *sum += *value);
        assert_eq!(all.losses().collect::<Vec<_>>(), [1.0, 2.0, 6.0]);
        assert_eq!(all.mean_loss(), 3.0);
        assert_eq!(all.request(), Request::Snapshot);
        all.add_request(Request::Stop);
        assert_eq!(all.request(), Request::Stop);
        let mut means = [output(&[0.0]), output(&[0.0])];
        all.mean_outputs(&mut means);
        assert_eq!([means[0].values[0], means[1].values[0]], [30.0, (0.1 + 0.2 + 0.3_f32) / 3.0]);
    }

    #[test]
    fn rows_take_any_number_of_outputs_and_any_loss() {
        let mut summary = StepSummary::new(2, 1);
        summary.set_row(0, f32::NAN, &[output(&[1.0, 2.0, 3.0])]);
        summary.set_row(1, 0.0, &[]);
        assert!(summary.mean_loss().is_nan());
        let mut means = [output(&[9.0, 9.0])];
        summary.mean_outputs(&mut means);
        assert_eq!(means[0].values, [0.5, 9.0]);
    }
}
