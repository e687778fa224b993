import { useEffect, useId, useRef, useState } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { CodeBlock } from "./code-block.tsx";
import { address } from "./code-samples.ts";
import type { DocOperation } from "./reference.server.ts";
import { useTestKey } from "./test-key-box.tsx";

type Result = { status: number; statusText: string; headers: string; body: string } | { error: string };

const SHOWN_HEADERS = ["content-type", "ratelimit", "retry-after", "idempotent-replayed", "x-request-id"];

/** Renders its form only once opened: Chromium lays out every control on a page to offer autofill. */
export function TryIt({ operation }: { operation: DocOperation }) {
  const box = useRef<HTMLDetailsElement>(null);
  const [wasOpened, setWasOpened] = useState(false);
  // It may have been opened before hydration.
  useEffect(() => setWasOpened(box.current?.open === true), []);
  return (
    <details ref={box} onToggle={() => setWasOpened(true)} className="rounded-md border border-line noscript:hidden">
      <summary className="flex min-h-11 items-center px-3 text-sm font-medium">
        Try it<span className="sr-only">: {operation.title}</span>
      </summary>
      {wasOpened && <RequestForm operation={operation} />}
    </details>
  );
}

/** Sends the real request with this page's test key and shows the response. */
function RequestForm({ operation }: { operation: DocOperation }) {
  const { key, isUsable } = useTestKey();
  const id = useId();
  const [body, setBody] = useState(operation.body ? JSON.stringify(operation.body, null, 2) : "");
  const [query, setQuery] = useState(operation.query);
  const [fault, setFault] = useState<string>();
  const [result, setResult] = useState<Result>();
  const [busy, setBusy] = useState(false);

  async function send(): Promise<void> {
    setFault(undefined);
    if (operation.body && !isJson(body)) return setFault("This isn't valid JSON.");
    setBusy(true);
    setResult(await request(operation, key, query, body));
    setBusy(false);
  }

  return (
    <div className="flex flex-col gap-4 border-t border-line p-3">
      {Object.entries(query).map(([name, value]) => (
        <Field key={name} id={`${id}-${name}`} label={name}>
          {(control) => (
            <Input
              {...control}
              value={value}
              onChange={(event) => setQuery({ ...query, [name]: event.target.value })}
              autoComplete="off"
              className="font-mono"
            />
          )}
        </Field>
      ))}
      {operation.body && (
        <Field id={`${id}-body`} label="Body" error={fault}>
          {({ autoFocus: _, ...control }) => (
            <Textarea
              {...control}
              value={body}
              onChange={(event) => setBody(event.target.value)}
              rows={Math.min(10, body.split("\n").length + 1)}
              spellCheck={false}
              className="font-mono text-xs"
            />
          )}
        </Field>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="secondary" onClick={send} busy={busy} disabled={!isUsable}>
          Send
        </Button>
        {!isUsable && (
          <a
            href="#test-key"
            className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 sm:min-h-0"
          >
            Set a test key first
          </a>
        )}
      </div>
      <div role="status">{result && <ResponseView result={result} />}</div>
    </div>
  );
}

function ResponseView({ result }: { result: Result }) {
  if ("error" in result) return <Notice tone="bad">{result.error}</Notice>;
  const code = [result.headers, "", result.body].join("\n");
  return <CodeBlock title={`${result.status} ${result.statusText}`} code={code} />;
}

async function request(
  operation: DocOperation,
  key: string,
  query: Record<string, string>,
  body: string,
): Promise<Result> {
  try {
    const response = await fetch(address(operation.path, query), {
      method: operation.method,
      credentials: "omit",
      headers: {
        Authorization: `Bearer ${key}`,
        // The samples have a fixed key. Here every request places a new order.
        ...(operation.headers["Idempotency-Key"] !== undefined && { "Idempotency-Key": crypto.randomUUID() }),
        ...(operation.body && { "Content-Type": "application/json" }),
      },
      ...(operation.body && { body }),
    });
    const text = await response.text();
    const headers = SHOWN_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    return {
      status: response.status,
      statusText: response.statusText,
      headers: headers.join("\n"),
      body: isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text,
    };
  } catch {
    return { error: "The request failed. Check your connection and try again." };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
