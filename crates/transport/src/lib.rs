//! `transport`: see DESIGN; being built.
