/** Settings of the configuration's schema as options of a call. */
import { z } from "zod";
import { section, type OptionKind, type OptionKinds, type OptionSection } from "./option-kinds.ts";
import { fits, settingOf } from "./settings.ts";

type Mixed<Keys extends string> = Readonly<Record<Keys, z.ZodType | OptionKind | OptionSection>>;

/** Options of which some are said by a schema. */
export function optionsOf<Keys extends string>(mixed: Mixed<Keys>): Readonly<Record<Keys, OptionKind | OptionSection>> {
  const options = Object.entries<Mixed<Keys>[Keys]>(mixed).map(([key, one]) => [
    key,
    one instanceof z.ZodType ? optionOf(key, one) : one,
  ]);
  return Object.fromEntries(options) as Readonly<Record<Keys, OptionKind | OptionSection>>;
}

function optionOf(key: string, field: z.ZodType): OptionKind | OptionSection {
  const inner = field instanceof z.ZodPrefault ? field.unwrap() : field;
  if (inner instanceof z.ZodObject) return section(optionsOf(inner.shape as OptionKinds & Record<string, z.ZodType>));
  const setting = settingOf(key, field);
  return { fits: fits(setting), expects: setting.expects, default: setting.default, example: setting.example };
}
