//! The hash of the stash (docs/spec/stash.md): 64 bits of a JSON value. It does not depend on the order
//! of members, white space, escapes or the spelling of numbers, because an API server may change
//! all of these. It detects changes and is not a security measure.

const std = @import("std");
const Value = @import("Value.zig");
const served = @import("served.zig");
const Error = Value.Error;

/// FNV-1a with 64 bits.
pub const Fnv = struct {
    state: u64,

    pub fn init(kind: u8) Fnv {
        var h: Fnv = .{ .state = 0xcbf29ce484222325 };
        h.bytes(&.{kind});
        return h;
    }

    fn bytes(h: *Fnv, text: []const u8) void {
        for (text) |c| h.state = (h.state ^ c) *% 0x100000001b3;
    }

    pub fn word(h: *Fnv, w: u64) void {
        h.bytes(&std.mem.toBytes(std.mem.nativeToLittle(u64, w)));
    }

    /// Spreads every bit over the whole result: members are added up, for which FNV alone is too regular.
    pub fn sum(h: Fnv) u64 {
        var x = h.state;
        x = (x ^ x >> 33) *% 0xff51afd7ed558ccd;
        x = (x ^ x >> 33) *% 0xc4ceb9fe1a85ec53;
        return x ^ x >> 33;
    }
};

/// Returns the hash of a value; what is absent is null.
pub fn hash(value: ?Value) Error!u64 {
    const v = value orelse return Fnv.init('n').sum();
    switch (v.typeOf()) {
        .object => return hashMembers(v, everything),
        .array => {
            var h: Fnv = .init('a');
            var elements = try v.elements(&.{});
            while (try elements.next()) |element| h.word(try hash(element));
            return h.sum();
        },
        .string => {
            var h: Fnv = .init('s');
            h.bytes(try v.string(&.{}) orelse "");
            return h.sum();
        },
        .number => return number(v),
        .bool => return Fnv.init(v.n.kind()).sum(),
        .null, .invalid => return Fnv.init('n').sum(),
    }
}

fn everything(_: []const u8) bool {
    return true;
}

/// Returns the hash of an object as if it had only the members that count.
pub fn hashMembers(v: Value, counts: *const fn (key: []const u8) bool) Error!u64 {
    var total: u64 = 0;
    var members = try v.members(&.{});
    while (try members.next()) |member| {
        if (member.value.typeOf() == .null or !counts(member.key)) continue;
        var h: Fnv = .init('m');
        h.word(try hash(member.value));
        h.bytes(member.key);
        total +%= h.sum();
    }
    var h: Fnv = .init('o');
    h.word(total);
    return h.sum();
}

/// Hashes a number, as an API server writes it, in its normal form: "0", or the significant digits, "e" and the power of ten, so
/// that 1000, 1e3 and 1000.0 are alike.
fn number(v: Value) Error!u64 {
    const gpa = v.allocator();
    var sent: std.ArrayList(u8) = .empty;
    try served.number(&sent, gpa, try v.json());
    var text: []const u8 = sent.items;
    var h: Fnv = .init('d');
    const negative = text[0] == '-';
    if (negative) text = text[1..];
    var digits: std.ArrayList(u8) = .empty;
    var exponent: i64 = 0;
    var fraction = false;
    for (text, 0..) |c, i| switch (c) {
        'e', 'E' => {
            // Beyond 32 bits a number is 0 or refused by the gateway.
            const power = std.fmt.parseInt(i64, text[i + 1 ..], 10) catch 0;
            exponent += std.math.clamp(power, std.math.minInt(i32), std.math.maxInt(i32));
            break;
        },
        '.' => fraction = true,
        else => {
            exponent -= @intFromBool(fraction);
            if (c != '0' or digits.items.len > 0) try digits.append(gpa, c);
        },
    };
    while (digits.getLastOrNull() == '0') {
        digits.items.len -= 1;
        exponent += 1;
    }
    if (digits.items.len == 0) {
        h.bytes("0");
        return h.sum();
    }
    if (negative) h.bytes("-");
    try digits.print(gpa, "e{d}", .{exponent});
    h.bytes(digits.items);
    return h.sum();
}
