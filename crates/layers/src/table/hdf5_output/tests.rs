use std::sync::mpsc::{Sender, channel};

use base::Shape;
use base::random::Mt19937;
use tensor::Layout;

use crate::testing::{LayerMemory, build, error};
use crate::{Bottom, DataSourceError, OutputSink, SinkSource};

/// Sends shapes and values of the bottoms to the test.
struct RecordingSink(Sender<Vec<(String, Vec<f32>)>>);

impl OutputSink for RecordingSink {
    fn put(&mut self, bottoms: &[Bottom<'_>]) -> Result<(), DataSourceError> {
        let blobs = bottoms.iter().map(|b| (b.shape.to_string(), b.data().to_vec())).collect();
        self.0.send(blobs).map_err(|error| DataSourceError(Box::new(error)))
    }
}

#[test]
fn every_forward_hands_both_bottoms_to_the_sink() {
    let text = "type: \"HDF5Output\" hdf5_output_param { file_name: \"out.h5\" }";
    let mut layer = build(text, 2, 0).unwrap();
    let (sender, received) = channel();
    let mut source = SinkSource(RecordingSink(sender));
    for values in [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]] {
        let bottoms = vec![
            (Shape::new(&[2, 2]).unwrap(), values.to_vec()),
            (Shape::new(&[2]).unwrap(), values[2..].to_vec()),
        ];
        let mut memory = LayerMemory::new(&mut *layer, Layout::RowMajor, false, bottoms).unwrap();
        memory.forward(&mut *layer, &mut Mt19937::new(1), Some(&mut source)).unwrap();
        let want = [("2 2 (4)".into(), values.to_vec()), ("2 (2)".into(), values[2..].to_vec())];
        assert_eq!(received.recv().unwrap(), want);
    }
}

#[test]
fn a_file_must_be_named_and_items_agree() {
    assert_eq!(
        error("type: \"HDF5Output\"", &[&[2], &[2]], 0),
        "`hdf5_output_param.file_name` is missing: the file to write"
    );
    assert_eq!(
        error("type: \"HDF5Output\" hdf5_output_param { file_name: \"f\" }", &[&[2], &[3]], 0),
        "bottom 1 has shape 3 (3), expected 2 items, as bottom 0 has"
    );
}
