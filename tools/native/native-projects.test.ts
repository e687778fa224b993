import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { withDeepLinks, withEntitlements, withInfo } from "./native-projects.ts";

const assets = join(dirname(createRequire(import.meta.url).resolve("@capacitor/cli/package.json")), "assets");
const LINKS = {
  host: "growline.example",
  scheme: "growline",
  links: [{ path: "/dashboard", below: true }, { path: "/gmail-sync" }],
};

/** A file of the project that Capacitor would make. */
function template(archive: string, path: string): string {
  const folder = mkdtempSync(join(tmpdir(), "growline-template-"));
  try {
    execFileSync("tar", ["xzf", join(assets, archive), "-C", folder]);
    return readFileSync(join(folder, path), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("Android's manifest takes our links, keeps nothing in backups, and is changed once", () => {
  const before = template("android-template.tar.gz", "app/src/main/AndroidManifest.xml");
  const manifest = withDeepLinks(before, LINKS);
  expect(manifest).toContain('<intent-filter android:autoVerify="true">');
  expect(manifest).toContain('<data android:host="growline.example" />');
  expect(manifest).toContain('<data android:path="/dashboard" />');
  expect(manifest).toContain('<data android:pathPrefix="/dashboard/" />');
  // Below it is Google's answer, which is for whoever asked: a browser as well.
  expect(manifest.match(/"\/gmail-sync[^"]*"/g)).toEqual(['"/gmail-sync"']);
  expect(manifest).toContain('<data android:scheme="growline" />');
  expect(manifest).toContain('android:allowBackup="false"');
  expect(manifest.match(/<\/activity>/g)).toHaveLength(1);
  expect(manifest.match(/<intent-filter/g)).toHaveLength(3);
  expect(withDeepLinks(manifest, LINKS)).toBe(manifest);
});

test("iOS gets the name, our scheme and the entitlements, once", () => {
  const plist = withInfo(template("ios-spm-template.tar.gz", "App/App/Info.plist"), {
    name: "Growline",
    scheme: "growline",
  });
  expect(plist).toMatch(/<key>CFBundleDisplayName<\/key>\s*<string>Growline<\/string>/);
  expect(plist).toMatch(/<key>CFBundleURLSchemes<\/key>\s*<array>\s*<string>growline<\/string>/);
  expect(plist.trimEnd().endsWith("</plist>")).toBe(true);
  expect(withInfo(plist, { name: "Growline", scheme: "growline" })).toBe(plist);

  const project = withEntitlements(template("ios-spm-template.tar.gz", "App/App.xcodeproj/project.pbxproj"));
  expect(project.match(/CODE_SIGN_ENTITLEMENTS = App\/App\.entitlements;/g)).toHaveLength(2);
  expect(withEntitlements(project)).toBe(project);
});

test("a template that no longer fits is reported instead of being left half done", () => {
  expect(() => withDeepLinks("<manifest/>", LINKS)).toThrow(/template has changed/);
  expect(() => withEntitlements("")).toThrow(/CODE_SIGN_STYLE/);
});
