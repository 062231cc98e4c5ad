//! Writes values by copying their text.
//!
//! Only an object or array whose members were edited is written member by member, and there too, neighbours that nobody
//! touched are copied in one piece, with the text between them. Behind the point that was read last nothing can have been
//! edited: the rest of the text is copied as it is.

const std = @import("std");
const Allocator = std.mem.Allocator;
const Document = @import("Document.zig");
const Node = Document.Node;
const scan = @import("scan.zig");
const position = Document.position;

/// Appends the value. Returns true if the rest of the document, to its very end, was copied along: then all that encloses the
/// value has been written too.
pub fn render(d: *Document, n: *Node, out: *std.ArrayList(u8), gpa: Allocator) Allocator.Error!bool {
    if (!n.edited) {
        try out.appendSlice(gpa, n.text);
        return !n.closed;
    }
    const object = n.kind() == '{';
    try out.append(gpa, n.kind());
    var empty = true;
    var next = n.first;
    while (next) |one| {
        var c = one;
        next = c.next;
        if (c.gone) continue;
        if (!empty) try out.append(gpa, ',');
        empty = false;
        if (untouched(c)) {
            const from = c.key;
            while (next) |to| {
                if (!untouched(to)) break;
                c = to;
                next = c.next;
            }
            // The run lies in the text of n, which for an open value goes on to the end of the document.
            const end = position(n.text, c.text) + c.text.len;
            try out.appendSlice(gpa, n.text[position(n.text, from)..end]);
            if (!c.closed) return true;
            continue;
        }
        if (object) {
            try out.appendSlice(gpa, c.key);
            try out.append(gpa, ':');
        }
        if (try render(d, c, out, gpa)) return true;
    }
    if (n.closed) {
        try out.append(gpa, if (object) '}' else ']');
        return false;
    }
    var pos = d.pos;
    if (empty) {
        pos = scan.skipSpace(d.text, pos);
        if (pos < d.text.len and d.text[pos] == ',') pos = scan.skipSpace(d.text, pos + 1);
    }
    try out.appendSlice(gpa, d.text[pos..]);
    return true;
}

/// Says that a child is in the text as it should be in the output, and where it should be.
fn untouched(c: *const Node) bool {
    return !c.edited and !c.gone and !c.loose;
}
