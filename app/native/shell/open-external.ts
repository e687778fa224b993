import { readBridge } from "./platform.ts";

/**
 * Opens a URL in a new tab, or in the shell in Capacitor's in-app browser (a Custom Tab, SFSafariViewController), because
 * Google refuses to sign in inside a web view. A deep link leads back to the app; see docs/native.md.
 */
export async function openExternal(url: string): Promise<void> {
  if (!readBridge(window)) {
    window.open(url, "_blank", "noopener");
    return;
  }
  const { Browser } = await import("@capacitor/browser");
  await Browser.open({ url });
}
