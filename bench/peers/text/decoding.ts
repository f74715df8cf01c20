/** Reading a request's body, with JSON.parse as the base: what a gateway pays on every request before it does anything. */
import { asMessage } from "../../../eval/src/recall/conversation.ts";
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createDecoder, protocols } from "../../../src/protocols/index.ts";
import { createTraffic } from "../../traffic/session.ts";
import { speedsOf } from "./timed.ts";

const TOKENS = 200_000;
const SEED = 51;

export interface DecodingRow {
  readonly name: string;
  readonly megabytesPerSecond: number;
  /** Its time over JSON.parse's. */
  readonly ofParse: number;
}

const PARSE = "JSON.parse";

export async function decoding(): Promise<readonly DecodingRow[]> {
  const protocol = protocols["openai-chat"];
  const warm = createDecoder(protocol);
  const speeds = await speedsOf(
    {
      [PARSE]: (body) => JSON.parse(body) as unknown,
      "JSON.parse and stringify, as proxies do that rewrite": (body) => JSON.stringify(JSON.parse(body)),
      "JSON.parse into messages": (body) => (JSON.parse(body) as Body).messages.map(asMessage),
      "precis decode, every message new": (body) => protocol.decode(body),
      "precis decode, the same body again": (body) => warm.decode(body),
      "precis decode and splice, the same body again": (body) => {
        const decoded = warm.decode(body);
        return protocol.splice(decoded, decoded.transcript);
      },
    },
    createTraffic(SEED, TOKENS).body,
  );
  return Object.entries(speeds).map(([name, megabytesPerSecond]) => ({
    name,
    megabytesPerSecond,
    ofParse: speeds[PARSE]! / megabytesPerSecond,
  }));
}

interface Body {
  readonly messages: readonly ChatMessage[];
}
