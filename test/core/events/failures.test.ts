/** Failures that stand, and those that a later run of the same put right. */
import { describe, expect, it } from "vitest";
import { openFailures, repairedFailures } from "../../../src/core/events/failures.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { does, edits, eventsIn, run, says, user } from "./session-talk.ts";

type Parts = readonly (Message | readonly Message[])[];

const FAILED = run("npm test", "Exit code 1\nerror: cannot find module 'cart'");
const WORKED = run("npm test", "12 passed");
const REFUSED = does("Edit", { file_path: "a.ts" }, "String to replace not found in file.");

const open = (...parts: Parts): readonly (string | undefined)[] =>
  openFailures(eventsIn(...parts)).map(({ failure }) => failure.ending.line);

describe("an open failure", () => {
  it.each<[string, Parts, readonly string[]]>([
    ["is a check that failed last", [user("Go."), FAILED], ["error: cannot find module 'cart'"]],
    ["is none that worked since", [user("Go."), FAILED, edits("a.ts"), WORKED], []],
    [
      "stays where something else worked",
      [user("Go."), FAILED, run("ls", "a.ts")],
      ["error: cannot find module 'cart'"],
    ],
    [
      "is told once, with its last words",
      [user("Go."), FAILED, run("npm test", "Exit code 1\nerror: no rows")],
      ["error: no rows"],
    ],
    ["is a tool that refused", [user("Go."), REFUSED], ["String to replace not found in file."]],
    ["is none of a tool that did the same since", [user("Go."), REFUSED, edits("a.ts")], []],
    [
      "is none where the same command worked, whatever cuts its output",
      [user("Go."), run("npm test 2>&1 | tail -5", "Exit code 1\nerror: x"), run("npm test | head -40", "12 passed")],
      [],
    ],
    [
      "is none of a turn that was answered",
      [user("Go."), FAILED, says("It fails, as you said."), user("Leave it.")],
      [],
    ],
    ["is no call that was declined", [user("Go."), run("git push", "The user rejected this command.")], []],
    ["is no search that found nothing", [user("Go."), run("grep -n x a.ts", "Exit code 1")], []],
  ])("%s", (_, parts, expected) => {
    expect(open(...parts)).toEqual(expected);
  });

  it.each<[string, string]>([
    ["cd api && npm test", "cd web && npm test"],
    ["docker compose up -d db", "docker compose up -d web"],
    ["npm install left", "npm install right"],
    ["curl -f http://localhost:1/a", "curl -f http://localhost:1/b"],
  ])("stays where the same program did something else, and says so: %s", (fails, works) => {
    const events = eventsIn(user("Go."), run(fails, "Exit code 1\nerror: no transport"), run(works, "3 passed"));
    expect(openFailures(events)).toEqual([{ failure: events.calls[0], like: events.calls[1] }]);
  });

  it("stays where another file was edited", () => {
    const events = eventsIn(user("Go."), REFUSED, edits("b.ts"));
    expect(openFailures(events)).toEqual([{ failure: events.calls[0], like: events.calls[1] }]);
  });
});

describe("a failure that was put right", () => {
  it.each<[string, Parts, number]>([
    ["has a run of the same behind it that worked", [FAILED, edits("a.ts"), WORKED], 1],
    [
      "is not one behind which the same program did something else",
      [run("npm install a", "Exit code 1\nerror: x"), run("npm install b", "3 passed")],
      0,
    ],
    ["is not one behind which another command worked", [FAILED, run("npm start", "ok")], 0],
    ["is not one that failed again", [FAILED, FAILED], 0],
    ["is each of two commands", [FAILED, run("make all", "Exit code 2\nerror: y"), WORKED, run("make all", "ok")], 2],
  ])("%s", (_, parts, count) => {
    expect(repairedFailures(eventsIn(...parts))).toHaveLength(count);
  });
});
