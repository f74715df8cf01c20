/** Anthropic: known by its route and by the header that each of its requests must have. */
import { SERVER_ERROR_STATUS_MIN, type VendorDefinition } from "../definition.ts";

export const anthropic: VendorDefinition = {
  name: "anthropic",
  url: "https://api.anthropic.com",
  telemetryName: "anthropic",
  isAddressed: (path, header) => /^\/v1\/messages(?:\/|$)/.test(path) || header("anthropic-version") !== undefined,
  errorBody: ({ status, code, message }) => ({ type: "error", error: { type: errorType(status), message, code } }),
};

/** The names that Anthropic's error reference gives for its statuses. */
function errorType(status: number): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    case 504:
      return "timeout_error";
    default:
      return status < SERVER_ERROR_STATUS_MIN ? "invalid_request_error" : "api_error";
  }
}
