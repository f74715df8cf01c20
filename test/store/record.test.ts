/** A session goes on over a stored history as if its process had never ended. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createTraffic } from "../../bench/traffic/session.ts";
import { applyCompaction, type Compaction } from "../../src/core/compaction/compaction.ts";
import { textMessage, withParts, type Message } from "../../src/core/transcript/message.ts";
import { createSession, type Store } from "../../src/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { decodeCompaction, encodeCompaction } from "../../src/store/record.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { requestOf, type ChatMessage } from "../support/chat-to-wire.ts";
import { compaction } from "./contract/things.ts";
import { bodies, RUNS, WIRE_NAMES } from "../support/transcripts.ts";

const SETTINGS = { contextLength: 32_000 };
const folder = mkdtempSync(join(tmpdir(), "precis-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const chat = JSON.parse(createTraffic(5, 60_000).body) as { readonly messages: readonly ChatMessage[] };

describe("a session over a stored history", () => {
  for (const protocol of WIRE_NAMES) {
    it(`sends the same bytes after a restart (${protocol})`, async () => {
      const path = join(folder, `${protocol}.db`);
      const body = JSON.stringify(requestOf(protocol, chat.messages), undefined, 1);
      const prepared = async (store: Store) => {
        const session = createSession({ protocol, store, settings: SETTINGS });
        const { request, compaction: made } = await session.prepare(body);
        return { request, made, recall: session.recall };
      };
      const before = await openSqliteStore({ path });
      const first = await prepared(before);
      const again = await prepared(before);
      await before.close();
      const after = await openSqliteStore({ path });
      const restarted = await prepared(after);
      expect(first.made).toBeDefined();
      expect(first.request.length).toBeLessThan(body.length);
      expect(again.made).toBeUndefined();
      expect(restarted.made).toBeUndefined();
      expect(restarted.request).toBe(again.request);
      expect(restarted.request).toBe(first.request);
      for (const id of first.made!.report.recall) {
        const [hit] = await restarted.recall(id);
        expect(hit?.text.length).toBeGreaterThan(0);
      }
      await after.close();
    });
  }
});

/** Some messages left out, some edited, some of ours between them. */
function rewritten(messages: readonly Message[], fates: readonly number[]): readonly Message[] {
  return messages.flatMap((message, at) => {
    switch (fates[at % fates.length]) {
      case 0:
        return [];
      case 1:
        return [textMessage("user", `summary ${at}`, "summary"), message];
      case 2:
        return [withParts(message, message.parts.map(shortened), "digest")];
      default:
        return [message];
    }
  });
}

function shortened(part: Message["parts"][number]): Message["parts"][number] {
  return part.kind === "text" ? { ...part, text: "short" } : part;
}

describe("a record", () => {
  for (const protocol of WIRE_NAMES) {
    it(`is written into a request as the compaction it was made from (${protocol})`, () => {
      const { decode, splice } = protocols[protocol];
      const fates = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 9 });
      fc.assert(
        fc.property(bodies(protocol, { large: false }), fates, ({ text: body }, chosen) => {
          const { messages, system } = decode(body).transcript;
          const made: Compaction = {
            ...compaction("link", messages.length, ["r1"]),
            after: rewritten(messages, chosen),
            ...(chosen[0] === 3 ? { system } : {}),
          };
          const read = decodeCompaction(encodeCompaction(made))!;
          const request = decode(body);
          const written = (one: Compaction): string => splice(request, applyCompaction(request.transcript, one));
          expect(written(read)).toBe(written(made));
          expect(encodeCompaction(read)).toBe(encodeCompaction(made));
        }),
        { numRuns: Math.ceil(RUNS / 3) },
      );
    });
  }

  it("of another schema is no record", () => {
    const later = { ...compaction("link", 1), schemaVersion: 2 } as unknown as Compaction;
    expect(decodeCompaction(encodeCompaction(later))).toBeUndefined();
  });

  it("leaves the originals to their recall ids", () => {
    const made = compaction("link", 1, ["r1"]);
    const evicted = made.evicted.map((one) => ({ ...one, original: "kept elsewhere" }));
    expect(encodeCompaction({ ...made, evicted })).not.toContain("kept elsewhere");
    expect(decodeCompaction(encodeCompaction({ ...made, evicted }))).toEqual(made);
  });
});
