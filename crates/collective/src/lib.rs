//! `collective`: see DESIGN; being built.
