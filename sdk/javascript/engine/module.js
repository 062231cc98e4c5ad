// The module "crosswalk-javascript" within the engine. The engine calls __dispatch, and is called by what was __crosswalk.
import { bind } from "crosswalk-javascript/crosswalk.js";
const engine = globalThis.__crosswalk;
delete globalThis.__crosswalk;
const sdk = bind(engine);
globalThis.__dispatch = sdk.dispatch;
globalThis.console = { debug: sdk.log.debug, log: sdk.log.info, info: sdk.log.info, warn: sdk.log.warn, error: sdk.log.error };
export const { register, describe, declareFields, lossless, log, NumberText } = sdk;
