//! `tensor`: see DESIGN; being built.
