/** Values nested thousands deep: no door falls over them, and the gateway lets them through as they came. */
import { describe, expect, it } from "vitest";
import { JSON_LEVELS_MAX } from "../../src/core/nesting.ts";
import { createRedactor, redactJson } from "../../src/core/redaction/redactor.ts";
import { protocols } from "../../src/protocols/index.ts";
import { patchObject } from "../../src/protocols/json.ts";
import { createSession } from "../../src/session/session.ts";
import { precisHere, temporaryFolder } from "../cli/precis.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { atEnd, stand } from "./support/standing.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** A request one of whose values is nested so deep. */
function deepBody(protocol: (typeof PROTOCOLS)[number], levels: number): string {
  const body = bodyOf(protocol, worked("deep", 3));
  const deep = body.replace(/"text":/, `"odd":${nested(levels)},"text":`);
  return deep === body ? body.replace(/"role":/, `"odd":${nested(levels)},"role":`) : deep;
}

describe.each(PROTOCOLS)("a request nested thousands deep: %s", (protocol) => {
  it("is passed on by the gateway as it came", async () => {
    const { url } = await stand({ provider: { script: { text: "Done." } } });
    const { treatment } = await ask(url, { protocol, body: deepBody(protocol, 5_000) });
    expect(treatment).toBe("untouched; because=unreadable");
  });

  it("is refused by the library and the command line in words", async () => {
    const body = deepBody(protocol, 20_000);
    const session = createSession({ protocol });
    await expect(session.prepare(body as never)).rejects.toMatchObject({ code: "body_not_json" });
    const folder = temporaryFolder();
    atEnd(folder.remove);
    folder.write("deep.json", body);
    const { code, err } = await precisHere(["compact", "deep.json", "--force"], { folder: folder.path });
    expect([code, err]).toEqual([3, expect.not.stringContaining("Maximum call stack")]);
  });

  it("is read where it is nested as deep as anything that means something", () => {
    expect(protocols[protocol].decode(deepBody(protocol, JSON_LEVELS_MAX - 20)).transcript.messages.length).toBe(7);
  });
});

it("is masked as text", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const text = `${"[".repeat(20_000)}"${secret}"${"]".repeat(20_000)}`;
  expect(redactJson(text, createRedactor())).not.toContain(secret);
});

it("loses all of many members of one name at once", () => {
  const object = `{"a":1${',"cache_control":{}'.repeat(50_000)},"b":2}`;
  const since = performance.now();
  expect(patchObject(object, { cache_control: undefined })).toBe('{"a":1,"b":2}');
  expect(performance.now() - since).toBeLessThan(2_000);
});
