import { linkParts } from "./link-parts.ts";

/** A message with its links clickable. */
export function MessageText({ text }: { text: string }) {
  return linkParts(text).map(({ text: part, href }, at) =>
    href === null ? (
      part
    ) : (
      <a
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change
        key={at}
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="underline underline-offset-2"
      >
        {part}
      </a>
    ),
  );
}
