//! `layers`: see DESIGN; being built.
