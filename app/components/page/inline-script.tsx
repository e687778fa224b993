import { useNonce } from "./nonce.tsx";

/** A script that runs as soon as the browser parses it. `code` must not contain anything a visitor can control. */
export function InlineScript({ code }: { code: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: as children React would escape it
  return <script nonce={useNonce()} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: code }} />;
}
