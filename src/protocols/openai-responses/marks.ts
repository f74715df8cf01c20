/** How bodies of Responses are recognised. */
import type { ProtocolMarks } from "../definition.ts";

export const responsesMarks: ProtocolMarks = {
  request: () => false,
  message: ({ role, type, ...message }) =>
    typeof type === "string" &&
    (role === undefined || (type === "message" && typeof role === "string" && !("stop_reason" in message))),
  blocks: ["input_text", "output_text", "input_image", "input_file"],
  certain: {
    message: ({ role, type }) => role === undefined && typeof type === "string",
    blocks: ["input_text", "output_text", "input_image"],
  },
};
