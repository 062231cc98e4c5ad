-- Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member
-- for each of its fields. It reads a ConversionReview from standard input and writes one to standard output. When it
-- refuses an object, the review has the status Failure with the reason.
local json = require "json"

local group = "stable.example.com/"
-- The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3".
local partial = "conversion.stable.example.com/partial-schedule"
local fields = {"min", "hour", "dayOfMonth", "month", "dayOfWeek"} -- in the order of cron
local isField = {}
for _, f in ipairs(fields) do isField[f] = true end

local function refuse(...) error(table.concat({...}), 0) end

-- member returns a member of a type; nil if it, or the object, is absent or null.
local function member(o, key, wanted, where)
  local v = o and json.get(o, key)
  if v == nil or v == json.null then return nil end
  if json.type(v) ~= wanted then refuse(where, " must be ", wanted, ", but is ", json.type(v)) end
  return v
end

local function annotations(o)
  return member(member(o, "metadata", "an object", ".metadata"), "annotations", "an object", ".metadata.annotations")
end

local function words(s)
  local list = {}
  for w in s:gmatch("%S+") do list[#list + 1] = w end
  return list
end

local function removePartial(o)
  local all = annotations(o)
  if not all or json.get(all, partial) == nil then return end
  json.remove(all, partial)
  if #all.keys == 0 then json.remove(json.get(o, "metadata"), "annotations") end
end

-- made returns the object at key, and makes it if it is absent or null.
local function made(o, key)
  local v = json.get(o, key)
  if v == nil or v == json.null then
    v = json.object()
    json.set(o, key, v)
  end
  return v
end

-- restore puts back what toV1 kept in the annotation.
local function restore(o, kept)
  for _, word in ipairs(words(kept)) do
    local field, v = word:match("^(.-)=(.+)$")
    if not isField[field] then
      refuse(".metadata.annotations['", partial, "'] must be like \"min=0 hour=3\", but is ", json.quote(kept))
    end
    json.set(made(o, "spec"), field, v)
  end
end

local function toV2(o)
  local kept = member(annotations(o), partial, "a string", ".metadata.annotations['" .. partial .. "']")
  local spec = member(o, "spec", "an object", ".spec")
  local schedule = member(spec, "cronSpec", "a string", ".spec.cronSpec")
  if schedule then
    local parts = words(schedule)
    if #parts ~= #fields then
      refuse(".spec.cronSpec must have five fields separated by spaces, but ", json.quote(schedule), " has ", tostring(#parts))
    end
    for i, f in ipairs(fields) do json.set(spec, f, parts[i]) end
  elseif kept then
    restore(o, kept)
  end
  if kept then removePartial(o) end
  if spec then json.remove(spec, "cronSpec") end
end

local function toV1(o)
  local spec = member(o, "spec", "an object", ".spec")
  local parts, kept = {}, {}
  for _, f in ipairs(fields) do
    local part = member(spec, f, "a string", ".spec." .. f)
    if part then
      if words(part)[1] ~= part then
        refuse(".spec.", f, " must be one field of a cron schedule, without spaces, but is ", json.quote(part))
      end
      parts[#parts + 1], kept[#kept + 1] = part, f .. "=" .. part
    end
  end
  if spec then
    for _, f in ipairs(fields) do json.remove(spec, f) end
  end
  if #parts == #fields then json.set(spec, "cronSpec", table.concat(parts, " ")) end
  if #parts > 0 and #parts < #fields then
    json.set(made(made(o, "metadata"), "annotations"), partial, table.concat(kept, " "))
  else
    removePartial(o)
  end
end

local function convert(o, desired)
  local from = json.get(o, "apiVersion")
  if from == desired then return end
  if from == group .. "v1" and desired == group .. "v2" then
    toV2(o)
  elseif from == group .. "v2" and desired == group .. "v1" then
    toV1(o)
  else
    refuse("this module has no conversion from ", from, " to ", desired, "; it has: ", group, "v1 to ", group, "v2, ", group, "v2 to ", group, "v1")
  end
  json.set(o, "apiVersion", desired)
end

local review = json.decode(io.read("a"))
local request = json.get(review, "request")
local objects = json.get(request, "objects")
local converted, problem = pcall(function()
  for _, o in ipairs(objects) do convert(o, json.get(request, "desiredAPIVersion")) end
end)

local result, response, answer = json.object(), json.object(), json.object()
json.set(result, "status", converted and "Success" or "Failure")
if not converted then json.set(result, "message", problem) end
json.set(response, "uid", json.get(request, "uid"))
json.set(response, "result", result)
json.set(response, "convertedObjects", converted and objects or json.array())
json.set(answer, "apiVersion", json.get(review, "apiVersion"))
json.set(answer, "kind", json.get(review, "kind"))
json.set(answer, "response", response)
io.write(json.encode(answer))
