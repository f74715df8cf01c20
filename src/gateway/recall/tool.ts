/**
 * The tool that a model recalls with, and which requests are offered it. It is last among the tools, in the same bytes
 * each time, and whether it is there follows from what a client sends throughout a session, so that no prompt cache is lost.
 */
import { fieldsOf, listOf, parsed } from "../../protocols/fields.ts";
import { memberOf } from "../../protocols/definition.ts";
import type { Decoded } from "../../protocols/index.ts";
import { definitions } from "../../protocols/registry.ts";
import { RECALL_TOOL, RECALL_TOOL_DECLARATION } from "../../session/recall/tool.ts";

/** `on`: beside tools of the client's own. `always`: also where it has none. `off`: never. */
export const RECALL_OFFERS = ["off", "on", "always"] as const;
export type RecallOffer = (typeof RECALL_OFFERS)[number];

const { name, description, parameters } = RECALL_TOOL_DECLARATION;
const DECLARATION = { name, description, schema: parameters, strict: undefined };

/** The request's tools with ours behind them; undefined where it is not offered. */
export function toolsOffered(request: Decoded, offer: RecallOffer): string | undefined {
  const { tools = "[]" } = request.transcript;
  const own = listOf(parsed(tools));
  const { recall } = definitions[request.protocol];
  if (offer === "off" || !recall.isOpen(memberOf(request)) || own.some((tool) => isOurs(request, tool)))
    return undefined;
  if (own.length === 0 && (offer === "on" || demandsForm(request))) return undefined;
  return definitions[request.protocol].tools.append(tools, DECLARATION);
}

/** A client's own tool of that name is the client's. */
function isOurs({ protocol }: Decoded, tool: unknown): boolean {
  const fields = fieldsOf(tool);
  const declared = definitions[protocol].tools.read(fields).some((one) => one.name === RECALL_TOOL);
  return declared || fields["name"] === RECALL_TOOL;
}

/** An answer in a form of the client's may not be able to hold a call. */
function demandsForm(request: Decoded): boolean {
  const forms = definitions[request.protocol].recall.answerForms(memberOf(request));
  return forms.some((form) => form !== undefined && form !== null && fieldsOf(form)["type"] !== "text");
}
