//! `caffe-format`: see DESIGN; being built.
