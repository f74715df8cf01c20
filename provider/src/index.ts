/** `precis-provider`: the strict provider. */
import "../../src/platform/refuse-old-node.ts";
export { createProvider } from "./provider.ts";
export type { Provider, ProviderOptions } from "./provider.ts";
export type { Account, KeyAccount, Tokens } from "./account.ts";
export type { Answer, AnswerCall, ScriptedRequest, Script } from "./answers.ts";
export { FAULT_KINDS } from "./faults.ts";
export type { Fault, FaultKind, FaultRates } from "./faults.ts";
export { LIMITS } from "./limits.ts";
export type { Limits } from "./limits.ts";
export type { Listening, ListenOptions } from "../../src/cli/gateway/port.ts";
export type { RequestRecord } from "./record.ts";
export { readRecording } from "./replay.ts";
export { OVERFLOW_ERROR_NAMES, OVERFLOW_ERRORS } from "./overflow-errors.ts";
export type { OverflowError, OverflowErrorName } from "./overflow-errors.ts";
export type { ModelTraits } from "./traits.ts";
