/**
 * What is worked out of a text or an object is kept with it: a growing session shows mostly the same ones in one compaction after
 * another. It is a function of them alone, so that nobody can tell whether it was kept.
 */

/** What a text takes beside its characters. */
const TEXT_CHARS = 100;

/** The same function, asked once for each text; it starts afresh when the texts have that many characters. */
export function keptByText<Made>(make: (text: string) => Made, charsMax: number): (text: string) => Made {
  let known = new Map<string, Made>();
  let chars = 0;
  return (text) => {
    let made = known.get(text);
    if (made === undefined) {
      made = make(text);
      if (chars > charsMax) [known, chars] = [new Map(), 0];
      chars += text.length + TEXT_CHARS;
      known.set(text, made);
    }
    return made;
  };
}

/** The same function, asked once for each object. */
export function keptWith<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    let made = known.get(key);
    if (made === undefined) known.set(key, (made = make(key)));
    return made;
  };
}

/** The same for a function of more than the object: asked again where anything else is not what it was the last time. */
export function keptWhile<Key extends object, Others extends readonly unknown[], Made>(
  make: (key: Key, ...others: Others) => Made,
): (key: Key, ...others: Others) => Made {
  const known = new WeakMap<Key, { readonly others: Others; readonly made: Made }>();
  return (key, ...others) => {
    let last = known.get(key);
    if (last === undefined || !others.every((one, at) => one === last!.others[at]))
      known.set(key, (last = { others, made: make(key, ...others) }));
    return last.made;
  };
}
