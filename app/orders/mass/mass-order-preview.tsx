import { Link } from "@remix-run/react";
import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { CheckedLine, CheckedMass } from "./check-mass-order.server.ts";
import { doubtOf, earlierLines } from "./earlier-lines.ts";
import { massQuery } from "./planned-mass.ts";

const LINES_PER_PAGE = 100;

/** The checked lines with their charges or errors, and the form that places them. */
export function MassOrderPreview({
  checked,
  balance,
  draft,
  lines,
  readAs,
  uploadId,
}: {
  checked: CheckedMass & { ok: true };
  balance: number;
  draft: string;
  lines: string;
  /** How they were read, if a person may want to check it. */
  readAs: string | null;
  uploadId: string | null;
}) {
  const { number } = useFormats();
  const { valid, invalid, doubtful, charge, ignoredColumns } = checked;
  const [onlyInvalid, setOnlyInvalid] = useState(invalid > 0);
  const [page, setPage] = useState(0);
  const earlier = earlierLines(checked.lines.map((line) => (line.ok ? line.target : null)));
  const numbered = checked.lines.map((line, index) => ({ line, earlier: earlier[index] ?? null }));
  const shown = onlyInvalid ? numbered.filter(({ line }) => !line.ok) : numbered;
  const from = page * LINES_PER_PAGE;
  const last = Math.max(0, Math.ceil(shown.length / LINES_PER_PAGE) - 1);

  function show(invalidOnes: boolean) {
    setOnlyInvalid(invalidOnes);
    setPage(0);
  }

  return (
    <section
      aria-labelledby="preview"
      className="mt-6 grid min-w-0 overflow-clip rounded-md border border-line bg-raised lg:grid-cols-[1fr_340px]"
    >
      <div className="min-w-0">
        <header className="flex min-h-14 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2 sm:px-5">
          <h2 id="preview" className="text-sm">
            {number(checked.lines.length)} lines
          </h2>
          <div className="flex gap-1">
            <Button
              variant="quiet"
              aria-pressed={!onlyInvalid}
              onClick={() => show(false)}
              className={pressed(!onlyInvalid)}
            >
              All
            </Button>
            <Button
              variant="quiet"
              aria-pressed={onlyInvalid}
              disabled={invalid === 0}
              onClick={() => show(true)}
              className={pressed(onlyInvalid)}
            >
              Errors ({number(invalid)})
            </Button>
          </div>
        </header>
        {readAs !== null && <p className="border-b border-line px-4 py-2.5 text-sm text-muted sm:px-5">{readAs}</p>}
        {ignoredColumns.length > 0 && (
          <p className="border-b border-line px-4 py-2.5 text-sm text-warn sm:px-5">
            Unknown columns, ignored: {ignoredColumns.join(", ")}.
          </p>
        )}
        <Table
          label="Lines"
          head={
            <>
              <Th numeric>Line</Th>
              <Th>Service</Th>
              <Th>Link</Th>
              <Th numeric>Quantity</Th>
              <Th>Charge or error</Th>
            </>
          }
        >
          {shown.slice(from, from + LINES_PER_PAGE).map(({ line, earlier }) => (
            <Line
              key={line.line}
              line={line}
              earlier={earlier === null ? null : (checked.lines[earlier]?.line ?? null)}
            />
          ))}
        </Table>
        {last > 0 && (
          <nav
            aria-label="Pages of lines"
            className="flex min-h-14 items-center justify-end gap-2 border-t border-line px-4 py-2 sm:px-5 noscript:hidden"
          >
            <p role="status" className="mr-auto text-sm text-muted">
              {number(from + 1)} to {number(Math.min(shown.length, from + LINES_PER_PAGE))} of {number(shown.length)}
            </p>
            <Button variant="secondary" disabled={page === 0} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button variant="secondary" disabled={page === last} onClick={() => setPage(page + 1)}>
              Next
            </Button>
          </nav>
        )}
      </div>
      <div className="flex flex-col gap-5 border-t border-line bg-sunken p-5 lg:border-t-0 lg:border-l">
        <dl className="text-sm">
          <Sum label="Valid">{number(valid)}</Sum>
          <Sum label="Errors">
            <span className={invalid > 0 ? "text-bad" : ""}>{number(invalid)}</span>
          </Sum>
          <Sum label="Balance after">
            <Money micro={balance - charge} />
          </Sum>
          <div className="flex items-baseline justify-between gap-4 pt-4">
            <dt className="font-medium">Charge</dt>
            <dd className="tabular text-3xl font-semibold tracking-tight">
              <Money micro={charge} />
            </dd>
          </div>
        </dl>
        <div className="flex flex-col gap-3 lg:mt-auto">
          {balance < charge && (
            <p className="text-sm text-warn">
              You need <Money micro={charge - balance} /> more, so this will be rejected entirely.{" "}
              {uploadId !== null && (
                <Link
                  to={`/dashboard/top-up?${massQuery({ draft, uploadId, lines: checked.lines.length, charge })}`}
                  className="underline underline-offset-4"
                >
                  Add funds
                </Link>
              )}
            </p>
          )}
          {valid > 0 ? (
            <Place
              draft={draft}
              lines={lines}
              uploadId={uploadId}
              valid={valid}
              invalid={invalid}
              doubtful={doubtful}
              charge={charge}
            />
          ) : (
            <p className="text-sm text-muted">Every line has an error. Fix the lines and check again.</p>
          )}
        </div>
      </div>
    </section>
  );
}

function Place({
  draft,
  lines,
  uploadId,
  valid,
  invalid,
  doubtful,
  charge,
}: {
  draft: string;
  lines: string;
  uploadId: string | null;
  valid: number;
  invalid: number;
  doubtful: number;
  charge: number;
}) {
  const { money, number } = useFormats();
  const [which, setWhich] = useState(invalid > 0 ? "" : "all");
  const orders = `${number(valid)} ${valid === 1 ? "order" : "orders"} · ${money(charge)}`;
  return (
    <ActionForm
      intent="place"
      action={`/dashboard/orders/mass?draft=${draft}${uploadId ? `&upload=${uploadId}` : ""}`}
      result={null}
      hidden={{ charge }}
      preventScrollReset={false}
      className=""
    >
      {uploadId ? (
        <input type="hidden" name="upload" value={uploadId} />
      ) : (
        // An input would drop the line breaks.
        <textarea name="lines" defaultValue={lines} hidden readOnly />
      )}
      {invalid > 0 ? (
        <fieldset className="text-sm">
          <legend className="mb-2 font-medium">Lines with errors</legend>
          {[
            ["all", "Fix errors first"],
            ["valid", `Place ${number(valid)} valid ${valid === 1 ? "line" : "lines"}, skip ${number(invalid)}`],
          ].map(([value, label]) => (
            <label key={value} className="flex min-h-11 items-center gap-2.5 sm:min-h-9">
              <input
                type="radio"
                name="which"
                value={value}
                required
                checked={which === value}
                onChange={() => setWhich(value ?? "")}
                className="size-4 shrink-0 accent-accent"
              />
              {label}
            </label>
          ))}
        </fieldset>
      ) : (
        <input type="hidden" name="which" value="all" />
      )}
      {doubtful > 0 && (
        <label className="mt-2 flex min-h-11 items-start gap-2.5 text-sm sm:min-h-9">
          <input
            type="checkbox"
            name="doubts"
            value={doubtful}
            required
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          {doubtful === 1
            ? "Order the line that may be wrong"
            : `Order the ${number(doubtful)} lines that may be wrong`}
        </label>
      )}
      <SubmitButton size="large" disabled={invalid > 0 && which === "all"} className="mt-3 w-full">
        Place {orders}
      </SubmitButton>
    </ActionForm>
  );
}

function Line({ line, earlier }: { line: CheckedLine; earlier: number | null }) {
  const doubt = line.ok ? doubtOf(line.doubt, earlier) : null;
  return (
    <tr>
      <Td numeric className="font-mono text-muted">
        {line.line}
      </Td>
      <Td>
        <span className="block max-w-48 truncate" title={line.ok ? line.name : undefined}>
          <span className="font-mono">{line.service || "—"}</span>
          {line.ok && <span className="text-muted"> {line.name}</span>}
        </span>
      </Td>
      <Td>
        <span className="block max-w-48 truncate" title={line.link}>
          {line.link || "—"}
        </span>
      </Td>
      <Td numeric>{line.quantity || "—"}</Td>
      <Td>
        {line.ok ? (
          <>
            <Money micro={line.charge} />
            {doubt && <span className="block min-w-48 py-1 text-warn">{doubt}</span>}
          </>
        ) : (
          <span className="flex items-center gap-2">
            <Badge tone="bad">Error</Badge>
            <span className="min-w-48 py-1">{line.error}</span>
          </span>
        )}
      </Td>
    </tr>
  );
}

function Sum({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="flex h-10 items-center justify-between gap-4 border-b border-line">
      <dt className="text-muted">{label}</dt>
      <dd className="tabular">{children}</dd>
    </div>
  );
}

function pressed(is: boolean): string {
  return is ? "bg-sunken text-text" : "";
}
