/**
 * The tool that a model recalls with, and which requests are offered it. It stands last among the tools, in the same bytes
 * each time, and whether it is there follows from what a client sends throughout a session, so that no prompt cache is lost.
 */
import { fieldsOf, listOf, parsed } from "../../protocols/fields.ts";
import type { Decoded, ProtocolName } from "../../protocols/index.ts";
import { encodeTools } from "../../protocols/tools.ts";
import { RECALL_TOOL, RECALL_TOOL_DECLARATION } from "../../session/recall/tool.ts";

/** `on`: beside tools of the client's own. `always`: also where it has none. `off`: never. */
export const RECALL_OFFERS = ["off", "on", "always"] as const;
export type RecallOffer = (typeof RECALL_OFFERS)[number];

const { name, description, parameters } = RECALL_TOOL_DECLARATION;
const DECLARATION = { name, description, input_schema: parameters };

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
  if (offer === "off" || !isOpen(request) || own.some(isOurs)) return undefined;
  if (own.length === 0 && (offer === "on" || demandsForm(request))) return undefined;
  const end = tools.lastIndexOf("]");
  return `${tools.slice(0, end)}${own.length === 0 ? "" : ","}${DECLARED[request.protocol]}${tools.slice(end)}`;
}

/** A client's own tool of that name is the client's. */
function isOurs(tool: unknown): boolean {
  const { name: own, function: target } = fieldsOf(tool);
  return own === RECALL_TOOL || fieldsOf(target)["name"] === RECALL_TOOL;
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
