import FileUp from "lucide-react/icons/file-up";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { ACCEPT } from "./upload-limits.ts";

/** Accepts files that are dropped, chosen or, without scripts, submitted with an ordinary form. */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  function takeChosen() {
    const chosen = [...(input.current?.files ?? [])];
    // Emptied, so that the same file may be chosen again.
    if (input.current) input.current.value = "";
    if (chosen.length > 0) onFiles(chosen);
  }

  // Files may have been chosen before the page was hydrated.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(takeChosen, []);

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of two ways; the field inside is for everyone
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`rounded-md border border-dashed p-6 transition-colors sm:p-10 ${over ? "border-accent bg-sunken" : "border-line-strong bg-raised"}`}
    >
      <form method="post" encType="multipart/form-data" className="flex flex-col items-center gap-3 text-center">
        <FileUp aria-hidden className="size-6 text-muted" />
        <label htmlFor="upload-file" className="font-medium">
          Drop files here or choose them
        </label>
        <p id="upload-help" className="max-w-prose text-sm text-muted">
          CSV, text, images, PDFs and videos, up to 100 MB each. Interrupted uploads resume where they stopped.
        </p>
        <input
          ref={input}
          id="upload-file"
          type="file"
          name="file"
          multiple
          accept={ACCEPT}
          aria-describedby="upload-help"
          onChange={takeChosen}
          className="sr-only noscript:not-sr-only"
        />
        <input type="hidden" name="intent" value="file" />
        <Button variant="secondary" onClick={() => input.current?.click()} className="noscript:hidden">
          Choose files
        </Button>
        <div className="hidden noscript:block">
          <Button type="submit" variant="secondary">
            Upload
          </Button>
        </div>
      </form>
    </div>
  );
}
