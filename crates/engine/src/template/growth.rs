//! Constructs that templates do not have, because they would make values grow out of reach of the limits.
//!
//! The size of a rendered text is limited where it is written, and what filters make is limited where they make it
//! ([`super::filters`]). A name must therefore never hold a value that an operator put together: forty lines of
//! `{% set x = x ~ x %}` make a terabyte. Blocks that collect text instead of writing it are refused for the same reason.

use minijinja::Error;
use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, Stmt};
use minijinja::machinery::{Span, parse};

/// Maximum number of parts that the operators and lists of one expression put together.
const MAX_PARTS: usize = 32;

/// Parts for which one counts that a slice takes apart: it holds every character several times.
const PARTS_OF_SLICED: usize = 8;

/// A construct that is refused: its line, and the reason.
pub(super) type Refused = (usize, String);

/// Result of reading a template: a syntax error, a refused construct, or neither.
pub(super) fn check(text: &str) -> Result<Result<(), Refused>, Error> {
    let syntax = super::syntax();
    Ok(statement(&parse(text, "template", syntax)?))
}

fn refuse(span: Span, what: &str) -> Result<(), Refused> {
    Err((
        usize::from(span.start_line),
        format!("{what} is not available in templates, where every value is limited in size"),
    ))
}

fn statements(all: &[Stmt<'_>]) -> Result<(), Refused> {
    all.iter().try_for_each(statement)
}

fn statement(one: &Stmt<'_>) -> Result<(), Refused> {
    match one {
        Stmt::Template(template) => statements(&template.children),
        Stmt::EmitRaw(_) => Ok(()),
        Stmt::EmitExpr(emitted) => passing(&emitted.expr),
        Stmt::Include(include) => passing(&include.name),
        Stmt::IfCond(condition) => {
            passing(&condition.expr)?;
            statements(&condition.true_body)?;
            statements(&condition.false_body)
        }
        Stmt::ForLoop(each) if each.recursive => refuse(each.span(), "a recursive loop"),
        Stmt::ForLoop(each) => {
            items(&each.iter)?;
            each.filter_expr.as_ref().map_or(Ok(()), passing)?;
            statements(&each.body)?;
            statements(&each.else_body)
        }
        Stmt::Set(set) => named(&set.expr),
        Stmt::WithBlock(with) => {
            with.assignments.iter().try_for_each(|(_, value)| named(value))?;
            statements(&with.body)
        }
        Stmt::AutoEscape(block) => statements(&block.body),
        Stmt::SetBlock(block) => refuse(block.span(), "{% set name %}…{% endset %}"),
        Stmt::FilterBlock(block) => refuse(block.span(), "{% filter %}"),
        Stmt::Block(block) => refuse(block.span(), "{% block %}"),
        Stmt::Extends(extends) => refuse(extends.span(), "{% extends %}"),
        Stmt::Import(import) => refuse(import.span(), "{% import %}"),
        Stmt::FromImport(import) => refuse(import.span(), "{% from %}"),
        Stmt::Do(call) => refuse(call.span(), "{% do %}"),
    }
}

/// An expression whose value is written or tested, and then dropped.
fn passing(expression: &Expr<'_>) -> Result<(), Refused> {
    let mut reader = Reader { is_kept: false, parts: 0 };
    reader.read(expression)
}

/// An expression whose value gets a name.
fn named(expression: &Expr<'_>) -> Result<(), Refused> {
    let mut reader = Reader { is_kept: true, parts: 0 };
    reader.read(expression)
}

/// The items of a loop: a flat list of names does not grow.
fn items(expression: &Expr<'_>) -> Result<(), Refused> {
    match expression {
        Expr::List(list) => list.items.iter().try_for_each(named),
        other => named(other),
    }
}

/// Reader of one expression.
struct Reader {
    /// True if the value of the expression gets a name.
    is_kept: bool,
    /// Parts that were put together so far.
    parts: usize,
}

impl Reader {
    fn read(&mut self, expression: &Expr<'_>) -> Result<(), Refused> {
        match expression {
            Expr::Var(_) | Expr::Const(_) => Ok(()),
            Expr::Slice(slice) => {
                self.put_together(1, slice.span(), "a slice under a name")?;
                let before = self.parts;
                self.read(&slice.expr)?;
                let sliced = (self.parts - before) * (PARTS_OF_SLICED - 1);
                self.put_together(sliced, slice.span(), "a slice under a name")?;
                self.read_all([&slice.start, &slice.stop, &slice.step].into_iter().flatten())
            }
            Expr::UnaryOp(operation) => self.read(&operation.expr),
            Expr::BinOp(operation) => {
                let sides = [&operation.left, &operation.right];
                let is_number =
                    |side: &&Expr<'_>| matches!(side, Expr::Const(side) if side.value.is_number());
                match operation.op {
                    BinOpKind::Concat => {
                        self.put_together(1, operation.span(), "~ in a value with a name")?;
                    }
                    BinOpKind::Add if !sides.iter().any(is_number) => {
                        self.put_together(1, operation.span(), "+ without a number in a value with a name")?;
                    }
                    BinOpKind::Mul if !sides.iter().all(is_number) => {
                        return refuse(operation.span(), "*");
                    }
                    _ => {}
                }
                self.read_all(sides)
            }
            Expr::Compare(compare) => {
                self.read(&compare.expr)?;
                self.read_all(compare.ops.iter().map(|operand| &operand.expr))
            }
            Expr::IfExpr(choice) => {
                self.read_all([&choice.test_expr, &choice.true_expr].into_iter().chain(&choice.false_expr))
            }
            Expr::Filter(filter) => {
                filter.expr.as_ref().map_or(Ok(()), |value| self.read(value))?;
                self.read_arguments(&filter.args)
            }
            Expr::Test(test) => {
                self.read(&test.expr)?;
                self.read_arguments(&test.args)
            }
            Expr::GetAttr(attribute) => self.read(&attribute.expr),
            Expr::GetItem(item) => self.read_all([&item.expr, &item.subscript_expr]),
            Expr::Call(call) => {
                // The template engine divides by their number.
                if call.args.is_empty()
                    && matches!(&call.expr, Expr::GetAttr(method) if method.name == "cycle")
                {
                    return Err((usize::from(call.span().start_line), "cycle() needs arguments".to_owned()));
                }
                self.read(&call.expr)?;
                self.read_arguments(&call.args)
            }
            Expr::List(list) => self.read_literal(&list.items, list.span()),
            Expr::Tuple(tuple) => self.read_literal(&tuple.items, tuple.span()),
            Expr::Map(map) => {
                self.read_all(&map.keys)?;
                self.read_literal(&map.values, map.span())
            }
        }
    }

    fn read_all<'e, 's: 'e>(&mut self, all: impl IntoIterator<Item = &'e Expr<'s>>) -> Result<(), Refused> {
        all.into_iter().try_for_each(|one| self.read(one))
    }

    fn read_arguments(&mut self, arguments: &[CallArg<'_>]) -> Result<(), Refused> {
        self.read_all(arguments.iter().map(|argument| match argument {
            CallArg::Pos(value)
            | CallArg::Kwarg(_, value)
            | CallArg::PosSplat(value)
            | CallArg::KwargSplat(value) => value,
        }))
    }

    /// A list, tuple or map. One of constants is as large as it is written.
    fn read_literal(&mut self, values: &[Expr<'_>], span: Span) -> Result<(), Refused> {
        let names = values.iter().filter(|value| value.as_const().is_none()).count();
        self.put_together(names, span, "a list of names in a value with a name")?;
        self.read_all(values)
    }

    /// Counts parts that are put together, which a value with a name has none of.
    fn put_together(&mut self, parts: usize, span: Span, what: &str) -> Result<(), Refused> {
        if self.is_kept && parts > 0 {
            return refuse(span, what);
        }
        self.parts += parts;
        if self.parts > MAX_PARTS { refuse(span, "an expression of so many parts") } else { Ok(()) }
    }
}
