//! `train`: see DESIGN; being built.
