/**
 * A client's own `POST /responses/compact`, by OpenAI's SDK and by plain HTTP: passed on to its provider.
 */
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { fieldsOf, textOf } from "../../src/protocols/fields.ts";
import { bodyOf, worked } from "./support/asking.ts";
import { stand, type Standing } from "./support/standing.ts";

const PATH = "/v1/responses/compact";
const MODEL = "gpt-5.6-sol";
const STEPS = 40;
type Input = OpenAI.Responses.ResponseInput;

const conversation = (steps = STEPS): { input: Input; instructions: string } => {
  const body = fieldsOf(JSON.parse(bodyOf("openai-responses", worked("alpha", steps))));
  return { input: body["input"] as Input, instructions: textOf(body["instructions"])! };
};
const standing = () => stand({ provider: { every: { windowTokens: 200_000 }, script: { text: "Done." } } });
const client = ({ url }: Standing) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: 0 });
const post = (url: string, body: object) =>
  fetch(`${url}${PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer key" },
    body: JSON.stringify({ model: MODEL, ...body }),
  });

describe("a client's own compaction, passed on", () => {
  it("is answered by its provider, as it came", async () => {
    const proof = await standing();
    const { data, response } = await client(proof)
      .responses.compact({ model: MODEL, ...conversation() })
      .withResponse();
    expect(response.headers.get("x-precis")).toBe("untouched; because=client_compaction");
    expect(data.output.at(-1)!.type).toBe("compaction");
    expect(proof.provider.requests.map(({ path }) => path)).toEqual([PATH]);
    expect(JSON.parse(proof.provider.requests[0]!.body)).toEqual({ model: MODEL, ...conversation() });
  });

  it("where its provider holds the history", async () => {
    const proof = await standing();
    const { output } = await client(await standing()).responses.compact({ model: MODEL, ...conversation() });
    const response = await post(proof.url, { input: [...output, { role: "user", content: "Go on." }] });
    expect(response.headers.get("x-precis")).toBe("untouched; because=held_by_provider");
    expect(proof.provider.requests.map(({ path }) => path)).toEqual([PATH]);
  });
});
