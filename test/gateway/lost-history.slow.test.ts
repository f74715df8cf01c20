/** The history is lost in the middle of a session: thinking that was made behind a handoff comes back without it, and is let go. */
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { replayAsAgent } from "../support/agent/replay.ts";
import { atEnd, front, stand } from "./support/standing.ts";

const WINDOW_TOKENS = 12_000;
const CALLS = 40;
const LOST_AT_TURN = 30;

const loop = (call: number): readonly Message[] => {
  const path = `src/part_${call}.ts`;
  const text = Array.from({ length: 120 }, (_, at) => `word${at + call} of ${path}`).join("\n");
  return [
    {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: `I should look at ${path} next.` },
        { kind: "tool-call", id: `call_${call}`, name: "read", arguments: JSON.stringify({ path }) },
      ],
    },
    { role: "tool", parts: [{ kind: "tool-result", callId: `call_${call}`, content: [{ kind: "text", text }] }] },
  ];
};
const recording: Transcript = {
  system: [textMessage("system", "You think before you read.")],
  messages: [
    textMessage("user", "Read every part."),
    ...Array.from({ length: CALLS }, (_, call) => loop(call)).flat(),
    textMessage("assistant", "All read."),
  ],
};

/** One address for an agent, whoever comes after it now. */
async function doorTo(where: () => string): Promise<string> {
  const door = createServer((request, response) => {
    const onward = send(new URL(request.url!, where()), { method: "POST", headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  atEnd(() => door.close());
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
}

it.each(["claude-opus-5-5", "claude-sonnet-4-5"])("%s is not refused", async (model) => {
  const { provider, providerUrl, url } = await stand({
    provider: { replay: recording.messages },
    gateway: { contextLength: WINDOW_TOKENS },
  });
  // Another gateway, which knows nothing of the session and would not compact it.
  const other = await front(providerUrl, {});
  let at = url;
  const run = await replayAsAgent({
    url: await doorTo(() => at),
    protocol: "anthropic-messages",
    model,
    recording,
    maxOutputTokens: 2_000,
    body: { thinking: { type: "adaptive" } },
    onTurn: ({ index }) => {
      if (index === LOST_AT_TURN) at = other.url;
    },
  });
  expect(run.refusal).toBeUndefined();
  expect(run.answered).toBe(run.turns);
  const refused = provider.account().total.rejected;
  const retried = () => other.events.filter((event) => event.kind === "request" && event.retried).length;
  // Only where thinking is bound is anything refused, and then the client does not see it.
  await vi.waitFor(() => expect(retried()).toBe(refused["thinking"] ?? 0));
  if (model === "claude-opus-5-5") expect(retried()).toBeGreaterThan(0);
});
