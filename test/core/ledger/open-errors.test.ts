/** Errors that calls have met: until when they stand, and what ends them. */
import { describe, expect, it } from "vitest";
import { settledErrors } from "../../../src/core/ledger/entries.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { does, edits, ledgerOf, run, user } from "./ledger-talk.ts";

describe("errors", () => {
  const failing = "Exit code 1\nsrc/a.ts(3,1): error TS2305: no such export";

  it("are resolved by the same command ending well", () => {
    const { errors, commands } = ledgerOf(
      user("fix it"),
      run("npm run check", failing),
      edits("src/a.ts"),
      run("npm run check", "0 errors"),
    );
    expect(errors).toMatchObject([
      { text: "src/a.ts(3,1): error TS2305: no such export", resolved: { message: 6, by: "rerun" } },
    ]);
    expect(commands).toMatchObject([{ times: 2, ok: true }]);
  });

  it("has the newest run of a command last, whichever was run first", () => {
    const { commands } = ledgerOf(
      user("Make it build."),
      ...does("bash", { command: "npm run build" }, "src/a.ts(1,1): error TS2304: Cannot find name 'x'."),
      ...does("bash", { command: "npx tsc --noEmit" }, "src/a.ts(1,1): error TS2304: Cannot find name 'x'."),
      ...does("bash", { command: "npm run build" }, "built in 2 s"),
    );
    expect(commands.map(({ text, ok }) => [text, ok])).toEqual([
      ["npx tsc --noEmit", false],
      ["npm run build", true],
    ]);
  });

  it("are resolved by a like command once files have changed", () => {
    const test = "--- FAIL: TestA (0.0s)\nFAIL";
    const changed = ledgerOf(
      user("go"),
      run("go test ./a", test),
      edits("a.go"),
      run("go test ./a ./b", "ok  \ta\t0.1s"),
    );
    expect(changed.errors).toMatchObject([{ resolved: { by: "success" } }]);
    const unchanged = ledgerOf(user("go"), run("go test ./a", test), run("go test ./b", "ok  \tb\t0.1s"));
    expect(unchanged.errors[0]!.resolved).toBeUndefined();
  });

  it("stand until then, and know when files changed under them", () => {
    const { errors } = ledgerOf(user("fix it"), run("npm run check", failing), edits("src/a.ts"));
    expect(errors).toMatchObject([{ changedSince: 4 }]);
    expect(errors[0]!.resolved).toBeUndefined();
  });

  it("are resolved by a command that takes the same steps, however long it waits and whatever else it does", () => {
    const waited = "checkout configured\nerror: timed out waiting for the condition";
    const apply =
      "kubectl --context stg apply -f checkout.yaml && kubectl --context stg rollout status deploy/checkout";
    const after = (next: string, answer = "rolled out"): unknown[] =>
      ledgerOf(user("go"), run(`${apply} --timeout=120s`, waited), run(next, answer)).errors.map(
        ({ resolved }) => resolved?.by,
      );
    expect(after(`kubectl --context stg get pods && ${apply} --timeout=180s`)).toEqual(["rerun"]);
    expect(after(`${apply} --timeout=180s`, waited)).toEqual([undefined, undefined]);
    expect(after(apply.replaceAll("stg", "prod"))).toEqual([undefined]);
    expect(after(apply.split(" && ")[1]!)).toEqual([undefined]);
    expect(after(`cd other && ${apply}`)).toEqual([undefined]);
  });

  it("of a script are not resolved by another script", () => {
    const script = (body: string): string => `python3 - <<'EOF'\n${body}\nEOF`;
    const { errors } = ledgerOf(
      user("go"),
      run(script("import a"), "Traceback (most recent call last):\nModuleNotFoundError: No module named 'a'"),
      run(script("print(1)"), "1"),
    );
    expect(errors[0]!.resolved).toBeUndefined();
  });

  it("that were only reported are settled where the same is run without any, and a push by any push", () => {
    const settled = (...steps: (readonly [string, string])[]): number[] => [
      ...settledErrors(ledgerOf(user("go"), ...steps.map(([command, text]) => run(command, text)))),
    ];
    const locked = "╷\n│ Error: Error acquiring the state lock\n╵\nReleasing the lock. This may take a few moments.";
    const plan = (folder: string): string => `cd ${folder} && terraform plan -out=a.tfplan`;
    expect(settled([plan("stg"), locked], [plan("stg/"), "Plan: 1 to add"])).toEqual([2]);
    expect(settled([plan("stg"), locked], [plan("prod"), "Plan: 1 to add"])).toEqual([]);
    expect(settled([plan("stg"), locked], [plan("stg"), locked])).toEqual([]);
    const commit: readonly [string, string] = [
      "git commit -m 'Add the pool' && git push -u origin ops/pool",
      "[ops/pool 3fe09d1] Add the pool\nremote: error: GH006: Protected branch update failed",
    ];
    expect(settled(commit, ["git push -u origin pool", " * [new branch] pool -> pool"])).toEqual([2]);
    expect(settled(commit, ["git commit -m 'More'", "[ops/pool 4fe09d1] More"])).toEqual([]);
  });

  it("are resolved by the call that does what the error says, and by no other", () => {
    const after = (...next: Message[]): boolean =>
      ledgerOf(
        user("go"),
        does("create_ticket", { team: "billing", text: "wrong meter" }, "Error: 'billing' is closed, use 'billing-2'"),
        next,
      ).errors[0]!.resolved !== undefined;
    const ticket = (team: string, text: string, answer = "T-1"): Message[] => [
      ...does("create_ticket", { team, text }, answer),
    ];
    expect(after(...ticket("billing-2", "wrong meter"))).toBe(true);
    expect(after(...ticket("sales", "wrong meter"))).toBe(false);
    expect(after(...ticket("billing-2", "another"))).toBe(false);
    expect(after(...ticket("billing-2", "wrong meter", "Error: closed too"))).toBe(false);
  });

  it("of a file that cannot be written are resolved by that file in another folder", () => {
    const after = (path: string, content = "a,b"): boolean =>
      ledgerOf(
        user("go"),
        does("write_file", { path: "data/q1.csv", content: "a,b" }, "PermissionError: 'data/q1.csv'"),
        does("write_file", { path, content }, `saved ${path}`),
      ).errors[0]!.resolved !== undefined;
    expect(after("output/q1.csv")).toBe(true);
    expect(after("output/q2.csv")).toBe(false);
    expect(after("output/q1.csv", "c,d")).toBe(false);
  });

  it("of what is not installed are resolved by installing it", () => {
    const missing = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'pandas_gbq'";
    const after = (command: string): boolean =>
      ledgerOf(user("go"), run("python3 load.py", missing), run(command, "Successfully installed")).errors[0]!
        .resolved !== undefined;
    expect(after("pip install pandas-gbq")).toBe(true);
    expect(after("pip install pandas")).toBe(false);
    expect(after("grep -rn pandas_gbq .")).toBe(false);
  });

  it("do not hear of changed files where a call changed something that is none", () => {
    const { errors } = ledgerOf(
      user("go"),
      does("update_contract", { id: "E-1" }, "Error: locked"),
      does("update_contract", { id: "E-2" }, "done"),
    );
    expect(errors[0]!.changedSince).toBeUndefined();
  });

  it("count as settled where they were made good, or where changes and further requests came after them", () => {
    const broken = run("npx tsc --noEmit", "src/a.ts(3,1): error TS2305: no such export\nExit code 2");
    const asked = (...texts: string[]): Message[] => texts.map((text) => user(text));
    const failedAt = 2;
    expect(settledErrors(ledgerOf(user("go"), broken, edits("a.ts"), asked("next", "and this"))).size).toBe(0);
    expect(settledErrors(ledgerOf(user("go"), broken, asked("next", "and this", "and that", "more"))).size).toBe(0);
    expect(settledErrors(ledgerOf(user("go"), broken, edits("a.ts"), asked("next", "and this", "and that")))).toEqual(
      new Set([failedAt]),
    );
  });

  it("on a server are not settled by a change of files", () => {
    const drained = run("kubectl drain x2", "x2 cordoned\nerror: timed out");
    const asked = ["next", "and this", "and that"].map((text) => user(text));
    expect(settledErrors(ledgerOf(user("go"), drained, edits("a.tf"), ...asked))).toEqual(new Set());
  });

  it("in logs are settled with the check that failed because of them", () => {
    const smoke = (answer: string): readonly Message[] => run("make smoke", answer);
    const logs = run("kubectl -n shop logs deploy/checkout | tail -5", "1 ERROR dial tcp 10.2.4.17: timed out\n2 done");
    const settled = (...steps: (readonly Message[])[]): number[] => [...settledErrors(ledgerOf(user("go"), ...steps))];
    const failed = smoke("POST /checkout 502\nmake: *** [smoke] Error 1");
    expect(settled(failed, logs, smoke("4 passed")).toSorted()).toEqual([2, 4]);
    expect(settled(logs, failed, smoke("4 passed"))).toEqual([4]);
    expect(settled(failed, logs)).toEqual([]);
  });

  it("in the form of a call are resolved by another call of the same program", () => {
    const mistyped = run("cd /app && git diff main --no-stat", "Exit code 129\nusage: git diff [<options>] [<commit>]");
    const after = (...next: Parameters<typeof run>): boolean[] =>
      ledgerOf(user("go"), mistyped, run(...next)).errors.map(({ resolved }) => resolved !== undefined);
    expect(after("git diff --stat main | head", " a.ts | 2 +-")).toEqual([true]);
    expect(after("git log --oneline", "abc1234 First")).toEqual([false]);
    expect(after("git diff main --no-stat | head", "usage: git diff [<options>]")).toEqual([false]);
    expect(after("git diff --help | head", "GIT-DIFF(1)")).toEqual([false]);
    expect(after("cd /app && ls", "a.ts")).toEqual([false]);
    expect(after("git diff --no-stats", "error: invalid option: --no-stats\nusage: git diff [<options>]")).toEqual([
      false,
    ]);
    expect(after("git diff nowhere", "Exit code 128\nfatal: bad revision 'nowhere'")).toEqual([false, false]);
    const failed = run("git push --force", "Exit code 1\nerror: failed to push some refs");
    expect(ledgerOf(user("go"), failed, run("git push --dry-run", "ok")).errors[0]!.resolved).toBeUndefined();
  });

  it("of an edit are resolved by the edit that worked", () => {
    const miss = does(
      "Edit",
      { file_path: "a.ts", old_string: "x", new_string: "y" },
      "<tool_use_error>String to replace not found in file.</tool_use_error>",
    );
    expect(ledgerOf(user("go"), miss, edits("a.ts")).errors).toMatchObject([{ resolved: { by: "rerun" } }]);
  });

  it("are not made of searches and reads that found nothing", () => {
    const { errors } = ledgerOf(
      user("go"),
      does("Read", { file_path: "b.ts" }, "File does not exist.", { isError: true }),
      run("grep -rn x src", "Exit code 1"),
    );
    expect(errors).toEqual([]);
  });
});

describe("a merge with conflicts", () => {
  const conflicts =
    "Auto-merging src/a.ts\nCONFLICT (content): Merge conflict in src/a.ts\nCONFLICT (modify/delete): src/old.ts deleted in HEAD and modified in origin/main.\nAutomatic merge failed; fix conflicts and then commit the result.";
  const merge = run("git merge origin/main", conflicts, { isError: true });

  it("names the files until something is committed", () => {
    const open = ledgerOf([user("Merge."), ...merge]).errors;
    expect(open.map(({ text }) => text)).toEqual(["merge conflicts in src/a.ts, src/old.ts"]);
    const done = ledgerOf([user("Merge."), ...merge, ...run("git commit --no-edit", "[main 0abc123] Merge")]).errors;
    expect(done.every(({ resolved }) => resolved !== undefined)).toBe(true);
  });
});

it("has no error left in a file that was deleted", () => {
  const error = "src/modes/view.ts(3,5): error TS2304: Cannot find name 'x'.";
  const { errors } = ledgerOf([
    user("Build."),
    ...run("npx tsc", error, { isError: true }),
    ...run("rm packages/app/src/modes/view.ts", ""),
  ]);
  expect(errors.map(({ resolved }) => resolved !== undefined)).toEqual([true]);
});
