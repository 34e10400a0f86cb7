//! Layers whose rows the embedding program brings: they train like others, with one object per
//! replica.

use base::Shape;
use layers::{
    AddedLayers, Backward, Forward, Layer, LayerError, LayerKind, LayerObject, LayerTraits,
    ParamDecl, ParamKind,
};
use train::files::solver_from_text;
use train::{Event, Job, JobConfig, NoControl, chain};

/// `y = c · w · mean(x)` in the c-th forward of a replica; fails in forward 10.
#[derive(Default)]
struct Counting {
    object: LayerObject,
}

const ADDED: AddedLayers = AddedLayers(&[LayerKind {
    name: "Counting",
    build: |_| Ok(Box::new(Counting { object: Some(Box::new(0_u32)) })),
    ..LayerKind::UNARY
}]);

impl Counting {
    fn count(&mut self) -> &mut u32 {
        let object = self.object.get_or_insert_with(|| Box::new(0_u32));
        object.downcast_mut().expect("only we put something there")
    }
}

impl Layer for Counting {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(vec![Shape::new(&[1])?])
    }

    fn params(&self) -> Vec<ParamDecl> {
        let (filler, values) = (Default::default(), Some([0.5].into()));
        let shape = Shape::new(&[1]).unwrap();
        vec![ParamDecl { shape, filler, values, kind: ParamKind::Learned }]
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits { remembers: true, ..LayerTraits::default() }
    }

    fn object(&mut self) -> Option<&mut LayerObject> {
        Some(&mut self.object)
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        *self.count() += 1;
        if *self.count() == 10 {
            return Err(LayerError::Program("ten are too many".into()));
        }
        let x = io.bottoms[0].data();
        let mean = x.iter().sum::<f32>() / x.len() as f32;
        io.tops[0].data()[0] = *self.count() as f32 * io.params[0][0] * mean;
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let count = *self.count() as f32 * io.tops[0].diff()[0];
        let x = io.bottoms[0].data;
        let n = x.len() as f32;
        if let Some(gradient) = &mut io.gradients[0] {
            let value = count * x.iter().sum::<f32>() / n;
            match gradient.write {
                kernels::Write::Set => gradient.values[0] = value,
                kernels::Write::Add => gradient.values[0] += value,
            }
        }
        if let Some(diff) = &mut io.bottoms[0].diff {
            diff.fill(count * io.params[0][0] / n);
        }
        Ok(())
    }
}

const SOLVER: &str = r#"
    base_lr: 0.001 lr_policy: "fixed" momentum: 0.9 random_seed: 7 max_iter: 20
    net_param {
      layer { name: "x" type: "DummyData" top: "x"
              dummy_data_param { shape { dim: 4 dim: 3 } data_filler { type: "gaussian" } } }
      layer { name: "ip" type: "InnerProduct" bottom: "x" top: "ip"
              inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
      layer { name: "loss" type: "Counting" bottom: "ip" top: "loss" loss_weight: 1 }
    }"#;

fn job(workers: usize, added: AddedLayers) -> Result<Job, train::TrainError> {
    let solver = solver_from_text("counting", SOLVER).unwrap();
    let (replicas, added_layers) = (Some(4), added);
    Job::open(JobConfig { workers, replicas, added_layers, ..JobConfig::new(solver) }, &mut |_| ())
}

fn hash_after(steps: usize, workers: usize) -> u64 {
    let mut job = job(workers, ADDED).unwrap();
    for _ in 0..steps {
        job.step(&NoControl, &mut |_: Event| ()).unwrap();
    }
    job.hash().unwrap()
}

#[test]
fn every_replica_has_an_object_of_its_own_on_any_workers() {
    let one = hash_after(3, 1);
    assert_eq!(hash_after(3, 2), one);
    assert_eq!(hash_after(3, 4), one);
    assert_ne!(hash_after(4, 1), one);
}

#[test]
fn values_of_its_params_are_where_training_begins() {
    let model = job(1, ADDED).unwrap().model().unwrap();
    let layer = model.layer.iter().find(|layer| layer.name() == "loss").unwrap();
    assert_eq!(*layer.blobs[0].values().unwrap(), [0.5]);
}

#[test]
fn without_its_row_the_type_is_unknown() {
    let error = job(1, AddedLayers::default()).err().expect("nobody brings the row");
    let text = chain(&error);
    assert!(text.contains("layer `loss`: unknown layer type `Counting`"), "{text}");
}

/// So that a program finds its own exception in what it gets back.
#[test]
fn its_error_is_among_the_causes() {
    let mut job = job(2, ADDED).unwrap();
    let failed = (0..10).find_map(|_| job.step(&NoControl, &mut |_: Event| ()).err());
    let error = failed.expect("forward 10 fails");
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |e| e.source());
    let own = causes.filter_map(|cause| cause.downcast_ref::<LayerError>()).next().unwrap();
    assert!(matches!(own, LayerError::Program(_)));
    assert_eq!(chain(&error), "layer `loss`: ten are too many");
}
