/** `npm run cases -- FOLDER`: writes the cases of `examples/continue` as `precis-eval exam --continue FOLDER` takes them. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stringify } from "yaml";
import { CONTINUE_CASES, type ContinueCase } from "../../examples/continue/cases.ts";
import { openAiChatBody } from "../../examples/record/formats.ts";
import { createRecorder } from "../../examples/record/recorder.ts";
import { createWorkspace } from "../../examples/record/workspace.ts";

const HIDDEN = join(import.meta.dirname, "../..", "examples", "continue");
const START = Date.parse("2026-03-12T08:58:00.000Z");

/** The session up to its last request, the repository as it is then, and what only the checks see. */
function writeCase(folder: string, one: ContinueCase): void {
  const { name, given, project, record, addition, checks, rules, questions } = one;
  mkdirSync(folder, { recursive: true });
  const workspace = createWorkspace(project);
  try {
    const session = createRecorder(workspace, START);
    record(session);
    const turns = session.turns();
    const last = turns.at(-1);
    if (last?.kind !== "user") throw new Error(`the session ${name} does not end with a request`);
    writeFileSync(join(folder, "session.json"), openAiChatBody(given, turns.slice(0, -1)));
    workspace.copyTo(join(folder, "repository"));
    const request = `${last.text}\n\n${addition}`;
    writeFileSync(join(folder, "case.yaml"), stringify({ request, checks, rules, questions }));
  } finally {
    workspace.remove();
  }
  cpSync(join(HIDDEN, name), folder, { recursive: true });
  cpSync(join(HIDDEN, SURFACE), join(folder, SURFACE));
}

const SURFACE = "surface.hidden.js";

const [to] = process.argv.slice(2);
if (to === undefined) throw new Error("say where to: npm run cases -- FOLDER");
for (const one of CONTINUE_CASES) writeCase(join(resolve(to), one.name), one);
process.stdout.write(
  `${CONTINUE_CASES.length} cases in ${resolve(to)}: precis-eval exam --continue ${to} --agent COMMAND\n`,
);
