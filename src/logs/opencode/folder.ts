/** OpenCode's older store: a folder with a file for each session, message and part. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fieldsOf, jsonOf, textOf, tryParseJson, type Fields } from "../fields.ts";

/** Whether a file is a session of such a store: `storage/session/PROJECT/SESSION.json`. */
export function isStoredSession(path: string): boolean {
  return /[/\\]session[/\\][^/\\]+[/\\][^/\\]+\.json$/.test(path) && existsSync(join(rootOf(path), "message"));
}

const rootOf = (path: string): string => dirname(dirname(dirname(path)));

/** The document of the session in a file, from the files of its messages and parts. */
export function storedDocument(path: string): string {
  const root = rootOf(path);
  const info = recordIn(path);
  const id = textOf(info["id"]) ?? basename(path, ".json");
  const messages = filesIn(join(root, "message", id)).map((file) => {
    const message = recordIn(file);
    const messageId = textOf(message["id"]) ?? basename(file, ".json");
    return { info: message, parts: partsOf(join(root, "part"), messageId) };
  });
  const created = ({ info: message }: (typeof messages)[number]): number =>
    Number(fieldsOf(message["time"])?.["created"] ?? 0);
  return jsonOf({ info, messages: messages.toSorted((a, b) => created(a) - created(b)) });
}

/** In a folder of the message; the first stores had all parts in one. */
function partsOf(folder: string, messageId: string): readonly Fields[] {
  const own = filesIn(join(folder, messageId)).map(recordIn);
  if (own.length > 0) return own;
  return filesIn(folder)
    .map(recordIn)
    .filter((part) => part["messageID"] === messageId);
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ name }) => join(folder, name))
    .toSorted();
}

function recordIn(path: string): Fields {
  return fieldsOf(tryParseJson(readFileSync(path, "utf8"))) ?? {};
}
