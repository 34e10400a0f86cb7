//! `net`: see DESIGN; being built.
