/** `precis compact` and what belongs to it: a result that works, clean streams, exit codes, originals kept and recalled. */
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/program/exit.ts";
import {
  anthropicBody,
  chatMessages,
  claudeCodeSession,
  LIVE_REQUEST,
  precis,
  precisHere,
  temporaryFolder,
  type Folder,
  type Ran,
} from "./precis.ts";

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify(chatMessages()));
  folder.write("body.json", anthropicBody());
  folder.write("session.jsonl", claudeCodeSession());
});
afterAll(() => folder.remove());

const run = (...words: string[]): Promise<Ran> => precisHere(words, { folder: folder.path });

interface Json {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly system?: unknown;
  readonly report: {
    readonly changed: boolean;
    readonly because: string | null;
    readonly tokens: { readonly before: number; readonly after: number };
    readonly budget: number | null;
    readonly irreducible: { readonly limit: number; readonly smallest: number } | null;
    readonly degraded: readonly string[];
    readonly recall: readonly string[];
    readonly violations: { readonly before: readonly object[]; readonly after: readonly object[] };
  };
}
const json = async (...words: string[]): Promise<Json> => JSON.parse((await run(...words, "--json")).out) as Json;

describe("compact", () => {
  it("says what to do where little was saved", async () => {
    const rules = Array.from({ length: 9_000 }, (_, at) => `rule${at}`).join(" ");
    const dense = [...chatMessages().slice(0, 8), { role: "user", content: rules }];
    folder.write("dense.json", JSON.stringify(dense));
    const { err } = await run("compact", "dense.json", "--force", "-o", "dense.out.json");
    expect(err.replaceAll(/\s+/g, " ")).toContain(
      "It saved less than a tenth: start a fresh session, or compact with a focus.",
    );
  });

  it("keeps every request of the user where that is set, or writes what came and exits with 4", async () => {
    const wishes = Array.from(
      { length: 12 },
      (_, at) => `Wish ${at}: ${`never touch part ${at} of the house; `.repeat(8)}`,
    );
    const done = { role: "assistant", content: "The work on it went well. ".repeat(60) };
    const talked = [
      ...wishes.flatMap((content) => [{ role: "user", content }, done]),
      { role: "user", content: "Go on." },
    ];
    folder.write("wishes.json", JSON.stringify(talked));
    const keeping = ["--set", "compression.keep_requests=all"];
    const kept = await json("compact", "wishes.json", "--budget", "60%", ...keeping);
    expect(kept.report).toMatchObject({ changed: true, irreducible: null });
    expect(kept.report).toMatchObject({ receipt: { counts: { request: { recallable: 0, lost: 0 } } } });
    const texts = kept.messages.filter(({ role }) => role === "user").map(({ content }) => content);
    expect(texts).toEqual(expect.arrayContaining([...wishes, "Go on."]));
    const { code, out, err } = await run("compact", "wishes.json", "--budget", "10%", ...keeping);
    expect([code, JSON.parse(out)]).toEqual([4, talked]);
    expect(err.replaceAll(/\s+/g, " ")).toContain("the user's 13 requests take");
    const refused = await json("compact", "wishes.json", "--budget", "10%", ...keeping);
    expect(refused.report).toMatchObject({ changed: false, irreducible: { code: "keep_requests" } });
    const fitting = await json("compact", "wishes.json", "--budget", "10%", "--keep", "wishes.keep.json");
    expect(fitting.report).toMatchObject({
      changed: true,
      receipt: { counts: { request: { lost: 0 } } },
    });
  });

  it.each([
    ["chat.json", "openai-chat"],
    ["body.json", "anthropic-messages"],
    ["session.jsonl", "anthropic-messages"],
  ])(
    "%s to a budget: valid, small enough, with the live request, data apart from the account",
    async (file, protocol) => {
      const { code, out, err } = await run("compact", file, "--budget", "30%");
      expect(code).toBe(0);
      expect(out).toContain(LIVE_REQUEST);
      expect(err).toContain(protocol);
      expect(err).toMatch(/before +█+ .*tokens in \d+ messages/);
      expect(err).toMatch(/after +[█▏▎▍▌▋▊▉]+ .*−\d\d %/);
      const checked = await precisHere(["check", "-", "--json"], { input: out });
      expect([checked.code, JSON.parse(checked.out)]).toEqual([0, expect.objectContaining({ valid: true, protocol })]);
      const { report } = await json("compact", file, "--budget", "30%");
      expect(report.tokens.after).toBeLessThanOrEqual(Math.floor(report.tokens.before * 0.3));
      expect(report.budget).toBe(Math.floor(report.tokens.before * 0.3));
      expect(report).toMatchObject({ changed: true, because: null, irreducible: null });
    },
  );

  it("leaves what has room as it is, byte for byte, and says so", async () => {
    const { code, out, err } = await precis(["compact", "body.json"], { folder: folder.path });
    expect([code, out]).toEqual([0, anthropicBody()]);
    expect(err).toMatch(/unchanged .*are within 64,?000/);
    const { report, messages, system } = await json("compact", "body.json");
    expect(report).toMatchObject({
      changed: false,
      because: expect.stringContaining("within") as string,
      recall: [],
      irreducible: null,
    });
    expect([messages.length, system]).toEqual([42, "Be brief."]);
  });

  it("compacts by itself over the threshold of the configured window, and with --force in any case", async () => {
    const over = await json("compact", "chat.json", "--context-length", "16k");
    expect(over.report.changed).toBe(true);
    expect(over.report.tokens.after).toBeLessThan(8_000);
    expect((await json("compact", "chat.json", "--context-length", "64k", "--force")).report.changed).toBe(true);
    const off = await json("compact", "chat.json", "--context-length", "16k", "--set", "compression.enabled=false");
    expect(off.report).toMatchObject({
      changed: false,
      because: expect.stringContaining("compression.enabled") as string,
    });
  });

  it.each(["refunds.openai-chat.json", "restart.claude-code.jsonl"])(
    "--force makes %s smaller although the documented figures would keep all of it, and says how",
    async (name) => {
      const example = resolve(import.meta.dirname, "../../examples", name);
      const { report } = await json("compact", example, "--force");
      const asked = await json("compact", example, "--budget", "20%");
      expect(report).toMatchObject({
        changed: true,
        because: expect.stringContaining("--budget 20%"),
        tokens: asked.report.tokens,
      });
      const { code, err } = await run("compact", example, "--force");
      expect([code, err]).toEqual([EXIT.done, expect.stringMatching(/forced .*documented figures/)]);
      expect((await json("compact", example, "--budget", "20%")).report.because).toBeNull();
    },
  );

  it("--force says why nothing can be gained, and does not send anyone to --budget in vain", async () => {
    const small = { input: JSON.stringify([{ role: "user", content: "Say it." }]) };
    const { code, err } = await precisHere(["compact", "-", "--force"], small);
    const told = err.replaceAll(/\s+/g, " ");
    expect([code, told]).toEqual([EXIT.done, expect.stringContaining("unchanged nothing would be removed")]);
    expect(told).toContain("next --budget cannot make it smaller either; `precis inspect`");
    const unforced = (await precisHere(["compact", "-"], small)).err.replaceAll(/\s+/g, " ");
    expect(unforced).toContain("`--force` compacts anyway");
  });

  describe("of an invalid request", () => {
    /** A result that answers nothing, behind message `at`. */
    const broken = (at: number): string =>
      JSON.stringify(chatMessages().toSpliced(at, 0, { role: "tool", tool_call_id: "nobody", content: "lost" }));

    it("says what is invalid, where, and that it is repaired", async () => {
      folder.write("orphan.json", broken(5));
      const { code, out, err } = await run("compact", "orphan.json", "--budget", "30%");
      expect([code, (await precisHere(["check", "-"], { input: out })).code]).toEqual([EXIT.done, EXIT.done]);
      const told = err.replaceAll(/\s+/g, " ");
      expect(told).toContain("invalid a provider would refuse the input (1 violation); the result has none");
      expect(told).toMatch(/message 5, tool: the result nobody answers no call .*\(result_without_call\)/);
      const { report } = await json("compact", "orphan.json", "--budget", "30%");
      expect(report.violations).toMatchObject({ before: [{ code: "result_without_call", message: 4 }], after: [] });
    });

    it.each([[], ["--to", "anthropic-messages"], ["--json"]])(
      "exits with 1 where the result is invalid as well, written all the same %s",
      async (...words) => {
        folder.write("orphan.json", broken(5));
        const { code, out, err } = await run("compact", "orphan.json", ...words);
        expect([code, out.includes("lost")]).toEqual([EXIT.failed, true]);
        expect(err.replaceAll(/\s+/g, " ")).toMatch(
          /invalid a provider would refuse the result.*\(result_without_call\)/,
        );
        expect((await precisHere(["check", "-"], { input: out })).code).toBe(EXIT.failed);
      },
    );

    it("says nothing of a valid one", async () => {
      expect((await run("compact", "chat.json", "--budget", "30%")).err).not.toContain("invalid");
      const { report } = await json("compact", "chat.json");
      expect(report.violations).toEqual({ before: [], after: [] });
    });
  });

  it.each([
    ["chat.json", [], "an array of messages of openai-chat: send it in place of chat.json"],
    ["body.json", [], "a request body of anthropic-messages: send it in place of body.json"],
    ["body.json", ["--to", "openai-chat"], "the conversation as openai-chat takes it: send it in your next request"],
    ["session.jsonl", [], "the conversation as anthropic-messages takes it: send it in your next request"],
  ])("says what the written file is for and where the originals are: %s %j", async (name, words, use) => {
    const told = async (...more: string[]): Promise<string> => {
      const { err } = await run("compact", name, "--budget", "30%", "--out", "next.json", ...words, ...more);
      return err.replaceAll(/\s+/g, " ");
    };
    expect(await told()).toContain(`next next.json is ${use}; the originals are only in ${name}`);
    const back = "`precis recall 'words of it' --keep back.json` finds the originals";
    expect(await told("--keep", "back.json")).toContain(`next next.json is ${use}; ${back}`);
    expect((await run("compact", name, "--budget", "30%")).err).not.toMatch(/^ {2}next /m);
  });

  it("keeps the bytes of messages that did not change, and the digits of long numbers", async () => {
    const { out } = await run("compact", "body.json", "--budget", "40%");
    expect(out).toContain('"model": "claude-x", "max_tokens": 1000');
    const last = anthropicBody()
      .split("\n")
      .find((line) => line.includes('"toolu_19", "name"'))!
      .trim()
      .replace(/,$/, "");
    expect(out).toContain(last);
    expect((await run("compact", "body.json", "--budget", "40%", "--json")).out).toContain(
      '"seed":12345678901234567890',
    );
  });

  it("speaks another protocol where asked", async () => {
    const { messages } = await json("compact", "session.jsonl", "--to", "openai-chat", "--budget", "40%");
    expect(messages.some(({ role }) => role === "tool")).toBe(true);
    const items = await run("compact", "chat.json", "--to", "openai-responses", "--budget", "40%");
    expect((await precisHere(["check", "-", "--from", "openai-responses"], { input: items.out })).code).toBe(0);
    expect(items.out).toContain("function_call_output");
  });

  it("reads standard input and writes a file, whole", async () => {
    const { code, out } = await precis(["compact", "-", "--budget", "30%", "-o", "result.json"], {
      folder: folder.path,
      input: JSON.stringify(chatMessages()),
    });
    expect([code, out]).toEqual([0, ""]);
    expect((await run("check", "result.json")).code).toBe(0);
  });

  it("writes the smallest result and exits with 4 when nothing reaches the budget", async () => {
    const { code, out, err } = await precis(["compact", "chat.json", "--budget", "110"], { folder: folder.path });
    expect(code).toBe(4);
    expect(err).toMatch(/! Cannot reach 110 tokens; the smallest useful result has \d+/);
    expect((await precisHere(["check", "-"], { input: out })).code).toBe(0);
    expect(out).toContain(LIVE_REQUEST);
    const { report } = await json("compact", "chat.json", "--budget", "110");
    expect(report.irreducible).toMatchObject({ limit: 110 });
    expect(report.irreducible!.smallest).toBe(report.tokens.after);
  });
});

describe("originals", () => {
  it("that nobody keeps are lost on the receipt, and do not pass for recallable", async () => {
    const told = Array.from({ length: 12 }, (_, at) => [
      { role: "user", content: `Wish ${at}: ${`never touch part ${at} of the house; `.repeat(40)}` },
      { role: "assistant", content: "The work on it went well. ".repeat(60) },
    ]);
    folder.write("plans.json", JSON.stringify([...told.flat(), { role: "user", content: "Go on." }]));
    const small = ["compact", "plans.json", "--budget", "10%", "--require", "recallable", "-o", "small.json"];
    interface Counted {
      readonly report: {
        readonly receipt: { readonly counts: object; readonly lines: readonly { fate: string; id?: string }[] };
      };
    }
    const counted = async (...more: string[]): Promise<[number | null, Counted["report"]["receipt"]]> => {
      const { code, out } = await run(...small, "--json", ...more);
      const text = out === "" ? readFileSync(join(folder.path, "small.json"), "utf8") : out;
      return [code, (JSON.parse(text) as Counted).report.receipt];
    };
    const fates = ({ lines }: Counted["report"]["receipt"]) => lines.map(({ fate }) => fate);
    const [kept, withIds] = await counted("--keep", "small.keep.json");
    expect([kept, fates(withIds)]).toEqual([EXIT.done, expect.arrayContaining(["recallable"]) as string[]]);
    const [lost, without] = await counted();
    expect([lost, fates(without)]).toEqual([EXIT.failed, expect.not.arrayContaining(["recallable"]) as string[]]);
    expect(without.lines.filter(({ id }) => id !== undefined)).toEqual([]);
    const gone = fates(withIds).filter((fate) => fate === "recallable" || fate === "lost").length;
    expect(fates(without).filter((fate) => fate === "lost")).toHaveLength(gone);
    expect(JSON.stringify(without.counts)).not.toMatch(/"recallable":[1-9]/);
  });

  it("are searched without their secrets, as the store is, and as many places are shown as asked for", async () => {
    const key = ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_");
    const messages = chatMessages();
    const said = { role: "user", content: `The billing key is STRIPE_SECRET_KEY=${key} of account billing7.` };
    const middle = messages.findIndex(({ role }, at) => role === "assistant" && at > messages.length / 2);
    folder.write("secret.json", JSON.stringify(messages.toSpliced(middle, 0, said)));
    await run("compact", "secret.json", "--budget", "10%", "--keep", "secret.keep.json", "-o", "secret.out.json");
    expect(readFileSync(join(folder.path, "secret.keep.json"), "utf8")).toContain(key);
    for (const more of [[], ["--json"]]) {
      const { code, out } = await run("recall", "billing key billing7", "--keep", "secret.keep.json", ...more);
      expect([code, out]).toEqual([0, expect.stringContaining("billing7") as string]);
      expect(out).not.toContain(key);
    }
    const { out } = await run("recall", "value", "--keep", "secret.keep.json", "--limit", "2", "--json");
    expect(JSON.parse(out)).toHaveLength(2);
  });

  it("are kept for their owner alone, come back byte for byte, and are found by words", async () => {
    const { report } = await json("compact", "chat.json", "--budget", "20%", "--keep", "keep.json");
    expect(report.recall.length).toBeGreaterThan(0);
    expect(statSync(join(folder.path, "keep.json")).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(readFileSync(join(folder.path, "keep.json"), "utf8")) as {
      originals: Record<string, { text: string; kind: string }>;
    };
    for (const id of report.recall) {
      const { code, out, err } = await run("recall", id, "--keep", "keep.json");
      expect([code, out, err]).toEqual([0, kept.originals[id]!.text, ""]);
    }
    const found = await run("recall", "value_3_7", "--keep", "keep.json");
    expect([found.code, found.out]).toEqual([
      0,
      expect.stringMatching(/^r[0-9a-f]{16} \d+ \w+\n[^]*value_3_7/) as string,
    ]);
    const [, id = "", number = ""] = /^(r\w+) (\d+)/.exec(found.out)!;
    const message = await run("recall", id, number, "--keep", "keep.json");
    expect([message.code, message.err]).toEqual([0, ""]);
    expect(message.out).toMatch(new RegExp(`^── ${number} \\w+`));
    expect(message.out).toContain("value_3_7");
    const outline = await run("recall", id, `1-${number}`, "--role", "tool", "--outline", "--keep", "keep.json");
    expect(
      outline.out
        .trimEnd()
        .split("\n")
        .every((line) => /^\d+ tool/.test(line)),
    ).toBe(true);
    const past = await run("recall", id, "900-901", "--keep", "keep.json");
    expect([past.code, past.err]).toEqual([2, expect.stringContaining("It has messages") as string]);
    expect((await run("recall", id, "--role", "nobody", "--keep", "keep.json")).code).toBe(2);
    expect((await run("recall", "some words", "1-2", "--keep", "keep.json")).code).toBe(2);
    const nothing = await run("recall", "no such words", "--keep", "keep.json");
    expect([nothing.code, nothing.out]).toEqual([1, ""]);
    const unknown = await run("recall", "r000000000", "--keep", "keep.json");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("Unknown recall id r000000000") as string]);
    const mistyped = await run("recall", "r00000000", "--keep", "keep.json");
    expect([mistyped.code, mistyped.err]).toEqual([
      1,
      expect.stringContaining("Unknown recall id r00000000;") as string,
    ]);
  });

  it("of a later compaction join the earlier ones, and nothing else is overwritten", async () => {
    await run("compact", "chat.json", "--budget", "30%", "--keep", "both.json");
    const earlier = Object.keys(
      (JSON.parse(readFileSync(join(folder.path, "both.json"), "utf8")) as { originals: object }).originals,
    );
    await run("compact", "session.jsonl", "--budget", "30%", "--keep", "both.json");
    const all = Object.keys(
      (JSON.parse(readFileSync(join(folder.path, "both.json"), "utf8")) as { originals: object }).originals,
    );
    expect(all).toEqual(expect.arrayContaining(earlier));
    expect(all.length).toBeGreaterThan(earlier.length);

    folder.write("notes.json", '{"mine": true}');
    const { code, err } = await run("compact", "chat.json", "--budget", "30%", "--keep", "notes.json");
    expect([code, err]).toEqual([2, expect.stringContaining("Name another file") as string]);
    expect(readFileSync(join(folder.path, "notes.json"), "utf8")).toBe('{"mine": true}');
    expect((await run("recall", "x", "--keep", "notes.json")).code).toBe(3);
  });
});

describe("inspect", () => {
  it("shows where the tokens are and what a compaction would do, and changes nothing", async () => {
    const { code, out, err } = await run("inspect", "chat.json", "--context-length", "32k");
    expect([code, err]).toEqual([0, ""]);
    for (const title of ["By role", "By tool", "Largest results", "What a compaction would do"])
      expect(out).toContain(title);
    expect(out).toMatch(/tool results +█+/);
    expect(out).toMatch(/read_file +█+.* 30 calls/);
    expect(out).toMatch(/message \d+ {2}read_file src\/part\d+\.ts/);
    expect(out).toMatch(/at 20% .*−\d\d %/);
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("finds duplicate results", async () => {
    const [system, task, call, result, ...rest] = chatMessages();
    folder.write("twice.json", JSON.stringify([system, task, call, result, call, result, call, result, ...rest]));
    const { out } = await run("inspect", "twice.json", "--json");
    const { repeats, tokens, roles } = JSON.parse(out) as {
      tokens: number;
      roles: readonly { tokens: number }[];
      repeats: readonly { times: number; label: string; tokens: number }[];
    };
    expect(repeats).toEqual([{ times: 3, label: "read_file src/part0.ts", tokens: expect.any(Number) as number }]);
    expect(roles.reduce((sum, role) => sum + role.tokens, 0)).toBe(tokens);
  });
});
