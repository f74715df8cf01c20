/** Tells on stderr how far a long measurement is: a bar on a terminal, a line now and then elsewhere. */

const WIDTH = 30;
const LINE_EVERY_MS = 15_000;

export interface Progress {
  readonly step: (detail: string) => void;
  readonly end: () => void;
}

export function createProgress(title: string, of: number): Progress {
  const startMs = performance.now();
  let done = 0;
  let lastMs = startMs;
  const seconds = (): string => `${((performance.now() - startMs) / 1_000).toFixed(0)} s`;
  return {
    step: (detail) => {
      done += 1;
      if (process.stderr.isTTY) {
        const filled = Math.min(WIDTH, Math.round((done / of) * WIDTH));
        const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
        process.stderr.write(`\r\u001b[K${title} ${bar} ${done} of ${of}, ${seconds()}: ${detail}`);
      } else if (performance.now() - lastMs > LINE_EVERY_MS) {
        lastMs = performance.now();
        process.stderr.write(`${title}: ${done} of ${of}, ${seconds()}: ${detail}\n`);
      }
    },
    end: () => process.stderr.write(`${process.stderr.isTTY ? "\r\u001b[K" : ""}${title}: done in ${seconds()}\n`),
  };
}
