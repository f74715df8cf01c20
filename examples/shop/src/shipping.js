/** What it costs to send a parcel: steps of weight, by zone, free above a subtotal. */

const FREE_FROM_CENTS = 7_500;
const PARCEL_MAX_GRAMS = 31_500;

const ZONES = Object.freeze({ DE: "home", AT: "near", NL: "near", FR: "near", IE: "far" });

/** Upper bound of weight in grams, and the price in cents. */
const STEPS = Object.freeze({
  home: [
    [1_000, 390],
    [5_000, 590],
    [10_000, 890],
    [PARCEL_MAX_GRAMS, 1_690],
  ],
  near: [
    [1_000, 890],
    [5_000, 1_390],
    [10_000, 1_990],
    [PARCEL_MAX_GRAMS, 3_490],
  ],
  far: [
    [1_000, 1_290],
    [5_000, 1_890],
    [10_000, 2_990],
    [PARCEL_MAX_GRAMS, 4_990],
  ],
});

/**
 * @param {{ weightGrams: number, subtotalCents: number, region: string }} parcel
 * @returns {number} cents
 */
export function shippingCents({ weightGrams, subtotalCents, region }) {
  const zone = ZONES[region];
  if (zone === undefined) throw new RangeError(`no shipping to ${region}`);
  if (weightGrams > PARCEL_MAX_GRAMS) throw new ParcelTooHeavyError(weightGrams);
  if (zone === "home" && subtotalCents >= FREE_FROM_CENTS) return 0;
  const step = STEPS[zone].find(([grams]) => weightGrams <= grams);
  return step[1];
}

export class ParcelTooHeavyError extends Error {
  name = "ParcelTooHeavyError";
  code = "parcel_too_heavy";

  /** @param {number} weightGrams */
  constructor(weightGrams) {
    super(`a parcel weighs at most ${PARCEL_MAX_GRAMS} g, this one ${weightGrams} g`);
    this.weightGrams = weightGrams;
  }
}
