/** What is in `deploy/` fits the gateway: its metrics, its settings, its addresses and its time to stop. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ValidationSeverity, validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { METRICS } from "../../src/gateway/operation/metric-list.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { precisHere } from "../cli/precis.ts";
import { alertQueries, panelQueries, type PROBES, queries, read, ROOT, seriesIn } from "./files.ts";

/** Of every series: beside its own labels those that a scrape adds, and a histogram's. */
const SCRAPED = new Set(["job", "instance", "le"]);
const PROCESS = /^(?:process|nodejs)_/;

const definitionOf = (series: string) => {
  const name = series.replace(/_(?:bucket|sum|count)$/, "");
  return METRICS[(name in METRICS ? name : series) as keyof typeof METRICS] as
    | { readonly kind: string; readonly labels: readonly string[] }
    | undefined;
};
describe("queries of the dashboard and the alerts", () => {
  it.each(queries)("%s", (_, expr) => {
    const series = seriesIn(expr);
    if (series.length === 0) expect(expr).toContain("up{");
    const labels = new Set(SCRAPED);
    for (const name of series.filter((one) => !PROCESS.test(one))) {
      const definition = definitionOf(name);
      expect(definition, name).toBeDefined();
      expect([name, name.endsWith("_bucket")]).toEqual([name, definition!.kind === "histogram"]);
      definition!.labels.forEach((label) => labels.add(label));
    }
    const asked = [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label!);
    const grouped = [...expr.matchAll(/\b(?:by|without) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
    for (const label of [...asked, ...grouped]) expect([...labels], expr).toContain(label);
    let depth = 0;
    for (const character of expr.replace(/"[^"]*"/g, "")) {
      if ("({[".includes(character)) depth++;
      if (")}]".includes(character)) depth--;
      expect(depth).toBeGreaterThanOrEqual(0);
    }
    expect(depth).toBe(0);
  });

  it("are about every metric there is", () => {
    const named = new Set(panelQueries.flatMap(([, expr]) => seriesIn(expr)).map((one) => one.replace(/_bucket$/, "")));
    expect(Object.keys(METRICS).filter((name) => !named.has(name))).toEqual([]);
  });

  it("ask for reasons that there are", () => {
    const sources = readdirSync(join(ROOT, "src/gateway"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => read(`src/gateway/${name}`))
      .join("\n");
    const values = alertQueries.flatMap(([, expr]) => [...expr.matchAll(/(?:because|code|outcome)!?="(\w+)"/g)]);
    expect(values.length).toBeGreaterThan(4);
    for (const [, value] of values) expect(sources).toContain(`"${value}"`);
  });
});

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string }[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
  readonly volumeMounts: readonly { readonly name: string }[];
}
type Probe = (typeof PROBES)[number];
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly minAvailable: number;
    readonly ports: readonly { readonly port: number }[];
    readonly template: {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly volumes: readonly { readonly name: string }[];
        readonly containers: readonly (Container & Readonly<Record<Probe, { readonly httpGet: { path: string } }>>)[];
      };
    };
  };
}

describe("containers", () => {
  const manifests = parseAllDocuments(read("deploy/kubernetes/precis.yaml")).map((one) => one.toJS() as Manifest);
  const ofKind = (kind: string): Manifest => manifests.find((one) => one.kind === kind)!;
  const compose = parse(read("deploy/compose.yaml"), { merge: true }) as {
    readonly services: Readonly<
      Record<string, { read_only?: boolean; stop_grace_period?: string; environment?: object }>
    >;
  };

  it("are built by a Dockerfile without faults, as an unprivileged user", () => {
    const dockerfile = read("Dockerfile");
    expect(validate(dockerfile).filter(({ severity }) => severity === ValidationSeverity.ERROR)).toEqual([]);
    expect(validate(dockerfile)).toEqual([]);
    expect(dockerfile.match(/^USER (.*)$/m)?.[1]).toBe("node");
    for (const [, path] of dockerfile.matchAll(/^COPY (?!--from)(\S+) /gm))
      expect(() => read(path!)).not.toThrow(/ENOENT/);
  });

  it.each(["deploy/precis.yaml", "deploy/cluster.yaml"])("have settings that pass: %s", async (path) => {
    const { code, err } = await precisHere(["config", "check", "--config", join(ROOT, path)]);
    expect([code, err]).toEqual([0, ""]);
  });

  it("have settings that pass in Kubernetes, and time to stop that is longer than the gateway takes", () => {
    const { gateway } = parse(ofKind("ConfigMap").data["precis.yaml"]!) as {
      readonly gateway: { readonly limits: { readonly drain_seconds: number }; readonly token_env: string };
    };
    const { spec } = ofKind("Deployment").spec.template;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(gateway.limits.drain_seconds + 5);
    expect(spec.containers[0]!.env.map(({ name }) => name)).toContain(gateway.token_env);
    const grace = Object.values(compose.services).flatMap(({ stop_grace_period: text }) => (text === undefined ? [] : [parseInt(text)])); // prettier-ignore
    expect(grace).toEqual([20, 20, 20]);
    expect(Math.min(...grace)).toBeGreaterThan(DEFAULTS.gateway.limits.drain_seconds);
    const unit = /^TimeoutStopSec=(\d+)$/m.exec(read("deploy/systemd/precis.service"))?.[1];
    expect(Number(unit)).toBeGreaterThan(DEFAULTS.gateway.limits.drain_seconds);
  });

  it("are on the port that a gateway listens on", () => {
    const [container] = ofKind("Deployment").spec.template.spec.containers;
    expect(container!.ports[0]!.containerPort).toBe(DEFAULTS.gateway.port);
    expect(ofKind("Service").spec.ports[0]!.port).toBe(DEFAULTS.gateway.port);
    expect(read("deploy/Caddyfile")).toContain(`:${DEFAULTS.gateway.port}`);
  });

  it("write nowhere but where they are told to, and one of them always stays", () => {
    const { replicas, template } = ofKind("Deployment").spec;
    const [container] = template.spec.containers;
    expect(container!.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(container!.volumeMounts.map(({ name }) => name)).toEqual(template.spec.volumes.map(({ name }) => name));
    expect(ofKind("PodDisruptionBudget").spec.minAvailable).toBeLessThan(replicas);
    expect([compose.services["gateway-1"]!.read_only, compose.services["gateway-2"]!.read_only]).toEqual([true, true]);
  });
});

describe("a worker", () => {
  const manifests = parseAllDocuments(read("deploy/kubernetes/precis.yaml")).map((one) => one.toJS() as Manifest);
  const [gateway, worker] = manifests.filter(({ kind }) => kind === "Deployment");
  const compose = parse(read("deploy/compose.yaml"), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly command: readonly string[]; readonly read_only?: boolean }>>;
  };
  /** Where the image's health check asks. */
  const PORT = ["--port", String(DEFAULTS.gateway.port)];
  const cluster = parse(read("deploy/cluster.yaml")) as { readonly gateway: { readonly jobs?: string } };

  it("works beside the gateways, with their configuration, on what they leave to it", async () => {
    const { containers, volumes } = worker!.spec.template.spec;
    const { args, volumeMounts, securityContext } = containers[0]!;
    expect([worker!.metadata.name, args]).toEqual([
      "precis-worker",
      ["worker", ...gateway!.spec.template.spec.containers[0]!.args.slice(1), ...PORT],
    ]);
    expect(volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
    expect(securityContext).toEqual(gateway!.spec.template.spec.containers[0]!.securityContext);
    const { command, read_only } = compose.services["worker"]!;
    expect([command, read_only]).toEqual([
      ["worker", ...compose.services["gateway-1"]!.command.slice(1), ...PORT],
      true,
    ]);
    const { gateway: settings } = parse(manifests[0]!.data["precis.yaml"]!) as typeof cluster;
    expect([settings.jobs, cluster.gateway.jobs]).toEqual(["worker", "worker"]);
  });

  it("takes the arguments that are given to it, and says what it needs", async () => {
    const { code, err } = await precisHere([
      "worker",
      "--config",
      join(ROOT, "deploy/cluster.yaml"),
      "--store",
      "memory",
    ]);
    expect([code, err]).toEqual([2, expect.stringContaining("no database that gateways share")]);
  });
});
