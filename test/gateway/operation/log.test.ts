/** The JSON log: one line an event, ordinary words untouched, and no key in it whoever put it there. */
import { expect, it } from "vitest";
import { createRedactor } from "../../../src/core/redaction/redactor.ts";
import type { GatewayEvent } from "../../../src/gateway/contract.ts";
import { createLog } from "../../../src/gateway/operation/log.ts";
import { loadSecretRules } from "../../../src/secrets/rules.ts";
import { compactionEvent, noticeEvent, requestEvent } from "./events.ts";

const redact = createRedactor(await loadSecretRules());
/** Put together here, so that no scanner takes the test for a leak. */
const KEYS = [`sk-ant-api03-${"AbC9".repeat(23)}-AA`, `sk-proj-${"aB3d".repeat(12)}`];

function logged(...events: readonly GatewayEvent[]): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const { onEvent } = createLog({ write: (line) => void lines.push(line), redact });
  events.forEach(onEvent);
  expect(lines.every((line) => line.endsWith("}\n") && line.indexOf("\n") === line.length - 1)).toBe(true);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it("writes an event as it is, with its time and how much it is to be worried about", () => {
  const request = requestEvent({ tenant: "5feceb66ffc86f38d952786c", model: "claude-sonnet-4-5-20250929" });
  const [line] = logged(request);
  const { kind, ...rest } = request;
  expect(line).toEqual({
    ...(JSON.parse(JSON.stringify(rest)) as object),
    event: kind,
    level: "info",
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
  });
});

it.each([
  [requestEvent({ treatment: { kind: "untouched", because: "held_by_provider" } }), "info"],
  [requestEvent({ treatment: { kind: "untouched", because: "store_unavailable" } }), "warn"],
  [requestEvent({ outcome: "upstream_failed" }), "warn"],
  [compactionEvent({ degraded: ["the model failed"] }), "warn"],
  [compactionEvent(), "info"],
  [noticeEvent({ code: "window_learned" }), "info"],
  [noticeEvent({ code: "internal_fault" }), "error"],
] as const)("%o is of the level %s", (event, level) => {
  expect(logged(event)[0]).toMatchObject({ level });
});

it.each(KEYS)("never writes a key, wherever a client or a cause put it: %s", (key) => {
  const text = JSON.stringify(
    logged(
      requestEvent({ model: key, path: `/v1/${key}`, method: key }),
      noticeEvent({ message: `refused: authorization: Bearer ${key}` }),
      compactionEvent({ degraded: [`asked with ${key}`] }),
    ),
  );
  expect(text).not.toContain(key);
  expect(text).not.toContain(key.slice(8, -8));
  expect(text).toContain("refused");
});
