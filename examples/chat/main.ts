/** A small agent in the terminal whose conversation never outgrows its model's window; `loop.ts` is its heart. */
import { parseArgs } from "node:util";
import { engineSettingsOf } from "../../src/config/engine-settings.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { stateFile } from "../../src/config/locate.ts";
import type { Configuration } from "../../src/config/schema.ts";
import { PrecisError } from "../../src/core/errors.ts";
import type { Precis } from "../../src/integrations/ai-sdk/index.ts";
import { lookUp, registryOf } from "../../src/models/index.ts";
import type { PluginSource } from "../../src/plugins/load.ts";
import { loadSecretRules } from "../../src/secrets/rules.ts";
import { change, count, counted } from "../../src/cli/amounts.ts";
import { interruptedAnswer, isUnfinished, unanswered } from "./calls.ts";
import { openConversation, setAside, type Conversation } from "./conversation.ts";
import { configuredModel, scriptedModel, type ChatModel } from "./model.ts";
import { createScreen, type ChatScreen } from "./screen.ts";
import { helpText, runCommand, type CommandContext } from "./slash-commands.ts";
import { createTools } from "./tools.ts";
import { withEngine } from "../../src/cli/engine.ts";
import { exitCodeOf } from "../../src/cli/exit.ts";
import { settingOf } from "../../src/cli/settings-flags.ts";
import { processTerminal, type Terminal } from "../../src/cli/terminal.ts";

const SESSION_DEFAULT = "default";

interface Options {
  readonly session: string;
  /** Answers of the strict provider, instead of a model. */
  readonly script: string | undefined;
}

await start(processTerminal());

async function start(terminal: Terminal): Promise<void> {
  try {
    await talk(terminal);
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error;
    process.stderr.write(`${error.message}\n  next  ${error.hint}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

async function talk(terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    options: {
      model: { type: "string" },
      session: { type: "string", default: SESSION_DEFAULT },
      script: { type: "string" },
      yes: { type: "boolean", default: false },
      set: { type: "string", multiple: true, default: [] },
    },
  });
  const { model, script, session, set } = values;
  const flags = [
    ...set.map(settingOf),
    ...(model === undefined ? [] : [{ path: "model.name", text: model, label: "--model" }]),
  ];
  const { folder, environment, platform } = terminal;
  const configuration = await loadConfiguration({ folder, environment, platform, flags });
  const screen = createScreen(terminal, { approveAll: values.yes });
  try {
    await withEngine(configuration, terminal, async (engine) => {
      // `/new` ends a conversation, and the next one begins.
      while (await converse({ options: { session, script }, configuration, engine, screen, terminal }));
    });
  } finally {
    screen.close();
  }
}

interface Chat {
  readonly options: Options;
  readonly configuration: Configuration;
  readonly engine: PluginSource | string;
  readonly screen: ChatScreen;
  readonly terminal: Terminal;
}

/** One conversation; true where a new one is to begin. */
async function converse(chat: Chat): Promise<boolean> {
  const { options, screen, terminal } = chat;
  const parent = stateFile("chat", terminal.environment, terminal.platform);
  const conversation = await openConversation(parent, options.session);
  const model = await modelFor(chat, conversation).catch(async (error: unknown) => {
    await conversation.close();
    throw error;
  });
  try {
    const parts = await createParts(chat, conversation, model);
    greet(parts, conversation, model, chat);
    if (isUnfinished(conversation.journal.messages)) await resume(parts, chat);
    if (!(await readLines(parts, chat))) return false;
  } finally {
    await model.close();
    await conversation.close();
  }
  screen.say(`The conversation so far is kept in ${setAside(conversation, new Date())}.`);
  return true;
}

function modelFor(
  { options: { script }, configuration, terminal }: Chat,
  { journal }: Conversation,
): Promise<ChatModel> {
  if (script === undefined) return configuredModel(configuration, terminal);
  const windowTokens = engineSettingsOf(configuration).contextLength;
  const answered = journal.messages.filter(({ role }) => role === "assistant").length;
  return scriptedModel({ script, windowTokens, answered }, terminal);
}

interface Parts {
  /** Runs a turn to its end, or until Ctrl-C. */
  readonly turn: () => Promise<void>;
  readonly commands: CommandContext;
}

async function createParts(
  chat: Chat,
  conversation: Conversation,
  { model, name, keyVariable }: ChatModel,
): Promise<Parts> {
  const { configuration, engine, screen, terminal } = chat;
  const { journal, store } = conversation;
  // Loaded only now: the AI SDK is an optional package.
  const [{ createPrecis }, { runTurn }] = await Promise.all([
    import("../../src/integrations/ai-sdk/index.ts"),
    import("./loop.ts"),
  ]);
  const settings = engineSettingsOf(configuration, name === "strict" ? undefined : name);
  const state = journal.state();
  const precis: Precis = createPrecis({
    engine,
    settings,
    store,
    model: name,
    secrets: await loadSecretRules(configuration.redaction),
    ingestLimitTokens: configuration.compression.ingest_limit_tokens,
    ...(state === undefined ? {} : { state }),
  });
  precis.on("compacted", ({ compaction: { report } }) => {
    const { before, after } = report.tokens;
    screen.say(
      terminal.out.paint("good", `compacted: ${count(before)} → ${count(after)} tokens (${change(before, after)})`),
    );
  });
  const { [keyVariable ?? ""]: _, ...environment } = terminal.environment;
  const agent = {
    model,
    precis,
    journal,
    instructions: instructionsFor(terminal.folder),
    tools: createTools(terminal.folder, environment),
    screen: { ...screen, usage: journal.addUsage },
  };
  const turn = async (): Promise<void> => {
    const stopped = new AbortController();
    const done = screen.onInterrupt(() => stopped.abort());
    try {
      await runTurn(agent, stopped.signal);
    } catch (error) {
      if (!stopped.signal.aborted) screen.say(terminal.out.paint("bad", `failed: ${(error as Error).message}`));
    } finally {
      done();
      if (stopped.signal.aborted) screen.say("stopped");
      journal.keepState(precis.state());
    }
  };
  const prices = lookUp(registryOf(configuration), name)?.prices;
  const commands = { precis, journal, out: terminal.out, model: name, windowTokens: settings.contextLength, prices };
  return { turn, commands };
}

function instructionsFor(folder: string): string {
  return `You are a careful software engineer who works in the folder ${folder} through the tools given. Look before you change something, run what you changed, and say briefly what you did.`;
}

function greet(
  { commands }: Parts,
  { journal }: Conversation,
  { name, at }: ChatModel,
  { options, screen, terminal }: Chat,
): void {
  const { paint } = terminal.out;
  const said = journal.messages.length;
  const goesOn = said === 0 ? "a new conversation" : `continues ${counted(said, "message")}`;
  screen.say(`${paint("strong", "chat")}  ${name}, ${at}; window ${count(commands.windowTokens)} tokens`);
  screen.say(paint("dim", `${options.session}: ${goesOn}. /help lists the commands.`));
}

/** After a crash: what was under way may have happened, and the model is told so. */
async function resume({ turn, commands: { journal } }: Parts, { screen, terminal }: Chat): Promise<void> {
  screen.say(terminal.out.paint("warn", "The last turn was cut off; it goes on."));
  const effective = new Set(["shell", "write"]);
  for (const call of unanswered(journal.messages))
    if (effective.has(call.tool)) journal.append(interruptedAnswer(call));
  await turn();
}

/** True where a new conversation is asked for. */
async function readLines({ turn, commands }: Parts, { screen, terminal }: Chat): Promise<boolean> {
  for (;;) {
    const text = (await screen.line("> "))?.trim();
    if (text === undefined || text === "/exit") return false;
    if (text === "/new") return true;
    if (text === "") continue;
    if (text === "/help") screen.say(helpText());
    else if (text.startsWith("/"))
      screen.say(
        await runCommand(text, commands).catch((error: unknown) => terminal.out.paint("bad", (error as Error).message)),
      );
    else {
      commands.journal.append({ role: "user", content: text });
      await turn();
    }
  }
}
