/**
 * Names that clients choose, a path or a model's, as events, logs and spans show them. A client may have put a key there
 * by mistake, and no rule knows every kind of key: what looks random is shown by its beginning only.
 */
import type { GatewayEvent, EmitEvent } from "../contract.ts";

/** The longest name that is shown whole. */
const NAME_CHARS_MAX = 160;
/** Of what looks random, this much is shown: enough to find it again. */
const SHOWN_CHARS = 4;
/** A run of that many letters and digits is a word only if it has no digits and few changes of case. */
const MIXED_CHARS_MIN = 16;
const WORD_CHARS_MAX = 24;
/** From small to capital. `streamGenerateContent` has two, a long name of a model four. */
const RUN_CASE_CHANGES_MIN = 4;
const PART_CASE_CHANGES_MIN = 6;

/** What may be one secret: everything between signs that keys do not contain. */
const PARTS = /[A-Za-z0-9_~+=.-]+/g;
const RUNS = /[A-Za-z0-9]+/g;
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/** The same event, with nothing in it that may be a key. */
export function withShownNames(event: GatewayEvent): GatewayEvent {
  switch (event.kind) {
    case "request":
      return { ...event, path: shownName(event.path), model: shownName(event.model) };
    case "compaction":
    case "recall":
    case "job":
      return { ...event, model: shownName(event.model) };
    case "notice":
      return { ...event, message: shownText(event.message) };
  }
}

export function shownName(name: string): string {
  const shown = shownText(name);
  return shown.length <= NAME_CHARS_MAX ? shown : `${shown.slice(0, NAME_CHARS_MAX)}…`;
}

function shownText(text: string): string {
  return text.replace(PARTS, (part) =>
    looksRandom(part) ? `${part.slice(0, SHOWN_CHARS)}…(${part.length} characters)` : part,
  );
}

function looksRandom(part: string): boolean {
  return UUID.test(part) || (part.match(RUNS) ?? []).some(isRandomRun) || isSeparatedRandom(part);
}

function isRandomRun(run: string): boolean {
  if (run.length < MIXED_CHARS_MIN) return false;
  return run.length > WORD_CHARS_MAX || /\d/.test(run) || caseChanges(run) >= RUN_CASE_CHANGES_MIN;
}

/** Random text in which the separators of base64url fell so that no run of it is long. */
function isSeparatedRandom(part: string): boolean {
  const joined = part.replace(/[^A-Za-z0-9]/g, "");
  return joined.length > WORD_CHARS_MAX && /\d/.test(joined) && caseChanges(joined) >= PART_CASE_CHANGES_MIN;
}

function caseChanges(text: string): number {
  return text.match(/[a-z][A-Z]/g)?.length ?? 0;
}

/** A listener that throws fails no request, and not the process. */
export function safely(onEvent: EmitEvent): EmitEvent {
  return (event) => {
    try {
      onEvent(event);
    } catch {}
  };
}
