/** Command lines, read as a shell reads them: words between quotes and in here-documents are text and do nothing. */
import { describe, expect, it } from "vitest";
import { commandFacts } from "../../../src/core/events/shell.ts";

it.each([
  ["git config user.email", "show", []],
  ["./create_lint_branches.sh --go", "other", []],
  ["./run_tests.sh", "check", []],
  ["bin/check-all", "check", []],
  ["git config --get user.email", "show", []],
  ['git config --global user.email "a@example.org"', "other", []],
])("%s is %s", (command, purpose, shows) => {
  expect(commandFacts(command)).toMatchObject({ purpose, shows });
});

describe("a command line", () => {
  it.each([
    ["cat src/a.ts", "show"],
    ["cd /repo && git log --oneline | head -5", "show"],
    ["sed -n 1,40p src/a.ts", "show"],
    ["grep -rn 'npm test' docs", "show"],
    ["git diff --stat", "show"],
    ["npm test", "check"],
    ["cd /repo && npx tsc --noEmit 2>&1 | tail -3", "check"],
    ["bash -lc 'cargo test --all'", "check"],
    ["timeout 60 pytest -q", "check"],
    ["CI=1 make build", "check"],
    ["git commit -am 'Run the tests'", "commit"],
    ["git add -A && git commit -m x", "commit"],
    ["mkdir test", "other"],
    ["git checkout -b fix/build", "other"],
    ["cat > notes.md <<'END'\nnpm test\nEND", "other"],
  ])("%j has the purpose %s", (command, purpose) => {
    expect(commandFacts(command).purpose).toBe(purpose);
  });

  it.each([
    ["echo a > out.txt", ["out.txt"]],
    ["npm test 2> log.txt", ["log.txt"]],
    ["npm test 2>&1 | tee run.log", ["run.log"]],
    ["cat > a.py <<EOF\nprint(1) > b.py\nEOF", ["a.py"]],
    ["sed -i 's/a > b/c/' src/a.ts", ["src/a.ts"]],
    ["echo 'a > b.txt'", []],
    ["make > /dev/null 2>&1", []],
    ["wc -l < in.txt", []],
  ])("%j writes %j", (command, files) => {
    expect(commandFacts(command).writes).toEqual(files);
  });

  it.each([
    ["rm a.ts", ["a.ts"]],
    ["rm -rf build dist", ["build", "dist"]],
    ["git rm old.ts", ["old.ts"]],
    ['rm "two words.txt"', ["two words.txt"]],
    ["echo rm a.ts", []],
    ["git commit -m 'rm a.ts'", []],
  ])("%j deletes %j", (command, files) => {
    expect(commandFacts(command).deletes).toEqual(files);
  });

  it.each([
    ["cat src/a.ts docs/b.md", ["src/a.ts", "docs/b.md"]],
    ["grep -n 'rm old/x.ts' src/a.ts", ["src/a.ts"]],
    ["grep -A 5 'watch = fs.watch' src/a.ts | head -3", ["src/a.ts"]],
    ["rg -e console.error src/a.ts", ["src/a.ts"]],
    ["git grep fs.watch src/a.ts", ["src/a.ts"]],
    ["git diff HEAD src/a.ts", ["HEAD", "src/a.ts"]],
    ["ls src | grep -v _test.go", ["src"]],
    ["echo a.ts", []],
    ["npm test src/a.ts", []],
    [String.raw`cat "C:\work\a.json" "say \"b\".ts"`, [String.raw`C:\work\a.json`, 'say "b".ts']],
  ])("%j shows %j", (command, words) => {
    expect(commandFacts(command).shows).toEqual(words);
  });

  it.each([
    ["pwsh -NoProfile -Command Get-Content -Raw a.rs", "show"],
    ["pwsh -Command '$c = (Get-Content -Raw a.rs) -split \"x\"; $c | Select-String y | Out-String'", "show"],
    ["pwsh -Command 'Set-Content a.txt x'", "other"],
    ["Get-Process node | Stop-Process", "other"],
    ["Get-Content a.txt | Out-File b.txt", "other"],
    ["pwsh -Command '$ok = Remove-Item a.txt'", "other"],
    ["write-good a.md", "other"],
  ])("%j of PowerShell is to %s", (command, purpose) => {
    expect(commandFacts(command).purpose).toBe(purpose);
  });

  it.each([
    ["cd /repo && ls", "/repo"],
    ["cd '/my repo'; ls", "/my repo"],
    ["cd -- /repo", "/repo"],
    ["cd /d C:/repo", "C:/repo"],
    ["ls && cd /repo", undefined],
    ["echo cd /repo", undefined],
  ])("%j works in the folder %s", (command, folder) => {
    expect(commandFacts(command).folder).toBe(folder);
  });
});

describe("what stands between quotes or in a here-document", () => {
  it.each([
    "git commit -m 'rm src/a.ts > b.txt'",
    'git commit -m "drop: rm -rf old && echo x > y.md"',
    "git commit -F - <<'EOF'\nrm a.ts\necho > b.ts\nEOF",
    "gh pr create --body \"$(cat <<'EOF'\nrm a.ts > c.ts\nEOF\n)\"",
    "echo 'rm -rf /' | wc -c",
    'grep -rn "del old.txt" .',
    "# rm a.ts > b.ts",
    "echo a \\> b.ts",
    "printf '%s' \"a > b\"",
    'echo "删除 rm 文件.ts"',
  ])("deletes and writes nothing: %j", (command) => {
    const { deletes, writes } = commandFacts(command);
    expect([deletes, writes]).toEqual([[], []]);
  });

  it.each([
    ["python - <<PY\nopen('a')\nPY\nrm b.ts", ["b.ts"]],
    ["cat <<A <<B\nrm x\nA\nrm y\nB\nrm z.ts", ["z.ts"]],
    ["rm src\\Shop.API\\a.ts", ["src\\Shop.API\\a.ts"]],
    ["rm two\\ words.txt", ["two words.txt"]],
    ["rm 'C:\\repo\\a.ts'", ["C:\\repo\\a.ts"]],
    ["del C:/repo/a.ts", ["C:/repo/a.ts"]],
    ["rm 資料/設定.json", ["資料/設定.json"]],
    ["sudo rm -f файл.txt", ["файл.txt"]],
    ["pwsh -Command 'del a.txt'", ["a.txt"]],
  ])("ends where its mark says: %j deletes %j", (command, files) => {
    expect(commandFacts(command).deletes).toEqual(files);
  });
});
