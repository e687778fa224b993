import Download from "lucide-react/icons/download";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

/** New recovery codes, which are shown only once. */
export function RecoveryCodeList({ codes }: { codes: string[] }) {
  const text = `${PRODUCT_NAME} recovery codes. Each works once.\n\n${codes.join("\n")}\n`;
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="good">
        Save these recovery codes now: you won't see them again. Each logs you in once if you lose your passkeys or your
        app.
      </Notice>
      <ol className="grid gap-x-6 gap-y-1.5 rounded-md border border-line bg-sunken p-4 font-mono text-sm sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code} className="break-all">
            {code}
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={text} label="Copy codes" />
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download={`${PRODUCT_NAME.toLowerCase()}-recovery-codes.txt`}
          className="inline-flex h-11 items-center gap-2 rounded-md border border-line bg-raised px-3.5 text-sm font-medium hover:border-line-strong sm:h-9"
        >
          <Download aria-hidden className="size-4" />
          Download codes
        </a>
      </div>
    </div>
  );
}
