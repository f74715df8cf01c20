/**
 * The recorded example lived once more, as its agent lived it: against a strict provider with a small window, straight and
 * through the gateway. What each turn weighed is drawn, and where it ended.
 */
import { styleText } from "node:util";
import { createGateway } from "../../src/gateway/index.ts";
import { createProvider, readRecording, replayAsAgent, type AgentRun } from "../../provider/src/index.ts";

/** Half of what the session needs. */
export const WINDOW_TOKENS = 32_000;
const MODEL = "gpt-5.4";
const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const COLUMNS_A_TURN = 2;
const LABEL_COLUMNS = 16;

interface Lived {
  readonly run: AgentRun;
  /** Tokens of each request that was answered, as the provider counted them. */
  readonly tokens: readonly number[];
  readonly compactions: number;
}

/** What is to be shown of both lives. */
export async function livedTwice(recording: string): Promise<string> {
  const [without, through] = [await live(recording, "straight"), await live(recording, "gateway")];
  return [...drawn("without precis", without), "", ...drawn("with precis", through)].join("\n");
}

async function live(recorded: string, way: "straight" | "gateway"): Promise<Lived> {
  const recording = readRecording(recorded);
  const tokens: number[] = [];
  let compactions = 0;
  const provider = createProvider({
    replay: recording.messages,
    every: { windowTokens: WINDOW_TOKENS },
    onRequest: ({ use }) => void (use !== undefined && tokens.push(use.inputTokens)),
  });
  const upstream = await provider.listen();
  const gateway = createGateway({
    upstreams: { example: { url: upstream.url } },
    contextLength: WINDOW_TOKENS,
    onEvent: ({ kind }) => void (kind === "compaction" && compactions++),
  });
  const between = way === "gateway" ? await gateway.listen() : undefined;
  const url = between?.url ?? upstream.url;
  const run = await replayAsAgent({ url, protocol: "openai-chat", model: MODEL, recording });
  await between?.close();
  await gateway.close();
  await upstream.close();
  return { run, tokens, compactions };
}

/** A column for each turn, as high as the window is full; then how it ended. */
function drawn(label: string, { run, tokens, compactions }: Lived): readonly string[] {
  const { turns, answered, refusal } = run;
  const columns = tokens.map((size) => LEVELS[levelOf(size)]!.repeat(COLUMNS_A_TURN)).join("");
  const end = refusal === undefined ? "" : styleText("red", "✗");
  const most = Math.max(...tokens).toLocaleString("en-US");
  const told =
    refusal === undefined
      ? [`${answered} of ${turns} turns; ${compactions} compactions, never more than ${most} tokens sent`]
      : [`refused at turn ${refusal.turn + 1} of ${turns}:`, ...wrapped(refusal.message)];
  const look = refusal === undefined ? "green" : "yellow";
  return [
    `  ${label.padEnd(LABEL_COLUMNS)}${styleText(look, columns)}${end}`,
    ...told.map((line) => `  ${" ".repeat(LABEL_COLUMNS)}${line}`),
  ];
}

function levelOf(tokens: number): number {
  return Math.min(LEVELS.length - 1, Math.floor((tokens / WINDOW_TOKENS) * LEVELS.length));
}

/** The provider's message, a sentence a line. */
function wrapped(message: string): readonly string[] {
  return message.split(/(?<=\.) /).map((sentence) => styleText("dim", sentence));
}
