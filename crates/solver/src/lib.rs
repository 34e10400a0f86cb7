//! `solver`: see DESIGN; being built.
