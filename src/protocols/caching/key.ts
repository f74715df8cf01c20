/** The name under which OpenAI routes requests of one conversation to one cache; a client's own stays. */
import type { Edit } from "../json/edit.ts";
import type { Decoded } from "../protocol.ts";

const FIELD = "prompt_cache_key";
const KEY_CHARS = 32;

export function cacheKeyEdits({ form, layout: { members, list } }: Decoded, root: string): readonly Edit[] {
  if (form === "messages" || members.some(({ key }) => key === FIELD)) return [];
  const { keyStart } = members.findLast((member) => member.start === list.start)!;
  const text = `"${FIELD}":${JSON.stringify(`precis-${root.slice(0, KEY_CHARS)}`)},`;
  return [{ start: keyStart, end: keyStart, text }];
}
