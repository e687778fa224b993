import { readBridge } from "./platform.ts";

/**
 * Opens an address outside of the app: in the shell in the system's browser (Google refuses to sign anybody in inside a
 * web view), in a browser in a new tab. From the system's browser one comes back by a deep link, see docs/native.md.
 */
export async function openExternal(url: string): Promise<void> {
  if (!readBridge(window)) {
    window.open(url, "_blank", "noopener");
    return;
  }
  const { Browser } = await import("@capacitor/browser");
  await Browser.open({ url });
}
