import { Fragment } from "react";

/** Renders text whose `code` is between backticks. */
export function MarkedText({ text }: { text: string }) {
  return (
    <>
      {text.split("`").map((part, at) =>
        at % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text
          <code key={at} className="rounded-sm bg-sunken px-1 font-mono text-[0.9em] break-words">
            {part}
          </code>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text
          <Fragment key={at}>{part}</Fragment>
        ),
      )}
    </>
  );
}
