//! `MemoryData`: values from the program.

use base::random::Mt19937;
use caffe_format::Phase;
use data::DataError;

use crate::golden::{layer, options};
use crate::values as of;

#[test]
fn values_come_back_in_turn() {
    let layer = layer(
        r#"layer { type: "MemoryData" top: "x" top: "y"
             memory_data_param { batch_size: 2 channels: 1 height: 1 width: 3 } }"#,
    );
    let mut rng = Mt19937::new(3);
    let mut stream = data::open(&layer, Phase::Test, &options(), &mut rng).unwrap();
    assert_eq!(rng, Mt19937::new(3), "no thread, no draw");
    assert_eq!(stream.shapes()[0].dims(), [2, 1, 1, 3]);
    assert!(matches!(stream.next_batch(), Err(DataError::NoInputArrays)));
    let values: Vec<f32> = (0_u8..12).map(f32::from).collect();
    assert!(matches!(
        stream.set_input_arrays(&values[..9], &[0.0; 3]),
        Err(DataError::InputArrays { .. })
    ));
    assert!(matches!(
        stream.set_input_arrays(&values[..11], &[0.0; 4]),
        Err(DataError::InputArrays { .. })
    ));
    stream.set_input_arrays(&values, &[5.0, 6.0, 7.0, 8.0]).unwrap();
    for _ in 0..3 {
        let batch = stream.next_batch().unwrap();
        assert_eq!((of(batch, 0), of(batch, 1)), (values[..6].to_vec(), vec![5.0, 6.0]));
        let saved = stream.state().clone();
        let batch = stream.next_batch().unwrap();
        assert_eq!((of(batch, 0), of(batch, 1)), (values[6..].to_vec(), vec![7.0, 8.0]));
        stream.restore(&saved).unwrap();
        stream.next_batch().unwrap();
        assert_eq!(stream.record_name(0).as_deref(), Some("2"));
    }
}

#[test]
fn other_layers_take_no_input_arrays() {
    let layer = crate::golden::golden_layer("data_lmdb");
    let mut rng = Mt19937::new(3);
    let mut stream = data::open(&layer, Phase::Test, &options(), &mut rng).unwrap();
    assert!(matches!(stream.set_input_arrays(&[], &[]), Err(DataError::NoInputArrays)));
}
