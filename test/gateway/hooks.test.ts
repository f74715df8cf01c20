/** Hooks behind the gateway: told of a compaction that a request made, in every protocol; a failure is a notice. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { textMessage } from "../../src/core/transcript/message.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { atEnd, stand, TENANT } from "./support/standing.ts";

const WINDOW_TOKENS = 12_000;
const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;

async function standWith(beforeCompact: readonly string[], afterCompact: readonly string[], timeoutMs = 5_000) {
  return stand({
    provider: { every: { windowTokens: WINDOW_TOKENS } },
    gateway: { contextLength: WINDOW_TOKENS, hooks: { beforeCompact, afterCompact, timeoutMs } },
  });
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "precis-hooks-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function conversation() {
  const talk = worked("notes", 18);
  return { ...talk, messages: [textMessage("user", `Use ${TOKEN}.`), ...talk.messages] };
}

it.each(PROTOCOLS)("are told of what %s requests bring about, without secrets", async (protocol) => {
  const path = folder();
  const { url, gateway, events } = await standWith([`cat > ${path}/before`], [`cat > ${path}/after`]);
  const { status, treatment } = await ask(url, { protocol, body: bodyOf(protocol, conversation()) });
  expect([status, treatment]).toEqual([200, expect.stringMatching(/fresh$/)]);
  await gateway.settled();
  const [before, after] = [readFileSync(`${path}/before`, "utf8"), readFileSync(`${path}/after`, "utf8")];
  expect(JSON.parse(before)).toMatchObject({ event: "before_compact", tenant: TENANT });
  const { compaction } = JSON.parse(after) as { compaction: { report: { tokens: { before: number; after: number } } } };
  expect(compaction.report.tokens.after).toBeLessThan(compaction.report.tokens.before);
  expect(before + after).not.toContain(TOKEN);
  expect(events.filter((event) => event.kind === "notice" && event.code === "hook_failed")).toEqual([]);
});

it("leave the request alone when they fail, and the notice says which, without content", async () => {
  const { url, gateway, events } = await standWith(["echo quoted >&2; exit 4", "exec sleep 60"], ["exit 5"], 1_500);
  const answer = await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", conversation()) });
  expect([answer.status, answer.treatment]).toEqual([200, expect.stringMatching(/fresh$/)]);
  await gateway.settled();
  const notices = events.flatMap((event) => (event.kind === "notice" && event.code === "hook_failed" ? [event] : []));
  expect(notices.map(({ message }) => message).toSorted()).toEqual([
    "the hook hooks.after_compact exited with code 5",
    "the hook hooks.before_compact[0] exited with code 4",
    "the hook hooks.before_compact[1] took longer than 1.5 seconds (hooks.timeout_seconds) and was stopped",
  ]);
});
