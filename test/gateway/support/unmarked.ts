/** A request's bytes without what caching adds: markers, the list that a marked string becomes, the key for routing. */
const MARKER = /,"(?:cache_control|prompt_cache_breakpoint)":\{[^{}]*\}/g;
const KEY = /"prompt_cache_key":"precis-[0-9a-f]+",/;
const ONE_TEXT = /\[\{"type":"(?:text|input_text)","text":("(?:[^"\\]|\\.)*")\}\]/g;

/** For bodies that `JSON.stringify` wrote. Of two that it makes the same, caching is the only difference. */
export function unmarked(body: string): string {
  return body.replace(KEY, "").replace(MARKER, "").replace(ONE_TEXT, "$1");
}

export function markersIn(body: string): number {
  return body.match(MARKER)?.length ?? 0;
}
