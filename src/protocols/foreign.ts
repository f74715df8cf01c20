/**
 * Recognises a message of another protocol, where that is certain: by what the protocol at hand could not mean. Anything
 * that servers of it are known to take counts as its own, cache markers on Chat messages for example.
 */
import { PrecisError } from "../core/errors.ts";
import type { Fields } from "./dialect.ts";
import { fieldsOf, isFields, listOf, parsed, textOf } from "./fields.ts";
import { elementTexts } from "./json/scan.ts";
import type { Decoded, ProtocolName } from "./protocol.ts";
import { allDefinitions, definitions } from "./registry.ts";

type Origin = ProtocolName | "ai-sdk";

const AI_SDK_BLOCKS = ["tool-call", "tool-result"];

const BLOCKS: ReadonlyMap<string, Origin> = new Map<string, Origin>([
  ...allDefinitions.flatMap(({ name, marks }) => marks.certain.blocks.map((type) => [type, name] as const)),
  ...AI_SDK_BLOCKS.map((type) => [type, "ai-sdk"] as const),
]);

function originOf(message: Fields): Origin | undefined {
  const block = listOf(message["content"]).map((one) => BLOCKS.get(textOf(fieldsOf(one)["type"]) ?? ""));
  const found = block.find((one) => one !== undefined);
  return found ?? allDefinitions.find(({ marks }) => marks.certain.message(message))?.name;
}

/** Remembers which messages it has looked at: a growing history costs only what is new in it. */
export function createForeignCheck(): (decoded: Decoded) => void {
  const known = new WeakSet<object>();
  return ({ protocol, layout: { groups } }) => {
    // A history that opens as one that was looked at goes on in the protocol that it began in.
    if (groups[0] !== undefined && known.has(groups[0].slice)) return;
    for (const { slice, first } of groups) {
      if (known.has(slice)) continue;
      const elements = slice.ofSystem !== true && slice.raw.startsWith("{") ? elementTexts(`[${slice.raw}]`) : [];
      elements.forEach((text, at) => {
        const value = parsed(text);
        const origin = isFields(value) ? originOf(value) : undefined;
        if (origin !== undefined && origin !== protocol) throw mismatch(protocol, origin, first + at);
      });
      known.add(slice);
    }
  };
}

function mismatch(protocol: ProtocolName, origin: Origin, at: number): PrecisError {
  const place = `${definitions[protocol].dialect.listKey}[${at}]`;
  const isSdk = origin === "ai-sdk";
  const whose = isSdk ? "the AI SDK's own form, which is no provider's" : origin;
  return new PrecisError(`The protocol is ${protocol}, but ${place} is written in ${whose}.`, {
    code: "protocol_mismatch",
    place,
    hint: isSdk
      ? "Prepare the body that the AI SDK sends, for example in the `fetch` of its provider (docs/library.md)."
      : `Set the option \`protocol: "${origin}"\`.`,
  });
}
