import sharp from "sharp";
import { expect, test } from "vitest";
import { isPicture } from "./inline-images.ts";

test.for(["png", "jpeg", "gif", "webp"] as const)(
  "tells a %s of a screenshot from a logo and a pixel",
  async (format) => {
    for (const [width, height, expected] of [
      [1280, 720, true],
      [400, 150, true],
      [150, 400, true],
      [399, 399, false],
      [600, 149, false],
      [1, 1, false],
    ] as const) {
      expect([width, height, isPicture(await imageOf(format, width, height))]).toEqual([width, height, expected]);
    }
  },
);

test("reads the size of lossless and extended WebP, and of a JPEG with a profile and a thumbnail before it", async () => {
  for (const options of [{ lossless: true }, { alphaQuality: 50 }]) {
    for (const channels of [3, 4] as const) {
      const large = await blank(500, 300, channels).webp(options).toBuffer();
      const small = await blank(300, 500, channels).resize(300, 100).webp(options).toBuffer();
      expect([isPicture(large), isPicture(small)]).toEqual([true, false]);
    }
  }
  const tagged = await blank(500, 300, 3).withMetadata({ orientation: 6 }).jpeg({ progressive: true }).toBuffer();
  expect(isPicture(tagged)).toBe(true);
});

test("takes no image that breaks off before its size, and ends whatever its bytes are", async () => {
  for (const format of ["png", "jpeg", "gif", "webp"] as const) {
    const whole = await imageOf(format, 500, 300);
    for (let length = 0; length < 10; length++) expect(isPicture(whole.subarray(0, length))).toBe(false);
  }
  expect(isPicture(new Uint8Array(100_000).fill(0xff).fill(0xd8, 1, 2))).toBe(false);
  expect(isPicture(new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xe0, 0, 0]))).toBe(false);
  expect(isPicture(new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d]))).toBe(false);
});

function blank(width: number, height: number, channels: 3 | 4 = 3) {
  return sharp({ create: { width, height, channels, background: { r: 9, g: 9, b: 9, alpha: 0.5 } } });
}

function imageOf(format: "png" | "jpeg" | "gif" | "webp", width: number, height: number): Promise<Buffer> {
  return blank(width, height).toFormat(format).toBuffer();
}
