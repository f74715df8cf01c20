/** The library checks its options without the configuration's schema; both accept the same and say the same. */
import { expect, it } from "vitest";
import { engineSettings, isSection, type OptionKind, type OptionKinds } from "../../src/config/options.ts";
import { toOptions } from "../../src/config/settings.ts";
import { schema } from "../../src/config/schema.ts";

const { compression, context, model } = schema.shape;
const { shape: compressed } = compression.unwrap();
const { shape: modelled } = model.unwrap();

const configured = toOptions({
  contextLength: modelled.context_length
    .unwrap()
    .unwrap()
    .meta({ examples: [200_000] }),
  maxOutputTokens: modelled.max_output_tokens,
  threshold: compressed.threshold,
  targetRatio: compressed.target_ratio,
  protectLastN: compressed.protect_last_n,
  protectFirstN: compressed.protect_first_n,
  note: compressed.note,
  keepRequests: compressed.keep_requests,
  template: compressed.template,
  preset: context.unwrap().shape.preset,
});

/** Each option by its path, with what messages say of it. */
function stated(options: OptionKinds, prefix = ""): readonly (readonly [path: string, kind: OptionKind])[] {
  return Object.entries(options).flatMap(([key, option]) =>
    isSection(option) ? stated(option.options, `${prefix}${key}.`) : [[`${prefix}${key}`, option] as const],
  );
}

const VALUES = [
  null,
  true,
  "",
  "x",
  "system",
  "all",
  -1,
  0,
  0.04,
  0.05,
  0.1,
  0.5,
  0.8,
  0.81,
  1,
  1.5,
  2,
  1e15,
  NaN,
  2 ** 53,
  [],
];

/** The others have no place in a file. */
const { engines: _, thresholdFloorTokens: _floor, ...shared } = engineSettings.options;

it("say the same of every setting that a file has too", () => {
  const words = (options: OptionKinds) =>
    stated(options).map(([path, { expects, default: value, example }]) => ({ path, expects, default: value, example }));
  expect(words(shared)).toEqual(words(configured));
  expect(words(engineSettings.options).length).toBeGreaterThan(20);
});

it("accept the same values", () => {
  const accepted = (options: OptionKinds) =>
    stated(options).map(([path, kind]) => [path, VALUES.filter((value) => kind.fits(value))]);
  expect(accepted(shared)).toEqual(accepted(configured));
});
