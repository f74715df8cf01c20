/** Work that nobody waits for: one job a conversation, and of those that wait the newest. */
import { expect, it } from "vitest";
import { createBackground } from "../../src/gateway/background/background.ts";

it("does the newest of what waits about the same, and nothing beside what runs", async () => {
  const background = createBackground({ background: 1, backgroundWaiting: 1 });
  const done: string[] = [];
  const add = (about: object, name: string): void => background.add(about, async () => void done.push(name));
  const [one, two, three] = [{}, {}, {}];
  let go = (): void => undefined;
  background.add(one, () => new Promise((resolve) => (go = () => resolve(void done.push("first")))));
  await new Promise((next) => setImmediate(next));
  add(one, "beside what runs");
  add(two, "older");
  add(two, "newer");
  add(three, "one too many");
  go();
  await background.settled();
  expect(done).toEqual(["first", "newer"]);
  await background.close();
});
