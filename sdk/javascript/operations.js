// The operations of documents; engine/operations.ts has the same list.
let n = 0;
export const
  // reading
  GET = n++, MAP = n++, LIST = n++, TEXT = n++, INT = n++, BOOL = n++, JSON_TEXT = n++, FIRST = n++, NEXT = n++, TYPE = n++, NAME = n++,
  LOCATION = n++,
  // editing
  SET_STRING = n++, SET_JSON = n++, APPEND_STRING = n++, APPEND_JSON = n++, MAKE = n++, REMOVE = n++, RENAME = n++, MOVE = n++,
  // helping
  REFUSED = n++, SPLIT = n++, JOIN = n++, SPLIT_LIST = n++, JOIN_LIST = n++, LIST_FROM_MAP = n++, MAP_FROM_LIST = n++, DEFAULT = n++,
  SPLIT_LAST = n++, JOIN_LAST = n++, INT_FROM_STRING = n++, STRING_FROM_INT = n++,
  IS_FRAGMENT = n++, STASH = n++, STASH_FOR = n++, RESTORE = n++, CONVERTED = n++, COMPARE = n++,
  // what has nothing to do with a value
  REFUSE = n++, FAIL = n++, CRASH = n++, LOG = n++, REGISTER = n++, DESCRIBE = n++, DECLARE = n++;
