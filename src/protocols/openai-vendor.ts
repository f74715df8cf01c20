/** OpenAI, which has two of the protocols. Other servers speak them too: what nobody else is known to be meant by is for it. */
import { SERVER_ERROR_STATUS_MIN, type VendorDefinition } from "./vendor.ts";

const TOO_MANY_REQUESTS = 429;

export const openai: VendorDefinition = {
  name: "openai",
  url: "https://api.openai.com",
  telemetryName: "openai",
  isAddressed: () => true,
  errorBody: ({ status, code, message }) => ({ error: { message, type: typeOf(status), param: null, code } }),
};

/** What OpenAI's servers call an error of such a status; above a limit they name what there are too many of. */
function typeOf(status: number): string {
  if (status === TOO_MANY_REQUESTS) return "requests";
  return status < SERVER_ERROR_STATUS_MIN ? "invalid_request_error" : "server_error";
}
