import { CodeBlock } from "./code-block.tsx";
import { LANGUAGE_NAMES, type Language, sample } from "./code-samples.ts";
import { Anchored } from "./docs-section.tsx";
import { LanguageLinks } from "./language-links.tsx";
import { MarkedText } from "./marked-text.tsx";
import type { DocField, DocOperation } from "./reference.server.ts";
import { useSampleKey } from "./test-key-box.tsx";
import { TryIt } from "./try-it.tsx";

/** Documents one route or action: prose, fields and errors on the left, code on the right. */
export function Operation({
  operation,
  origin,
  language,
}: {
  operation: DocOperation;
  origin: string;
  language: Language;
}) {
  const code = sample(language, { ...operation, url: origin + operation.path, key: useSampleKey() });
  return (
    <article
      aria-labelledby={operation.id}
      className="defer-paint grid gap-x-8 gap-y-5 border-t border-line py-10 xl:grid-cols-2"
    >
      <div className="min-w-0">
        <Anchored id={operation.id} level={3}>
          {operation.title}
        </Anchored>
        <p className="mt-1 font-mono text-sm text-muted">
          <span className="font-medium text-text">{operation.method}</span> {operation.path}
        </p>
        {operation.description && (
          <p className="mt-3 max-w-prose text-sm">
            <MarkedText text={operation.description} />
          </p>
        )}
        {operation.fields.length > 0 && <Fields fields={operation.fields} />}
        {operation.errors.length > 0 && <Errors errors={operation.errors} />}
      </div>
      <div className="flex min-w-0 flex-col gap-4 xl:sticky xl:top-4 xl:self-start">
        <LanguageLinks language={language} anchor={operation.id} />
        <CodeBlock title={LANGUAGE_NAMES[language]} code={code} copy />
        {operation.responses.map(
          (response) =>
            response.example !== null && (
              <CodeBlock
                key={response.description}
                title={`${response.status} · ${response.description}`}
                code={response.example}
              />
            ),
        )}
        <TryIt operation={operation} />
      </div>
    </article>
  );
}

const FIELDS_SHOWN = 6;

function Fields({ fields }: { fields: DocField[] }) {
  const sorted = [...fields].sort((a, b) => Number(b.required) - Number(a.required));
  const more = sorted.slice(FIELDS_SHOWN);
  return (
    <>
      <h4 className="mt-6 text-sm">Fields</h4>
      <FieldList fields={sorted.slice(0, FIELDS_SHOWN)} />
      {more.length > 0 && (
        <details>
          <summary className="flex min-h-11 items-center text-sm text-muted underline underline-offset-4">
            {more.length} more for other service types
          </summary>
          <FieldList fields={more} />
        </details>
      )}
    </>
  );
}

function FieldList({ fields }: { fields: DocField[] }) {
  return (
    <dl className="mt-2 divide-y divide-line text-sm">
      {fields.map((field) => (
        <div key={field.name} className="py-2.5">
          <dt className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono font-medium">{field.name}</code>
            <span className="text-xs text-muted">{field.type}</span>
            {field.required && <span className="text-xs text-warn">required</span>}
          </dt>
          <dd className="mt-0.5 text-muted">
            <MarkedText text={field.description} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Errors({ errors }: { errors: DocOperation["errors"] }) {
  return (
    <>
      <h4 className="mt-6 text-sm">Errors</h4>
      <ul className="mt-2 flex flex-col gap-1.5 text-sm">
        {errors.map((error) => (
          <li key={error.code ?? error.status} className="flex gap-3">
            <span className="tabular w-8 shrink-0 font-mono text-muted">{error.status}</span>
            {error.code ? (
              <a href={`#${error.code}`} className="inline-block py-0.5 underline underline-offset-4">
                {error.description}
              </a>
            ) : (
              <span>{error.description}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
