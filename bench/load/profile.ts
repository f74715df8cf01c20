/** Where a gateway's processor time goes, by what the work is for: a summary of the profiles that Node writes with `--cpu-prof`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface ProfileShare {
  readonly what: string;
  /** Of the time in which it did anything. */
  readonly share: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const IDLE = "idle";
const START = "starting";

/** The first that fits: by where a function is, then by its name. */
const BY_PLACE: readonly (readonly [place: RegExp, what: string])[] = [
  [/\/src\/core\/redaction\/|\/src\/secrets\/|secretlint/, "looking for secrets"],
  [/\/src\/core\/(?:compaction|passes|handoff|events|digest|engines)\/|\/src\/session\//, "compacting"],
  [/\/src\/core\/transcript\/links|node:internal\/crypto/, "hashing"],
  [/\/src\/core\//, "counting tokens and checking"],
  [/\/src\/protocols\//, "reading and writing bodies (JSON)"],
  [
    /\/src\/store\/|node_modules\/(?:pg|pg-boss|pg-[a-z]+|postgres-[a-z]+|split2)\/|node:zlib/,
    "store and database driver",
  ],
  [
    /node_modules\/undici|node:(?:internal\/(?:deps\/undici|streams|stream_base|http)|_http|net|http|stream)|node:buffer/,
    "HTTP and streams",
  ],
  [/node:internal\/modules|node:module|node:internal\/(?:process|main|bootstrap)/, START],
  [/\/src\/gateway\//, "the rest of the gateway"],
];
const BY_NAME: Readonly<Record<string, string>> = {
  "(idle)": IDLE,
  "(garbage collector)": "garbage collection",
  "(program)": "Node itself",
  parse: "reading and writing bodies (JSON)",
  stringify: "reading and writing bodies (JSON)",
};

export function summarizeProfiles(folder: string): readonly ProfileShare[] {
  const spent = new Map<string, number>();
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".cpuprofile"))) {
    const profile = JSON.parse(readFileSync(join(folder, name), "utf8")) as Profile;
    const kinds = kindsOf(profile);
    for (const [at, id] of profile.samples.entries()) {
      const what = kinds.get(id) ?? "Node itself";
      spent.set(what, (spent.get(what) ?? 0) + (profile.timeDeltas[at] ?? 0));
    }
  }
  spent.delete(IDLE);
  spent.delete(START);
  const total = [...spent.values()].reduce((sum, one) => sum + one, 0);
  return Array.from(spent, ([what, time]) => ({ what, share: time / total })).toSorted((a, b) => b.share - a.share);
}

/** What has no place of its own is done for its caller. */
function kindsOf({ nodes }: Profile): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const kinds = new Map<number, string>();
  const walk = (id: number, inherited: string): void => {
    const { callFrame, children = [] } = byId.get(id)!;
    const kind = kindOf(callFrame) ?? inherited;
    kinds.set(id, kind);
    for (const child of children) walk(child, kind);
  };
  walk(nodes[0]!.id, "Node itself");
  return kinds;
}

function kindOf({ functionName, url }: ProfileNode["callFrame"]): string | undefined {
  if (url === "" && Object.hasOwn(BY_NAME, functionName)) return BY_NAME[functionName];
  return BY_PLACE.find(([place]) => place.test(url))?.[1];
}
