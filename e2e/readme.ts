/**
 * `npm run e2e:readme`: from a clean clone to a working gateway in front of the real Claude Code, by the commands of README.md
 * alone, read from its code blocks and timed. The strict provider stands for the vendor, and npm's cache is empty. Claude Code
 * is installed before, as whoever reads on has it. Ends with 1 where a step fails or all of them take five minutes.
 */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createProvider } from "../provider/src/index.ts";
import { claudeCode } from "./claude-code.ts";
import { install } from "./install.ts";
import { bringUpLoopback, goInside, hasNamespaces, isInside } from "./namespace.ts";
import { writeSettings } from "./trial.ts";

const ROOT = join(import.meta.dirname, "..");
/** What the process inside goes on from. */
const SO_FAR = "PRECIS_E2E_README";
const ALL_MS_MAX = 5 * 60_000;
const PORT = 4020;
const STARTS_MS_MAX = 30_000;
const ANSWER = "There are 412 parcels in the depot.";

interface Step {
  readonly command: string;
  readonly ms: number;
}

interface SoFar {
  readonly root: string;
  readonly client: string;
  readonly steps: readonly Step[];
}

/** The commands of the block that begins with these words, without their comments. */
function commandsIn(readme: string, opening: string): readonly string[] {
  const blocks = [...readme.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block!);
  const block = blocks.find((one) => one.startsWith(opening));
  if (block === undefined) throw new Error(`README.md has no block that begins with "${opening}"`);
  return block.split("\n").flatMap((line) => {
    const command = line.replace(/\s+#.*$/, "").trim();
    return command === "" ? [] : [command];
  });
}

interface Folders {
  readonly clone: string;
  readonly home: string;
  readonly programs: string;
}

function foldersIn(root: string): Folders {
  return { clone: join(root, "precis"), home: join(root, "home"), programs: join(root, "global") };
}

/** What npm and this run's own tools set. */
const NOT_KEPT = /^(?:npm_|PRECIS_|NODE|ANTHROPIC_|CLAUDE)/i;
/** How a registry is reached from this machine. */
const ABOUT_THE_NETWORK = /^(?:npm_config_(?:registry|cafile|ca|strict_ssl|proxy|https_proxy)|NODE_EXTRA_CA_CERTS)$/i;

/** A person's shell: their own home, what they installed globally, and a Node that README.md asks for. */
function environmentOf({ home, programs }: Folders): NodeJS.ProcessEnv {
  const path = [join(programs, "bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  const kept = Object.entries(process.env).filter(([name]) => !NOT_KEPT.test(name) || ABOUT_THE_NETWORK.test(name));
  return {
    ...Object.fromEntries(kept),
    npm_config_prefix: programs,
    npm_config_userconfig: join(homedir(), ".npmrc"),
    HOME: home,
    XDG_CACHE_HOME: join(home, ".cache"),
    PATH: path,
  };
}

function run(command: string, folder: string, env: NodeJS.ProcessEnv): Promise<{ step: Step; output: string }> {
  const begun = performance.now();
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: ALL_MS_MAX,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()));
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => {
      if (code === 0) done({ step: { command, ms: performance.now() - begun }, output });
      else failed(new Error(`${command} ended with ${code}:\n${output.slice(-2_000)}`));
    });
  });
}

/** Where the registry can be reached: the clone and the installation. */
async function installByReadme(client: string): Promise<SoFar> {
  const root = await mkdtemp(join(tmpdir(), "precis-e2e-readme-"));
  const folders = foldersIn(root);
  await Promise.all([mkdir(folders.home), mkdir(folders.programs)]);
  const env = environmentOf(folders);
  const steps: Step[] = [];
  const cloned = await run(`git clone --quiet --no-hardlinks '${ROOT}' precis`, root, env);
  steps.push({ ...cloned.step, command: "git clone … precis" });
  const readme = await readFile(join(folders.clone, "README.md"), "utf8");
  for (const command of commandsIn(readme, "npm ci && npm pack"))
    steps.push((await run(command, folders.clone, env)).step);
  return { root, client, steps };
}

/** Where nothing but this machine can be reached: the gateway and Claude Code behind it. */
async function useByReadme({ root, client, steps }: SoFar): Promise<readonly Step[]> {
  bringUpLoopback();
  const folders = foldersIn(root);
  const provider = createProvider({ script: () => ({ text: ANSWER }) });
  const upstream = await provider.listen();
  const config = `gateway:\n  upstreams:\n    anthropic:\n      url: ${upstream.url}\n`;
  const place = { base: "", home: folders.home, workspace: folders.home, installed: client };
  await writeSettings({ ...claudeCode.files(place), ".config/precis/config.yaml": config }, folders.home);
  const [serve, claude] = commandsIn(await readFile(join(folders.clone, "README.md"), "utf8"), "precis serve\nENABLE");
  const { ANTHROPIC_BASE_URL: _, ...own } = claudeCode.environment(place);
  const [program] = claudeCode.program(place);
  const base = environmentOf(folders);
  const env = { ...base, ...own, PATH: `${dirname(program!)}${delimiter}${base["PATH"]}` };
  const begun = performance.now();
  const gateway = spawn("bash", ["-c", `exec ${serve}`], { cwd: folders.home, env, stdio: "ignore" });
  try {
    await answers(PORT);
    const started = { command: serve!, ms: performance.now() - begun };
    const asked = `${claude} --model ${claudeCode.model} -p 'How many parcels are there?'`;
    const { step, output } = await run(asked, folders.home, env);
    if (!output.includes(ANSWER)) throw new Error(`Claude Code answered something else:\n${output}`);
    const { rejected } = provider.account().total;
    if (Object.keys(rejected).length > 0) throw new Error(`the provider refused: ${JSON.stringify(rejected)}`);
    const status = await run("precis sessions", folders.home, env);
    if (!status.output.includes("How many parcels")) throw new Error(`the gateway kept no session:\n${status.output}`);
    return [...steps, started, step, status.step];
  } finally {
    gateway.kill("SIGTERM");
    await upstream.close();
  }
}

async function answers(port: number): Promise<void> {
  const deadlineMs = performance.now() + STARTS_MS_MAX;
  for (;;) {
    const open = await new Promise<boolean>((done) => {
      const socket = createConnection({ port, host: "127.0.0.1" });
      socket.once("connect", () => (socket.destroy(), done(true)));
      socket.once("error", () => done(false));
    });
    if (open) return;
    if (performance.now() > deadlineMs) throw new Error(`nothing answers at port ${port}`);
    await pause(100);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1).padStart(7)} s`;
}

function say(steps: readonly Step[]): number {
  const allMs = steps.reduce((sum, { ms }) => sum + ms, 0);
  for (const { command, ms } of steps) process.stdout.write(`${seconds(ms)}  ${command}\n`);
  process.stdout.write(`${seconds(allMs)}  in all; at most ${ALL_MS_MAX / 1_000} s\n`);
  return allMs < ALL_MS_MAX ? 0 : 1;
}

async function main(): Promise<number> {
  if (isInside()) return say(await useByReadme(JSON.parse(process.env[SO_FAR]!) as SoFar));
  if (!hasNamespaces()) {
    process.stderr.write("Skipped: it runs only where a network of its own can be had (Linux, unshare -rn).\n");
    return 0;
  }
  const client = await install(claudeCode);
  if (client.kind === "missing") {
    process.stderr.write(`Skipped: Claude Code cannot be installed: ${client.because}\n`);
    return 0;
  }
  const soFar = await installByReadme(client.folder);
  process.env[SO_FAR] = JSON.stringify(soFar);
  try {
    return goInside();
  } finally {
    await rm(soFar.root, { recursive: true, force: true });
  }
}

process.exitCode = await main();
