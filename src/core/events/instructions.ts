/**
 * A project's own instructions, such as AGENTS.md, as an agent read them: the rules that the project states, apart from those of its
 * dependencies and of copies. As agents do, such a file is taken for the work below its folder.
 */
import { pathFrom, type FileEntry } from "./files.ts";
import { withoutGutter, withoutLineNumber } from "../digest/numbered-lines.ts";

const INSTRUCTION_FILE = /(?:^|[/\\])(?:CLAUDE(?:\.local)?|AGENTS(?:\.override)?|GEMINI)\.md$/i;
/** Folders of what others wrote. */
const FOREIGN =
  /(?:^|[/\\])(?:node_modules|vendor|third_party|site-packages|\.venv|venv|dist-packages|\.cargo|target|Pods|deps)[/\\]/;
const RULE = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S/;
const RULES_MAX = 40;
const RULE_CHARS_MAX = 400;

export function isInstructionFile(path: string): boolean {
  return INSTRUCTION_FILE.test(path) && !FOREIGN.test(path);
}

/** Of all files of a session, so many below a folder make it the place of the work. */
const WORK_SHARE_MIN = 0.6;
/** What a tool keeps in a folder of its own, such as `.claude`, holds for the folder around it. */
const OWN_FOLDER = /(?:^|\/)\.[^/.]+$/;
const AT_OR_ABOVE = /^(?:\.\.\/)*(?:\.\.)?$/;
/** Deeper folders, and paths that are longer, count for none. */
const [DEPTH_MAX, PATH_CHARS_MAX] = [32, 1_000];

/** Whether the work of a session lies below an instruction file: something there was changed, or most of the files are there. */
export function workBelow(files: readonly FileEntry[]): (file: string) => boolean {
  // Where the agent works before anything says so.
  const start = files.find(({ path, folder }) => folder !== undefined && !isInstructionFile(path))?.folder;
  const paths = new Set<string>();
  const counts = new Map<string, number>();
  for (const { path: named, folder, changed } of files) {
    const path = pathFrom(named, folder ?? start);
    paths.add(path);
    const weight = changed === undefined || isInstructionFile(path) ? 1 : Infinity;
    for (const above of foldersAbove(path)) counts.set(above, (counts.get(above) ?? 0) + weight);
  }
  return (file) => {
    const folder = file.slice(0, Math.max(0, file.lastIndexOf("/"))).replace(OWN_FOLDER, "");
    const own = paths.has(file) ? 1 : 0;
    return AT_OR_ABOVE.test(folder) || (counts.get(folder) ?? 0) - own >= (paths.size - own) * WORK_SHARE_MIN;
  };
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  if (path.length > PATH_CHARS_MAX) return folders;
  for (let at = path.indexOf("/", 1); at > 0 && folders.length < DEPTH_MAX; at = path.indexOf("/", at + 1))
    folders.push(path.slice(0, at));
  return folders;
}

export interface Rule {
  readonly text: string;
  /** The heading or the sentence that its list stands under, and the items that it stands within. */
  readonly lead?: string;
}

/** The items of the lists in such a file, verbatim, in order; a list that says of name after name what it is holds none. */
export function rulesIn(shown: string): readonly Rule[] {
  const lists: Rule[][] = [[]];
  let above = "";
  let within: readonly { readonly margin: number; readonly text: string }[] = [];
  for (const line of withoutGutter(shown).split("\n")) {
    const text = withoutLineNumber(line);
    if (!RULE.test(text)) {
      if (text.trim() !== "" && lists.at(-1)!.length > 0) lists.push([]);
      if (text.trim() !== "") [above, within] = [text.replace(LEAD_MARKS, ""), []];
    } else if (text.length <= RULE_CHARS_MAX) {
      const own = text.trim().replace(/^(?:[-*+•]|\d{1,3}[.)])\s+/, "");
      const margin = text.length - text.trimStart().length;
      // An item within another may say the opposite without it.
      within = within.filter((outer) => outer.margin < margin);
      const heading = above === "" || above.length > LEAD_CHARS_MAX ? [] : [above];
      const leads = [...heading, ...within.map((outer) => outer.text)];
      lists.at(-1)!.push({ text: own, ...(leads.length === 0 ? {} : { lead: leads.join(": ") }) });
      within = [...within, { margin, text: own.replace(/[:：]$/, "") }];
    }
  }
  return lists
    .filter((rules) => rules.length < NAMES_MIN || !rules.every(({ text }) => NAMED.test(text)))
    .flat()
    .slice(0, RULES_MAX);
}

/** Marks around a heading or a lead-in. */
const LEAD_MARKS = /^[\s#*_>]{1,12}|[\s#*_:：]{1,12}$/g;
/** A longer paragraph is none. */
const LEAD_CHARS_MAX = 100;

/** An item that begins with a name in code, and a list of so many of them. */
const NAMED = /^\**`[^`]+`/;
const NAMES_MIN = 2;
