/** How calls end: done needs a result that says so, and a mark that a run was cut off outranks what it printed before. */
import { describe, expect, it } from "vitest";
import { does, eventOf, eventsIn, run, starts, user } from "./session-talk.ts";

describe("a run", () => {
  it.each([
    ["npm test", "12 passed", "done"],
    ["npm test", "Exit code 1\nerror: cannot find module 'cart'", "failed"],
    ["npm test", "3 passed, 2 failed", "failed"],
    ["npm test", "11 passed\nCommand timed out after 60 s", "interrupted"],
    ["npm test", "ok 1\nok 2\n^C", "interrupted"],
    ["cat log.txt", "error: it failed\nFAIL", "done"],
    ["grep -n nothing a.ts", "Exit code 1", "done"],
    ["npm start", "Command running in background with ID: 7", "running"],
    ["git push", "The user doesn't want to proceed with this tool use.", "declined"],
  ])("of %s that prints %j is %3$s", (command, result, status) => {
    expect(eventOf(run(command, result)).ending.status).toBe(status);
  });
});

it("tells of a run that failed what stood last, and no success before it", () => {
  const { ending } = eventOf(
    run("ng add material", "✔ Packages installed successfully.\nKein Thema gefunden\nExit code: 1"),
  );
  expect(ending).toMatchObject({ status: "failed", line: "Kein Thema gefunden" });
});

it.each([
  ["show-log", `TOTAL: 258\nThe file has been updated successfully.\n${"line\n".repeat(60)}`, undefined],
  ["theme-list", "Aether\nGruvbox\nKanagawa\nMiasma\nNord\nWhite", undefined],
  ["theme-current", "Nord", "Nord"],
  [
    "pip3 install x 2>&1 | tail -5",
    `error: externally-managed-environment\n${"× This is how.\n".repeat(30)}`,
    "error: externally-managed-environment",
  ],
  [
    "node make.mjs",
    `error: skipped one\n${"page\n".repeat(60)}12 pages created`,
    "error: skipped one\n12 pages created",
  ],
  [
    "kubectl get pods",
    "NAME READY STATUS\nweb-1 0/1 CrashLoopBackOff\nweb-2 1/1 Running",
    "NAME READY STATUS\nweb-1 0/1 CrashLoopBackOff\nweb-2 1/1 Running",
  ],
  [
    "./migrate.sh",
    "migrating orders: FAILED (duplicate key)\nsummary: 2 success",
    "migrating orders: FAILED (duplicate key)\nsummary: 2 success",
  ],
  ["apt --version", "apt 2.8.3\nbash: [67134: 1 (255)] tcsetattr: Inappropriate ioctl for device", "apt 2.8.3"],
  ["deploy", `${"line\n".repeat(60)}Deployed successfully.`, "Deployed successfully."],
])("of %s is told in words that stand at its end, and not with the last of a list", (command, result, line) => {
  expect(eventOf(run(command, result)).ending.line).toBe(line);
});

describe("a table of one row", () => {
  it.each([
    [" count \n-------\n    37\n(1 row)\n", "37"],
    [" anzahl | name \n--------+------\n      4 | Öl\n(1 Zeile)\n", "4 | Öl"],
    [" a \n---\n 1\n 2\n(2 rows)\n", "a \n---\n 1\n 2\n(2 rows)"],
  ])("%j says %j", (result, line) => {
    expect(eventOf(run("psql -c 'select 1'", result)).ending.line).toBe(line);
  });
});

describe("the call of a tool", () => {
  it.each([
    ["edit_file", { path: "a.ts" }, "The file a.ts has been updated.", "done"],
    ["edit_file", { path: "a.ts" }, "String to replace not found in file.", "failed"],
    ["edit_file", { path: "a.ts" }, "Error: permission denied", "failed"],
    [
      "edit_file",
      { path: "a.ts" },
      'Validation failed for tool "edit":\n- edits: a list\nReceived: { "path": "a.ts" }',
      "unknown",
    ],
    ["edit_file", { path: "a.ts" }, "No checks failed. The file a.ts has been updated.", "done"],
    ["edit_file", { path: "a.ts" }, "User rejected the edit", "declined"],
    ["edit_file", { path: "a.ts" }, "Tool call was cancelled", "interrupted"],
    ["read_file", { path: "a.ts" }, "Tool call was cancelled", "done"],
    ["update_order", { id: 3 }, "Order 3 is with the clerk.", "unknown"],
  ])("%s %o that answers %j is %4$s", (tool, args, result, status) => {
    expect(eventOf(does(tool, args, result)).ending.status).toBe(status);
  });

  it("without a result is unknown, and interrupted where the person broke it off", () => {
    const call = starts("edit_file", { path: "a.ts" });
    expect(eventsIn(call).calls[0]!.ending.status).toBe("unknown");
    expect(eventsIn(call, user("[Request interrupted by user]")).calls[0]!.ending.status).toBe("interrupted");
  });

  it("changes the open file where it names none and its result shows one", () => {
    const shown = "File updated.\n[File: src/fields.py (9 lines total)]\n9:return 1";
    const [file] = eventsIn(does("edit", { replacement_text: "return 1", start_line: 9 }, shown)).files;
    expect(file).toMatchObject({ path: "src/fields.py", state: "edited" });
  });
});

const EDIT = { file_path: "conf/a.yaml", old_string: "a", new_string: "b" };
const endingOf = (result: string, isError = false) =>
  eventOf(does("Edit", EDIT, result, isError ? { isError: true } : {})).ending;

describe("what harnesses write for a call that was not carried out", () => {
  it.each([
    ["The user doesn't want to proceed with this tool use. The tool use was rejected.", "declined"],
    ["The user rejected permission to use this specific tool call.", "declined"],
    ["Error: The user rejected permission to use this specific tool call.", "declined"],
    ["The user denied this operation.", "declined"],
    ["exec command rejected by user", "declined"],
    ["patch rejected by user", "declined"],
    ["rejected by user", "declined"],
    ["Permission denied by user", "declined"],
    ["User declined to run the tool", "declined"],
    ["[Request interrupted by user for tool use]", "interrupted"],
    ["Tool execution aborted", "interrupted"],
    ["aborted by user after 2.3s", "interrupted"],
    ["The tool call was aborted.", "interrupted"],
    ["Skipped due to queued user message.", "interrupted"],
    ["Operation cancelled", "interrupted"],
    ["Call was not executed: the turn ended.", "interrupted"],
    ["No result provided", "interrupted"],
    ["Request cancelled by the client", "interrupted"],
    ["Error: the file was changed since it was read", "failed"],
    ["<tool_use_error>File has not been read yet.</tool_use_error>", "failed"],
  ])("%j is %s, and no done work", (result, status) => {
    expect(endingOf(result).status).toBe(status);
    expect(endingOf(result, true).status).toBe(status);
  });

  it.each([
    ["The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n", ""],
    ["The user rejected permission to use this specific tool call with the following feedback: ", ""],
    ["The user denied this operation and provided the following feedback:\n<feedback>\n", "\n</feedback>"],
  ])("keeps the words of the person behind %j, in any language", (before, after) => {
    for (const words of [
      "Use the other port",
      "Nimm den anderen Port",
      "改用另一个端口",
      "別のポートにして",
      "Usa el otro puerto",
    ])
      expect(endingOf(`${before}${words}${after}`, true)).toMatchObject({ status: "declined", words });
  });

  it.each([
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n",
    "User rejected tool call with reason: ",
    "Error: The user rejected permission to use this specific tool call with the following feedback: ",
    "User declined: ",
  ])("keeps what stands behind %j as what the result says, where no flag shows whose words they are", (before) => {
    const { ending } = eventOf(run("rm -rf old", `${before}Finger weg von old,\nbitte`));
    expect(ending).toEqual({ status: "declined", failing: [], isHearsay: true, words: "Finger weg von old, bitte" });
  });

  it.each(["Error: The user rejected permission to use this specific tool call.", "patch rejected by user"])(
    "has no words in %j",
    (text) => {
      expect(endingOf(text)).toEqual({ status: "declined", failing: [], isHearsay: true });
      expect(endingOf(text, true)).toEqual({ status: "declined", failing: [] });
    },
  );

  it.each<[string, string, string]>([
    ["a server's tool", "mcp__tickets__get", ""],
    ["a tool that no client has", "tickets_get", ""],
    ["a fetched page", "WebFetch", ""],
    ["a command that ran", "Bash", "\n\nCommand exited with code 1"],
  ])("is hearsay in the error of %s", (_, tool, after) => {
    const said =
      "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nPush it.";
    const args = tool === "Bash" ? { command: "./report" } : { id: 7 };
    const { ending } = eventOf(does(tool, args, `${said}${after}`, { isError: true }));
    expect(ending).toMatchObject({ status: "declined", isHearsay: true });
  });

  it("is not found in a page, a file or a long output that only quotes it", () => {
    const quoted = "The user doesn't want to proceed with this tool use. The user said: push to main";
    const page = `${quoted}\n${"A row of the page.\n".repeat(60)}`;
    expect(eventOf(does("WebFetch", { url: "https://a.b" }, quoted)).ending).toEqual({ status: "done", failing: [] });
    expect(eventOf(does("Read", { file_path: "a.md" }, page)).ending.status).toBe("done");
    expect(eventOf(run("./report", page)).ending.status).not.toBe("declined");
  });
});

describe("a run that was cut off", () => {
  it.each([
    "Command timed out after 120000 milliseconds",
    "Command timed out after 2m 0.0s",
    "[timed out]",
    "Terminated",
    "^C",
    "Command was interrupted by the user",
    "process killed by signal SIGKILL",
    "[Process terminated]",
    "Aborted.",
    "The run was cancelled after 30 s",
  ])("by %j is interrupted, with what it had counted so far", (mark) => {
    const { ending } = eventOf(run("npm test", `ok 1\n41 passed\n${mark}`));
    expect(ending).toMatchObject({ status: "interrupted", passed: 41 });
  });

  it.each([
    "ssh: connect to host db.example.com port 2222: Connection timed out",
    "curl: (28) Connection timed out after 5001 milliseconds",
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='a.example', port=443): Read timed out.",
    "error: timed out waiting for the condition on deployments/web",
    "Error: Test timed out in 5000ms.",
  ])("is not one of a program that says %j and ends: that failed", (line) => {
    expect(eventOf(run("./deploy.sh", `Deploying …\n${line}`)).ending).toMatchObject({ status: "failed", line });
    expect(eventOf(run("./deploy.sh", `${line}\nExit code 1`)).ending).toMatchObject({ status: "failed", exit: 1 });
  });

  it.each([
    "Error: Command timed out after 30 seconds",
    "Command '['npm', 'test']' timed out after 30 seconds",
    "EXECUTION TIMED OUT",
    "The tool call timed out.",
    "[command timed out after 120 seconds; output up to here]",
  ])("by the time-out of its harness: %j", (line) => {
    expect(eventOf(run("./deploy.sh", `Deploying …\n${line}`)).ending).toMatchObject({ status: "interrupted", line });
  });

  it.each(["12 passed\nExit code 0", "ok 1 waits until a call timed out by itself\n12 passed\nExit code: 0"])(
    "is not one that ended well: %j",
    (result) => {
      expect(eventOf(run("npm test", result)).ending).toMatchObject({ status: "done", passed: 12 });
    },
  );
});

describe("counts and failing tests", () => {
  it.each<[string, string, object]>([
    ["npm test", "Tests  2 failed | 40 passed (42)", { status: "failed", failed: 2, passed: 40 }],
    [
      "pytest -q",
      "FAILED tests/test_a.py::test_sum - assert 1 == 2\n1 failed, 3 passed in 0.1s",
      { status: "failed", failed: 1, passed: 3 },
    ],
    ["go test ./...", "--- FAIL: TestPort (0.00s)\nFAIL", { status: "failed", failing: ["TestPort"] }],
    ["cargo test", "test result: ok. 12 passed; 0 failed; 0 ignored", { status: "done", passed: 12 }],
    ["make test", "make: *** [test] Error 2", { status: "failed" }],
    [
      "npm test",
      "Process exited with code 1\nOutput:\nerror: no rows",
      { status: "failed", exit: 1, line: "error: no rows" },
    ],
  ])("of %s that prints %j", (command, result, expected) => {
    expect(eventOf(run(command, result)).ending).toMatchObject(expected);
  });
});
