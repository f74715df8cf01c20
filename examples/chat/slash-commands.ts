/** What a person can type instead of a request: `/compress`, `/context`, `/usage`, `/undo`, `/recall`. */
import { estimateText } from "../../src/core/transcript/estimate.ts";
import type { Precis } from "../../src/integrations/ai-sdk/index.ts";
import { costOf, type Prices } from "../../src/models/usage.ts";
import { change, count, counted, percent } from "../../src/cli/amounts.ts";
import { padEnd, padStart, track } from "../../src/cli/bars.ts";
import { compactionPage } from "../../src/cli/compaction-page.ts";
import type { Stream } from "../../src/cli/terminal.ts";
import { visible } from "../../src/cli/visible.ts";
import type { ChatJournal } from "./journal.ts";

const BAR_COLUMNS = 24;
const FILLS_SHOWN_MAX = 8;
const RECALLED_CHARS_MAX = 4_000;
const HITS_SHOWN_MAX = 5;

export interface CommandContext {
  readonly precis: Precis;
  readonly journal: ChatJournal;
  readonly out: Stream;
  readonly model: string;
  readonly windowTokens: number;
  readonly prices: Prices | undefined;
}

interface SlashCommand {
  readonly usage: string;
  readonly says: string;
  readonly run: (context: CommandContext, argument: string) => string | Promise<string>;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  compress: { usage: "/compress [FOCUS]", says: "compact the conversation now", run: compress },
  context: { usage: "/context", says: "what fills the window, and when it is compacted", run: context },
  usage: { usage: "/usage", says: "tokens and cost so far", run: usage },
  undo: { usage: "/undo", says: "take the newest compaction back", run: undo },
  recall: { usage: "/recall ID|WORDS", says: "show what compactions removed", run: recall },
};

export function helpText(): string {
  const rows = [
    ...Object.values(COMMANDS).map(({ usage: line, says }) => [line, says]),
    ["/new", "begin a new conversation"],
    ["/exit", "end; the conversation is kept (Ctrl-D does the same)"],
  ];
  return rows.map(([line = "", says = ""]) => `  ${padEnd(line, 18)} ${says}`).join("\n");
}

/** The answer to a command, or help for one that is not known. */
export async function runCommand(text: string, known: CommandContext): Promise<string> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(known, argument.trim());
  return name === "help" ? helpText() : `There is no command /${name}.\n${helpText()}`;
}

async function compress({ precis, journal, out }: CommandContext, focus: string): Promise<string> {
  if (journal.messages.length === 0) return "There is nothing to compact yet.";
  const outcome = await precis.compact(journal.messages, focus === "" ? {} : { focus });
  journal.keepState(precis.state());
  if (outcome.kind === "unchanged") return `Not compacted: ${outcome.because}.`;
  return compactionPage(outcome.compaction.report, "`/recall ID` prints the original, `/undo` takes it all back", out);
}

function context({ precis, journal, out, windowTokens }: CommandContext): string {
  const { tokens, thresholdTokens, compactions, savedTokens, last, engine } = precis.report();
  const fills = new Map<string, number>();
  for (const { role, content } of journal.messages)
    fills.set(
      role,
      (fills.get(role) ?? 0) + estimateText(typeof content === "string" ? content : JSON.stringify(content)),
    );
  const whole = [...fills.values()].reduce((sum, one) => sum + one, 0);
  const rows = [...fills].toSorted((a, b) => b[1] - a[1]).slice(0, FILLS_SHOWN_MAX);
  const bar = out.paint(tokens >= thresholdTokens ? "warn" : "accent", track(tokens / windowTokens, BAR_COLUMNS));
  return [
    `  ${bar} ${count(tokens)} of ${count(windowTokens)} tokens (${percent(tokens / windowTokens)})`,
    `  compacted from ${count(thresholdTokens)} tokens on, engine ${engine}`,
    `  ${counted(compactions, "compaction")} so far, ${count(savedTokens)} tokens saved`,
    ...(last === undefined
      ? []
      : [
          `  the last one: ${count(last.tokens.before)} → ${count(last.tokens.after)} (${change(last.tokens.before, last.tokens.after)})`,
        ]),
    `  the whole conversation: ${counted(journal.messages.length, "message")}, ≈ ${count(whole)} tokens`,
    ...rows.map(
      ([role, amount]) =>
        `    ${padEnd(role, 10)} ${padStart(count(amount), 9)}  ${percent(amount / Math.max(1, whole))}`,
    ),
  ].join("\n");
}

function usage({ journal, prices, model }: CommandContext): string {
  const { requests, input, output, cacheRead } = journal.used();
  const counts = { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: 0 };
  const cost = prices === undefined ? `no price is known for ${model}` : `about $${costOf(counts, prices).toFixed(4)}`;
  return `  ${counted(requests, "request")}: ${count(input)} tokens in, ${count(cacheRead)} of them from the cache, ${count(output)} out; ${cost}`;
}

async function undo({ precis, journal }: CommandContext): Promise<string> {
  const done = await precis.undo();
  journal.keepState(precis.state());
  return done
    ? "The newest compaction is undone. Nothing is compacted by itself until the window is full or you use /compress."
    : "There is no compaction to undo.";
}

async function recall({ precis }: CommandContext, words: string): Promise<string> {
  if (words === "") return "Write `/recall` with a recall id, or with words of what you look for.";
  const hits = await precis.recall(words);
  if (hits.length === 0) return `Nothing that was removed holds "${words}".`;
  const shown = hits
    .slice(0, HITS_SHOWN_MAX)
    .map((hit) =>
      visible(`${hit.id}  ${hit.label}${hit.number === undefined ? "" : `, message ${hit.number}`}\n${hit.text}`),
    );
  return shown.join("\n---\n").slice(0, RECALLED_CHARS_MAX);
}
