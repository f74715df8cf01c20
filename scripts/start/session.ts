/**
 * The recorded example lived once more, as its agent lived it: against a strict provider with a small window, straight and
 * through the gateway. What each turn weighed is drawn, and where it ended.
 */
import { styleText } from "node:util";
import { createGateway } from "../../src/gateway/index.ts";
import { requestsOf } from "../../eval/src/replay/requests.ts";
import { createProvider, readRecording } from "../../provider/src/index.ts";

/** Half of what the session needs. */
export const WINDOW_TOKENS = 32_000;
const MODEL = "gpt-5.4";
/** What the longest recorded answer needs. */
const ANSWER_TOKENS = 1_000;
const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const COLUMNS_A_TURN = 2;
const LABEL_COLUMNS = 16;

interface Lived {
  /** Turns of the model in the recording, and of those the ones that were answered before a refusal. */
  readonly turns: number;
  readonly answered: number;
  readonly refusal: string | undefined;
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
  const requests = requestsOf(
    { transcript: recording, spoken: "openai-chat" },
    { protocol: "openai-chat", model: MODEL, gapMs: 0, maxOutputTokens: ANSWER_TOKENS },
  );
  const headers = { "content-type": "application/json", authorization: "Bearer any" };
  let answered = 0;
  let refusal: string | undefined;
  for (const { body } of requests.all()) {
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    const { error } = (await response.json()) as { readonly error?: { readonly message: string } };
    refusal = error?.message;
    if (refusal !== undefined) break;
    answered++;
  }
  await between?.close();
  await gateway.close();
  await upstream.close();
  return { turns: requests.count, answered, refusal, tokens, compactions };
}

/** A column for each turn, as high as the window is full; then how it ended. */
function drawn(label: string, { turns, answered, refusal, tokens, compactions }: Lived): readonly string[] {
  const columns = tokens.map((size) => LEVELS[levelOf(size)]!.repeat(COLUMNS_A_TURN)).join("");
  const end = refusal === undefined ? "" : styleText("red", "✗");
  const most = Math.max(...tokens).toLocaleString("en-US");
  const told =
    refusal === undefined
      ? [`${answered} of ${turns} turns; ${compactions} compactions, never more than ${most} tokens sent`]
      : [`refused at turn ${answered + 1} of ${turns}:`, ...wrapped(refusal)];
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
