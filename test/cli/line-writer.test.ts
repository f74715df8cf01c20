/** A log whose reader has stopped costs a bounded amount of memory, and goes on when the reader does. */
import { expect, it } from "vitest";
import { lineWriter } from "../../src/cli/line-writer.ts";

it("drops lines while their reader takes none, and writes again when it does", async () => {
  const written: string[] = [];
  let read: () => void = () => undefined;
  const reading = new Promise<void>((done) => (read = done));
  const write = lineWriter({ write: (line) => (written.push(line), reading) }, 10);
  for (const line of ["1234\n", "5678\n", "lost\n"]) write(line);
  expect(written).toEqual(["1234\n", "5678\n"]);
  read();
  await reading;
  await new Promise(setImmediate);
  write("again\n");
  expect(written).toEqual(["1234\n", "5678\n", "again\n"]);
});
