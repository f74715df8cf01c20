/** A host that lets files be read again: what `layered` puts back is what they hold now. */
import { expect, it } from "vitest";
import { contentText } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, ran, talk, user } from "../support/compacting.ts";

it("hands the reader to the engine", async () => {
  const runtime = createRuntime({
    engine: "layered",
    settings: { contextLength: 30_000 },
    readFile: async (path) => `what ${path} holds now`,
  });
  const session = talk(
    user("Tidy the module."),
    ...Array.from({ length: 8 }, (_, at) => ran("read_file", { path: `src/p${at}.ts` }, filler(1_400, `p${at}`))),
    user("Go on."),
  );
  const { transcript } = await runtime.compact(session);
  const text = transcript.messages.map(({ parts }) => contentText(parts)).join("\n");
  expect(text).toContain("## src/p6.ts, read again just now: changed since it was last read\nwhat src/p6.ts holds now");
});
