/** Where each agent keeps its sessions, by the variables that move it elsewhere, and where a written one has to go. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { asFields, asText, tryParseJson } from "./fields.ts";
import { hashProject } from "./gemini/index.ts";
import type { LogFormat } from "./log.ts";
import { isoOf } from "./document.ts";

export type PlaceEnvironment = Readonly<Record<string, string | undefined>>;

export interface AgentPlace {
  /** Folders that are searched with all below them, and databases. */
  readonly roots: readonly string[];
  readonly isSession: (path: string) => boolean;
}

/** `folder` is where the person works, for a machine without a home. */
export function findPlaces(environment: PlaceEnvironment, folder: string): Readonly<Record<LogFormat, AgentPlace>> {
  const home = environment["HOME"] ?? environment["USERPROFILE"] ?? folder;
  const data = environment["XDG_DATA_HOME"] ?? join(home, ".local", "share");
  const hermes = environment["HERMES_HOME"] ?? join(home, ".hermes");
  return {
    "claude-code": {
      roots: [join(claudeFolder(environment, home), "projects")],
      isSession: (path) => path.endsWith(".jsonl") && !/[/\\](?:subagents[/\\]|agent-)[^/\\]*$/.test(path),
    },
    codex: {
      roots: [join(environment["CODEX_HOME"] ?? join(home, ".codex"), "sessions")],
      isSession: named(/[/\\]rollout-[^/\\]*\.jsonl$/),
    },
    pi: { roots: [join(piFolder(environment, home), "sessions")], isSession: named(/\.jsonl$/) },
    opencode: {
      roots: [join(data, "opencode", "opencode.db"), join(data, "opencode", "storage", "session")],
      isSession: named(/\.(?:db|json)$/),
    },
    gemini: { roots: [join(home, ".gemini", "tmp")], isSession: named(/[/\\]chats[/\\][^/\\]*\.jsonl?$/) },
    dsh: {
      roots: [join(environment["DSH_HOME"] ?? join(home, ".dsh"), "sessions")],
      isSession: named(/[/\\]session\.jsonl(?:\.zstd)?$/),
    },
    hermes: {
      roots: [join(hermes, "state.db"), join(hermes, "sessions")],
      isSession: named(/(?:\.db|session[^/\\]{0,255}\.json)$/),
    },
  };
}

function named(pattern: RegExp): AgentPlace["isSession"] {
  return (path) => pattern.test(path);
}

function claudeFolder(environment: PlaceEnvironment, home: string): string {
  return environment["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
}

function piFolder(environment: PlaceEnvironment, home: string): string {
  return environment["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent");
}

export interface NewSession {
  readonly id: string;
  readonly cwd: string;
  readonly startMs: number;
  /** The id that the written text has, if the format changes it. */
  readonly ownId: string;
}

export interface Destination {
  /** A file of its own, also a compressed one, or a database that it is added to. */
  readonly kind: "file" | "frames" | "database";
  readonly path: string;
  readonly resume: readonly string[];
}

/**
 * Gemini CLI names a project's folder in a registry beside them. A project that is not in there yet has a folder by the
 * hash of its path, which Gemini CLI moves when it starts there (0.61).
 */
function geminiProject(root: string, cwd: string): string {
  const registry = join(dirname(root), "projects.json");
  const known = existsSync(registry) ? asFields(tryParseJson(readFileSync(registry, "utf8"))) : undefined;
  return asText(asFields(known?.["projects"])?.[cwd]) ?? hashProject(cwd);
}

/** As dsh names a project's folder (0.1). */
function dshProject(cwd: string): string {
  const readable = cwd
    .replaceAll(/[^A-Za-z0-9._/\\:-]/g, (one) => `~${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`)
    .replaceAll(/[/\\:]+/g, "-");
  return `--${(readable.replace(/^-+/, "") || "root").slice(0, DSH_PROJECT_CHARS_MAX)}--`;
}

const DSH_PROJECT_CHARS_MAX = 251;

export function destinationFor(
  to: LogFormat,
  session: NewSession,
  { environment, folder }: { readonly environment: PlaceEnvironment; readonly folder: string },
): Destination {
  const { id, cwd, ownId } = session;
  const [first = ""] = findPlaces(environment, folder)[to].roots;
  const stamp = isoOf(session.startMs).slice(0, "2026-01-01T00:00:00".length).replaceAll(":", "-");
  switch (to) {
    case "claude-code":
      return {
        kind: "file",
        path: join(first, cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`),
        resume: ["claude", "--resume", id],
      };
    case "codex": {
      const [day = ""] = stamp.split("T");
      const path = join(first, ...day.split("-"), `rollout-${stamp}-${id}.jsonl`);
      return { kind: "file", path, resume: ["codex", "resume", id] };
    }
    case "pi": {
      const name = `--${cwd.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")}--`;
      return { kind: "file", path: join(first, name, `${stamp}_${id}.jsonl`), resume: ["pi", "--session", id] };
    }
    case "gemini": {
      const name = `session-${stamp.slice(0, "2026-01-01T00-00".length)}-${id.slice(0, 8)}.jsonl`;
      return {
        kind: "file",
        path: join(first, geminiProject(first, cwd), "chats", name),
        resume: ["gemini", "--resume", id],
      };
    }
    case "opencode":
      return { kind: "database", path: first, resume: ["opencode", "-s", ownId] };
    case "dsh":
      return {
        kind: "frames",
        path: join(first, dshProject(cwd), ownId, "session.jsonl.zstd"),
        resume: ["dsh", "--profile", "tui", "--resume", ownId],
      };
    case "hermes":
      return { kind: "database", path: first, resume: ["hermes", "--resume", ownId] };
  }
}
