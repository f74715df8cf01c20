/** `precis doctor`: what is wrong with this set-up, and how to fix it. */
import { resolveAll } from "../../config/load.ts";
import { examine } from "../doctor/doctor.ts";
import { exampleLines, option, toggle, type Command } from "../program/command.ts";
import { EXIT } from "../program/exit.ts";
import { whileWaiting } from "../screen/progress.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings/flags.ts";
import { wrapped, columnWidths, padEnd, visibleLine } from "../screen/text.ts";
import { counted } from "../screen/amounts.ts";
import { AREAS, type Finding, type Level } from "../doctor/finding.ts";
import type { TextStyle, Stream } from "../screen/terminal.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Find what is wrong with this set-up, and say how to fix it.",
  about: [
    "Checks Node, the configuration, the store, the upstreams, keys, windows, caching, the port, and the agents installed here: whether they send their requests to the gateway, and the settings that make them do so. Changes nothing. Exits with 1 if there is a fault; warnings and notes do not count.",
    "Each upstream is asked once for its list of models, without a key and at no cost; with --offline no request is made. Keys are looked for in the environment and never shown.",
  ],
  examples: exampleLines({
    "precis doctor": "before the first session, or when something looks wrong",
    "precis doctor --offline --json | jq '.findings[] | select(.level == \"fault\")'": "for a script",
  }),
  args: {
    offline: toggle("Make no request to other machines."),
    store: option("FILE", "The store's file, instead of the configured one."),
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
    json: toggle("Print {faults, warnings, findings}."),
  },
  run: async (args, terminal) => {
    const loaded = await resolveAll({ ...configurationRequest(args, terminal), leaveOut: undefined });
    const work = examine({ loaded, terminal, store: args.text("store"), offline: args.is("offline") });
    const findings = await whileWaiting(terminal.err, () => "looking", work);
    const counts = tallied(findings);
    if (args.is("json")) await terminal.out.put(`${JSON.stringify({ ...counts, findings }, null, 2)}\n`);
    else await terminal.out.say(doctorPage(findings, terminal.out));
    return counts.faults === 0 ? EXIT.done : EXIT.failed;
  },
};

const MARKS: Readonly<Record<Level, readonly [mark: string, look: TextStyle]>> = {
  fine: ["✓", "good"],
  note: ["·", "dim"],
  warning: ["!", "warn"],
  fault: ["✗", "bad"],
};

function doctorPage(findings: readonly Finding[], stream: Stream): string {
  const { paint } = stream;
  const [left = 0] = columnWidths(AREAS.map((area) => [area]));
  const lines = AREAS.flatMap((area) =>
    findings
      .filter((one) => one.area === area)
      .flatMap((one, at) => findingLines(one, { name: padEnd(at === 0 ? area : "", left), stream })),
  );
  return `${[...lines, "", verdict(findings, paint)].join("\n")}\n`;
}

interface AreaColumn {
  readonly name: string;
  readonly stream: Stream;
}

function findingLines({ level, says, fix }: Finding, { name, stream }: AreaColumn): readonly string[] {
  const { paint, columns } = stream;
  const [mark, look] = MARKS[level];
  const room = columns - name.length - 4;
  const indent = " ".repeat(name.length + 4);
  const said = wrapped(visibleLine(says), room).map((line, at) =>
    at === 0 ? `${paint("strong", name)}  ${paint(look, mark)} ${line}` : `${indent}${line}`,
  );
  const next =
    fix === undefined
      ? []
      : wrapped(visibleLine(fix), room - 2).map(
          (line, at) => `${indent}${at === 0 ? paint("accent", "→") : " "} ${line}`,
        );
  return [...said, ...next];
}

function verdict(findings: readonly Finding[], paint: Stream["paint"]): string {
  const { faults, warnings } = tallied(findings);
  const beside = warnings === 0 ? "" : `, ${counted(warnings, "warning")}`;
  if (faults === 0) return `${paint("good", "no fault")}${beside}`;
  return `${paint("bad", counted(faults, "fault"))}${beside}: fix each as described, then run \`precis doctor\` again`;
}

function tallied(findings: readonly Finding[]): { readonly faults: number; readonly warnings: number } {
  const count = (wanted: Level): number => findings.filter(({ level }) => level === wanted).length;
  return { faults: count("fault"), warnings: count("warning") };
}
