//! Which fork of Caffe has a layer type or field that Caffe has not, for hints.
//!
//! The nearest name by letters misleads for these: whoever writes `cocodata_param` does not mean
//! `data_param`. The table holds names that public prototxts use and that this program does not
//! support; tests see to the second. Where several forks have a name, the first row counts.

/// A fork and the names that it added.
#[derive(Debug)]
pub struct Fork {
    /// Name and origin, as a noun: "Ristretto (pmgysel/caffe)".
    pub name: &'static str,
    /// Strings after `type:`.
    pub layer_types: &'static [&'static str],
    /// Fields that it added to messages of Caffe.
    pub fields: &'static [(&'static str, &'static [&'static str])],
}

/// The fork that has a layer type of this name.
#[must_use]
pub fn of_layer_type(name: &str) -> Option<&'static Fork> {
    FORKS.iter().find(|fork| fork.layer_types.contains(&name))
}

/// The fork whose `message` has a field of this name.
#[must_use]
pub fn of_field(message: &str, field: &str) -> Option<&'static Fork> {
    let has = |(its, fields): &(&str, &[&str])| *its == message && fields.contains(&field);
    FORKS.iter().find(|fork| fork.fields.iter().any(has))
}

/// Whether a fork writes lists for this field, of which Caffe reads one value. Only fields whose
/// value has no effect here are in the table: the last of the list counts.
#[must_use]
pub(crate) fn writes_list(message: &str, field: &str) -> bool {
    const LISTS: [(&str, &str); 1] = [("SolverParameter", "device_id")]; // TSN: several GPUs
    LISTS.contains(&(message, field))
}

/// Every fork that is known here, the origin of a name before those that took it over.
#[rustfmt::skip] // a table: as many names per line as fit
pub const FORKS: &[Fork] = &[
    Fork {
        name: "SSD (weiliu89/caffe)",
        layer_types: &["VideoData"],
        fields: &[("LayerParameter", &["video_data_param"])],
    },
    Fork {
        name: "SegNet (alexgkendall/caffe-segnet)",
        layer_types: &["DenseImageData"],
        fields: &[],
    },
    Fork {
        name: "DeepLab",
        layer_types: &["AdaptiveBiasChannel", "BiasChannel", "DenseCRF", "DomainTransform",
            "DomainTransformForwardOnly", "ImageSegData", "MatRead", "MatWrite", "SegAccuracy",
            "SpatialProduct", "UniqueLabel"],
        fields: &[],
    },
    Fork {
        name: "R-FCN (daijifeng001/caffe-rfcn)",
        layer_types: &["BoxAnnotatorOHEM"],
        fields: &[],
    },
    Fork {
        name: "NVCaffe (NVIDIA/caffe)",
        layer_types: &["DetectNetTransformation", "TRT"],
        fields: &[
            ("BatchNormParameter", &["scale_bias", "scale_filler", "bias_filler", "engine"]),
            ("ConvolutionParameter", &["conv_algos_override", "cudnn_convolution_algo_seeker"]),
            ("DataParameter", &["cache", "parser_threads", "precache", "threads"]),
            ("DropoutParameter", &["engine", "random_seed"]),
            ("ELUParameter", &["lambda"]),
            ("ImageDataParameter", &["cache", "dataset_share_per_node", "precache", "short_side",
                "threads"]),
            ("LayerParameter", &["backward_math", "backward_type", "cudnn_math_override", "debug",
                "detectnet_augmentation_param", "detectnet_groundtruth_param", "forward_math",
                "forward_type", "trt_param"]),
            ("LossParameter", &["label_smoothing"]),
            ("NetParameter", &["default_backward_math", "default_backward_type",
                "default_conv_algos_override", "default_cudnn_math_override",
                "default_forward_math", "default_forward_type", "eltwise_mem_sharing",
                "global_grad_scale", "global_grad_scale_adaptive", "reduce_buckets"]),
            ("PoolingParameter", &["torch_pooling"]),
            ("SolverParameter", &["larc", "larc_eta", "larc_policy", "larc_turbo", "max_momentum",
                "max_weight_decay", "min_lr", "momentum_policy", "momentum_power",
                "rampup_interval", "rampup_lr", "solver_data_type", "store_blobs_in_old_format",
                "test_and_snapshot_last_epochs", "weight_decay_policy", "weight_decay_power"]),
            ("TransformationParameter", &["allow_upscale", "display", "forward_packing",
                "horizontal_stretch_lower", "horizontal_stretch_upper", "img_rand_resize_lower",
                "img_rand_resize_upper", "interpolation_algo_down", "interpolation_algo_up",
                "num_labels", "rand_resize_ratio_lower", "rand_resize_ratio_upper", "random_seed",
                "use_gpu_transform", "vertical_stretch_lower", "vertical_stretch_upper"]),
        ],
    },
    Fork {
        name: "Intel Caffe (intel/caffe)",
        layer_types: &["BoxData", "EvalDetection", "MKLBatchNorm", "MnActivation",
            "SmoothL1LossOHEM", "SoftmaxWithLossOHEM", "SpatialDropout"],
        fields: &[
            ("BatchNormParameter", &["bias_term", "filler", "relu", "stats_batch_size",
                "use_weight_bias"]),
            ("ConcatParameter", &["engine", "per_fla_fuse"]),
            ("ConvolutionParameter", &["coeff", "conv_algorithm", "fusion_type", "negative_slope",
                "relu"]),
            ("EltwiseParameter", &["engine"]),
            ("FillerParameter", &["scale"]),
            ("ImageDataParameter", &["min_height", "min_width"]),
            ("InnerProductParameter", &["engine", "negative_slope", "relu"]),
            ("LayerParameter", &["engine", "eval_detection_param", "mn_activation_param",
                "mn_grad_compress_param", "multinode", "spatial_dropout_param", "split_param"]),
            ("NetParameter", &["bn_stats_batch_size", "compile_net_state", "engine", "multinode"]),
            ("PoolingParameter", &["avg_include_pad", "kernel_size_3d", "pad_3d", "stride_3d"]),
            ("ReLUParameter", &["fuse"]),
            ("SolverParameter", &["disabled_update", "engine", "local_gw_ratio", "local_lr_auto",
                "stageiter", "stagelr", "test_offset"]),
            ("TransformationParameter", &["bgr2rgb", "pad", "random_aspect_ratio_param",
                "random_resize_param"]),
        ],
    },
    Fork {
        name: "yjxiong/caffe (temporal segment networks)",
        layer_types: &["BatchReduction", "Gather", "Scatter", "SegData", "SyncBN"],
        fields: &[
            ("LayerParameter", &["batch_reduction_param", "seg_data_param"]),
            ("TransformationParameter", &["fix_crop", "is_flow", "max_distort", "more_fix_crop",
                "multi_scale", "original_image", "scale_ratios", "upper_height", "upper_size",
                "upper_width"]),
        ],
    },
    Fork {
        name: "Ristretto (pmgysel/caffe)",
        layer_types: &["ConvolutionRistretto", "DeconvolutionRistretto", "FcRistretto",
            "LRNRistretto"],
        fields: &[("LayerParameter", &["quantization_param"])],
    },
    Fork {
        name: "CRF-RNN (torrvision/caffe)",
        layer_types: &["MultiStageMeanfield"],
        fields: &[("LayerParameter", &["multi_stage_meanfield_param"])],
    },
    Fork {
        name: "FlowNet 2 (lmb-freiburg/flownet2)",
        layer_types: &["Accum", "BlackAugmentation", "ChannelNorm", "Correlation", "Correlation1D",
            "CustomData", "DataAugmentation", "DisparityData", "Downsample", "FLOWriter",
            "FloatReader", "FloatWriter", "FlowAugmentation", "FlowWarp",
            "GenerateAugmentationParameters", "ImgReader", "ImgWriter", "L1Loss", "LpqLoss", "Mean",
            "NegReLU", "PFMWriter", "Resample"],
        fields: &[
            ("DataParameter", &["block_size", "disk_reader_threads", "encoding",
                "huge_video_dataset", "limit_samples", "permute_every_iter", "preselection_file",
                "preselection_label", "rand_permute", "rand_permute_order", "rand_permute_seed",
                "range_end", "range_start", "slice_point", "subtract", "verbose"]),
            ("FillerParameter", &["diag_val"]),
            ("LayerParameter", &["accum_param", "augmentation_param", "black_augmentation_param",
                "coeff_schedule_param", "correlation_param", "downsample_param", "flow_warp_param",
                "l1_loss_param", "lpq_loss_param", "mean_param", "reader_param", "resample_param",
                "reshape_every_iter", "writer_param"]),
        ],
    },
    Fork {
        name: "OpenPose's Caffe (CMU-Perceptual-Computing-Lab)",
        layer_types: &["CPMBottomUpData", "CPMData", "CocoData", "ImResize", "Nms", "OPData",
            "OPVideo"],
        fields: &[
            ("ConvolutionParameter", &["binary"]),
            ("LayerParameter", &["cocodata_param", "cpmbottomup_param", "cpmdata_param",
                "imresize_param", "nms_param", "op_transform_param"]),
            ("TransformationParameter", &["aug_way", "center_perterb_max", "clahe_clip_limit",
                "clahe_tile_size", "crop_size_x", "crop_size_y", "do_clahe", "flip_prob",
                "max_rotate_degree", "np_in_lmdb", "num_parts", "num_total_augs", "put_gaussian",
                "scale_prob", "sigma", "stride", "target_dist", "transform_body_joint",
                "visualize"]),
        ],
    },
    Fork {
        name: "C3D (facebook/C3D)",
        layer_types: &["BlackHole", "Convolution3D", "Deconvolution3D", "L2Normalize", "Pooling3D"],
        fields: &[
            ("BlobProto", &["length"]),
            ("ConvolutionParameter", &["filter_group", "kernel_depth", "temporal_pad",
                "temporal_stride"]),
            ("ImageDataParameter", &["new_length", "sampling_rate", "show_data", "use_image",
                "use_temporal_jitter"]),
            ("PoolingParameter", &["kernel_depth", "temporal_stride"]),
        ],
    },
    Fork {
        name: "MobileNet-YOLO (eric612/MobileNet-YOLO)",
        layer_types: &["GaussianYolov3", "RegionLoss", "Reorg", "SegmentationEvaluate",
            "YoloDetectionOutput", "Yolov3", "Yolov3DetectionOutput"],
        fields: &[
            ("LayerParameter", &["region_loss_param", "reorg_param", "segmentation_evaluate_param",
                "yolo_detection_output_param", "yolov3_param", "yolov3_detection_output_param"]),
        ],
    },
    Fork {
        name: "caffe-windows (happynear/caffe-windows)",
        layer_types: &["CenterLoss", "ChannelScale", "FocalLoss", "GeneralTripletLoss", "Gram",
            "InnerDistance", "Insanity", "LabelSpecificAdd", "Local", "MarginInnerProduct",
            "MultiLabelImageData", "Noise", "Pairwise", "Proposal", "Resize", "TripletLoss"],
        fields: &[
            ("FillerParameter", &["alpha"]),
            ("InnerProductParameter", &["normalize"]),
            ("LayerParameter", &["center_loss_param", "channel_scale_param", "focal_loss_param",
                "general_triplet_loss_param", "inner_distance_param", "insanity_param",
                "label_specific_add_param", "local_param", "margin_inner_product_param",
                "noise_param", "pairwise_param", "proposal_param", "triplet_loss_param"]),
            ("TransformationParameter", &["aspect_max", "aspect_min", "center_crop", "scale_max",
                "scale_min"]),
        ],
    },
    Fork {
        name: "Synopsys Caffe (foss-for-synopsys-dwc-arc-processors)",
        layer_types: &["DepthToSpace", "Gemm", "HardSigmoid", "HardSwish", "LayerNorm", "MatMul",
            "Mish", "Pad", "ROIAlign", "ResizeBilinear", "ResizeNearestNeighbor", "SpaceToDepth",
            "Squeeze", "Stack", "StridedSlice"],
        fields: &[
            ("LayerParameter", &["depth_to_space_param", "gemm_param", "hard_sigmoid_param",
                "layer_norm_param", "matmul_param", "pad_param", "resize_bilinear_param",
                "resize_nearest_neighbor_param", "roi_align_param", "space_to_depth_param",
                "squeeze_param", "stack_param", "strided_slice_param"]),
        ],
    },
];

#[cfg(test)]
mod tests;
