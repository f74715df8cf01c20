/** A gateway and a worker that run answer what the files of `deploy/` ask them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { createProvider } from "../../provider/src/provider.ts";
import { ask, bodyOf, worked } from "../gateway/support/asking.ts";
import { serve } from "../gateway/support/serving.ts";
import { atEnd, temporaryFolder } from "../gateway/support/standing.ts";
import { work } from "../gateway/support/working.ts";
import { NO_POSTGRES, startPostgres } from "../store/postgres-server.ts";
import { PROBES, queries, read, seriesIn } from "./files.ts";

type Container = Readonly<Record<(typeof PROBES)[number], { readonly httpGet: { readonly path: string } }>>;
interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly Container[] };
    };
  };
}

describe("a worker that runs", () => {
  const manifests = parseAllDocuments(read("deploy/kubernetes/precis.yaml")).map((one) => one.toJS() as Manifest);
  const [, worker] = manifests.filter(({ kind }) => kind === "Deployment");

  it.skipIf(NO_POSTGRES !== undefined)("answers the probes, and has the metrics that are asked of it", async () => {
    const token = "a token of the operator, long enough";
    process.env["PRECIS_DEPLOY_TOKEN"] = token;
    const postgres = await startPostgres();
    atEnd(postgres.close);
    const flags = { port: "0", set: "gateway.token_env=PRECIS_DEPLOY_TOKEN" };
    const { events } = await work({ folder: temporaryFolder(), store: await postgres.newSchema(), flags });
    const url = String(events().find(({ event }) => event === "working")!["url"]);
    const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(url + path, { headers });
      return { status: answer.status, text: await answer.text() };
    };
    const { spec, metadata } = worker!.spec.template;
    const [container] = spec.containers;
    const probes = PROBES.map((probe) => container![probe].httpGet.path);
    const image = /4020(\/[\w/]+)/.exec(read("Dockerfile"))![1]!;
    for (const path of [...probes, image]) expect([path, (await get(path)).status]).toEqual([path, 200]);
    const metrics = metadata.annotations["prometheus.io/path"]!;
    expect((await get(metrics)).status).toBe(401);
    const { status, text } = await get(metrics, { authorization: `Bearer ${token}` });
    expect([status, text]).toEqual([200, expect.stringContaining("# TYPE precis_jobs_total counter")]);
    expect((await get("/nothing")).status).toBe(404);
    expect((await get("/healthz", { origin: "https://elsewhere.example" })).status).toBe(403);
    // It lives without its database, and says that it cannot work.
    await postgres.kill();
    await expect.poll(() => get("/readyz"), { timeout: 10_000 }).toMatchObject({ status: 503 });
    expect((await get("/healthz")).status).toBe(200);
  });
});

describe("a gateway that runs", () => {
  it("serves the metrics that are asked for, at the addresses that are asked", async () => {
    const token = "a token of the operator, long enough";
    process.env["PRECIS_DEPLOY_TOKEN"] = token;
    const provider = createProvider({ script: { text: "Done." } });
    const { url: upstream, close } = await provider.listen();
    atEnd(close);
    const folder = temporaryFolder();
    const config = join(folder, "precis.yaml");
    writeFileSync(config, "gateway:\n  token_env: PRECIS_DEPLOY_TOKEN\n  tenants_file: tenants.yaml\n");
    writeFileSync(join(folder, "tenants.yaml"), "tenants: {}\n");
    const { url } = await serve({ upstream, folder, flags: { config } });
    await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("deploy", 20)) });
    const headers = { authorization: `Bearer ${token}` };
    const served = await (await fetch(`${url}/_precis/metrics`, { headers })).text();
    const names = new Set([...served.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
    const asked = queries.flatMap(([, expr]) => seriesIn(expr)).map((one) => one.replace(/_bucket$/, ""));
    expect([...new Set(asked)].filter((name) => !names.has(name))).toEqual([]);
    const files = ["Dockerfile", "deploy/Caddyfile", "deploy/kubernetes/precis.yaml", "deploy/prometheus/alerts.yaml"];
    const paths = new Set(files.flatMap((file) => read(file).match(/\/_precis\/\w+/g) ?? []));
    expect(paths.size).toBeGreaterThan(2);
    for (const path of paths) expect([path, (await fetch(`${url}${path}`, { headers })).status]).toEqual([path, 200]);
  });
});
