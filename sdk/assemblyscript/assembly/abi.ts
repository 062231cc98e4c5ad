import { description } from "./describe";
import { log, Level } from "./log";
import { Buffer, PAD } from "./memory";
import { answer } from "./module";

// The functions that the gateway calls. A module's first file exports them all: export * from ".../assembly/abi".

const request = Buffer.make();

/** Its presence says "version 1". */
export function crosswalk_abi_v1(): void {}

export function crosswalk_alloc(size: u32): usize {
  request.length = 0;
  return request.reserve(size);
}

export function crosswalk_convert(at: usize, size: u32): u64 {
  if (at != request.at || <usize>size + PAD > request.room) {
    log(Level.Error, "crosswalk_convert was called with a request that crosswalk_alloc did not make room for");
    return 0;
  }
  const response = answer(at, size);
  if (!response) log(Level.Error, "crosswalk_convert was called with a request that is not a frame of version 1");
  return response;
}

export function crosswalk_describe(): u64 {
  return description();
}
