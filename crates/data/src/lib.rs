//! `data`: see DESIGN; being built.
