/** What the engines document of words and results, as the provider gets them through the gateway. */
import { describe, expect, it } from "vitest";
import { contentText, textMessage, type Message } from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { filler, ran } from "../support/compacting.ts";
import { ask, bodyOf, PROTOCOLS } from "./support/asking.ts";
import { stand } from "./support/standing.ts";

const WINDOW_TOKENS = 60_000;
const system = [textMessage("system", "You read files and say what you found.")];
const says = (text: string): Message => textMessage("assistant", text);

describe.each(PROTOCOLS)("%s", (protocol) => {
  const sentFor = async (messages: readonly Message[], engine: "handoff" | "compressor", preset?: "current") => {
    const bodies: string[] = [];
    const { url, events } = await stand({
      provider: { script: { text: "Done." }, onRequest: ({ body }) => void bodies.push(body) },
      gateway: {
        contextLength: WINDOW_TOKENS,
        engine,
        ...(preset === undefined ? {} : { settings: { preset } }),
        caching: { enabled: false },
      },
    });
    const body = bodyOf(
      protocol,
      { system, messages },
      protocol === "anthropic-messages" ? { model: "claude-sonnet-4-5" } : {},
    );
    expect((await ask(url, { protocol, body })).status).toBe(200);
    const { messages: sent } = protocols[protocol].decode(bodies.at(-1)!).transcript;
    const made = events.flatMap((event) => (event.kind === "compaction" ? event : []));
    return {
      text: sent.map(({ parts }) => contentText(parts)).join("\n"),
      degraded: made.flatMap((one) => one.degraded),
    };
  };

  const requests = Array.from({ length: 6 }, (_, at) => `Request ${at}. ${filler(4_200, `ask${at}`)}`);
  const asked = requests.flatMap((request, at) => [
    textMessage("user", request),
    ...ran("read", { path: `src/${at}.ts` }, filler(5_600, `out${at}`)),
    says(`Request ${at} is done.`),
  ]);

  it("keeps 25,000 tokens of requests word for word with handoff, and 20,000 of them with the preset current", async () => {
    const documented = await sentFor([...asked, textMessage("user", "Go on.")], "handoff");
    expect(requests.filter((request) => documented.text.includes(request))).toEqual(requests);
    expect(documented.degraded).toEqual([]);
    const current = await sentFor([...asked, textMessage("user", "Go on.")], "handoff", "current");
    expect(requests.filter((request) => current.text.includes(request))).toEqual(requests.slice(2));
    expect(current.degraded).toEqual([
      "1 of the user's 7 messages left out to save room",
      "1 of the user's 7 messages cut in the middle to save room",
    ]);
  });

  it("says a result that stands twice in the tail once with compressor", async () => {
    const notes = filler(900, "notes");
    const old = Array.from({ length: 9 }, (_, at) => ran("read", { path: `src/${at}.ts` }, filler(5_600, `out${at}`)));
    const again = (at: number) => [...ran("read", { path: "notes.md", at }, notes), says(`Read ${at} times.`)];
    const messages = [
      textMessage("user", "Read all."),
      ...old.flat(),
      ...again(1),
      ...again(2),
      textMessage("user", "Go on."),
    ];
    const { text } = await sentFor(messages, "compressor");
    expect(text.split(notes)).toHaveLength(2);
    expect(text).toMatch(/\[precis: same output as a more recent call further down; recall r[0-9a-f]{16}\]/);
  });
});
