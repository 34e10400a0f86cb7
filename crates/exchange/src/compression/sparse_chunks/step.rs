//! One step: chunks go to the send buffer or to the residual, sums come back, norms choose the next
//! set.

use super::SparseChunks;
use super::selection::{ParamChunk, select_largest};
use crate::ExchangeError;
use crate::canonical::add_assign;
use crate::compression::arithmetic::{l1_norm, scale, single};
use crate::compression::pool::{PoolAccess, with_range};
use crate::compression::row::RowContext;

impl SparseChunks {
    /// Adds the residual to a chunk of the gradient. What is sent goes to the buffer; what is not
    /// is decayed into the residual, and the pool holds zeros.
    pub(super) fn prepare(&mut self, chunk: usize, pool: &dyn PoolAccess) {
        let is_sent = self.is_sent(chunk);
        let Self { send, residual, momentum, norms, was_sent, .. } = self;
        let ParamChunk { range, selectable } = &self.table.chunks[chunk];
        let residual = &mut residual[range.clone()];
        with_range(pool, range.clone(), |values| {
            let Some(index) = *selectable else {
                send.extend_from_slice(values);
                return;
            };
            if !was_sent[index] {
                add_assign(values, residual);
            }
            was_sent[index] = is_sent;
            residual.copy_from_slice(values);
            if is_sent {
                send.extend_from_slice(values);
            } else {
                norms[index] = single(l1_norm(values));
                scale(*momentum, residual);
                values.fill(0.0);
            }
        });
        if is_sent {
            self.queued.push(chunk);
        }
    }

    /// Sums the send buffer over ranks and copies the sums to where they came from.
    pub(super) fn flush(&mut self, context: &mut RowContext<'_>) -> Result<(), ExchangeError> {
        if self.queued.is_empty() {
            return Ok(());
        }
        context.exchange.all_reduce(&mut self.send)?;
        let begin = context.record.spent();
        let mut sums = &self.send[..];
        for chunk in self.queued.drain(..) {
            let ParamChunk { range, selectable } = &self.table.chunks[chunk];
            let (sum, rest) = sums.split_at(range.len());
            with_range(context.pool, range.clone(), |values| values.copy_from_slice(sum));
            if let Some(index) = *selectable {
                self.norms[index] = single(l1_norm(sum)) / self.ranks;
            }
            sums = rest;
        }
        self.send.clear();
        context.record.decoded_since(begin);
        Ok(())
    }

    /// Sums a bucket in place, with what the residual still holds.
    pub(super) fn sum_dense(
        &mut self,
        index: usize,
        context: &mut RowContext<'_>,
    ) -> Result<(), ExchangeError> {
        if index == 0 {
            self.before_dense.clone_from(&self.was_sent);
        }
        let bucket = self.buckets[index].clone();
        let Self { table, was_sent, residual, .. } = self;
        with_range(context.pool, bucket.clone(), |values| {
            for chunk in &table.chunks[table.of_bucket[index].clone()] {
                let Some(selectable) = chunk.selectable.filter(|&at| !was_sent[at]) else {
                    continue;
                };
                let at = chunk.range.start - bucket.start..chunk.range.end - bucket.start;
                add_assign(&mut values[at], &residual[chunk.range.clone()]);
                was_sent[selectable] = true;
            }
            context.exchange.all_reduce(values).map(drop)
        })
    }

    /// Chooses the important chunks of the next step.
    pub(super) fn select(&mut self, context: &mut RowContext<'_>) -> Result<(), ExchangeError> {
        if self.norms.is_empty() {
            return Ok(());
        }
        context.exchange.sum(&mut self.norms)?;
        if !self.norms.iter().all(|norm| norm.is_finite()) {
            context.record.not_finite = true;
            return Ok(());
        }
        let count = self.count_at(self.steps + 1);
        select_largest(&self.norms, count, &mut self.order, &mut self.is_important);
        Ok(())
    }
}
