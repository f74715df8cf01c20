/** `npm run docs`: renews the parts of `docs/` and the README that are written from the code; tests fail where they are out of date. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../src/cli/main.ts";
import { EVAL } from "../eval/src/main.ts";
import { providerCommand } from "../provider/src/command.ts";
import { loadCommands } from "../src/cli/program/program.ts";
import { withCommands, withToolCommands } from "./docs/commands.ts";
import { markdownTable, withGenerated } from "./docs/markdown.ts";
import { withReference } from "./docs/settings.ts";
import { withGatewayReference } from "./docs/gateway.ts";
import { modelList } from "./docs/models.ts";
import { momentRows } from "./docs/moments.ts";
import { cooldownRows, limitRows } from "./docs/session.ts";
import { withHandoffExamples, withShortHandoff } from "./docs/handoffs.ts";
import { licenceList, licenceRows } from "./docs/licences.ts";
import { manPage } from "./docs/man-page.ts";
import manifest from "../package.json" with { type: "json" };

const DOCS = join(import.meta.dirname, "..", "docs");

const commands = await allCommands();
const { version } = manifest;

/** Each page with what renews it. */
const PAGES: Readonly<Record<string, (page: string) => string | Promise<string>>> = {
  "../README.md": withShortHandoff,
  "../eval/README.md": async (page) => withToolCommands(page, await loadCommands(EVAL)),
  "../provider/README.md": (page) => withToolCommands(page, [providerCommand]),
  "cli.md": (page) => withCommands(page, commands),
  "configuration.md": (page) => withGenerated(withReference(page), "moments", markdownTable(momentRows())),
  "dependencies.md": async (page) => withGenerated(page, "licences", licenceList(await licenceRows())),
  "gateway.md": withGatewayReference,
  "handoffs.md": (page) =>
    withGenerated(
      withGenerated(page, "cooldowns", markdownTable(cooldownRows())),
      "limits",
      markdownTable(limitRows()),
    ),
  "handoff-examples.md": withHandoffExamples,
  "precis.1": () => manPage(version, commands),
  "models.md": (page) => withGenerated(page, "models", modelList()),
};

for (const [name, renewed] of Object.entries(PAGES)) {
  const path = join(DOCS, name);
  const page = readFileSync(path, "utf8");
  writeFileSync(path, await renewed(page));
}
