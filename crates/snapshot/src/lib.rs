//! `snapshot`: see DESIGN; being built.
