//! What a layer has to do at least: floating-point operations and bytes, from its shapes alone.
//!
//! Layers without multiply-adds are taken for pure memory traffic. Bytes count every blob and param
//! that a direction must read or write once.

use net::{BackwardWork, LayerSummary};

/// Layers whose backward does not look at their bottoms' data.
const LINEAR: &[&str] = &["Concat", "Convert", "Dropout", "Eltwise", "Flatten", "Reshape", "Split"];

const VALUE_BYTES: f64 = 4.0;

/// One direction of a layer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct LayerWork {
    pub(crate) flops: f64,
    pub(crate) bytes: f64,
}

/// Forward of a layer.
pub(super) fn forward(row: &LayerSummary) -> LayerWork {
    if row.alias {
        return LayerWork::default();
    }
    let values = bottoms(row) + tops(row) + row.params_read as f64;
    LayerWork { flops: row.forward_flops(), bytes: VALUE_BYTES * values }
}

/// Backward of a layer.
pub(super) fn backward(row: &LayerSummary) -> LayerWork {
    if row.backward == BackwardWork::default() {
        return LayerWork::default();
    }
    let looks = f64::from(row.backward.gradients || !LINEAR.contains(&row.kind));
    let [gradients, diffs] = [row.backward.gradients, row.backward.diffs].map(f64::from);
    let params = row.params_read as f64;
    let values = tops(row) + (looks + diffs) * bottoms(row) + (gradients + diffs) * params;
    LayerWork { flops: row.backward_flops(), bytes: VALUE_BYTES * values }
}

/// Floating-point operations of a layer's two directions.
pub(super) fn flops(row: &LayerSummary) -> f64 {
    forward(row).flops + backward(row).flops
}

fn bottoms(row: &LayerSummary) -> f64 {
    row.bottoms.iter().map(|shape| shape.count() as f64).sum()
}

fn tops(row: &LayerSummary) -> f64 {
    row.tops.iter().map(|shape| shape.count() as f64).sum()
}

#[cfg(test)]
mod tests {
    use base::Shape;
    use net::{BackwardWork, LayerSummary};

    use super::{LayerWork, backward, forward};

    /// 2 rows of 3 values in, of 5 out, 15 weights, no bias.
    fn product() -> LayerSummary {
        LayerSummary {
            name: "ip".into(),
            kind: "InnerProduct",
            bottoms: vec![Shape::new(&[2, 3]).unwrap()],
            tops: vec![Shape::new(&[2, 5]).unwrap()],
            params: 15,
            params_read: 15,
            multiply_adds: 30,
            activation_bytes: 40,
            hidden: false,
            alias: false,
            backward: BackwardWork { gradients: true, diffs: true },
        }
    }

    #[test]
    fn a_product_costs_once_forward_and_twice_backward() {
        assert_eq!(
            forward(&product()),
            LayerWork { flops: 60.0, bytes: 4.0 * (6.0 + 10.0 + 15.0) }
        );
        // Reads dy, x, w; writes dx, dw.
        let want = LayerWork { flops: 120.0, bytes: 4.0 * (10.0 + 2.0 * 6.0 + 2.0 * 15.0) };
        assert_eq!(backward(&product()), want);
    }

    #[test]
    fn the_first_layer_has_no_diff_to_make() {
        let first = BackwardWork { gradients: true, diffs: false };
        let want = LayerWork { flops: 60.0, bytes: 4.0 * (10.0 + 6.0 + 15.0) };
        assert_eq!(backward(&LayerSummary { backward: first, ..product() }), want);
        let idle = LayerSummary { backward: BackwardWork::default(), ..product() };
        assert_eq!(backward(&idle), LayerWork::default());
    }

    #[test]
    fn another_name_for_a_blob_costs_nothing() {
        let split = LayerSummary { alias: true, ..product() };
        assert_eq!(forward(&split), LayerWork::default());
    }
}
