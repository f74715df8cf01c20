/** A diff: which files changed and by how much, where in them, and the changed lines the task is about. */
import { judged, type Page } from "../page.ts";
import { inTurns, plural, type DigestContent, type DigestContentRequest } from "../short.ts";

interface ChangedFile {
  readonly name: string;
  readonly line: number;
  added: number;
  removed: number;
  readonly hunks: number[];
  /** Changed lines that declare something, else any. */
  readonly changes: number[];
}

const FILES_NOTED_MAX = 10;
const DECLARES = /^[+-]\s*(?:export|pub|public|func|fn|def|class|interface|type|const|struct|enum|CREATE|#+ )\b/;

export function shortDiff(page: Page, { focus }: DigestContentRequest): DigestContent {
  const files = parseFiles(page);
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const noted = files
    .slice(0, FILES_NOTED_MAX)
    .map(({ name, added: plus, removed: minus }) => `${name} +${plus} −${minus}`);
  if (files.length > FILES_NOTED_MAX) noted.push(`${files.length - FILES_NOTED_MAX} more`);
  return {
    facts: [plural(files.length, "file"), `+${added} −${removed}`],
    notes: files.length === 0 ? [] : [`(${noted.join("; ")})`],
    lines: [
      ...focus.slice(0, 4),
      ...inTurns(files.map(({ hunks, changes }) => [...hunks.slice(0, 1), ...changes.slice(0, 3), ...hunks.slice(1)])),
      ...focus,
    ],
  };
}

function parseFiles(page: Page): readonly ChangedFile[] {
  const files: ChangedFile[] = [];
  const open = (name: string, line: number): void =>
    void files.push({ name, line, added: 0, removed: 0, hunks: [], changes: [] });
  page.lines.forEach((line, number) => {
    const file = files.at(-1);
    const header = /^diff --git a\/.+ b\/([^]+)$/.exec(line);
    if (header !== null) open(header[1]!.trimEnd(), number);
    else if (line.startsWith("+++ ")) {
      // Without git's own header the file's name is here.
      if (file === undefined || file.hunks.length > 0)
        open(line.slice(4).replace(/^b\//, "").split("\t", 1)[0]!, number);
    } else if (line.startsWith("--- ") && (file === undefined || file.hunks.length === 0)) return;
    else if (line.startsWith("@@ ")) file?.hunks.push(number);
    else if (file !== undefined && file.hunks.length > 0 && (line.startsWith("+") || line.startsWith("-")))
      tally(file, line, number);
  });
  for (const file of files)
    file.changes.sort(
      (a, b) => Number(DECLARES.test(judged(page, b))) - Number(DECLARES.test(judged(page, a))) || a - b,
    );
  return files;
}

function tally(file: ChangedFile, line: string, number: number): void {
  if (line.startsWith("+")) file.added++;
  else file.removed++;
  if (line.trim().length > 3) file.changes.push(number);
}
