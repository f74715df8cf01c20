/** What a call was asked for by the name of a secret, and answers with nothing else, is not told; what only stands near such a name is. */
import { describe, expect, it } from "vitest";
import { stagesOf } from "../../../../src/core/handoff/model/source.ts";
import { createSecretHider } from "../../../../src/core/compaction/remembered.ts";
import { does } from "../../events/session-talk.ts";
import { measure } from "../../../support/compacting.ts";
import { agent, call, DOORS, toldOf, user, work } from "./sessions.ts";

const made = (...pieces: readonly string[]): string => pieces.join("");
const SHOWN: readonly (readonly [string, object, string])[] = [
  ["Bash", { command: "echo $DB_PASSWORD" }, made("Tr0ub", "4dor+3")],
  ["Bash", { command: "printenv API_KEY" }, made("m4ster9", "key2value")],
  ["Bash", { command: "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d" }, made("hunter2", "goes5")],
  ["Bash", { command: "pass show prod/db_password" }, made("s3cr3t", "Value77")],
  ["Bash", { command: "vault kv get -field=password kv/db" }, made("Zx81qw", "72Pl")],
  ["Bash", { command: "cat config/master.key" }, made("b1946ac92492d234", "7c6235b4d2611184")],
  ["Bash", { command: "security find-generic-password -w -s db" }, made("Tiger5", "bay!x")],
  ["get_secret", { name: "prod/db" }, made("correct", "Horse9")],
  [
    "exec_command",
    { cmd: "echo $DB_PASSWORD" },
    `Exit code: 0\nWall time: 0.1 seconds\nOutput:\n${made("Tr0ub", "4dor+3")}`,
  ],
];
const secretIn = (result: string): string => result.split("\n").at(-1)!;

describe.each(DOORS)("through %s", (door) => {
  it.each(SHOWN)("%s %o is told without %s", async (tool, args, result) => {
    const steps = [
      user("Why can it not log in?"),
      ...work(1),
      call(tool, { ...args }, result),
      ...work(4),
      user("And now?"),
    ];
    const { handoff } = await toldOf(door, steps, 0.3);
    expect(handoff).not.toContain(secretIn(result));
    expect(handoff).toContain("[redacted]");
  });
});

it.each(SHOWN)("a model that writes the handoff does not read what %s %o shows", (tool, args, result) => {
  const messages = does(tool, { ...args }, result);
  const span = {
    messages,
    from: 0,
    until: messages.length,
    focus: [],
    recall: "r0",
    measure,
    redact: (text: string) => text,
  };
  expect(stagesOf(span, 4_000, 1).join("\n")).not.toContain(secretIn(result));
  expect(createSecretHider(messages)(`It logs in with ${secretIn(result)} now.`)).not.toContain(
    secretIn(result).slice(0, 8),
  );
});

it.each([
  ["Bash", { command: "cat src/auth/password.ts | wc -l" }, "118"],
  ["Bash", { command: "git rev-parse --short fix/reset-password" }, "9fceb02d"],
  ["Bash", { command: "ls src/secrets" }, "rotation2.ts"],
  ["Bash", { command: "grep -rl API_KEY src" }, "src/config/env2.ts"],
  ["Bash", { command: "npm view password-validator version" }, "5.3.0"],
  ["Bash", { command: "stat -c %y master.key" }, "2026-03-14"],
  ["Bash", { command: "kubectl get secrets -o name" }, "secret/db-login-2"],
  ["Bash", { command: "node --version" }, "v24.21.0"],
  ["Bash", { command: "git branch --show-current" }, "feature/Login2Form"],
] as const)("%s %o is told with %s", async (tool, args, result) => {
  const steps = [
    user("Look at it."),
    ...work(1),
    call(tool, args, result),
    ...work(4),
    agent("Seen."),
    user("And now?"),
  ];
  const { handoff } = await toldOf("library", steps, 0.3);
  expect(handoff).toContain(result);
});
