## Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member for each of
## its fields. A plain program without an SDK: it reads a ConversionReview from standard input and writes one to standard output.
## What it refuses, it says on standard error, and exits with 1.
import std/[json, options, sequtils, strutils]

type Refusal = object of CatchableError

const
  group = "stable.example.com/"
  ## The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3".
  partial = "conversion.stable.example.com/partial-schedule"
  ## The members of a v2 spec that make up the schedule, in the order of cron.
  fields = ["min", "hour", "dayOfMonth", "month", "dayOfWeek"]

proc refuse(text: string) =
  raise newException(Refusal, text)

proc typeName(v: JsonNode): string =
  case v.kind
  of JNull: "null"
  of JBool: "a boolean"
  of JInt, JFloat: "a number"
  of JArray: "an array"
  of JObject: "an object"
  of JString: (if ($v)[0] == '"': "a string" else: "a number") # numbers are kept as they are written

proc map(o: JsonNode, where, key: string): JsonNode =
  ## The object at key; nil if it is absent or null.
  if o == nil or not o.hasKey(key) or o[key].kind == JNull: return nil
  result = o[key]
  if result.kind != JObject: refuse(where & " must be an object, but is " & typeName(result))

proc text(o: JsonNode, where, key: string): Option[string] =
  if o == nil or not o.hasKey(key) or o[key].kind == JNull: return none(string)
  if typeName(o[key]) != "a string": refuse(where & " must be a string, but is " & typeName(o[key]))
  some(o[key].getStr)

proc words(s: string): seq[string] =
  s.split(Whitespace).filterIt(it.len > 0)

proc annotations(o: JsonNode): JsonNode =
  map(map(o, ".metadata", "metadata"), ".metadata.annotations", "annotations")

proc deletePartial(o: JsonNode) =
  let values = annotations(o)
  if values == nil or not values.hasKey(partial): return
  values.delete(partial)
  if values.len == 0: o["metadata"].delete("annotations")

proc made(o: JsonNode, key: string): JsonNode =
  ## The object at key, made if it is absent or null.
  if not o.hasKey(key) or o[key].kind == JNull: o[key] = newJObject()
  o[key]

proc restore(o: JsonNode, kept: string) =
  ## Puts back what v2ToV1 kept in the annotation.
  for word in words(kept):
    let equals = word.find('=')
    if equals < 0 or equals + 1 == word.len or word[0 ..< equals] notin fields:
      refuse(".metadata.annotations['" & partial & "'] must be like \"min=0 hour=3\", but is " & escapeJson(kept))
    made(o, "spec")[word[0 ..< equals]] = %word[equals + 1 .. ^1]

proc v1ToV2(o: JsonNode) =
  let
    kept = text(annotations(o), ".metadata.annotations['" & partial & "']", partial)
    spec = map(o, ".spec", "spec")
    schedule = text(spec, ".spec.cronSpec", "cronSpec")
  if schedule.isSome:
    let parts = words(schedule.get)
    if parts.len != fields.len:
      refuse(".spec.cronSpec must have five fields separated by spaces, but " & escapeJson(schedule.get) & " has " & $parts.len)
    for i, field in fields: spec[field] = %parts[i]
  elif kept.isSome:
    restore(o, kept.get)
  if kept.isSome: deletePartial(o)
  if spec != nil and spec.hasKey("cronSpec"): spec.delete("cronSpec")

proc v2ToV1(o: JsonNode) =
  let spec = map(o, ".spec", "spec")
  var parts, kept: seq[string]
  for field in fields:
    let part = text(spec, ".spec." & field, field)
    if part.isNone: continue
    if words(part.get) != @[part.get]:
      refuse(".spec." & field & " must be one field of a cron schedule, without spaces, but is " & escapeJson(part.get))
    parts.add(part.get)
    kept.add(field & "=" & part.get)
  for field in fields:
    if spec != nil and spec.hasKey(field): spec.delete(field)
  if parts.len == fields.len: spec["cronSpec"] = %parts.join(" ")
  if parts.len in 1 ..< fields.len: made(made(o, "metadata"), "annotations")[partial] = %kept.join(" ")
  else: deletePartial(o)

proc convert(o: JsonNode, desired: string) =
  let version = o["apiVersion"].getStr
  if version == desired: return
  if version == group & "v1" and desired == group & "v2": v1ToV2(o)
  elif version == group & "v2" and desired == group & "v1": v2ToV1(o)
  else:
    refuse("this module has no conversion from " & version & " to " & desired & "; it has: " &
      group & "v1 to " & group & "v2, " & group & "v2 to " & group & "v1")
  o["apiVersion"] = %desired

when defined(wasm32):
  # Nim's own main takes the environment as well, which wasi-libc's start does not pass: hence --noMain.
  proc NimMain() {.importc.}
  proc main(): cint {.exportc.} = NimMain()

try:
  let
    review = parseJson(stdin.readAll, rawIntegers = true, rawFloats = true)
    request = review["request"]
  for o in request["objects"]: convert(o, request["desiredAPIVersion"].getStr)
  stdout.write(%*{
    "apiVersion": review["apiVersion"], "kind": review["kind"],
    "response": {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": request["objects"]},
  })
except CatchableError as e:
  stderr.writeLine(e.msg)
  quit(1)
