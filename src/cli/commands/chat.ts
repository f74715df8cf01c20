/** `precis chat`: a small agent in the terminal whose conversation never outgrows its model's window. */
import { engineSettingsOf } from "../../config/engine-settings.ts";
import { loadConfiguration, type Flag } from "../../config/load.ts";
import { stateFile } from "../../config/locate.ts";
import type { Configuration } from "../../config/schema.ts";
import type { Precis } from "../../integrations/ai-sdk/index.ts";
import { lookUp, registryOf } from "../../models/index.ts";
import type { PluginSource } from "../../plugins/load.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { change, count, counted } from "../amounts.ts";
import type { Command, Arguments } from "../command.ts";
import { interruptedAnswer, isUnfinished, unanswered } from "../chat/calls.ts";
import { openConversation, setAside, type Conversation } from "../chat/conversation.ts";
import { configuredModel, scriptedModel, type ChatModel } from "../chat/model.ts";
import { createScreen, type ChatScreen } from "../chat/screen.ts";
import { helpText, runCommand, type CommandContext } from "../chat/slash-commands.ts";
import { createTools } from "../chat/tools.ts";
import { withEngine } from "../engine.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";
import type { Terminal } from "../terminal.ts";

const SESSION_DEFAULT = "default";

export const chatCommand: Command = {
  name: "chat",
  summary: "Talk to a small agent in the terminal, which works past its model's window.",
  about: [
    "The agent runs commands (shell), reads, writes and searches files in this folder. You are asked before it runs a command or writes a file. `/help` lists what else you can type: /compress, /context, /usage, /undo, /recall. Ctrl-C stops the agent, Ctrl-D ends the program.",
    "The conversation is kept on this machine after every message, readable only by you, and goes on where it was, also in the middle of a turn, after a crash. The source of its loop, `src/cli/chat/loop.ts`, shows how precis goes into an agent of your own.",
    "It needs the packages of the AI SDK (docs/models.md). With --script it talks to the strict local provider instead, without a key.",
  ],
  examples: [
    { line: "precis chat --model claude-sonnet-4-5", says: "with your key in ANTHROPIC_API_KEY" },
    { line: "precis chat --session refactoring", says: "begin or continue a conversation of that name" },
    { line: "precis chat --script answers.yaml --context-length 16k", says: "without a model, by a script" },
  ],
  args: {
    model: { type: "string", valueHint: "NAME", description: "The model to talk to (model.name)." },
    session: {
      type: "string",
      valueHint: "NAME",
      description: `The conversation to begin or continue; "${SESSION_DEFAULT}" by default.`,
    },
    script: {
      type: "string",
      valueHint: "FILE",
      description: "Answers of the strict provider, as `precis provider --script` takes them; no key and no model.",
    },
    yes: { type: "boolean", description: "Let the agent run commands and write files without asking." },
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  run: async (args, terminal): Promise<ExitCode> => {
    const settings = configurationRequest(args, terminal);
    const flags = [...(settings.flags ?? []), ...modelFlags(args)];
    const configuration = await loadConfiguration({ ...settings, flags });
    const screen = createScreen(terminal, { approveAll: args.is("yes") });
    try {
      await withEngine(configuration, terminal, async (engine) => {
        // `/new` ends a conversation, and the next one begins.
        while (await converse({ args, configuration, engine, screen, terminal }));
      });
    } finally {
      screen.close();
    }
    return EXIT.done;
  },
};

function modelFlags(args: Arguments): readonly Flag[] {
  const model = args.text("model");
  return model === undefined ? [] : [{ path: "model.name", text: model, label: "--model" }];
}

interface Chat {
  readonly args: Arguments;
  readonly configuration: Configuration;
  readonly engine: PluginSource | string;
  readonly screen: ChatScreen;
  readonly terminal: Terminal;
}

/** One conversation; true where a new one is to begin. */
async function converse(chat: Chat): Promise<boolean> {
  const { args, screen, terminal } = chat;
  const parent = stateFile("chat", terminal.environment, terminal.platform);
  const conversation = await openConversation(parent, args.text("session") ?? SESSION_DEFAULT);
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

function modelFor({ args, configuration, terminal }: Chat, { journal }: Conversation): Promise<ChatModel> {
  const script = args.text("script");
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
    import("../../integrations/ai-sdk/index.ts"),
    import("../chat/loop.ts"),
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
  { args, screen, terminal }: Chat,
): void {
  const { paint } = terminal.out;
  const said = journal.messages.length;
  const goesOn = said === 0 ? "a new conversation" : `continues ${counted(said, "message")}`;
  screen.say(`${paint("strong", "precis chat")}  ${name}, ${at}; window ${count(commands.windowTokens)} tokens`);
  screen.say(paint("dim", `${args.text("session") ?? SESSION_DEFAULT}: ${goesOn}. /help lists the commands.`));
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
