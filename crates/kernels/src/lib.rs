//! `kernels`: see DESIGN; being built.
