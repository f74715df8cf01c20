/** The settings of single engines, as the file and as a program's options have them, made from what the engines declare. */
import { z } from "zod";
import { type EngineSetting, type SettingsOfEngine, OWN_SETTINGS } from "../core/engines/settings.ts";
import { snakeCase } from "./snake-case.ts";

const engines = Object.entries(OWN_SETTINGS) as [string, SettingsOfEngine][];

/** The section `engines` of the file. */
export const enginesSection = z
  .strictObject(
    Object.fromEntries(engines.map(([name, own]) => [snakeCase(name), engineSection(name, own, snakeCase)])),
  )
  .prefault({})
  .meta({
    description:
      "Settings of individual engines (docs/engines). Those of the default engine, `compressor`, are in `compression`.",
  });

/** The same as an option of a call, by the names that a program uses. */
export const enginesOption = z.strictObject(
  Object.fromEntries(engines.map(([name, own]) => [name, engineSection(name, own, String)])),
);

function engineSection(name: string, own: SettingsOfEngine, nameOf: (name: string) => string): z.ZodType {
  const settings = Object.entries(own).map(([key, setting]) => [nameOf(key), schemaOf(setting)]);
  return z
    .strictObject(Object.fromEntries(settings) as Record<string, z.ZodType>)
    .prefault({})
    .meta({ description: `Settings of the engine \`${name}\`.` });
}

function schemaOf(setting: EngineSetting): z.ZodType {
  const { description } = setting;
  if (setting.kind === "choice")
    return z
      .enum(setting.choices as [string, ...string[]])
      .default(setting.default)
      .meta({ description });
  const { kind, min, max = Number.MAX_SAFE_INTEGER } = setting;
  const number = (kind === "share" ? z.number() : z.int()).min(min).max(max);
  if (setting.default === null) return number.nullable().default(null).meta({ description });
  return number.default(setting.default).meta({ description, examples: [setting.default] });
}
