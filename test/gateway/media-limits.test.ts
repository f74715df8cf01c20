/** Requests that a provider refuses for their pictures, bytes or halves of characters, whatever their tokens are: made acceptable before they are sent, or after a refusal. */
import { describe, expect, it } from "vitest";
import { findRefusal } from "../../src/cli/compaction/output.ts";
import { protocols } from "../../src/protocols/index.ts";
import { png } from "../support/pictures.ts";
import { ask } from "./support/asking.ts";
import { front, stand } from "./support/standing.ts";
import { upstreamOf } from "./support/upstream.ts";

const MB = 1024 * 1024;
const WINDOW_TOKENS = 200_000;
type Json = Readonly<Record<string, unknown>>;

/** An agent that takes a picture a turn. */
function shots(pictures: readonly string[], model = "claude-sonnet-4-5"): string {
  const turns = pictures.flatMap((data, at): readonly Json[] => [
    { role: "assistant", content: [{ type: "tool_use", id: `toolu_${at}`, name: "shot", input: { at } }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `toolu_${at}`,
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
        },
      ],
    },
  ]);
  return JSON.stringify({ model, max_tokens: 500, messages: [{ role: "user", content: "Find it." }, ...turns] });
}

const chatShots = (count: number): string =>
  JSON.stringify({
    model: "some-model",
    messages: Array.from({ length: count }, (_, at): readonly Json[] => [
      {
        role: "user",
        content: [
          { type: "text", text: `Look at ${at}.` },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png(800, 600 + at)}` } },
        ],
      },
      { role: "assistant", content: `Seen ${at}.` },
    ])
      .flat()
      .slice(0, -1),
  });

const small = Array.from({ length: 24 }, (_, at) => png(800, 600 + at));
/** Without cache markers, which move on. */
const unmarked = (body: string): readonly Json[] =>
  (JSON.parse(body.replaceAll(/,"cache_control":\{[^}]*\}/g, "")) as { readonly messages: readonly Json[] }).messages;
const picturesIn = (body: string): number => body.split('"type":"image"').length - 1;

function refusalIn(body: string, windowTokens = WINDOW_TOKENS): string | undefined {
  return findRefusal({ decoded: protocols["anthropic-messages"].decode(body) }, "anthropic-messages", windowTokens);
}

describe("pictures that a provider refuses together", () => {
  it.each([
    ["a wide one beside so many", [...small.slice(0, 3), png(2_400, 600), ...small.slice(3)], 24],
    ["a wide one that is new", [...small, png(2_400, 600)], 10],
    ["one that is too large", [png(8_001, 600), small[0]!], 1],
    ["more than a model takes", Array.from({ length: 101 }, (_, at) => png(80, 60 + at)), 50],
  ])("are sent without the oldest: %s", async (_, pictures, left) => {
    const { provider, url } = await stand({ provider: { script: { text: "There." } } });
    const body = shots(pictures);
    expect(refusalIn(body)).toMatch(/max allowed size|too many images/);
    const told = await ask(url, { protocol: "anthropic-messages", body });
    expect([told.status, told.treatment]).toEqual([200, expect.stringMatching(/^rewritten/)]);
    const [request, ...others] = provider.requests;
    expect([others.length, picturesIn(request!.body)]).toEqual([0, left]);
    expect(request!.body).toMatch(/\[precis: image \(image\/png, 1 KB\) left out here; recall r[0-9a-f]+\]/);
    expect(refusalIn(request!.body)).toBeUndefined();
    // What has been sent stays as it is, until something has to leave again.
    const longer = JSON.parse(body) as { readonly messages: readonly Json[] };
    const messages = [...longer.messages, { role: "assistant", content: "There." }, { role: "user", content: "And?" }];
    await ask(url, { protocol: "anthropic-messages", body: JSON.stringify({ ...longer, messages }) });
    const sent = provider.requests.map(({ body: one }) => unmarked(one));
    expect(sent[1]!.slice(0, sent[0]!.length)).toEqual(sent[0]);
  });

  it("are refused by the provider as they came, and only where its rules hold", async () => {
    const { providerUrl } = await stand();
    const body = shots([...small, png(2_400, 600)]);
    const told = await ask(providerUrl, { protocol: "anthropic-messages", body });
    expect([told.status, told.text]).toEqual([400, expect.stringContaining("many-image requests: 2000 pixels")]);
    expect(refusalIn(shots([...small, png(2_400, 600)], "deepseek-chat"))).toBeUndefined();
    expect(refusalIn(shots(Array.from({ length: 101 }, (_, at) => png(80, 60 + at))), 1_000_000)).toBeUndefined();
  });

  it("are as many as another server says after it refused them", async () => {
    const limit = 5;
    const upstream = await upstreamOf((_, { body }) =>
      body.split('"image_url":').length - 1 > limit
        ? {
            status: 400,
            pieces: [
              JSON.stringify({ error: { message: `At most ${limit} image(s) may be provided in one prompt.` } }),
            ],
          }
        : { pieces: [JSON.stringify({ choices: [{ message: { role: "assistant", content: "Seen." } }] })] },
    );
    const { url } = await front(upstream.url);
    const told = await ask(url, { protocol: "openai-chat", body: chatShots(8) });
    expect([told.status, upstream.got.length]).toEqual([200, 2]);
    const next = await ask(url, { protocol: "openai-chat", body: chatShots(9) });
    expect([next.status, upstream.got.length]).toEqual([200, 3]);
  });
});

describe("the pictures of other vendors", () => {
  const tiny = png(8, 8);
  const dataOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
  const url = `data:image/png;base64,${tiny}`;
  const turns = (count: number, content: object): readonly Json[] =>
    dataOf(count).flatMap((at) => [
      { role: "user", content: [{ type: "text", text: `Look at ${at}.` }, content] },
      { role: "assistant", content: `Seen ${at}.` },
    ]);
  const contents = (count: number): readonly Json[] =>
    dataOf(count).flatMap((at) => [
      { role: "user", parts: [{ text: `Look at ${at}.` }, { inlineData: { mimeType: "image/png", data: tiny } }] },
      { role: "model", parts: [{ text: `Seen ${at}.` }] },
    ]);
  const bodies = {
    "openai-chat": (count: number) => ({
      model: "gpt-5.4",
      messages: [...turns(count, { type: "image_url", image_url: { url } }), { role: "user", content: "And?" }],
    }),
    "openai-responses": (count: number) => ({
      model: "gpt-5.4",
      input: dataOf(count).map((at) => ({
        role: "user",
        content: [
          { type: "input_text", text: `Look at ${at}.` },
          { type: "input_image", image_url: url },
        ],
      })),
    }),
    "google-gemini": (count: number) => ({
      contents: [...contents(count), { role: "user", parts: [{ text: "And?" }] }],
    }),
  };

  it.each([
    ["openai-chat", 1_500, "Too many images in request. Max is 1500.", "gpt-oss-120b"],
    ["openai-responses", 1_500, "Too many images in request. Max is 1500.", "gpt-oss-120b"],
    ["google-gemini", 3_600, "Please use fewer than 3600 images in your request", undefined],
  ] as const)("are as many as %s takes", async (protocol, most, refusal, other) => {
    const windowTokens = 20_000_000;
    const said = (body: object) =>
      findRefusal({ decoded: protocols[protocol].decode(JSON.stringify(body)) }, protocol, windowTokens);
    expect([said(bodies[protocol](most)), said(bodies[protocol](most + 1))]).toEqual([undefined, refusal]);
    if (other !== undefined) expect(said({ ...bodies[protocol](most + 1), model: other })).toBeUndefined();
    const {
      provider,
      providerUrl,
      url: gatewayUrl,
    } = await stand({
      provider: { script: { text: "There." }, every: { windowTokens } },
      gateway: { contextLength: windowTokens },
    });
    const body = JSON.stringify(bodies[protocol](most + 1));
    expect((await ask(providerUrl, { protocol, body })).status).toBe(400);
    const told = await ask(gatewayUrl, { protocol, body });
    expect([told.status, told.treatment]).toEqual([200, expect.stringMatching(/^rewritten/)]);
    expect(provider.requests.at(-1)!.body.split(tiny).length - 1).toBe(most / 2);
  });

  // Public: claude-code 15478, 18528 and 42399, copilot-cli 4930, gemini-cli 27244 and 5064, hermes-agent 69104 and 97059,
  // buzz 4896.
  it.each([
    [400, "Could not process image"],
    [400, "messages.186.content.1.image.source.base64: image cannot be empty"],
    [400, "messages.11.content.8.image.source.base64.data: Image format image/png not supported"],
    [400, "The image data you provided does not represent a valid image. Please check your input and try again."],
    [400, "Provided image is not valid."],
    [400, "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide"],
    [400, "Invalid PNG image."],
    [400, "Downloaded response does not contain a valid JPG, PNG, WebP, or ICO image."],
    [400, "failed to decode image"],
    [404, "No endpoints found that support image input"],
  ])("leave a session that one of them has stopped (%d): %s", async (status, message) => {
    const broken = png(801, 601);
    const upstream = await upstreamOf((_, { body }) =>
      body.includes(broken)
        ? { status, pieces: [JSON.stringify({ error: { message, code: status } })] }
        : { pieces: [JSON.stringify({ choices: [{ message: { role: "assistant", content: "Seen." } }] })] },
    );
    const { url: gatewayUrl } = await front(upstream.url);
    const body = (JSON.parse(chatShots(2)) as { readonly messages: readonly Json[] }).messages;
    const bad = {
      role: "user",
      content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${broken}` } }],
    };
    const first = { model: "some-model", messages: [...body.slice(0, -1), bad] };
    expect((await ask(gatewayUrl, { protocol: "openai-chat", body: JSON.stringify(first) })).status).toBe(200);
    const words = { role: "user", content: "And without pictures?" };
    const later = { ...first, messages: [...first.messages, { role: "assistant", content: "Seen." }, words] };
    const told = await ask(gatewayUrl, { protocol: "openai-chat", body: JSON.stringify(later) });
    expect([told.status, upstream.got.at(-1)!.body.includes("left out here")]).toEqual([200, true]);
  });

  it.each([
    "Too much media: 0 document pages + 107 images > 100",
    "request contains 52 images, exceeding the maximum of 50 allowed per request",
    "Please use fewer than 3600 images in your request to models/gemini-1.5-flash",
    "Unable to submit request because it has 20 image files but the model only supports up to 10.",
    "Request payload size exceeds the limit: 20971520 bytes.",
  ])("are fewer after a refusal that says: %s", async (message) => {
    const upstream = await upstreamOf((_, { body }) =>
      body.split('"image_url":').length > 3
        ? { status: 400, pieces: [JSON.stringify({ error: { message } })] }
        : { pieces: [JSON.stringify({ choices: [{ message: { role: "assistant", content: "Seen." } }] })] },
    );
    const { url: gatewayUrl } = await front(upstream.url);
    const told = await ask(gatewayUrl, { protocol: "openai-chat", body: chatShots(8) });
    expect([told.status, upstream.got.length]).toEqual([200, 2]);
  });
});

describe("a body with more bytes than its provider takes", () => {
  it("is read, and sent without the oldest pictures", async () => {
    const { provider, url } = await stand({ provider: { script: { text: "There." } } });
    const body = shots(Array.from({ length: 12 }, (_, at) => png(800, 600 + at, 3 * MB)));
    expect(body.length).toBeGreaterThan(47 * MB);
    expect(refusalIn(body)).toBe("Request exceeds the maximum size");
    const told = await ask(url, { protocol: "anthropic-messages", body });
    expect([told.status, told.treatment]).toEqual([200, expect.stringMatching(/^rewritten/)]);
    const [request, ...others] = provider.requests;
    expect([others.length, picturesIn(request!.body)]).toEqual([0, 3]);
  });

  it("loses even its newest pictures where nothing else can go", async () => {
    const upstream = await upstreamOf((_, { bytes }) =>
      bytes > MB
        ? { status: 413, pieces: ["too large"] }
        : { pieces: [JSON.stringify({ choices: [{ message: { role: "assistant", content: "Seen." } }] })] },
    );
    const { url } = await front(upstream.url);
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png(800, 600, 2 * MB)}` } },
    ];
    const body = JSON.stringify({ model: "some-model", messages: [{ role: "user", content }] });
    expect((await ask(url, { protocol: "openai-chat", body })).status).toBe(200);
    expect(upstream.got.at(-1)!.body).toMatch(/What is this\?.*image \(image\/png, 2049 KB\) left out here/);
  });
});

describe("half of a character", () => {
  const turns = (half: string): Json => ({
    model: "claude-sonnet-4-5",
    max_tokens: 500,
    messages: [
      { role: "user", content: "Read the log." },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "read", input: { path: `log${half}` } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: `cut here ${half}` }] },
      { role: "assistant", content: "Read 🙂." },
      { role: "user", content: [{ type: "text", text: `And ${half}now?` }] },
    ],
  });

  it("is refused by the provider, and replaced in what is sent to it", async () => {
    const { provider, providerUrl, url } = await stand({ provider: { script: { text: "Yes." } } });
    const body = JSON.stringify(turns("\ud83d"));
    const direct = await ask(providerUrl, { protocol: "anthropic-messages", body });
    expect([direct.status, direct.text]).toEqual([400, expect.stringContaining("no low surrogate in string")]);
    const told = await ask(url, { protocol: "anthropic-messages", body });
    expect(told.status).toBe(200);
    const sent = provider.requests.at(-1)!.body;
    expect(unmarked(sent).map(({ content }) => content)).toEqual(
      (turns("\ufffd")["messages"] as readonly Json[]).map(({ content }) => content),
    );
    expect(refusalIn(sent)).toBeUndefined();
  });
});
