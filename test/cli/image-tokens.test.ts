/** `models.NAME.image_tokens` counts in every command that estimates; 1,500 an image where it is not stated. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { precisHere, temporaryFolder, type Folder } from "./precis.ts";

let folder: Folder;
beforeAll(() => (folder = temporaryFolder()));
afterAll(() => folder.remove());

const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const body = (images: number): string =>
  JSON.stringify({
    model: "gpt-5",
    messages: [
      { role: "user", content: [{ type: "text", text: "See." }, ...Array.from({ length: images }, () => IMAGE)] },
    ],
  });

async function tokens(command: string, images: number, configuration: string): Promise<number> {
  folder.write("request.json", body(images));
  folder.write("precis.yaml", configuration);
  const args = [command, "request.json", "--json", "--config", "precis.yaml"];
  const { out } = await precisHere(args, { folder: folder.path });
  return (JSON.parse(out) as { readonly tokens: number }).tokens;
}

it.each(["check", "inspect"])("%s counts 1,500 an image, or what is stated of the model", async (command) => {
  const stated = "models:\n  gpt-5:\n    image_tokens: 300\n";
  for (const [configuration, each] of [
    ["", 1_500],
    [stated, 300],
  ] as const) {
    const [none, four] = [await tokens(command, 0, configuration), await tokens(command, 4, configuration)];
    expect(four - none).toBe(4 * each);
  }
});
