/** The readers over real session files, held against the same sessions as converted by others to Chat Completions. */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { callsOf, contentText, type Message } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { detectFormat } from "../../src/logs/detect.ts";
import { LOG_FORMATS, type InputFormat, type LogFormat, type ReadLog } from "../../src/logs/log.ts";
import { readLog } from "../../src/logs/read.ts";
import { spread } from "../support/cases.ts";
import { CORPUS, corpusText, describeCorpus, hasCorpus } from "../support/corpus.ts";

const FORMATS: readonly (readonly [RegExp, InputFormat])[] = [
  [/^openai\//, "openai-chat"],
  [/^raw\/(?:entire_claude|ccviewer)\//, "claude-code"],
  [/^raw\/entire_gemini\//, "gemini"],
  [/^raw\/pi\//, "pi"],
  [/_format_fixtures\/(?:codex_|session_)|\/agents\/codex\//, "codex"],
  [/\/agents\/claude\/.*\.jsonl$/, "claude-code"],
  [/\/agents\/gemini\//, "gemini"],
  // The second writes the files of the first.
  [/\/agents\/(?:pi|openclaw)\//, "pi"],
  [/\/agents\/hermes\//, "hermes"],
];

const files = hasCorpus
  ? readdirSync(CORPUS, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(CORPUS.length + 1))
      .filter((name) => /^(?:raw|openai)\//.test(name))
  : [];

const formatOf = (name: string): InputFormat | undefined => FORMATS.find(([pattern]) => pattern.test(name))?.[1];
const isLog = (format: InputFormat | undefined): format is LogFormat =>
  (LOG_FORMATS as readonly unknown[]).includes(format);
const sessions = files.filter((name) => isLog(formatOf(name)));

interface Conversion {
  readonly file: string;
  readonly raw: string;
}

const conversions: readonly Conversion[] = hasCorpus
  ? corpusText("INDEX.tsv")
      .split("\n")
      .slice(1)
      .map((row) => row.split("\t"))
      .map((cells) => ({ file: cells[0] ?? "", raw: cells[9] ?? "" }))
      .filter(({ raw }) => sessions.includes(raw))
  : [];

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const saidBy = (message: Message): string => `${message.role} ${plain(contentText(message.parts))}`;
const callOf = (name: string, args: string): string => `${name} ${JSON.stringify(JSON.parse(args))}`;

function convertedText({ role, content }: ChatMessage): string {
  const blocks =
    typeof content === "string" ? [content] : ((content ?? []) as { text?: string }[]).map((block) => block.text ?? "");
  return `${role} ${plain(blocks.join(" "))}`;
}

/** What the conversion says in its own words, or drops from the branch that the agent itself would leave out. */
const OTHER_WORDS =
  /^(?:tool \[no result recorded\]|user \[(?:pi compaction summary|user ran)|user <(?:command-name>\/exit|local-command-stdout>See ya))/;

describeCorpus("session files of the corpus", () => {
  it("has the thirty-one session files that count", () => {
    expect(conversions).toHaveLength(31);
  });

  it.each(files)("%s: is detected, alone and from its first bytes", (name) => {
    const text = corpusText(name);
    expect(detectFormat(text, name)).toBe(formatOf(name));
  });

  it.each(spread(sessions))("%s: is read into a valid transcript", (name) => {
    const text = corpusText(name);
    for (const history of ["live", "all"] as const) {
      const log = readLog(text, formatOf(name) as LogFormat, { history });
      expect(violationsOf(log.transcript)).toEqual([]);
      expect(log.injected.every((at) => log.transcript.messages[at]?.role === "user")).toBe(true);
    }
  });

  it.each(spread(conversions))("$raw: has every call and every word of its conversion", ({ file, raw }) => {
    const { transcript } = readLog(corpusText(raw), formatOf(raw) as LogFormat, { history: "all" });
    const converted = JSON.parse(corpusText(file)) as readonly ChatMessage[];
    const calls = converted.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => callOf(call.function.name, call.function.arguments)),
    );
    expect(transcript.messages.flatMap(callsOf).map((call) => callOf(call.name, call.arguments))).toEqual(calls);
    const ours = new Set(transcript.messages.map(saidBy));
    expect(converted.map(convertedText).filter((text) => !OTHER_WORDS.test(text) && !ours.has(text))).toEqual([]);
  });

  it.each(spread(conversions))("$raw: stays readable wherever a crash cuts it", ({ raw }) => {
    const text = corpusText(raw);
    const format = formatOf(raw) as LogFormat;
    if (format === "gemini") return;
    for (const share of [0.3, 0.8]) {
      const cut = readLog(text.slice(0, Math.floor(text.length * share)), format, { history: "all" });
      expect(violationsOf(cut.transcript)).toEqual([]);
      expect(isPrefix(cut, readLog(text, format, { history: "all" }))).toBe(true);
    }
  });
});

/** Whether a cut file says the same as the whole one, but for its last turn and branches left later. */
function isPrefix(cut: ReadLog, whole: ReadLog): boolean {
  const texts = new Set(whole.transcript.messages.map(saidBy));
  const missing = cut.transcript.messages.filter(
    (message) => message.origin === undefined && !texts.has(saidBy(message)),
  );
  return missing.length <= 3;
}
