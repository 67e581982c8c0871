//! Python's pickle format, read as data.
//!
//! A pickle is a program for a stack machine. This one builds a tree in which every call that the program asks for is
//! recorded as a [`Call`] and none is made: there is no Python here to make it with. Memory grows in proportion to
//! the length of the program, and nothing recurses.

use super::bytes::Bytes;
use std::collections::BTreeMap;

/// The longest program that is read: a hundred bytes name a tensor, so this is eighty thousand of them.
pub(super) const MAX_PICKLE_BYTES: usize = 8 << 20;
/// The most values, stack places, marks and memos, of each: an opcode of one byte makes one that takes a hundred. A tensor
/// takes about twenty values.
const MAX_NODES: usize = 1 << 19;

/// Why a pickle could not be read.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum PickleError {
    /// A program beyond the limit.
    #[error("its pickle is {0} bytes long, more than the limit of {MAX_PICKLE_BYTES}; save model.state_dict() alone")]
    TooLong(usize),
    /// More values than weights need.
    #[error("its pickle makes more than {MAX_NODES} values; save model.state_dict() alone")]
    TooManyNodes,
    /// The end in the middle of the program.
    #[error("its pickle is cut short or damaged at byte {0}")]
    Truncated(usize),
    /// An opcode that weights do not need.
    #[error(
        "its pickle holds the opcode {opcode:#04x} at byte {at}, which no state_dict needs; save model.state_dict()"
    )]
    Opcode { opcode: u8, at: usize },
    /// A program that takes from an empty stack, or treats a number as a list.
    #[error("its pickle is inconsistent at byte {0}: damaged, or made to confuse readers")]
    Inconsistent(usize),
    /// A name that has no business in weights.
    #[error(
        "it asks to run {0} while loading, which weights never do; nothing was run, and the file should not be trusted"
    )]
    Executable(String),
}

/// The place of a node in its tree.
pub(super) type Id = usize;

/// A value in the tree.
#[derive(Debug, PartialEq)]
pub(super) enum Node<'a> {
    /// Bytes, very long integers, `None`: values of no interest.
    Other,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    /// A list, tuple or set.
    Sequence(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// A Python function or class, by module and name.
    Global(&'a str, &'a str),
    /// An object that is stored outside of the pickle, by its description.
    Persistent(Id),
    Call(Box<Call>),
}

/// A call that Python would have made.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) function: Id,
    pub(super) arguments: Id,
    /// What would have been put into the result as into a dictionary.
    pub(super) items: Vec<(Id, Id)>,
    /// What would have become the result's attributes.
    pub(super) state: Option<Id>,
}

/// The tree that a pickle describes; it may share nodes and, in a hostile file, hold cycles.
#[derive(Debug)]
pub(super) struct Pickle<'a> {
    nodes: Vec<Node<'a>>,
    root: Id,
}

impl<'a> Pickle<'a> {
    /// Reads the first pickle in `bytes`.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, PickleError> {
        if bytes.len() > MAX_PICKLE_BYTES {
            return Err(PickleError::TooLong(bytes.len()));
        }
        let mut machine = Machine { rest: Bytes(bytes), ..Machine::default() };
        loop {
            let at = bytes.len() - machine.rest.0.len();
            let opcode = machine.rest.byte().ok_or(PickleError::Truncated(at))?;
            if opcode == b'.' {
                let root = machine.pop().ok_or(PickleError::Inconsistent(at))?;
                return Ok(Self { nodes: machine.nodes, root });
            }
            machine.execute(opcode).map_err(|halt| match halt {
                Halt::Cut => PickleError::Truncated(at),
                Halt::Unknown => PickleError::Opcode { opcode, at },
                Halt::Inconsistent => PickleError::Inconsistent(at),
                Halt::Executable(global) => PickleError::Executable(global),
            })?;
            if machine.size() > MAX_NODES {
                return Err(PickleError::TooManyNodes);
            }
        }
    }

    /// The value that unpickling would return.
    pub(super) fn root(&self) -> Id {
        self.root
    }

    /// A node.
    pub(super) fn node(&self, id: Id) -> &Node<'a> {
        self.nodes.get(id).unwrap_or(&Node::Other)
    }

    /// The pairs of a dictionary, or of an object that is filled like one.
    pub(super) fn items(&self, id: Id) -> &[(Id, Id)] {
        match self.node(id) {
            Node::Dict(items) => items,
            Node::Call(call) => &call.items,
            _ => &[],
        }
    }

    /// The value under a key; of several the last, as in Python.
    pub(super) fn entry(&self, id: Id, key: &str) -> Option<Id> {
        self.items(id).iter().rev().find(|(name, _)| self.text(*name) == Some(key)).map(|(_, value)| *value)
    }

    /// A text.
    pub(super) fn text(&self, id: Id) -> Option<&'a str> {
        if let Node::Text(text) = self.node(id) { Some(text) } else { None }
    }

    /// The elements of a list, tuple or set.
    pub(super) fn sequence(&self, id: Id) -> Option<&[Id]> {
        if let Node::Sequence(elements) = self.node(id) { Some(elements) } else { None }
    }

    /// A number that can be a size or an offset.
    pub(super) fn size(&self, id: Id) -> Option<usize> {
        if let Node::Int(value) = self.node(id) { usize::try_from(*value).ok() } else { None }
    }

    /// Module, name and arguments of a call.
    pub(super) fn call(&self, id: Id) -> Option<(&'a str, &'a str, &[Id])> {
        let Node::Call(call) = self.node(id) else { return None };
        let Node::Global(module, name) = self.node(call.function) else { return None };
        Some((module, name, self.sequence(call.arguments).unwrap_or_default()))
    }
}

/// Why the machine stopped.
enum Halt {
    Cut,
    Unknown,
    Inconsistent,
    Executable(String),
}

#[derive(Default)]
struct Machine<'a> {
    rest: Bytes<'a>,
    nodes: Vec<Node<'a>>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: BTreeMap<u64, Id>,
}

impl<'a> Machine<'a> {
    fn execute(&mut self, opcode: u8) -> Result<(), Halt> {
        use Halt::{Cut, Inconsistent};
        match opcode {
            // Protocol and frame headers say nothing that the machine needs.
            0x80 => drop(self.rest.take(1).ok_or(Cut)?),
            0x95 => drop(self.rest.take(8).ok_or(Cut)?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop().ok_or(Inconsistent)?),
            b'1' => drop(self.pop_to_mark()?),
            b'2' => {
                let top = self.top()?;
                self.stack.push(top);
            }
            b'N' => self.push(Node::Other),
            0x88 => self.push(Node::Bool(true)),
            0x89 => self.push(Node::Bool(false)),
            b'I' | b'L' | b'F' => {
                let node = decimal(opcode, self.rest.line().ok_or(Cut)?).ok_or(Inconsistent)?;
                self.push(node);
            }
            b'J' => {
                let value = self.rest.array().map(i32::from_le_bytes).ok_or(Cut)?;
                self.push(Node::Int(value.into()));
            }
            b'K' => {
                let value = self.rest.byte().ok_or(Cut)?;
                self.push(Node::Int(value.into()));
            }
            b'M' => {
                let value = self.rest.u16().ok_or(Cut)?;
                self.push(Node::Int(value.into()));
            }
            b'G' => {
                let value = self.rest.array().map(f64::from_be_bytes).ok_or(Cut)?;
                self.push(Node::Float(value));
            }
            0x8A | 0x8B => {
                let bytes = self.block(if opcode == 0x8A { 1 } else { 4 })?;
                self.push(long_integer(bytes));
            }
            b'S' | b'V' => {
                let line = self.rest.line().ok_or(Cut)?;
                self.push(Node::Text(line.trim_matches(['\'', '"'])));
            }
            b'U' | b'T' | b'X' | 0x8C | 0x8D => {
                let bytes = self.block(match opcode {
                    b'U' | 0x8C => 1,
                    0x8D => 8,
                    _ => 4,
                })?;
                self.push(std::str::from_utf8(bytes).map_or(Node::Other, Node::Text));
            }
            b'C' | b'B' | 0x8E | 0x96 => {
                self.block(match opcode {
                    b'C' => 1,
                    b'B' => 4,
                    _ => 8,
                })?;
                self.push(Node::Other);
            }
            b')' | b']' | 0x8F => self.push(Node::Sequence(Vec::new())),
            b't' | b'l' | 0x91 => {
                let elements = self.pop_to_mark()?;
                self.push(Node::Sequence(elements));
            }
            0x85..=0x87 => {
                let elements = self.pop_many(usize::from(opcode - 0x84))?;
                self.push(Node::Sequence(elements));
            }
            b'}' => self.push(Node::Dict(Vec::new())),
            b'd' => {
                let items = pairs(&self.pop_to_mark()?)?;
                self.push(Node::Dict(items));
            }
            b'a' | b'e' | 0x90 => {
                let added = if opcode == b'a' { self.pop_many(1)? } else { self.pop_to_mark()? };
                match self.top_node()? {
                    Node::Sequence(elements) => elements.extend(added),
                    Node::Call(_) => {}
                    _ => return Err(Inconsistent),
                }
            }
            b's' | b'u' => {
                let added = pairs(&if opcode == b's' { self.pop_many(2)? } else { self.pop_to_mark()? })?;
                match self.top_node()? {
                    Node::Dict(items) => items.extend(added),
                    Node::Call(call) => call.items.extend(added),
                    _ => return Err(Inconsistent),
                }
            }
            b'p' | b'q' | b'r' | 0x94 => {
                let place = if opcode == 0x94 { self.memo.len() as u64 } else { self.place(opcode, b"pqr")? };
                let top = self.top()?;
                self.memo.insert(place, top);
            }
            b'g' | b'h' | b'j' => {
                let place = self.place(opcode, b"ghj")?;
                self.stack.push(*self.memo.get(&place).ok_or(Inconsistent)?);
            }
            b'c' => {
                let (module, name) = (self.rest.line().ok_or(Cut)?, self.rest.line().ok_or(Cut)?);
                self.push_global(module, name)?;
            }
            0x93 => {
                let names = self.pop_many(2)?;
                let [Node::Text(module), Node::Text(name)] = self.nodes_at(&names)? else { return Err(Inconsistent) };
                self.push_global(module, name)?;
            }
            b'i' => {
                let (module, name) = (self.rest.line().ok_or(Cut)?, self.rest.line().ok_or(Cut)?);
                let arguments = self.pop_to_mark()?;
                self.push_global(module, name)?;
                let function = self.pop().ok_or(Inconsistent)?;
                self.push_call(function, arguments);
            }
            b'o' => {
                let mut arguments = self.pop_to_mark()?.into_iter();
                let function = arguments.next().ok_or(Inconsistent)?;
                self.push_call(function, arguments.collect());
            }
            b'R' | 0x81 | 0x92 => {
                // With keyword arguments on top, which are left out: no constructor of tensors has any.
                if opcode == 0x92 {
                    self.pop().ok_or(Inconsistent)?;
                }
                let [function, arguments] = self.pop_many(2)?[..] else { return Err(Inconsistent) };
                self.push(Node::Call(Box::new(Call { function, arguments, items: Vec::new(), state: None })));
            }
            b'b' => {
                let state = self.pop();
                if let Node::Call(call) = self.top_node()? {
                    call.state = state;
                }
            }
            b'Q' => {
                let description = self.pop().ok_or(Inconsistent)?;
                self.push(Node::Persistent(description));
            }
            _ => return Err(Halt::Unknown),
        }
        Ok(())
    }

    /// The largest of the parts that grow.
    fn size(&self) -> usize {
        self.nodes.len().max(self.stack.len()).max(self.marks.len()).max(self.memo.len())
    }

    fn push(&mut self, node: Node<'a>) {
        self.stack.push(self.nodes.len());
        self.nodes.push(node);
    }

    fn push_global(&mut self, module: &'a str, name: &'a str) -> Result<(), Halt> {
        if is_executable(module, name) {
            return Err(Halt::Executable(format!("{module}.{name}")));
        }
        self.push(Node::Global(module, name));
        Ok(())
    }

    fn push_call(&mut self, function: Id, arguments: Vec<Id>) {
        let place = self.nodes.len();
        self.nodes.push(Node::Sequence(arguments));
        self.push(Node::Call(Box::new(Call { function, arguments: place, items: Vec::new(), state: None })));
    }

    /// Takes the top of the stack, but nothing from below a mark.
    fn pop(&mut self) -> Option<Id> {
        if self.stack.len() > self.marks.last().copied().unwrap_or(0) { self.stack.pop() } else { None }
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Id>, Halt> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let start = self.stack.len().checked_sub(count).filter(|start| *start >= floor);
        Ok(self.stack.split_off(start.ok_or(Halt::Inconsistent)?))
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Id>, Halt> {
        let mark = self.marks.pop().ok_or(Halt::Inconsistent)?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn top(&self) -> Result<Id, Halt> {
        self.stack.last().copied().ok_or(Halt::Inconsistent)
    }

    fn top_node(&mut self) -> Result<&mut Node<'a>, Halt> {
        let top = self.top()?;
        self.nodes.get_mut(top).ok_or(Halt::Inconsistent)
    }

    fn nodes_at(&self, ids: &[Id]) -> Result<[&Node<'a>; 2], Halt> {
        let nodes: Vec<&Node<'a>> = ids.iter().filter_map(|id| self.nodes.get(*id)).collect();
        nodes.try_into().map_err(|_| Halt::Inconsistent)
    }

    /// The bytes after a length of one, four or eight bytes.
    fn block(&mut self, length_bytes: usize) -> Result<&'a [u8], Halt> {
        let mut padded = [0; 8];
        let length = self.rest.take(length_bytes).ok_or(Halt::Cut)?;
        padded.iter_mut().zip(length).for_each(|(to, from)| *to = *from);
        let length = usize::try_from(u64::from_le_bytes(padded)).map_err(|_| Halt::Cut)?;
        self.rest.take(length).ok_or(Halt::Cut)
    }

    /// The place in the memo, as text, one byte or four bytes.
    fn place(&mut self, opcode: u8, [text, byte, _]: &[u8; 3]) -> Result<u64, Halt> {
        if opcode == *text {
            return self.rest.line().ok_or(Halt::Cut)?.parse().map_err(|_| Halt::Inconsistent);
        }
        let place = if opcode == *byte { self.rest.byte().map(u64::from) } else { self.rest.u32().map(u64::from) };
        place.ok_or(Halt::Cut)
    }
}

fn pairs(flat: &[Id]) -> Result<Vec<(Id, Id)>, Halt> {
    let (pairs, odd) = flat.as_chunks::<2>();
    if odd.is_empty() { Ok(pairs.iter().map(|[key, value]| (*key, *value)).collect()) } else { Err(Halt::Inconsistent) }
}

/// A number of the oldest protocol.
fn decimal<'a>(opcode: u8, line: &str) -> Option<Node<'a>> {
    Some(match (opcode, line) {
        (b'I', "00") => Node::Bool(false),
        (b'I', "01") => Node::Bool(true),
        (b'F', _) => Node::Float(line.parse().ok()?),
        _ => line.trim_end_matches('L').parse().map_or(Node::Other, Node::Int),
    })
}

/// A little-endian integer of any length; beyond eight bytes it is no size or setting.
fn long_integer<'a>(bytes: &[u8]) -> Node<'a> {
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut padded = if negative { [0xFF; 8] } else { [0; 8] };
    padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    if bytes.len() > 8 { Node::Other } else { Node::Int(i64::from_le_bytes(padded)) }
}

/// Modules and built-in functions with which pickles attack; naming them is a courtesy to the user, as calls are
/// never made whatever their name.
fn is_executable(module: &str, name: &str) -> bool {
    const MODULES: [&str; 14] = [
        "os",
        "posix",
        "nt",
        "subprocess",
        "sys",
        "shutil",
        "runpy",
        "importlib",
        "ctypes",
        "socket",
        "pty",
        "pdb",
        "bdb",
        "webbrowser",
    ];
    const BUILTINS: [&str; 8] = ["eval", "exec", "execfile", "compile", "open", "__import__", "input", "breakpoint"];
    let top = module.split('.').next().unwrap_or_default();
    let builtin = matches!(top, "builtins" | "__builtin__" | "__builtins__");
    MODULES.contains(&top) || builtin && BUILTINS.contains(&name.split('.').next().unwrap_or_default())
}
