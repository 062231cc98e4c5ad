-- JSON that keeps what Kubernetes objects need: the order of members, the digits of numbers, and the difference
-- between an empty object, an empty array and null.
--
--   decode(text) returns objects and arrays as tables, strings and booleans as Lua's, numbers as tables with
--   their text, and null as json.null. An object has its members in .value, by key, and their order in .keys.
local json = {}

local Object, Array, Number = {}, {}, {}
json.null = setmetatable({}, {__name = "null"})

function json.object() return setmetatable({keys = {}, value = {}}, Object) end

function json.array() return setmetatable({}, Array) end

-- type returns the type of a value in words, for messages.
function json.type(v)
  local m = getmetatable(v)
  if v == json.null then return "null" end
  if m == Object then return "an object" end
  if m == Array then return "an array" end
  if m == Number then return "a number" end
  return type(v) == "string" and "a string" or "a boolean"
end

function json.get(o, key) return o.value[key] end

-- set changes a member, or appends it.
function json.set(o, key, v)
  if o.value[key] == nil then o.keys[#o.keys + 1] = key end
  o.value[key] = v
end

function json.remove(o, key)
  if o.value[key] == nil then return end
  o.value[key] = nil
  for i, k in ipairs(o.keys) do
    if k == key then
      table.remove(o.keys, i)
      return
    end
  end
end

local escapes = {['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}

-- unescape decodes \uXXXX, pairs of surrogates included. A surrogate alone stays in UTF-8's form of it, which
-- quote escapes again.
local function unescape(s)
  s = s:gsub("\\u([dD][89abAB]%x%x)\\u([dD][c-fC-F]%x%x)", function(high, low)
    return utf8.char(0x10000 + ((tonumber(high, 16) - 0xd800) << 10) + tonumber(low, 16) - 0xdc00)
  end)
  return (s:gsub("\\(.)(%x?%x?%x?%x?)", function(c, hex)
    if c == "u" then return utf8.char(tonumber(hex, 16)) end
    return escapes[c] .. hex
  end))
end

local function stringAt(s, at)
  local to = at
  repeat -- to the first quote behind an even number of backslashes
    to = s:find('"', to + 1, true)
    local back = to
    while s:byte(back - 1) == 92 do back = back - 1 end
  until (to - back) % 2 == 0
  local inner = s:sub(at + 1, to - 1)
  if inner:find("\\", 1, true) then inner = unescape(inner) end
  return inner, to + 1
end

local value

local function objectAt(s, at)
  local keys, values, n = {}, {}, 0
  at = s:find("%S", at + 1)
  while s:byte(at) ~= 125 do
    local key
    key, at = stringAt(s, at)
    at = s:find("%S", s:find(":", at, true) + 1)
    n = n + 1
    keys[n] = key
    values[key], at = value(s, at)
    at = s:find("%S", at)
    if s:byte(at) == 44 then at = s:find("%S", at + 1) end
  end
  return setmetatable({keys = keys, value = values}, Object), at + 1
end

local function arrayAt(s, at)
  local list, n = setmetatable({}, Array), 0
  at = s:find("%S", at + 1)
  while s:byte(at) ~= 93 do
    n = n + 1
    list[n], at = value(s, at)
    at = s:find("%S", at)
    if s:byte(at) == 44 then at = s:find("%S", at + 1) end
  end
  return list, at + 1
end

-- value decodes the value at a position. The gateway sends valid JSON only.
function value(s, at)
  local c = s:byte(at)
  if c == 34 then return stringAt(s, at) end
  if c == 123 then return objectAt(s, at) end
  if c == 91 then return arrayAt(s, at) end
  if c == 116 then return true, at + 4 end
  if c == 102 then return false, at + 5 end
  if c == 110 then return json.null, at + 4 end
  local text = s:match("^[%d.eE+-]+", at)
  return setmetatable({text = text}, Number), at + #text
end

function json.decode(s) return (value(s, s:find("%S"))) end

-- quote returns a string as JSON.
function json.quote(s)
  if s:find('[%c"\\]') then
    s = s:gsub('[%c"\\]', function(c)
      if c == '"' or c == "\\" then return "\\" .. c end
      if c == "\127" then return c end
      return ("\\u%04x"):format(c:byte())
    end)
  end
  if s:find("\xed[\xa0-\xbf]") then
    s = s:gsub("\xed[\xa0-\xbf][\x80-\xbf]", function(c) return ("\\u%04x"):format(utf8.codepoint(c, 1, 1, true)) end)
  end
  return '"' .. s .. '"'
end

local function encode(v, out)
  local m = getmetatable(v)
  if type(v) == "string" then
    out[#out + 1] = json.quote(v)
  elseif type(v) == "boolean" then
    out[#out + 1] = tostring(v)
  elseif v == json.null then
    out[#out + 1] = "null"
  elseif m == Number then
    out[#out + 1] = v.text
  elseif m == Array then
    out[#out + 1] = "["
    for i, e in ipairs(v) do
      if i > 1 then out[#out + 1] = "," end
      encode(e, out)
    end
    out[#out + 1] = "]"
  else
    out[#out + 1] = "{"
    for i, key in ipairs(v.keys) do
      out[#out + 1] = (i > 1 and "," or "") .. json.quote(key) .. ":"
      encode(v.value[key], out)
    end
    out[#out + 1] = "}"
  end
end

function json.encode(v)
  local out = {}
  encode(v, out)
  return table.concat(out)
end

return json
