/** Files of pictures: no more of them than says how large they are, and as many bytes behind it as a test wants. */

export function png(width: number, height: number, bytes = 64): string {
  const file = Buffer.alloc(Math.max(bytes, 33));
  file.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  file.write("IHDR", 12, "latin1");
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file.toString("base64");
}

/** With a preview of that many bytes before the frame, as photos have. */
export function jpeg(width: number, height: number, previewBytes = 0): string {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const preview = Buffer.alloc(4 + previewBytes);
  preview.set([0xff, 0xe1]);
  preview.writeUInt16BE(2 + previewBytes, 2);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), preview, frame, Buffer.from([0xff, 0xd9])]).toString("base64");
}

export function gif(width: number, height: number): string {
  const file = Buffer.alloc(32);
  file.write("GIF89a", "latin1");
  file.writeUInt16LE(width, 6);
  file.writeUInt16LE(height, 8);
  return file.toString("base64");
}

export function webp(width: number, height: number, kind: "VP8 " | "VP8L" | "VP8X"): string {
  const file = Buffer.alloc(48);
  file.write("RIFF", 0, "latin1");
  file.write(`WEBP${kind}`, 8, "latin1");
  if (kind === "VP8 ") {
    file.writeUInt16LE(width, 26);
    file.writeUInt16LE(height, 28);
  } else if (kind === "VP8L") file.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  else {
    file.writeUIntLE(width - 1, 24, 3);
    file.writeUIntLE(height - 1, 27, 3);
  }
  return file.toString("base64");
}
