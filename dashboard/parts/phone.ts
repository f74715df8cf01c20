/** Whether the page is as narrow as a phone; the style sheet has the same limit. */
import { useEffect, useState } from "preact/hooks";

const query = matchMedia("(max-width: 720px)");

export function usePhone(): boolean {
  const [is, set] = useState(query.matches);
  useEffect(() => {
    const change = (): void => set(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return is;
}
