/** Names that a model writes of: which are of the session, said in its own way, and which are made up. */
import { describe, expect, it } from "vitest";
import { createLedgerKeeper } from "../../../../src/core/ledger/ledger.ts";
import { createCitationChecker } from "../../../../src/core/handoff/model/citations.ts";
import { createGrounds } from "../../../../src/core/handoff/model/grounding.ts";
import { verify } from "../../../../src/core/handoff/model/verify.ts";
import { THIRTEEN_SECTIONS } from "../../../../src/core/handoff/templates.ts";
import { ran, talk, user } from "../../../support/compacting.ts";

const { messages } = talk(
  user("Use hex values in themes/dark.json, no indices: 242, 238 and 236 go."),
  ...ran(
    "read_file",
    { path: "themes/dark.json" },
    '{ "toolDiffAdded": "#b5bd68", "toolDiffRemoved": "#cc6666", "borderMuted": "#303030" }',
  ),
);
const grounds = createGrounds(messages, []);
const checked = (text: string) =>
  verify(new Map([["context", [text]]]), {
    grounds,
    ledger: createLedgerKeeper().ledgerOf(messages),
    citations: createCitationChecker(messages),
    template: THIRTEEN_SECTIONS,
  });

describe("a name of the session in other words", () => {
  it.each(["`toolDiff*` keeps its colours", "toolDiff{Added,Removed} of dark.json", "indices 242/238/236 became hex"])(
    "%s",
    (text) => expect(grounds.invented(text)).toEqual([]),
  );
});

describe("a name that is made up", () => {
  it.each([
    "`toolTitle*` keeps its colours",
    "**toolDiff** keeps its colours",
    "toolDiff{Added,Moved} of dark.json",
    "indices 242/238/777 became hex",
  ])("%s", (text) => expect(grounds.invented(text)).not.toEqual([]));
});

describe("an item with a sentence that names what is not there", () => {
  const TRUE = "`dark.json` has `borderMuted` at `#303030`; `toolDiffAdded` is `#b5bd68`;";
  it("is kept without that sentence", () => {
    const { items, shortened, dropped } = checked(`${TRUE} \`createThemeWatcher\` reads it again. [2]`);
    expect(items.get("context")).toEqual([`${TRUE} […] [2]`]);
    expect({ shortened, dropped }).toEqual({ shortened: 1, dropped: [] });
  });
  it.each([
    "Not done, because lib/queueRunner.ts does it; `dark.json` may be changed freely. [1]",
    "`borderMuted` is `#303030`; `createThemeWatcher` and lib/queueRunner.ts read it. [2]",
  ])("is dropped where its beginning or half of it is: %s", (text) => {
    expect(checked(text).items.get("context")).toEqual([]);
  });
  it("keeps its lines", () => {
    const text =
      "Colours:\n- `borderMuted` is `#303030`;\n- `toolDiffAdded` is `#b5bd68`;\n- `createThemeWatcher` reads it. [3]";
    expect(checked(text).items.get("context")).toEqual([text.replace("\n- `createThemeWatcher` reads it.", " […]")]);
  });
  it("is dropped where that is most of it", () => {
    const { items, dropped } = checked("`createThemeWatcher` reads `dark.json` again. [2]");
    expect(items.get("context")).toEqual([]);
    expect(dropped).toHaveLength(1);
  });
});
