//! Memory for one object: taken in order, given back all at once. What an instance of this hands out is valid until `reset`.

const std = @import("std");
const Allocator = std.mem.Allocator;
const Arena = @This();

/// The size of the first chunk, in bytes: enough for what most objects need.
const first = 16 << 10;

/// What everything here is aligned to.
const alignment = 8;

child: Allocator,
chunks: std.ArrayList([]align(alignment) u8) = .empty,
/// What is free of the last chunk.
free: []align(alignment) u8 = &.{},

pub fn init(child: Allocator) Arena {
    return .{ .child = child };
}

pub fn deinit(arena: *Arena) void {
    for (arena.chunks.items) |chunk| arena.child.free(chunk);
    arena.chunks.deinit(arena.child);
}

/// Forgets everything that was taken. Of the memory, the largest chunk is kept for what comes next.
pub fn reset(arena: *Arena) void {
    const last = arena.chunks.pop() orelse return;
    for (arena.chunks.items) |chunk| arena.child.free(chunk);
    arena.chunks.clearRetainingCapacity();
    arena.chunks.appendAssumeCapacity(last);
    arena.free = last;
}

pub fn create(arena: *Arena, comptime T: type) Allocator.Error!*T {
    comptime std.debug.assert(@alignOf(T) <= alignment);
    return @ptrCast(try arena.take(@sizeOf(T)));
}

pub fn dupe(arena: *Arena, text: []const u8) Allocator.Error![]u8 {
    const copy = (try arena.take(text.len))[0..text.len];
    @memcpy(copy, text);
    return copy;
}

/// Returns size bytes, aligned.
pub inline fn take(arena: *Arena, size: usize) Allocator.Error![*]align(alignment) u8 {
    const rounded = std.mem.alignForward(usize, size, alignment);
    if (rounded > arena.free.len) try arena.grow(rounded);
    const at = arena.free.ptr;
    arena.free = @alignCast(arena.free[rounded..]);
    return at;
}

fn grow(arena: *Arena, size: usize) Allocator.Error!void {
    @branchHint(.unlikely);
    const chunks = arena.chunks.items;
    const twice = if (chunks.len == 0) first else 2 * chunks[chunks.len - 1].len;
    try arena.chunks.ensureUnusedCapacity(arena.child, 1);
    const chunk = try arena.child.alignedAlloc(u8, .fromByteUnits(alignment), @max(twice, size));
    arena.chunks.appendAssumeCapacity(chunk);
    arena.free = chunk;
}

/// The same memory for what wants an allocator. Only what was allocated last can grow and is freed.
pub fn allocator(arena: *Arena) Allocator {
    return .{ .ptr = arena, .vtable = &.{ .alloc = alloc, .resize = resize, .remap = remap, .free = noFree } };
}

fn alloc(context: *anyopaque, len: usize, wanted: std.mem.Alignment, _: usize) ?[*]u8 {
    const arena: *Arena = @ptrCast(@alignCast(context));
    if (wanted.toByteUnits() > alignment) return null;
    return arena.take(len) catch null;
}

fn resize(context: *anyopaque, memory: []u8, _: std.mem.Alignment, len: usize, _: usize) bool {
    const arena: *Arena = @ptrCast(@alignCast(context));
    const have = std.mem.alignForward(usize, memory.len, alignment);
    const want = std.mem.alignForward(usize, len, alignment);
    if (want <= have) return true;
    if (memory.ptr + have != arena.free.ptr or want - have > arena.free.len) return false;
    arena.free = @alignCast(arena.free[want - have ..]);
    return true;
}

fn remap(context: *anyopaque, memory: []u8, wanted: std.mem.Alignment, len: usize, address: usize) ?[*]u8 {
    return if (resize(context, memory, wanted, len, address)) memory.ptr else null;
}

fn noFree(_: *anyopaque, _: []u8, _: std.mem.Alignment, _: usize) void {}

test "keeps what was taken" {
    var arena = init(std.testing.allocator);
    defer arena.deinit();
    for (0..3) |_| {
        var texts: [1000][]u8 = undefined;
        for (&texts, 0..) |*text, i| {
            text.* = try arena.dupe("some text of some length");
            text.*[0] = @truncate(i);
        }
        var list: std.ArrayList(u8) = .empty;
        for (0..10_000) |i| try list.append(arena.allocator(), @truncate(i));
        for (texts, 0..) |text, i| {
            try std.testing.expectEqual(@as(u8, @truncate(i)), text[0]);
            try std.testing.expectEqualStrings("ome text of some length", text[1..]);
        }
        for (list.items, 0..) |c, i| try std.testing.expectEqual(@as(u8, @truncate(i)), c);
        arena.reset();
        try std.testing.expectEqual(1, arena.chunks.items.len);
    }
}
