/** From a name to an engine: folder, registered, built-in, in that order; what is looked at, and what is refused. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pluginFolders } from "../../src/config/locate.ts";
import { createNone } from "../../src/core/engines/engines.ts";
import type { Engine } from "../../src/core/engines/contract.ts";
import { findPlugin, listPlugins } from "../../src/plugins/find.ts";
import { loadEngine, type PluginSource } from "../../src/plugins/load.ts";
import { registerEngine } from "../../src/plugins/registered.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { engineSource, pluginShelf } from "../support/plugins.ts";

const project = pluginShelf();
const user = pluginShelf();
const folders = [project.path, user.path];
afterAll(() => {
  project.remove();
  user.remove();
});

const source = engineSource({});
const none = (): Engine => createNone() as Engine;

describe("a name", () => {
  it("means the first folder that has it, then what is registered, then the built-in", () => {
    const take = registerEngine("sacred-zone", none);
    expect(loadEngine("sacred-zone", { folders })).toBe("sacred-zone");
    expect(createRuntime({ engine: "sacred-zone" }).report().engine).toBe("none");
    user.write("sacred-zone", source, { version: "2.0.0" });
    expect((loadEngine("sacred-zone", { folders }) as PluginSource).plugin.version).toBe("2.0.0");
    project.write("sacred-zone", source, { version: "3.0.0" });
    expect((loadEngine("sacred-zone", { folders }) as PluginSource).plugin.version).toBe("3.0.0");
    take();
    expect(createRuntime({ engine: "sacred-zone" }).report().engine).toBe("sacred-zone");
  });

  it("of the default is always the built-in's", () => {
    project.write("compressor", source);
    const take = registerEngine("compressor", none);
    expect(loadEngine("compressor", { folders })).toBe("compressor");
    expect(createRuntime({ engine: "compressor" }).report().engine).toBe("compressor");
    take();
  });

  it("may be the other name of a built-in engine", () => {
    expect(loadEngine("lcm", { folders })).toBe("lossless");
    expect(createRuntime({ engine: "lcm" }).report().engine).toBe("lossless");
  });

  it("that means nothing is refused, with what was looked at and what to do", () => {
    expect(() => loadEngine("zebra", { folders })).toThrow(
      expect.objectContaining({
        code: "unknown_engine",
        place: "context.engine",
        message: expect.stringContaining(`${join(project.path, "zebra")} or ${join(user.path, "zebra")}`) as string,
        hint: expect.stringContaining("precis plugins") as string,
      }),
    );
  });

  it.each(["../sacred-zone", "a/b", "", ".hidden", "x".repeat(100)])(
    "like %j is never looked for on the disk",
    (name) => {
      expect(findPlugin(name, folders)).toBeUndefined();
      expect(() => loadEngine(name, { folders })).toThrow(expect.objectContaining({ code: "unknown_engine" }));
    },
  );
});

describe("a plugin that nobody names", () => {
  it("runs no code, whether it is listed, found or loaded", () => {
    const trace = join(project.path, "ran");
    project.write("quiet", `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(trace)}, "");`);
    expect(listPlugins(folders).map(({ name }) => name)).toContain("quiet");
    loadEngine("quiet", { folders });
    createRuntime();
    expect(existsSync(trace)).toBe(false);
  });
});

describe("a folder that is no plugin's", () => {
  it.each([
    [{ precis: undefined }, "lacks"],
    [{ precis: { contract: 2 } }, "this version of precis has 1"],
    [{ version: undefined }, "names no version"],
    [{ main: "../other.js" }, "outside its folder"],
    [{ main: "missing.js" }, "does not exist"],
    [{ main: 3 }, "must be strings"],
  ])("%j is refused where it is named, and listed with what is wrong", (manifest, problem) => {
    project.write("odd", source, manifest);
    expect(() => loadEngine("odd", { folders })).toThrow(
      expect.objectContaining({ code: "bad_plugin", message: expect.stringContaining(problem) as string }),
    );
    expect(listPlugins(folders).find(({ name }) => name === "odd")).toMatchObject({
      problem: expect.stringContaining(problem) as string,
    });
  });
});

describe("plugins are looked for", () => {
  it("in the nearest folder upward that has some, then beside the user's configuration", () => {
    const root = join(project.path, "..", "..");
    const environment = { HOME: "/home/x", XDG_CONFIG_HOME: undefined };
    expect(pluginFolders(join(root, "src", "deep"), environment, "linux")).toEqual([
      project.path,
      "/home/x/.config/precis/plugins/context_engine",
    ]);
  });
});
