import { useNonce } from "./nonce.tsx";

/** Runs as soon as the page has come so far. `code` must hold nothing of a visitor's. */
export function InlineScript({ code }: { code: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: as children React would escape it
  return <script nonce={useNonce()} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: code }} />;
}
