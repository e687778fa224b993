/** The seam to the native shell: Google refuses to sign anybody in inside a web view. */

type Bridge = {
  isNativePlatform?(): boolean;
  Plugins?: { Browser?: { open(options: { url: string }): Promise<void> } };
};

function bridge(): Bridge | undefined {
  return (window as { Capacitor?: Bridge }).Capacitor;
}

/** True inside the native shell, where there are no pop-ups. */
export function isInShell(): boolean {
  return bridge()?.isNativePlatform?.() ?? false;
}

/** Opens `url` in the system's browser; without the shell's plugin, in this page. */
export async function openExternal(url: string): Promise<void> {
  const browser = bridge()?.Plugins?.Browser;
  if (browser) await browser.open({ url });
  else window.location.assign(url);
}
