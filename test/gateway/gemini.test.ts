/** The Gemini API through the gateway, from the side of a client that streams: calls without ids, recall, counting, cached content. */
import { describe, expect, it } from "vitest";
import { createParser } from "eventsource-parser";
import { protocols, wireRules } from "../../src/protocols/index.ts";
import { fieldsOf, listOf } from "../../src/protocols/fields.ts";
import { RECALL_TOOL } from "../../src/session/recall/answer.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { bodyOf, worked } from "./support/asking.ts";
import { stand } from "./support/standing.ts";

const MODEL = "gemini-3.7-flash";
const WINDOW_TOKENS = 8_000;
const PROVIDER = { every: { windowTokens: WINDOW_TOKENS } };
const GATEWAY = { contextLength: WINDOW_TOKENS };
const TOOLS = [{ functionDeclarations: [{ name: "read", parameters: { type: "object", properties: {} } }] }];

type Body = Record<string, unknown> & { contents: unknown[] };

/** Clients send calls and responses without ids. */
function requestOf(steps: number): Body {
  const text = bodyOf("google-gemini", worked("harbour", steps)).replaceAll(/"id":"call_\d+",/g, "");
  expect(text).not.toContain('"id"');
  return { ...(JSON.parse(text) as Body), tools: TOOLS };
}

async function post(url: string, method: string, body: unknown): Promise<Response> {
  return fetch(`${url}/v1beta/models/${MODEL}:${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-goog-api-key": "key" },
    body: JSON.stringify(body),
  });
}

/** The parts that a stream brings. */
async function streamed(url: string, body: unknown): Promise<{ parts: unknown[]; usage: unknown; treatment: string }> {
  const response = await post(url, "streamGenerateContent?alt=sse", body);
  const parts: unknown[] = [];
  let usage: unknown;
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = fieldsOf(JSON.parse(data));
      const candidate = fieldsOf(listOf(event["candidates"])[0]);
      parts.push(...listOf(fieldsOf(candidate["content"])["parts"]));
      usage = event["usageMetadata"] ?? usage;
    },
  });
  parser.feed(await response.text());
  return { parts, usage, treatment: response.headers.get("x-precis") ?? "" };
}

const textIn = (parts: readonly unknown[]): string => parts.map((part) => fieldsOf(part)["text"] ?? "").join("");
const contentsIn = (body: string): readonly unknown[] => listOf(fieldsOf(JSON.parse(body))["contents"]);

describe("Gemini through the gateway", () => {
  it("compacts a conversation whose calls have no ids, and pairs every response by name and order", async () => {
    const { url, provider } = await stand({ provider: { ...PROVIDER, script: { text: "Read." } }, gateway: GATEWAY });
    const { treatment, parts } = await streamed(url, requestOf(30));
    expect(treatment).toMatch(/^rewritten; .*fresh$/);
    expect(textIn(parts)).toBe("Read.");
    const { body } = provider.requests[0]!;
    expect(violationsOf(protocols["google-gemini"].decode(body).transcript, wireRules["google-gemini"])).toEqual([]);
    expect(body).not.toContain("gemini-call");
    expect(JSON.stringify(contentsIn(body))).not.toContain('"id":');
    expect(provider.account().total.rejected).toEqual({});
  });

  it("answers the model's recall between two requests, and the client sees neither call nor response", async () => {
    const { url, provider } = await stand({
      provider: {
        ...PROVIDER,
        script: [
          { calls: [{ name: RECALL_TOOL, arguments: JSON.stringify({ query: "harbour line 12 of 1" }) }] },
          { text: "It says so." },
          { text: "You are welcome." },
        ],
      },
      gateway: GATEWAY,
    });
    const request = requestOf(30);
    const { parts, usage } = await streamed(url, request);
    expect(textIn(parts)).toBe("It says so.");
    expect(JSON.stringify(parts)).not.toContain("functionCall");
    expect(fieldsOf(usage)["promptTokenCount"]).toBeGreaterThan(0);
    const [first, second] = provider.requests.map(({ body }) => body);
    expect(first).toContain(RECALL_TOOL);
    expect(contentsIn(second!)).toHaveLength(contentsIn(first!).length + 2);
    const answer = JSON.stringify(contentsIn(second!).at(-1));
    expect(answer).toContain(`"functionResponse":{"name":"${RECALL_TOOL}"`);
    expect(answer).toContain("line 12 of 1");

    const said = { role: "model", parts: [{ text: textIn(parts) }] };
    await streamed(url, {
      ...request,
      contents: [...request.contents, said, { role: "user", parts: [{ text: "Thanks." }] }],
    });
    const third = JSON.stringify(contentsIn(provider.requests[2]!.body));
    expect(third).toContain(`"functionResponse":{"name":"${RECALL_TOOL}"`);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("forwards countTokens as it is, and answers nothing of its own", async () => {
    const { url, provider } = await stand({ provider: PROVIDER, gateway: GATEWAY });
    const { contents } = requestOf(4);
    const counted = await post(url, "countTokens", { contents });
    expect(counted.status).toBe(200);
    expect(fieldsOf(await counted.json())["totalTokens"]).toBeGreaterThan(100);
    expect(contentsIn(provider.requests[0]!.body)).toEqual(contents);
  });

  it("leaves a request alone whose beginning the provider holds as cached content", async () => {
    const { url, provider } = await stand({
      provider: { every: { windowTokens: 100_000 }, script: { text: "Read." } },
      gateway: GATEWAY,
    });
    const { tools: _, systemInstruction: __, ...request } = requestOf(30);
    const body = { ...request, cachedContent: "cachedContents/abc" };
    const response = await post(url, "generateContent", body);
    expect([response.status, response.headers.get("x-precis")]).toEqual([200, "untouched; because=held_by_provider"]);
    expect(JSON.parse(provider.requests[0]!.body)).toEqual(body);
  });
});
