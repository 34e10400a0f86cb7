//! What a layer has to do at least: floating-point operations and bytes, from its shapes alone.
//!
//! Operations are those of the layer's multiply-adds, two each; layers without any are taken for pure
//! memory traffic. Backward repeats them once for the params' gradients and once for the bottoms'
//! diffs. Bytes count every blob and param that a direction must read or write once.

use net::{Computes, Row};

/// Layers whose backward does not look at their bottoms' data.
const LINEAR: &[&str] = &["Concat", "Convert", "Dropout", "Eltwise", "Flatten", "Reshape", "Split"];

const VALUE_BYTES: f64 = 4.0;

/// One direction of a layer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Work {
    pub(super) flops: f64,
    pub(super) bytes: f64,
}

/// Forward of a layer.
pub(super) fn forward(row: &Row) -> Work {
    if row.alias {
        return Work::default();
    }
    let values = bottoms(row) + tops(row) + row.params_read as f64;
    Work { flops: 2.0 * row.multiply_adds as f64, bytes: VALUE_BYTES * values }
}

/// Backward of a layer.
pub(super) fn backward(row: &Row) -> Work {
    if row.backward == Computes::default() {
        return Work::default();
    }
    let looks = f64::from(row.backward.gradients || !LINEAR.contains(&row.kind));
    let [gradients, diffs] = [row.backward.gradients, row.backward.diffs].map(f64::from);
    let params = row.params_read as f64;
    let values = tops(row) + (looks + diffs) * bottoms(row) + (gradients + diffs) * params;
    let flops = 2.0 * (gradients + diffs) * row.multiply_adds as f64;
    Work { flops, bytes: VALUE_BYTES * values }
}

/// Floating-point operations of a layer's two directions.
pub(super) fn flops(row: &Row) -> f64 {
    forward(row).flops + backward(row).flops
}

fn bottoms(row: &Row) -> f64 {
    row.bottoms.iter().map(|shape| shape.count() as f64).sum()
}

fn tops(row: &Row) -> f64 {
    row.tops.iter().map(|shape| shape.count() as f64).sum()
}

#[cfg(test)]
mod tests {
    use base::Shape;
    use net::{Computes, Row};

    use super::{Work, backward, forward};

    /// 2 rows of 3 values in, of 5 out, 15 weights, no bias.
    fn product() -> Row {
        Row {
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
            backward: Computes { gradients: true, diffs: true },
        }
    }

    #[test]
    fn a_product_costs_once_forward_and_twice_backward() {
        assert_eq!(forward(&product()), Work { flops: 60.0, bytes: 4.0 * (6.0 + 10.0 + 15.0) });
        // Reads dy, x, w; writes dx, dw.
        let want = Work { flops: 120.0, bytes: 4.0 * (10.0 + 2.0 * 6.0 + 2.0 * 15.0) };
        assert_eq!(backward(&product()), want);
    }

    #[test]
    fn the_first_layer_has_no_diff_to_make() {
        let first = Computes { gradients: true, diffs: false };
        let want = Work { flops: 60.0, bytes: 4.0 * (10.0 + 6.0 + 15.0) };
        assert_eq!(backward(&Row { backward: first, ..product() }), want);
        let idle = Row { backward: Computes::default(), ..product() };
        assert_eq!(backward(&idle), Work::default());
    }

    #[test]
    fn another_name_for_a_blob_costs_nothing() {
        let split = Row { alias: true, ..product() };
        assert_eq!(forward(&split), Work::default());
    }
}
