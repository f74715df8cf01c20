/** Request bodies of each protocol, written from a conversation by hand so that no encoder of ours is trusted. */
import { PROTOCOL_NAMES, type ProtocolName } from "../../src/core/protocols.ts";
import { printJson, type JsonLayout, type JsonLike } from "./json-text.ts";
import { createRandom } from "./random.ts";
import { BIG_INTEGER } from "./turns-to-ir.ts";
import type { Conversation } from "./turns.ts";
import { kits } from "./wires.ts";

export type WireName = ProtocolName;
export const WIRE_NAMES: readonly WireName[] = PROTOCOL_NAMES;

/** How one body is written: the seed decides every free choice of form. */
export interface WireForm {
  readonly seed: number;
  readonly layout: JsonLayout;
  /** Only the message array, as a file of messages holds it. */
  readonly bare: boolean;
}

export function bodyText(protocol: WireName, conversation: Conversation, form: WireForm): string {
  const random = createRandom(form.seed);
  const writer = kits[protocol].writer(random);
  const { top, leading } = form.bare
    ? { top: {}, leading: writer.leadingInArray(conversation.system) }
    : writer.system(conversation.system);
  const list = [...leading, ...writer.messages(conversation.turns)];
  const tools = conversation.tools.map(writer.tool);
  const body: JsonLike = form.bare
    ? list
    : {
        model: "some-model",
        ...top,
        ...(tools.length === 0 ? {} : { tools }),
        ...writer.maxTokens(4096),
        metadata: { trace: BIG_INTEGER, note: "]}" },
        [writer.listKey]: list,
        stream: true,
      };
  return printJson(body, form.layout, random);
}
