import { useEffect, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";

export type CreatedCodes = { batchId: number; codes: string[]; name: string; amount: number };

/** Newly created codes in plain text. They are never shown again. */
export function NewCodes({ created }: { created: CreatedCodes }) {
  const { number } = useFormats();
  const text = created.codes.join("\n");
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [text]);
  return (
    <section aria-labelledby="new-codes" className="animate-rise rounded-md border border-line bg-good-wash p-4 sm:p-5">
      <h2 id="new-codes" role="status" className="text-sm">
        {created.codes.length === 1 ? "One code" : `${number(created.codes.length)} codes`} of{" "}
        <Money micro={created.amount} /> for “{created.name}”. Copy them now. You won't see them again.
      </h2>
      <Textarea
        readOnly
        aria-label="New codes"
        value={text}
        rows={Math.min(10, created.codes.length)}
        className="mt-3 font-mono"
      />
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <CopyButton text={text} label="Copy all" />
        {href && (
          <a
            href={href}
            download={`codes-${created.batchId}.txt`}
            className="inline-flex h-11 items-center text-sm underline underline-offset-4 sm:h-9"
          >
            Download
          </a>
        )}
      </div>
    </section>
  );
}
