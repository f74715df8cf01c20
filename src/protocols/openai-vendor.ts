/** OpenAI, which has two of the protocols. Other servers speak them too: what nobody else is known to be meant by is for it. */
import { SERVER_ERROR_STATUS_MIN, type VendorDefinition } from "./vendor.ts";

export const openai: VendorDefinition = {
  name: "openai",
  url: "https://api.openai.com",
  telemetryName: "openai",
  isAddressed: () => true,
  errorBody: ({ status, code, message }) => {
    const type = status < SERVER_ERROR_STATUS_MIN ? "invalid_request_error" : "server_error";
    return { error: { message, type, param: null, code } };
  },
};
