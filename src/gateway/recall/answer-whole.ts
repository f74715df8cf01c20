/** An answer that is no stream, behind a screen: read whole, gone on with as often as the model recalls, and sent as one. */
import type { HiddenTools, WholePassage, WholeScreen } from "../../protocols/answers/screen.ts";
import type { ProviderAnswer } from "../request/open-answer.ts";
import { resumed, type Chunks } from "../request/relay.ts";
import { continueTurn } from "./continue-turn.ts";
import type { Turn } from "./turn.ts";

export interface WholeAnswerOptions {
  readonly screen: WholeScreen;
  readonly names: HiddenTools;
  readonly turn: Turn;
  readonly bodyBytesMax: number;
  readonly resend: (body: string) => Promise<ProviderAnswer>;
  readonly further: (answer: ProviderAnswer) => void;
}

/** The same answer where nothing was hidden or it cannot be read; an error of a further request is the client's answer. */
export async function answerWhole(
  first: ProviderAnswer,
  { screen, names, turn, bodyBytesMax, resend, further }: WholeAnswerOptions,
): Promise<ProviderAnswer> {
  const passages: WholePassage[] = [];
  for (let answer = first; ;) {
    const { text, body } = await collected(answer, bodyBytesMax);
    const passage = text === undefined ? undefined : screen.read(text);
    if (passage === undefined) return { ...answer, body };
    passages.push(passage);
    const next = await turn.heard(passage, answer.reader.state.usage);
    if (next === undefined) {
      const hides = passages.length > 1 || passage.calls.length > 0;
      const shown =
        hides || Array.from(names).some((name) => text!.includes(String(name))) ? screen.join(passages) : text!;
      return shown === text ? { ...answer, body } : rewritten(first, shown);
    }
    answer = await continueTurn({ turn, resend, further }, next);
  }
}

interface Collected {
  /** Undefined where it is more than is read. */
  readonly text: string | undefined;
  readonly body: Chunks;
}

async function collected({ body }: ProviderAnswer, bytesMax: number): Promise<Collected> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const next = await body.next();
    if (next.done === true) break;
    read.push(next.value);
    bytes += next.value.length;
    if (bytes > bytesMax) return { text: undefined, body: resumed(read, body) };
  }
  return { text: Buffer.concat(read).toString(), body: resumed(read, body) };
}

/** The first answer's head: what it says of the body's length no longer holds. */
function rewritten(first: ProviderAnswer, text: string): ProviderAnswer {
  const bytes = Buffer.from(text);
  const headers = first.response.headers.map(([name, value]): readonly [string, string] =>
    name.toLowerCase() === "content-length" ? [name, String(bytes.length)] : [name, value],
  );
  return { ...first, response: { ...first.response, headers }, body: resumed([bytes], NOTHING_MORE()) };
}

async function* NOTHING_MORE(): Chunks {}
