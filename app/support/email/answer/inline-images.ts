/**
 * A picture in the text of an answer has at least these sides, in px. The logos of signatures are smaller, and so are the
 * pixels that report when an email is read. A large banner passes: better one too many than a lost screenshot.
 */
const SHORT_SIDE_MIN = 150;
const LONG_SIDE_MIN = 400;

/** Returns whether an image in the text of an email was put there by its writer, by the size in its header. */
export function isPicture(content: Uint8Array): boolean {
  const sides = sidesOf(new DataView(content.buffer, content.byteOffset, content.byteLength));
  return Math.min(...sides) >= SHORT_SIDE_MIN && Math.max(...sides) >= LONG_SIDE_MIN;
}

/** Returns the width and height, zeros if the image breaks off before them or is of an unknown format. */
function sidesOf(view: DataView): [number, number] {
  try {
    switch (view.getUint16(0)) {
      case 0x8950:
        return [view.getUint32(16), view.getUint32(20)];
      case 0x4749:
        return [view.getUint16(6, true), view.getUint16(8, true)];
      case 0xffd8:
        return sidesOfJpeg(view);
      case 0x5249:
        return sidesOfWebp(view);
      default:
        return [0, 0];
    }
  } catch (error) {
    if (error instanceof RangeError) return [0, 0];
    throw error;
  }
}

/** Looks for the frame header behind the other segments, each of which says how long it is. */
function sidesOfJpeg(view: DataView): [number, number] {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint16(at) === 0xffff) at += 1;
    const marker = view.getUint16(at);
    // 0xffc0 to 0xffcf, but for tables between them.
    if (marker >> 4 === 0xffc && ![0xffc4, 0xffc8, 0xffcc].includes(marker)) {
      return [view.getUint16(at + 7), view.getUint16(at + 5)];
    }
    if (marker >> 8 !== 0xff || marker === 0xffda) return [0, 0];
  }
}

/** By the first chunk: lossy, lossless or extended. */
function sidesOfWebp(view: DataView): [number, number] {
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 2 ** 16;
  switch (view.getUint32(12)) {
    case 0x56503820:
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    case 0x5650384c: {
      const packed = view.getUint32(21, true);
      return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
    }
    case 0x56503858:
      return [uint24(24) + 1, uint24(27) + 1];
    default:
      return [0, 0];
  }
}
