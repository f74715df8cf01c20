/**
 * A message that its client writes again in another form goes out in the bytes that it went out in before, so that the
 * provider's cache still knows it. Cache markers are where the client has them now.
 */
import type { Decoded } from "../protocols/index.ts";
import { applyEdits, type Edit } from "../protocols/json/edit.ts";
import type { Span } from "../protocols/json/scan.ts";
import { definitions } from "../protocols/registry.ts";
import { meansTheSame, withoutCacheMarkers } from "../protocols/same-meaning.ts";

export interface FormerBytes {
  readonly body: string;
  /** Messages that go out in their former bytes. */
  readonly restored: number;
}

/** Only from the beginning on: behind a message that means something else, the cache knows nothing anyway. */
export function withFormerBytes(former: Decoded | undefined, now: Decoded): FormerBytes {
  if (former === undefined || beginsAlike(former, now)) return { body: now.body, restored: 0 };
  const { textBlock } = definitions[now.protocol];
  const edits: Edit[] = [];
  const elements = Math.min(former.layout.elements.length, now.layout.elements.length);
  for (let at = 0; at < elements; at++) {
    const place = now.layout.elements[at]!;
    const [before, is] = [textAt(former, former.layout.elements[at]!), textAt(now, place)];
    if (before === is) continue;
    if (!meansTheSame(before, is, { textBlock, isLast: at === now.layout.elements.length - 1 })) break;
    // What is marked has the form that a marker needs.
    const text = withoutCacheMarkers(is) === is ? withoutCacheMarkers(before) : is;
    if (text !== is) edits.push({ ...place, text });
  }
  return { body: applyEdits(now.body, edits), restored: edits.length };
}

/** The usual case: everything that was sent before is there again. */
function beginsAlike(former: Decoded, now: Decoded): boolean {
  const [start, end] = [former.layout.elements[0]?.start ?? 0, former.layout.elements.at(-1)?.end ?? 0];
  const from = now.layout.elements[0]?.start ?? 0;
  return now.body.slice(from, from + end - start) === former.body.slice(start, end);
}

function textAt({ body }: Decoded, { start, end }: Span): string {
  return body.slice(start, end);
}
