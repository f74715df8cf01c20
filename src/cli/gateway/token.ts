/**
 * The operator's token: from the environment where `gateway.token_env` names a variable, else from a file that the first
 * `precis serve` makes, for its owner alone.
 */
import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { shortPath } from "../../config/load.ts";
import { isLoopback, stateFile } from "../../config/locate.ts";
import type { Configuration } from "../../config/schema.ts";
import { usageError } from "../program/exit.ts";
import type { Terminal } from "../screen/terminal.ts";

export interface OperatorToken {
  readonly token: string;
  /** The variable or the file it is from; neither where none could be kept, and it ends with the process. */
  readonly variable?: string;
  readonly file?: string;
}

type TokenEnvironment = Pick<Terminal, "environment" | "platform" | "folder">;

const TOKEN_BYTES = 32;
const TOKEN_CHARS_MIN = 32;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

function tokenFile({ environment, platform }: TokenEnvironment): string {
  return stateFile("operator-token", environment, platform);
}

export function operatorToken({ gateway }: Configuration, place: TokenEnvironment): OperatorToken | undefined {
  const { token_env: variable } = gateway;
  if (variable === null) return tokenInFile(place);
  const token = place.environment[variable]?.trim() || undefined;
  const fix = `Make one: \`export ${variable}=$(openssl rand -hex 32)\`.`;
  if (token === undefined) throw usageError(`gateway.token_env names the variable ${variable}, which is not set`, fix);
  if (token.length >= TOKEN_CHARS_MIN) return { token, variable };
  // It opens every conversation of everybody.
  throw usageError(`the token in ${variable} has less than ${TOKEN_CHARS_MIN} characters, and could be guessed`, fix);
}

/** The same, made where there is none. A token that cannot be kept is as good, until the process ends. */
function madeToken(configuration: Configuration, place: TokenEnvironment): OperatorToken {
  const known = operatorToken(configuration, place);
  if (known !== undefined) return known;
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  try {
    keep(token, tokenFile(place));
  } catch {
    return { token };
  }
  return tokenInFile(place) ?? { token };
}

/** The same; beyond this machine it has to be the operator's own. */
export function requiredToken(configuration: Configuration, place: TokenEnvironment): OperatorToken {
  const { host, token_env: variable } = configuration.gateway;
  if (variable === null && !isLoopback(host))
    throw usageError(
      `${host} can be reached from other machines, and no token protects the metrics and the API`,
      "Set gateway.token_env to a variable that holds a token.",
    );
  return madeToken(configuration, place);
}

export function tokenPlace({ variable, file }: OperatorToken, terminal: Terminal): string {
  if (variable !== undefined) return `in ${variable}`;
  return file === undefined
    ? `for this run only, because ${shortPath(tokenFile(terminal), terminal)} cannot be written`
    : `in ${shortPath(file, terminal)}`;
}

function tokenInFile(place: TokenEnvironment): OperatorToken | undefined {
  const file = tokenFile(place);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (place.platform !== "win32" && (stats.mode & OTHERS) !== 0)
    throw usageError(
      `others on this machine may read the operator's token in ${file} (mode ${(stats.mode & 0o777).toString(8)})`,
      `Run \`rm ${file}\`: the next \`precis serve\` creates a new one.`,
    );
  const token = readFileSync(file, "utf8").trim();
  if (token.length >= TOKEN_CHARS_MIN) return { token, file };
  throw usageError(
    `${file} contains no token of ${TOKEN_CHARS_MIN} characters or more`,
    `Run \`rm ${file}\`: the next \`precis serve\` creates a new one.`,
  );
}

/** Of two that begin at once the first one's stays: the file is there whole, or not at all. */
function keep(token: string, file: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  try {
    writeFileSync(draft, `${token}\n`, { mode: FILE_MODE, flag: "wx" });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
