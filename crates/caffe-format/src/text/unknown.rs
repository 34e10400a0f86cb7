//! Fields that the schema does not have: reported once per message and name, with a hint at what
//! may be meant and how often it occurs.

use std::collections::BTreeMap;

use super::diagnostic::{Diagnostic, ERRORS_MAX};
use super::lexer::Token;
use super::parser::{Open, Parser};
use super::suggest::did_you_mean;
use super::{UnknownFields, scalar};
use crate::forks;
use crate::message::{Field, FieldType, MessageKind};

/// What to do with unknown fields, and those seen so far.
pub(super) struct UnknownReports<'a> {
    policy: UnknownFields,
    /// Those that were skipped.
    warnings: Vec<Diagnostic>,
    /// By message and name: which report counts them. Those that look like a missing brace are not
    /// here, since each is an error of its own.
    reported: BTreeMap<(&'static str, &'a str), usize>,
}

impl UnknownReports<'_> {
    pub(super) fn new(policy: UnknownFields) -> Self {
        Self { policy, warnings: Vec::new(), reported: BTreeMap::new() }
    }

    /// Whether unknown fields are skipped with a warning.
    pub(super) fn are_skipped(&self) -> bool {
        self.policy == UnknownFields::Warn
    }

    /// What was skipped.
    pub(super) fn into_warnings(self) -> Vec<Diagnostic> {
        self.warnings
    }
}

impl<'a> Parser<'a> {
    /// Reports the field `name` and moves past its value.
    pub(super) fn unknown_field(&mut self, kind: &MessageKind, name: Token<'a>) {
        match self.unknown.reported.get(&(kind.name, name.text)) {
            Some(&index) => match self.unknown.policy {
                UnknownFields::Warn => self.unknown.warnings[index].count += 1,
                UnknownFields::Reject => self.diagnostics.recurs(index),
            },
            None => self.report_unknown(kind, name),
        }
        self.skip_value();
    }

    fn report_unknown(&mut self, kind: &MessageKind, name: Token<'a>) {
        if self.unknown.warnings.len() >= ERRORS_MAX {
            return;
        }
        let message = format!("`{}` has no field `{}`", kind.name, scalar::short(name.text));
        let hint = fork_field(kind, name.text).or_else(|| inner_field(kind, name.text));
        let outer = if hint.is_none() { self.outer_field(name.text) } else { None };
        let recurs = outer.is_none();
        let names = kind.fields.iter().map(|field| field.name);
        let hint = hint.or(outer).or_else(|| did_you_mean(name.text, names));
        let index = match self.unknown.policy {
            UnknownFields::Warn => {
                let warning = self.diagnostics.describe(name.at, message, hint);
                self.unknown.warnings.push(warning);
                Some(self.unknown.warnings.len() - 1)
            }
            UnknownFields::Reject => {
                self.diagnostics.error(name.at, message, hint);
                self.diagnostics.last()
            }
        };
        if let Some(index) = index.filter(|_| recurs) {
            self.unknown.reported.insert((kind.name, name.text), index);
        }
    }

    /// "Is a brace missing", if an enclosing block has a field of that name.
    pub(super) fn outer_field(&self, name: &str) -> Option<String> {
        let outer = self.open.iter().rposition(|open| open.kind.by_name(name).is_some())?;
        let Open { field, at, close, .. } = *self.open.get(outer + 1)?;
        let (line, column) = self.diagnostics.position(at);
        let owner = self.open[outer].kind.name;
        Some(format!(
            "`{owner}` has one; is a `{close}` missing for `{field}`, opened at {line}:{column}?"
        ))
    }
}

/// Whose field it is, if a fork of Caffe has one of that name.
fn fork_field(kind: &MessageKind, name: &str) -> Option<String> {
    forks::of_field(kind.name, name).map(|fork| format!("{} has it, Caffe has not", fork.name))
}

/// "It belongs into `pooling_param`", if a field of that name is one level down.
fn inner_field(kind: &MessageKind, name: &str) -> Option<String> {
    let holds = |field: &&Field| match field.kind {
        FieldType::Message(inner) => inner.by_name(name).is_some(),
        _ => false,
    };
    let mut inner = kind.fields.iter().filter(holds).map(|field| format!("`{}`", field.name));
    let shown: Vec<String> = inner.by_ref().take(3).collect();
    let more = if inner.next().is_some() { ", …" } else { "" };
    (!shown.is_empty()).then(|| format!("it is a field of {}{more}", shown.join(", ")))
}
