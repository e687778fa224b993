import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEEP_LINKS } from "#app/native/shell/deep-links.ts";
import { APP_SCHEME } from "#app/native/shell/link-routing.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { makeAndroidIcons, makeIosIcons } from "#tools/pages/icons.ts";
import { CommandError, readArguments, UsageError } from "#tools/run/command-line.ts";
import {
  entitlements,
  offlinePage,
  withDeepLinks,
  withEntitlements,
  withFirebase,
  withInfo,
} from "./native-projects.ts";

/**
 * `npm run native:add` creates android/ and ios/ from the templates in @capacitor/android and @capacitor/ios, with our
 * icons, splash screens and deep links. `npm run native:sync` updates existing projects after a change of plugins or
 * configuration. GROWLINE_URL is the deployed origin. Neither folder is committed.
 */

const PLATFORMS = ["android", "ios"] as const;
const root = join(import.meta.dirname, "..", "..");
const USAGE = `GROWLINE_URL=https://growline.example npm run native:add       creates android/ and ios/
GROWLINE_URL=https://growline.example npm run native:sync      updates them`;
const { positionals } = readArguments({ usage: USAGE, options: {}, min: 1, max: 1 });
const [mode] = positionals;
await main();

async function main(): Promise<void> {
  if (mode !== "add" && mode !== "sync") throw new UsageError("Usage: native-apps.ts add | sync");
  const url = process.env.GROWLINE_URL;
  if (!url || !URL.canParse(url)) {
    throw new CommandError(
      `Set GROWLINE_URL to the deployed origin: GROWLINE_URL=https://growline.example npm run native:${mode}`,
    );
  }
  const { origin, host } = new URL(url);
  writePages(origin);
  for (const platform of PLATFORMS) {
    if (existsSync(join(root, platform))) continue;
    if (mode === "sync") throw new CommandError(`${platform}/ doesn't exist. Run npm run native:add first.`);
    capacitor("add", platform);
  }
  for (const platform of PLATFORMS) capacitor("sync", platform);
  await customizeAndroid(host);
  await customizeIos(host);
  console.log(
    `android/ and ios/ load ${origin}. Open them in Android Studio and Xcode; see docs/native.md for the next steps.`,
  );
}

function writePages(origin: string): void {
  const folder = join(root, ".native", "www");
  mkdirSync(folder, { recursive: true });
  const page = offlinePage(origin, PRODUCT_NAME);
  writeFileSync(join(folder, "error.html"), page);
  // Capacitor requires this file, but never shows it when a server URL is set.
  writeFileSync(join(folder, "index.html"), page);
}

function capacitor(...args: string[]): void {
  execFileSync(join(root, "node_modules", ".bin", "cap"), args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, CI: "1", CAPACITOR_TELEMETRY: "0" },
  });
}

async function customizeAndroid(host: string): Promise<void> {
  const main = join(root, "android", "app", "src", "main");
  edit(join(main, "AndroidManifest.xml"), (xml) => withDeepLinks(xml, { host, scheme: APP_SCHEME, links: DEEP_LINKS }));
  addFirebase("google-services.json", join(root, "android", "app"));
  await makeAndroidIcons(join(main, "res"));
}

async function customizeIos(host: string): Promise<void> {
  const app = join(root, "ios", "App");
  edit(join(app, "App", "Info.plist"), (plist) => withInfo(plist, { name: PRODUCT_NAME, scheme: APP_SCHEME }));
  const push = addFirebase("GoogleService-Info.plist", join(app, "App"));
  if (push) edit(join(app, "App", "AppDelegate.swift"), withFirebase);
  writeFileSync(join(app, "App", "App.entitlements"), entitlements({ host, push }));
  edit(join(app, "App.xcodeproj", "project.pbxproj"), withEntitlements);
  await makeIosIcons(join(app, "App", "Assets.xcassets"));
}

/** Copies Firebase's settings of an app from firebase/. Returns false if it has none, and so no notifications. */
function addFirebase(name: string, folder: string): boolean {
  const settings = join(root, "firebase", name);
  if (!existsSync(settings)) return false;
  copyFileSync(settings, join(folder, name));
  return true;
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  const after = change(before);
  if (after !== before) writeFileSync(path, after);
}
