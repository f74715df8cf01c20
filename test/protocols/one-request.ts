/** Small pieces for tests of one request: a made-up result, the roles of a conversation, one message replaced. */
import type { Message, Transcript } from "../../src/core/transcript/message.ts";
import type { Decoded } from "../../src/protocols/protocol.ts";

/** A tool message of our own making. */
export function stubResult(callId: string, text: string): Message {
  return Object.freeze<Message>({
    role: "tool",
    parts: [{ kind: "tool-result", callId, content: [{ kind: "text", text }] }],
    origin: "stub",
  });
}

export function roles({ transcript }: Decoded): string[] {
  return transcript.messages.map(({ role }) => role);
}

export function replace(decoded: Decoded, at: number, message: Message): Transcript {
  return { ...decoded.transcript, messages: decoded.transcript.messages.with(at, message) };
}
