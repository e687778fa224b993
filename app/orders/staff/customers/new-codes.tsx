import { useEffect, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";

/** Codes in clear, the one time that they are shown. */
export function NewCodes({ made }: { made: { batchId: number; codes: string[]; name: string; amount: number } }) {
  const { money, number } = useFormats();
  const text = made.codes.join("\n");
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [text]);
  return (
    <section aria-labelledby="new-codes" className="animate-rise rounded-md border border-line bg-good-wash p-4 sm:p-5">
      <h2 id="new-codes" role="status" className="text-sm">
        {made.codes.length === 1 ? "One code" : `${number(made.codes.length)} codes`} of {money(made.amount)} for “
        {made.name}”. Copy now: they are not shown again.
      </h2>
      <Textarea
        readOnly
        aria-label="New codes"
        value={text}
        rows={Math.min(10, made.codes.length)}
        className="mt-3 font-mono"
      />
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <CopyButton text={text} label="Copy all" />
        {href && (
          <a
            href={href}
            download={`codes-${made.batchId}.txt`}
            className="inline-flex h-11 items-center text-sm underline underline-offset-4 sm:h-9"
          >
            Download
          </a>
        )}
      </div>
    </section>
  );
}
