/** How much a log line matters. */
export enum Level { Debug, Info, Warn, Error }

// @ts-ignore: decorator
@external("crosswalk_v1", "log")
declare function hostLog(level: u32, at: usize, size: u32): void;

/** Writes a line to the gateway's log. The kubectl user does not see it. */
export function log(level: Level, message: string): void {
  const text = String.UTF8.encode(message);
  hostLog(level, changetype<usize>(text), text.byteLength);
}

/** What AssemblyScript calls before it traps (see asconfig.json): the reason goes to the gateway's log. */
// @ts-ignore: decorator
@global
export function crosswalkAbort(message: string | null, file: string | null, line: u32, column: u32): void {
  log(Level.Error, (message ? message : "aborted") + " at " + (file ? file : "?") + ":" + line.toString() + ":" + column.toString());
  unreachable();
}
