/**
 * Compaction loops that users reported, as scripts: how large the window and what stands beside the conversation are, what the agent
 * does at each turn, and what it does again after each compaction. The sizes are those of the reports, the words are ours.
 */
import type { Message } from "../../src/core/transcript/message.ts";
import { filler, ran, says, user } from "../support/compacting.ts";

export interface LoopTrace {
  /** Where it was reported. */
  readonly issue: string;
  readonly says: string;
  readonly windowTokens: number;
  /** System prompt and tools. */
  readonly fixedTokens: number;
  readonly turns: number;
  /** What comes at a turn; `since` is how many turns ago the last compaction was, `Infinity` before the first. */
  readonly turn: (turn: number, since: number) => readonly Message[];
}

const texts = new Map<string, string>();

/** The same text for the same file: it has not changed. */
function file(name: string, tokens: number): string {
  const key = `${name} ${tokens}`;
  const text = texts.get(key) ?? filler(tokens, name);
  texts.set(key, text);
  return text;
}

const read = (turn: number, name: string, tokens: number): readonly Message[] =>
  ran("read_file", { path: name }, file(name, tokens), `read_${turn}_${name}`);
const edited = (turn: number, name: string): readonly Message[] =>
  ran(
    "edit_file",
    { path: name, old_string: `step ${turn}`, new_string: `step ${turn + 1}` },
    "updated",
    `edit_${turn}`,
  );
const ranCommand = (turn: number, command: string, output: string): readonly Message[] =>
  ran("terminal", { command }, output, `run_${turn}_${command.length}`);

/** An agent that reads a set of files from the first again after each compaction, and works only on what is left. */
function rereader(files: number, tokensPerFile: number, workEvery: number): LoopTrace["turn"] {
  return (turn, since) => {
    const at = Number.isFinite(since) ? since : turn;
    if (at >= files && at % workEvery === 0) return edited(turn, "src/main.ts");
    return read(turn, `src/part_${at % files}.ts`, tokensPerFile);
  };
}

export const LOOP_TRACES: readonly LoopTrace[] = [
  {
    issue: "openai/codex#36664",
    says: "74 compactions in 2,607 turns, 95 % of them followed by reading what was read before",
    windowTokens: 258_000,
    fixedTokens: 20_000,
    turns: 180,
    turn: rereader(40, 4_000, 6),
  },
  {
    issue: "openai/codex#36665",
    says: "34 compactions; AGENTS.md, notes, skills and git status again after each of them",
    windowTokens: 258_400,
    fixedTokens: 18_000,
    turns: 120,
    turn: (turn, since) => {
      if (since < 4) return read(turn, ["AGENTS.md", "MEMORY.md", "skills/review.md", "skills/test.md"][since]!, 9_000);
      if (since === 5) return ranCommand(turn, "git status", " M src/main.ts\n M src/other.ts");
      return read(turn, `src/part_${turn % 25}.ts`, 3_500);
    },
  },
  {
    issue: "openai/codex#13279",
    says: "what has to be read is larger than the window, and is read from the first file again after each compaction",
    windowTokens: 86_000,
    fixedTokens: 12_000,
    turns: 90,
    turn: rereader(40, 3_500, 50),
  },
  {
    issue: "openai/codex#20983",
    says: "from 100 % to 83 % and back, all day",
    windowTokens: 128_000,
    fixedTokens: 70_000,
    turns: 120,
    turn: (turn) => read(turn, `src/part_${turn}.ts`, 1_500),
  },
  {
    issue: "openai/codex#35226",
    says: "the same files, the same instructions and the same plan again, 10 to 15 % of a paid week",
    windowTokens: 258_000,
    fixedTokens: 25_000,
    turns: 110,
    turn: (turn, since) =>
      since === 1
        ? [says("Plan: 1. read the module 2. change the parser 3. run the tests.")]
        : rereader(30, 5_000, 40)(turn, since),
  },
  {
    issue: "openai/codex#14120",
    says: "compacts to 88 % full, reads a few files, compacts, for two hours without a change",
    windowTokens: 200_000,
    fixedTokens: 30_000,
    turns: 150,
    turn: (turn) => read(turn, `docs/spec_${turn % 10}.md`, 6_000),
  },
  {
    issue: "anthropics/claude-code#22195",
    says: "reads its rules after each compaction, and these alone start the next one",
    windowTokens: 200_000,
    fixedTokens: 25_000,
    turns: 80,
    turn: (turn, since) =>
      since <= 6 ? read(turn, `.claude/rules/${since}.md`, 12_000) : read(turn, `src/part_${turn}.ts`, 1_000),
  },
  {
    issue: "anthropics/claude-code#13379",
    says: "a compaction right after a compaction, on and on, with nobody there",
    windowTokens: 200_000,
    fixedTokens: 60_000,
    turns: 200,
    turn: (turn) => ranCommand(turn, "npm test", `ok ${turn}\n${file("tests", 600)}`),
  },
  {
    issue: "anomalyco/opencode#27924",
    says: "100,000 tokens of tools and instructions, and a user who says `continue`",
    windowTokens: 128_000,
    fixedTokens: 100_000,
    turns: 80,
    turn: (turn) => [user("continue"), says(`Done with step ${turn}. ${file("answer", 120)}`)],
  },
  {
    issue: "anomalyco/opencode#28543",
    says: "the window is thought smaller than what is there before the first word, and the provider takes it all the same",
    windowTokens: 64_000,
    fixedTokens: 66_000,
    turns: 120,
    turn: (turn) => read(turn, `src/part_${turn}.ts`, 700),
  },
];
