/** Keys and tokens: whether the variables that settings name are set, and hold what a header can carry. No value is ever shown. */
import type { Configuration } from "../../config/schema.ts";
import { asksInPlace, chooseModels, type Choice, type Unclear } from "../../models/choice.ts";
import { loadDialect, loadPackage } from "../../models/packages.ts";
import { handoffsSentence } from "../summarize.ts";
import type { Terminal } from "../terminal.ts";
import { fault, fine, note, warning, type Finding } from "./finding.ts";

interface Named {
  readonly variable: string;
  /** What it is for. */
  readonly use: string;
  readonly optional: boolean;
  /** The setting that names it. */
  readonly path: string;
}

export async function checkKeys(configuration: Configuration, { environment }: Terminal): Promise<readonly Finding[]> {
  const inPlace = asksInPlace(configuration);
  const { auxiliary, main } = inPlace ? { auxiliary: undefined, main: undefined } : chooseModels(configuration);
  const choices = [
    { choice: auxiliary, path: "auxiliary.compression.api_key_env" },
    { choice: main, path: "model.api_key_env" },
  ];
  const named: Named[] = choices.flatMap(({ choice, path }) => (isChoice(choice) ? [keyOf(choice, path)] : []));
  const { token_env: token } = configuration.gateway;
  if (token !== null)
    named.push({ variable: token, use: "the operator's token", optional: false, path: "gateway.token_env" });
  const unclear = choices.flatMap(({ choice }) =>
    choice !== undefined && !isChoice(choice) ? [unclearFinding(choice)] : [],
  );
  const packages = await missingPackages(choices.flatMap(({ choice }) => (isChoice(choice) ? [choice] : [])));
  if (named.length === 0 && unclear.length === 0)
    return [fine("keys", "keys", "none needed: clients send their own"), handoffs(configuration)];
  return [
    ...named.map((one) => keyFinding(one, environment[one.variable])),
    ...unclear,
    ...packages,
    handoffs(configuration),
  ];
}

/** Who writes the handoffs; where no model does, what one would bring. */
function handoffs(configuration: Configuration): Finding {
  return fine("keys", "handoffs", `handoffs are ${handoffsSentence(configuration)}`);
}

function isChoice(choice: Choice | Unclear | undefined): choice is Choice {
  return choice !== undefined && "provider" in choice;
}

function keyOf({ model, keyVariable, provider }: Choice, path: string): Named {
  return { variable: keyVariable, use: `handoffs by ${model}`, optional: provider.keyOptional === true, path };
}

function unclearFinding({ model, problem, path }: Unclear): Finding {
  return warning("keys", "model_unclear", {
    says: `${model} is to write handoffs, but ${problem}`,
    fix: `Set ${path}; until then code writes them.`,
  });
}

function keyFinding({ variable, use, optional, path }: Named, value: string | undefined): Finding {
  if (value === undefined || value.trim() === "") {
    if (optional)
      return note("keys", "key_optional", `${variable} is not set; a server of your own may need none (${use})`);
    return fault("keys", "key_missing", {
      says: `${variable} is not set, and ${use} needs it`,
      fix: `Set it where precis runs: \`export ${variable}=…\`, or name another variable with ${path}.`,
    });
  }
  const quoted = /^(["']).*\1$/s.test(value);
  // What a header cannot carry, or a copy has brought along.
  if (quoted || /[^\x21-\x7e]/.test(value))
    return fault("keys", "key_malformed", {
      says: `${variable} holds ${quoted ? "quotation marks around its value" : "white space or characters that no key has"}`,
      fix: `Set it again without them: \`export ${variable}=…\`.`,
    });
  return fine("keys", "key", `${variable} is set (${use})`);
}

async function missingPackages(choices: readonly Choice[]): Promise<readonly Finding[]> {
  const dialects = new Set(choices.map(({ provider }) => provider.dialect));
  const found: Finding[] = [];
  for (const dialect of dialects) {
    const loaded = await loadDialect(dialect, loadPackage);
    if ("missing" in loaded)
      found.push(
        fault("keys", "package_missing", {
          says: "a model is configured for handoffs, but the package that calls it is not installed",
          fix: `Install it: npm install ai @ai-sdk/${dialect}, with --global where precis itself was installed so`,
        }),
      );
  }
  return found;
}
