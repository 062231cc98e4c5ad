// The module "crosswalk-javascript" within the engine. globalThis is frozen out of it: what the engine calls goes through __crosswalk.
import { bind } from "crosswalk-javascript/crosswalk.js";
const engine = globalThis.__crosswalk;
delete globalThis.__crosswalk;
const sdk = bind(engine);
globalThis.__dispatch = sdk.dispatch;
globalThis.console = { debug: sdk.log.debug, log: sdk.log.info, info: sdk.log.info, warn: sdk.log.warn, error: sdk.log.error };
export const { register, describe, lossless, log, NumberText } = sdk;
