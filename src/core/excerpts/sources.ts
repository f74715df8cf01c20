/** Where an excerpt comes from, said in a few words: who spoke, or the tool and what it was about. */
import { oneLine } from "../digest/cut.ts";
import type { CallSummary } from "../digest/call.ts";
import type { MessageEntry, Occurrences } from "./occurrences.ts";

const TARGET_CHARS_MAX = 28;
const SHORT_PATH_CHARS_MAX = 32;

export interface Sources {
  /** The folder that most absolute paths lie below; empty where there is none. */
  readonly root: string;
  readonly redact: (text: string) => string;
  /** Of a place in a message. */
  readonly labelAt: (entry: MessageEntry, at: number) => string;
  /** Whether what is at a place is worth quoting: not the words of a search, nor a tool's word that it did as it was told. */
  readonly tellsAt: (entry: MessageEntry, at: number) => boolean;
}

/** `redact` sees what a call is about before it is cut. */
export function createSources(occurrences: Occurrences, redact: (text: string) => string): Sources {
  const root = occurrences.root();
  const below = (path: string): string => (root !== "" && path.startsWith(root) ? path.slice(root.length) : path);
  /** One call is the source of many quotes. */
  const labels = new Map<CallSummary, string>();
  const label = (call: CallSummary): string => {
    let known = labels.get(call);
    if (known === undefined) {
      const target = call.paths.includes(call.target)
        ? shortPath(below(call.target))
        : oneLine(redact(call.target), TARGET_CHARS_MAX);
      labels.set(call, (known = target === "" ? call.tool : `${call.tool} ${target}`));
    }
    return known;
  };
  return {
    root,
    redact,
    labelAt: (entry, at) => {
      const call = callAt(occurrences, entry, at);
      return call === undefined ? entry.message.role : label(call);
    },
    tellsAt: (entry, at) => {
      const call = callAt(occurrences, entry, at);
      if (call === undefined) return true;
      const changes = call.action === "edit" || call.action === "write";
      if (entry.message.role !== "tool") return changes;
      if (changes) return call.paths.length === 0;
      return showsFiles(call) || !isField(occurrences.readingOf(entry).text, at);
    },
  };
}

/** In what a file or a command shows, a field is a setting; on a web page it is what machines tell each other. */
function showsFiles({ action }: CallSummary): boolean {
  return action === "read" || action === "run" || action === "search";
}

const FIELD = /^[\s{[]*"[^"\n]{1,80}":|^\s*"[^"\n]{1,200}",?\s*$|^\s*<(?:meta|link|script)\b/;

function isField(text: string, at: number): boolean {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  // One long line is a whole answer of a service, and not a page.
  return at - start <= FIELD_LINE_CHARS_MAX && FIELD.test(text.slice(start, start + FIELD_LINE_CHARS_MAX));
}

const FIELD_LINE_CHARS_MAX = 300;

/** The call whose arguments a place is in, or whose result the message is. */
function callAt({ readingOf }: Occurrences, entry: MessageEntry, at: number): CallSummary | undefined {
  const { calls, callStarts } = readingOf(entry);
  const index = callStarts.findLastIndex((start) => start <= at);
  return index < 0 ? entry.call : calls[index];
}

/** A long path by its last two components, which name a file well enough. */
function shortPath(path: string): string {
  if (path.length <= SHORT_PATH_CHARS_MAX) return path;
  const parent = path.lastIndexOf("/", path.lastIndexOf("/") - 1);
  return path.slice(parent + 1);
}
