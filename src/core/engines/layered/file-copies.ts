/**
 * What files hold as far as the conversation says it: a file that was read, and one that was written whole, with the edits
 * made to that since. No file is read for it.
 */
import { described } from "../../digest/call.ts";
import type { PairedCall } from "../../transcript/pairing.ts";

export interface FileCopy {
  readonly text: string;
  /** The newest message that it is known from. */
  readonly message: number;
  /** The message of the call that wrote it last, where it is known from calls and not from a result that showed it. */
  readonly written?: number;
}

type Copy = Omit<FileCopy, "message"> & { readonly path: string };

/** The file behind a call that was answered; undefined where that is no file whose text is known. */
export function copyBehind(
  { call, message }: PairedCall,
  result: string,
  known: ReadonlyMap<string, FileCopy>,
): Copy | undefined {
  const { action, paths } = described(call);
  const [path] = paths;
  if (path === undefined) return undefined;
  if (action === "read") return result === "" ? undefined : { path, text: result };
  if (action !== "write" && action !== "edit") return undefined;
  const given = fieldsOf(call.arguments);
  const whole = action === "write" ? textAt(given, CONTENT_KEYS) : undefined;
  if (whole !== undefined) return { path, text: whole, written: message };
  const before = known.get(path);
  const [old, next] = [textAt(given, OLD_KEYS), textAt(given, NEW_KEYS)];
  if (before?.written === undefined || old === undefined || next === undefined || !before.text.includes(old))
    return undefined;
  const text =
    given["replace_all"] === true ? before.text.replaceAll(old, () => next) : before.text.replace(old, () => next);
  return { path, text, written: message };
}

/** Whether nothing changed the file since. What was written counts where the call that did it is the last change: it may have failed. */
export function isCurrent({ message, written }: FileCopy, changed: number | undefined): boolean {
  return written === undefined ? (changed ?? -1) < message : changed === written;
}

const CONTENT_KEYS = ["content", "contents", "file_text"];
const OLD_KEYS = ["old_string", "old_str", "oldText", "oldString"];
const NEW_KEYS = ["new_string", "new_str", "newText", "newString"];

type Given = Readonly<Record<string, unknown>>;

function textAt(given: Given, keys: readonly string[]): string | undefined {
  return keys.map((key) => given[key]).find((value) => typeof value === "string");
}

function fieldsOf(args: string): Given {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null ? (value as Given) : {};
  } catch {
    return {};
  }
}
