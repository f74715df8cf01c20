import { describe, expect, it } from "vitest";
import { describeCall } from "../../../../src/core/digest/call.ts";
import { deedOf, deletes, familyOf, fileEffectOf, purposeOf } from "../../../../src/core/ledger/readers/commands.ts";

describe("the purpose of a command", () => {
  it.each([
    ["cat src/a.ts", "show"],
    ["cd /work && git log --oneline | head -5", "show"],
    ["sed -n 1,20p a.ts; grep -rn test src", "show"],
    ["gh pr view 12 --json body", "show"],
    ["pr=$(gh pr view --json number) && echo $pr", "show"],
    ["npm test", "check"],
    ["cd app && go build ./... 2>&1 | tail -3", "check"],
    ["npx tsc --noEmit", "check"],
    ["git add -A && git commit -m 'Fix the test'", "commit"],
    ["git push", "other"],
    ["gh api -X POST repos/a/b/issues", "other"],
    ["npm install left-pad", "other"],
    ["sed -i s/a/b/ x.ts", "other"],
  ])("of %s is %s", (command, purpose) => {
    expect(purposeOf(command)).toBe(purpose);
  });

  it("is not read from the text that a here-document holds", () => {
    expect(purposeOf("cat > note.md <<'EOF'\nrun npm test and git commit\nEOF")).toBe("other");
  });
});

describe("what a command does to files", () => {
  it.each([
    ["rm -rf dist", "delete"],
    ["git rm old.ts", "delete"],
    ["sed -i '' s/a/b/ x.ts", "change"],
    ["cat > x.ts <<'EOF'\na\nEOF", "change"],
    ["echo hi | tee x.ts", "change"],
    ["cat x.ts 2>/dev/null", undefined],
    ["npm test 2>&1", undefined],
  ])("of %s is %s", (command, effect) => {
    expect(fileEffectOf(command)).toBe(effect);
  });
});

it("deletes what its own part names", () => {
  expect(deletes("rm costs.mjs; grep -c x data/slots.csv", "costs.mjs")).toBe(true);
  expect(deletes("rm costs.mjs; grep -c x data/slots.csv", "data/slots.csv")).toBe(false);
  expect(deletes("cd /shop && git rm src/a.ts src/b.ts && npm test", "src/b.ts")).toBe(true);
});

describe("a call, worked out once", () => {
  const runOf = (command: string) => deedOf(describeCall("Bash", JSON.stringify({ command }))).run;

  it("knows purpose, family and effect of its command", () => {
    expect(runOf("cat x.ts")).toEqual({ purpose: "show", family: "cat x.ts", effect: "show" });
    expect(runOf("cd a && npm run check 2>&1")).toEqual({ purpose: "check", family: "npm run check" });
    expect(runOf("rm x.ts")).toMatchObject({ effect: "delete" });
  });

  it("has none of that where it runs nothing", () => {
    expect(deedOf(describeCall("Read", '{"file_path":"a.ts"}')).run).toBeUndefined();
  });
});

describe("the family of a command", () => {
  it.each([
    ["go test ./a -run X", "go test"],
    ["cd /repo && CI=1 go test ./b | tail", "go test"],
    ["npm run check -- --fix", "npm run check"],
    ["mise run lint 2>&1", "mise run lint"],
    ["pytest tests/test_a.py", "pytest tests/test_a.py"],
  ])("of %s is %s", (command, family) => {
    expect(familyOf(command)).toBe(family);
  });
});

it("goes on behind a here-document, of which only the text is none", () => {
  const command = "cat > a.test.js <<'TEST'\nrm -rf everything\nTEST\nnode --test 2>&1 | tail -n 3";
  expect([purposeOf(command), familyOf(command), fileEffectOf(command)]).toEqual(["check", "node --test", "change"]);
  expect(purposeOf("cat <<EOF\ngit push\nnpm test\nEOF")).toBe("show");
});
