import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { PRODUCT_NAME } from "#app/product.ts";
import { chromiumPath } from "#tools/run/chromium.ts";
import { readArguments } from "#tools/run/command-line.ts";

/**
 * `npm run icons`: draws every icon, splash screen and preview picture from the logo's path. Web icons go to public/ and
 * are committed; `npm run native:add` writes the apps' icons to android/ and ios/.
 */

const FONT = "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2";
const DARK = "#0c0f13";
const PAPER = "#fcfdfe";
const GREEN = "#3ddc78";
/** Has AA contrast on paper. */
const DEEP_GREEN = "#0f7a3d";
/** The logo's path in a 32 × 32 view box, as in app/components/ui/mark.tsx. */
const LINE = "M6 23 12 18.5 17.5 20.5 26 9";

type Look = { size: number; ground: string | null; line: string; radius?: number; scale?: number };

/** Returns the logo on its background. `scale` shrinks it for icons that a system crops. */
function iconSvg({ size, ground, line, radius = 0, scale = 1 }: Look): string {
  const inset = 16 - 16 * scale;
  const field = ground ? `<rect width="32" height="32" rx="${radius}" fill="${ground}"/>` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 32 32"><title>${PRODUCT_NAME}</title>${field}<path transform="translate(${inset} ${inset}) scale(${scale})" d="${LINE}" fill="none" stroke="${line}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

function splashSvg(width: number, height: number, dark: boolean): string {
  const size = Math.round(Math.min(width, height) * 0.24);
  const [ground, line] = dark ? [DARK, GREEN] : [PAPER, DEEP_GREEN];
  const mark = iconSvg({ size, ground: null, line });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${ground}"/><svg x="${(width - size) / 2}" y="${(height - size) / 2}" width="${size}" height="${size}">${mark}</svg></svg>`;
}

/** Returns the preview picture of a shared link, 1200 × 630. */
function previewSvg(): string {
  const grid = [130, 260, 390, 520].map(
    (y) => `<path d="M0 ${y}H1200" stroke="#252b33" stroke-width="2" stroke-dasharray="4 12"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><rect width="1200" height="630" fill="${DARK}"/>${grid.join("")}
<path d="M470 560 590 520 690 534 800 420 900 436 1010 270 1100 236 1200 96" fill="none" stroke="${GREEN}" stroke-width="7" stroke-linecap="round" stroke-linejoin="round"/>
<svg x="72" y="64" width="64" height="64" viewBox="0 0 32 32"><path d="${LINE}" fill="none" stroke="${GREEN}" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>
<g font-family="Geist" fill="#eef1f4"><text x="148" y="110" font-size="42" font-weight="600">${PRODUCT_NAME}</text>
<text x="72" y="250" font-size="82" font-weight="600" letter-spacing="-2.5"><tspan x="72">Order growth</tspan><tspan x="72" dy="92">by the number.</tspan></text>
<text x="72" y="430" font-size="32" fill="#a4abb5"><tspan x="72">Followers, likes and views</tspan><tspan x="72" dy="44">at an exact charge.</tspan></text></g></svg>`;
}

async function png(svg: string, path: string, opaque = true): Promise<void> {
  const picture = sharp(Buffer.from(svg));
  // The App Store refuses icons with an alpha channel.
  await (opaque ? picture.removeAlpha() : picture).png({ compressionLevel: 9 }).toFile(path);
}

export async function makeWebIcons(root: string): Promise<void> {
  const to = (name: string) => join(root, "public", name);
  writeFileSync(to("favicon.svg"), `${iconSvg({ size: 32, ground: DARK, line: GREEN, radius: 7 })}\n`);
  writeFileSync(to("favicon.ico"), await ico([16, 32, 48]));
  await png(iconSvg({ size: 180, ground: DARK, line: GREEN, scale: 0.86 }), to("apple-touch-icon.png"));
  await png(iconSvg({ size: 192, ground: DARK, line: GREEN, radius: 7 }), to("icon-192.png"), false);
  await png(iconSvg({ size: 512, ground: DARK, line: GREEN, radius: 7 }), to("icon-512.png"), false);
  await png(iconSvg({ size: 512, ground: DARK, line: GREEN, scale: 0.7 }), to("icon-maskable-512.png"));
  writeFileSync(to("og.png"), await drawn(previewSvg()));
}

/** Draws with a browser, because the picture has text in the product's font. */
async function drawn(svg: string): Promise<Buffer> {
  const font = readFileSync(fileURLToPath(import.meta.resolve(FONT))).toString("base64");
  const executablePath = chromiumPath();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
  const face = `@font-face{font-family:Geist;src:url(data:font/woff2;base64,${font});font-weight:100 900}`;
  await page.setContent(`<style>${face}body{margin:0}svg{display:block}</style>${svg}`);
  await page.evaluate(() => document.fonts.load("600 16px Geist"));
  const picture = await page.screenshot({ type: "png" });
  await browser.close();
  return sharp(picture).png({ palette: true, colors: 64, compressionLevel: 9 }).toBuffer();
}

/** Returns a Windows icon: a small table followed by whole PNGs. */
async function ico(sizes: number[]): Promise<Buffer> {
  const pictures = await Promise.all(
    sizes.map((size) =>
      sharp(Buffer.from(iconSvg({ size, ground: DARK, line: GREEN, radius: 7 })))
        .png()
        .toBuffer(),
    ),
  );
  const header = Buffer.alloc(6 + 16 * sizes.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(sizes.length, 4);
  let offset = header.length;
  pictures.forEach((picture, index) => {
    const entry = 6 + 16 * index;
    header.writeUInt8(sizes[index] ?? 0, entry);
    header.writeUInt8(sizes[index] ?? 0, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(picture.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += picture.length;
  });
  return Buffer.concat([header, ...pictures]);
}

const ANDROID_DENSITIES = { mdpi: 1, hdpi: 1.5, xhdpi: 2, xxhdpi: 3, xxxhdpi: 4 };

/** Writes icons into the resources of a project created by `cap add android`. */
export async function makeAndroidIcons(resources: string): Promise<void> {
  const write = (svg: string, folder: string, name: string, opaque: boolean) => {
    mkdirSync(join(resources, folder), { recursive: true });
    return png(svg, join(resources, folder, name), opaque);
  };
  for (const [density, factor] of Object.entries(ANDROID_DENSITIES)) {
    const folder = `mipmap-${density}`;
    const size = Math.round(48 * factor);
    await write(iconSvg({ size, ground: DARK, line: GREEN, radius: 6 }), folder, "ic_launcher.png", false);
    await write(
      iconSvg({ size, ground: DARK, line: GREEN, radius: 16, scale: 0.8 }),
      folder,
      "ic_launcher_round.png",
      false,
    );
    // An adaptive icon is 108 dp, and a mask shows only the inner 66.
    const layer = Math.round(108 * factor);
    await write(
      iconSvg({ size: layer, ground: null, line: GREEN, scale: 0.52 }),
      folder,
      "ic_launcher_foreground.png",
      false,
    );
    for (const [night, dark] of [
      ["", false],
      ["night-", true],
    ] as const) {
      const [short, long] = [Math.round(320 * factor), Math.round(480 * factor)];
      await write(splashSvg(short, long, dark), `drawable-port-${night}${density}`, "splash.png", true);
      await write(splashSvg(long, short, dark), `drawable-land-${night}${density}`, "splash.png", true);
    }
  }
  await write(splashSvg(480, 320, false), "drawable", "splash.png", true);
  await write(splashSvg(480, 320, true), "drawable-night", "splash.png", true);
  const color = `<?xml version="1.0" encoding="utf-8"?>\n<resources>\n    <color name="ic_launcher_background">${DARK}</color>\n</resources>\n`;
  writeFileSync(join(resources, "values", "ic_launcher_background.xml"), color);
}

/** Writes icons into the asset catalog of a project created by `cap add ios`. */
export async function makeIosIcons(catalog: string): Promise<void> {
  const icons = join(catalog, "AppIcon.appiconset");
  mkdirSync(icons, { recursive: true });
  await png(iconSvg({ size: 1024, ground: DARK, line: GREEN, scale: 0.86 }), join(icons, "AppIcon-1024.png"));
  writeJson(join(icons, "Contents.json"), {
    images: [{ idiom: "universal", platform: "ios", size: "1024x1024", filename: "AppIcon-1024.png" }],
    info: { author: "growline", version: 1 },
  });
  const splash = join(catalog, "Splash.imageset");
  mkdirSync(splash, { recursive: true });
  await png(splashSvg(2732, 2732, false), join(splash, "splash-light.png"));
  await png(splashSvg(2732, 2732, true), join(splash, "splash-dark.png"));
  writeJson(join(splash, "Contents.json"), {
    images: [
      { idiom: "universal", filename: "splash-light.png" },
      {
        idiom: "universal",
        filename: "splash-dark.png",
        appearances: [{ appearance: "luminosity", value: "dark" }],
      },
    ],
    info: { author: "growline", version: 1 },
  });
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (import.meta.main) {
  readArguments({ usage: "npm run icons: draws every icon and preview image from the mark", options: {} });
  await makeWebIcons(join(import.meta.dirname, "..", ".."));
  console.log(
    "public/: favicon.svg, favicon.ico, apple-touch-icon.png, icon-192.png, icon-512.png, icon-maskable-512.png, og.png",
  );
}
