import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Section } from "./landing-section.tsx";

export function ApiExample({ origin, service, quantity }: { origin: string; service: number; quantity: string }) {
  const lines = [
    `curl ${origin}/api/v2 \\`,
    "  -d key=$API_KEY \\",
    "  -d action=add \\",
    `  -d service=${service} \\`,
    "  -d link=https://example.com/your-post \\",
    `  -d quantity=${quantity.trim()}`,
  ];
  return (
    <Section
      id="api"
      title="One request"
      lead="Works with existing panel software: one URL, a key and an action. This request places the order you chose above."
    >
      <div className="overflow-clip rounded-md border border-line bg-sunken">
        <div className="flex min-h-12 items-center justify-between gap-4 border-b border-line pr-2 pl-4 text-sm text-muted">
          Shell
          <CopyButton text={lines.join("\n")} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, which a keyboard must reach */}
        <pre tabIndex={0} className="overflow-x-auto p-4 font-mono text-sm leading-6 focus-visible:-outline-offset-2">
          <code>{lines.join("\n")}</code>
        </pre>
        <p className="border-t border-line p-4 font-mono text-sm">
          <span className="text-muted">Response </span>
          {'{"order": 23501}'}
        </p>
      </div>
    </Section>
  );
}
