//! Which message a file holds: prototxt does not say.

use super::lexer::{Lexer, TokenKind};
use crate::message::MessageKind;

/// Which of `kinds` the text most likely is, by index: the one that has most of its outermost
/// fields, the first of equals. Fields that none of them has do not count, nor does what is wrong
/// inside a block.
///
/// # Panics
///
/// If there are no `kinds`.
#[must_use]
pub fn likely_kind(source: &str, kinds: &[&MessageKind]) -> usize {
    let mut known = vec![0_usize; kinds.len()];
    let mut lexer = Lexer::new(source);
    let mut depth = 0_usize;
    loop {
        let token = lexer.next();
        let mut ahead = lexer;
        if token.kind == TokenKind::End {
            break;
        } else if token.is_any("{<[") {
            depth += 1;
        } else if token.is_any("}>]") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.kind == TokenKind::Name && ahead.next().is_any(":{<") {
            for (known, kind) in known.iter_mut().zip(kinds) {
                *known += usize::from(kind.by_name(token.text).is_some());
            }
        }
    }
    let best = known.iter().max().expect("there is a kind to choose");
    known.iter().position(|count| count == best).expect("the maximum is one of them")
}

#[cfg(test)]
mod tests {
    use super::likely_kind;
    use crate::message::Message;
    use crate::{NetParameter, SolverParameter};

    #[test]
    fn outermost_fields_decide() {
        let kinds = [NetParameter::EMPTY.kind(), SolverParameter::EMPTY.kind()];
        let [net, solver] = [0, 1];
        for (text, want) in [
            ("", net),
            ("unheard_of: 1", net),
            ("debug_info: true", net), // both have it
            ("name: 'n' layer { type: 'ReLU' zip: 1 } layer { zap { momentum: 1 } }", net),
            ("layers < type: RELU > zip: 1", net),
            ("# net\nbase_lr: 0.1 net: 'x' zip: 1 name: 'y'", solver),
            ("net_param { name: 'n' layer { } layer { } layer { } }", solver),
            // A brace too many brings a layer's `type` to the outside, where solvers have one.
            ("layer { name: 'a' } } layer { name: 'b' } type: 'ReLU' layer { }", net),
            ("max_iter: 3 test_state: { stage: 'name' } test_iter: [1, 2]", solver),
        ] {
            assert_eq!(likely_kind(text, &kinds), want, "{text}");
        }
    }
}
