import { CopyButton } from "#app/components/ui/copy-button.tsx";

/** A scrollable code block with a title and, if `copy`, a button to copy it. */
export function CodeBlock({ title, code, copy = false }: { title: string; code: string; copy?: boolean }) {
  return (
    <figure className="min-w-0 overflow-clip rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-11 items-center justify-between gap-3 border-b border-line px-3 text-xs text-muted">
        <span className="min-w-0 truncate font-mono">{title}</span>
        {copy && <CopyButton text={code} />}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto p-3 font-mono text-xs leading-relaxed focus-visible:-outline-offset-2"
      >
        {code}
      </pre>
    </figure>
  );
}
