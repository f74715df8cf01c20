/** The real Hermes agent with our context engine, which asks a gateway on this machine, against the strict provider. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptedRequest } from "../../provider/src/index.ts";
import { precisHere } from "../cli/precis.ts";
import { stand, temporaryFolder } from "../gateway/support/standing.ts";
import { depotOf, says } from "../integrations/past-window.ts";
import { installFromPyPI } from "../support/python.ts";

const HERMES = "hermes-agent==0.19.0";
const TEST_MS_MAX = 600_000;
/** Hermes refuses smaller ones. */
const WINDOW_TOKENS = 64_000;
const TURNS = 60;

const installed = await installFromPyPI("hermes-agent", HERMES);
if (installed.kind === "missing") process.stderr.write(`Hermes is not tested: ${installed.because}\n`);

interface Result {
  readonly answers: readonly string[];
  readonly engine: string;
  readonly compactions: number;
}

/** In the last turn its model asks for what was said in an early one. */
const script = ({ body }: ScriptedRequest) => {
  const text = JSON.stringify(body);
  if (!text.includes("Where was the order of day 3 sent?")) return { text: "Noted." };
  const fact = `Fact 3: the depot of day 3 is called ${depotOf(3)}`;
  if (text.includes("recall_call")) return { text: text.includes(fact) ? `To ${depotOf(3)}.` : "It is not there." };
  return { calls: [{ id: "recall_call", name: "precis_recall", arguments: { query: "Fact 3 depot day 3" } }] };
};

describe.skipIf(installed.kind === "missing")("Hermes 0.19", { timeout: TEST_MS_MAX }, () => {
  const converse = async (engine: string) => {
    const proof = await stand({
      provider: { every: { windowTokens: WINDOW_TOKENS }, script },
      gateway: { contextLength: WINDOW_TOKENS },
    });
    const home = temporaryFolder();
    const config = {
      model: {
        default: "gpt-5.4",
        provider: "custom",
        base_url: `${proof.providerUrl}/v1`,
        context_length: WINDOW_TOKENS,
      },
      context: { engine: "compressor" },
    };
    writeFileSync(join(home, "config.yaml"), JSON.stringify(config));
    if (engine === "precis") {
      const environment = { HOME: home, HERMES_HOME: home };
      expect(await precisHere(["setup", "hermes", "--yes"], { folder: home, environment })).toMatchObject({ code: 0 });
    }
    const { bin } = installed as { readonly bin: string };
    const child = spawn(join(bin, "python"), [join(import.meta.dirname, "hermes-run.py")], {
      env: {
        PATH: `${bin}:${process.env["PATH"]}`,
        HOME: home,
        HERMES_HOME: home,
        BASE_URL: `${proof.providerUrl}/v1`,
        PRECIS_URL: proof.url,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const turns = Array.from({ length: TURNS }, (_, turn) => `${says(turn)}\n${says(turn + TURNS)}`);
    child.stdin.end(JSON.stringify([...turns, "Where was the order of day 3 sent?"]));
    let output = "";
    for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => (output += String(chunk)));
    await new Promise((done) => child.once("close", done));
    const line = output.split("\n").find((one) => one.startsWith("RESULT "));
    if (line === undefined) throw new Error(output.slice(-4_000));
    return { proof, result: JSON.parse(line.slice("RESULT ".length)) as Result };
  };

  it("goes on past its window with our engine, and its model finds what was removed", async () => {
    const { proof, result } = await converse("precis");
    expect(result.engine).toBe("precis");
    expect(result.compactions).toBeGreaterThan(1);
    expect(result.answers.slice(0, TURNS)).toEqual(Array.from({ length: TURNS }, () => "Noted."));
    expect(result.answers.at(-1)).toBe(`To ${depotOf(3)}.`);
    expect(proof.provider.account().total.rejected).toEqual({});
  });

  it("does not find it with its own engine", async () => {
    const { result } = await converse("compressor");
    expect(result.engine).toBe("compressor");
    expect(result.answers.at(-1)).not.toBe(`To ${depotOf(3)}.`);
  });
});
