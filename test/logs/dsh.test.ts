/** Sessions of the DeepSeek Harness, as its log of events has them, and as the compressed frames of its files. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { contentText } from "../../src/core/transcript/message.ts";
import { folded, unfolded } from "../../src/logs/frames.ts";
import { convertLog } from "../../src/logs/convert.ts";
import { detectFormat } from "../../src/logs/detect.ts";
import { precisHere, temporaryFolder } from "../cli/precis.ts";
import { jsonl, noted, read, said } from "./reading.ts";

type Fields = Readonly<Record<string, unknown>>;

const HEADER = { type: "session", version: 0, id: "session-1", createdAt: 1, cwd: "/w", delegationDepth: 0 };
const BYTES_MAX = 1_000_000;

const text = (value: string) => [{ type: "text", text: value }];
const append = { surfaceOp: "append" };
const user = (value: string, kind = "user"): Fields => ({
  type: "user/message",
  data: { role: "user", content: text(value), source: { kind }, id: value },
  ...append,
});
const reply = (content: readonly Fields[], usage?: Fields): Fields => ({
  type: "assistant/message",
  data: { message: { role: "assistant", content, source: { kind: "model" } }, ...(usage && { usage }) },
  ...append,
});
const call = (id: string): Fields => ({ type: "tool-call", id, name: "bash", arguments: '{"command":"ls"}' });
const called = (callId: string): Fields => ({ type: "tool/call", data: { callId, name: "bash" } });
const result = (id: string, value: string, surfaceOp: unknown = "append"): Fields => ({
  type: "tool/result",
  data: { message: { role: "user", content: [{ type: "tool-result", toolCallId: id, content: text(value) }] } },
  surfaceOp,
});
const checkpoint = (summary: string, start: number, end: number): Fields => ({
  type: "user/message",
  data: {
    role: "user",
    content: text(`A checkpoint.\n<compacted-summary>\n${summary}\n</compacted-summary>`),
    source: { kind: "plugin" },
  },
  surfaceOp: { op: "replace", start, end },
});

function session(...events: readonly Fields[]): readonly Fields[] {
  return [HEADER, ...events.map((event, seq) => ({ seq, time: 1_795_875_191_000 + seq, ...event }))];
}

const LONG = session(
  user("go"),
  user("The mode is careful.", "plugin"),
  { type: "request/header", data: { header: { system: "You code.", config: { model: "deepseek-v4-flash" } } } },
  { type: "assistant/chunk", data: { chunk: { type: "text-delta", text: "loo" } } },
  reply([{ type: "reasoning", text: "hm" }, ...text("looking"), call("a")], {
    inputTokens: 2,
    outputTokens: 3,
    cacheReadTokens: 5,
  }),
  called("a"),
  result("a", "one, in full"),
  result("a", "one", { op: "replace", start: 6, end: 6 }),
  reply(text("done")),
  checkpoint("one was found", 0, 7),
  user("and two?"),
);

describe("sessions of dsh", () => {
  it("are what the model is sent, with what took the place of other things", () => {
    const log = read("dsh", LONG);
    expect(said(log)).toEqual(["user [summary]: one was found", "assistant: done", "user: and two?"]);
    expect(noted(log)).toEqual([["history_replaced", 11]]);
    expect(log).toMatchObject({
      id: "session-1",
      cwd: "/w",
      model: "deepseek-v4-flash",
      usage: { input: 7, output: 3, cacheRead: 5, cacheWrite: 0 },
      timesMs: [1_795_875_191_009, 1_795_875_191_008, 1_795_875_191_010],
    });
    expect(contentText(log.transcript.system[0]!.parts)).toBe("You code.");
  });

  it("are everything that was said, with whole results, where that is asked for", () => {
    const log = read("dsh", LONG, { history: "all" });
    expect(said(log)).toEqual([
      "user: go",
      "user: The mode is careful.",
      'assistant: looking +bash({"command":"ls"})',
      "tool a: one, in full",
      "assistant: done",
      "user [summary]: one was found",
      "user: and two?",
    ]);
    expect(log.injected).toEqual([1]);
  });

  it("say of a call whether it was begun", () => {
    const never = read("dsh", session(user("go"), reply([call("a"), call("b")]), called("b")));
    expect(said(never).slice(2)).toEqual([
      expect.stringMatching(/^tool a!: .*never run/),
      expect.stringMatching(/^tool b.*whether it ran is not known/),
    ]);
  });

  it("are told from those of pi, whose header has the same name", () => {
    expect(detectFormat(jsonl(LONG))).toBe("dsh");
    expect(detectFormat(jsonl([{ type: "session", version: 3, id: "s", cwd: "/w" }]))).toBe("pi");
  });
});

describe("compressed files", () => {
  const lines = `${jsonl(LONG)}\n`;

  it("are read frame by frame, also where the last one is not whole", () => {
    const [first, ...rest] = lines.split(/(?<=\n)/);
    const frames = Buffer.concat(
      [first!, rest.join(""), `${jsonl(LONG.slice(-1))}\n`].map((one) => zstdCompressSync(one)),
    );
    const whole = Buffer.from(unfolded(frames, BYTES_MAX)).toString();
    expect(whole).toBe(`${lines}${jsonl(LONG.slice(-1))}\n`);
    const cut = Buffer.from(unfolded(frames.subarray(0, -3), BYTES_MAX)).toString();
    expect(cut.startsWith(lines)).toBe(true);
    expect(Buffer.from(unfolded(folded(lines), BYTES_MAX)).toString()).toBe(lines);
    expect(unfolded(Buffer.from(lines), 1)).toEqual(Buffer.from(lines));
  });

  it("are refused where they are damaged, or larger than the limit", () => {
    expect(() => unfolded(folded(lines), 100)).toThrow("cannot be decompressed");
    const damaged = Buffer.from(folded(lines)).fill(0xff, 20, 40);
    expect(() => unfolded(damaged, BYTES_MAX)).toThrow("cannot be decompressed");
  });

  it("are found, inspected, imported and written", async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const environment = { HOME: folder.path };
    const run = (...words: readonly string[]) => precisHere(words, { folder: folder.path, environment });
    const path = join(folder.path, ".dsh/sessions/--w--/session-1/session.jsonl.zstd");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, folded(lines));
    const listed = await run("sessions", "import", "--list", "--json");
    expect(JSON.parse(listed.out)).toMatchObject({
      sessions: [{ format: "dsh", id: "session-1", cwd: "/w", begins: "go" }],
    });
    const inspected = await run("inspect", path, "--json");
    expect(inspected.code).toBe(0);
    expect((await run("sessions", "import")).err).toContain("dsh:session-1");
    expect((await run("recall", "in full")).out).toContain("one, in full");
    const { text: pi } = convertLog(lines, "dsh", { to: "pi", nowMs: 0 });
    writeFileSync(join(folder.path, "pi.jsonl"), pi);
    const written = await run("convert", "pi.jsonl", "--to", "dsh", "--install", "--json");
    const { out, resume } = JSON.parse(written.out) as { readonly out: string; readonly resume: readonly string[] };
    expect(resume.slice(0, -1)).toEqual(["dsh", "--profile", "tui", "--resume"]);
    expect(out).toContain(`sessions/--w--/${resume.at(-1)}/session.jsonl.zstd`);
    const back = Buffer.from(unfolded(readFileSync(out), BYTES_MAX)).toString();
    expect(said(read("dsh", back))).toEqual(said(read("dsh", LONG)));
    expect((await run("convert", "pi.jsonl", "--to", "dsh", "--install")).err).toContain("is there already");
    rmSync(out);
  });
});
