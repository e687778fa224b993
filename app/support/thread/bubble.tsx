import FileText from "lucide-react/icons/file-text";
import { type ReactNode, useEffect, useState } from "react";
import type { Pending } from "#app/support/client/pending-messages.ts";
import type { RoomClient } from "#app/support/client/room-client.ts";
import { FILE_TYPES, isFinal, reasonText, sizeText } from "#app/support/protocol/file-limits.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { filePath } from "#app/support/protocol/room-paths.ts";
import { MessageText } from "./message-text.tsx";

/** A message that the room has not acknowledged, with its state and actions. */
export function PendingBubble({ message, room }: { message: Pending; room: RoomClient }) {
  const { clientId, state, reason, body, file, progress, unkept } = message;
  const why = reasonText(reason);
  return (
    <Bubble own name="" content={file ? <PendingFileContent file={file} name={body} /> : body}>
      {state === "sending" ? (
        <>
          {/* Not spoken: it changes all the time. */}
          <span aria-live="off" className="tabular-nums">
            {progress === undefined ? "Sending…" : `Sending… ${progress}%`}
          </span>
          {file && (
            <>
              {" · "}
              <TextButton label="Cancel" onClick={() => room.discard(clientId)} />
            </>
          )}
        </>
      ) : (
        <span className="text-bad">
          {why === "" ? "Not sent" : `Not sent. ${why}`} ·{" "}
          {!isFinal(reason) && (
            <>
              <TextButton label="Try again" onClick={() => room.retry(clientId)} /> ·{" "}
            </>
          )}
          <TextButton label="Discard" onClick={() => room.discard(clientId)} />
        </span>
      )}
      {unkept && (
        <span className="block text-warn">
          Your browser's storage is full. Keep this page open until the message is sent.
        </span>
      )}
    </Bubble>
  );
}

/** A file before it is sent: its name, and what it shows. */
function PendingFileContent({ file, name }: { file: File; name: string }) {
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    if (!FILE_TYPES.split(",").includes(file.type) || !file.type.startsWith("image/")) return;
    const url = URL.createObjectURL(file);
    setShown(url);
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return (
    <>
      {shown !== null && (
        // A file may only be called an image.
        <img src={shown} alt="" onError={() => setShown(null)} className="mb-2 max-h-40 max-w-full rounded-md" />
      )}
      {name}
    </>
  );
}

/** One message: sender, content, and below them its time or state. */
export function Bubble({
  own,
  name,
  goesOn = false,
  content,
  copy,
  children,
}: {
  own: boolean;
  name: string;
  /** Follows a message of the same sender, who is named above that one. */
  goesOn?: boolean;
  content: ReactNode;
  /** On the inner side, because it takes up space while it can't be seen. */
  copy?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div
      data-own={own || undefined}
      className={`group/bubble flex max-w-[min(85%,68ch)] flex-col gap-1 ${own ? "self-end items-end" : "self-start items-start"}`}
    >
      {own || goesOn ? (
        <span className="sr-only">{own ? "You" : name}</span>
      ) : (
        <span
          data-initials={initials(name)}
          // Generated content: a copied thread shows the name once.
          className="flex items-center gap-1.5 px-1 text-xs text-muted before:flex before:size-5 before:items-center before:justify-center before:rounded-full before:bg-sunken before:text-[10px] before:font-medium before:content-[attr(data-initials)/'']"
        >
          {name}
        </span>
      )}
      <p
        className={`max-w-full rounded-bubble border px-3 py-2 text-sm break-words whitespace-pre-wrap [overflow-wrap:anywhere] ${
          own ? "border-transparent bg-text text-surface" : "border-line bg-surface"
        }`}
      >
        {content}
      </p>
      <span className={`px-1 text-xs text-muted ${own ? "text-right" : ""}`}>
        {own && copy}
        {children}
        {!own && copy}
      </span>
    </div>
  );
}

export function Content({ message, sessionId }: { message: SupportMessage; sessionId: string }) {
  const { file } = message;
  if (!file) return <MessageText text={message.message} />;
  const path = filePath(sessionId, file.id);
  if (!file.type.startsWith("image/")) {
    return (
      <a href={path} download={file.name} className="flex items-center gap-2 underline underline-offset-2">
        <FileText aria-hidden className="size-4 shrink-0" />
        {file.name} · {sizeText(file.size)}
      </a>
    );
  }
  return (
    <a href={path} target="_blank" rel="noreferrer">
      <img src={path} alt={file.name} loading="lazy" className="max-h-60 max-w-full rounded-md" />
    </a>
  );
}

/** Returns the first letters of the first and the last word. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("");
}

function TextButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="font-medium underline underline-offset-2">
      {label}
    </button>
  );
}
