/** What a tool result is: by what was asked for, confirmed by a sample of its lines. */
import type { CallSummary } from "./call.ts";
import { commandHint, fileHint, type Hint } from "./kind-hints.ts";
import { sampleOf, signsOf, type Signs } from "./kind-signs.ts";

export type ResultKind =
  | "test-run"
  | "build"
  | "log"
  | "table"
  | "json"
  | "source"
  | "diff"
  | "search-hits"
  | "listing"
  | "web-page"
  | "stack-trace"
  | "text"
  | "binary";

/** What a database is asked, whatever the tool is called that asks it. */
const SQL = /^\s*(?:select|with|show|describe|explain|pragma|values)\s/i;

/** Looks at a sample of lines only: the cost does not grow with the text. */
export function kindOf(text: string, call: CallSummary): ResultKind {
  const signs = signsOf(sampleOf(text));
  if (signs.binary) return "binary";
  if (signs.json) return signs.jsonLog ? "log" : "json";
  if (call.values.some((value) => SQL.test(value)) && (signs.table || signs.records)) return "table";
  switch (call.action) {
    case "read":
      return kindOfFile(signs, call);
    case "run":
      return kindOfRun(signs, call);
    case "search":
      return signs.hits || !signs.paths ? searched(signs) : "listing";
    case "list":
      return signs.hits ? "search-hits" : "listing";
    case "fetch":
      return signs.markup || signs.links || !signs.table ? "web-page" : "table";
    case "write":
    case "edit":
      return signs.diff ? "diff" : "text";
    default:
      return kindOfContent(signs);
  }
}

function searched(signs: Signs): ResultKind {
  if (signs.hits) return "search-hits";
  return signs.links || signs.markup ? "web-page" : signs.source || signs.numbered ? "search-hits" : "text";
}

function kindOfFile(signs: Signs, call: CallSummary): ResultKind {
  const hint = fileHint(call.paths[0] ?? "");
  if (hint === "text" && signs.markdownTable) return "table";
  if (hint !== undefined) return hint === "log" && !signs.log ? "text" : hint;
  if (signs.diff) return "diff";
  if (signs.log) return "log";
  if (signs.source) return "source";
  return signs.table ? "table" : signs.paths ? "listing" : "text";
}

function kindOfRun(signs: Signs, call: CallSummary): ResultKind {
  const hint = commandHint(call.command ?? "");
  if (signs.testRun && (hint === "test-run" || hint === undefined || hint === "build")) return "test-run";
  if (signs.trace && hint !== "source") return "stack-trace";
  return confirmed(hint, signs) ?? kindOfContent(signs);
}

/** A hint holds unless the lines speak against it. */
function confirmed(hint: Hint | undefined, signs: Signs): ResultKind | undefined {
  switch (hint) {
    case "diff":
      return signs.diff ? "diff" : undefined;
    case "search-hits":
      return signs.hits ? "search-hits" : signs.paths ? "listing" : signs.source ? "search-hits" : undefined;
    case "log":
      return signs.log ? "log" : undefined;
    case "test-run":
      return signs.errors ? "build" : undefined;
    case "table":
      return signs.table || signs.records ? "table" : undefined;
    case "text":
      return signs.markdownTable ? "table" : "text";
    case "build":
    case "source":
    case "listing":
      return hint;
    default:
      return undefined;
  }
}

function kindOfContent(signs: Signs): ResultKind {
  if (signs.diff) return "diff";
  if (signs.testRun) return "test-run";
  if (signs.trace) return "stack-trace";
  if (signs.log) return "log";
  if (signs.errors) return "build";
  if (signs.hits) return "search-hits";
  if (signs.markup) return "web-page";
  if (signs.table) return "table";
  if (signs.source) return "source";
  if (signs.paths) return "listing";
  return signs.links ? "web-page" : "text";
}
