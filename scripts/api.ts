/**
 * `npm run api`: writes what each entry promises into `etc/`, from the types that are published. With `--check`, as
 * `npm run check` has it, a report that is out of date fails: whoever changes the interface sees the change in the diff.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import manifest from "../package.json" with { type: "json" };

const ROOT = resolve(import.meta.dirname, "..");
const REPORTS = join(ROOT, "etc");
const SILENT = { logLevel: ExtractorLogLevel.None, addToApiReportFile: false };

const checks = process.argv.includes("--check");
const scratch = mkdtempSync(join(tmpdir(), "precis-api-"));
mkdirSync(REPORTS, { recursive: true });
try {
  const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
    typeof entry === "string" ? [] : [{ file: `${reportName(name)}.api.md`, types: entry.types }],
  );
  const stale = [
    ...entries.filter(({ file, types }) => differs(file, types)).map(({ file }) => file),
    ...readdirSync(REPORTS).filter((file) => !entries.some((entry) => entry.file === file)),
  ];
  if (checks && stale.length > 0) {
    process.stderr.write(`The interface differs from its report: ${stale.join(", ")}.\n`);
    process.stderr.write("If that is meant, run `npm run api`, and commit what it changes in etc/.\n");
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true });
}

/** `precis`, and `precis-engines` for `precis/engines`. */
function reportName(entry: string): string {
  return ["precis", ...entry.split("/").slice(1)].join("-");
}

/** Whether the types say something else than the report; unless this only checks, the report is renewed. */
function differs(reportFileName: string, types: string): boolean {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: join(ROOT, "api-extractor.json"),
    packageJsonFullPath: join(ROOT, "package.json"),
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: join(ROOT, types),
      apiReport: {
        enabled: true,
        reportFileName,
        reportFolder: REPORTS,
        reportTempFolder: scratch,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      compiler: { overrideTsconfig: compilerSettings(types) },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: SILENT,
          "ae-forgotten-export": SILENT,
          "ae-missing-release-tag": SILENT,
          "ae-undocumented": SILENT,
        },
        tsdocMessageReporting: { default: SILENT },
      },
    },
  });
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: !checks,
    messageCallback: (message) => (message.handled = true),
  });
  return apiReportChanged;
}

function compilerSettings(types: string): object {
  return {
    compilerOptions: {
      target: "ES2022",
      lib: ["ES2024", "DOM", "DOM.AsyncIterable"],
      module: "NodeNext",
      moduleResolution: "NodeNext",
      types: ["node"],
      strict: true,
      skipLibCheck: true,
    },
    files: [types],
  };
}
