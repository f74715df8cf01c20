/** The receipt: what became of everything that the work may still need, held against the result itself. */
import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyCompaction,
  RECEIPT_FATES,
  type Compaction,
  type Receipt,
} from "../../../src/core/compaction/compaction.ts";
import { NO_PINS, type Pins } from "../../../src/core/compaction/keep-messages.ts";
import { lostIn, missingIn } from "../../../src/core/receipt/counts.ts";
import { receiptOf } from "../../../src/core/receipt/receipt.ts";
import { contentText, textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { saysLittle } from "../../../src/core/events/text.ts";
import { receiptMatchers, withReceipt } from "../../../src/session/receipt.ts";
import { compacted, filler, measure, outcomeOf, ran, says, talk, user } from "../../support/compacting.ts";
import { RUNS, transcripts } from "../../support/transcripts.ts";

const sha256 = (text: string): string => hash("sha256", text);

const REQUESTS = Array.from(
  { length: 30 },
  (_, at) => `Build page number ${at} of the shop, with its list, its totals and its test.`,
);
const RULE = "Never store card numbers in the session table.";
const SECRET = "sk-proj-Zq3xT9vLm2Kd8RwYb5NcHf7JgPs4Ua6EoXi1";

const shop = (...last: (Message | readonly Message[])[]): Transcript =>
  talk(
    user("Plan the shop."),
    ...ran("read", { path: "AGENTS.md" }, `# Rules\n- ${RULE}\n- Write the tests first, always.`, "rules"),
    says("Understood."),
    REQUESTS.flatMap((request, at) => [
      user(request),
      ...ran("terminal", { command: `make page_${at}` }, `built page_${at}\n${filler(300, `p${at}`)}`, `c${at}`),
      says(`Page ${at} is done as far as it goes.`),
    ]),
    user(`The key of the shop is ${SECRET}; the port = 54321.`),
    says("Noted."),
    ...last,
    user('Now the docs, for version 3.14 on port "54321".'),
    says("I begin."),
  );

interface Receipted {
  readonly receipt: Receipt;
  readonly text: string;
  readonly compaction: Compaction;
}

async function receiptAt(budget: number, transcript = shop(), pins: Pins = NO_PINS): Promise<Receipted> {
  const { compaction, text } = await compacted(transcript, { budget, reason: "budget" });
  const { report } = withReceipt(compaction, transcript.messages, { pins, secrets: undefined, hash: sha256 });
  return { receipt: report.receipt!, text, compaction };
}

/** Of a result that holds these messages and nothing else. */
function withReceiptOf(
  messages: readonly Message[],
  { kept }: { readonly kept: readonly number[] },
): { readonly receipt: Receipt } {
  const after = kept.map((at) => messages[at]!);
  const map = messages.map((_, at) =>
    kept.includes(at) ? { kind: "kept" as const, at: kept.indexOf(at) } : { kind: "removed" as const },
  );
  const options = { pins: NO_PINS, redact: (text: string) => text, hash: sha256, live: kept.at(-1)! };
  return { receipt: receiptOf(messages, { after, covered: messages.length, map, evicted: [] }, options) };
}

describe("the receipt", () => {
  it("says of each request whether it is there word for word, or by which id it is recalled", async () => {
    const { receipt, text, compaction } = await receiptAt(900);
    const lines = receipt.lines.filter(({ kind }) => kind === "request");
    expect(lines.length).toBe(REQUESTS.length + 3);
    for (const request of REQUESTS) {
      const line = lines.find((one) => one.text === request)!;
      expect([request, line.fate]).toEqual([request, text.includes(request) ? "kept" : "recallable"]);
      if (line.fate === "recallable") expect(compaction.evicted.map(({ id }) => id)).toContain(line.id);
    }
    expect(receipt.counts.request.recallable).toBeGreaterThan(5);
    expect(lostIn(receipt)).toBe(0);
    expect(missingIn(receipt, "request")).toBe(receipt.counts.request.recallable);
  });

  it("does not count the opening of a text for the text", async () => {
    const long = Array.from({ length: 40 }, (_, at) => `Step ${at} is to move part ${at}.`).join("\n");
    const messages = [user(long), says("Moved."), user("Go on.")];
    const id = "r0123456789abcdef";
    const made = (shown: string): Receipt =>
      receiptOf(
        messages,
        {
          after: [textMessage("user", `[precis handoff 1]\nOriginals: ${id}\n- User: ${shown}`, "summary")],
          covered: 2,
          map: [{ kind: "summarised" }, { kind: "summarised" }],
          evicted: [{ id, kind: "span", message: 0, end: 2, label: "messages 1 to 2" }],
        },
        { pins: NO_PINS, redact: (text) => text, hash: sha256, live: 2 },
      );
    expect(made(long.slice(0, 400)).lines[0]).toMatchObject({ kind: "request", fate: "recallable", id });
    expect(made(long.replaceAll("\n", "\n    ")).lines[0]!.fate).toBe("kept");
    expect(made(`"${long}"`).lines[0]!.fate).toBe("kept");
    expect(made(`un${long}`).lines[0]!.fate).toBe("recallable");
  });

  it("counts few words of a person only where they are a line", async () => {
    const messages = [user("Clean up."), says("Shall I take a or b?"), user("b"), says("Done."), user("Go on.")];
    const made = (shown: string): Receipt =>
      receiptOf(
        messages,
        {
          after: [textMessage("user", `[precis handoff 1]\n${shown}`, "summary"), user("Go on.")],
          covered: 4,
          map: [0, 1, 2, 3].map(() => ({ kind: "summarised" as const })),
          evicted: [],
        },
        { pins: NO_PINS, redact: (text) => text, hash: sha256, live: 4 },
      );
    expect(made("- Agent: Shall I take a or b?").lines[1]).toMatchObject({ text: "b", fate: "lost" });
    expect(made("- [4] Agent: b").lines[1]!.fate).toBe("lost");
    expect(made("- Agent: Shall I take a or b?\n- User: b").lines[1]!.fate).toBe("kept");
    expect(made("- Which: a or b? — user: b").lines[1]!.fate).toBe("kept");
  });

  it("lists rules, running tasks, values of the live request and pinned facts", async () => {
    const running = ran("Bash", { command: "npm run dev" }, "Command running in background with ID: bash_7", "bg");
    const pins = { messages: [], facts: ["The release is on Friday."] };
    const { receipt } = await receiptAt(3_000, shop(running), pins);
    const of = (kind: string) => receipt.lines.filter((line) => line.kind === kind).map(({ text }) => text);
    expect(of("rule")).toEqual([RULE, "Write the tests first, always."]);
    expect(of("running")).toEqual([expect.stringContaining("bash_7")]);
    expect(of("value")).toEqual(["3.14", "54321"]);
    expect(receipt.lines.find(({ kind }) => kind === "pin")).toEqual({
      kind: "pin",
      text: "The release is on Friday.",
      fate: "lost",
    });
  });

  it("lists what a person gave to a command, and no command alone", async () => {
    const command = (name: string, args: string): Message =>
      user(`<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`);
    const page = "translate the page of returns into Portuguese";
    const { receipt } = await receiptAt(3_000, shop(command("review", ""), command("work", page), says("I do.")));
    const asked = receipt.lines.filter(({ kind }) => kind === "request").map(({ text }) => text);
    expect(asked.filter((text) => text.startsWith("/"))).toEqual([`/work ${page}`]);
  });

  it("lists what was read last and has not been changed since, by a hash of its text", async () => {
    const text = "export const price = 3;\nexport const count = 4;";
    const numbered = text.replace(/^/gm, "     1\t");
    const read = (path: string, id: string, shown = numbered) => ran("read", { path }, shown, id);
    const changed = ran("edit", { path: "b.ts", old: "3", new: "4" }, "edited", "b2");
    const again = [read("a.ts", "a1", "1\told"), read("b.ts", "b1"), changed, read("c.ts", "c1"), read("a.ts", "a2")];
    const { receipt } = await receiptAt(900, shop(...again));
    const [{ message: first } = { message: 0 }, ...others] = receipt.unchanged!;
    expect(receipt.unchanged![0]).toEqual({ path: "a.ts", message: first, hash: sha256(text).slice(0, 8) });
    expect(others.map(({ path, message }) => [path, message])).toEqual([
      ["c.ts", first - 2],
      ["AGENTS.md", 3],
    ]);
  });

  it("names the message that took the place of what was said before, or of a rule", async () => {
    const again = REQUESTS[3]!;
    const rewritten = ran(
      "write",
      { path: "AGENTS.md", content: "# Rules\n- Write the tests first, always." },
      "written",
      "w",
    );
    const transcript = shop(rewritten, user(again), says("Once more."));
    const { receipt } = await receiptAt(700, transcript);
    const first = receipt.lines.find((line) => line.text === again)!;
    const place = transcript.messages.findLastIndex(({ parts }) => contentText(parts) === again) + 1;
    expect(first).toMatchObject({ fate: "replaced", by: place });
  });

  it("takes a repeated request for kept where the first one is, but not a few words", () => {
    const messages = [
      user(REQUESTS[0]!),
      says("Done."),
      user(REQUESTS[0]!),
      says("Done again."),
      user("Go on."),
      says("On it."),
      user("Go on."),
    ];
    const { receipt } = withReceiptOf(messages, { kept: [0, 6] });
    const fates = receipt.lines.filter(({ kind }) => kind === "request").map(({ fate }) => fate);
    expect(fates).toEqual(["kept", "kept", "lost", "kept"]);
    const { receipt: newest } = withReceiptOf(messages, { kept: [2, 6] });
    expect(newest.lines[0]).toMatchObject({ fate: "replaced", by: 3 });
  });

  it("loses less the more room there is", async () => {
    const [small, middle, large] = [await receiptAt(700), await receiptAt(2_500), await receiptAt(9_000)];
    expect(missingIn(small.receipt)).toBeGreaterThan(missingIn(middle.receipt));
    expect(missingIn(small.receipt)).toBeGreaterThan(missingIn(large.receipt));
  });

  it("is what the assertions for test runners read", async () => {
    const { receipt } = await receiptAt(900);
    const made = { report: { receipt } };
    expect(receiptMatchers.toLoseNothing(made)).toMatchObject({ pass: true });
    const verdict = receiptMatchers.toKeepEverything(made);
    expect(verdict.pass).toBe(false);
    expect(verdict.message()).toMatch(/recallable request of message \d+: Build page number/);
    expect(receiptMatchers.toLoseNothing({ report: {} }).pass).toBe(false);
  });

  it("shows no secret, and takes what stands masked for kept", async () => {
    for (const budget of [700, 1_500, 4_000])
      expect(JSON.stringify((await receiptAt(budget)).receipt)).not.toContain(SECRET.slice(0, 20));
    const { receipt } = await receiptAt(9_000);
    expect(receipt.lines.find(({ text }) => text.startsWith("The key of the shop"))!.fate).toBe("kept");
  });

  it("is never wrong about a text that is there or not, in any conversation", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts(), fc.constantFrom(0.1, 0.4), async (transcript, share) => {
        const budget = Math.max(200, Math.floor(measure.transcript(transcript) * share));
        const outcome = await outcomeOf(transcript, { budget, reason: "budget" });
        if (outcome.kind === "unchanged") return;
        const { messages } = transcript;
        const made = withReceipt(outcome.compaction, messages, { pins: NO_PINS, secrets: undefined, hash: sha256 });
        const { counts, lines } = made.report.receipt!;
        const text = applyCompaction(transcript, made)
          .messages.map(({ parts }) => contentText(parts).replace(/\s+/g, " "))
          .join("\n");
        for (const line of lines) {
          // Few words may stand among others; they count where they are a line.
          if (line.kind === "request" && line.fate !== "kept" && !line.text.endsWith("…") && !saysLittle(line.text))
            expect(text).not.toContain(` ${line.text} `);
          if (line.message !== undefined) expect(line.message).toBeLessThanOrEqual(messages.length);
          expect(line.id !== undefined).toBe(line.fate === "recallable");
          expect(line.by !== undefined).toBe(line.fate === "replaced");
        }
        const all = Object.values(counts).flatMap((own) => RECEIPT_FATES.map((fate) => own[fate]));
        expect(all.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(lines.length);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});
