/** What a harness sends of a console in the user's name is a result: never a request, and digested as results are. */
import { describe, expect, it } from "vitest";
import { isConsoleOutput } from "../../../src/core/events/console.ts";
import { liveRequestOf } from "../../../src/core/events/live-request.ts";
import { byPerson } from "../../../src/core/events/person.ts";
import { digestResults } from "../../../src/core/passes/digest-results.ts";
import { chain, compacted, filler, measure, ran, says, talk, user } from "../../support/compacting.ts";
import { expectLinear } from "../../support/linear.ts";

const LISTING = Array.from({ length: 400 }, (_, at) => `./build/cache/${(at * 7919).toString(16)}`).join("\n");
const FORMS = {
  "Claude Code": `<bash-stdout>${LISTING}</bash-stdout><bash-stderr></bash-stderr>`,
  "Claude Code, a local command": `<local-command-stdout>${LISTING}</local-command-stdout>`,
  Codex: `<user_shell_command>\n<command>find .</command>\n<result>\n${LISTING}\n</result>\n</user_shell_command>`,
  pi: `Ran \`find .\`\n\`\`\`\n${LISTING}\n\`\`\`\n\nCommand exited with code 1`,
  "Gemini CLI": `I ran the following shell command:\n\`\`\`sh\nfind .\n\`\`\`\n\nThis produced the following result:\n\`\`\`\n${LISTING}\n\`\`\``,
  AutoGen: `exitcode: 1 (execution failed)\nCode output: ${LISTING}`,
};

describe.each(Object.entries(FORMS))("console output of %s", (_, text) => {
  it("is not a person's request, even where it is all that there is", () => {
    expect(byPerson(user(text))).toBe(false);
    expect(liveRequestOf([user("Sort the cache."), says("Sorted."), user(text)])).toBe(0);
    expect(liveRequestOf([says("Ready."), user(text)])).toBe(-1);
  });

  it("is digested, and can be recalled", () => {
    const context = { measure, hash: chain.hash, protect: () => false, focus: [] };
    const { messages, evicted } = digestResults([user(text)], context);
    expect(measure.messages(messages)).toBeLessThan(measure.text(text) / 4);
    expect(evicted.map(({ original }) => original)).toEqual([text]);
  });

  it("gives way to the budget at the end of a conversation", async () => {
    const work = Array.from({ length: 8 }, (__, at) =>
      ran("read", { path: `src/${at}.ts` }, filler(300, `part ${at}`)),
    );
    const transcript = talk(user("Share the loop; keep the exit codes."), work.flat(), says("Shared."), user(text));
    const budget = Math.floor(measure.transcript(transcript) / 4);
    const { compaction, text: result } = await compacted(transcript, { budget });
    expect(compaction.report.irreducible).toBeUndefined();
    expect(result).toContain("keep the exit codes");
    expect(result).not.toContain(LISTING);
  });
});

describe("a person", () => {
  it.each([
    "Ran `npm test` and it fails, please look",
    "Ran `npm test`\n```\n1 failed\n```\nWhy?",
    "I ran the following shell command:\n```sh\nls\n```\nIt hangs.",
    "See <bash-stdout> in the log",
    "exitcode: 1, what does that mean?",
  ])("who mentions output keeps their words: %j", (text) => {
    expect(byPerson(user(text))).toBe(true);
  });

  it("is told from a console in linear time", () => {
    expectLinear(100_000, (size) => {
      const text = `Ran \`${"`\n```\n".repeat(size)}`;
      return () => isConsoleOutput(text);
    });
  });
});
