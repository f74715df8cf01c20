/** Google: known by its paths and by the header that its keys come in. */
import type { VendorDefinition } from "../vendor.ts";
import { requestedIn } from "./routes.ts";

const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const google: VendorDefinition = {
  name: "google",
  url: "https://generativelanguage.googleapis.com",
  telemetryName: "gcp.gemini",
  isAddressed: (path, header) => requestedIn(path) !== undefined || header("x-goog-api-key") !== undefined,
  errorBody: ({ status, code, message }) => ({
    error: { code: status, message, status: statusName(status), details: [{ reason: code }] },
  }),
};

/** The names of Google's error model (google.rpc.Code). */
export function statusName(status: number): string {
  return STATUS_NAMES[status] ?? "INVALID_ARGUMENT";
}
