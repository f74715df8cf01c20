/** The model that this agent talks to: the configured one at its provider, or a script at the strict provider, without a key. */
import type { wrapLanguageModel } from "ai";
import type { Configuration } from "../../src/config/schema.ts";
import { PrecisError } from "../../src/core/errors.ts";
import { mainChoice } from "../../src/models/choice.ts";
import { loadDialect, loadPackage, type Dialect } from "../../src/models/packages.ts";
import { usageError } from "../../src/cli/exit.ts";
import { outwardFetch } from "../../src/cli/outward-proxies.ts";
import { readText } from "../../src/cli/read-file.ts";
import type { Terminal } from "../../src/cli/terminal.ts";

type Model = Parameters<typeof wrapLanguageModel>[0]["model"];

export interface ChatModel {
  readonly model: Model;
  readonly name: string;
  /** Where it is reached, for a person. */
  readonly at: string;
  /** The variable that holds its key; commands of the agent do not get it. */
  readonly keyVariable?: string;
  readonly close: () => Promise<void>;
}

const CREATORS: Readonly<Record<Dialect, string>> = {
  anthropic: "createAnthropic",
  openai: "createOpenAI",
  "openai-compatible": "createOpenAICompatible",
};

interface Place {
  readonly dialect: Dialect;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
}

/** Throws a usage error where no model is named or it cannot be reached as it is configured. */
export async function configuredModel(configuration: Configuration, { environment }: Terminal): Promise<ChatModel> {
  const choice = mainChoice(configuration);
  if (choice === undefined)
    throw usageError(
      "no model is named",
      "Write for example `node examples/chat/main.ts --model claude-sonnet-4-5`, or `--script FILE` without a key.",
    );
  if ("problem" in choice)
    throw usageError(`the model ${choice.model} cannot be used: ${choice.problem}`, "See docs/models.md.");
  const { model: name, provider, baseUrl, keyVariable } = choice;
  const apiKey = environment[keyVariable]?.trim() || undefined;
  if (apiKey === undefined && provider.keyOptional !== true)
    throw usageError(
      `${provider.title} needs a key, and ${keyVariable} is not set`,
      `Set it where precis runs: \`export ${keyVariable}=…\`.`,
    );
  const place = { dialect: provider.dialect, baseURL: baseUrl!, apiKey, fetch: outwardFetch(environment) };
  return { model: await modelAt(name, place), name, at: provider.title, keyVariable, close: async () => undefined };
}

export interface ScriptedModel {
  readonly script: string;
  readonly windowTokens: number;
  /** Answers that the conversation has already: the script goes on behind them. */
  readonly answered: number;
}

/** The strict provider of `precis-provider`, in this process, for a conversation that no vendor is asked about. */
export async function scriptedModel(
  { script, windowTokens, answered }: ScriptedModel,
  terminal: Terminal,
): Promise<ChatModel> {
  const { readScript } = await import("../../provider/src/script-file.ts");
  const { createProvider } = await import("../../provider/src/provider.ts");
  const answers = readScript(await readText(script, terminal), script);
  const provider = createProvider({
    script: answers.slice(Math.min(answered, answers.length - 1)),
    models: { strict: { windowTokens } },
    // Ids are drawn from it, and those of an earlier process are in the conversation.
    seed: answered + 1,
    limits: { recordedBytes: 0 },
  });
  const { url, close } = await provider.listen();
  const place = { dialect: "openai-compatible", baseURL: `${url}/v1`, apiKey: "any", fetch } as const;
  return { model: await modelAt("strict", place), name: "strict", at: `a script at ${url}`, close };
}

/** Throws `missing_package` where the AI SDK is not installed. */
async function modelAt(name: string, { dialect, ...place }: Place): Promise<Model> {
  const packages = await loadDialect(dialect, loadPackage);
  if ("missing" in packages)
    throw new PrecisError(`the AI SDK is needed: ${packages.missing}`, {
      code: "missing_package",
      hint: `Run \`npm install ai @ai-sdk/${dialect}\`.`,
    });
  const create = (packages.provider as Readonly<Record<string, (settings: object) => (model: string) => Model>>)[
    CREATORS[dialect]
  ]!;
  return create({ name: dialect, includeUsage: true, ...place })(name);
}
