/** `precis setup`: a client's own settings for sending its requests to the gateway, shown before they are written, and taken back. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { loadConfiguration, shortPath } from "../../config/load.ts";
import { stateFile } from "../../config/locate.ts";
import { PrecisError } from "../../core/errors.ts";
import { withoutEntry, type FormerSetup } from "../clients/edits.ts";
import { CLIENT_FILES, HOST_FILES, type ClientFile } from "../clients/settings.ts";
import { option, positional, toggle, type Arguments, type Command } from "../program/command.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import { unreadable, unwritable } from "../files/failures.ts";
import { writeOutput } from "../files/write.ts";
import { gatewayUrl } from "../gateway/process.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings/flags.ts";
import type { Stream, Terminal } from "../screen/terminal.ts";

const NAMES = [...new Set([...Object.keys(CLIENT_FILES), ...Object.keys(HOST_FILES)])].toSorted();
/** Settings may hold keys. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export const setupCommand: Command = {
  name: "setup",
  summary: "Write a client's settings so that it always uses precis, or take them back.",
  about: [
    "Shows the change to the client's settings file as a diff, and writes it only with --yes. Comments and all other settings stay. `--undo` restores the file byte for byte; if you have changed other settings since, it takes out only what this command put there.",
    "Claude Code, Codex, Gemini CLI and OpenCode are told to use the gateway, and then need a running one (`precis serve`). To try that without changing any settings, use `precis run`.",
    "dsh, OpenClaw, Hermes, LiteLLM and pi load precis themselves, as Claude Code and OpenCode do with `--inside` (docs/hosts.md).",
  ],
  examples: {
    "precis setup claude": "show what would change",
    "precis setup claude --yes": "write it",
    "precis setup claude --undo --yes": "and take it back",
    "precis setup claude --inside --yes": "have Claude Code load the plugin instead",
  },
  args: {
    client: positional("CLIENT", `One of ${NAMES.join(", ")}.`),
    file: option("FILE", "The settings file, instead of the usual one."),
    inside: toggle("Have Claude Code or OpenCode load precis, instead of sending requests to the gateway."),
    undo: toggle("Take the settings back."),
    url: option("URL", "The gateway's address, instead of the configured one."),
    yes: toggle("Write the change."),
    ...CONFIG_FLAGS,
  },
  run: async (args, terminal) => {
    const name = args.text("client") ?? "";
    const client = clientFor(name, args.is("inside"));
    const note = CLIENT_FILES[name] !== undefined && args.is("inside") ? `${name}-inside` : name;
    return args.is("undo") ? undo(client, note, args, terminal) : setUp(client, note, args, terminal);
  },
};

function clientFor(name: string, inside: boolean): ClientFile {
  const [gateway, host] = [CLIENT_FILES, HOST_FILES].map((files) =>
    Object.hasOwn(files, name) ? files[name] : undefined,
  );
  const client = inside ? host : (gateway ?? host);
  if (client !== undefined) return client;
  if (gateway !== undefined)
    throw usageError(`${name} has no place for precis`, `Leave --inside out: then ${name} uses the gateway.`);
  throw usageError(`there is no client ${name}`, `Name one of ${NAMES.join(", ")}.`);
}

async function setUp(client: ClientFile, name: string, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const path = findPath(client, args, terminal);
  const shown = shortPath(path, terminal);
  const text = readTextIn(path, shown);
  const url = await urlFor(args, terminal);
  const after = inFile(shown, () => client.withOurs(text === "" && path.endsWith("json") ? "{}\n" : text, url));
  const link = client.link?.(terminal);
  const isLinked = link === undefined || leadsTo(link);
  if (after === text && isLinked) {
    await terminal.out.say(`${shown} has these settings already\n`);
    return EXIT.done;
  }
  await terminal.out.say(`${shown}\n${renderDifference(text, after, terminal.out)}\n`);
  if (!isLinked)
    await terminal.out.say(`${terminal.out.paint("good", `+ ${shortPath(link.from, terminal)} → ${link.to}`)}\n`);
  const former = formerSetup(name, terminal);
  const replaced = former === undefined ? findAddresses(text).filter((one) => !after.includes(one)) : [];
  for (const address of replaced)
    await terminal.out.say(`${terminal.out.paint("warn", "!")} ${formerUpstream(address)}\n`);
  if (!args.is("yes")) return notWritten(terminal);
  // A second setup, for another address, is undone to what was there before the first.
  if (former?.path !== undefined && former.path !== path)
    throw usageError(
      `${shortPath(former.path, terminal)} has been set up already`,
      `Take that back first: \`precis setup ${wordsFor(name)} --undo --yes\`.`,
    );
  const before = former === undefined ? text : restored(client, text, former);
  const made = former?.made ?? [path, ...(isLinked ? [] : [link.from])].flatMap(missingAt);
  if (!isLinked) makeLink(link);
  const records = former?.records ?? readRecords(client, terminal);
  const note: FormerSetup = { before, after, path, made, records };
  await write(noteFile(name, terminal), JSON.stringify(note), terminal);
  await write(path, after, terminal);
  const more = client.note === undefined ? "" : ` ${client.note}`;
  await terminal.out.say(`written.${more} \`precis setup ${wordsFor(name)} --undo --yes\` takes it back\n`);
  return EXIT.done;
}

function findAddresses(text: string): readonly string[] {
  return [...new Set(text.match(/https?:\/\/[^\s"'<>]+/g))];
}

function formerUpstream(address: string): string {
  return `${address} is replaced: for requests still to go there, start the gateway with \`precis serve --upstream ${address}\`.`;
}

async function undo(client: ClientFile, name: string, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const former = formerSetup(name, terminal);
  const path = former?.path ?? findPath(client, args, terminal);
  const shown = shortPath(path, terminal);
  if (former === undefined) {
    await terminal.out.say(`\`precis setup ${wordsFor(name)}\` has not written anything\n`);
    return EXIT.done;
  }
  const text = readTextIn(path, shown);
  const after = inFile(shown, () => restored(client, text, former));
  const link = client.link?.(terminal);
  const isLinked = link !== undefined && leadsTo(link);
  await terminal.out.say(`${shown}\n${renderDifference(text, after, terminal.out)}\n`);
  if (isLinked) await terminal.out.say(`${terminal.out.paint("bad", `- ${shortPath(link.from, terminal)}`)}\n`);
  const records = changedRecords(client, former, terminal);
  for (const { path: record, entry } of records)
    await terminal.out.say(`${shortPath(record, terminal)}: ${terminal.out.paint("bad", `- ${entry.join(" ")}`)}\n`);
  if (!args.is("yes")) return notWritten(terminal);
  if (isLinked) rmSync(link.from);
  const { made = [] } = former;
  if (after === "" && made.includes(path)) rmSync(path, { force: true });
  else if (after !== text) await write(path, after, terminal);
  for (const { path: record, left } of records)
    if (left === undefined) rmSync(record);
    else await write(record, left, terminal);
  removeEmpty(made);
  rmSync(noteFile(name, terminal), { force: true });
  await terminal.out.say("taken back\n");
  return EXIT.done;
}

function readRecords({ records }: ClientFile, terminal: Terminal): Readonly<Record<string, string>> {
  const paths = (records?.(terminal) ?? []).map(({ path }) => path).filter((path) => existsSync(path));
  return Object.fromEntries(paths.map((path) => [path, readTextIn(path, shortPath(path, terminal))]));
}

/** Those that have an entry of precis which is not from before the setup, with what is left of each. */
function changedRecords(client: ClientFile, former: FormerSetup, terminal: Terminal) {
  const texts = readRecords(client, terminal);
  return (client.records?.(terminal) ?? []).flatMap(({ path, entry }) => {
    const text = texts[path];
    if (text === undefined) return [];
    const left = inFile(shortPath(path, terminal), () => withoutEntry(text, entry, former.records?.[path]));
    return left === text ? [] : [{ path, entry, left }];
  });
}

function findPath(client: ClientFile, args: Arguments, terminal: Terminal): string {
  const given = args.text("file");
  return given === undefined ? client.path(terminal) : resolve(terminal.folder, given);
}

const INSIDE = /-inside$/;

function wordsFor(note: string): string {
  return note.replace(INSIDE, " --inside");
}

type Link = ReturnType<NonNullable<ClientFile["link"]>>;

function leadsTo({ from, to }: Link): boolean {
  const there = lstatSync(from, { throwIfNoEntry: false });
  return there?.isSymbolicLink() === true && readlinkSync(from) === to;
}

/** The path and the folders above it that are not there, the deepest first. */
function missingAt(path: string): readonly string[] {
  return existsSync(path) ? [] : [path, ...missingAt(dirname(path))];
}

/** Folders that were made for our settings, and that nothing else has been put into since. */
function removeEmpty(made: readonly string[]): void {
  for (const path of made)
    if (existsSync(path) && statSync(path).isDirectory() && readdirSync(path).length === 0) rmdirSync(path);
}

/** What somebody has put there before stays. */
function makeLink({ from, to }: Link): void {
  try {
    mkdirSync(dirname(from), { recursive: true, mode: FOLDER_MODE });
    symlinkSync(to, from, "junction");
  } catch (error) {
    throw unwritable(from, error);
  }
}

async function urlFor(args: Arguments, terminal: Terminal): Promise<string> {
  const given = args.text("url");
  if (given !== undefined) {
    if (!/^https?:\/\/[^/?#@]+$/.test(given))
      throw usageError(`--url ${given} is not an address`, "Write for example `--url http://127.0.0.1:4020`.");
    return given;
  }
  const { gateway } = await loadConfiguration(configurationRequest(args, terminal));
  return gatewayUrl(gateway.host, gateway.port);
}

async function notWritten(terminal: Terminal): Promise<ExitCode> {
  await terminal.out.say("nothing was written: add --yes\n");
  return EXIT.done;
}

function noteFile(name: string, { environment, platform }: Terminal): string {
  return stateFile(`setup-${name}.json`, environment, platform);
}

function formerSetup(name: string, terminal: Terminal): FormerSetup | undefined {
  const path = noteFile(name, terminal);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as FormerSetup) : undefined;
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Without the mark that some editors begin a file with. */
function readTextIn(path: string, shown: string): string {
  try {
    return existsSync(path) ? new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)) : "";
  } catch (error) {
    throw unreadable(shown, error, "Save it as UTF-8.");
  }
}

/** The text as it would be without our settings: byte for byte where the lines that they are in were not changed since. */
function restored(client: ClientFile, text: string, former: FormerSetup): string {
  if (text === former.after) return former.before;
  // Deleted or emptied since: nothing of ours is left in it.
  if (text.trim() === "") return text;
  const { old, fresh } = changedLines(former.before, former.after);
  const [first, ...more] = text.split(`\n${fresh.join("\n")}\n`);
  const isThereOnce = former.before !== "" && fresh.length > 0 && more.length === 1;
  return isThereOnce ? [first, ...old, more[0]].join("\n") : client.withoutOurs(text, former);
}

async function write(path: string, text: string, terminal: Terminal): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    throw unwritable(path, error);
  }
  const isMarked = existsSync(path) && readFileSync(path, "utf8").startsWith(BYTE_ORDER_MARK);
  await writeOutput(terminal, path, isMarked ? `${BYTE_ORDER_MARK}${text}` : text, {
    mode: FILE_MODE,
    isOwnSettings: true,
  });
}

function inFile<Result>(shown: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error;
    const { message, code, hint } = error;
    throw new PrecisError(message, { code, hint, place: shown });
  }
}

const CONTEXT_LINES = 2;

function changedLines(before: string, after: string) {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  return {
    head: old.slice(0, head),
    old: old.slice(head, old.length - tail),
    fresh: fresh.slice(head, fresh.length - tail),
    tail: old.slice(old.length - tail),
  };
}

function renderDifference(before: string, after: string, stream: Stream): string {
  const { head, old, fresh, tail } = changedLines(before, after);
  return [
    ...marked(" ", head.slice(-CONTEXT_LINES)),
    ...marked("-", old).map((line) => stream.paint("bad", line)),
    ...marked("+", fresh).map((line) => stream.paint("good", line)),
    ...marked(" ", tail.slice(0, CONTEXT_LINES)),
  ].join("\n");
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}
