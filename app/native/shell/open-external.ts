import { readBridge } from "./platform.ts";

/**
 * Opens a URL in the system browser (in the shell, because Google refuses to sign in inside a web view) or in a new tab.
 * A deep link leads back from the system browser to the app; see docs/native.md.
 */
export async function openExternal(url: string): Promise<void> {
  if (!readBridge(window)) {
    window.open(url, "_blank", "noopener");
    return;
  }
  const { Browser } = await import("@capacitor/browser");
  await Browser.open({ url });
}
