import { type ClipboardEvent, type RefObject, useEffect, useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { fileProblem, reasonText } from "#app/support/protocol/file-limits.ts";

/** Files that were picked, pasted or dropped. */

const FILES_AT_ONCE = 10;

/** Passes on the files that can be sent, and says what is wrong with the others. */
export function takeFiles(files: FileList, onFile: (file: File) => void): void {
  if (files.length > FILES_AT_ONCE) {
    toast.error(`You can send ${FILES_AT_ONCE} files at once.`);
    return;
  }
  for (const file of files) {
    const problem = fileProblem(file);
    if (problem) toast.error(`${file.name}: ${reasonText(problem)}`);
    else onFile(file);
  }
}

/**
 * Sends pasted files. Office programs add a picture of the text they copy: the text is meant. With a file that was copied
 * in Finder comes its name as plain text.
 */
export function pasteFiles(event: ClipboardEvent, onFile: (file: File) => void): void {
  const { files, types } = event.clipboardData;
  if (files.length === 0 || types.includes("text/rtf")) return;
  event.preventDefault();
  takeFiles(files, onFile);
}

/**
 * Takes files dropped on the composer of `field` or beside it, on the thread. Returns whether some are held over it. Takes
 * none while `onFile` is null.
 */
export function useFileDrop(field: RefObject<HTMLTextAreaElement>, onFile: ((file: File) => void) | null): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const area = field.current?.form?.parentElement;
    if (!area || !onFile) return;
    const listening = new AbortController();
    const on = (type: "dragover" | "dragleave" | "drop", listener: (event: DragEvent) => void) =>
      area.addEventListener(type, listener, { signal: listening.signal });
    on("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    });
    on("dragleave", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) setOver(false);
    });
    on("drop", (event) => {
      setOver(false);
      const files = event.dataTransfer?.files;
      // A dropped text or link belongs to the field.
      if (!files || files.length === 0) return;
      event.preventDefault();
      takeFiles(files, onFile);
      field.current?.focus();
    });
    return () => {
      listening.abort();
      setOver(false);
    };
  }, [field, onFile]);
  return isOver;
}
