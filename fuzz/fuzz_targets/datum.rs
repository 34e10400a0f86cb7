//! Any bytes as a `Datum`: the view of the data path and the general reader agree.
#![no_main]

use caffe_format::Datum;
use caffe_format::binary::{self, DatumView};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut floats = Vec::new();
    match (DatumView::read(bytes, &mut floats), binary::read::<Datum>(bytes)) {
        (Ok(view), Ok(datum)) => {
            let size = [datum.channels(), datum.height(), datum.width()];
            assert_eq!([view.channels, view.height, view.width], size);
            assert_eq!(view.data, datum.data());
            assert_eq!(view.label, datum.label());
            assert_eq!(view.encoded, datum.encoded());
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(view.float_data), bits(&datum.float_data));
        }
        (view, datum) => assert_eq!(view.is_err(), datum.is_err()),
    }
});
