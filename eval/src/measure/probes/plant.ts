/**
 * What a person or the agent says once and means for good: prohibitions, decisions and facts, with names drawn from a
 * seed, so that no ranking has seen them and no two sessions plant the same.
 */

export type ProbeKind = "prohibition" | "decision" | "fact";
export const PROBE_KINDS: readonly ProbeKind[] = ["prohibition", "decision", "fact"];

export interface Probe {
  readonly kind: ProbeKind;
  readonly by: "user" | "assistant";
  readonly says: string;
  /** What a later reader needs of it: together, near each other. */
  readonly needs: readonly string[];
}

/** Draws a whole number below `below`. */
export type Draw = (below: number) => number;

/** The words around a need may be left out, but not so many that nobody would see that they belong together. */
export const NEAR_CHARS = 300;

/** Whether a text still tells it. */
export function statesValue(text: string, { needs }: Pick<Probe, "needs">): boolean {
  const [first = "", ...others] = needs;
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    const near = text.slice(Math.max(0, at - NEAR_CHARS), at + first.length + NEAR_CHARS);
    if (others.every((other) => near.includes(other))) return true;
  }
  return false;
}

/** Of each kind, drawn from those known. */
const PROBES_A_KIND = 4;

export function probesFrom(draw: Draw): readonly Probe[] {
  const word = (): string => `${one(STEMS, draw)}${draw(90) + 10}`;
  const pools = [prohibitions(word), decisions(word, draw), facts(word, draw)];
  return pools.flatMap((pool) => {
    const left = [...pool];
    return Array.from({ length: PROBES_A_KIND }, () => left.splice(draw(left.length), 1)[0]!);
  });
}

function prohibitions(word: () => string): readonly Probe[] {
  const [branch, file, service, made] = [
    `release/${word()}`,
    `src/${word()}/${word()}.ts`,
    word(),
    `gen/${word()}.sql`,
  ];
  const [host, library, table, flag] = [word(), word(), word(), `--${word()}`];
  return [
    forbidden(`Never push to ${branch}, it is frozen until the audit is over.`, [branch, "Never"]),
    forbidden(`Do not touch ${file}; another team owns it.`, [file, "Do not"]),
    forbidden(`You must not call ${service} from the tests.`, [service, "must not"]),
    forbidden(`不要修改 ${made}，那是自动生成的。`, [made, "不要"]),
    forbidden(`Under no circumstances may ${host} be restarted during the day.`, [host, "no circumstances"]),
    forbidden(`Please don't upgrade ${library}, the next version breaks the importer.`, [library, "don't"]),
    forbidden(`The table ${table} is off limits, the auditors are reading it.`, [table, "off limits"]),
    forbidden(`Builds without ${flag} are not allowed on the shared runner.`, [flag, "not allowed"]),
  ];
}

function decisions(word: () => string, draw: Draw): readonly Probe[] {
  const [queue, other, format, former] = [word(), word(), word(), word()];
  const [lock, pool] = [`${one(STEMS, draw)}Lock${draw(99)}`, `${one(STEMS, draw)}Pool${draw(99)}`];
  const [store, cache, parser, region, scheme] = [word(), word(), word(), word(), word()];
  return [
    decided("user", `Let's go with ${queue} instead of ${other} for the queue, because it survives a restart.`, [
      queue,
      other,
    ]),
    decided("user", `For exports use ${format}, not ${former}.`, [format, former]),
    decided("user", `We settled on ${store} as the store, the licence of ${cache} rules it out.`, [store, cache]),
    decided("user", `The team agreed to host everything in ${region}.`, [region, "host"]),
    decided("assistant", `I decided to keep ${lock} synchronous, because its callers hold a transaction.`, [
      lock,
      "synchronous",
    ]),
    decided("assistant", `The root cause was ${pool}: it was closed twice, so I chose to guard it with a flag.`, [
      pool,
      "twice",
    ]),
    decided("assistant", `Going with ${parser} rather than a parser of our own, since it reports positions.`, [
      parser,
      "positions",
    ]),
    decided("assistant", `I switched to ${scheme} so that old clients can still read what new ones write.`, [
      scheme,
      "old clients",
    ]),
  ];
}

function facts(word: () => string, draw: Draw): readonly Probe[] {
  const [port, code, limit] = [`${draw(50_000) + 10_000}`, `K-${draw(90_000) + 10_000}`, `${draw(9_000) + 1_000}`];
  const [day, signer, payer] = [`${draw(28) + 1} March`, one(PEOPLE, draw), one(PEOPLE, draw)];
  const [address, engine, release] = [
    `10.${draw(200)}.${draw(200)}.${draw(200)}`,
    word(),
    `${draw(9)}.${draw(90) + 10}`,
  ];
  const [euros, tenant, id] = [`${draw(9)},${draw(900) + 100}`, word(), `${draw(9_000) + 1_000}`];
  return [
    stated(`The staging database listens on port ${port}.`, [port, "staging"]),
    stated(`The customer's contract number is ${code}.`, [code, "contract"]),
    stated(`The release is planned for ${day}, and ${signer} signs it off.`, [signer, day]),
    stated(`The payment provider allows us ${limit} requests a minute.`, [limit, "requests"]),
    stated(`FYI our VPN gateway moved to ${address}.`, [address, "gateway"]),
    stated(`In production ${engine} runs in version ${release}.`, [engine, release]),
    stated(`${payer} pays ${euros} euros a month for the old plan.`, [payer, euros]),
    stated(`Demo tenant: ${tenant}, account id ${id}.`, [tenant, id]),
  ];
}

function one(words: string, draw: Draw): string {
  const list = words.split(" ");
  return list[draw(list.length)]!;
}

const STEMS =
  "harbor lantern maple quartz ribbon saffron timber violet walnut zephyr anchor basalt cobalt dahlia ember fjord glacier";
const PEOPLE = "Oyelaran Brandt Castellanos Dvorak Eriksson Fontaine Grigoryan Hashimoto";

function forbidden(says: string, needs: readonly string[]): Probe {
  return { kind: "prohibition", by: "user", says, needs };
}

function decided(by: Probe["by"], says: string, needs: readonly string[]): Probe {
  return { kind: "decision", by, says, needs };
}

function stated(says: string, needs: readonly string[]): Probe {
  return { kind: "fact", by: "user", says, needs };
}
