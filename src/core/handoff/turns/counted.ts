/** In how many texts a piece of them stands. Pieces have numbers, and a text is taken apart once, whoever counts it again. */

/** Of some texts. */
export interface Counted {
  /** The numbers of each one's pieces. */
  readonly pieces: readonly (readonly number[])[];
  /** By number, how many of the texts have it. */
  readonly counts: Uint32Array;
  readonly numberOf: (piece: string) => number | undefined;
}

function nothingRead() {
  return { numbers: new Map<string, number>(), texts: new Map<string, readonly number[]>(), chars: 0 };
}

/** `piecesOf`: each once. What was read is forgotten when it has that many characters. */
export function createCounter(
  piecesOf: (text: string) => ReadonlySet<string>,
  charsMax: number,
): (texts: readonly string[]) => Counted {
  let known = nothingRead();
  const numbersIn = (text: string): readonly number[] => {
    let numbers = known.texts.get(text);
    if (numbers === undefined) {
      numbers = Array.from(piecesOf(text), (piece) => {
        const number = known.numbers.get(piece) ?? known.numbers.size;
        known.numbers.set(piece, number);
        return number;
      });
      known.chars += text.length;
      known.texts.set(text, numbers);
    }
    return numbers;
  };
  return (texts) => {
    if (known.chars > charsMax) known = nothingRead();
    const pieces = texts.map(numbersIn);
    const { numbers } = known;
    const counts = new Uint32Array(numbers.size);
    for (const own of pieces) for (const piece of own) counts[piece]! += 1;
    return { pieces, counts, numberOf: (piece) => numbers.get(piece) };
  };
}
