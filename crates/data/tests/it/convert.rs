//! Converters and tools against the databases and mean files that Caffe's own made.

use caffe_format::{DataParameterDb, Datum, binary};
use data::{
    DataError, OnBadSample, check,
    convert::{
        self,
        images::{ImageEncoding, ImagesOptions},
    },
    database,
    image::{Color, encode::ImageFormat},
    lmdb::LmdbReader,
    mean,
};

use crate::golden::golden;

fn records(reader: &mut LmdbReader) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    while reader.advance().unwrap() {
        let value = reader.value(&mut Vec::new()).unwrap().to_vec();
        all.push((reader.key().to_vec(), value));
    }
    all
}

#[test]
fn idx_files_become_caffes_records() {
    let folder = tempfile::tempdir().unwrap();
    for set in ["fashion128", "fashion512"] {
        let path = folder.path().join(set);
        let mut told = Vec::new();
        let count = convert::idx(
            &golden().join(format!("{set}-images-idx3-ubyte")),
            &golden().join(format!("{set}-labels-idx1-ubyte")),
            &path,
            DataParameterDb::Lmdb,
            &mut |done, total| told.push((done, total)),
        )
        .unwrap();
        assert_eq!(told.last(), Some(&(count, count)));
        let ours = records(&mut LmdbReader::open(&path).unwrap());
        let caffes = records(&mut LmdbReader::open(&golden().join(format!("{set}_lmdb"))).unwrap());
        assert!(ours == caffes, "{set}: keys and bytes");
    }
}

#[test]
fn idx_files_that_do_not_fit_leave_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let images = golden().join("fashion128-images-idx3-ubyte");
    let labels = golden().join("fashion512-labels-idx1-ubyte");
    let cut = folder.path().join("cut");
    std::fs::copy(&images, &cut).unwrap();
    std::fs::OpenOptions::new().write(true).open(&cut).unwrap().set_len(50_000).unwrap();
    let good_labels = golden().join("fashion128-labels-idx1-ubyte");
    for (images, labels) in [(&images, &labels), (&labels, &images), (&cut, &good_labels)] {
        let error =
            convert::idx(images, labels, &path, DataParameterDb::Lmdb, &mut |_, _| {}).unwrap_err();
        assert!(matches!(error, DataError::Idx { .. } | DataError::Read { .. }), "{error:?}");
        assert!(!path.exists());
    }
}

#[test]
fn means_are_caffes_to_the_byte() {
    for (source, file) in
        [("fashion512_lmdb", "mean.binaryproto"), ("images_raw_lmdb", "images_mean.binaryproto")]
    {
        let mut database = database::open(&golden().join(source), DataParameterDb::Lmdb).unwrap();
        let blob = mean::compute(&mut *database, &mut |_, _| {}).unwrap();
        let want = std::fs::read(golden().join(file)).unwrap();
        assert!(binary::write(&blob) == want, "{source}");
    }
}

fn image_options() -> ImagesOptions {
    ImagesOptions {
        root: golden().join("images/").to_string_lossy().into_owned(),
        resize: None,
        color: Color::Bgr,
        shuffle: None,
        encoding: ImageEncoding::Raw,
        check_size: false,
        backend: DataParameterDb::Lmdb,
        on_bad_sample: OnBadSample::Fail,
    }
}

/// Converts the recorded list; the records of the new database.
fn convert_images(options: &ImagesOptions) -> Vec<(Vec<u8>, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let list = golden().join("images/list.txt");
    let converted = convert::images(&list, &path, options, &mut |_, _| {}).unwrap();
    assert_eq!(converted.records, 12);
    let mut database = database::open(&path, options.backend).unwrap();
    let mut all = Vec::new();
    while database.advance().unwrap() {
        let value = database.value(&mut Vec::new()).unwrap().to_vec();
        all.push((database.record_name().into_bytes(), value));
    }
    all
}

#[test]
fn image_files_become_caffes_records() {
    let gray = ImagesOptions { color: Color::Gray, resize: Some((28, 28)), ..image_options() };
    for (source, options) in [
        ("images_raw_lmdb", ImagesOptions { resize: Some((32, 32)), ..image_options() }),
        ("images_gray_lmdb", gray),
        (
            "images_encoded_lmdb",
            ImagesOptions { encoding: ImageEncoding::As(ImageFormat::Jpeg), ..image_options() },
        ),
    ] {
        let caffes = records(&mut LmdbReader::open(&golden().join(source)).unwrap());
        let ours = convert_images(&options);
        for (ours, caffes) in ours.iter().zip(&caffes) {
            let key = String::from_utf8_lossy(&ours.0);
            assert_eq!(key, String::from_utf8_lossy(&caffes.0));
            // A PNG that becomes a JPEG is encoded anew, and encoders differ.
            let anew =
                options.encoding == ImageEncoding::As(ImageFormat::Jpeg) && key.ends_with("png");
            assert!(anew || ours.1 == caffes.1, "{source} {key}");
        }
        let leveldb = ImagesOptions { backend: DataParameterDb::Leveldb, ..options };
        assert!(convert_images(&leveldb) == ours, "{source} as LevelDB");
    }
}

/// What is encoded anew decodes to what was put in: exactly as PNG, nearly as JPEG.
#[test]
fn images_can_be_encoded_anew() {
    let resize = Some((24, 40));
    let raw = convert_images(&ImagesOptions { resize, ..image_options() });
    for (format, levels) in [(ImageFormat::Png, 0), (ImageFormat::Jpeg, 10)] {
        let encoding = ImageEncoding::As(format);
        let encoded = convert_images(&ImagesOptions { resize, encoding, ..image_options() });
        for (raw, encoded) in raw.iter().zip(&encoded) {
            let raw: Datum = binary::read(&raw.1).unwrap();
            let encoded: Datum = binary::read(&encoded.1).unwrap();
            let image = data::image::decode(encoded.data(), Color::Bgr).unwrap();
            let apart =
                raw.data().iter().enumerate().map(|(i, &want)| {
                    usize::from(image.pixels[i % 960 * 3 + i / 960].abs_diff(want))
                });
            // On average; the pictures' chroma is noisy and JPEG halves it.
            assert!(apart.sum::<usize>() <= levels * 3 * 960, "{encoding:?}");
        }
    }
}

#[test]
fn sizes_are_checked_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let list = golden().join("images/list.txt");
    let options = ImagesOptions { check_size: true, ..image_options() };
    let result = convert::images(&list, &folder.path().join("db"), &options, &mut |_, _| {});
    assert!(matches!(result, Err(DataError::Sample { .. })), "{result:?}");
    let options = ImagesOptions { on_bad_sample: OnBadSample::Skip, ..options };
    let path = folder.path().join("db");
    let converted = convert::images(&list, &path, &options, &mut |_, _| {}).unwrap();
    assert_eq!((converted.records, converted.skipped.len()), (1, 11));
}

#[test]
fn cifar_batches_become_two_databases() {
    let folder = tempfile::tempdir().unwrap();
    let record = |label: u8| [vec![label], vec![label + 100; 3072]].concat();
    for (batch, labels) in [(1, 0..2), (2, 2..3), (3, 3..4), (4, 4..5), (5, 5..8)] {
        let path = folder.path().join(format!("data_batch_{batch}.bin"));
        std::fs::write(path, labels.flat_map(record).collect::<Vec<u8>>()).unwrap();
    }
    std::fs::write(folder.path().join("test_batch.bin"), record(9)).unwrap();
    let (input, backend) = (folder.path(), DataParameterDb::Lmdb);
    let counts = convert::cifar(input, input, backend, &mut |_, _| {}).unwrap();
    assert_eq!(counts, [8, 1]);
    let train = records(&mut LmdbReader::open(&input.join("cifar10_train_lmdb")).unwrap());
    for (i, (key, value)) in train.iter().enumerate() {
        let datum: Datum = binary::read(value).unwrap();
        assert_eq!(*key, format!("{i:05}").into_bytes());
        assert_eq!(usize::try_from(datum.label()), Ok(i));
        assert!(datum.data().len() == 3072 && datum.data()[0] as usize == i + 100);
    }
    assert!(convert::cifar(input, input, backend, &mut |_, _| {}).is_err(), "exists already");
}

#[test]
fn a_check_says_what_a_database_holds() {
    let mut database =
        database::open(&golden().join("images_encoded_lmdb"), DataParameterDb::Lmdb).unwrap();
    let report = check::database(&mut *database, &mut |_, _| {}).unwrap();
    assert_eq!((report.records, report.bad), (12, 0));
    assert_eq!(report.sizes.len(), 12, "one of them grey: {:?}", report.sizes);
    assert_eq!(report.labels.values().copied().collect::<Vec<_>>(), [3, 3, 2, 2, 2]);
}
