//! Writes many mutants into one source text, each behind a switch that a running process reads once.
//!
//! `a < b` with two mutants becomes `(if on(1) { a == b } else if on(2) { a > b } else { a < b })`. A mutant
//! replaces the operator of the expression tree, where `cargo-mutants` replaces the token: `a + b * c` with
//! `*` replaced by `+` is `a + (b + c)` here, too.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::list::{Genre, Mutant};

/// Path of the function that says whether a mutant is switched on.
pub const SWITCH: &str = "cloth_geom::mutant::on";

/// A woven text.
pub struct InstrumentedSource {
    pub text: String,
    /// Where in `text` the code of each mutant is (bytes).
    pub places: Vec<(u32, Range<usize>)>,
    /// Mutants that have no place here: in a constant, a `const fn`, a let chain, or an opaque type.
    pub left_out: Vec<u32>,
}

/// Weaves `mutants`, all of one file, into its text.
pub fn instrument(source: &str, mutants: &[(u32, &Mutant)]) -> Result<InstrumentedSource> {
    let file = syn::parse_file(source).context("the file is not Rust")?;
    let lines = line_starts(source);
    let mut sought = BTreeMap::<usize, Vec<(u32, &Mutant)>>::new();
    for &(id, mutant) in mutants {
        let start = mutant.span.start;
        sought.entry(offset(source, &lines, start.line, start.column)).or_default().push((id, mutant));
    }
    let mut finder = Finder { sought, sites: Vec::new(), constant: 0 };
    finder.visit_file(&file);
    let left_out = finder.sought.into_values().flatten().map(|(id, _)| id).collect();
    let mut sites = finder.sites;
    sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    let mut writer = Writer { source, sites: &sites, text: String::new(), places: Vec::new() };
    writer.copy(0..source.len(), 0);
    Ok(InstrumentedSource { text: writer.text, places: writer.places, left_out })
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The byte at a line and a column of characters, both from 1.
fn offset(source: &str, lines: &[usize], line: usize, column: usize) -> usize {
    let start = lines[line - 1];
    let rest = &source[start..];
    start + rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at)
}

/// A piece of the source that has mutants.
struct Site {
    /// What is replaced; for a function the empty range at the start of its body.
    range: Range<usize>,
    /// The texts that take its place, by mutant.
    variants: Vec<(u32, String)>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Expression,
    Body,
    /// A guard that is added to an arm without one.
    NewGuard,
    /// An arm with a guard.
    Guard,
}

struct Finder<'a> {
    /// Mutants by the byte at which they start.
    sought: BTreeMap<usize, Vec<(u32, &'a Mutant)>>,
    sites: Vec<Site>,
    /// Depth of constant contexts, in which no switch can be read.
    constant: usize,
}

impl<'a> Finder<'a> {
    /// Takes the mutants of a kind that start at a byte, unless a switch cannot be read here.
    fn take(&mut self, at: usize, genre: Genre) -> Vec<(u32, &'a Mutant)> {
        if self.constant > 0 {
            return Vec::new();
        }
        let Some(here) = self.sought.get_mut(&at) else { return Vec::new() };
        let (taken, left) = here.drain(..).partition(|(_, mutant)| mutant.genre == genre);
        *here = left;
        if here.is_empty() {
            self.sought.remove(&at);
        }
        taken
    }

    fn body(&mut self, block: &syn::Block, signature: &syn::Signature) {
        let constant = signature.constness.is_some();
        // Another value of an opaque type is of another type.
        let opaque = matches!(
            &signature.output,
            syn::ReturnType::Type(_, of) if matches!(**of, syn::Type::ImplTrait(_))
        );
        if let Some(first) = block.stmts.first()
            && !constant
            && !opaque
        {
            let taken = self.take(first.span().byte_range().start, Genre::FnValue);
            if !taken.is_empty() {
                let at = block.brace_token.span.open().byte_range().end;
                let variants = taken.iter().map(|(id, mutant)| (*id, mutant.replacement.clone())).collect();
                self.sites.push(Site { range: at..at, variants, kind: Kind::Body });
            }
        }
        self.constant += usize::from(constant);
        visit::visit_block(self, block);
        self.constant -= usize::from(constant);
    }

    fn within_constant(&mut self, walk: impl FnOnce(&mut Self)) {
        self.constant += 1;
        walk(self);
        self.constant -= 1;
    }
}

/// Whether a `let` is an operand of a chain of `&&`.
fn has_let(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.body(&item.block, &item.sig);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.body(&item.block, &item.sig);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block, &item.sig);
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within_constant(|finder| visit::visit_item_const(finder, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.within_constant(|finder| visit::visit_impl_item_const(finder, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.within_constant(|finder| visit::visit_item_static(finder, item));
    }

    fn visit_type(&mut self, item: &'ast syn::Type) {
        self.within_constant(|finder| visit::visit_type(finder, item));
    }

    fn visit_expr_binary(&mut self, expr: &'ast syn::ExprBinary) {
        if !has_let(&expr.left) && !has_let(&expr.right) {
            let operator = expr.op.span().byte_range();
            let taken = self.take(operator.start, Genre::BinaryOperator);
            if !taken.is_empty() {
                let [left, right] = [&expr.left, &expr.right].map(|side| side.span().byte_range());
                let variants = taken
                    .iter()
                    .map(|(id, mutant)| (*id, format!("\0{}\0{}", mutant.replacement, operator.start)))
                    .collect();
                self.sites.push(Site { range: left.start..right.end, variants, kind: Kind::Expression });
            }
        }
        visit::visit_expr_binary(self, expr);
    }

    fn visit_expr_unary(&mut self, expr: &'ast syn::ExprUnary) {
        let range = expr.span().byte_range();
        let taken = self.take(range.start, Genre::UnaryOperator);
        if !taken.is_empty() {
            let at = range.start;
            let variants = taken.iter().map(|(id, m)| (*id, format!("\0{}\0{at}", m.replacement))).collect();
            self.sites.push(Site { range, variants, kind: Kind::Expression });
        }
        visit::visit_expr_unary(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let dropped = self.take(arm.span().byte_range().start, Genre::MatchArm);
        if !dropped.is_empty() {
            let ids = dropped.iter().map(|(id, _)| (*id, String::from("false")));
            let (range, kind) = match &arm.guard {
                Some((_, guard)) => (guard.span().byte_range(), Kind::Guard),
                None => {
                    let end = arm.pat.span().byte_range().end;
                    (end..end, Kind::NewGuard)
                }
            };
            self.sites.push(Site { range, variants: ids.collect(), kind });
        }
        if let Some((_, guard)) = &arm.guard
            && !has_let(guard)
        {
            let range = guard.span().byte_range();
            let taken = self.take(range.start, Genre::MatchArmGuard);
            if !taken.is_empty() {
                let variants = taken.iter().map(|(id, mutant)| (*id, mutant.replacement.clone())).collect();
                self.sites.push(Site { range, variants, kind: Kind::Guard });
            }
        }
        visit::visit_arm(self, arm);
    }
}

struct Writer<'a> {
    source: &'a str,
    /// Sorted by start, outer before inner.
    sites: &'a [Site],
    text: String,
    places: Vec<(u32, Range<usize>)>,
}

impl Writer<'_> {
    /// Copies a range of the source with the sites in it, from the one with this index on; returns the next
    /// index.
    fn copy(&mut self, range: Range<usize>, mut next: usize) -> usize {
        let mut at = range.start;
        while let Some(site) = self.sites.get(next)
            && site.range.start < range.end.max(range.start + 1)
            && site.range.end <= range.end
        {
            self.text.push_str(&self.source[at..site.range.start]);
            at = site.range.end;
            next = self.site(site, next);
        }
        self.text.push_str(&self.source[at..range.end]);
        next
    }

    fn site(&mut self, site: &Site, index: usize) -> usize {
        let source = self.source;
        match site.kind {
            Kind::Body => {
                for (id, value) in &site.variants {
                    self.variant(*id, &format!("return {value};"), "if ");
                    self.text.push_str(" } ");
                }
                index + 1
            }
            Kind::NewGuard => {
                let ids: Vec<_> = site.variants.iter().map(|(id, _)| format!("!{SWITCH}({id})")).collect();
                self.text.push_str(&format!(" if {}", ids.join(" && ")));
                index + 1
            }
            Kind::Expression | Kind::Guard => {
                self.text.push('(');
                for (number, (id, value)) in site.variants.iter().enumerate() {
                    let value = spliced(source, &site.range, value);
                    self.variant(*id, &value, if number == 0 { "if " } else { " else if " });
                    self.text.push('}');
                }
                self.text.push_str(" else { (");
                let next = self.copy(site.range.clone(), index + 1);
                self.text.push_str(") })");
                next
            }
        }
    }

    /// Writes a condition and the text of a mutant, up to its closing brace.
    fn variant(&mut self, id: u32, value: &str, before: &str) {
        self.text.push_str(&format!("{before}{SWITCH}({id}) {{ "));
        let start = self.text.len();
        self.text.push_str(value);
        self.places.push((id, start..self.text.len()));
        self.text.push(' ');
    }
}

/// The text of a variant: as it is, or, when it names an operator and its place, the source with that
/// operator replaced.
fn spliced(source: &str, range: &Range<usize>, value: &str) -> String {
    let Some((replacement, at)) = value.strip_prefix('\0').and_then(|rest| rest.rsplit_once('\0')) else {
        return value.to_owned();
    };
    let at: usize = at.parse().unwrap_or(range.start);
    let operator = &source[at..range.end];
    let length = operator.find(|c: char| !"+-*/%<>=!&|^".contains(c)).unwrap_or(operator.len());
    // A unary operator is one character, and another one may follow it at once.
    let length = if replacement.is_empty() { 1 } else { length };
    format!("({}{replacement}{})", &source[range.start..at], &source[at + length..range.end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{LineColumn, Span};

    fn mutant(source: &str, piece: &str, genre: Genre, replacement: &str) -> Mutant {
        let at = source.find(piece).unwrap();
        let line = source[..at].matches('\n').count() + 1;
        let column = at - source[..at].rfind('\n').map_or(0, |n| n + 1) + 1;
        let place = LineColumn { line, column };
        Mutant {
            name: format!("{piece} to {replacement}"),
            file: "a.rs".into(),
            package: "a".into(),
            genre,
            replacement: replacement.into(),
            span: Span { start: place, end: place },
        }
    }

    fn woven(source: &str, mutants: &[Mutant]) -> String {
        let numbered: Vec<_> = (1..).zip(mutants).collect();
        let woven = instrument(source, &numbered).unwrap();
        assert!(woven.left_out.is_empty(), "{:?}", woven.left_out);
        syn::parse_file(&woven.text).unwrap();
        woven.text.replace(SWITCH, "on")
    }

    #[test]
    fn operators_within_operators_keep_their_own_mutants() {
        let source = "fn f(a: i32, b: i32) -> bool { a + b < 3 }";
        let mutants = [
            mutant(source, "+ b", Genre::BinaryOperator, "-"),
            mutant(source, "< 3", Genre::BinaryOperator, ">"),
            mutant(source, "< 3", Genre::BinaryOperator, "=="),
        ];
        assert_eq!(
            woven(source, &mutants),
            "fn f(a: i32, b: i32) -> bool { (if on(2) { (a + b > 3) } else if on(3) { (a + b == 3) } \
             else { ((if on(1) { (a - b) } else { (a + b) }) < 3) }) }"
        );
    }

    #[test]
    fn values_negations_guards_and_arms() {
        let source = "fn f(a: u8) -> bool { match a { 1 if a > 0 => !g(a), 2 => true, _ => false } }";
        let mutants = [
            mutant(source, "match", Genre::FnValue, "true"),
            mutant(source, "a > 0", Genre::MatchArmGuard, "false"),
            mutant(source, "!g", Genre::UnaryOperator, ""),
            mutant(source, "2 =>", Genre::MatchArm, ""),
        ];
        assert_eq!(
            woven(source, &mutants),
            "fn f(a: u8) -> bool {if on(1) { return true;  }  match a { 1 if (if on(2) { false } else { (a > \
             0) }) => (if on(3) { (g(a)) } else { (!g(a)) }), 2 if !on(4) => true, _ => false } }"
        );
    }

    #[test]
    fn constants_have_no_switch() {
        let source = "const N: usize = 1 + 2;";
        let mutants = [mutant(source, "+", Genre::BinaryOperator, "-")];
        let numbered: Vec<_> = (1..).zip(&mutants).collect();
        let woven = instrument(source, &numbered).unwrap();
        assert_eq!((woven.text.as_str(), woven.left_out), (source, vec![1]));
    }
}
