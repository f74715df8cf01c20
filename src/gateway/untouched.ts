/** Why a request that failed in the gateway goes on untouched. */
import { PrecisError } from "../core/errors.ts";
import type { UntouchedReason } from "./contract.ts";

export function faultOf(error: unknown): UntouchedReason {
  if (!(error instanceof PrecisError)) return "internal_fault";
  if (error.code.startsWith("store_")) return "store_unavailable";
  if (error.code === "too_many_messages") return "too_large_to_read";
  return UNREADABLE.has(error.code) ? "unreadable" : "internal_fault";
}

const UNREADABLE = new Set(["body_not_json", "body_without_messages", "message_malformed"]);
