/** Shortens the long strings in old calls' arguments; what was asked of which tool, and of which file, stays readable. */
import { isMarker, markerFor, shrinkJsonStrings } from "../digest/arguments.ts";
import { describeCall, labelOf } from "../digest/call.ts";
import { recallId } from "../transcript/links.ts";
import type { Pass } from "./pass.ts";
import { rewriteParts } from "./rewrite.ts";

/** Free text up to this length stays whole. */
const FREE_TEXT_CHARS_MAX = 400;

export const shrinkArguments: Pass = (messages, context) =>
  rewriteParts(messages, context, {
    rewrite: (part, _, evict) => {
      if (part.kind !== "tool-call") return part;
      const recall = recallId(part.arguments, context.hash);
      const shrunk =
        part.custom === true
          ? shrinkFreeText(part.name, part.arguments, recall)
          : shrinkJsonStrings(part.arguments, { recall });
      if (shrunk === undefined) return part;
      evict("arguments", part.arguments, labelOf(describeCall(part.name, part.arguments)));
      return { ...part, arguments: shrunk };
    },
    origin: "digest",
  });

/** A patch, mostly: the files it names are what later turns refer to. */
function shrinkFreeText(name: string, text: string, recall: string): string | undefined {
  if (text.length <= FREE_TEXT_CHARS_MAX || isMarker(text)) return undefined;
  const { paths } = describeCall(name, text);
  const marker = paths.length === 0 ? markerFor(text, recall) : markerFor(text, recall, `; files: ${paths.join(", ")}`);
  return marker.length < text.length ? marker : undefined;
}
