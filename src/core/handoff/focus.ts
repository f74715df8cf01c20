/** Whether a text is about a focus: it holds one of the focus's words. */

const WORD = /[\p{L}\p{N}_]{2,}/gu;
const COMMON = new Set(
  "the a an and or of to in on for with about at by from is are be it this that all everything related keep focus please".split(
    " ",
  ),
);

export function focusMatcher(focus: string): (text: string) => boolean {
  const words = (focus.toLowerCase().match(WORD) ?? []).filter((word) => !COMMON.has(word));
  return (text) => {
    const lower = text.toLowerCase();
    return words.some((word) => lower.includes(word));
  };
}
