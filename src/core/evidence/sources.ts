/** Where an excerpt comes from, said in a few words: who spoke, or the tool and what it was about. */
import { oneLine } from "../digest/cut.ts";
import type { CallSummary } from "../digest/call.ts";
import { isOfNames } from "./characters.ts";
import type { Range } from "./names.ts";
import type { Entry, Tally } from "./tally.ts";

const TARGET_CHARS_MAX = 28;
const SHORT_PATH_CHARS_MAX = 32;
const PATH_CHARS_MAX = 100;

export interface Sources {
  /** The folder that most absolute paths lie below; empty where there is none. */
  readonly root: string;
  readonly redact: (text: string) => string;
  /** Of a place in a message. */
  readonly labelAt: (entry: Entry, at: number) => string;
  /** The name of a tool that was given or returned what stands at a place. */
  readonly toolAt: (entry: Entry, at: number) => string | undefined;
  /** A path as it stands around a mention of its last two components, below the root where it lies there. */
  readonly pathAround: (text: string, mention: Range) => string;
}

/** `redact` sees what a call is about before it is cut. */
export function createSources(tally: Tally, redact: (text: string) => string): Sources {
  const root = tally.root();
  const below = (path: string): string => (root !== "" && path.startsWith(root) ? path.slice(root.length) : path);
  const label = (call: CallSummary): string => {
    const target = call.paths.includes(call.target)
      ? shortPath(below(call.target))
      : oneLine(redact(call.target), TARGET_CHARS_MAX);
    return target === "" ? call.tool : `${call.tool} ${target}`;
  };
  return {
    root,
    redact,
    labelAt: (entry, at) => {
      const call = callAt(tally, entry, at);
      return call === undefined ? entry.message.role : label(call);
    },
    toolAt: (entry, at) => (callAt(tally, entry, at) ?? tally.readingOf(entry).calls[0])?.tool,
    pathAround: (text, mention) => {
      let start = mention.start;
      while (start > 0 && mention.end - start < PATH_CHARS_MAX && isOfNames(text, start - 1)) start--;
      return shortPath(below(text.slice(start, mention.end)));
    },
  };
}

/** The call whose arguments a place stands in, or whose result the message is. */
function callAt({ readingOf }: Tally, entry: Entry, at: number): CallSummary | undefined {
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
