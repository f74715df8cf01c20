/** A log writes what came together at once; one whose reader has stopped costs a bounded amount of memory. */
import { expect, it, vi } from "vitest";
import { lineWriter } from "../../src/cli/gateway/log.ts";

it("gathers lines, and writes them soon or when it is told to", async () => {
  const written: string[] = [];
  const { write, flush } = lineWriter({ write: async (text) => void written.push(text) });
  write("one\n");
  write("two\n");
  expect(written).toEqual([]);
  flush();
  expect(written).toEqual(["one\ntwo\n"]);
  write("three\n");
  await vi.waitFor(() => expect(written).toEqual(["one\ntwo\n", "three\n"]));
  flush();
  expect(written).toHaveLength(2);
});

it("drops lines while their reader takes none, and writes again when it does", async () => {
  const written: string[] = [];
  let read: () => void = () => undefined;
  const reading = new Promise<void>((done) => (read = done));
  const { write, flush } = lineWriter({ write: (text) => (written.push(text), reading) }, 10);
  for (const line of ["1234\n", "5678\n", "lost\n"]) write(line);
  flush();
  write("lost too\n");
  flush();
  expect(written).toEqual(["1234\n5678\n"]);
  read();
  await reading;
  await new Promise(setImmediate);
  write("again\n");
  flush();
  expect(written).toEqual(["1234\n5678\n", "again\n"]);
});
