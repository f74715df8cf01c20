import { describe, expect, it } from "vitest";
import { familyOf, fileEffectOf, purposeOf } from "../../../../src/core/evidence/facts/commands.ts";

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
    expect(purposeOf("cat > note.md <<'EOF'\nrun npm test and git commit\nEOF")).toBe("show");
  });
});

describe("what a command does to files", () => {
  it.each([
    ["rm -rf dist", "delete"],
    ["git rm old.ts", "delete"],
    ["sed -i '' s/a/b/ x.ts", "change"],
    ["cat > x.ts <<'EOF'\na\nEOF", "change"],
    ["echo hi | tee x.ts", "change"],
    ["cat x.ts 2>/dev/null", "show"],
    ["npm test 2>&1", undefined],
  ])("of %s is %s", (command, effect) => {
    expect(fileEffectOf(command)).toBe(effect);
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
