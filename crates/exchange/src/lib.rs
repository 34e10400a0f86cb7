//! `exchange`: see DESIGN; being built.
