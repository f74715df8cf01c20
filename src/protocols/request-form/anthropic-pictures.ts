/**
 * Pictures as the vendor takes them: so many in a request, and none larger than so many of them may be
 * (https://platform.claude.com/docs/en/build-with-claude/vision).
 */
import { imageSide } from "../media-limits.ts";
import { anthropicMediaLimits } from "../anthropic-messages/limits.ts";
import { fieldsOf, textOf, blocksOf } from "../fields.ts";
import { firstRefusal, invalid, type Refusal } from "./refusal.ts";
import { type Fields } from "../dialect.ts";
import { messagesOf, placed, type PlacedBlock } from "./anthropic.ts";

export function checkPictures(body: Fields, windowTokens: number): Refusal | undefined {
  const limits = anthropicMediaLimits(textOf(body["model"]), windowTokens);
  if (limits === undefined) return undefined;
  const pictures = messagesOf(body).flatMap(placed).flatMap(picturesIn);
  if (pictures.length > limits.images)
    return invalid("size", `messages: too many images and documents: ${pictures.length} + 0 > ${limits.images}`);
  const many = pictures.length > limits.manyImages;
  const most = many ? limits.manyImageSide : limits.imageSide;
  return firstRefusal(pictures, ({ block, path }) => {
    const { type, data } = fieldsOf(block["source"]);
    const source = { type: "data", mediaType: "", data: textOf(data) ?? "" } as const;
    return type === "base64" && imageSide({ kind: "image", source }) > most
      ? invalid(
          "size",
          `${path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${many ? " for many-image requests" : ""}: ${most} pixels`,
        )
      : undefined;
  });
}

function picturesIn(one: PlacedBlock): readonly PlacedBlock[] {
  const { block, path } = one;
  if (block["type"] === "image") return [one];
  if (block["type"] !== "tool_result") return [];
  return blocksOf(block["content"]).flatMap((inner, at) =>
    picturesIn({ block: inner, path: `${path}.tool_result.content.${at}` }),
  );
}
