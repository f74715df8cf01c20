/** What the plugin for Claude Code answers its hooks with. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGateway } from "../../src/gateway/index.ts";
import { createOwnRoutes } from "../../src/gateway/operation/own-routes.ts";
import { precisHere, temporaryFolder } from "./precis.ts";

const RULE = "Never change the archive folder.";
const line = (role: "user" | "assistant", text: string, at: number): string =>
  JSON.stringify({
    type: role,
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    sessionId: "s",
    timestamp: `2026-11-20T10:00:00.${String(at).padStart(3, "0")}Z`,
    message: { role, content: role === "user" ? text : [{ type: "text", text }] },
  });

function hook(event: object, environment: Record<string, string> = {}) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return precisHere(["hook"], { folder: folder.path, environment, input: JSON.stringify(event) });
}

async function runningGateway(): Promise<string> {
  const own = createOwnRoutes({
    metrics: { text: async () => "", contentType: "text/plain" },
    status: () => ({}) as never,
    checkStore: async () => undefined,
    stopping: () => false,
    token: "token",
    history: {} as never,
    loopback: true,
  });
  const gateway = createGateway({ ownRoutes: (request) => own.fetch(request) });
  const listening = await gateway.listen();
  onTestFinished(async () => {
    await listening.close();
    await gateway.close();
  });
  return listening.url;
}

describe("before a compaction", () => {
  it("blocks an automatic one while the gateway answers, and no other one", async () => {
    const environment = { ANTHROPIC_BASE_URL: await runningGateway() };
    const event = { hook_event_name: "PreCompact", trigger: "auto" };
    expect(await hook(event, environment)).toMatchObject({ code: 2, err: expect.stringContaining("gateway") });
    expect((await hook({ ...event, trigger: "manual" }, environment)).code).toBe(0);
    expect((await hook(event, { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" })).code).toBe(0);
    expect((await hook(event)).code).toBe(0);
  });
});

describe("in place of Claude Code's compaction", () => {
  const TURNS = 40;
  const words = (at: number): string =>
    `Day ${at}: depot ${at} holds ${at * 37} crates. ${"They stay there. ".repeat(60)}`;

  /** Lines of a session as Claude Code writes it, and the rows that it hands to the plugin's module. */
  const turns = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index).flatMap((at) => [
      { role: "user" as const, text: at === 0 ? RULE : `Go on with day ${at}.` },
      { role: "assistant" as const, text: words(at) },
    ]);
  const rowsFor = (said: ReturnType<typeof turns>) =>
    said.map(({ role, text }) => ({ role, key: text.replaceAll(/\s+/g, "").slice(0, 200), ids: [] }));

  function session() {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const path = join(folder.path, "session.jsonl");
    const ask = async (rows: object[], more: object = {}, trigger = "manual") => {
      const compaction = { transcriptPath: path, model: "claude-sonnet-4-5", windowTokens: 20_000, rows, ...more };
      const input = JSON.stringify({ hook_event_name: "SessionCompact", trigger, compaction });
      const { code, out, err } = await precisHere(["hook"], {
        folder: folder.path,
        environment: { XDG_DATA_HOME: folder.path },
        input,
      });
      expect([code, err]).toEqual([0, ""]);
      return JSON.parse(out) as { messages: (number | { role: string; text: string })[]; tokensAfter: number };
    };
    return { path, ask, folder: folder.path };
  }

  /** Behind a boundary, as Claude Code writes what a module answers with. */
  const appended = (
    answer: { messages: (number | { role: string; text: string })[] },
    said: readonly { text: string }[],
  ) =>
    [
      {
        type: "system",
        subtype: "compact_boundary",
        uuid: "b",
        parentUuid: null,
        logicalParentUuid: `u${said.length - 1}`,
      },
      ...answer.messages.map((one, at) => ({
        type: typeof one === "number" ? "user" : one.role,
        uuid: `c${at}`,
        parentUuid: at === 0 ? "b" : `c${at - 1}`,
        sessionId: "s",
        timestamp: "2026-11-20T11:00:00.000Z",
        message:
          typeof one === "number"
            ? { role: "user", content: said[one]!.text }
            : { role: one.role, content: one.role === "user" ? one.text : [{ type: "text", text: one.text }] },
      })),
    ].map((record) => JSON.stringify(record));

  it("writes a handoff, keeps the newest messages, and puts the session into the store", async () => {
    const { path, ask, folder } = session();
    const said = turns(0, TURNS);
    writeFileSync(path, said.map(({ role, text }, at) => line(role, text, at)).join("\n"));
    const { messages, tokensAfter } = await ask(rowsFor(said), { instructions: "depot 3" });
    const [handoff, ...kept] = messages as [{ text: string }, ...(number | { text: string })[]];
    expect(handoff.text).toContain(RULE);
    expect(handoff.text).toMatch(new RegExp(`the next ${kept.length} messages are kept as they were\\]$`));
    expect(kept.at(-1)).toMatchObject({ role: "assistant", text: words(TURNS - 1) });
    expect(kept.at(-2)).toBe(said.length - 2);
    expect(tokensAfter).toBeLessThan(10_000);
    const found = await precisHere(["recall", "74 crates"], { folder, environment: { XDG_DATA_HOME: folder } });
    expect(found.out).toContain("Day 2: depot 2");
  });

  it("writes the next one from the originals, each once, and undoes it", async () => {
    const { path, ask, folder } = session();
    const said = turns(0, TURNS);
    const lines = said.map(({ role, text }, at) => line(role, text, at));
    writeFileSync(path, lines.join("\n"));
    const first = await ask(rowsFor(said));
    const more = turns(TURNS, 2 * TURNS);
    const behind = more.map(({ role, text }, at) =>
      line(role, text, at).replace(
        /"uuid":"u\d+","parentUuid":[^,]+/,
        `"uuid":"m${at}","parentUuid":"${at === 0 ? `c${first.messages.length - 1}` : `m${at - 1}`}"`,
      ),
    );
    writeFileSync(path, [...lines, ...appended(first, said), ...behind].join("\n"));
    const rows = [
      ...rowsFor(first.messages.map((one) => (typeof one === "number" ? said[one]! : (one as (typeof said)[0])))),
      ...rowsFor(more),
    ];
    const second = await ask(rows);
    const { text } = second.messages[0] as { text: string };
    expect(text.match(/\[precis handoff 1\]/g)).toHaveLength(1);
    expect(text).toContain(RULE);
    const listed = await precisHere(["sessions", "--json"], { folder, environment: { XDG_DATA_HOME: folder } });
    const [stored] = JSON.parse(listed.out) as { messages: number; branches: number }[];
    expect(stored).toMatchObject({ messages: said.length + more.length, branches: 0 });
    const undone = await ask(rowsFor(more.slice(-4)), { undo: true });
    const [before, ...restored] = undone.messages as { text: string }[];
    expect(before!.text).toContain("[precis handoff 1]");
    expect(restored.some((one) => typeof one === "object" && one.text === words(TURNS))).toBe(true);
    const whole = await ask(rowsFor(more.slice(-4)), { undo: true });
    expect((whole.messages as { text: string }[]).some((one) => one.text === RULE)).toBe(true);
  });

  it("keeps no reply of a turn that goes on, whatever comes behind its result", async () => {
    const { path, ask } = session();
    const said = [...turns(0, TURNS), { role: "user" as const, text: "Read it." }];
    const lines = said.map(({ role, text }, at) => line(role, text, at));
    const at = said.length;
    const step = (more: object): string =>
      JSON.stringify({ ...(JSON.parse(line("user", "", at)) as object), sessionId: "s", ...more });
    const use = { type: "tool_use", id: "toolu_1", name: "Read", input: {} };
    const call = step({ type: "assistant", message: { role: "assistant", content: [use] } });
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: "x = 1" };
    const answered = step({ uuid: "r", parentUuid: `u${at}`, message: { role: "user", content: [result] } });
    const behind = step({
      uuid: "n",
      parentUuid: "r",
      isMeta: true,
      message: { role: "user", content: "<system-reminder>New tools.</system-reminder>" },
    });
    const rows = [
      ...rowsFor(said),
      { role: "assistant", key: "", ids: [] },
      { role: "assistant", key: "", ids: ["toolu_1"] },
      { role: "user", key: "", ids: ["toolu_1"] },
    ];
    writeFileSync(path, [...lines, call, answered, behind].join("\n"));
    expect((await ask(rows, {}, "auto")).messages).toHaveLength(1);
  });

  it("says why nothing can be undone where its store cannot be opened", async () => {
    const { path, ask, folder } = session();
    const said = turns(0, 4);
    writeFileSync(path, said.map(({ role, text }, at) => line(role, text, at)).join("\n"));
    writeFileSync(join(folder, "precis"), "no folder");
    expect(await ask(rowsFor(said), { undo: true })).toEqual({
      skip: expect.stringContaining("precis could not undo: "),
    });
  });

  it("says why Claude Code has to compact itself", async () => {
    const { path, ask, folder } = session();
    const short = [{ role: "user", text: "Hello." }] as const;
    writeFileSync(path, short.map(({ role, text }, at) => line(role, text, at)).join("\n"));
    expect(await ask(rowsFor([...short]))).toEqual({ failure: "precis found nothing to shorten." });
    const said = turns(0, TURNS);
    writeFileSync(path, said.map(({ role, text }, at) => line(role, text, at)).join("\n"));
    expect(await ask(rowsFor(said).map((row) => ({ ...row, key: "other" })))).toEqual({
      failure: "the session file does not hold this conversation.",
    });
    rmSync(join(folder, "precis"), { recursive: true, force: true });
    writeFileSync(join(folder, "precis"), "no folder");
    expect(await ask(rowsFor(said))).toEqual({ failure: expect.stringMatching(/history\.db.*\. [A-Z].*\.$/) });
  });

  it.each([
    ["auto", "host"],
    ["manual", "explicit"],
  ])("is kept with what it was made for: %s", async (trigger, reason) => {
    const { path, ask, folder } = session();
    const said = turns(0, TURNS);
    writeFileSync(path, said.map(({ role, text }, at) => line(role, text, at)).join("\n"));
    expect(await ask(rowsFor(said), {}, trigger)).toHaveProperty("messages");
    const shown = await precisHere(["sessions", "show", "claude-code:s"], {
      folder,
      environment: { XDG_DATA_HOME: folder },
    });
    expect(shown.out).toMatch(new RegExp(`^ *1  ${reason}  `, "m"));
  });

  it("leaves the session that Claude Code keeps to its own undo", async () => {
    const { path, ask, folder } = session();
    const said = turns(0, TURNS);
    writeFileSync(path, said.map(({ role, text }, at) => line(role, text, at)).join("\n"));
    await ask(rowsFor(said));
    for (const [command, hint] of [
      [["undo", "claude-code:s"], "/compact undo"],
      [["undo", "claude"], "/compact undo"],
      [["sessions", "compact", "claude-code:s"], "`/compact` in Claude Code"],
      [["sessions", "edit", "claude-code:s", "--drop", "2-3"], "`/compact` in Claude Code"],
    ] as const) {
      const { code, err } = await precisHere(command, { folder, environment: { XDG_DATA_HOME: folder } });
      expect([code, err]).toEqual([2, expect.stringContaining(hint)]);
    }
    expect(await ask(rowsFor(said), { undo: true })).toHaveProperty("messages");
  });

  it("leaves an automatic one out while a gateway answers, and one of another conversation to Claude Code", async () => {
    const { path } = session();
    writeFileSync(
      path,
      turns(0, TURNS)
        .map(({ role, text }, at) => line(role, text, at))
        .join("\n"),
    );
    const compaction = {
      transcriptPath: path,
      model: "m",
      windowTokens: 20_000,
      rows: [{ role: "user", key: "x", ids: [] }],
    };
    const event = { hook_event_name: "SessionCompact", trigger: "auto", compaction };
    expect(JSON.parse((await hook(event, { ANTHROPIC_BASE_URL: await runningGateway() })).out)).toHaveProperty("skip");
    expect(JSON.parse((await hook({ ...event, trigger: "manual" })).out)).toEqual({
      failure: "the session file does not hold this conversation.",
    });
  });
});

describe("after a compaction", () => {
  it("brings the rules of the session back, and nothing after another start", async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const path = join(folder.path, "session.jsonl");
    const said = [RULE, "It stays.", "List the files.", "There is one."];
    writeFileSync(path, said.map((text, at) => line(at % 2 === 0 ? "user" : "assistant", text, at)).join("\n"));
    const event = { hook_event_name: "SessionStart", source: "compact", transcript_path: path };
    const { code, out } = await hook(event);
    const { hookSpecificOutput } = JSON.parse(out) as { hookSpecificOutput: Record<string, string> };
    expect([code, hookSpecificOutput["hookEventName"]]).toEqual([0, "SessionStart"]);
    expect(hookSpecificOutput["additionalContext"]).toContain(RULE);
    expect(await hook({ ...event, source: "startup" })).toMatchObject({ code: 0, out: "" });
    expect(await hook(event, { PRECIS_COMPACTED: "1" })).toMatchObject({ code: 0, out: "" });
  });

  it.each([[{}], [{ hook_event_name: "SessionStart", source: "compact", transcript_path: "gone.jsonl" }]])(
    "never stands in the way: %j",
    async (event) => {
      expect(await hook(event)).toMatchObject({ code: 0, out: "" });
    },
  );
});
