/** The strict provider with a small window, which keeps what it was last sent of each conversation. */
import { createProvider } from "../../../provider/src/provider.ts";
import { atEnd } from "./standing.ts";
import { unmarked } from "./unmarked.ts";

export interface RecordingProvider {
  readonly url: string;
  /** By the conversation's name, without cache markers. */
  readonly forwarded: ReadonlyMap<string, string>;
  /** What was refused. */
  readonly refused: () => readonly string[];
}

/** `name` finds the name of a conversation in its body. */
export async function recordingProvider(windowTokens: number, name: RegExp): Promise<RecordingProvider> {
  const forwarded = new Map<string, string>();
  const provider = createProvider({
    every: { windowTokens },
    script: { text: "Read." },
    onRequest: ({ body }) => {
      const found = name.exec(body)?.[0];
      if (found !== undefined) forwarded.set(found, unmarked(body));
    },
  });
  const { url, close } = await provider.listen();
  atEnd(close);
  const refused = (): readonly string[] =>
    provider.requests
      .filter(({ status }) => status >= 400)
      .map(({ status, body }) => `${status}: ${body.length} bytes`);
  return { url, forwarded, refused };
}
