/**
 * The tool that a model recalls with, and which requests are offered it. It stands last among the tools, in the same bytes
 * each time, and whether it is there follows from what a client sends throughout a session, so that no prompt cache is lost.
 */
import { fieldsOf, listOf, parsed } from "../../protocols/fields.ts";
import type { Decoded, ProtocolName } from "../../protocols/index.ts";
import { encodeTools } from "../../protocols/tools.ts";

export const RECALL_TOOL = "precis_recall";

/** `on`: beside tools of the client's own. `always`: also where it has none. */
export type RecallOffer = "on" | "always";

const DECLARATION = {
  name: RECALL_TOOL,
  description:
    "Gives back what left this conversation when it was shortened. Whatever left has an id such as r1a2b3c4d5: in a record of earlier messages, or in a mark like [… recall r1a2b3c4d5]. Use it when you need the exact text of something earlier.",
  input_schema: {
    type: "object",
    properties: {
      wanted: {
        type: "string",
        description:
          "An id; an id and a line to read on from (r1a2b3c4d5:400); an id and words, for the lines of it that hold them; or words alone, to search all that left.",
      },
    },
    required: ["wanted"],
    additionalProperties: false,
  },
};

const DECLARED = Object.fromEntries(
  (["openai-chat", "openai-responses", "anthropic-messages"] as const).map((protocol) => [
    protocol,
    encodeTools(JSON.stringify([DECLARATION]), protocol).slice(1, -1),
  ]),
) as Readonly<Record<ProtocolName, string>>;

/** The request's tools with ours behind them; undefined where it is not offered. */
export function toolsOffered(request: Decoded, offer: RecallOffer): string | undefined {
  const { tools = "[]" } = request.transcript;
  const own = listOf(parsed(tools));
  if (!isOpen(request) || own.some(isOurs)) return undefined;
  if (own.length === 0 && (offer === "on" || demandsForm(request))) return undefined;
  const end = tools.lastIndexOf("]");
  return `${tools.slice(0, end)}${own.length === 0 ? "" : ","}${DECLARED[request.protocol]}${tools.slice(end)}`;
}

/** A client's own tool of that name is the client's. */
function isOurs(tool: unknown): boolean {
  const { name, function: target } = fieldsOf(tool);
  return name === RECALL_TOOL || fieldsOf(target)["name"] === RECALL_TOOL;
}

/** Whether hidden calls can be kept from the client, and put back when it comes again. */
function isOpen(request: Decoded): boolean {
  switch (request.protocol) {
    case "anthropic-messages":
      return true;
    case "openai-chat":
      // Of several answers each would go on by itself; functions are what tools were before.
      return (
        [undefined, null, 1].includes(memberOf(request, "n") as number) && memberOf(request, "functions") === undefined
      );
    case "openai-responses":
      // What the provider keeps, the client may refer to by an id, and hidden calls would be part of it.
      return memberOf(request, "store") === false;
  }
}

/** An answer in a form of the client's may not be able to hold a call. */
function demandsForm(request: Decoded): boolean {
  const forms = [memberOf(request, "response_format"), fieldsOf(memberOf(request, "text"))["format"]];
  return [...forms, memberOf(request, "output_format"), memberOf(request, "output_config")].some(
    (form) => form !== undefined && form !== null && fieldsOf(form)["type"] !== "text",
  );
}

function memberOf({ layout, body }: Decoded, key: string): unknown {
  const member = layout.members.findLast((one) => one.key === key);
  return member === undefined ? undefined : parsed(body.slice(member.start, member.end));
}
