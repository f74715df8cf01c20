/**
 * Anthropic's cache markers: how many, where, with which lifetime and in which order; and the one at the top level. From
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching ("Automatic caching", "Edge cases", "Mixing
 * different TTLs"; 2026-11) and the API's own error texts.
 */
import { fieldsOf, isFields, listOf, blocksOf, type Fields } from "../../../src/protocols/fields.ts";
import { type Ttl } from "../contract.ts";
import { firstRefusal, invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import { messagesOf, placed, type PlacedBlock } from "../../../src/protocols/request-form/anthropic.ts";

const MARKERS_MAX = 4;

/** Everything that is rendered, in order: tools, system, messages. */
export function rendered(body: Fields): readonly PlacedBlock[] {
  const tools = listOf(body["tools"]).map((tool, at) => ({ block: fieldsOf(tool), path: `tools.${at}` }));
  const system = blocksOf(body["system"]).map((block, at) => ({ block, path: `system.${at}` }));
  return [...tools, ...system, ...messagesOf(body).flatMap(placed)];
}

/** A block's own marker, as far as it is one. */
export function markerOf(block: Fields): Ttl | undefined {
  const marker = block["cache_control"];
  if (!isFields(marker)) return undefined;
  return marker["ttl"] === "1h" ? "1h" : "5m";
}

/** Blocks that a marker can be on: not thinking, and not an empty text. */
function isCacheable({ block }: PlacedBlock): boolean {
  const { type } = block;
  if (type === "thinking" || type === "redacted_thinking") return false;
  return type !== "text" || block["text"] !== "";
}

/** The block that a top-level marker is on: the last that can carry one. */
export function topMarked(body: Fields, blocks: readonly PlacedBlock[]): PlacedBlock | undefined {
  return isFields(body["cache_control"]) ? blocks.findLast(isCacheable) : undefined;
}

/** Markers inside of a result count as markers of their own. */
function marked(blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
  return blocks.flatMap((one) => {
    const inside = listOf(one.block["content"]).map((block, at) => ({
      block: fieldsOf(block),
      path: `${one.path}.content.${at}`,
    }));
    return [...inside, one].filter(
      ({ block }) => block["cache_control"] !== undefined && block["cache_control"] !== null,
    );
  });
}

export function checkMarkers(body: Fields): Refusal | undefined {
  const blocks = rendered(body);
  const markers = marked(blocks);
  const top = topMarked(body, blocks);
  const count = markers.length + (top === undefined ? 0 : 1);
  if (count > MARKERS_MAX)
    return invalid("markers", `A maximum of ${MARKERS_MAX} blocks with cache_control may be provided. Found ${count}.`);
  const form = top === undefined ? undefined : checkForm({ block: body, path: "" });
  return form ?? firstRefusal(markers, checkForm) ?? checkOrder(body, blocks, top);
}

function checkForm(one: PlacedBlock): Refusal | undefined {
  const { block, path } = one;
  const place = path === "" ? "cache_control" : `${path}.cache_control`;
  const marker = block["cache_control"];
  if (!isFields(marker) || marker["type"] !== "ephemeral")
    return invalid(
      "markers",
      `${place}: Input tag found using 'type' does not match any of the expected tags: 'ephemeral'`,
    );
  if (marker["ttl"] !== undefined && marker["ttl"] !== "5m" && marker["ttl"] !== "1h")
    return invalid("markers", `${place}.ephemeral.ttl: Input should be '5m' or '1h'`);
  if (block["type"] === "thinking" || block["type"] === "redacted_thinking")
    return invalid("markers", `${path}.${block["type"]}.cache_control: Extra inputs are not permitted`);
  if (block["type"] === "text" && block["text"] === "")
    return invalid("markers", `${path}: cache_control cannot be set for empty text blocks`);
  return undefined;
}

/** The lifetime may fall from an hour to five minutes on the way through the prompt, never rise. */
function checkOrder(body: Fields, blocks: readonly PlacedBlock[], top: PlacedBlock | undefined): Refusal | undefined {
  const wanted = markerOf(body);
  const stated = top === undefined ? undefined : markerOf(top.block);
  if (top !== undefined && stated !== undefined && stated !== wanted)
    return invalid(
      "markers",
      `Top-level cache_control has ttl='${wanted}' but the target block already has cache_control with ttl='${stated}'. When both are specified on the same block, they must have matching TTLs.`,
    );
  let short = false;
  return firstRefusal(blocks, (one) => {
    const own = marked([one]).map(({ block, path }) => ({ ttl: markerOf(block), path }));
    const all = one === top ? [...own, { ttl: wanted, path: one.path }] : own;
    return firstRefusal(all, ({ ttl, path }) => {
      if (ttl === "1h" && short)
        return invalid(
          "markers",
          `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
        );
      short ||= ttl === "5m";
      return undefined;
    });
  });
}
