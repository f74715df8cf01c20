const EXPRESS_MAX_GRAMS = 15_000; // carrier 2026-03
const EXPRESS_LEAST_CENTS = 840; // carrier 2026-03
const EXPRESS_PERCENT = 135; // carrier 2026-03
const EXPRESS_STEP_CENTS = 10; // carrier 2026-03

/** @param {{ weightGrams: number, region: string }} parcel @returns {number} cents, one parcel or none */
export function expressCents({ weightGrams, region }) {
  if (ZONES[region] === "far") throw Object.assign(new Error(`no express to ${region}`), { code: "no_express" });
  if (weightGrams > EXPRESS_MAX_GRAMS)
    throw Object.assign(
      new Error(`an express parcel weighs at most ${EXPRESS_MAX_GRAMS} g, this one ${weightGrams} g`),
      {
        code: "express_too_heavy",
      },
    );
  const standard = shippingCents({ weightGrams, subtotalCents: 0, region });
  const cents = Math.ceil((standard * EXPRESS_PERCENT) / 100 / EXPRESS_STEP_CENTS) * EXPRESS_STEP_CENTS;
  return Math.max(EXPRESS_LEAST_CENTS, cents);
}
